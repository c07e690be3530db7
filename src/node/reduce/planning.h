/*
 * planning.h: what the files that plan a WindowReduce share.
 */
#ifndef SCAN_NODE_REDUCE_PLANNING_H
#define SCAN_NODE_REDUCE_PLANNING_H

#include "postgres.h"

#include "node/plan/planning.h"
#include "node/reduce/reduce.h"

/* ---- source.c ---- */

/* Returns the subquery scan that a path of a relation is, with or without conditions of ours; NULL: it is none. */
extern const SubqueryScanPath *reduce_scan(const Path *path);

/* Returns the PrefixScan whose blocks are the rows of such a scan. */
extern const PrefixScanPath *reduce_window(const SubqueryScanPath *scan);

/* True if the node can read the rows of a relation, and evaluate the conditions on them. */
extern bool reduce_reads(const PlannerInfo *root, const RelOptInfo *rel);

/* True if the groups of the query are the partitions of the window. */
extern bool reduce_groups_are_partitions(const PlannerInfo *root, const RelOptInfo *input_rel,
										 const SubqueryScanPath *scan);

/* ---- rows_above.c ---- */

/* Corrects the rows of a subquery's relation if a PrefixScan has left out those that fail a condition on a rank. */
extern void count_rows_above(PlannerInfo *root, RelOptInfo *rel);

/* ---- path.c ---- */

/* Returns a path of the node that leaves out rows of a subquery scan; it has `rows` rows. */
extern Path *reduce_filtering_path(RelOptInfo *rel, const SubqueryScanPath *scan, double rows);

/*
 * Returns a path of the node that aggregates.  The rows of equal groups lie side by side.  `target`: what it computes,
 * for `rows` groups.
 */
extern Path *reduce_aggregating_path(PlannerInfo *root, const RelOptInfo *input_rel, RelOptInfo *output_rel,
									 const SubqueryScanPath *scan, PathTarget *target, List *having, double rows);

/* ---- several.c ---- */

/* Returns the paths in several processes: of the whole step, each with a Gather. */
extern List *reduce_paths_in_several(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel, List *having,
									 double groups);

#endif /* SCAN_NODE_REDUCE_PLANNING_H */

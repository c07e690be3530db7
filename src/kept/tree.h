/*
 * tree.h: the nodes of a kept scan's tree and the rows of its log, read and written.
 *
 * A node of level l has the state of all rows of a partition whose first key lies in one interval of 2^(shift + 2 l)
 * numbers.  Its children, of level l - 1, are there only if it is split; then all rows of its interval are in them.  A
 * row of the log has what one statement changed in an interval of level 0.
 */
#ifndef SCAN_KEPT_TREE_H
#define SCAN_KEPT_TREE_H

#include "access/genam.h"
#include "catalog/indexing.h"

#include "kept/state.h"

/* The tree or the log, open, with its index. */
typedef struct KeptRelation
{
	const Kept		 *kept;
	bool			  is_tree;
	Relation		  relation;
	Relation		  index;
	CatalogIndexState indexes; /* open for writing, or NULL */
} KeptRelation;

/* A node, or a row of the log: then level is 0. */
typedef struct KeptNode
{
	ItemPointerData place;
	int				level;
	int64			bucket;
	bool			split;
	bool			stale; /* the rows have to be read instead (state.h) */
	int64			rows;
	const Datum	   *partition;
	const bool	   *partition_isnull;
	const Datum	   *value; /* of each aggregate */
	const bool	   *isnull;
} KeptNode;

typedef void (*KeptTakeNode)(void *to, const KeptNode *node);

extern KeptRelation kept_relation_open(const Kept *kept, bool is_tree, LOCKMODE lock, bool for_writing);
extern void			kept_relation_close(KeptRelation *relation, LOCKMODE lock);

/*
 * Scan the nodes of a partition, of one level and with buckets from `first` to `last`, in order; of the log, its rows.
 * kept_scan_begin_all(): all nodes, or all rows of the log, by partition and bucket.  kept_scan_begin_from(): those of
 * the log without the partitions before one, which has no NULLs; partitions with NULLs may lack.  kept_scan_next()
 * returns NULL at the end; what it returned before is not valid any more.
 */
typedef struct KeptScan KeptScan;
extern KeptScan *kept_scan_begin(const KeptRelation *relation, const NullableDatum *partition, int level, int64 first,
								 int64 last, Snapshot snapshot);
extern KeptScan *kept_scan_begin_all(const KeptRelation *relation, Snapshot snapshot);
extern KeptScan *kept_scan_begin_from(const KeptRelation *log, const NullableDatum *partition, Snapshot snapshot);
extern const KeptNode *kept_scan_next(KeptScan *scan);
extern void			   kept_scan_end(KeptScan *scan);

/* Sets the values of a partition to those of a node, which are valid as long as the node is. */
extern void kept_node_partition(const Kept *kept, const KeptNode *node, NullableDatum *partition);

/* Returns the order of two partitions, as that of two rows. */
extern int kept_partition_compare(const Kept *kept, const NullableDatum *a, const NullableDatum *b);

/* Returns a copy of a partition, in a context. */
extern NullableDatum *kept_partition_copy(MemoryContext memory, const Kept *kept, const NullableDatum *partition);

/* Passes the same nodes as kept_scan_begin() to `take`. */
extern void kept_nodes(const KeptRelation *relation, const NullableDatum *partition, int level, int64 first, int64 last,
					   Snapshot snapshot, KeptTakeNode take, void *to);

/* Inserts a node or a row of the log; or, if `replaced` is valid, replaces the one there. */
extern void kept_node_put(const KeptRelation *relation, const NullableDatum *partition, int level, int64 bucket,
						  bool split, KeptState *state, const ItemPointerData *replaced);

/* Empties tree and log. */
extern void kept_truncate(const Kept *kept);

extern void kept_node_delete(const KeptRelation *relation, const ItemPointerData *place);

/* ---- builder.c ---- */

/*
 * Builds the nodes below `level` of a partition from its rows in order, and inserts those that are wanted; with_top:
 * those of level `level`, too.  kept_build_finish() returns the number of rows.
 */
typedef struct KeptBuilder KeptBuilder;

/* If not NULL, called with the state of each interval that has rows, children first, instead of inserting nodes. */
typedef void (*KeptVisitNode)(void *to, const NullableDatum *partition, int level, int64 bucket, KeptState *state);

extern KeptBuilder *kept_build_begin(const KeptRelation *tree, const NullableDatum *partition, int level, bool with_top,
									 KeptVisitNode visit, void *to);
extern void			kept_build_row(KeptBuilder *builder, KeptRow *row);
extern int64		kept_build_finish(KeptBuilder *builder);

#endif /* SCAN_KEPT_TREE_H */

/*
 * state.h: the state of a running IndexSkip, which exec.c keeps and explain.c prints.
 */
#ifndef SCAN_NODE_SKIP_STATE_H
#define SCAN_NODE_SKIP_STATE_H

#include "postgres.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "fmgr.h"
#include "nodes/execnodes.h"

#include "compat.h"
#include "node/skip/description.h"

/* A column of the children, with its value in the last row that began a group, or peers if ranks are counted. */
typedef struct SkipKey
{
	AttrNumber attno;
	bool	   by_value;
	int16	   length;
	Oid		   collation;
	FmgrInfo   equal;
	int		   parameter; /* executor parameter that has the value in the children's conditions; -1: none */

	bool  isnull;
	Datum value; /* in IndexSkipState.values */
} SkipKey;

/* The state that all processes share, in the query's DSM. */
typedef struct SkipShared SkipShared;

/* The ranges of the groups (description.h) that a process reads. */
typedef struct SkipRanges
{
	int			n;		/* 0: the plan has no ranges */
	Datum	   *bound;	/* n - 1 */
	FmgrInfo	behind; /* true if its first argument is behind the second one, in the order of the index */
	Oid			collation;
	bool		nulls_first;
	SkipShared *shared; /* NULL: this process reads all rows */

	int at; /* the range that is read */

	/* once the node has started anew */
	int rest;	/* this process reads the ranges from this one on, too */
	int of_row; /* the range of the last row */
} SkipRanges;

/* Where a process goes on. */
typedef enum SkipRangeStep
{
	SKIP_RANGE_HERE = 0,  /* at this row */
	SKIP_RANGE_ELSEWHERE, /* at another row */
	SKIP_RANGES_END		  /* nowhere: there is no range left */
} SkipRangeStep;

typedef struct IndexSkipState
{
	CustomScanState css; /* must be first */
	TopRows			top;
	int				levels; /* columns of the groups */
	int				keys;	/* with the columns of the order, if ranks are counted */
	SkipKey		   *key;
	int				children; /* that read an index */
	PlanState	  **child;
	SkipStep	   *step;		 /* of each child */
	PlanState	   *child_anew;	 /* starts anew; NULL: there is none */
	MemoryContext	values;		 /* the keys' */
	MemoryContext	parameters;	 /* those of the child that is read */
	MemoryContext	comparisons; /* reset after each */

	int	  at;		   /* the child that has the next row */
	bool  in_group;	   /* the keys have values */
	bool  leave_group; /* no more rows of the group are wanted */
	bool  at_end;
	int64 groups; /* so far */
	int64 rows;	  /* of the group so far */
	int64 rank;
	int64 dense_rank;

	/* whether the node reads on to the next group, where groups have few rows, or goes down the index */
	int	  read_on;		/* rows that are read in the time of a descent */
	int	  to_read;		/* rows of the group that are still read before the node goes down */
	bool  reads_on;		/* the group before had few rows */
	int64 next_try;		/* else: the group whose rows the node reads on, to see how many there are */
	int64 groups_apart; /* from that group to the next one to be tried */

	SkipRanges ranges;
	bool	   in_range; /* a range has been taken; or there are none */
	int		   to_bound; /* the child that reads the rows behind a bound */

	/* when the node starts anew */
	int64 most_descents; /* 0: never */
	int64 scan_descents; /* since the node's last rescan */
	int64 scan_rows;	 /* rows that were not wanted, since then */
	bool  anew;			 /* child_anew is read */
	int64 groups_before; /* groups of ranges before the one that is read */
	int64 groups_done;	 /* groups of this range that were returned before child_anew began */

	/* for EXPLAIN ANALYZE */
	int64 descents; /* children taken up, but for child 0 */
	int64 left_out; /* rows read that were not wanted */
	int64 started_anew;
} IndexSkipState;

/* children.c: starts the children */
extern void index_skip_begin_children(IndexSkipState *state, const CustomScan *scan, EState *estate, int eflags);

/* ranges.c: reads the ranges of a plan */
extern void skip_ranges_begin(SkipRanges *ranges, const CustomScan *scan);

/* ranges.c: takes the first range: HERE if it begins with the first row of all */
extern SkipRangeStep skip_ranges_first(SkipRanges *ranges);

/*
 * ranges.c: takes a row by its value of the first column, and the next range if the row is behind the one that is read.
 * ELSEWHERE: ranges->at begins behind the row.
 */
extern SkipRangeStep skip_ranges_step(SkipRanges *ranges, Datum value, bool isnull);

/* ranges.c: takes all ranges that are left, since the node starts anew */
extern void skip_ranges_anew(SkipRanges *ranges);

/* ranges.c: takes a row of core's plan; ELSEWHERE: the row is another process's */
extern SkipRangeStep skip_ranges_step_anew(SkipRanges *ranges, Datum value, bool isnull);

/* ranges.c: the methods for shared memory */
extern Size index_skip_estimate_shared(CustomScanState *node, ParallelContext *context);
extern void index_skip_create_shared(CustomScanState *node, ParallelContext *context, void *memory);
extern void index_skip_reset_shared(CustomScanState *node, ParallelContext *context, void *memory);
extern void index_skip_join_shared(CustomScanState *node, shm_toc *toc, void *memory);
extern void index_skip_leave_shared(CustomScanState *node);

/* explain.c: the ExplainCustomScan method */
extern void index_skip_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif /* SCAN_NODE_SKIP_STATE_H */

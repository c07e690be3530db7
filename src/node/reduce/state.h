/*
 * state.h: the state of a running WindowReduce, which the files of reduce/ share.
 */
#ifndef SCAN_NODE_REDUCE_STATE_H
#define SCAN_NODE_REDUCE_STATE_H

#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "nodes/execnodes.h"

#include "aggregate/aggregate.h"
#include "column/block.h"
#include "node/input/pull.h"
#include "node/reduce/computed.h"
#include "node/reduce/conditions.h"

/* Some conditions, and which rows of the block meet them. */
typedef struct Conditions
{
	int		   n;
	Condition *condition;
	bool	  *keep;	/* for each row of the source's block; NULL: there is no condition */
	bool	   careful; /* one may raise an error or have a side effect: all are evaluated row by row */
	bool	   fails;	/* one may raise an error, or the value that it compares with */
} Conditions;

/* An aggregate. */
typedef struct ReduceAggregate
{
	Aggregate	  aggregate;
	PartialResult partial; /* computes what core combines with the results of other processes; NULL: `final` does */
	Conditions	  filter;  /* of its FILTER */
} ReduceAggregate;

/* A column of GROUP BY. */
typedef struct ReduceKey
{
	AttrNumber attno;
	int		   column;
	bool	   by_datum; /* values are equal if and only if their Datums are */
	Oid		   collation;
	FmgrInfo   equal;
	/* of the group's first row, in memory of `group_values` */
	bool  isnull;
	Datum value;
} ReduceKey;

typedef struct ReduceState
{
	CustomScanState	   css; /* must be first */
	Pull			   pull;
	const BlockSource *blocks;	/* of the child; NULL: rows are pulled one by one */
	int				   columns; /* of the subquery */
	AttrNumber *attno; /* of each column of the rows: its place in the node's own row; 0: a constant or a filter */
	PullColumn *from;  /* of each column of the rows: the child's that it is; no attribute: it has no such column */
	Rows	   *rows;
	Block		block; /* the rows, for the aggregates */
	LateRow		late;
	Computed	computed;
	int64		capacity; /* rows that Conditions.keep has room for */

	Conditions		 conditions;
	int				 aggregates;
	ReduceAggregate *aggregate;
	bool			 by_partition; /* the groups are the partitions of the child */
	bool			 grouped;	   /* there is a GROUP BY: without a row there is no group */
	int				 keys;
	ReduceKey		*key;
	MemoryContext	 group_values;
	MemoryContext	 comparisons; /* reset after some rows */

	int	 outputs;
	int *output; /* the column of the rows that each output is; NULL: the target list has to be evaluated */

	/*
	 * The chunk: rows `at` to `end` - 1 of the block are still to be looked at.  Conditions have been evaluated for the
	 * rows before `stop`.
	 */
	int64		at;
	int64		stop;
	int64		end;
	bool		by_row; /* conditions or transitions may raise errors: rows are looked at one by one, as core does */
	bool		by_row_kept; /* the same for a chunk whose conditions have been evaluated */
	bool		has_loops;	 /* of conditions */
	bool		has_careful; /* there are no loops for a condition that may raise an error, or whose value may */
	bool		is_kept;	 /* the conditions of the whole chunk have been evaluated, and core raises no error there */
	bool		sees_rows;	 /* a row that is kept is returned, or its transitions or arguments may raise errors */
	bool	   *head;		 /* for each row from `first` to `stop` - 1: it is kept, and begins a group */
	int64		first;
	const bool *partition;	  /* for each row of the child's block: it starts a partition; NULL: keys are compared */
	bool		in_partition; /* a row of the current partition has been kept */
	bool		open;		  /* the current group has a row */
	bool		at_end;
} ReduceState;

/*
 * chunk.c: evaluates the conditions of at least one more row, from `at` on.  Returns false if there are no more rows.
 */
extern bool reduce_next_rows(ReduceState *state);

/* begin.c: sets up the state from its plan */
extern void window_reduce_begin(ReduceState *state, EState *estate, int eflags);

/* explain.c: the ExplainCustomScan method */
extern void window_reduce_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif /* SCAN_NODE_REDUCE_STATE_H */

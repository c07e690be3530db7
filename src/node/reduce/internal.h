/*
 * internal.h: what the files of reduce/ share: those that plan a WindowReduce and those that run it.
 */
#ifndef SCAN_NODE_REDUCE_INTERNAL_H
#define SCAN_NODE_REDUCE_INTERNAL_H

#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"

#include "aggregate/aggregate_op.h"
#include "column/block.h"
#include "column/row_function.h"
#include "column/rows.h"
#include "column/type.h"
#include "node/input/pull.h"
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

/* ---- loops.c: the loops of which expression.c makes expressions ---- */

typedef struct Step Step;

/* Computes a step of its operands for n rows.  Returns false if core might raise an error. */
typedef bool (*StepLoop)(Step *step, const Step *left, const Step *right, int64 n);

struct Step
{
	StepLoop loop;		  /* NULL: the step is a column, or a value that is the same for all rows */
	int		 left, right; /* its operands: numbers of earlier steps; equal if there is one */
	/* for each row: core does not compute the step there, so that it raises no error */
	const bool *out;
	int			column;	 /* of the rows; -1: a value */
	bool		span;	 /* intervals, which the step has as microseconds */
	ExprState  *param;	 /* computes the value when it is first read; NULL: it is a constant */
	bool		numeric; /* whose value is copied */
	bool		known;	 /* the value has been computed */
	Datum	   *own;	 /* memory for REDUCE_ROWS values */
	Datum	   *value;	 /* in that memory, or the column's */
	bool		nulls;	 /* false: no value is NULL */
	bool	   *isnull;
};

/* Returns the loop of one of core's functions; NULL: there is none. */
extern StepLoop loop_of_function(Oid function);

/* ---- expression.c: makes loops of an expression over columns ---- */

/* Rows that are filtered and added up at a time: their columns stay in the processor's cache. */
#define REDUCE_ROWS 1024

/* Returns the column of the rows for a Var, and adds it if it is new. */
typedef int (*ColumnOfVar)(void *context, const Var *var);

/* When core raises an error of an expression, or a user could tell in another way that it is computed. */
typedef enum RowErrors
{
	ERRORS_NEVER = 0,
	ERRORS_ONCE,	/* when the value of a subquery is first read, with which a condition of WHERE compares */
	ERRORS_AT_ROWS, /* at any row: none may be computed unless core has come to it */
} RowErrors;

/* What an expression is for. */
typedef enum ExpressionUse
{
	USE_COLUMN = 0,
	USE_WHERE, /* a condition, one of those that all have to hold */
	USE_FILTER,
	USE_ARGUMENT, /* of an aggregate, which knows at which rows it is computed: the executor always does it */
} ExpressionUse;

/* An expression as loops. */
typedef struct Loops
{
	int	  n;
	Step *step;		/* the last one is the result */
	bool  interval; /* the result's type is interval: the values are microseconds */
	bool *skipped;	/* for each row: core does not compute the expression there */
	bool  heeds;	/* it matters what is skipped: a step may raise an error, or takes much longer */
	bool  asks;		/* for the value of a subquery, which may raise an error */

	/* while it is made */
	const Expr	 *top; /* the expression */
	ExpressionUse use;
	const bool	 *out;		/* of the steps that are added next */
	bool		  compares; /* intervals are compared, so that all of them are good enough as microseconds */
	PlanState	 *node;
	ColumnOfVar	  column_of;
	void		 *context;
} Loops;

typedef struct RowExpression
{
	Expr	  *expr;
	RowErrors  errors;
	ExprState *state;
	Loops	  *loops; /* NULL: there are none for one of its parts */
} RowExpression;

/*
 * Prepares an expression over the rows of a node.  The executor, which computes it if there are no loops, and where
 * they give up, reads the columns from `late`.
 */
extern void expression_begin(RowExpression *expression, Expr *expr, PlanState *node, ExpressionUse use, LateRow *late,
							 ColumnOfVar column_of, void *context);

/* True if loops compute it, or the executor may for a whole chunk: it can be tried before any row is looked at. */
extern bool expression_can_be_tried(const RowExpression *expression);

/* ---- expression_rows.c: computes it for some rows ---- */

/* Sets the value of a step for all rows.  Returns false if the value does not fit in the step. */
extern bool expression_fill(Step *step, Datum value, bool isnull);

/*
 * Computes the expression by its loops for n rows from row `from` on, at most REDUCE_ROWS, and stores the values in
 * column `to` of `results`, from row `at` on, for which there is room.  Returns false if core might raise an error at
 * one of these rows; then the values are undefined.
 */
extern bool expression_run(RowExpression *expression, LateRow *late, const Rows *rows, int64 from, int64 n,
						   Rows *results, int to, int64 at);

/*
 * Computes a condition for n such rows, and sets keep[i] to false for those that do not meet it.  Rows that are not
 * kept already are rows at which core does not compute it.  `tries`: returns false, and does not compute it, if core
 * might raise an error at a row.
 */
extern bool expression_filter(RowExpression *expression, LateRow *late, const Rows *rows, int64 from, int64 n,
							  bool *keep, bool tries);

/* Has an expression ask for the values of subqueries and parameters again, for another scan. */
extern void expression_forget(RowExpression *expression);

/* ---- computed.c ---- */

/* The columns that a WindowReduce computes of its child's: expressions in the target list of the subquery. */

typedef struct ComputedColumn
{
	AttrNumber	  attno;  /* of the subquery */
	int			  column; /* of the rows; -1: nothing reads it, but it may raise an error */
	RowExpression e;
} ComputedColumn;

typedef struct Computed
{
	int				n;
	ComputedColumn *column; /* in the order of the target list */
	LateRow			late;	/* the inputs */
	Rows		   *results;

	/* the chunk */
	int64 base;		   /* row of the block that is row 0 of `results` */
	bool  by_executor; /* core might raise an error in a loop: the executor computes all columns, row by row */
	Size  loop_bytes;  /* of the results' arena that values of loops take; those of single rows lie behind */
} Computed;

/* Sets up the results, once all columns are known. */
extern void computed_begin(Computed *computed, MemoryContext memory);

/* Begins a chunk of rows, `from` to `end` - 1 of the block, and runs the loops: they raise no error. */
extern void computed_begin_chunk(Computed *computed, Rows *rows, int64 from, int64 end);

/*
 * Has the executor compute the other columns of the chunk, one row after the other: from row `from` on, to the row
 * before `end`, or to an earlier row whose values fill the memory.  Returns the first row that was not computed.  Frees
 * the values of the rows before `from` if `is_first`.
 */
extern int64 computed_rows(Computed *computed, Rows *rows, int64 from, int64 end, bool is_first);

/* True if loops have computed all columns of the chunk. */
extern bool computed_by_loops(const Computed *computed);

/* True if the values take so much memory that the rows have to be used before another one is computed. */
extern bool computed_is_full(const Computed *computed);

/* ---- running: the state of a running WindowReduce, which the files of reduce/ share ---- */

/* Some conditions, and which rows of the block meet them. */
typedef struct Conditions
{
	int			   n;
	RowExpression *condition;
	bool		  *keep; /* for each row of the source's block; NULL: there is no condition */
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
	PullColumns		   pulled;	/* of the rows; a constant, a filter and a computed column are none of the child's */
	Rows			  *rows;
	Block			   block; /* the rows, for the aggregates */
	LateRow			   late;
	Computed		   computed;
	int64			   capacity; /* rows that Conditions.keep has room for */

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
	int64 at, stop, end;
	bool  rows_apart; /* errors may come of rows and of what else users see: rows are looked at one by one, as core does
					   */
	bool		transitions_apart; /* the same because of transitions alone, or of arguments */
	bool		tries;			   /* conditions are tried for a whole chunk before any of its rows is looked at */
	bool		is_kept;		   /* they have been evaluated for the chunk, and core raises no error there */
	bool		sees_rows; /* a row that is kept is returned, or its transitions or arguments may raise errors */
	bool	   *head;	   /* for each row from `first` to `stop` - 1: it is kept, and begins a group */
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

#endif /* SCAN_NODE_REDUCE_INTERNAL_H */

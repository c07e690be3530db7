/*
 * row_function.h: a function over the rows of blocks: what a window function and an aggregate have in common.
 *
 * The plan node has a RowFunction for each function of its window (node/evaluate/function.h), and array_moving_* has
 * one over the elements of an array (functions/array/array_moving.c).  An Aggregate (aggregate/aggregate_op.h) begins
 * with one.  So an argument is read, and a result stored, by the same code, and the node calls an aggregate as it calls
 * any other function.
 */
#ifndef SCAN_COLUMN_ROW_FUNCTION_H
#define SCAN_COLUMN_ROW_FUNCTION_H

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/execnodes.h"

#include "column/arena.h"
#include "column/block.h"
#include "column/column.h"
#include "column/memory.h"
#include "column/rows.h"
#include "column/saved_state.h"
#include "column/stretch.h"

/* ---- result_column.c: the column of results that a function computes for a block of rows, and its memory ---- */

/*
 * The functions of a window (node/evaluate/) and the aggregates over arrays (functions/array/) store results here,
 * each row at most once for a block.  A result that is not passed by value is copied into an arena; whoever has used
 * the results empties the arena.
 */

typedef struct ResultColumn
{
	Column data;
	Arena  arena; /* results that are not passed by value */
	Pool  *pool;  /* memory of both */
	int64  capacity;
	Size   full; /* bytes in the arena from which on no further row is evaluated; SIZE_MAX: any number */
} ResultColumn;

/* Prepares a column of a type, without rows, whose memory is below `memory`; `may_spill`: mapped files may hold it. */
extern void result_column_init(ResultColumn *result, Oid type, MemoryContext memory, bool may_spill);

/* Makes room for n rows, none of which is NULL or has a result yet.  The arena stays as it is. */
extern void result_column_begin(ResultColumn *result, int64 n);

/*
 * True if the results in the arena take so much memory that an evaluation should end with this row: results may be
 * wide, and a window may have many functions.
 */
static pg_attribute_always_inline bool
result_column_is_full(const ResultColumn *result)
{
	return unlikely(result->arena.used >= result->full);
}

/* Frees the results that are not passed by value. */
static inline void
result_column_empty(ResultColumn *result)
{
	arena_reset(&result->arena, result->pool);
}

/* Returns what the column stores for a value: the value itself, or the offset of its copy in the arena. */
static pg_attribute_always_inline Datum
result_lay_down(ResultColumn *result, Datum value, bool isnull)
{
	if (unlikely(isnull))
	{
		result->data.has_nulls = true;
		return 0;
	}
	if (result->data.format == COLUMN_REFERENCE)
		return arena_copy(&result->arena, result->pool, result->data.length, value);
	return value;
}

/* Stores what result_lay_down() returned as the result of row i. */
static pg_attribute_always_inline void
result_put_laid_down(ResultColumn *result, int64 i, Datum value, bool isnull)
{
	if (unlikely(isnull))
		scan_bit_put(result->data.nulls, i, true);
	column_store(&result->data, i, value);
}

/* Stores the result of row i. */
static pg_attribute_always_inline void
result_put(ResultColumn *result, int64 i, Datum value, bool isnull)
{
	result_put_laid_down(result, i, result_lay_down(result, value, isnull), isnull);
}

/* Stores one result for the rows from `from` to `end` - 1. */
static pg_attribute_always_inline void
result_put_rows(ResultColumn *result, int64 from, int64 end, Datum value, bool isnull)
{
	value = result_lay_down(result, value, isnull);
	FOR_INTERRUPTIBLE (i, from, end)
		result_put_laid_down(result, i, value, isnull);
}

/* ---- late_arguments.c: arguments that are computed when their row is about to be emitted ---- */

/*
 * WindowAgg evaluates an argument only when a function asks for its value: after the FILTER has accepted the row, and
 * never for rows that a LIMIT cuts off.  So an argument that may raise an error (node/error_timing/error_timing.h)
 * must not be computed together with its block.  Instead the block holds the columns that the argument reads, and the
 * argument is evaluated over these columns.  Where nothing can fail, the argument is itself a column of the block,
 * which costs less.  An aggregate over frames that rows leave reads a row more than once:
 * node/evaluate/entering_rows.c keeps the value.
 */

/* The row of the child over which late expressions are evaluated; all functions share one. */
typedef struct LateRow
{
	ExprContext	   *econtext;
	TupleTableSlot *slot;
	int				columns; /* number of columns that the expressions read */
	AttrNumber	   *attno;
	int			   *column; /* the column of the block's rows, for each of them */
	int64			row;	/* the row in the slot; -1: none */
} LateRow;

/* Begins with a row of which no attribute is read. */
extern void late_row_begin(LateRow *late, EState *estate, TupleDesc desc);

/* Has an attribute be read from a column of the block's rows.  It may have been before. */
extern void late_row_read(LateRow *late, AttrNumber attno, int column);

/*
 * Returns the value of `expr` at row i of a block's rows, which is valid until another row is read.  Rejected: inline.
 * The loops of all functions read their arguments by row_argument() (row_function.h), and would have it in the middle.
 */
extern Datum late_value(LateRow *late, ExprState *expr, const Rows *rows, int64 i, bool *isnull);

/* ---- the function ---- */

typedef struct RowFunction RowFunction;

/* cpu/fused_scan.h */
struct FusedScan;

/*
 * Evaluates the function from row `done` on: at least one row, at most to the block's end.  Returns the row after the
 * last one evaluated.  It is called when row `done` is about to be emitted, so that an error is raised at its row; only
 * a range is evaluated before any of its rows is emitted.
 */
typedef int64 (*EvaluateRows)(RowFunction *f, const Block *block, int64 done);

/*
 * Accumulates the rows of a block, which are a part of a unit that is larger than memory, and stores no results.
 * `last`: the block ends with the unit's last row.  The unit's rows come again, in blocks that have block->accumulated
 * set for the unit, and are evaluated then.
 */
typedef void (*AccumulateRows)(RowFunction *f, const Block *block, Lookahead unit, bool last);

/*
 * Saves or restores the function's state, so that another process can continue.  The state is saved after the block's
 * last row, and restored before the block's first row is evaluated.
 */
typedef void (*CarryState)(RowFunction *f, const Block *block, SavedState *saved);

/*
 * Returns true, and describes the scan in `scan`, if the function is one scan over all rows, of which `first` has the
 * first one and the constants.  `segmented`: there are partitions, and each is a segment.  A scan in tiles is described
 * twice: scan[0] goes forward and scan[1] backward.
 *
 * Rejected: to hand over all rows, which lie in memory as the sort wants them.  A numeric is packed there, and a
 * function that read it as a value crashed.
 */
typedef bool (*OfferScan)(RowFunction *f, const Rows *first, bool segmented, struct FusedScan *scan);

struct RowFunction
{
	/* set before the start: what the function reads */
	int			arguments;
	const int  *argument; /* the block's column of each argument; that of a late one is all NULL */
	int			filter;	  /* the block's column of the FILTER's value, all NULL if it is late; -1: there is no FILTER */
	ExprState **late;	  /* NULL for an argument that is a column; NULL pointer: all are columns */
	ExprState  *late_filter;
	LateRow	   *late_row; /* the row that late expressions read; NULL: nothing is late */

	/* set before the start */
	int			  needs;	 /* RowNeeds */
	MemoryContext query;	 /* memory that lives as long as the function */
	MemoryContext partition; /* memory of the state; reset at each head, and whenever a state begins anew */
	MemoryContext scratch;	 /* memory that is reset after each row, or some rows */

	/* set at the start */
	EvaluateRows   evaluate;
	AccumulateRows accumulate;	 /* NULL: the function looks no unit ahead */
	CarryState	   carry_state;	 /* NULL: another process cannot continue from a saved state */
	void (*end)(RowFunction *f); /* closes files, when the node ends or begins anew; NULL: there are none */
	void	   *state;
	const char *method; /* how results over sliding frames are computed, for EXPLAIN */

	/* the function as one scan over all rows */
	OfferScan		  offer;	  /* NULL: the function is never such a scan */
	int64			  frame_rows; /* rows of every frame, unless its partition cuts it; 0: unknown, or they differ */
	struct FusedScan *offered;	  /* the scans offered to the sort under way; NULL: none */
	struct FusedScan *fused;	  /* the scans that ran with the sort, with their results; NULL: none */
	bool			  counts;	  /* set by `offer`: these results lack the number of rows that went in */
	EvaluateRows	  by_itself;  /* `evaluate` as it was before the results came */
	int64			  preferred_rows; /* rows that a block should have, for jobs; 0: not known yet */

	/* the block's results; the rows before `done` are computed.  The pool may spill to disk if frames slide. */
	int64		 done;
	ResultColumn result;
};

/* ---- the rows that go in ---- */

static inline bool
argument_is_late(const RowFunction *f, int argument)
{
	return f->late != NULL && f->late[argument] != NULL;
}

/* Returns the column of an argument that is not late. */
static inline const Column *
row_column(const RowFunction *f, const Block *block, int argument)
{
	return &block->rows->column[f->argument[argument]].data;
}

/* Returns an argument's value at row i.  The value of a late argument is valid until another row is read. */
static pg_attribute_always_inline Datum
row_argument(const RowFunction *f, const Block *block, int argument, int64 i, bool *isnull)
{
	if (unlikely(argument_is_late(f, argument)))
		return late_value(f->late_row, f->late[argument], block->rows, i, isnull);
	return column_get(row_column(f, block, argument), i, isnull);
}

/* True if row i passes the FILTER, or if there is none. */
static pg_attribute_always_inline bool
row_filter(const RowFunction *f, const Block *block, int64 i)
{
	bool  isnull;
	Datum pass;

	if (unlikely(f->late_filter != NULL))
		pass = late_value(f->late_row, f->late_filter, block->rows, i, &isnull);
	else if (f->filter >= 0)
		pass = column_get(&block->rows->column[f->filter].data, i, &isnull);
	else
		return true;
	return !isnull && DatumGetBool(pass);
}

/* ---- the results ---- */

/* Returns the unit whose rows share a result, if frames do not slide. */
static inline Lookahead
row_unit(const RowFunction *f)
{
	return (Lookahead) (f->needs & (LOOKAHEAD_PEERS | LOOKAHEAD_PARTITION));
}

/*
 * Returns the row at which one call of EvaluateRows should stop, or at the end of the unit that this row is in: the
 * block's end, but at most BLOCK_MAX_ROWS rows further where each result takes memory in the arena.  It should stop
 * earlier once result_column_is_full().
 */
static inline int64
row_stop(const RowFunction *f, const Block *block, int64 done)
{
	return f->result.data.by_value ? block->n : Min(block->n, done + BLOCK_MAX_ROWS);
}

#endif /* SCAN_COLUMN_ROW_FUNCTION_H */

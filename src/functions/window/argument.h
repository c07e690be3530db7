/*
 * argument.h: what all window functions share: access to their arguments, and the state of a partition.
 *
 * Called by every window function of functions/window/. Each runs in PostgreSQL's WindowAgg or in PrefixScan
 * (call/call_context.h), is called for each row in window order, and streams: it reads the current row only, keeps its
 * state in the partition's memory, and lets WindowAgg discard the rows before.  Only compact.c, fill.c and lag.c look
 * ahead, through WindowAgg's tuplestore or PrefixScan's block.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_ARGUMENT_H
#define SCAN_FUNCTIONS_WINDOW_ARGUMENT_H

#include "postgres.h"

#include "fmgr.h"
#include "windowapi.h"

#include "call/call_context.h"
#include "column/memory.h"
#include "cpu/cpu.h"

#define WINDOW_ARGS SCAN_CALL_ARGUMENTS

/*
 * An argument that must not change within a partition: `exclusive`, bounds, tables.  It is read at the partition's
 * first row, is present from then on, and is compared at the others.  It lives in the partition's memory and begins as
 * zero bytes.
 */
typedef RetainedDatum WindowConstant;

/* A call of a window function in a query.  It is kept in fn_extra and lives as long as the plan. */
typedef struct WindowCall
{
	FunctionCallInfo fcinfo;
	WindowObject	 window;			  /* WindowAgg's object; NULL in PrefixScan */
	ScanCallContext *source;			  /* PrefixScan's row; NULL in WindowAgg */
	MemoryContext	 memory;			  /* the partition's memory; set by window_state() */
	MemoryContext	 scratch;			  /* window_ahead(): for one evaluation of an argument */
	bool			 stable[WINDOW_ARGS]; /* the argument is a constant of the query: read once */
	int8			 flag[WINDOW_ARGS];	  /* result of window_flag() for a stable argument; -1: not read yet */
	RetainedType	 type[WINDOW_ARGS];
	const ScanOp	*op;	 /* scan_row.c: the function's line of list.h */
	void			*detail; /* what the function itself looked up, in fn_mcxt */
} WindowCall;

/* Returns the record of the call, created at the plan's first row.  Call it once per row. */
extern WindowCall *window_call(FunctionCallInfo fcinfo);

/*
 * Returns the state of the partition, `size` bytes that are zero at its first row.  Call it once per row: it also sets
 * the mark position, so that WindowAgg discards earlier rows, and restores the float environment if it was changed.
 */
extern void *window_state(WindowCall *call, Size size);

/* The same for a function that sets the mark position itself, or needs rows before the current one. */
extern void *window_local_state(WindowCall *call, Size size);

static inline Datum
window_arg(WindowCall *call, int arg, bool *isnull)
{
	if (call->source != NULL)
	{
		if (unlikely(call->source->late >> arg & 1))
			call->source->compute(call->source, arg);
		*isnull = call->source->isnull[arg];
		return call->source->value[arg];
	}
	return WinGetFuncArgCurrent(call->window, arg, isnull);
}

/*
 * Returns an argument at any row of the partition; sets *is_out if the partition ends before it.  A value that is no
 * number lives until the next call.  `mark`: WindowAgg may discard the rows before, but not the current one.
 * PrefixScan allows later rows only, each not before the one asked for last.
 */
extern Datum window_ahead(WindowCall *call, int arg, int64 row, bool mark, bool *isnull, bool *is_out);

/*
 * Registers, at every row, a datum of the function's state, so that PrefixScan can save it and another process
 * continues (call/call_context.h).  `which` is 0, 1 or 2.
 */
static inline void
window_keeps(WindowCall *call, int which, RetainedDatum *datum, const RetainedType *type)
{
	if (call->source != NULL)
		call->source->kept[which] = (KeptDatum){datum, type};
}

static inline void
window_keeps_decimal(WindowCall *call, struct WideDecimal *number)
{
	if (call->source != NULL)
		call->source->wide = number;
}

static inline void
window_keeps_values(WindowCall *call, Deque *values, const RetainedType *type)
{
	if (call->source == NULL)
		return;
	call->source->values = values;
	call->source->values_type = type;
}

static inline void
window_keeps_bytes(WindowCall *call, void *bytes, Size size)
{
	if (call->source == NULL)
		return;
	call->source->flat = bytes;
	call->source->flat_size = size;
}

/* Returns the row's position in its partition. */
static inline int64
window_position(WindowCall *call)
{
	return call->source != NULL ? call->source->row : WinGetCurrentPosition(call->window);
}

/* Returns the argument `reset`, the flag that may change from row to row.  NULL is false. */
extern bool window_flag(WindowCall *call, int arg);

/*
 * Returns an argument that must not change within a partition.  The value lives as long as the partition.  Raises an
 * error that contains `name` if the argument has changed.
 */
extern NullableDatum window_constant(WindowCall *call, WindowConstant *constant, int arg, const char *name);

/* As window_constant(); NULL is an error, too. */
extern Datum window_constant_not_null(WindowCall *call, WindowConstant *constant, int arg, const char *name);

/*
 * Returns the argument `max_gap`, argument 1, a number of rows; PG_INT64_MAX if it is NULL.  Raises an error if it is
 * negative.  `widen` converts it to int8; NULL: it is one.
 */
extern int64 window_max_gap(WindowCall *call, WindowConstant *constant, PGFunction widen);

static inline ScanExtent
window_extent(WindowCall *call, WindowConstant *constant, int arg)
{
	return DatumGetBool(window_constant_not_null(call, constant, arg, "exclusive")) ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE;
}

/* Returns a value of a type as text for messages, cut to 80 bytes. */
extern char *window_text(Oid type, Datum value, bool isnull);

/* Returns a value of argument `arg` as window_text() does. */
extern char *window_arg_text(WindowCall *call, int arg, Datum value, bool isnull);

#endif /* SCAN_FUNCTIONS_WINDOW_ARGUMENT_H */

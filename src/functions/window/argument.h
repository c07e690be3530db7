/*
 * argument.h: what the window functions share: their arguments, and their memory.
 *
 * Every function of functions/ runs in PostgreSQL's WindowAgg or in our PrefixScan
 * (column/call_context.h), is called for each row in order, and streams: it reads the
 * current row only, keeps its state in the partition's memory, and lets go of the
 * rows before it.  (functions/window/compact.c looks ahead, through WindowAgg's tuplestore.)
 */
#ifndef SCAN_FUNCTIONS_WINDOW_ARGUMENT_H
#define SCAN_FUNCTIONS_WINDOW_ARGUMENT_H

#include "postgres.h"

#include "fmgr.h"
#include "windowapi.h"

#include "column/call_context.h"
#include "column/memory.h"
#include "column/retained.h"
#include "cpu/cpu.h"

#define WINDOW_ARGS SCAN_CALL_ARGUMENTS

/*
 * An argument that must not change within a partition: `exclusive`, bounds,
 * tables.  Read at the first row, compared at the others.  Lives in the
 * partition's memory; zero bytes are an unread one.
 */
typedef struct WindowConstant
{
	bool		  read;
	bool		  isnull;
	Datum		  value;
	RetainedDatum copy;
} WindowConstant;

/*
 * A call in a query, for as long as the query's plan lives: what can be known
 * before its rows are.
 */
typedef struct WindowCall
{
	FunctionCallInfo fcinfo;
	WindowObject	 window;			  /* WindowAgg's, or NULL: */
	ScanCallContext *source;			  /* PrefixScan's */
	MemoryContext	 memory;			  /* the partition's: set by window_state */
	MemoryContext	 scratch;			  /* compact.c: the look ahead's */
	bool			 stable[WINDOW_ARGS]; /* a constant of the query: no need to look again */
	int8			 flag[WINDOW_ARGS];	  /* window_flag of a stable one: -1 not read yet, 0, 1 */
	RetainedType	 type[WINDOW_ARGS];
	const ScanOp	*op;	 /* scan_row.c: the line of the list */
	void			*detail; /* the function's own, in fn_mcxt */
} WindowCall;

/* The call's record, made at its first row, brought up to this row. */
extern WindowCall *window_call(FunctionCallInfo fcinfo);

/*
 * The partition's memory, of zero bytes at its first row.  Also marks the row, so
 * that the node forgets the ones before it, and sees to the mode of float
 * arithmetic: call it once a row.
 */
extern void *window_state(WindowCall *call, Size size);

/* The context that the partition's memory lives in. */
extern MemoryContext window_memory(const void *state);

static inline Datum
window_arg(WindowCall *call, int arg, bool *isnull)
{
	if (call->source != NULL)
	{
		*isnull = call->source->isnull[arg];
		return call->source->value[arg];
	}
	return WinGetFuncArgCurrent(call->window, arg, isnull);
}

/* Says, at every row, what the call keeps of the rows before: for another process to go on from
 * (column/call_context.h). */
static inline void
window_keeps(WindowCall *call, int which, RetainedDatum *datum, const RetainedType *type)
{
	if (call->source != NULL)
		call->source->kept[which] = (KeptDatum){datum, type};
}

static inline void
window_keeps_bytes(WindowCall *call, void *bytes, Size size)
{
	if (call->source == NULL)
		return;
	call->source->flat = bytes;
	call->source->flat_size = size;
}

/* The row's number in its partition, from 0. */
static inline int64
window_position(WindowCall *call)
{
	return call->source != NULL ? call->source->row : WinGetCurrentPosition(call->window);
}

/* `reset`, the flag that may change from row to row.  NULL is false. */
extern bool window_flag(WindowCall *call, int arg);

/* An argument that must not change; `name` is for the error that it did. */
extern Datum window_constant(WindowCall *call, WindowConstant *constant, int arg, const char *name, bool *isnull);

/* The same where NULL is an error. */
extern Datum window_constant_not_null(WindowCall *call, WindowConstant *constant, int arg, const char *name);

/* The same of a bound, which may be NULL. */
extern NullableDatum window_bound(WindowCall *call, WindowConstant *constant, int arg, const char *name);

static inline ScanExtent
window_extent(WindowCall *call, WindowConstant *constant, int arg)
{
	return DatumGetBool(window_constant_not_null(call, constant, arg, "exclusive")) ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE;
}

/* A value of argument `arg` as text, for messages. */
extern char *window_arg_text(WindowCall *call, int arg, Datum value, bool isnull);

#endif /* SCAN_FUNCTIONS_WINDOW_ARGUMENT_H */

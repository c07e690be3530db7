/*
 * window.h: what the files of functions/window/ share, and no other folder uses.
 *
 * argument.h reads the arguments of a call; functions/match/ does so too.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_WINDOW_H
#define SCAN_FUNCTIONS_WINDOW_WINDOW_H

#include "postgres.h"

#include "functions/window/argument.h"

/*
 * scan_row.c: one row of a window function whose accumulator belongs to an operation of list.h.
 *
 * The entry points read the row's arguments by argument.h and then call window_step(), which adds the row to the
 * partition's scan.
 */

/* How an entry point describes itself: its line of list.h, and the conversions of its SQL types. */
typedef struct WindowLine
{
	ScanOpId line;
	void (*in)(Datum d, void *x); /* value of a Datum; NULL: the entry point converts */
	Datum (*out)(const void *y);
} WindowLine;

/* The state of a partition: the scan, the constants that were read, and the operation's parameters. */
typedef struct WindowScan
{
	bool		   started;
	WindowConstant constant[3];
	ContextMemory  memory; /* the partition's memory, for parameters that need some */
	RetainedDatum  at;	   /* the last time of scan_ema, if it is numeric */
	union
	{
		ClampParam		  clamp;
		ClampedFloatParam clamped_float;
		BinParam		  bin;
		BinFloatParam	  bin_float;
		CarryParam		  carry;
		RecurrenceParam	  recurrence;
		FilterParam		  filter;
		EmaParam		  ema;
		EmaByTimeParam	  ema_by_time;
		ProductParam	  product;
	} param;
	ScanCarry carry; /* must be last: the accumulator follows */
} WindowScan;

/* Returns the partition's scan.  Sets *first to true at the partition's first row. */
extern WindowScan *window_scan(WindowCall *call, const WindowLine *line, bool *first);

/*
 * Lets PrefixScan run rows as jobs whose columns are the first n arguments, unconverted.  `heads` is true if a
 * partition begins as a segment does, so that one job may span partitions.
 */
static inline void
window_columns(WindowCall *call, int n, bool heads)
{
	if (call->source != NULL)
	{
		call->source->columns = n;
		call->source->heads = heads;
	}
}

/* Adds one row, returns its result.  `x` points to the row's value, NULL for an SQL NULL; `head` starts a segment. */
extern Datum window_step(WindowCall *call, WindowScan *scan, const WindowLine *line, const void *param, const void *x,
						 bool head, ScanExtent extent);

#define WINDOW_CONSTANTS lengthof(((WindowScan *) NULL)->constant)

/* What the arguments of f(value, constant, ..., reset) are. */
typedef struct WindowSignature
{
	struct
	{
		const char *name;		 /* NULL: there are no more constants */
		bool		may_be_null; /* else NULL is an error */
	} constant[WINDOW_CONSTANTS];

	/* Sets the operation's parameters from the constants, at a partition's first row. */
	void (*read)(WindowCall *call, WindowScan *scan, const NullableDatum *constant);
	void (*check)(WindowCall *call, Datum value); /* raises an error if the function does not take it; NULL: none */
} WindowSignature;

/* Evaluates a row of f(value, constant, ..., reset). */
extern Datum window_row(FunctionCallInfo fcinfo, const WindowLine *line, const WindowSignature *signature);

/* Defines the entry point of such a function: scan_NAME(), by the line of its name. */
#define WINDOW_ROW(NAME, TYPE, RESULT, SIGNATURE)                                              \
	PG_FUNCTION_INFO_V1(scan_##NAME);                                                          \
	Datum scan_##NAME(PG_FUNCTION_ARGS)                                                        \
	{                                                                                          \
		static const WindowLine line = {SCAN_OP_##NAME, datum_to_##TYPE, datum_from_##RESULT}; \
                                                                                               \
		return window_row(fcinfo, &line, &SIGNATURE);                                          \
	}

/* ema.c: returns the argument `alpha`, a float8.  Raises an error unless it is above 0 and at most 1. */
extern double ema_alpha(Datum alpha);

/*
 * fill.c and lag.c: how far a window function has read ahead of the current row, and the next row ahead.
 *
 * Each row of a segment is read ahead once, and in order, as PrefixScan demands (window_ahead()).  A row that begins a
 * segment, and the end of the partition, are walls: nothing behind a wall is read before the row in front of it has
 * been returned.
 */

/* How far a partition was read ahead.  Zero bytes but for `found` and `wall`, which ahead_row() sets. */
typedef struct Ahead
{
	bool  started;
	int64 next;	 /* the first row that was not read ahead */
	int64 wall;	 /* the row ahead that begins a segment, or the partition's end; -1: none was met */
	int64 found; /* the last row ahead that has a value; -1: there was none */
} Ahead;

#define AHEAD_END PG_INT64_MAX

/* Called at each row first.  Returns the row's position. */
static inline int64
ahead_row(WindowCall *call, Ahead *ahead)
{
	int64 row = window_position(call);

	if (!ahead->started)
		ahead->wall = ahead->found = -1;
	ahead->started = true;
	if (row >= ahead->wall)
		ahead->wall = -1;
	ahead->next = Max(ahead->next, row + 1);
	return row;
}

/*
 * Reads the value of the next row ahead, which has then been read.  Returns false, and has met a wall, if the row
 * begins a segment or if there is none.
 */
static inline bool
ahead_value(WindowCall *call, Ahead *ahead, int reset, Datum *value, bool *isnull)
{
	bool is_out = false;
	bool head;

	*value = (Datum) 0;
	if (call->stable[reset])
		head = window_flag(call, reset);
	else
		head = DatumGetBool(window_ahead(call, reset, ahead->next, false, isnull, &is_out)) && !*isnull && !is_out;
	if (head)
		ahead->wall = ahead->next;
	else
		*value = window_ahead(call, 0, ahead->next, false, isnull, &is_out);
	if (is_out)
		ahead->wall = AHEAD_END;
	if (ahead->wall >= 0)
		return false;
	ahead->next++;
	return true;
}

#endif /* SCAN_FUNCTIONS_WINDOW_WINDOW_H */

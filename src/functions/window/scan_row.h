/*
 * scan_row.h: one row of a window function whose accumulator belongs to an operation of list.h.
 *
 * The entry points read the row's arguments by argument.h and then call window_step(), which adds the row to the
 * partition's scan.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_SCAN_ROW_H
#define SCAN_FUNCTIONS_WINDOW_SCAN_ROW_H

#include "postgres.h"

#include "functions/window/argument.h"

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

#endif /* SCAN_FUNCTIONS_WINDOW_SCAN_ROW_H */

/*
 * scan_row.h: a row of a window function whose accumulator lives in the algebra.
 *
 * The entry points read the row's arguments (argument.h), and take the row into the
 * partition's scan here.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_SCAN_ROW_H
#define SCAN_FUNCTIONS_WINDOW_SCAN_ROW_H

#include "postgres.h"

#include "functions/window/argument.h"

/* What an entry point knows: its line of list.h, and the conversions of its SQL types. */
typedef struct WindowLine
{
	ScanOpId line;
	void (*in)(Datum d, void *x); /* NULL: the entry point reads its values itself */
	Datum (*out)(const void *y);
} WindowLine;

/*
 * The scan of a partition whose accumulator lives in the algebra: the constants it
 * has read, and its parameters, in the partition's memory.
 */
typedef struct WindowScan
{
	bool		   started;
	WindowConstant constant[3];
	ContextMemory  memory; /* the partition's, for parameters that ask for it */
	union
	{
		ClampParam		  clamp;
		ClampedFloatParam clamped_float;
		CarryParam		  carry;
		RecurrenceParam	  recurrence;
		FilterParam		  filter;
		EmaParam		  ema;
		EmaByTimeParam	  ema_by_time;
		ProductParam	  product;
	} param;
	ScanCarry carry; /* must be last: the accumulator follows it */
} WindowScan;

/* The partition's scan.  At its first row *first comes out true. */
extern WindowScan *window_scan(WindowCall *call, const WindowLine *line, bool *first);

/*
 * Lets the node take rows as jobs whose columns are the first n arguments, as they are.
 * `heads`: all that is new in a partition is what is new in a segment.
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

/* Takes one row, x its values (NULL for a NULL), and gives the answer there. */
extern Datum window_step(WindowCall *call, WindowScan *scan, const WindowLine *line, const void *param, const void *x,
						 bool head, ScanExtent extent);

#endif /* SCAN_FUNCTIONS_WINDOW_SCAN_ROW_H */

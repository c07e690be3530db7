/*
 * running.h: the recurrence (op/recurrence.h) of a window function's segment: what
 * scan_recurrence, scan_filter and scan_ema have in common.
 */
#ifndef SCAN_CALL_RUNNING_H
#define SCAN_CALL_RUNNING_H

#include "postgres.h"

#include "call/window.h"
#include "op/recurrence.h"

/* Lives in the partition's memory, as all it points to; zero bytes are a new one. */
typedef struct Running
{
	bool	   any;	  /* a row has been applied since the head */
	uint64	  *exact; /* the memory of r.exact */
	Recurrence r;
} Running;

/* Starts a segment of order k from init[0 .. k - 1], newest first; what memory there is stays. */
extern void running_start(Running *running, int order, const double *init);

/* The answer with one more row, coefficients a[0 .. k - 1]; raises the row's error. */
extern double running_apply(WindowCall *call, Running *running, const double *a, double b);

/* More room for a chunk's rows, `width` doubles each: 16 at first, 4096 at most. */
extern void running_grow_rows(WindowCall *call, double **rows, int32 *room, int width);

/* More room for exact numbers; *memory is what they had, NULL at first. */
extern void running_grow_exact(WindowCall *call, LongWindow *exact, int order, uint64 **memory);

/* The elements of a one-dimensional float8[] without NULLs; `name` is for the errors. */
extern const double *vector_of_array(Datum value, const char *name, int *n);

#endif /* SCAN_CALL_RUNNING_H */

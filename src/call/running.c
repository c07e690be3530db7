/*
 * running.c: the recurrence of a window function's segment: its memory, and its
 * errors.
 *
 * The ladder asks for room when it needs it: 16 rows of a chunk at first, so that
 * many small partitions stay small, and at most 4096; long integers hardly ever.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/memutils.h"

#include "call/running.h"
#include "error.h"

void
running_grow_rows(WindowCall *call, double **rows, int32 *room, int width)
{
	*room = Min(Max(16, 2 * *room), RECURRENCE_CHUNK);
	if (*rows == NULL)
		*rows = MemoryContextAlloc(call->memory, (Size) *room * width * sizeof(double));
	else
		*rows = repalloc(*rows, (Size) *room * width * sizeof(double));
}

void
running_grow_exact(WindowCall *call, LongWindow *exact, int order, uint64 **memory)
{
	int		capacity = exact->wanted + exact->wanted / 2;
	uint64 *larger = MemoryContextAllocHuge(call->memory, (Size) (order + 1) * capacity * sizeof(uint64));

	long_window_move(exact, order, larger, capacity);
	if (*memory != NULL)
		pfree(*memory);
	*memory = larger;
}

void
running_start(Running *running, int order, const double *init)
{
	running->any = false;
	recurrence_start(&running->r, order, init);
}

double
running_apply(WindowCall *call, Running *running, const double *a, double b)
{
	Recurrence *r = &running->r;
	ScanStatus	status;

	while ((status = recurrence_step(r, a, b)) == SCAN_NEEDS_ROOM)
		if (r->pending)
			running_grow_exact(call, &r->exact, r->order, &running->exact);
		else
			running_grow_rows(call, &r->rows, &r->room, r->order + 1);
	if (status != SCAN_OK)
		scan_raise(status);
	running->any = true;
	return r->y[0];
}

const double *
vector_of_array(Datum value, const char *name, int *n)
{
	ArrayType *array = DatumGetArrayTypeP(value);

	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("argument \"%s\" must have one dimension, not %d", name, ARR_NDIM(array))));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"%s\" must not contain NULL", name)));
	*n = ARR_DIMS(array)[0];
	return (const double *) ARR_DATA_PTR(array);
}

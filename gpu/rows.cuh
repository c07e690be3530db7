/*
 * rows.cuh: the steps "lay" and "show" of a recurrence, which take one thread per row (see recurrence.cuh).
 */
#ifndef SCAN_GPU_ROWS_CUH
#define SCAN_GPU_ROWS_CUH

#include "recurrence.cuh"

/* ---- lay ---- */

/* Flags the rows that begin a chunk: every segment's first valid row and each 4096 after it; the column's first. */
__global__ void
recurrence_flag(const __grid_constant__ RecurrenceArgs a)
{
	int64_t i = thread_row();

	if (i < a.n)
		a.flag[i] = row_is_valid(a, i) && ((since_at(a, i) - 1) % RECURRENCE_CHUNK == 0 || rank_at(a, i) == 1);
}

/* Copies each valid row to its position among the valid rows, and fills in its chunk if the row begins one. */
__global__ void
recurrence_lay(const __grid_constant__ RecurrenceArgs a)
{
	int64_t i = thread_row();
	int64_t at;

	if (i >= a.n || !row_is_valid(a, i))
		return;
	at = rank_at(a, i) - 1;
	if (a.lay_a != NULL)
		for (int j = 0; j < a.order; j++)
			a.lay_a[at * a.order + j] = a.in_a[i * a.order + j];
	if (a.lay_b != NULL)
		a.lay_b[at] = a.in_b[i];
	if (a.flag[i])
	{
		Chunk *chunk = &a.chunks[a.chunk[i] - 1];

		chunk->first = at;
		chunk->segment = since_at(a, i) == 1;
	}
}

/* Fills in the chunks of a column that is one segment without NULLs. */
__global__ void
recurrence_lay_even(const __grid_constant__ RecurrenceArgs a)
{
	int64_t chunk = thread_row();
	int64_t before = a.any ? a.serialized.count % RECURRENCE_CHUNK : 0; /* rows of the first chunk in earlier jobs */

	if (chunk >= a.even)
		return;
	a.chunks[chunk].first = chunk == 0 ? 0 : chunk * RECURRENCE_CHUNK - before;
	a.chunks[chunk].segment = chunk == 0 && !a.any;
}

/* ---- show ---- */

/* *y := the answer after row i, or 0 if there is none; returns true if there is one. */
__device__ inline bool
answer_after(const RecurrenceArgs &a, int64_t i, double *y)
{
	if (i < 0)
		*y = a.pending;
	else if (since_at(a, i) > 0)
		*y = rank_at(a, i) > 0 ? a.y[rank_at(a, i) - 1] : a.pending;
	else
		*y = 0.0;
	return i < 0 ? a.any : since_at(a, i) > 0;
}

__global__ void
recurrence_show(const __grid_constant__ RecurrenceArgs a)
{
	int64_t	 i = thread_row();
	bool	 valid = true;
	uint32_t word;

	if (i < a.n)
	{
		double y = 0.0;

		if (a.exclusive)
			valid = !row_is_head(a, i) && answer_after(a, i - 1, &y);
		else
			valid = answer_after(a, i, &y);
		a.out[i] = y;
		if (!valid)
			a.answer->result.has_nulls = 1;
	}
	word = warp_ballot(valid);
	if (i < a.n && i % 32 == 0)
		a.out_valid[i / 32] = word;
	if (i == a.n - 1)
		a.answer->any = answer_after(a, i, &a.answer->pending);
}

#endif /* SCAN_GPU_ROWS_CUH */

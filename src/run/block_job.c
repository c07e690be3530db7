/*
 * block_job.c: see block_job.h.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "op/bits.h"
#include "run/block_job.h"
#include "run/run.h"

/* Returns a bitmap of n rows with all bits set. */
static uint8 *
job_bits(int64 n)
{
	uint8 *bits = (uint8 *) palloc_extended(n / 8 + 1, MCXT_ALLOC_HUGE);

	memset(bits, 0xff, n / 8 + 1);
	return bits;
}

const void *
job_column(const Column *column, int64 i, int64 n, size_t size)
{
	char *values;

	if (column->by_value && column->stride == size)
		return column->value + i * size;
	values = (char *) palloc_extended(n * size, MCXT_ALLOC_HUGE);
	FOR_INTERRUPTIBLE (r, 0, n)
	{
		bool  isnull;
		Datum value = column_get(column, i + r, &isnull);

		if (isnull)
			memset(values + r * size, 0, size);
		else if (column->by_value)
			store_att_byval(values + r * size, value, size);
		else
			memcpy(values + r * size, DatumGetPointer(value), size);
	}
	return values;
}

uint8 *
job_valid(uint8 *valid, const Column *column, int64 i, int64 n)
{
	if (!column->has_nulls)
		return valid;
	if (valid == NULL)
		valid = job_bits(n);
	FOR_INTERRUPTIBLE (r, 0, n)
		if (column_is_null(column, i + r))
			scan_bit_put(valid, r, false);
	return valid;
}

const uint8 *
job_heads(const Block *block, const Column *reset, int64 i, int64 n)
{
	uint8 *heads;

	if (reset == NULL && memchr(block->head + i, true, n) == NULL)
		return NULL;
	heads = (uint8 *) palloc0(n / 8 + 1);
	FOR_INTERRUPTIBLE (r, i, i + n)
	{
		if (block->head[r] || (reset != NULL && !column_is_null(reset, r) && DatumGetBool(column_datum(reset, r))))
			scan_bit_put(heads, r - i, true);
	}
	return heads;
}

void
job_run(ScanJob *job)
{
	job->out = palloc_extended(job->n * job->op->out_size, MCXT_ALLOC_HUGE);
	job->out_valid = job_bits(job->n);
	scan_run(job);
}

int64
job_block_rows(const ScanJob *job)
{
	int64 rows = scan_run_rows(job);

	return rows == SCAN_BATCH ? 1 : rows;
}

/*
 * true_counts.c: see true_counts.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "column/stretch.h"
#include "op/lines.h"
#include "run/block_job.h"
#include "run/run.h"
#include "run/true_counts.h"

/* The nanoseconds that the loops of the caller take for a row, which counts in passing. */
#define COUNT_NS 1.0

TrueCounts
true_counts_create(MemoryContext query)
{
	return (TrueCounts){.memory = AllocSetContextCreate(query, "scan job", ALLOCSET_DEFAULT_SIZES)};
}

void
true_counts_make(TrueCounts *counts, const Column *bits, const Block *block, int64 from)
{
	ScanJob job = {
		.op = scan_op_at(SCAN_OP_count_bool), .extent = SCAN_EXCLUSIVE, .n = block->n - from, .permutes = true};
	MemoryContext old;
	bool		 *flag;

	MemoryContextReset(counts->memory);
	counts->before = NULL;
	counts->from = from;
	if (job.n < JOB_LEAST || !scan_run_is_faster(job.op, job.n, COUNT_NS))
		return;
	old = MemoryContextSwitchTo(counts->memory);
	job.carry = (ScanCarry *) palloc(scan_carry_size(job.op));
	scan_carry_start(job.op, job.carry);
	/* a boolean of a damaged page may be neither 0 nor 1, and the counts are positions in memory */
	job.in = flag = (bool *) job_room(job.n);
	FOR_INTERRUPTIBLE (i, from, block->n)
		flag[i - from] = bit_at(bits, i);
	job_run(&job);
	MemoryContextSwitchTo(old);
	counts->before = (const int64 *) job.out;
}

int64
true_counts_preferred_rows(void)
{
	return job_block_rows(scan_op_at(SCAN_OP_count_bool), NULL, COUNT_NS);
}

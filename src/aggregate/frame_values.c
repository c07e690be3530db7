/*
 * frame_values.c: the values of a block's frames, and the results over them that a job has computed, for refold.c.
 *
 * A block's frames become a job (run/run.h) without the NULLs and the rows that a FILTER rejects, so a frame is one
 * stretch of values, unless there is an EXCLUDE.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "aggregate/internal.h"
#include "run/block_job.h"
#include "run/run.h"

/* Times of loops over frames with fewer values on average are mostly those of rows. */
#define TIMED_VALUES 64

Lanes *
lanes_of_rows(Aggregate *aggregate, int64 row, int64 rows, size_t size)
{
	Lanes *lanes = (Lanes *) aggregate->sliding_state;
	Pool  *pool = aggregate->f.result.pool;

	if (lanes == NULL)
		lanes = aggregate->sliding_state = MemoryContextAllocZero(aggregate->f.query, sizeof(Lanes));
	if (rows >= lanes->capacity)
	{
		pool_free(pool, lanes->place);
		pool_free(pool, lanes->value);
		lanes->capacity = Max(rows + 1, 2 * lanes->capacity);
		lanes->place = (int64 *) pool_alloc(pool, lanes->capacity * sizeof(int64));
		lanes->value = pool_alloc(pool, lanes->capacity * size);
	}
	lanes->row = row;
	lanes->largest = 0;
	return lanes;
}

void
lanes_run_job(Aggregate *aggregate, Lanes *lanes, const Block *block, int64 values, const LanesKind *kind)
{
	bool		  squares = kind->average || kind->line == SCAN_OP_frame_squares_float8;
	ScanJob		  job = {.op = scan_op_at(kind->line), .n = block->n - block->begin, .values = values};
	ScanFrame	 *frame;
	int64		  total = 0;
	MemoryContext old;

	lanes->answered = block->begin;
	if (job.n < JOB_LEAST || (aggregate->f.needs & NEEDS_EXCLUSION) || values > PG_UINT32_MAX ||
		(squares && !(lanes->largest < LARGEST)) || !scan_may_be_offered())
		return;
	if (lanes->memory == NULL)
		lanes->memory = AllocSetContextCreate(aggregate->f.query, "scan job", ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(lanes->memory);
	old = MemoryContextSwitchTo(lanes->memory);
	frame = (ScanFrame *) palloc_extended(job.n * sizeof(ScanFrame), MCXT_ALLOC_HUGE);
	FOR_INTERRUPTIBLE (i, 0, job.n)
	{
		Run run[FRAME_PARTS];

		runs_of_frame(lanes, block, block->begin + i, run);
		frame[i] = (ScanFrame){(uint32) run[0].from, (uint32) (run[0].from + run[0].n)};
		total += run[0].n;
	}
	job.in = lanes->value;
	job.in2 = frame;
	job.made_ns = FRAME_MADE_NS;
	job.frame_values = (double) total / job.n;
	if (aggregate->f.preferred_rows <= 1)
		aggregate->f.preferred_rows = job_block_rows(
			&(ScanJob){.op = job.op,
					   .n = PG_INT32_MAX,
					   .frame_values = Max((double) aggregate->f.frame_rows, job.frame_values),
					   .made_ns = FRAME_MADE_NS});
	job_run(&job);
	MemoryContextSwitchTo(old);
	lanes->answer = job.out;
	lanes->answered = block->begin + job.done;
}

void
loop_ends(const LoopTime *time, int64 rows, const LanesKind *kind)
{
	instr_time end;

	if (time->values < TIMED_VALUES * rows || !scan_may_be_offered())
		return;
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, time->start);
	frames_took(scan_op_at(kind->line), INSTR_TIME_GET_DOUBLE(end) * 1e9, time->values);
}

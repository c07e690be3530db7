/*
 * device_running.c: aggregates over frames that only grow as jobs (cpu/cpu.h), for a device.
 *
 * Called by aggregate.c for operations that have a line of list.h.  Their typed loops take about as long for a row as
 * storing an answer that a device computed.  So a block becomes a job only if a device takes it.  The answers then pass
 * through the state of the operation, from which either way of evaluating the next block continues.  Answers that came
 * with the sort of all rows (node/evaluate/sort_scans.h) are stored in the same way.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "aggregate/device_running.h"
#include "aggregate/job.h"
#include "aggregate/number_op.h"
#include "cpu/sorted.h"

/* What a row costs in a typed loop beyond storing a result, in ns: the transition. */
#define TRANSITION_NS 1.0

typedef struct Offload
{
	MemoryContext memory; /* memory context of a block's job; reset before the next block */
	ScanJob		  job;	  /* the block's job, which holds the answers */
	int64		  from;	  /* row of the block that is the job's row 0 */

	/* what show_answers() stores for a block */
	const ScanJob *shown;  /* the job that holds the answers */
	int64		   first;  /* the answer of the block's row i is at first + i */
	const uint8	  *valid;  /* bitmap of the rows that go in, from row `from` on; NULL: all rows */
	bool		   counts; /* true if the rows that go in are counted; false: a count of 1 stands for any rows */
} Offload;

/* True if an operation's answers are values like its input: extremes and bits, but not totals. */
static bool
line_folds(const ScanOp *op)
{
	return op->in_size == op->out_size;
}

/* ---- a block as a job ---- */

/* Returns the carry that the rows before the block leave to the block. */
static ScanCarry *
carry_of(const NumberState *state, const ScanOp *op)
{
	ScanCarry *carry = (ScanCarry *) palloc(scan_carry_size(op));
	int64	   value;

	scan_carry_start(op, carry);
	if (state->count == 0)
		return carry;
	carry->any = true;
	if (line_folds(op))
	{
		store_att_byval(&value, state->total.datum, op->in_size);
		op->lift(NULL, &value, 0, carry->acc);
	}
	else
		memcpy(carry->acc, op->line == SCAN_OP_count_bool ? (const void *) &state->count : &state->total, op->acc_size);
	/* the answer of a row without a value */
	carry->pending_status = op->lower(NULL, carry->acc, carry->acc, 0, &carry->pending);
	return carry;
}

/*
 * True if a device has answered the block's rows from i on.  Returns false if a row has an error, which the aggregate
 * raises when it comes to that row.
 */
static bool
block_is_answered(const Aggregate *aggregate, Offload *offload, const Block *block, int64 i)
{
	ScanJob		 *job = &offload->job;
	MemoryContext old;

	MemoryContextReset(offload->memory);
	offload->from = i;
	job->n = block->n - i;
	if (job->n < JOB_LEAST || !scan_run_leaves(job->op, job->n, TRANSITION_NS))
		return false;
	old = MemoryContextSwitchTo(offload->memory);
	job->carry = carry_of((const NumberState *) aggregate->state, job->op);
	job->in = job_values(aggregate, block, job->op, i, job->n);
	job->valid = job_rows(aggregate, block, i, job->n);
	job->heads = job_heads(block, NULL, i, job->n);
	job_run(job);
	MemoryContextSwitchTo(old);
	offload->shown = job;
	offload->first = -i;
	offload->valid = job->valid;
	offload->counts = true;
	return job->status == SCAN_OK;
}

/* ---- with the sort of all rows ---- */

static bool
offer(Aggregate *aggregate, SortedScan *scan)
{
	Offload *offload = (Offload *) aggregate->device;
	bool	 counts = offload->job.op->line == SCAN_OP_count_bool;

	MemoryContextReset(offload->memory);
	scan->job = offload->job;
	scan->job.carry = (ScanCarry *) MemoryContextAlloc(offload->memory, scan_carry_size(offload->job.op));
	scan_carry_start(offload->job.op, scan->job.carry);
	if (aggregate->call.arguments > 0 && counts)
		scan->present = aggregate->argument[0];
	else if (aggregate->call.arguments > 0)
		scan->in = aggregate->argument[0];
	scan->filter = aggregate->filter;
	scan->cpu_ns = TRANSITION_NS;
	aggregate->counts = (aggregate->op->traits & AGGREGATE_MEAN) != 0;
	return true;
}

/* Has the block's answers that came with the sort stored, from row i on. */
static void
show_sorted(const Aggregate *aggregate, Offload *offload, const Block *block, int64 i)
{
	MemoryContext old;

	offload->shown = &aggregate->answers->job;
	offload->first = block->first;
	offload->from = i;
	offload->counts = (aggregate->op->traits & AGGREGATE_MEAN) != 0;
	MemoryContextReset(offload->memory);
	old = MemoryContextSwitchTo(offload->memory);
	offload->valid = aggregate->counts ? job_rows(aggregate, block, i, block->n - i) : NULL;
	MemoryContextSwitchTo(old);
}

/* ---- the answers ---- */

/* Makes the job's answer i the transition value. */
static void
take_answer(NumberState *state, const ScanJob *job, int64 i)
{
	const char *answer = (const char *) job->out + i * job->op->out_size;

	if (line_folds(job->op))
		state->total.datum = fetch_att(answer, true, job->op->out_size);
	else
		memcpy(job->op->line == SCAN_OP_count_bool ? (void *) &state->count : &state->total, answer, job->op->out_size);
}

/* Takes the values of rows `from` to `end` - 1, which are of one unit, into the count. */
static void
count_rows(NumberState *state, const Offload *offload, const Block *block, int64 from, int64 end)
{
	if (!offload->counts)
		return;
	FOR_INTERRUPTIBLE (i, from, end)
		state->count += offload->valid == NULL || scan_bit(offload->valid, i - offload->from);
}

/* Stores the results of units to the end of the block, or of fewer units where results take memory. */
static int64
show_answers(Aggregate *aggregate, const Block *block, int64 done)
{
	NumberState	  *state = (NumberState *) aggregate->state;
	const Offload *offload = (const Offload *) aggregate->device;
	const ScanJob *job = offload->shown;
	bool		   zero = (aggregate->op->traits & AGGREGATE_ZERO) != 0;
	int64		   stop = aggregate_stop(aggregate, block, done);
	MemoryContext  old = MemoryContextSwitchTo(aggregate->scratch);

	do
	{
		int64 from = done;
		bool  isnull;
		Datum value = 0;

		done = block_result_end(block, aggregate->lookahead, from);
		stretch_row(from);
		if (block->head[from])
			number_empty(aggregate);
		count_rows(state, offload, block, from, done);
		isnull = job->has_nulls && !scan_bit(job->out_valid, offload->first + done - 1);
		/* without values the result is NULL, whatever a device answers: an average has nothing to divide by */
		isnull = isnull || (offload->counts && state->count == 0 && !zero);
		if (!isnull)
		{
			if (!offload->counts)
				state->count = 1;
			take_answer(state, job, offload->first + done - 1);
			(void) aggregate->op->final(aggregate, &value);
		}
		result_put_rows(aggregate->result, from, done, value, isnull);
	} while (done < stop);
	MemoryContextSwitchTo(old);
	MemoryContextReset(aggregate->scratch);
	return done;
}

/* Chooses how a block's rows are evaluated. */
static AggregateRows
begin_block(Aggregate *aggregate, const Block *block, int64 done)
{
	Offload *offload = (Offload *) aggregate->device;
	bool	 known = block->accumulated[aggregate->lookahead];

	if (aggregate->answers != NULL && !known)
	{
		show_sorted(aggregate, offload, block, done);
		return show_answers;
	}
	if (aggregate->preferred_rows == 0 && aggregate->answers == NULL)
		aggregate->preferred_rows = job_block_rows(offload->job.op, NULL, TRANSITION_NS);
	return aggregate->answers == NULL && !known && block_is_answered(aggregate, offload, block, done)
			   ? show_answers
			   : aggregate->op->running;
}

void
device_running_start(Aggregate *aggregate)
{
	Offload *offload;

	if (aggregate->call.line == SCAN_OP_none || aggregate->late != NULL)
		return;
	offload = (Offload *) MemoryContextAllocZero(aggregate->query, sizeof(Offload));
	offload->memory = AllocSetContextCreate(aggregate->query, "scan job", ALLOCSET_DEFAULT_SIZES);
	offload->job.op = scan_op_at(aggregate->call.line);
	aggregate->device = offload;
	aggregate->begin = begin_block;
	aggregate->offer = offer;
}

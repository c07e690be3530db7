/*
 * scans.c: see scans.h.
 *
 * Over frames that only grow, the typed loop of an operation takes about as long for a row as storing a result that a
 * job computed.  So a block becomes a job only if run.h expects the job to be faster than the loop, which it never is
 * on the CPU.  The results then pass through the state of the operation, from which either way of evaluating the next
 * block continues.  Results that came with the sort of all rows (RowFunction.fused) are stored in the same way.
 *
 * Over sliding frames, prefix_difference.c and segment_tree.h ask run/sliding_scans.h for the block's scans.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "aggregate/number_op.h"
#include "aggregate/scans.h"
#include "aggregate/strategies.h"
#include "cpu/fused_scan.h"
#include "run/block_job.h"
#include "run/run.h"
#include "run/sliding_scans.h"

/* What a row costs in a typed loop beyond storing a result, in ns: the transition. */
#define TRANSITION_NS 1.0

struct RunningScan
{
	MemoryContext memory; /* memory context of a block's job; reset before the next block */
	ScanJob		  job;	  /* the block's job, which holds the results */
	int64		  from;	  /* row of the block that is the job's row 0 */

	EvaluateRows evaluate; /* evaluates the current block */

	/* what show_answers() stores for a block */
	const ScanJob *shown;  /* the job that holds the results */
	int64		   first;  /* the result of the block's row i is at first + i */
	const uint8	  *valid;  /* bitmap of the rows that go in, from row `from` on; NULL: all rows */
	bool		   counts; /* true if the rows that go in are counted; false: a count of 1 stands for any rows */
};

/* True if an operation's results are values like its input: extremes and bits, but not totals. */
static bool
line_folds(const ScanOp *op)
{
	return op->in_size == op->out_size;
}

/* Returns the column of the argument; -1: there is none. */
static int
argument_of(const Aggregate *aggregate)
{
	return aggregate->call.arguments > 0 ? aggregate->f.argument[0] : -1;
}

/* ---- frames that only grow: a block as a job ---- */

/* Returns the carry that the rows before the block leave to the block. */
static ScanCarry *
scans_carry(const NumberState *state, const ScanOp *op)
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
	/* the result of a row without a value */
	carry->pending_status = op->lower(NULL, carry->acc, carry->acc, 0, &carry->pending);
	return carry;
}

/*
 * True if a job has computed the block's rows from i on.  Returns false if a row has an error, which the aggregate
 * raises when it comes to that row.
 */
static bool
block_is_answered(const Aggregate *aggregate, RunningScan *running, const Block *block, int64 i)
{
	ScanJob		 *job = &running->job;
	MemoryContext old;

	MemoryContextReset(running->memory);
	running->from = i;
	job->n = block->n - i;
	if (job->n < JOB_LEAST || !scan_run_is_faster(job->op, job->n, TRANSITION_NS))
		return false;
	old = MemoryContextSwitchTo(running->memory);
	job->carry = scans_carry((const NumberState *) aggregate->f.state, job->op);
	job->in = job_values(block, argument_of(aggregate), job->op, i, job->n);
	job->valid = job_rows(block, argument_of(aggregate), aggregate->f.filter, i, job->n);
	job->heads = job_heads(block, NULL, i, job->n);
	job_run(job);
	MemoryContextSwitchTo(old);
	running->shown = job;
	running->first = -i;
	running->valid = job->valid;
	running->counts = true;
	return job->status == SCAN_OK;
}

/* ---- frames that only grow: with the sort of all rows ---- */

static bool
offer_running(RowFunction *f, const Rows *rows, const Rows *all, bool segmented, FusedScan *scan)
{
	Aggregate	*aggregate = aggregate_of(f);
	RunningScan *running = aggregate->running_scan;
	bool		 counts = running->job.op->line == SCAN_OP_count_bool;

	MemoryContextReset(running->memory);
	scan->job = running->job;
	scan->job.carry = (ScanCarry *) MemoryContextAlloc(running->memory, scan_carry_size(running->job.op));
	scan_carry_start(running->job.op, scan->job.carry);
	if (aggregate->call.arguments > 0 && counts)
		scan->present = aggregate->f.argument[0];
	else if (aggregate->call.arguments > 0)
		scan->in = aggregate->f.argument[0];
	scan->filter = aggregate->f.filter;
	scan->cpu_ns = TRANSITION_NS;
	aggregate->f.counts = (aggregate->op->traits & AGGREGATE_MEAN) != 0;
	return true;
}

/* Has the block's results that came with the sort stored, from row i on. */
static void
show_sorted(const Aggregate *aggregate, RunningScan *running, const Block *block, int64 i)
{
	MemoryContext old;

	running->shown = &aggregate->f.fused->job;
	running->first = block->first;
	running->from = i;
	running->counts = (aggregate->op->traits & AGGREGATE_MEAN) != 0;
	MemoryContextReset(running->memory);
	old = MemoryContextSwitchTo(running->memory);
	running->valid = aggregate->f.counts ? job_rows(block, argument_of(aggregate), aggregate->f.filter, i, block->n - i)
										 : NULL;
	MemoryContextSwitchTo(old);
}

/* ---- frames that only grow: the results ---- */

/* Makes the job's result i the transition value. */
static void
take_answer(NumberState *state, const ScanJob *job, int64 i)
{
	const char *result = (const char *) job->out + i * job->op->out_size;

	if (line_folds(job->op))
		state->total.datum = fetch_att(result, true, job->op->out_size);
	else
		memcpy(job->op->line == SCAN_OP_count_bool ? (void *) &state->count : &state->total, result, job->op->out_size);
}

/* Takes the values of rows `from` to `end` - 1, which are of one unit, into the count. */
static void
count_rows(NumberState *state, const RunningScan *running, const Block *block, int64 from, int64 end)
{
	if (!running->counts)
		return;
	FOR_INTERRUPTIBLE (i, from, end)
		state->count += running->valid == NULL || scan_bit(running->valid, i - running->from);
}

/* Stores the results of units to the end of the block, or of fewer units where results take memory. */
static int64
show_answers(RowFunction *f, const Block *block, int64 done)
{
	Aggregate		  *aggregate = aggregate_of(f);
	NumberState		  *state = (NumberState *) aggregate->f.state;
	const RunningScan *running = aggregate->running_scan;
	const ScanJob	  *job = running->shown;
	bool			   zero = (aggregate->op->traits & AGGREGATE_ZERO) != 0;
	int64			   stop = row_stop(&aggregate->f, block, done);
	MemoryContext	   old = MemoryContextSwitchTo(aggregate->f.scratch);

	do
	{
		int64 from = done;
		bool  isnull;
		Datum value = 0;

		done = block_result_end(block, aggregate->f.lookahead, from);
		stretch_row(from);
		if (block->head[from])
			number_empty(aggregate);
		count_rows(state, running, block, from, done);
		isnull = job->has_nulls && !scan_bit(job->out_valid, running->first + done - 1);
		/* without values the result is NULL, whatever a job returns: an average has nothing to divide by */
		isnull = isnull || (running->counts && state->count == 0 && !zero);
		if (!isnull)
		{
			if (!running->counts)
				state->count = 1;
			take_answer(state, job, running->first + done - 1);
			(void) aggregate->op->final(aggregate, &value);
		}
		result_put_rows(&aggregate->f.result, from, done, value, isnull);
	} while (done < stop);
	MemoryContextSwitchTo(old);
	MemoryContextReset(aggregate->f.scratch);
	return done;
}

/* Returns what evaluates a block, from row `done` on. */
static EvaluateRows
choose(Aggregate *aggregate, const Block *block, int64 done)
{
	RunningScan *running = aggregate->running_scan;
	bool		 known = block->accumulated[aggregate->f.lookahead];

	if (aggregate->f.fused != NULL && !known)
	{
		show_sorted(aggregate, running, block, done);
		return show_answers;
	}
	if (aggregate->f.preferred_rows == 0 && aggregate->f.fused == NULL)
		aggregate->f.preferred_rows = job_block_rows(running->job.op, NULL, TRANSITION_NS);
	return aggregate->f.fused == NULL && !known && block_is_answered(aggregate, running, block, done)
			   ? show_answers
			   : aggregate->op->running;
}

static int64
evaluate_running(RowFunction *f, const Block *block, int64 done)
{
	RunningScan *running = aggregate_of(f)->running_scan;

	if (done == block->begin)
		running->evaluate = choose(aggregate_of(f), block, done);
	return running->evaluate(f, block, done);
}

static void
start_running(Aggregate *aggregate)
{
	RunningScan *running;

	if (aggregate->call.line == SCAN_OP_none || aggregate->f.late_row != NULL)
		return;
	running = (RunningScan *) MemoryContextAllocZero(aggregate->f.query, sizeof(RunningScan));
	running->memory = AllocSetContextCreate(aggregate->f.query, "scan job", ALLOCSET_DEFAULT_SIZES);
	running->job.op = scan_op_at(aggregate->call.line);
	aggregate->running_scan = running;
	aggregate->f.evaluate = evaluate_running;
	aggregate->f.offer = offer_running;
}

/* ---- frames that slide ---- */

static bool
offer_sums(RowFunction *f, const Rows *rows, const Rows *all, bool segmented, FusedScan *scan)
{
	sliding_offer_sums(aggregate_of(f)->sliding_scans, scan);
	f->counts = true;
	return true;
}

static bool
offer_tiles(RowFunction *f, const Rows *rows, const Rows *all, bool segmented, FusedScan *scan)
{
	if (f->frame_rows == 0 || f->excludes)
		return false;
	sliding_offer_tiles(aggregate_of(f)->sliding_scans, f->frame_rows, scan);
	f->counts = false;
	return true;
}

static void
start_sliding(Aggregate *aggregate)
{
	const ScanOp *op = aggregate->call.line == SCAN_OP_none ? NULL : scan_op_at(aggregate->call.line);

	/* counts need no scan: prefix_difference.c counts the rows that go in */
	if (op == NULL || op->line == SCAN_OP_count_bool || strncmp(op->type, "float", 5) == 0)
		return;
	aggregate->sliding_scans = sliding_scans_create(op, aggregate->f.argument[0], aggregate->f.filter,
													&aggregate->f.preferred_rows, aggregate->f.query);
	if (aggregate->f.late_row == NULL)
		aggregate->f.offer = aggregate->op->sliding == prefix_difference_rows ? offer_sums : offer_tiles;
}

void
aggregate_scans_start(Aggregate *aggregate)
{
	if (aggregate->f.sliding)
		start_sliding(aggregate);
	else
		start_running(aggregate);
}

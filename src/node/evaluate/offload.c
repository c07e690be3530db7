/*
 * offload.c: stock aggregates as jobs (cpu/cpu.h), for a device.
 *
 * Called by dispatch.c for aggregates of inlined.c.  The loops of inlined.c take about as long for a row as storing an
 * answer that a device computed.  So a block becomes a job only if a device takes it.  The answers then pass through
 * the transition value of those loops, from which either way of evaluating the next block continues.  Answers that
 * came with the sort of all rows (answered.h) are stored in the same way.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "node/evaluate/evaluators.h"
#include "node/evaluate/inlined_loop.h"
#include "node/evaluate/job.h"

/* What a row costs in a loop of inlined.c beyond storing a result, in ns: the transition. */
#define TRANSITION_NS 1.0

typedef struct Stock
{
	const Inlined *aggregate;
	MemoryContext  memory; /* memory context of a block's job; reset before the next block */
	ScanJob		   job;	   /* the block's job, which holds the answers */
	int64		   from;   /* row of the block that is the job's row 0 */

	/* what show_answers() stores for a block */
	const ScanJob *shown;  /* the job that holds the answers */
	int64		   first;  /* the answer of the block's row i is at first + i */
	const uint8	  *valid;  /* bitmap of the rows that go in, from row `from` on; NULL: all rows */
	bool		   counts; /* true if the rows that go in are counted; false: a count of 1 stands for any rows */
} Stock;

/* True if an operation's answers are values like its input: extremes and bits, but not totals. */
static bool
line_folds(const ScanOp *op)
{
	return op->in_size == op->out_size;
}

/* ---- a block as a job ---- */

/* Returns the carry that the rows before the block leave to the block. */
static ScanCarry *
carry_of(const InlinedState *state, const ScanOp *op)
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
block_is_answered(const NodeFunction *f, Stock *stock, const Block *block, int64 i)
{
	ScanJob		 *job = &stock->job;
	MemoryContext old;

	MemoryContextReset(stock->memory);
	stock->from = i;
	job->n = block->n - i;
	if (job->n < JOB_LEAST || !scan_run_leaves(job->op, job->n, TRANSITION_NS))
		return false;
	old = MemoryContextSwitchTo(stock->memory);
	job->carry = carry_of((const InlinedState *) f->state, job->op);
	job->in = job_values(f, block, job->op, i, job->n);
	job->valid = job_rows(f, block, i, job->n);
	job->heads = job_heads(block, NULL, i, job->n);
	job_run(job);
	MemoryContextSwitchTo(old);
	stock->shown = job;
	stock->first = -i;
	stock->valid = job->valid;
	stock->counts = true;
	return job->status == SCAN_OK;
}

/* ---- with the sort of all rows ---- */

static bool
offer(NodeFunction *f, const Rows *rows, const Rows *all, bool segmented, SortedScan *scan)
{
	Stock *stock = (Stock *) ((InlinedState *) f->state)->stock;
	bool   counts = stock->job.op->line == SCAN_OP_count_bool;

	MemoryContextReset(stock->memory);
	scan->job = stock->job;
	scan->job.carry = (ScanCarry *) MemoryContextAlloc(stock->memory, scan_carry_size(stock->job.op));
	scan_carry_start(stock->job.op, scan->job.carry);
	if (f->arguments > 0 && counts)
		scan->present = f->argument[0];
	else if (f->arguments > 0)
		scan->in = f->argument[0];
	scan->filter = f->filter;
	scan->cpu_ns = TRANSITION_NS;
	f->counts = stock->aggregate->averages;
	return true;
}

/* Has the block's answers that came with the sort stored, from row i on. */
static void
show_sorted(const NodeFunction *f, Stock *stock, const Block *block, int64 i)
{
	MemoryContext old;

	stock->shown = &f->answers->job;
	stock->first = block->first;
	stock->from = i;
	stock->counts = stock->aggregate->averages;
	MemoryContextReset(stock->memory);
	old = MemoryContextSwitchTo(stock->memory);
	stock->valid = f->counts ? job_rows(f, block, i, block->n - i) : NULL;
	MemoryContextSwitchTo(old);
}

/* ---- the answers ---- */

/* Makes the job's answer i the transition value. */
static void
take_answer(InlinedState *state, const ScanJob *job, int64 i)
{
	const char *answer = (const char *) job->out + i * job->op->out_size;

	if (line_folds(job->op))
		state->total.datum = fetch_att(answer, true, job->op->out_size);
	else
		memcpy(job->op->line == SCAN_OP_count_bool ? (void *) &state->count : &state->total, answer, job->op->out_size);
}

/* Stores the results of units to the end of the block, or of fewer units where results take memory. */
static int64
show_answers(NodeFunction *f, const Block *block, int64 done)
{
	InlinedState  *state = (InlinedState *) f->state;
	const Stock	  *stock = (const Stock *) state->stock;
	const ScanJob *job = stock->shown;
	int64		   stop = node_stop(f, block, done);
	MemoryContext  old = MemoryContextSwitchTo(f->scratch);

	do
	{
		int64 from = done;
		bool  isnull;
		Datum value = 0;

		done = block_result_end(block, f->info.lookahead, from);
		FOR_INTERRUPTIBLE (i, from, done)
		{
			if (block->head[i])
				inlined_start_partition(state);
			if (stock->counts)
				state->count += stock->valid == NULL || scan_bit(stock->valid, i - stock->from);
		}
		isnull = job->has_nulls && !scan_bit(job->out_valid, stock->first + done - 1);
		/* without values the result is NULL, whatever a device answers: an average has nothing to divide by */
		isnull = isnull || (stock->counts && state->count == 0 && !stock->aggregate->counts);
		if (!isnull)
		{
			if (!stock->counts)
				state->count = 1;
			take_answer(state, job, stock->first + done - 1);
			value = stock->aggregate->final(state);
		}
		node_put_rows(f, from, done, value, isnull);
	} while (done < stop);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
	return done;
}

/* Evaluates a block's first rows, and chooses how the block's other rows are evaluated. */
static int64
begin_block(NodeFunction *f, const Block *block, int64 done)
{
	Stock *stock = (Stock *) ((InlinedState *) f->state)->stock;

	if (f->answers != NULL && !block->accumulated[f->info.lookahead])
	{
		show_sorted(f, stock, block, done);
		f->evaluate = show_answers;
		return f->evaluate(f, block, done);
	}
	f->evaluate = f->answers == NULL && !block->accumulated[f->info.lookahead] &&
						  block_is_answered(f, stock, block, done)
					  ? show_answers
					  : stock->aggregate->evaluate;
	if (f->preferred_rows == 0 && f->answers == NULL)
		f->preferred_rows = job_block_rows(stock->job.op, NULL, TRANSITION_NS);
	return f->evaluate(f, block, done);
}

void
node_stock_start(NodeFunction *f)
{
	InlinedState *state = (InlinedState *) f->state;
	Stock		 *stock;

	if (f->info.op == SCAN_OP_none || f->deferred_row != NULL)
		return;
	stock = (Stock *) MemoryContextAllocZero(f->query, sizeof(Stock));
	stock->aggregate = state->aggregate;
	stock->memory = AllocSetContextCreate(f->query, "scan job", ALLOCSET_DEFAULT_SIZES);
	stock->job.op = scan_op_at(f->info.op);
	state->stock = stock;
	f->begin = begin_block;
	f->offer = offer;
}

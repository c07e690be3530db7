/*
 * scans.c: aggregates that are a scan by a line of list.h, so that the sort of their rows may run it.
 *
 * The results of a scan over frames that only grow pass through the state of the operation.  Those over sliding frames
 * are read by prefix_difference.c and two_stacks.h.
 *
 * Rejected: to make each block a job where no sort runs the scan.  The typed loops take 0.6 to 1.7 ns for a row, and
 * the copies to another processor and back alone take 5.
 */
#include "postgres.h"

#include "access/tupmacs.h"

#include "aggregate/internal.h"
#include "aggregate/number_op.h"
#include "cpu/fused_scan.h"

/* What a row costs on the CPU beyond storing a result, in ns: adding its value up, or joining it. */
#define ADD_NS 1.0
#define JOIN_NS 8.0

/* ---- before the sort ---- */

/* Describes a scan of the arguments: the first or the second of the aggregate's scans. */
static void
describe(Aggregate *aggregate, int s, double cpu_ns, FusedScan *scan)
{
	const ScanOp *op = scan_op_at(aggregate->call.line);

	scan->job = (ScanJob){.op = op, .carry = aggregate->scan_carry[s]};
	scan_carry_start(op, scan->job.carry);
	if (aggregate->call.arguments > 0 && op->line == SCAN_OP_count_bool)
		scan->present = aggregate->f.argument[0];
	else if (aggregate->call.arguments > 0)
		scan->in = aggregate->f.argument[0];
	scan->filter = aggregate->f.filter;
	scan->cpu_ns = cpu_ns;
}

/* Offers one scan: of frames that only grow, or for sums over sliding frames, which need the number of values, too. */
static bool
offer_scan(RowFunction *f, const Rows *first, bool segmented, FusedScan *scan)
{
	Aggregate *aggregate = aggregate_of(f);

	describe(aggregate, 0, ADD_NS, scan);
	f->counts = (f->needs & NEEDS_BOUNDS) || (aggregate->op->traits & AGGREGATE_MEAN) != 0;
	return true;
}

/* Offers two scans in tiles, where all frames have the same number of rows unless their partition cuts them. */
static bool
offer_tiles(RowFunction *f, const Rows *first, bool segmented, FusedScan *scan)
{
	if (f->frame_rows == 0 || (f->needs & NEEDS_EXCLUSION))
		return false;
	for (int s = 0; s < 2; s++)
	{
		if (s == 1)
			scan[1].in2 = scan[1].present = -1;
		describe(aggregate_of(f), s, JOIN_NS / 2, &scan[s]);
		scan[s].tile = f->frame_rows;
		scan[s].back = s == 1;
	}
	f->counts = false;
	return true;
}

/* ---- frames that only grow: the results ---- */

/* Makes the result of the window's row i the transition value. */
static void
take_answer(NumberState *state, const ScanJob *job, int64 i)
{
	const ScanOp *op = job->op;
	const char	 *result = (const char *) job->out + i * op->out_size;

	/* extremes and bits are values like the input, but totals are not */
	if (op->in_size == op->out_size)
		state->total.datum = fetch_att(result, true, op->out_size);
	else
		memcpy(op->line == SCAN_OP_count_bool ? (void *) &state->count : &state->total, result, op->out_size);
}

/* Takes the values of rows `from` to `end` - 1, which are of one unit, into the count. */
static void
count_rows(const Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	NumberState *state = (NumberState *) aggregate->f.state;
	Datum		 value;

	FOR_INTERRUPTIBLE (i, from, end)
		state->count += !aggregate->f.counts || aggregate_value(aggregate, block, i, &value);
}

/* Stores the results of units to the end of the block, or of fewer units where results take memory. */
static int64
show_answers(Aggregate *aggregate, const Block *block, int64 done)
{
	NumberState	  *state = (NumberState *) aggregate->f.state;
	const ScanJob *job = &aggregate->f.fused->job;
	bool		   counts = (aggregate->op->traits & AGGREGATE_MEAN) != 0;
	int64		   stop = row_stop(&aggregate->f, block, done);

	do
	{
		int64 from = done;
		int64 last;
		bool  isnull;
		Datum value = 0;

		done = block_result_end(block, row_unit(&aggregate->f), from);
		last = block->first + done - 1;
		stretch_row(from);
		if (block->head[from])
			number_empty(aggregate);
		if (counts)
			count_rows(aggregate, block, from, done);
		/* without values the result is NULL, whatever a job returns: a mean has nothing to divide by */
		isnull = (job->has_nulls && !scan_bit(job->out_valid, last)) || (counts && state->count == 0);
		if (!isnull)
		{
			/* where rows are not counted, 1 stands for any number of them */
			if (!counts)
				state->count = 1;
			take_answer(state, job, last);
			(void) aggregate->op->final(aggregate, &value);
		}
		result_put_rows(&aggregate->f.result, from, done, value, isnull);
	} while (done < stop);
	return done;
}

static int64
evaluate_running(RowFunction *f, const Block *block, int64 done)
{
	Aggregate *aggregate = aggregate_of(f);

	return f->fused != NULL && !block->accumulated[row_unit(f)] ? show_answers(aggregate, block, done)
																: aggregate->op->running(f, block, done);
}

/* ---- the start ---- */

void
aggregate_scans_start(Aggregate *aggregate)
{
	const ScanOp *op = scan_op_at(aggregate->call.line);

	if (op == NULL || aggregate->f.late_row != NULL)
		return;
	/* counts need no scan; of floats that are equal and differ in their bits, a backward scan would keep the oldest */
	if ((aggregate->f.needs & NEEDS_BOUNDS) && (op->line == SCAN_OP_count_bool || strncmp(op->type, "float", 5) == 0))
		return;
	for (int s = 0; s < 2; s++)
		aggregate->scan_carry[s] = (ScanCarry *) MemoryContextAlloc(aggregate->f.query, scan_carry_size(op));
	if (!(aggregate->f.needs & NEEDS_BOUNDS))
		aggregate->strategy = evaluate_running;
	if (!(aggregate->f.needs & NEEDS_BOUNDS) || aggregate->op->sliding == prefix_difference_rows)
		aggregate->f.offer = offer_scan;
	else
		aggregate->f.offer = offer_tiles;
}

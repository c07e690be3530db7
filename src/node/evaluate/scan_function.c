/*
 * scan_function.c: the project's own window functions in the node.
 *
 * dispatch.c chooses this file for FUNCTION_SCAN.  The node calls the function through the function manager, once per
 * row, with the row as a ScanCallContext (call/call_context.h).  At a partition's first row the function may declare
 * that its arguments are the columns of a job.  Then the following rows go to run/run.h as a job, up to the end of the
 * block: the same code, and so the same bits, without a call per row.  A partition that begins within the job is a
 * segment of the job.  If the function needs more than that at a partition's beginning, the job ends before it.  A sum
 * of numerics, which have no fixed size, continues row by row, but without the call.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "call/call_context.h"
#include "column/array.h"
#include "column/saved_state.h"
#include "column/stretch.h"
#include "error.h"
#include "node/evaluate/function.h"
#include "node/evaluate/internal.h"
#include "number/decimal.h"
#include "number/wide_decimal.h"
#include "op/bits.h"
#include "op/in_sequence.h"
#include "run/block_job.h"

typedef struct Call
{
	RowCall row;

	/* jobs */
	MemoryContext job;	  /* memory context that is reset before each job */
	int64		  failed; /* the row that raises `error` when it is asked for; -1: none */
	ScanStatus	  error;
} Call;

/* ---- saved state ---- */

/* Finds the recurrences of an accumulator, which own the rows of their chunks; returns their number. */
static int
recurrences_of(const ScanOp *op, ScanCarry *carry, GrowingRecurrence *found[2])
{
	switch (op->line)
	{
		case SCAN_OP_recurrence_float8:
		case SCAN_OP_recurrence_vector:
			found[0] = &((OrderedRecurrence *) carry->acc)->g;
			return 1;
		case SCAN_OP_ema_by_time:
			found[0] = &((ema_by_time_acc *) carry->acc)->average.above;
			found[1] = &((ema_by_time_acc *) carry->acc)->average.below;
			return 2;
		case SCAN_OP_ema_float8:
			found[0] = &((ema_float8_acc *) carry->acc)->above;
			found[1] = &((ema_float8_acc *) carry->acc)->below;
			return 2;
		default:
			return 0;
	}
}

/*
 * Sets an argument of a call that takes no row: constants of the query are there.  The first argument, the value of
 * every function, is NULL, so that the block's first row has no effect.
 */
static void
argument_without_row(const RowFunction *f, Call *call, const Block *block, int a)
{
	call->row.value[a] = (Datum) 0;
	call->row.isnull[a] = true;
	if (a > 0 && get_fn_expr_arg_stable(&call->row.function, a))
		call->row.value[a] = row_argument(f, block, a, block->begin, &call->row.isnull[a]);
}

/* Calls the function without a row, so that it evaluates its constants and fills in its ScanCallContext. */
static void
call_without_row(RowFunction *f, Call *call)
{
	call->row.source.restoring = true;
	(void) row_call_invoke(f, &call->row);
	call->row.source.restoring = false;
}

/* Carries the arguments that must stay what they were at the partition's first row. */
static void
carry_constants(const RowFunction *f, Call *call, const Block *block, SavedState *saved)
{
	for (int a = 0; a < f->arguments; a++)
	{
		const RetainedDatum *constant = call->row.source.constant[a];
		bool				 there = constant != NULL;
		int16				 length;
		bool				 by_value;

		if (saved->restores)
			argument_without_row(f, call, block, a);
		carry_bytes(saved, &there, sizeof(there));
		if (!there)
			continue;
		if (saved->restores)
		{
			call->row.value[a] = restore_datum(&saved->bytes, &call->row.isnull[a]);
			continue;
		}
		get_typlenbyval(exprType((Node *) list_nth(node_info(f)->wfunc->args, a)), &length, &by_value);
		save_datum(&saved->bytes, constant->value, constant->isnull, by_value, length);
	}
}

/* Carries the rows of a chunk.  The exact tier recomputes its state from these rows. */
static void
carry_chunk(GrowingRecurrence *growing, MemoryContext memory, SavedState *saved)
{
	Recurrence *r = &growing->r;
	Size		row = (r->order + 1) * sizeof(double);

	if (saved->restores)
	{
		growing->exact = NULL;
		memset(&r->exact, 0, sizeof(r->exact));
		r->exact_rows = 0;
		r->rows = r->room == 0 ? NULL : (double *) MemoryContextAlloc(memory, r->room * row);
	}
	carry_bytes(saved, r->rows, r->count * row);
}

static void
carry_values(const ScanCallContext *source, MemoryContext memory, SavedState *saved)
{
	Deque *values = source->values;
	int64  n = values->n;

	carry_bytes(saved, &n, sizeof(n));
	for (int64 i = 0; i < n; i++)
	{
		if (saved->restores)
			memset(deque_append(values, sizeof(RetainedDatum)), 0, sizeof(RetainedDatum));
		carry_retained(saved, (RetainedDatum *) deque_entry(values, i, sizeof(RetainedDatum)), source->values_type,
					   memory);
	}
}

/* To restore the state, calls the function without a row, and then overwrites its state with the saved one. */
static void
scan_carry(RowFunction *f, const Block *block, SavedState *saved)
{
	Call			  *call = (Call *) f->state;
	ScanCallContext	  *source = &call->row.source;
	GrowingRecurrence *growing[2];

	if (saved->restores)
		row_call_start_partition(f, &call->row);
	carry_constants(f, call, block, saved);
	if (saved->restores)
		call_without_row(f, call);
	carry_bytes(saved, &source->row, sizeof(source->row));
	if (source->carry != NULL)
	{
		int n;

		carry_bytes(saved, source->carry, scan_carry_size(source->op));
		n = recurrences_of(source->op, source->carry, growing);
		for (int i = 0; i < n; i++)
			carry_chunk(growing[i], f->partition, saved);
	}
	if (source->sum != NULL)
		decimal_sum_carry(saved, source->sum);
	if (source->wide != NULL)
		wide_decimal_carry(saved, source->wide);
	for (int k = 0; k < lengthof(source->kept); k++)
		if (source->kept[k].datum != NULL)
			carry_retained(saved, source->kept[k].datum, source->kept[k].type, f->partition);
	if (source->values != NULL)
		carry_values(source, f->partition, saved);
	if (source->flat != NULL)
		carry_bytes(saved, source->flat, source->flat_size);
}

/* ---- many rows ---- */

/*
 * True if rows from i on need no call.  The arguments that are not a job's columns must be constants, so that what the
 * last call computed from them holds in every partition.
 */
static bool
takes_jobs(const RowFunction *f, const Call *call, const Block *block, int64 i)
{
	const ScanCallContext *source = &call->row.source;
	bool				   fits = f->result.data.by_value || source->sum != NULL;

	if (source->columns == 0 || !fits || f->late_row != NULL || (block->head[i] && !source->heads))
		return false;
	for (int a = source->columns; a < f->arguments; a++)
		if (a != source->reset && !block->rows->column[f->argument[a]].constant)
			return false;
	return true;
}

/*
 * job_column() for arrays of `order` doubles.  Sets *n to the number of rows before the first one whose array cannot be
 * copied: an error, which the function raises at that row.
 */
static const void *
job_vectors(const RowFunction *f, const Block *block, int argument, int64 i, const uint8 *valid, int order, int64 *n)
{
	const Column *column = &block->rows->column[f->argument[argument]].data;
	double		 *values = (double *) palloc_extended(*n * order * sizeof(double), MCXT_ALLOC_HUGE);

	for (int64 r = 0; r < *n; r++)
	{
		CHECK_FOR_INTERRUPTS();
		if (valid != NULL && !scan_bit(valid, r))
			memset(values + r * order, 0, order * sizeof(double));
		else if (!vector_copy(column_datum(column, i + r), order, values + r * order))
			*n = r;
	}
	return values;
}

/*
 * Returns a bitmap of n rows from row i on, whose bit is set where none of the job's columns is NULL; NULL: all bits
 * are set.
 */
static const uint8 *
call_valid(const RowFunction *f, const Call *call, const Block *block, int64 i, int64 n)
{
	uint8 *valid = NULL;

	for (int a = 0; a < call->row.source.columns; a++)
		valid = job_valid(valid, &block->rows->column[f->argument[a]].data, i, n);
	return valid;
}

/* Returns how many rows its partition has before row i + n, given that it had `row` rows before row i. */
static int64
rows_since_head(const Block *block, int64 i, int64 n, int64 row)
{
	FOR_INTERRUPTIBLE (since, 1, n + 1)
		if (block->head[i + n - since])
			return since;
	return row + n;
}

/* Raises the error of row i, at which a job ended. */
static void
scan_raise_error(RowFunction *f, Call *call, const Block *block, int64 i, ScanStatus status)
{
	/* the job does not tell the value; the function, called for the row, raises the error with the value in it */
	if (status == SCAN_NEGATIVE)
		row_call_row(f, &call->row, block, i);
	scan_raise(status);
}

/* Computes n rows from row i on as a job, which an error in a row ends.  Returns the row after the last one done. */
static int64
scan_run_job(RowFunction *f, Call *call, const Block *block, int64 i, int64 n)
{
	const ScanCallContext *source = &call->row.source;
	const ScanOp		  *op = source->op;
	const Column		  *reset = source->reset < 0 ? NULL : &block->rows->column[f->argument[source->reset]].data;
	ScanJob				   job = {.op = op, .param = source->param, .extent = source->extent, .carry = source->carry};
	MemoryContext		   old;

	MemoryContextReset(call->job);
	old = MemoryContextSwitchTo(call->job);
	job.valid = call_valid(f, call, block, i, n);
	if (op->flags & SCAN_VECTOR)
		job.in = job_vectors(f, block, 0, i, job.valid, scan_in_size(op, source->param) / sizeof(double), &n);
	else
		job.in = job_column(&block->rows->column[f->argument[0]].data, i, n, op->in_size);
	if (source->columns > 1)
		job.in2 = job_column(&block->rows->column[f->argument[1]].data, i, n, op->in2_size);
	if (n == 0)
	{
		MemoryContextSwitchTo(old);
		return i;
	}
	job.n = n;
	job.heads = job_heads(block, reset, i, n);
	job_run(&job);
	MemoryContextSwitchTo(old);

	FOR_INTERRUPTIBLE (r, 0, job.done)
	{
		bool isnull = job.has_nulls && !scan_bit(job.out_valid, r);

		node_put(f, i + r,
				 isnull ? (Datum) 0 : fetch_att((char *) job.out + r * op->out_size, true, f->result.data.length),
				 isnull);
	}
	call->row.source.row = rows_since_head(block, i, job.done, call->row.source.row);
	if (job.status != SCAN_OK)
	{
		/* row i is asked for now, so its error is due */
		if (job.done == 0)
			scan_raise_error(f, call, block, i, job.status);
		call->failed = i + job.done;
		call->error = job.status;
	}
	return i + job.done;
}

/*
 * True if the function is one scan over all rows, which a call that takes no row tells.  The arguments that are not
 * columns must be constants of the query, but that can be checked only after the call.  If they are not constant, the
 * call has got their values in row 0, as if a partition began there.
 */
static bool
scan_offer(RowFunction *f, const Rows *first, bool segmented, FusedScan *scan)
{
	Call			*call = (Call *) f->state;
	ScanCallContext *source = &call->row.source;

	row_call_start_partition(f, &call->row);
	for (int a = 0; a < f->arguments; a++)
	{
		int				 c = f->argument[a];
		const RowColumn *column = &first->column[c];

		call->row.value[a] = column->the_value;
		call->row.isnull[a] = column->the_isnull;
		if (!column->constant)
			call->row.value[a] = column_get(&column->data, 0, &call->row.isnull[a]);
		call->row.isnull[a] = call->row.isnull[a] || a == 0;
	}
	call_without_row(f, call);
	if (source->columns == 0 || source->columns > 2 || source->sum != NULL || (segmented && !source->heads) ||
		(source->op->flags & SCAN_VECTOR) || !f->result.data.by_value ||
		source->op->out_size != (size_t) column_width(f->result.data.format))
		return false;
	for (int a = source->columns; a < f->arguments; a++)
		if (!first->column[f->argument[a]].constant || (a == source->reset && DatumGetBool(call->row.value[a])))
			return false;
	scan->job = (ScanJob){.op = source->op, .param = source->param, .extent = source->extent, .carry = source->carry};
	scan->in = f->argument[0];
	if (source->columns > 1)
		scan->in2 = f->argument[1];
	return true;
}

/* Evaluates one row of a sum of numerics, as the call does; it may raise an error. */
static int64
evaluate_sum(RowFunction *f, const Block *block, int64 i)
{
	const ScanCallContext *source = &((const Call *) f->state)->row.source;
	MemoryContext		   old = MemoryContextSwitchTo(f->scratch);
	bool				   isnull, no_reset;
	bool				   head = block->head[i] || DatumGetBool(row_argument(f, block, source->reset, i, &no_reset));
	Datum				   value = row_argument(f, block, 0, i, &isnull);

	value = decimal_sum_step(source->sum, head, source->extent == SCAN_EXCLUSIVE, value, &isnull);
	node_put(f, i, value, isnull);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
	return i + 1;
}

static int64
evaluate_call(RowFunction *f, const Block *block, int64 i)
{
	Call *call = (Call *) f->state;

	if (i == block->begin)
		call->failed = -1; /* the last block may have been left before its row `failed` */
	if (call->failed == i)
		scan_raise_error(f, call, block, i, call->error);
	if (takes_jobs(f, call, block, i) && call->row.source.sum == NULL)
	{
		int64 end = call->row.source.heads ? block->n : block_unit_end(block, LOOKAHEAD_PARTITION, i);
		int64 done = end - i >= JOB_LEAST ? scan_run_job(f, call, block, i, end - i) : i;

		/* a function that has offered its scan to a sort takes jobs from its first row on */
		if (f->preferred_rows == 0)
			f->preferred_rows = job_block_rows(
				&(ScanJob){.op = call->row.source.op, .param = call->row.source.param, .n = PG_INT32_MAX});
		if (done > i)
			return done;
	}
	row_call_row(f, &call->row, block, i);
	if (call->row.source.sum != NULL && takes_jobs(f, call, block, i))
		f->evaluate = evaluate_sum;
	return i + 1;
}

void
node_call_start(RowFunction *f)
{
	Call		 *call = (Call *) MemoryContextAlloc(f->query, sizeof(Call));
	MemoryContext old = MemoryContextSwitchTo(f->query);

	*call = (Call){.job = AllocSetContextCreate(f->query, "scan job", ALLOCSET_DEFAULT_SIZES), .failed = -1};
	row_call_init(f, &call->row);
	f->carry_state = scan_carry;
	MemoryContextSwitchTo(old);
	f->state = call;
	f->evaluate = evaluate_call;
	/* only functions that save state support a call that takes no row */
	if (!(f->needs & NEEDS_EARLIER_ROWS))
		f->offer = scan_offer;
}

/*
 * check.h: what the parts of check.c share: the library, a ring to lay jobs down in, columns drawn at random, and the
 * CPU's answers to hold against.
 */
#ifndef SCAN_GPU_CHECK_H
#define SCAN_GPU_CHECK_H

#include "../law/ordered.h"
#include "../law/same.h"
#include "library.h"
#include "op/serialize.h"

static long jobs, declined;

/* ---- memory of the ring ---- */

static const void *
ring_copy(const void *from, size_t size)
{
	return from == NULL ? NULL : memcpy(ring_take(size), from, size);
}

/* Bits from, from + 1 ... */
static const uint8_t *
ring_bits(const uint8_t *from, int64_t at, int64_t n)
{
	uint8_t *to;

	if (from == NULL)
		return NULL;
	to = (uint8_t *) ring_take((size_t) (n + 7) / 8);
	memset(to, 0, (size_t) (n + 7) / 8);
	for (int64_t i = 0; i < n; i++)
		scan_bit_put(to, i, scan_bit(from, at + i));
	return to;
}

static uint32_t
add_input(ScanGpuJob *job, const void *data, uint32_t width)
{
	if (data == NULL)
		return 0;
	job->input[job->inputs].data = data;
	job->input[job->inputs].width = width;
	return ++job->inputs;
}

/* ---- a column ---- */

/* In half of the columns the kind turns to 0 at some row, so that errors come late as well as soon. */
static void
column_draw(LawColumn *column, const ScanOp *op, int kind, int64_t n, int null_chance, int head_chance)
{
	int64_t calm = law_random() % 2 == 0 ? n : (int64_t) (law_random() % (uint64_t) (n + 1));

	law_column_start(column, op, op->item_size == 0 ? law_ordered_param(op) : law_param(op->function), n);
	for (int64_t i = 0; i < n; i++)
		if (op->item_size == 0)
			law_ordered_row(column, i, i < calm ? kind : kind == 1 ? 1 : 0);
		else
			law_value(op->function, op->type, i < calm || kind == 1 ? kind : 0,
					  (char *) column->in + i * (int64_t) op->in_size);
	if (null_chance >= 0)
		column->valid = law_random_bits(n, 1000 - null_chance);
	if (head_chance >= 0)
		column->heads = law_random_bits(n, head_chance);
}

/* Rows [from, from + n) of a column as an operation of a job. */
static void
add_operation(ScanGpuJob *job, const LawColumn *column, ScanExtent extent, int64_t from, int64_t n,
			  const ScanCarry *carry)
{
	const ScanOp	 *op = column->op;
	ScanGpuOperation *o = &job->operation[job->operations++];
	size_t			  param_size = 0;
	void			 *param = ring_take(4096);
	bool			  good;

	o->line = (uint32_t) op->line;
	o->extent = extent;
	o->in = add_input(job,
					  ring_copy((const char *) column->in + from * (int64_t) op->in_size, (size_t) n * op->in_size),
					  (uint32_t) op->in_size);
	o->valid = add_input(job, ring_bits(column->valid, from, n), 0);
	o->heads = add_input(job, ring_bits(column->heads, from, n), 0);
	if (!scan_param_encode(op->line, column->param, param, 4096, &param_size))
		abort();
	o->param = scan_param_decode(op->line, param, param_size, &good);
	o->param_size = param_size;
	o->carry_size = scan_carry_size(op);
	o->carry = (ScanCarry *) ring_take(o->carry_size);
	memcpy(o->carry, carry, o->carry_size);
	o->out = ring_take((size_t) n * op->out_size);
	memset(o->out, 0xcc, (size_t) n * op->out_size);
	o->out_valid = (uint8_t *) ring_take((size_t) (n + 7) / 8);
	memset(o->out_valid, 0xff, (size_t) (n + 7) / 8);
	o->status = 1234;
	o->done = -1;
}

/* ---- one of a recurrence, whose accumulator is serialised (op/serialize.h) ---- */

/* Of an average; a recurrence has `above` alone. */
typedef SerializedEma Serialized;

static bool
line_is_recurrence(int line)
{
	return scan_op_id_is_recurrence(line);
}

static void
recurrence_job(ScanGpuJob *job, const LawColumn *whole, ScanExtent extent, int64_t from, int64_t n, ScanCarry *carry)
{
	ScanGpuOperation *o = &job->operation[0];
	size_t			  width = scan_in_size(whole->op, whole->param);

	ring_used = 0;
	memset(job, 0, sizeof(*job));
	job->n = (uint64_t) n;
	job->operations = 1;
	o->line = (uint32_t) whole->op->line;
	o->extent = extent;
	o->in = add_input(job, ring_copy((const char *) whole->in + from * (int64_t) width, (size_t) n * width),
					  (uint32_t) width);
	if (whole->op->in2_size > 0)
		o->in2 = add_input(job, ring_copy((const double *) whole->in2 + from, (size_t) n * 8), 8);
	o->valid = add_input(job, ring_bits(whole->valid, from, n), 0);
	o->heads = add_input(job, ring_bits(whole->heads, from, n), 0);
	o->param = whole->param;
	o->carry = carry;
	o->out = ring_take((size_t) n * 8);
	memset(o->out, 0xcc, (size_t) n * 8);
	o->out_valid = (uint8_t *) ring_take((size_t) (n + 7) / 8);
	memset(o->out_valid, 0xff, (size_t) (n + 7) / 8);
	o->done = -1;
}

/* ---- the CPU's answers ---- */

/* The same rows on the CPU; columns whole, in pieces of what a job of its takes. */
static void
run_on_cpu(const LawColumn *column, ScanExtent extent, ScanCarry *carry, LawAnswers *answers)
{
	ScanJob whole;

	law_answers_start(answers, column->op, column->n);
	whole = law_job(column, extent, carry, answers);
	while (whole.done < whole.n && whole.status == SCAN_OK)
	{
		int64_t left = whole.n - whole.done;
		ScanJob piece = scan_job_piece(&whole, whole.done, left < SCAN_BATCH ? left : SCAN_BATCH);

		scan_cpu_run(&piece);
		whole.done += piece.done;
		whole.status = piece.status;
		whole.has_nulls = piece.has_nulls;
	}
	answers->has_nulls = whole.has_nulls;
	answers->done = whole.done;
	answers->status = whole.status;
}

static bool
carries_same(const ScanOp *op, const ScanCarry *a, const ScanCarry *b)
{
	return a->row == b->row && a->pending_status == b->pending_status && a->any == b->any &&
		   (a->pending_status != SCAN_OK || memcmp(&a->pending, &b->pending, op->out_size) == 0) &&
		   (!a->any || law_same(op->function, op->type, a->acc, b->acc, op->acc_size));
}

/* Holds an operation's answers, for rows [from ..) of the column, against the CPU's. */
static bool
answers_same(const ScanGpuOperation *o, const LawColumn *column, const LawAnswers *expected, const ScanCarry *carry,
			 const char *what)
{
	static int said;
	LawAnswers answers = {o->out, o->out_valid, o->has_nulls != 0, o->done, (ScanStatus) o->status};
	int64_t	   row = law_answers_differ(column->op, &answers, expected);
	bool	   good = row == -2 && (expected->status != SCAN_OK || carries_same(column->op, o->carry, carry));

	for (int64_t i = column->n; good && i < (column->n + 7) / 8 * 8; i++)
		good = scan_bit(o->out_valid, i);
	if (!good && said++ < 20)
		printf("# %s %s %s, %s, %" PRId64 " rows: row %" PRId64 ", done %" PRId64 " of %" PRId64
			   ", status %d of %d, nulls %d of %d\n",
			   column->op->function, column->op->type, o->extent == SCAN_EXCLUSIVE ? "exclusive" : "inclusive", what,
			   column->n, row, o->done, expected->done, o->status, (int) expected->status, (int) o->has_nulls,
			   (int) expected->has_nulls);
	return good;
}

#endif /* SCAN_GPU_CHECK_H */

/*
 * check_vector.h: recurrences of order k beyond what check_recurrence.h has of all recurrences: filters, whose
 * coefficients stay the same, integers, numbers that are none, and jobs by keys.
 */
#ifndef SCAN_GPU_CHECK_VECTOR_H
#define SCAN_GPU_CHECK_VECTOR_H

#include "check_keys.h"
#include "check_recurrence.h"

/* The same coefficients in every row, and terms of some kind: 0: integers below 16, 1: of all bits, 2: zeros. */
static void
filter_draw(LawColumn *column, int order, const double *a, int terms, int64_t n)
{
	const ScanOp	*op = scan_op_at(SCAN_OP_recurrence_vector);
	RecurrenceParam *p = (RecurrenceParam *) law_ordered_param(op);

	p->order = order;
	p->width = (size_t) order * sizeof(double);
	for (int j = 0; j < order; j++)
		p->init[j] = terms == 2 ? j == 0 : (double) (law_random() % 16);
	law_column_start(column, op, p, n);
	for (int64_t i = 0; i < n; i++)
	{
		memcpy((double *) column->in + i * order, a, p->width);
		((double *) column->in2)[i] = terms == 1 ? law_normal() : terms == 2 ? 0.0 : (double) (law_random() % 16);
	}
}

/* More chunks than a block fetches the maps of at a time: fewer than of first order. */
static bool
many_vectors_hold(void)
{
	static const double a[] = {0.4, -0.3, 0.2, -0.1};
	bool				holds = true;

	for (int order = 2; order <= SERIALIZED_ORDERS; order++)
	{
		LawColumn column;

		filter_draw(&column, order, a, 1, 66 * RECURRENCE_CHUNK + 5);
		holds = column_holds(&column, 1, 1, "many chunks") && holds;
	}
	return holds;
}

/*
 * Carries whose pairs are as far off as their bounds say: an answer has to be right all the same, and not proven where
 * that is too far.
 */
static bool
worn_carries_hold(void)
{
	static const double resonant[] = {1.9, -0.95}, slow[] = {1.99, -0.9901}, mild[] = {0.1, 0.05};
	bool				holds = true;
	long				proved = 0;

	for (int i = 0; i < 600; i++)
	{
		ScanCarry			 *carry, *there = (ScanCarry *) law_alloc(offsetof(ScanCarry, acc) + sizeof(Serialized));
		SerializedRecurrence *serialized = (SerializedRecurrence *) there->acc;
		LawColumn			  column, piece;
		LawAnswers			  expected;
		ScanGpuJob			  job;
		ScanGpuOperation	 *o = &job.operation[0];
		char				  reason[200] = "";

		filter_draw(&column, 2, i % 3 == 0 ? slow : resonant, 1, 100 + (int64_t) (law_random() % 400));
		if (i % 2 == 0)
			column.heads = heads_every(column.n, column.n - 1); /* rows of few go another way */
		if (i % 3 == 0)											/* coefficients that only seem to be the same */
			memcpy((double *) column.in + 2 * 50, mild, sizeof(mild));
		carry = (ScanCarry *) law_alloc(scan_carry_size(column.op));
		scan_carry_start(column.op, carry);
		piece = column;
		piece.n = 50;
		run_on_cpu(&piece, SCAN_INCLUSIVE, carry, &expected);
		law_answers_free(&expected);
		memcpy(there, carry, offsetof(ScanCarry, acc));
		if (!recurrence_serialize((const OrderedRecurrence *) carry->acc, serialized))
			abort();
		for (int j = 0; j < 2; j++)
		{
			double off = law_sign() * ldexp(serialized->pair[j].h, -58 - i % 32);

			serialized->pair[j].l += off;
			serialized->pair[j].bound += fabs(off) * 1.001;
		}
		recurrence_job(&job, &column, SCAN_INCLUSIVE, 50, column.n - 50, there);
		piece.n = column.n - 50;
		piece.in = (double *) column.in + 2 * 50;
		piece.in2 = (double *) column.in2 + 50;
		piece.heads = o->heads == 0 ? NULL : (uint8_t *) (uintptr_t) job.input[o->heads - 1].data;
		run_on_cpu(&piece, SCAN_INCLUSIVE, carry, &expected);
		if (library->run(device, &job, reason, sizeof(reason)) == SCAN_GPU_OK)
		{
			LawAnswers answers = {o->out, o->out_valid, o->has_nulls != 0, o->done, (ScanStatus) o->status};

			proved++;
			holds = holds && law_answers_differ(column.op, &answers, &expected) == -2;
		}
		law_answers_free(&expected);
		law_column_free(&column);
		law_memory_free();
		free(carry);
		free(there);
	}
	return holds && proved > 100;
}

static bool
filter_holds(int order, const double *a, int terms, int kind, int cuts, const char *what)
{
	bool holds = true;

	for (int64_t length = 0; length <= 300; length += length == 0 ? 100 : 200)
	{
		LawColumn column;

		filter_draw(&column, order, a, terms, length == 0 ? 9000 : 700);
		column.heads = heads_every(column.n, length);
		if (law_random() % 2 == 0)
			column.valid = law_random_bits(column.n, 900);
		holds = column_holds(&column, kind, cuts, what) && holds;
	}
	return holds;
}

/* Stable filters, whose bits the kernels have to prove; coefficients with few bits, which tie, among them. */
static bool
filters_hold(void)
{
	static const double resonant[] = {1.9, -0.95}, short_bits[] = {0.5, 0.25};
	static const double butterworth[] = {1.561018075800718, -0.641351538057563}; /* period 20 */
	/* two poles at 0.99; poles at 0.995 and a swing of 600 rows; a pole at 1; two */
	static const double coinciding[] = {1.98, -0.9801}, slow[] = {1.99, -0.9901};
	static const double sum[] = {1.7, -0.7}, twice[] = {2, -1};
	bool				holds = true;

	for (int terms = 0; terms < 2; terms++)
	{
		holds = filter_holds(2, resonant, terms, 1, 2, "a resonant filter") && holds;
		holds = filter_holds(2, short_bits, terms, 1, 2, "1/2 and 1/4") && holds;
		holds = filter_holds(2, butterworth, terms, 1, 2, "a low-pass") && holds;
	}
	holds = filter_holds(2, sum, 1, 1, 1, "a filter and its sum") && holds;
	/* these need not be proved: what swings much, poles that nearly coincide, ties */
	holds = filter_holds(2, coinciding, 1, 0, 3, "poles that coincide") && holds;
	holds = filter_holds(2, slow, 1, 0, 3, "a slow filter") && holds;
	holds = filter_holds(2, twice, 1, 0, 3, "sums of sums") && holds;
	for (int i = 0; i < 6; i++)
	{
		double a[2];

		for (int j = 0; j < 2; j++)
			a[j] = law_sign() * law_uniform() / (2 + i % 3);
		holds = filter_holds(2, a, 1, 1, 2, "a filter that contracts") && holds;
	}
	return holds;
}

/* Exact integers, which tie as soon as they have 54 bits, until they leave the doubles that a pair holds. */
static bool
fibonacci_holds(void)
{
	static const double ones[] = {1, 1, 1, 1};
	bool				holds = true;

	for (int order = 2; order <= SERIALIZED_ORDERS; order++)
		for (int64_t length = 1; length <= 150; length += 37)
		{
			LawColumn column;

			filter_draw(&column, order, ones, 2, 1000);
			column.heads = heads_every(column.n, length);
			holds = column_holds(&column, 1, 1, "Fibonacci") && holds;
		}
	return holds;
}

/* Beyond the doubles, operands and initial values that are not finite: the CPU's error or answer, or not proven. */
static bool
odd_vectors_hold(void)
{
	static const double odd[] = {(double) INFINITY, -(double) INFINITY, (double) NAN, 1.7e308, 4.9e-324, -0.0};
	bool				holds = true;

	for (int i = 0; i < 200; i++)
	{
		LawColumn column;
		double	  a[4];
		int		  order = 2 + i % (SERIALIZED_ORDERS - 1);

		for (int j = 0; j < 4; j++)
			a[j] = law_small() / 2;
		filter_draw(&column, order, a, 0, 1 + (int64_t) (law_random() % (i % 10 == 0 ? 5000 : 40)));
		if (i % 4 == 0)
			((RecurrenceParam *) column.param)->init[law_random() % 4] = odd[law_random() % 6];
		else
			((double *) (i % 4 == 1 ? column.in2 : column.in))[law_random() % (uint64_t) column.n] =
				odd[law_random() % 6];
		holds = column_holds(&column, 0, 3, "odd numbers") && holds;
	}
	return holds;
}

/* Rows by keys: vectors have widths of their own. */
static bool
vectors_by_keys_hold(const ScanOp *op)
{
	bool holds = true;

	for (int i = 0; i < 12; i++)
	{
		double			  room[64] = {0};
		ScanCarry		 *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
		int64_t			  n = 1 + (int64_t) (law_random() % 700);
		uint32_t		 *order = (uint32_t *) law_alloc((size_t) n * sizeof(uint32_t));
		char			  reason[200] = "";
		LawColumn		  column, sorted;
		LawAnswers		  expected;
		ScanGpuJob		  job;
		ScanGpuOperation *o = &job.operation[0];

		column_draw(&column, op, 1, n, i % 2 == 0 ? -1 : 100, i % 3 == 0 ? 10 : -1);
		recurrence_job(&job, &column, SCAN_INCLUSIVE, 0, n, (ScanCarry *) room);
		add_keys(&job, 2 + (int) (law_random() % 100));
		for (int64_t r = 0; r < n; r++)
			order[r] = (uint32_t) r;
		qsort(order, (size_t) n, sizeof(uint32_t), by_key);
		column_in_order(&job, &job.operation[0], &column, order, &sorted);
		scan_carry_start(op, carry);
		run_on_cpu(&sorted, SCAN_INCLUSIVE, carry, &expected);
		if (library->run(device, &job, reason, sizeof(reason)) != SCAN_GPU_OK)
			holds = false;
		else
		{
			LawAnswers answers = {o->out, o->out_valid, o->has_nulls != 0, o->done, (ScanStatus) o->status};

			holds = holds && law_answers_differ(op, &answers, &expected) == -2;
		}
		law_answers_free(&expected);
		law_column_free(&sorted);
		law_column_free(&column);
		law_memory_free();
		free(order);
		free((void *) sort_low);
		free(carry);
	}
	return holds;
}

static void
vectors_hold(const ScanOp *op)
{
	char text[100];
	bool holds;

	if (info.row_ns[op->line] == 0)
		return;
	law_report(vectors_by_keys_hold(op), "recurrences by keys");
	if (least)
		return;
	jobs = declined = 0;
	holds = filters_hold();
	snprintf(text, sizeof(text), "filters: %ld jobs, %ld not proven", jobs, declined);
	law_report(holds, text);
	law_report(many_vectors_hold(), "long filters");
	law_report(worn_carries_hold(), "filters that go on from what is not exact");
	law_report(fibonacci_holds(), "Fibonacci's and longer sums");
	law_report(odd_vectors_hold(), "recurrences of odd numbers");
}

#endif /* SCAN_GPU_CHECK_VECTOR_H */

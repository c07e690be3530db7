/*
 * vector.c: the stretches of src/cpu/vector.c, bit for bit against the tiers of recurrence_step, for recurrences of
 * order 1 to 6: coefficients that contract, swing, grow, tie, decay and are not finite, in jobs of several sizes, with
 * NULLs and heads; and the zeros that series of first order begin with.
 *
 * And that they do what they are there for: hardly a row of a stable recurrence whose coefficients change is left to
 * the tiers, though the sum of these is above 1.
 *
 *   vector [LABEL [few]]
 */
#include "cpu/ways.h"
#include "ordered.h"

typedef enum RowKind
{
	ROW_CONTRACTING,
	ROW_SWINGING, /* stable, but the sum of the coefficients is above 1 */
	ROW_STEADY,	  /* the same, of coefficients that do not change */
	ROW_SILENT,	  /* swinging, with zeros at first and now and then: exact zeros */
	ROW_GROWING,
	ROW_HALVES, /* dyadic: ties everywhere */
	ROW_DECAY,	/* into the subnormals */
	ROW_NOT_FINITE,
	ROW_KINDS
} RowKind;

static const char *const row_names[] = {"contracting", "swinging", "steady", "silent",
										"growing",	   "halves",   "decay",	 "not finite"};

static const char *label = "cc";
static bool		   few;

/*
 * Coefficients of order k whose characteristic polynomial has the roots r e^(+-i w), twice for k = 4, beside zeros.
 */
static void
coefficients(int k, double r, double w, double *a)
{
	double p = 2 * r * cos(w), q = -r * r;

	memset(a, 0, (size_t) k * sizeof(double));
	if (k == 1)
		a[0] = r;
	else if (k < 4)
		a[0] = p, a[1] = q;
	else
	{
		/* 1 - (1 - p z - q z^2)^2 */
		a[0] = 2 * p;
		a[1] = 2 * q - p * p;
		a[2] = -2 * p * q;
		a[3] = -q * q;
	}
}

static void
row_draw(LawColumn *column, RowKind kind, int k, int64_t i)
{
	double *a = (double *) column->in + i * k, *b = (double *) column->in2 + i;
	double	jitter = 1 + (law_uniform() - 0.5) * 0.01;

	*b = law_uniform() - 0.5;
	switch (kind)
	{
		case ROW_CONTRACTING:
			for (int j = 0; j < k; j++)
				a[j] = law_sign() * law_uniform() / k;
			return;
		case ROW_SILENT:
			if (i < 5 || i % 1000 > 600)
				*b = 0.0;
			/* fall through */
		case ROW_SWINGING:
			coefficients(k, k == 4 ? 0.7 : 0.9, 0.7, a);
			a[0] *= jitter;
			return;
		case ROW_STEADY:
			coefficients(k, k == 4 ? 0.7 : 0.9, 0.7, a);
			return;
		case ROW_GROWING:
			coefficients(k, 1.02, 0.3, a);
			a[0] *= jitter;
			return;
		case ROW_HALVES:
			for (int j = 0; j < k; j++)
				a[j] = (double) (int64_t) (law_random() % 5 - 2) / 2;
			a[0] = law_random() % 8 == 0 ? a[0] : 0.5;
			*b = (double) (int64_t) (law_random() % 7) - 3;
			return;
		case ROW_DECAY:
			coefficients(k, 0.6, 0.7, a);
			a[0] *= jitter;
			*b = i % 3000 == 0 ? *b : 0.0;
			return;
		default:
			coefficients(k, 0.8, 0.7, a);
			a[0] *= jitter;
			if (law_random() % 500 == 0)
				*b = (double) INFINITY;
			if (law_random() % 700 == 0)
				a[k - 1] = (double) NAN;
			return;
	}
}

static void
column_draw(LawColumn *column, RecurrenceParam *p, RowKind kind, int k, int64_t n)
{
	memset(p, 0, sizeof(*p));
	p->memory = &law_memory.memory;
	p->order = k;
	p->width = (size_t) k * sizeof(double);
	for (int j = 0; j < k; j++)
		p->init[j] = kind == ROW_SILENT ? 0.0 : law_small();
	law_column_start(column, scan_op_at(SCAN_OP_recurrence_vector), p, n);
	for (int64_t i = 0; i < n; i++)
		row_draw(column, kind, k, i);
}

/* The column in jobs as row by row. */
static bool
jobs_hold(RowKind kind, int k, int64_t n, bool gaps)
{
	static const int64_t sizes[] = {8, 1000, 4095, SCAN_BATCH};
	RecurrenceParam		 p;
	LawColumn			 column;
	LawAnswers			 expected;
	ScanExtent			 extent = law_random() % 2 == 0 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE;
	bool				 holds = true;

	column_draw(&column, &p, kind, k, n);
	if (gaps)
	{
		column.valid = law_random_bits(n, 990);
		column.heads = law_random_bits(n, 2);
	}
	law_run_steps(&column, extent, &expected);
	law_memory_free();
	for (int s = 0; s < 4; s++)
	{
		holds = law_jobs_agree(&column, extent, SCAN_AUTO, sizes[s], &expected, row_names[kind]) && holds;
		law_memory_free();
	}
	law_answers_free(&expected);
	law_column_free(&column);
	return holds;
}

/* How many of n rows the tiers have to take. */
static int64_t
rows_left(RowKind kind, int k, int64_t n)
{
	RecurrenceParam	  p;
	LawColumn		  column;
	ScanJob			  job;
	OrderedRecurrence acc;
	double			 *y = (double *) law_alloc((size_t) n * sizeof(double));
	double			  row[SCAN_ROW_SIZE / sizeof(double)];
	int64_t			  left = 0;

	column_draw(&column, &p, kind, k, n);
	memset(&job, 0, sizeof(job));
	job.op = column.op;
	job.param = &p;
	job.in = column.in;
	job.in2 = column.in2;
	memset(&acc, 0, sizeof(acc));
	for (int64_t done = 0; done < n; done++)
	{
		done += done == 0 ? 0 : scan_vector_run(&job, &acc, done, n - done, y + done);
		if (done == n)
			break;
		memcpy(row, (double *) column.in + done * k, (size_t) k * sizeof(double));
		row[k] = ((double *) column.in2)[done];
		if (done == 0)
			column.op->lift(&p, row, done, &acc);
		else
			column.op->accumulate(&p, &acc, row, done);
		left++;
	}
	law_memory_free();
	law_column_free(&column);
	free(y);
	return left;
}

/* A recurrence of first order, or an average, of so many zeros and then something. */
static bool
silence_holds(const ScanOp *op, int64_t zeros, int64_t n)
{
	LawColumn  column;
	LawAnswers expected;
	bool	   holds = true;

	law_column_start(&column, op, law_ordered_param(op), n);
	if (op->in2_size > 0)
		((RecurrenceParam *) (uintptr_t) column.param)->init[0] = -0.0;
	for (int64_t i = 0; i < n; i++)
	{
		double x = i < zeros ? (law_random() % 2 == 0 ? 0.0 : -0.0) : law_normal();

		if (op->in2_size == 0)
			((double *) column.in)[i] = x;
		else
		{
			/* what is not finite makes a NaN of a zero */
			((double *) column.in)[i] = law_random() % 20000 == 0 ? -(double) INFINITY : law_uniform();
			((double *) column.in2)[i] = x;
		}
	}
	law_run_steps(&column, SCAN_INCLUSIVE, &expected);
	law_memory_free();
	for (int64_t size = 3000; size < SCAN_BATCH; size *= 20)
	{
		holds = law_jobs_agree(&column, SCAN_INCLUSIVE, SCAN_AUTO, size, &expected, "zeros") && holds;
		law_memory_free();
	}
	law_answers_free(&expected);
	law_column_free(&column);
	return holds;
}

static void
silences_hold(ScanOpId line)
{
	static const int64_t zeros[] = {1, 2, 4095, 4096, 4097, 5000, 9000};
	const ScanOp		*op = scan_op_at(line);
	bool				 holds = true;
	char				 text[120];

	for (int z = 0; z < 7; z++)
		for (int round = 0; round < (few ? 1 : 5); round++)
			holds = silence_holds(op, zeros[z], 9000) && holds;
	snprintf(text, sizeof(text), "%s of zeros first (%s)", op->function, label);
	law_report(holds, text);
}

int
main(int argc, char **argv)
{
	static const struct
	{
		RowKind kind;
		int		k;
	} easy[] = {{ROW_CONTRACTING, 2}, {ROW_CONTRACTING, 4}, {ROW_SWINGING, 2}, {ROW_SWINGING, 3},
				{ROW_SWINGING, 4},	  {ROW_SILENT, 2},		{ROW_SILENT, 3}};
	char text[120];

	if (argc > 1)
		label = argv[1];
	few = argc > 2;
	for (RowKind kind = 0; kind < ROW_KINDS; kind++)
	{
		bool holds = true;

		for (int k = 1; k <= 6; k++)
			for (int gaps = 0; gaps < 2; gaps++)
				holds = jobs_hold(kind, k, few ? 1500 : 5000, gaps == 1) && holds;
		snprintf(text, sizeof(text), "recurrences of order k, %s (%s)", row_names[kind], label);
		law_report(holds, text);
	}
	silences_hold(SCAN_OP_recurrence_float8);
	silences_hold(SCAN_OP_ema_float8);
	for (int i = 0; i < (int) (sizeof(easy) / sizeof(easy[0])); i++)
	{
		int64_t n = few ? 10000 : 50000, left = rows_left(easy[i].kind, easy[i].k, n);

		snprintf(text, sizeof(text), "order %d, %s: %" PRId64 " of %" PRId64 " rows are left to the tiers (%s)",
				 easy[i].k, row_names[easy[i].kind], left, n, label);
		law_report(left * 100 <= n, text);
	}
	return law_failures != 0;
}

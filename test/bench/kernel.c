/*
 * kernel.c: what a row costs inside a job: the loops of src/cpu alone, with no SQL around them, beside a copy and the
 * plain loops that anyone would write.
 *
 * Every case is measured in turn, `REPEATS` times, and the median is shown, so that a busy moment of the machine meets
 * all cases alike.  64K elements are read again and again from the caches; 10M stream through memory that was touched
 * before.  Columns run in jobs of SCAN_BATCH rows with the carry going on, as the extension runs them.
 *
 *   kernel [ROWS]            other than 10000000
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../law/random.h"
#include "cpu/cpu.h"

#define REPEATS 11
#define CACHED 65536

typedef enum Data
{
	INTEGERS,
	UNIFORM,
	CENTS,
	EXPONENTS, /* 1e-300 to 1e300 */
	TIES,	   /* 1 + 2^-53, then +-2^-300: every other answer hangs on the last */
	SUBNORMALS,
	NEAR_OVERFLOW,
	SMALL_INTEGERS,
	PULSES, /* a 1, then 2999 zeros */
	DATA,
} Data;

typedef enum Loop
{
	COPY,
	PLAIN,		/* y += x, in order */
	JOBS,		/* sums */
	PLAIN_FMA,	/* y = a y + x, in order */
	RECURRENCE, /* the same as jobs */
} Loop;

typedef struct Case
{
	const char	 *name;
	Loop		  loop;
	Data		  data;
	ScanAlgorithm algorithm;
	ScanExtent	  extent;
	bool		  nulls;  /* 30 % */
	bool		  heads;  /* 1 % */
	double		  factor; /* a of a recurrence */
} Case;

static const Case cases[] = {
	{"copy", COPY, INTEGERS, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"plain int64 loop", PLAIN, INTEGERS, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum int8", JOBS, INTEGERS, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum int8, exclusive", JOBS, INTEGERS, SCAN_AUTO, SCAN_EXCLUSIVE, false, false},
	{"sum int8, 30 % NULLs", JOBS, INTEGERS, SCAN_AUTO, SCAN_INCLUSIVE, true, false},
	{"sum int8, 1 % heads", JOBS, INTEGERS, SCAN_AUTO, SCAN_INCLUSIVE, false, true},
	{"sum int8, NULLs and heads", JOBS, INTEGERS, SCAN_AUTO, SCAN_INCLUSIVE, true, true},
	{"sum int8, NULLs and heads, exclusive", JOBS, INTEGERS, SCAN_AUTO, SCAN_EXCLUSIVE, true, true},
	{"sum int8, hillis_steele", JOBS, INTEGERS, SCAN_HILLIS_STEELE, SCAN_INCLUSIVE, false, false},
	{"sum int8, blelloch", JOBS, INTEGERS, SCAN_BLELLOCH, SCAN_INCLUSIVE, false, false},
	{"sum int8, blocked", JOBS, INTEGERS, SCAN_BLOCKED, SCAN_INCLUSIVE, false, false},
	{"plain double loop (rounds every row)", PLAIN, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum float8, uniform", JOBS, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum float8, exclusive", JOBS, UNIFORM, SCAN_AUTO, SCAN_EXCLUSIVE, false, false},
	{"sum float8, 30 % NULLs", JOBS, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, true, false},
	{"sum float8, 1 % heads", JOBS, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, false, true},
	{"sum float8, NULLs and heads", JOBS, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, true, true},
	{"sum float8, NULLs and heads, exclusive", JOBS, UNIFORM, SCAN_AUTO, SCAN_EXCLUSIVE, true, true},
	{"sum float8, hillis_steele", JOBS, UNIFORM, SCAN_HILLIS_STEELE, SCAN_INCLUSIVE, false, false},
	{"sum float8, blelloch", JOBS, UNIFORM, SCAN_BLELLOCH, SCAN_INCLUSIVE, false, false},
	{"sum float8, blocked", JOBS, UNIFORM, SCAN_BLOCKED, SCAN_INCLUSIVE, false, false},
	{"sum float8, cents", JOBS, CENTS, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum float8, exponents 1e-300..1e300", JOBS, EXPONENTS, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum float8, adversarial ties", JOBS, TIES, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum float8, subnormals", JOBS, SUBNORMALS, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum float8, near overflow", JOBS, NEAR_OVERFLOW, SCAN_AUTO, SCAN_INCLUSIVE, false, false},
	{"sum float8, uniform, sequential", JOBS, UNIFORM, SCAN_SEQUENTIAL, SCAN_INCLUSIVE, false, false},
	{"plain fma loop (rounds every row)", PLAIN_FMA, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, false, false, 0.98},
	{"recurrence, a = 0.98", RECURRENCE, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, false, false, 0.98},
	{"recurrence, a = 1.00001", RECURRENCE, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, false, false, 1.00001},
	{"recurrence, a = 1", RECURRENCE, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, false, false, 1},
	{"recurrence, a = 0.98, 30 % NULLs", RECURRENCE, UNIFORM, SCAN_AUTO, SCAN_INCLUSIVE, true, false, 0.98},
	{"recurrence, a = 0.98, sequential", RECURRENCE, UNIFORM, SCAN_SEQUENTIAL, SCAN_INCLUSIVE, false, false, 0.98},
	{"recurrence, a = 0.98, blelloch", RECURRENCE, UNIFORM, SCAN_BLELLOCH, SCAN_INCLUSIVE, false, false, 0.98},
	{"recurrence, a = 0.5, ties", RECURRENCE, SMALL_INTEGERS, SCAN_AUTO, SCAN_INCLUSIVE, false, false, 0.5},
	{"recurrence, a = 0.7, decays", RECURRENCE, PULSES, SCAN_AUTO, SCAN_INCLUSIVE, false, false, 0.7},
};

#define CASES ((int) (sizeof(cases) / sizeof(cases[0])))

static void	   *columns[DATA];
static double  *factors;
static void	   *out;
static uint8_t *valid, *heads, *out_valid;
static void	   *scratch;
static int64_t	rows = 10000000;

static uint64_t
draw_bits(void)
{
	static uint64_t seed = 42;

	return random_next(&seed);
}

static double
draw(Data data, int64_t i)
{
	uint64_t r = draw_bits();
	double	 u = (double) (r >> 11) * 0x1p-53;
	double	 sign = r & 1 ? 1 : -1;

	switch (data)
	{
		case CENTS:
			return floor(u * 1e6) / 100;
		case EXPONENTS:
			return sign * ldexp(1 + u, (int) (draw_bits() >> 32) % 1993 - 996);
		case TIES:
			return i == 0 ? 1 : i == 1 ? 0x1p-53 : i % 2 == 0 ? 0x1p-300 : -0x1p-300;
		case SUBNORMALS:
			return sign * (double) (r >> 13) * 0x1p-1074;
		case NEAR_OVERFLOW:
			return i % 2 == 0 ? 1.7e308 : -1.7e308;
		case SMALL_INTEGERS:
			return floor(u * 5);
		case PULSES:
			return i % 3000 == 0;
		default:
			return u;
	}
}

static void *
touched(size_t size)
{
	void *p = malloc(size);

	if (p == NULL)
		exit(1);
	memset(p, 0xff, size);
	return p;
}

static void
columns_fill(void)
{
	size_t scratch_size = scan_scratch_size(scan_op_at(SCAN_OP_sum_float8));

	for (int data = 0; data < DATA; data++)
	{
		columns[data] = touched((size_t) rows * 8);
		for (int64_t i = 0; i < rows; i++)
			if (data == INTEGERS)
				((int64_t *) columns[data])[i] = (int64_t) draw_bits() >> 24;
			else
				((double *) columns[data])[i] = draw((Data) data, i);
	}
	/* not as far into a page as the inputs: some processors take a store for a load there */
	out = (char *) touched((size_t) rows * 8 + 1024) + 1024;
	factors = (double *) touched((size_t) rows * 8);
	valid = touched((size_t) rows / 8 + 1);
	heads = touched((size_t) rows / 8 + 1);
	out_valid = touched((size_t) rows / 8 + 1);
	scratch = touched(scratch_size);
	for (int64_t i = 0; i < rows; i++)
	{
		scan_bit_put(valid, i, draw_bits() % 10 >= 3);
		scan_bit_put(heads, i, draw_bits() % 100 == 0);
	}
}

static __attribute__((noinline)) void
plain_integers(const int64_t *x, int64_t n, int64_t *y)
{
	int64_t total = 0;

	for (int64_t i = 0; i < n; i++)
		y[i] = total += x[i];
}

static __attribute__((noinline)) void
plain_doubles(const double *x, int64_t n, double *y)
{
	double total = 0;

	for (int64_t i = 0; i < n; i++)
		y[i] = total += x[i];
}

/* Memory of recurrences: a column's, given back by memory_free. */
static void *pieces[16];

static void *
memory_resize(ScanMemory *memory, void *old, size_t size)
{
	int	  place = 0;
	void *now = NULL;

	(void) memory;
	while (pieces[place] != old)
		place++;
	if (size == 0)
		free(old);
	else
		now = realloc(old, size);
	pieces[place] = now;
	return now;
}

static void
memory_free(void)
{
	for (int i = 0; i < 16; i++)
	{
		free(pieces[i]);
		pieces[i] = NULL;
	}
}

static void
jobs(const Case *c, int64_t n)
{
	static ScanMemory memory = {memory_resize, NULL};
	RecurrenceParam	  param = {.memory = &memory, .order = 1};
	bool			  recurs = c->loop == RECURRENCE;
	const ScanOp	 *op = scan_op_at(recurs				? SCAN_OP_recurrence_float8
									  : c->data == INTEGERS ? SCAN_OP_sum_int8
															: SCAN_OP_sum_float8);
	ScanCarry		 *carry = (ScanCarry *) malloc(scan_carry_size(op));

	scan_carry_start(op, carry);
	for (int64_t from = 0; from < n; from += SCAN_BATCH)
	{
		ScanJob job;

		memset(&job, 0, sizeof(job));
		job.op = op;
		job.param = &param;
		job.algorithm = c->algorithm;
		job.extent = c->extent;
		job.n = n - from < SCAN_BATCH ? n - from : SCAN_BATCH;
		job.in = recurs ? (const char *) (factors + from) : (const char *) columns[c->data] + from * 8;
		job.in2 = (const char *) columns[c->data] + from * 8;
		job.valid = c->nulls ? valid + from / 8 : NULL;
		job.heads = c->heads ? heads + from / 8 : NULL;
		job.carry = carry;
		job.scratch = scratch;
		job.out = (char *) out + from * 8;
		job.out_valid = out_valid + from / 8;
		scan_cpu_run(&job);
		if (job.status != SCAN_OK)
		{
			printf("%s: error %d at row %lld\n", c->name, (int) job.status, (long long) (from + job.done));
			exit(1);
		}
	}
	free(carry);
	memory_free();
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("fma")))
#endif
static __attribute__((noinline)) void
plain_fma(const double *a, const double *b, int64_t n, double *y)
{
	double last = 0;

	for (int64_t i = 0; i < n; i++)
		y[i] = last = fma(a[i], last, b[i]);
}

/* Time on the processor, so that other programs' turns on it do not count. */
static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

/* Nanoseconds an element. */
static double
measure(const Case *c, int64_t n, int times)
{
	double start;

	for (int64_t i = 0; c->factor != 0 && i < n; i++)
		factors[i] = c->factor;
	start = now();
	for (int i = 0; i < times; i++)
		if (c->loop == COPY)
			memcpy(out, columns[c->data], (size_t) n * 8);
		else if (c->loop == JOBS || c->loop == RECURRENCE)
			jobs(c, n);
		else if (c->loop == PLAIN_FMA)
			plain_fma(factors, (const double *) columns[c->data], n, (double *) out);
		else if (c->data == INTEGERS)
			plain_integers((const int64_t *) columns[c->data], n, (int64_t *) out);
		else
			plain_doubles((const double *) columns[c->data], n, (double *) out);
	return (now() - start) / ((double) n * times);
}

static int
double_compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* Medians of all cases at n elements, each measured over `times` passes in a row. */
static void
measure_all(int64_t n, int times, double *median)
{
	static double ns[CASES][REPEATS];

	for (int repeat = 0; repeat < REPEATS; repeat++)
		for (int c = 0; c < CASES; c++)
			ns[c][repeat] = measure(&cases[c], n, times);
	for (int c = 0; c < CASES; c++)
	{
		qsort(ns[c], REPEATS, sizeof(double), double_compare);
		median[c] = ns[c][REPEATS / 2];
	}
}

int
main(int argc, char **argv)
{
	double cached[CASES], streamed[CASES];
	double plain_cached = 1, plain_streamed = 1;

	if (argc > 1)
		rows = atoll(argv[1]);
	if (rows < CACHED)
		rows = CACHED;
	columns_fill();
	measure_all(CACHED, 20, cached);
	measure_all(rows, 1, streamed);

	printf("ns per element, and times the plain loop of the type; medians of %d\n\n", REPEATS);
	printf("| loop | %d elements, in cache: ns | times the plain loop | %lld elements: ns | times the plain loop |\n"
		   "|---|---|---|---|---|\n",
		   CACHED, (long long) rows);
	for (int c = 0; c < CASES; c++)
	{
		/* a copy is compared with the integer loop, which is the next line */
		int plain = cases[c].loop == COPY ? c + 1 : c;

		if (cases[plain].loop == PLAIN || cases[plain].loop == PLAIN_FMA)
		{
			plain_cached = cached[plain];
			plain_streamed = streamed[plain];
		}
		printf("| %s | %.2f | %.2fx | %.2f | %.2fx |\n", cases[c].name, cached[c], cached[c] / plain_cached,
			   streamed[c], streamed[c] / plain_streamed);
	}
	return 0;
}

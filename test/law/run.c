/*
 * run.c: the fast ways through a dense run of an exact sum, exact_run and the AVX-512 tiles of src/cpu/wide.c, bit for
 * bit against exact_accumulate and exact_round, row by row: data of every kind, lengths around every edge, starts of
 * every form.
 */
#include "dense.h"
#include "same.h"

typedef enum SumKind
{
	SUM_UNIFORM,
	SUM_NORMAL,
	SUM_CENTS,
	SUM_INTEGERS,
	SUM_CANCEL,
	SUM_WILD,
	SUM_SPREAD, /* low bits about where the grid ends */
	SUM_HALF_GRID,
	SUM_TIES,
	SUM_SUBNORMAL,
	SUM_NEAR_OVERFLOW,
	SUM_OVERFLOW,
	SUM_BRINK, /* for one row s + c is beyond the largest double, s and c are not */
	SUM_ZEROS,
	SUM_ANYTHING,
	SUM_KINDS,
} SumKind;

static const char *const sum_names[] = {"uniform",
										"normal",
										"cents",
										"small integers",
										"cancelling pairs",
										"exponents of all sizes",
										"spread bits",
										"half a grid step",
										"ties",
										"subnormals",
										"near overflow",
										"overflow",
										"on the brink",
										"zeros of both signs",
										"anything"};

static double
sum_value(SumKind kind, int64_t i)
{
	static const double brink[6] = {DBL_MAX, 0x1p969, 0x1p969, -0x1p969, -0x1p969, -DBL_MAX};
	static double		last;

	switch (kind)
	{
		case SUM_UNIFORM:
			return uniform();
		case SUM_NORMAL:
			return normal();
		case SUM_CENTS:
			return floor(uniform() * 1e6) / 100;
		case SUM_INTEGERS:
			return (double) (law_random() % 16);
		case SUM_CANCEL:
			return last = i % 2 == 0 ? 1e16 * uniform() : uniform() - last;
		case SUM_WILD:
			return random_sign() * ldexp(1 + uniform(), (int) (law_random() % 1993) - 996);
		case SUM_SPREAD:
			return law_random() % 100 != 0 ? uniform()
										   : ldexp((double) (law_random() % 1024), -80 - (int) (law_random() % 30));
		case SUM_HALF_GRID:
			/* with a 1 in the tile of 512, g = 2^-41 and f = 2^-88; here and there bits are finer */
			if (i % 500 == 100)
				return 1;
			return 0x1p-42 - (double) (law_random() % 8) * (i / 1000 % 2 == 0 ? 0x1p-88 : 0x1p-90);
		case SUM_TIES:
			return i == 0 ? 1 : i == 1 ? 0x1p-53 : i % 2 == 0 ? 0x1p-300 : -0x1p-300;
		case SUM_SUBNORMAL:
			return random_sign() * (double) (law_random() >> 13) * 0x1p-1074;
		case SUM_NEAR_OVERFLOW:
			return i % 2 == 0 ? 1.7e308 : -1.7e308;
		case SUM_OVERFLOW:
			return ldexp(uniform(), 1016);
		case SUM_BRINK:
			return i % 97 < 6 ? brink[i % 97] : 0;
		case SUM_ZEROS:
			return law_random() % 600 == 0 ? uniform() : random_sign() * 0.0;
		default:
			return law_double((int) (law_random() % 3));
	}
}

#define STARTS 7

static void
sum_start(ExactSum *a, int which)
{
	static const double firsts[STARTS] = {0.0, -0.0, 1.5, 1e300, 1e16, (double) INFINITY, 1 + 0x1p-40};
	static const double seconds[STARTS] = {0.0, -0.0, 0x1p-60, 0x1p-300, -1e16, 1.0, 0x1p-110};

	memset(a, 0, sizeof(*a));
	exact_lift(firsts[which], a);
	exact_accumulate(a, seconds[which]);
	if (which == 4) /* the sum is all in c */
	{
		a->s = 0.0;
		a->c = 0.1;
	}
}

typedef int64_t (*SumRun)(ExactSum *a, const double *x, int64_t n, double *y);

/* A column driven by `run`; false when it goes on past an answer that is not finite. */
static bool
sum_runs(SumRun run, ExactSum *a, const double *x, int64_t n, double *y)
{
	bool ok = true;

	for (int64_t i = 0; i < n; i++)
	{
		for (int64_t end = i + run(a, x + i, n - i, y + i); i < end; i++)
			ok = ok && isfinite(y[i]);
		if (i >= n)
			break;
		exact_accumulate(a, x[i]);
		exact_round(a, &y[i]);
	}
	return ok;
}

/* All ways from the same start; the state, too, has to be the same value. */
static bool
sum_agrees(const ExactSum *start, const double *x, int64_t n, const char *what)
{
	double	*expected = doubles(n);
	double	*y = doubles(n);
	ExactSum by_row = *start;
	bool	 ok = true;

	for (int64_t i = 0; i < n; i++)
	{
		exact_accumulate(&by_row, x[i]);
		exact_round(&by_row, &expected[i]);
	}
	for (int wide = 0; wide <= scan_wide_available(); wide++)
	{
		ExactSum a = *start;

		ok = sum_runs(wide ? scan_wide_exact_run : exact_run, &a, x, n, y) && ok;
		ok = same_bits(y, expected, n, what) && exact_same(&a, &by_row) && ok;
	}
	doubles_free(expected);
	doubles_free(y);
	return ok;
}

static void
law_sums(void)
{
	/* the head is 72 rows, a block 64, a tile 512, a rescue 1024; 192 is the least for any of it */
	static const int edges[] = {1,	 64, 72, 136, 192, 72 + 512, 72 + 512 + 64, 72 + 1024, 72 + 1536, 72 + 512 + 1024,
								4096};
	static const int scales[] = {0, 0, 100, -900, -1000};

	for (int kind = 0; kind < SUM_KINDS; kind++)
	{
		char text[120];
		bool ok = true;

		for (int e = 0; e < (int) (sizeof(edges) / sizeof(edges[0])); e++)
			for (int around = -1; around <= 1; around++)
				for (int round = 0; round < (few ? 2 : 12); round++)
				{
					ExactSum start;
					int64_t	 n = edges[e] + around;
					int64_t	 skip = (int64_t) (law_random() % 9);
					double	*x = doubles(n + skip);
					double	 scale = kind == SUM_SPREAD || kind == SUM_HALF_GRID || kind == SUM_UNIFORM
										 ? ldexp(1, scales[law_random() % 5])
										 : 1;

					for (int64_t i = 0; i < n; i++)
						x[i + skip] = sum_value((SumKind) kind, i) * scale;
					sum_start(&start, (round + e) % STARTS);
					ok = sum_agrees(&start, x + skip, n, sum_names[kind]) && ok;
					doubles_free(x);
				}
		snprintf(text, sizeof(text), "runs of exact sums, %s", sum_names[kind]);
		report(ok, text);
	}
}

/* One row of 1300 is not like the others, each in turn. */
static void
law_sums_with_one(void)
{
	static const double ones[] = {(double) INFINITY, -(double) INFINITY, (double) NAN, DBL_MAX,
								  0x1p-1074,		 0x1p-110,			 -0.0,		   0x1p70};
	double			   *x = doubles(1300);
	ExactSum			start;
	bool				ok = true;

	sum_start(&start, 0);
	for (int64_t i = 0; i < 1300; i++)
		x[i] = normal();
	for (int one = 0; one < (int) (sizeof(ones) / sizeof(ones[0])); one++)
		for (int64_t i = 0; i < 1300; i += few ? 7 : 1)
		{
			double before = x[i];

			x[i] = ones[one];
			ok = sum_agrees(&start, x, 1300, "one of another kind") && ok;
			x[i] = before;
		}
	doubles_free(x);
	report(ok, "runs of exact sums, an infinity, NaN, huge or tiny number at every place");
}

int
main(int argc, char **argv)
{
	arguments(argc, argv);
	if (!scan_wide_available())
		printf("ok wide sums (%s) # skip: no AVX-512 on this machine\n", label);
	law_sums();
	law_sums_with_one();
	return law_failures != 0;
}

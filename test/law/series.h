/*
 * series.h: the series that recurrence.c tries recurrences and products on: what is nasty about each kind, and which
 * precision tiers it is there for.
 */
#ifndef SCAN_LAW_SERIES_H
#define SCAN_LAW_SERIES_H

#include "law.h"
#include "op/product.h"

#define MAX_ROWS 9000
#define TINY 0x1p-1074
#define INF ((double) INFINITY)

typedef struct Series
{
	int	   order; /* 0: a product */
	int	   n;
	double init[RECURRENCE_ORDERS];
	double row[2 * MAX_ROWS]; /* a_1 .. a_k b each; or a factor */
} Series;

static int
series_width(const Series *s)
{
	return s->order + 1;
}

typedef enum Tier
{
	CERTIFIED = 0,
	TRACKED,
	SCALED,
	SPECIAL,
	EXACT,
	BEYOND, /* beyond the doubles, whoever said so */
	TIERS,
} Tier;

static const char *const tier_names[TIERS] = {"certified", "tracked", "scaled",
											  "special",   "exact",	  "beyond the doubles"};

static double
choice(const double *x, size_t n)
{
	return x[law_random() % n];
}

#define CHOICE(...) choice((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static double
between(double low, double high)
{
	return low + (high - low) * law_uniform();
}

static double
any_scale(int low, int high)
{
	return law_sign() * ldexp(law_uniform(), low + (int) (law_random() % (uint64_t) (high - low)));
}

/* The product of three in a row is 1 + 3 2^-53 - 2^-157, a hair beside a tie, and too long for a pair. */
static double
beside_tie(int i)
{
	return i % 3 == 2 ? 1 - 0x1p-53 : 1 + 0x1p-52;
}

typedef enum KindName
{
	EMA,
	COMPOUNDING,
	NEAR_ONE,
	SIGNS,
	UNITS,
	DECAY,
	DECAY_FROM_BELOW,
	LARGEST_SUBNORMALS,
	TIES_OF_INTEGERS,
	TIES_AT_THE_LAST_BIT,
	TIES_WITH_A_DEEP_BIT,
	BESIDE_DEEP_TIES,
	HUGE_EXPONENTS,
	TINY_TERMS,
	CHUNKS,
	GROWTH,
	EDGE_OF_DOUBLES,
	NOT_FINITE,
	BIQUAD,
	FIBONACCI,
	FADING,
	BURSTS,
	SILENCE,
	PRODUCT_NEAR_ONE,
	PRODUCT_AWAY_AND_BACK,
	PRODUCT_OF_SUBNORMALS,
	PRODUCT_OF_TIES,
	PRODUCT_BESIDE_TIES,
	PRODUCT_OF_DEEP_TIES,
	PRODUCT_BESIDE_DEEP_TIES,
	PRODUCT_WITH_ZEROS,
	PRODUCT_NOT_FINITE,
	PRODUCT_OF_CHUNKS,
	PRODUCT_OF_CHUNKS_BESIDE_TIES,
	PRODUCT_FAR_BELOW,
	PRODUCT_VERY_FAR,
} KindName;

/* Row i of a recurrence: the coefficients, and the term, which is returned. */
static double
draw_row(KindName kind, int order, int i, double *a)
{
	double b = law_normal();

	for (int j = 0; j < order; j++)
		switch (kind)
		{
			case EMA:
				b *= 0.02;
				a[j] = 0.98;
				break;
			case COMPOUNDING:
				a[j] = 1 + law_uniform() * 0.001;
				break;
			case NEAR_ONE:
				a[j] = 1 + between(-1e-5, 1e-5);
				break;
			case SIGNS:
				a[j] = between(-1.2, 1.2) / (1 + 0.5 * j);
				break;
			case UNITS:
				a[j] = CHOICE(0.0, -0.0, 1, -1, 0.5);
				b = CHOICE(0.0, -0.0, b);
				break;
			case DECAY:
				a[j] = between(0.02, 0.3) / order;
				b = 0;
				break;
			case DECAY_FROM_BELOW:
				a[j] = between(0.05, 0.2) / order;
				b = CHOICE(0, -TINY, -3e-310);
				break;
			case LARGEST_SUBNORMALS:
				a[j] = CHOICE(0.6, 0.8, 0.9, 1.5, -0.9) / order;
				b = CHOICE(0, 0, 1e-308, -1e-308, TINY);
				break;
			case TIES_OF_INTEGERS:
				a[j] = order == 1 ? 0.5 : CHOICE(0.5, -0.25, 0.25, 0, 0);
				b = (double) (law_random() % 9) - 4;
				break;
			case TIES_AT_THE_LAST_BIT:
				a[j] = j > 0 ? 0 : law_sign();
				b = CHOICE(1, 0x1p-53, 0x1p-52, 3 * 0x1p-54, -0x1p-53);
				break;
			case TIES_WITH_A_DEEP_BIT:
				a[j] = j > 0 ? 0 : law_sign();
				b = CHOICE(1, 0x1p-53, -0x1p-53, 0x1p-110, -0x1p-110, 0x1p-200, -0x1p-300);
				break;
			case BESIDE_DEEP_TIES:
				a[j] = i == 0 ? 0x1p-1022 : law_random() % 2 ? beside_tie(i) : CHOICE(1, -1);
				b = 0;
				break;
			case HUGE_EXPONENTS:
				a[j] = any_scale(-300, 250);
				b = any_scale(-1000, 900);
				break;
			case TINY_TERMS:
				a[j] = j > 0 ? 0 : 0.5;
				b = CHOICE(TINY, 2 * TINY, 0, -TINY, 0x1p-1022);
				break;
			case CHUNKS:
				a[j] = j == 0 ? CHOICE(0.75, 1.25, -0.875, -1.125) : CHOICE(0.25, -0.125, 0);
				b = CHOICE(0.5, -0.25, 0x1p-40);
				break;
			case GROWTH:
				a[j] = law_sign() * between(1, 32);
				break;
			case EDGE_OF_DOUBLES:
				a[j] = j > 0 ? 0 : 1;
				b = i == 0 ? DBL_MAX - 0x1p972 : CHOICE(0x1p970, 0x1p970, -0x1p970, 0x1p969, -0x1p969, TINY, -TINY);
				break;
			case NOT_FINITE:
				a[j] = i % 7 == 3 && law_random() % 20 == 0 ? CHOICE(INF, -INF, NAN) : between(-1, 1);
				b = j == 0 && law_random() % 50 == 0 ? CHOICE(INF, -INF, NAN) : b;
				break;
			case BIQUAD:
				a[j] = j == 0 ? 1.9911142922 : -0.9911535959;
				break;
			case FIBONACCI:
				a[j] = 1;
				b = 0;
				break;
			case BURSTS:
				/* a filter's answer to an impulse, which is to be proved to its end */
				a[j] = (order == 2 ? (const double[]){1.143, -0.4128} : (const double[]){2.2, -1.71, 0.55, -0.0625})[j];
				b = i % 350 == 3 ? b : 0;
				break;
			case SILENCE:
				/* zeros at first, of either sign, and a coefficient that is not finite now and then */
				a[j] = i < 30 && law_random() % 100 == 0 ? INF : between(-1.5, 1.5) / order;
				b = i < 30 ? CHOICE(0.0, -0.0) : b;
				break;
			case FADING:
				a[j] = between(-1.2, 1.2) / order;
				break;
			default:
				printf("not ok no such recurrence\n");
				exit(1);
		}
	return b;
}

/* Factor i of n. */
static double
draw_factor(KindName kind, int i, int n)
{
	switch (kind)
	{
		case PRODUCT_NEAR_ONE:
			return 1 + between(-1e-3, 1e-3);
		case PRODUCT_AWAY_AND_BACK:
			return any_scale(-200, 202);
		case PRODUCT_OF_SUBNORMALS:
			return CHOICE(TINY * (double) (1 + law_random() % 9), 3, 1.5, 0x1p100, 0x1p90 * 1.1, 0x1p700);
		case PRODUCT_OF_TIES:
			return CHOICE(1 + 0x1p-26, 1 + 0x1p-27, -1 + 0x1p-26, 2, 0.5, 3, 5);
		case PRODUCT_BESIDE_TIES:
			return law_random() % 2 == 0 ? beside_tie(i) : CHOICE(2, 0.5, -1);
		case PRODUCT_BESIDE_DEEP_TIES:
			return i == 0 ? 0x1p-1022 : law_random() % 2 ? beside_tie(i) : CHOICE(1, -1);
		case PRODUCT_OF_DEEP_TIES:
			return i < 2 ? 0x1p-530 : law_sign() * CHOICE(3, 0.5, 0.25, 0.75, 1.25, beside_tie(i));
		case PRODUCT_WITH_ZEROS:
			return law_random() % 40 == 0 ? CHOICE(0.0, -0.0) : law_normal();
		case PRODUCT_NOT_FINITE:
			return law_random() % 60 == 0 ? CHOICE(INF, -INF, NAN, 0) : law_normal();
		case PRODUCT_OF_CHUNKS:
			return CHOICE(1.5, -0.75, 0.5, 1.25, 0.75, 1.75, 1, 1);
		case PRODUCT_OF_CHUNKS_BESIDE_TIES:
			return i >= RECURRENCE_CHUNK - 3 && i < RECURRENCE_CHUNK + 3 ? beside_tie(i) : CHOICE(1, -1);
		case PRODUCT_FAR_BELOW: /* which the last two rows show */
			return i < 2 ? 0x1p-1000 : i >= n - 2 ? 0x1p1000 : i >= 3 && i < 6 ? beside_tie(i) : -1;
		case PRODUCT_VERY_FAR:
			return ldexp(between(0.5, 1), i < n / 2 ? -1000 : 1001);
		default:
			printf("not ok no such product\n");
			exit(1);
	}
}

#define R(tier) (1u << (tier))

typedef struct Kind
{
	KindName	name;
	const char *text;
	int			order, rows, series; /* a fifth of the series, if few */
	double		init;
	unsigned	reaches; /* tiers that have to answer one row at least */
} Kind;

static const Kind kinds[] = {
	{EMA, "EMA", 1, 300, 20, 0, R(CERTIFIED)},
	{COMPOUNDING, "compounding", 1, 300, 20, 1000, R(CERTIFIED)},
	{NEAR_ONE, "a near 1", 1, 300, 20, 0, R(CERTIFIED)},
	{SIGNS, "random signs", 1, 300, 20, 0.5, R(CERTIFIED)},
	{UNITS, "a of 0, 1, -1 and 1/2", 1, 300, 20, 1, R(TRACKED)},
	{DECAY, "decays into subnormals", 1, 450, 10, 1, R(SCALED)},
	{DECAY_FROM_BELOW, "decays from below", 1, 450, 10, -1, R(SCALED)},
	{LARGEST_SUBNORMALS, "the largest subnormals", 1, 60, 100, -3e-308, R(SCALED)},
	{TIES_OF_INTEGERS, "ties of small integers", 1, 300, 20, 3, R(TRACKED)},
	{TIES_AT_THE_LAST_BIT, "ties at the last bit", 1, 300, 20, 3, R(TRACKED)},
	{TIES_WITH_A_DEEP_BIT, "ties with a deep bit", 1, 300, 20, 3, R(TRACKED) | R(EXACT)},
	{BESIDE_DEEP_TIES, "a hair beside ties near the subnormals", 1, 12, 200, 1, R(SCALED) | R(EXACT)},
	{HUGE_EXPONENTS, "huge exponents", 1, 40, 100, 0, R(CERTIFIED) | R(BEYOND)},
	{TINY_TERMS, "tiny terms", 1, 300, 10, 0, R(SCALED)},
	{CHUNKS, "three chunks", 1, 8300, 6, 1, R(CERTIFIED)},
	{GROWTH, "growth beyond the doubles", 1, 400, 10, 1, R(BEYOND)},
	{EDGE_OF_DOUBLES, "the edge of the doubles", 1, 40, 200, 0, R(EXACT) | R(BEYOND)},
	{NOT_FINITE, "infinities and NaN", 1, 100, 60, 1, R(SPECIAL)},
	{NOT_FINITE, "an infinity from the start", 1, 20, 5, INF, R(SPECIAL)},
	{BIQUAD, "a biquad", 2, 300, 10, 0, R(CERTIFIED)},
	{BURSTS, "bursts", 2, 1100, 2, 0, R(SCALED)},
	{BURSTS, "bursts", 4, 1100, 2, 1, R(SCALED)},
	{SILENCE, "zeros at first", 1, 100, 100, -0.0, R(CERTIFIED) | R(SPECIAL)},
	{SILENCE, "zeros at first", 3, 100, 100, 0, R(CERTIFIED) | R(SPECIAL)},
	{FIBONACCI, "Fibonacci", 2, 1600, 1, 1, R(TRACKED) | R(BEYOND)},
	{UNITS, "a of 0, 1, -1 and 1/2", 2, 300, 10, 1, R(TRACKED)},
	{FADING, "fading", 3, 300, 10, 0.1, R(CERTIFIED)},
	{TIES_OF_INTEGERS, "ties of small integers", 3, 300, 10, 2, R(TRACKED)},
	{DECAY, "decays into subnormals", 3, 500, 5, -0x1p-900, R(SCALED)},
	{CHUNKS, "two chunks", 3, 4200, 2, 1, R(CERTIFIED)},
	{NOT_FINITE, "infinities and NaN", 3, 60, 60, 1, R(SPECIAL)},
	{FADING, "fading", 8, 200, 8, 0, R(CERTIFIED)},
	{TIES_WITH_A_DEEP_BIT, "ties with a deep bit", 8, 200, 8, 1, R(EXACT)},
	{FADING, "fading", 16, 200, 5, 1, R(CERTIFIED)},
	{DECAY, "decays into subnormals", 16, 300, 3, 0x1p-1000, R(SCALED)},
	{HUGE_EXPONENTS, "huge exponents", 16, 30, 10, 1, R(BEYOND)},
	{PRODUCT_NEAR_ONE, "near 1", 0, 300, 20, 0, R(CERTIFIED)},
	{PRODUCT_AWAY_AND_BACK, "that leave the doubles", 0, 200, 40, 0, R(CERTIFIED) | R(SCALED) | R(BEYOND)},
	{PRODUCT_OF_SUBNORMALS, "of subnormals", 0, 60, 60, 0, R(SCALED)},
	{PRODUCT_OF_TIES, "at ties", 0, 200, 30, 0, R(TRACKED)},
	{PRODUCT_BESIDE_TIES, "a hair beside ties", 0, 12, 200, 0, R(TRACKED) | R(EXACT)},
	{PRODUCT_OF_DEEP_TIES, "at ties in the subnormals", 0, 100, 60, 0, R(SCALED)},
	{PRODUCT_BESIDE_DEEP_TIES, "a hair beside ties near the subnormals", 0, 12, 200, 0, R(SCALED) | R(EXACT)},
	{PRODUCT_WITH_ZEROS, "with zeros", 0, 100, 20, 0, R(CERTIFIED)},
	{PRODUCT_NOT_FINITE, "with infinities and NaN", 0, 100, 40, 0, R(SPECIAL)},
	{PRODUCT_OF_CHUNKS, "of three chunks", 0, 8300, 2, 0, R(CERTIFIED)},
	{PRODUCT_OF_CHUNKS_BESIDE_TIES, "of two chunks beside ties", 0, 4200, 4, 0, R(EXACT)},
	{PRODUCT_FAR_BELOW, "of two chunks far below the doubles", 0, 4200, 4, 0, R(EXACT)},
	{PRODUCT_VERY_FAR, "very far away, and back", 0, 400, 5, 0, R(SCALED) | R(CERTIFIED)},
};

static void
series_draw(Series *s, const Kind *kind)
{
	s->order = kind->order;
	s->n = kind->rows;
	for (int j = 0; j < s->order; j++)
		s->init[j] = kind->init;
	for (int i = 0; i < s->n; i++)
	{
		double *row = s->row + i * series_width(s);

		row[s->order] = s->order == 0 ? draw_factor(kind->name, i, s->n) : draw_row(kind->name, s->order, i, row);
	}
}

#endif /* SCAN_LAW_SERIES_H */

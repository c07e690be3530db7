/*
 * lanes.c: sums of overlapping stretches of floats (cpu/lanes.h), bit for bit against loops that add one stretch after
 * the other: in LANES lanes, in LANES_WIDE lanes where the processor has them, and of stretches that lie apart.
 *
 *   lanes [LABEL [few]]
 */
#include <string.h>

#include "cpu/lanes.h"
#include "law.h"

#define MOST 700 /* values of a stretch: more than the widest lanes copy at a time */

static double  x8[MOST + LANES_WIDE];
static float   x4[MOST + LANES_WIDE];
static int64_t before; /* values that each lane has already; at least 1, as for PostgreSQL's variance */

static void
draw(void)
{
	before = 1 + (int64_t) (law_random() % 1000);
	for (int i = 0; i < MOST + LANES_WIDE; i++)
	{
		x8[i] = ((double) (law_random() >> 11) - 0x1p52) * (i % 7 == 0 ? 0x1p-80 : 0x1p-50);
		x4[i] = (float) x8[i];
	}
}

/* The lanes begin with the values of `start`, and each gets n more values. */
#define SUMS_HOLD(NAME, TYPE, STRUCT, X)                                         \
	static bool NAME##_sums_hold(int64_t n)                                      \
	{                                                                            \
		STRUCT		start, narrow, wide, apart;                                  \
		const TYPE *at[LANES_APART];                                             \
		bool		are_wide = lanes_are_wide(256), holds = true;                \
                                                                                 \
		for (int j = 0; j < LANES_WIDE; j++)                                     \
			start.sum[j] = X[law_random() % MOST];                               \
		for (int j = 0; j < LANES_APART; j++)                                    \
			at[j] = X + law_random() % LANES_WIDE;                               \
		narrow = wide = apart = start;                                           \
		lanes_add_##NAME(X, n, before, &narrow);                                 \
		if (are_wide)                                                            \
			lanes_add_wide_##NAME(X, n, &wide);                                  \
		lanes_add_apart_##NAME(at, n, before, &apart);                           \
		for (int j = 0; j < LANES_WIDE; j++)                                     \
		{                                                                        \
			TYPE sum = start.sum[j];                                             \
                                                                                 \
			for (int64_t i = 0; i < n; i++)                                      \
				sum += X[j + i];                                                 \
			if (j < LANES)                                                       \
				holds = holds && memcmp(&sum, &narrow.sum[j], sizeof(sum)) == 0; \
			if (are_wide)                                                        \
				holds = holds && memcmp(&sum, &wide.sum[j], sizeof(sum)) == 0;   \
			if (j >= LANES_APART)                                                \
				continue;                                                        \
			sum = start.sum[j];                                                  \
			for (int64_t i = 0; i < n; i++)                                      \
				sum += at[j][i];                                                 \
			holds = holds && memcmp(&sum, &apart.sum[j], sizeof(sum)) == 0;      \
		}                                                                        \
		return holds;                                                            \
	}

SUMS_HOLD(float8, double, LanesFloat8, x8)
SUMS_HOLD(float4, float, LanesFloat4, x4)

/* One lane by itself: as float8_accum of PostgreSQL does. */
static bool
moments_hold_of(const double *x, int64_t n, double sum, double squares, double its_sum, double its_squares)
{
	for (int64_t i = 0; i < n; i++)
	{
		double count = (double) (before + i + 1);
		double apart;

		sum += x[i];
		apart = x[i] * count - sum;
		squares += apart * apart / (count * (count - 1.0));
	}
	return memcmp(&sum, &its_sum, sizeof(sum)) == 0 && memcmp(&squares, &its_squares, sizeof(squares)) == 0;
}

static bool
moments_hold(int64_t n)
{
	LanesMoments  start, beside, apart;
	const double *at[LANES_APART];
	bool		  holds = true;

	for (int j = 0; j < LANES; j++)
	{
		start.sum[j] = x8[law_random() % MOST];
		start.squares[j] = x8[law_random() % MOST] * x8[0];
	}
	for (int j = 0; j < LANES_APART; j++)
		at[j] = x8 + law_random() % LANES_WIDE;
	beside = apart = start;
	lanes_add_moments(x8, n, before, &beside);
	lanes_add_apart_moments(at, n, before, &apart);
	for (int j = 0; j < LANES; j++)
		holds = holds && moments_hold_of(x8 + j, n, start.sum[j], start.squares[j], beside.sum[j], beside.squares[j]);
	for (int j = 0; j < LANES_APART; j++)
		holds = holds && moments_hold_of(at[j], n, start.sum[j], start.squares[j], apart.sum[j], apart.squares[j]);
	return holds;
}

int
main(int argc, char **argv)
{
	static const int64_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 255, 256, 257, 300, 511, 512, 513, MOST};
	const char			*label = argc > 1 ? argv[1] : "cc";
	int					 rounds = argc > 2 ? 2 : 50;
	bool				 sums = true, moments = true;
	char				 text[80];

	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < (int) (sizeof(lengths) / sizeof(lengths[0])); i++)
		{
			draw();
			sums = float8_sums_hold(lengths[i]) && float4_sums_hold(lengths[i]) && sums;
			moments = moments_hold(lengths[i]) && moments;
		}
	snprintf(text, sizeof(text), "sums of floats in lanes (%s)", label);
	law_report(sums, text);
	snprintf(text, sizeof(text), "squares of floats in lanes (%s)", label);
	law_report(moments, text);
	return law_failures != 0;
}

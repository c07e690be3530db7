/*
 * wide.c: the exact sum and the recurrence of order 1 in AVX-512.
 *
 * See ways.h for the contract.  Both transpose 8 x 8 rows, so that each of the eight lanes takes consecutive rows, and
 * then compute the value before each lane.  Both refuse a tile as soon as one result is not proved, and leave it to the
 * loops of src/op.
 *
 * The sum needs no second pass: on a grid that is fixed for the tile its additions are exact, and so give the same
 * result in any order.  The recurrence takes three passes: a guess of the value before each lane, the lanes from there,
 * and the correction of the guess.
 */
#include "cpu/ways.h"

#include "cpu/instructions.h"

#ifdef SCAN_HAS_AVX512_LOOPS

#if SCAN_INSTRUCTIONS == SCAN_AVX512_EMULATED
#include "cpu/avx512_emulated.h"
#else
#include <immintrin.h>
#endif

#define WIDE SCAN_AVX512_TARGET("avx512f,avx512dq,fma")
#define WIDE_INLINE WIDE static inline __attribute__((always_inline))

/* Arrays of eight should become registers, so their loops are unrolled. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

bool
scan_wide_available(void)
{
	return SCAN_HAS_AVX512("avx512f") && SCAN_HAS_AVX512("avx512dq");
}

/* Transposes v: lane j of v[i] := lane i of v[j]. */
WIDE_INLINE void
transpose(__m512d v[8])
{
	__m512d t[8];

	UNROLL
	for (int i = 0; i < 8; i += 2)
	{
		t[i] = _mm512_unpacklo_pd(v[i], v[i + 1]);
		t[i + 1] = _mm512_unpackhi_pd(v[i], v[i + 1]);
	}
	UNROLL
	for (int i = 0; i < 2; i++)
	{
		/* pairs of lanes 0 and 2, then 1 and 3, of rows 0 to 3 and 4 to 7 */
		__m512d p = _mm512_shuffle_f64x2(t[i], t[i + 2], 0x88);
		__m512d q = _mm512_shuffle_f64x2(t[i], t[i + 2], 0xdd);
		__m512d r = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0x88);
		__m512d s = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0xdd);

		v[i] = _mm512_shuffle_f64x2(p, r, 0x88);
		v[i + 4] = _mm512_shuffle_f64x2(p, r, 0xdd);
		v[i + 2] = _mm512_shuffle_f64x2(q, s, 0x88);
		v[i + 6] = _mm512_shuffle_f64x2(q, s, 0xdd);
	}
}

/*
 * Returns x + y, computed by the fma units, which are idle while additions wait for the adders (Zen 4).  This saves 13
 * % of the time of the sum.
 */
WIDE_INLINE __m512d
fma_add(__m512d x, __m512d y)
{
	return _mm512_fmadd_pd(x, _mm512_set1_pd(1.0), y);
}

/* ---- the exact sum ---- */

/*
 * Two grids are laid over a tile: multiples of g = 2^(k - 52), and of f = 2^(k - 99).  2^k is greater than `reach`,
 * twice a bound on |sum before the tile| plus all magnitudes in the tile.  So an input or a partial sum, in any order,
 * is at most 2^(k - 1).
 *
 * Proof.  For |v| <= 2^(k - 1), adding and subtracting 1.5 * 2^k rounds v to a multiple h of g,
 * since the last bit of v + 1.5 * 2^k is worth g; v - h is exact and at most g / 2.  The same with
 * 1.5 * 2^(k - 47) shows whether l = v - h is a multiple of f; a tile with an l that is not is
 * refused.  Then
 *   sums of h are multiples of g below 2^(k - 1) + 64 g < 2^53 g: all exact;
 *   sums of l over a block of 64, with a carry of at most g, are multiples of f
 *   of at most 33 g < 2^6 g = 2^53 f: all exact.
 * At the end of a block the part of l's carry that is a multiple of g is moved to h's carry.  So
 * h + l of a row is its sum exactly, and the result is one addition.  No zero comes out as -0: h is
 * never -0, as v - v = +0.
 *
 * This holds 97 bits below |sum| + 512 |largest input|, where a pair holds 106.  A tile that needs the other bits is
 * left to exact_run.  Rejected: a pair in every lane (two error-free sums a row, and twice), which takes three times as
 * many operations.
 */
#define EXACT_TILE 512 /* rows on one grid */
#define EXACT_MIN 192  /* below this many rows, exact_run is as fast */
#define EXACT_HEAD (EXACT_PROBE + EXACT_BLOCK)
#define EXACT_RESCUE 1024	  /* rows by exact_run after the first refused tile; the number doubles each time */
#define EXACT_LOWEST_K (-975) /* f = 2^-1074, below which no double has a bit */

WIDE static double
largest_magnitude(const double *x, int64_t n)
{
	__m512i largest = _mm512_setzero_si512();

	for (int64_t i = 0; i < n; i += 8)
		/* the bits without the sign: infinities and NaN are the largest */
		largest = _mm512_max_epu64(largest, _mm512_slli_epi64(_mm512_loadu_si512(x + i), 1));
	return double_from_bits((uint64_t) _mm512_reduce_max_epu64(largest) >> 1);
}

/* v shifted up by `n` lanes; zeros come in */
#define LANES_UP(v, n) _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(v), _mm512_setzero_si512(), 8 - (n)))

/* Returns the sum before each lane, from the totals of the lanes and *carry.  Adds the totals to *carry. */
WIDE_INLINE __m512d
before_lanes(__m512d total, __m512d *carry)
{
	__m512d before;

	total = _mm512_add_pd(total, LANES_UP(total, 1));
	total = _mm512_add_pd(total, LANES_UP(total, 2));
	total = _mm512_add_pd(total, LANES_UP(total, 4));
	before = _mm512_add_pd(*carry, LANES_UP(total, 1));
	*carry = _mm512_add_pd(*carry, _mm512_permutexvar_pd(_mm512_set1_epi64(7), total));
	return before;
}

typedef struct ExactGrid
{
	__m512d g, f;	   /* 1.5 * 2^k, 1.5 * 2^(k - 47) */
	__m512d high, low; /* the two parts of the sum so far, in all lanes */
	__m512i lost;	   /* not 0, signs aside, if some l was no multiple of f */
} ExactGrid;

WIDE_INLINE void
exact_block(ExactGrid *grid, const double *x, double *y)
{
	const __m512d minus_g = _mm512_sub_pd(_mm512_setzero_pd(), grid->g);
	const __m512d minus_f = _mm512_sub_pd(_mm512_setzero_pd(), grid->f);
	__m512d		  h[8], l[8], before_h, before_l, up;

	UNROLL
	for (int j = 0; j < 8; j++)
		h[j] = _mm512_loadu_pd(x + 8 * j);
	transpose(h);
	UNROLL
	for (int j = 0; j < 8; j++)
	{
		__m512d v = h[j];
		__m512d back;

		h[j] = fma_add(_mm512_add_pd(v, grid->g), minus_g);
		l[j] = _mm512_sub_pd(v, h[j]);
		back = fma_add(fma_add(l[j], grid->f), minus_f);
		/* lost |= back ^ l */
		grid->lost = _mm512_ternarylogic_epi64(grid->lost, _mm512_castpd_si512(back), _mm512_castpd_si512(l[j]), 0xf6);
		if (j > 0)
		{
			h[j] = _mm512_add_pd(h[j], h[j - 1]);
			l[j] = _mm512_add_pd(l[j], l[j - 1]);
		}
	}
	before_h = before_lanes(h[7], &grid->high);
	before_l = before_lanes(l[7], &grid->low);
	up = _mm512_add_pd(_mm512_add_pd(grid->low, grid->g), minus_g);
	grid->low = _mm512_sub_pd(grid->low, up);
	grid->high = _mm512_add_pd(grid->high, up);
	UNROLL
	for (int j = 0; j < 8; j++)
		h[j] = _mm512_add_pd(fma_add(h[j], before_h), fma_add(l[j], before_l));
	transpose(h);
	UNROLL
	for (int j = 0; j < 8; j++)
		_mm512_storeu_pd(y + 8 * j, h[j]);
}

/* Computes n rows, a multiple of 64 and at most EXACT_TILE.  False if not all are proved; then only y has changed. */
WIDE static bool
exact_tile(ExactSum *a, const double *x, int64_t n, double *y)
{
	ExactGrid grid;
	double	  s, c, reach, g, f, high, low, rest;
	int		  k;

	two_sum(a->s, a->c, &s, &c);
	/* twice: for the rounding here, and for what rounding to the grid adds */
	reach = 2 * (fabs(s) + (double) n * largest_magnitude(x, n));
	if (!(reach < 0x1p1000))
		return false;
	k = (int) (double_bits(reach) >> 52) - 1023 + 1; /* 2^k > reach */
	if (k < EXACT_LOWEST_K)
		k = EXACT_LOWEST_K;
	g = 1.5 * double_from_bits((uint64_t) (k + 1023) << 52);
	f = g * 0x1p-47;
	high = (s + g) - g;
	two_sum(s - high, c, &low, &rest); /* |c| is at most half the last bit of s, so |low| <= g */
	if (rest != 0.0 || (low + f) - f != low)
		return false;
	grid = (ExactGrid){.g = _mm512_set1_pd(g),
					   .f = _mm512_set1_pd(f),
					   .high = _mm512_set1_pd(high),
					   .low = _mm512_set1_pd(low),
					   .lost = _mm512_setzero_si512()};
	for (int64_t i = 0; i < n; i += 64)
		exact_block(&grid, x + i, y + i);
	if (_mm512_reduce_or_epi64(_mm512_slli_epi64(grid.lost, 1)) != 0)
		return false;
	two_sum(_mm512_cvtsd_f64(grid.high), _mm512_cvtsd_f64(grid.low), &a->s, &a->c);
	return true;
}

int64_t
scan_wide_exact_run(ExactSum *a, const double *x, int64_t n, double *y)
{
	int64_t head = n < EXACT_MIN ? n : EXACT_HEAD;
	int64_t rescue = EXACT_RESCUE;
	/* if a pair hardly ever holds the sum, runs end at once and a tile would be wasted */
	int64_t i = exact_run(a, x, head, y);

	if (i < head)
		return i;
	while (n - i >= 64)
	{
		int64_t rows = n - i < EXACT_TILE ? (n - i) / 64 * 64 : EXACT_TILE;
		int64_t done = rows;

		if (!exact_tile(a, x + i, rows, y + i))
		{
			rows = n - i < rescue ? n - i : rescue;
			rescue *= 2;
			done = exact_run(a, x + i, rows, y + i);
		}
		i += done;
		if (done < rows)
			return i;
	}
	return i + exact_run(a, x + i, n - i, y + i);
}

/* ---- the recurrence ---- */

/*
 * A lane has n / 8 rows.  Its value y before its first row is guessed as g, by plain arithmetic. delta = y - g is
 * small, and known to within w once the lanes before it are done.  Row i of the lane is then y_i = z_i + Q_i delta,
 * where z runs from g, and Q_i is the product of the lane's first a's.  The guess needs no proof: a bad one only proves
 * no results.
 *
 * Proof.  u = 2^-53; e stands for errors on the way that 2^-1075 bounds, underflow.
 *
 * z as in recurrence.h: z_i = h + l + eps; a h = p + pe + e, h' + err = b + p exactly; t = pe + err
 * and l' = a l + t are rounded, so
 *   |eps'| <= |a| |eps| + u |t| + u |l'| + 2 e, and
 *   d' = |a| d + U (|t| + |l'|) + F, with U = u (1 + 2^-5) and F >= 2^-960, is
 * >= (1 + 2^-6) |eps'|: a sum of terms >= 0, of which each row's rounding takes 3 u at most.
 *
 * Q: the computed P_i is at most Q_i (1 + 2^-43), for 512 rows of a lane, and is off by m through underflow, m' <= |a|
 * m (1 + u) + e.  That is the recursion of d with e for F, so m <= 2^-1074 d / F.
 *
 * l2 = l + P delta, rounded, then differs from z's l + Q delta by
 *   |eps| + |P| (2^-39 |delta| + w (1 + 2^-39)) + 2 m (|delta| + w) + u |l2| + e.
 * If |delta| + w <= 2^1060 F (other tiles are refused) the third term is below 2^-13 d; it and e
 * are within the excess of d over eps.  With v = (2^-38 |delta| + w) (1 + 2^-20) + 2^-1000,
 *   y_i = h + l2 give or take (|P| v + d) (1 - 2^-21) + u |l2|,
 * and D = |P| v + d + 2^-51 |l2| also covers the rounding of l2 +- D.  So if h + (l2 + D) and
 * h + (l2 - D) round to the same number, y_i does, rounding being monotone.  That is the
 * certificate, in five operations and with no residual.  At the end of the lane h - g' = q + r
 * exactly, where g' is the guess for the next lane, whose delta' = q + (r + l2) is rounded twice:
 * w' = D + 2^-52 (|r + l2| + |delta'|).
 *
 * Not finite: a sum that overflows makes err, and so l, NaN or infinite; a product or P that overflows makes h or l2
 * so.  Then h + (l2 + D) - (h + (l2 - D)) is not 0.  D > 0 stays above half the last bit of l2, so a result is never
 * zero, of either sign.
 */
#define RECURRENCE_TILE 512 /* rows at once; their LaneRows take 16 kB */
#define RECURRENCE_AHEAD 1024
#define RECURRENCE_UNIT (0x1p-53 * (1 + 0x1p-5))
#define RECURRENCE_FLOOR 0x1p-960 /* F; or 2^-600 of the largest guess, if that is more */

/* A row of each lane; the letters are those of the proof above. */
typedef struct LaneRow
{
	__m512d a_h, b_l;	/* a and b at first, then h and l */
	__m512d d, product; /* d and P */
} LaneRow;

typedef struct LaneEntry
{
	double guess[8], delta[8], v[8];
	double min; /* F */
} LaneEntry;

/*
 * Loads a and b into the lanes, and guesses the value before each lane by composing the maps of the lanes in plain
 * arithmetic.
 */
WIDE_INLINE void
guess_entries(LaneRow *lane, const double *a, const double *b, int rows, LaneEntry *entry)
{
	__m512d product = _mm512_set1_pd(1.0);
	__m512d sum = _mm512_setzero_pd();
	double	products[8], sums[8];

	for (int i = 0; i < rows; i += 8)
	{
		__m512d va[8], vb[8];

		UNROLL
		for (int j = 0; j < 8; j++)
		{
			va[j] = _mm512_loadu_pd(a + j * rows + i);
			vb[j] = _mm512_loadu_pd(b + j * rows + i);
		}
		transpose(va);
		transpose(vb);
		UNROLL
		for (int j = 0; j < 8; j++)
		{
			product = _mm512_mul_pd(product, va[j]);
			sum = _mm512_fmadd_pd(sum, va[j], vb[j]);
			lane[i + j].a_h = va[j];
			lane[i + j].b_l = vb[j];
		}
	}
	_mm512_storeu_pd(products, product);
	_mm512_storeu_pd(sums, sum);
	entry->min = RECURRENCE_FLOOR;
	for (int j = 0; j < 8; j++)
	{
		double g = j == 0 ? entry->guess[0] : fma(products[j - 1], entry->guess[j - 1], sums[j - 1]);

		entry->guess[j] = g;
		if (fabs(g) * 0x1p-600 > entry->min)
			entry->min = fabs(g) * 0x1p-600;
	}
}

/* Computes z, d and P of every row, and prefetches the memory that later rows need. */
WIDE_INLINE void
run_lanes(LaneRow *lane, int rows, const LaneEntry *entry, const double *later_a, const double *y)
{
	const __m512d unit = _mm512_set1_pd(RECURRENCE_UNIT);
	const __m512d min = _mm512_set1_pd(entry->min);
	__m512d		  h = _mm512_loadu_pd(entry->guess);
	__m512d		  l = _mm512_setzero_pd();
	__m512d		  d = _mm512_setzero_pd();
	__m512d		  product = _mm512_set1_pd(1.0);

	for (int i = 0; i < rows; i++)
	{
		__m512d a = lane[i].a_h;
		__m512d b = lane[i].b_l;
		__m512d p = _mm512_mul_pd(a, h);
		__m512d pe = _mm512_fmsub_pd(a, h, p);
		__m512d bb, err, t;

		__builtin_prefetch(later_a + 8 * i, 0, 2);
		__builtin_prefetch(y + 8 * i, 1);
		h = _mm512_add_pd(b, p);
		bb = _mm512_sub_pd(h, b);
		err = _mm512_add_pd(_mm512_sub_pd(b, _mm512_sub_pd(h, bb)), _mm512_sub_pd(p, bb));
		t = _mm512_add_pd(pe, err);
		l = _mm512_fmadd_pd(a, l, t);
		d = _mm512_fmadd_pd(_mm512_abs_pd(a), d,
							_mm512_fmadd_pd(_mm512_add_pd(_mm512_abs_pd(t), _mm512_abs_pd(l)), unit, min));
		product = _mm512_mul_pd(product, a);
		lane[i].a_h = h;
		lane[i].b_l = l;
		lane[i].d = d;
		lane[i].product = product;
	}
}

/*
 * Computes delta and v of each lane from the last row of the lane before.  It is written so that w waits for only two
 * operations from lane to lane.  False if delta is too large for the proof.
 */
WIDE_INLINE bool
find_entries(const LaneRow *last, double w, LaneEntry *entry)
{
	const double more = 1 + 0x1p-20;
	double		 h[8], l[8], d[8], product[8];

	_mm512_storeu_pd(h, last->a_h);
	_mm512_storeu_pd(l, last->b_l);
	_mm512_storeu_pd(d, last->d);
	_mm512_storeu_pd(product, last->product);
	for (int j = 0; j < 8; j++)
	{
		double delta = entry->delta[j];
		double l2, q, r, own;

		if (!((fabs(delta) + w) * 0x1p-500 <= entry->min * 0x1p560))
			return false;
		entry->v[j] = fma(w, more, fma(fabs(delta), 0x1p-38 * more, 0x1p-1000));
		if (j == 7)
			break;
		l2 = fma(product[j], delta, l[j]);
		two_sum(h[j], -entry->guess[j + 1], &q, &r);
		r += l2;
		delta = q + r;
		own = fma(fabs(l2), 0x1p-51, d[j]) + 0x1p-52 * (fabs(r) + fabs(delta));
		w = fma(fabs(product[j]) * more, entry->v[j], own * more);
		entry->delta[j + 1] = delta;
	}
	return true;
}

WIDE_INLINE bool
certify_lanes(const LaneRow *lane, int rows, const LaneEntry *entry, const double *later_b, double *y,
			  RecurrencePair *state)
{
	const __m512d delta = _mm512_loadu_pd(entry->delta);
	const __m512d v = _mm512_loadu_pd(entry->v);
	const __m512d slack = _mm512_set1_pd(0x1p-51);
	__m512i		  refused = _mm512_setzero_si512();
	__m512d		  h = delta, l = delta, d = delta;

	for (int i = 0; i < rows; i += 8)
	{
		__m512d out[8];

		UNROLL
		for (int j = 0; j < 8; j++)
		{
			__m512d product = lane[i + j].product;
			__m512d low;

			__builtin_prefetch(later_b + 8 * (i + j), 0, 2);
			h = lane[i + j].a_h;
			l = _mm512_fmadd_pd(product, delta, lane[i + j].b_l);
			d = _mm512_fmadd_pd(_mm512_abs_pd(product), v, lane[i + j].d);
			d = _mm512_fmadd_pd(_mm512_abs_pd(l), slack, d);
			out[j] = _mm512_add_pd(h, _mm512_add_pd(l, d));
			low = _mm512_add_pd(h, _mm512_sub_pd(l, d));
			refused = _mm512_or_si512(refused, _mm512_castpd_si512(_mm512_sub_pd(out[j], low)));
		}
		transpose(out);
		UNROLL
		for (int j = 0; j < 8; j++)
			_mm512_storeu_pd(y + j * rows + i, out[j]);
	}
	if (_mm512_reduce_or_epi64(refused) != 0)
		return false;
	two_sum(h[7], l[7], &state->h, &state->l);
	state->bound = d[7];
	return true;
}

/* Computes 8 * rows rows.  False if one is not proved. */
WIDE static bool
recurrence_piece(RecurrencePair *state, const double *a, const double *b, int rows, double *y)
{
	LaneRow	  lane[RECURRENCE_TILE / 8];
	LaneEntry entry;

	entry.guess[0] = state->h;
	entry.delta[0] = state->l;
	guess_entries(lane, a, b, rows, &entry);
	run_lanes(lane, rows, &entry, a + RECURRENCE_AHEAD, y);
	return find_entries(&lane[rows - 1], state->bound, &entry) &&
		   certify_lanes(lane, rows, &entry, b + RECURRENCE_AHEAD, y, state);
}

bool
scan_wide_recurrence_tile(RecurrencePair *state, const double *a, const double *b, int n, double *y)
{
	RecurrencePair pair = *state;

	for (int i = 0; i < n; i += RECURRENCE_TILE)
	{
		int rows = n - i < RECURRENCE_TILE ? n - i : RECURRENCE_TILE;

		if (!recurrence_piece(&pair, a + i, b + i, rows / 8, y + i))
			return false;
	}
	*state = pair;
	return true;
}

#endif

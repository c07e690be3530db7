/*
 * companion.c: the maps of op/companion.h enclose what they stand for.
 *
 * Exact numbers are those of big.h.  A map is drawn with bounds, and the real numbers that it stands for at their ends,
 * where a bound that is too small shows; they are the sums of three doubles each, so that products are exact, too.
 * Then rows: the map that a tree of any shape makes of them holds what the rows make of each unit vector, and of zeros.
 * Last: for k = 1 all is as in op/affine.h, to the bit.
 *
 *   companion [LABEL [few]]
 */
#define BIG_DIGITS 512 /* from 2^-8000 to 2^8383 */
#define BIG_LOWEST (-8000)

#include "op/companion.h"
#include "big.h"

#define MAX_K 4
#define MAX_PAIRS COMPANION_PAIRS(MAX_K)
#define MAX_ROWS 24

static const char *label = "cc";

/* A pair and a number that it encloses: h + l + off. */
typedef struct Enclosed
{
	RecurrencePair pair;
	double		   off;
} Enclosed;

/* a -= b */
static void
big_subtract(Big *a, Big b)
{
	big_negate(&b);
	big_add(a, &b);
}

static void
big_of_enclosed(Big *a, const Enclosed *x)
{
	Big part;

	big_of_double(a, x->pair.h);
	big_of_double(&part, x->pair.l);
	big_add(a, &part);
	big_of_double(&part, x->off);
	big_add(a, &part);
}

/* sum += x y */
static void
big_add_product(Big *sum, const Enclosed *x, const Enclosed *y)
{
	const double parts[] = {y->pair.h, y->pair.l, y->off};

	for (int p = 0; p < 3; p++)
	{
		Big product;

		big_of_enclosed(&product, x);
		big_multiply(&product, parts[p]);
		big_add(sum, &product);
	}
}

/* Whether |true - h - l| is within the bound; what overflowed encloses everything. */
static bool
encloses(const RecurrencePair *x, const Big *exact)
{
	Big off = *exact, part, bound;

	if (!isfinite(x->h) || !isfinite(x->l) || !isfinite(x->bound))
		return true;
	big_of_double(&part, x->h);
	big_subtract(&off, part);
	big_of_double(&part, x->l);
	big_subtract(&off, part);
	if (big_is_negative(&off))
		big_negate(&off);
	big_of_double(&bound, x->bound);
	return big_compare(&off, &bound) <= 0;
}

/* ---- maps at the ends of their bounds ---- */

/* kind 0: about 1; 1: of all sizes; 2: small integers, and what cancels */
static Enclosed
draw_enclosed(int kind)
{
	Enclosed x;
	double	 h = law_sign() * (1 + law_uniform()), l = law_sign() * law_uniform() * 0x1p-54;
	int		 power = kind == 1 ? (int) (law_random() % 700) - 400 : 0;

	if (kind == 2)
		h = (double) (law_random() % 5) - 2;
	two_sum(ldexp(h, power), ldexp(l, power), &x.pair.h, &x.pair.l);
	x.pair.bound = law_random() % 3 == 0 ? 0.0 : ldexp(law_uniform(), power - 40 - (int) (law_random() % 70));
	x.off = law_random() % 8 == 0 ? 0.0 : law_sign() * x.pair.bound;
	return x;
}

static bool
join_holds(int k, int kind)
{
	Enclosed	   left[MAX_PAIRS], right[MAX_PAIRS];
	RecurrencePair map[MAX_PAIRS], later[MAX_PAIRS], x[MAX_K];
	bool		   holds = true;

	for (int i = 0; i < COMPANION_PAIRS(k); i++)
	{
		left[i] = draw_enclosed(kind);
		right[i] = draw_enclosed(kind);
		map[i] = left[i].pair;
		later[i] = right[i].pair;
	}
	/* what is applied to numbers is the map's last column */
	for (int i = 0; i < k; i++)
		x[i] = left[i * (k + 1) + k].pair;
	companion_apply(k, later, x);
	companion_join(k, map, later);
	for (int i = 0; i < k; i++)
		for (int j = 0; j <= k; j++)
		{
			Big exact;

			big_of_double(&exact, 0.0);
			for (int m = 0; m < k; m++)
				big_add_product(&exact, &right[i * (k + 1) + m], &left[m * (k + 1) + j]);
			if (j == k)
			{
				Big v;

				big_of_enclosed(&v, &right[i * (k + 1) + k]);
				big_add(&exact, &v);
				holds = holds && encloses(&x[i], &exact);
			}
			holds = holds && encloses(&map[i * (k + 1) + j], &exact);
		}
	return holds;
}

/* A row on top of a map, and on top of numbers. */
static bool
row_holds(int k, int kind)
{
	Enclosed	   before[MAX_PAIRS];
	RecurrencePair map[MAX_PAIRS], certified[MAX_K], tracked[MAX_K];
	double		   a[MAX_K], b = draw_enclosed(kind).pair.h;
	bool		   holds = true;

	for (int i = 0; i < COMPANION_PAIRS(k); i++)
	{
		before[i] = draw_enclosed(kind);
		map[i] = before[i].pair;
	}
	for (int j = 0; j < k; j++)
	{
		a[j] = draw_enclosed(kind).pair.h;
		certified[j] = tracked[j] = before[j * (k + 1) + k].pair;
	}
	companion_then_row(k, map, a, b);
	(void) companion_row_certified(k, certified, a, b);
	(void) companion_row_tracked(k, tracked, a, b);
	for (int j = 0; j <= k; j++)
		for (int i = 0; i < k; i++)
		{
			Big exact;

			if (i == 0)
				big_of_double(&exact, j == k ? b : 0.0);
			else
				big_of_enclosed(&exact, &before[(i - 1) * (k + 1) + j]);
			for (int m = 0; i == 0 && m < k; m++)
			{
				Big term;

				big_of_enclosed(&term, &before[m * (k + 1) + j]);
				big_multiply(&term, a[m]);
				big_add(&exact, &term);
			}
			/* the bounds of rows are certified with a factor of their own: recurrence_certify */
			map[i * (k + 1) + j].bound *= 1 + 0x1p-30;
			certified[i].bound *= 1 + 0x1p-30;
			tracked[i].bound *= 1 + 0x1p-30;
			holds = holds && encloses(&map[i * (k + 1) + j], &exact) &&
					(j < k || (encloses(&certified[i], &exact) && encloses(&tracked[i], &exact)));
		}
	return holds;
}

/* ---- rows, by trees ---- */

typedef struct Rows
{
	int	   k, n;
	double a[MAX_ROWS][MAX_K], b[MAX_ROWS];
} Rows;

/* Rows [from, to) as a map, by a tree of a shape drawn at random. */
static void
map_of_rows(const Rows *rows, int from, int to, RecurrencePair *map)
{
	RecurrencePair later[MAX_PAIRS];
	int			   cut = from + 1 + (int) (law_random() % (uint64_t) (to - from));

	if (to - from == 1)
		companion_of_row(rows->k, map, rows->a[from], rows->b[from]);
	else if (cut == to)
	{
		map_of_rows(rows, from, to - 1, map);
		companion_then_row(rows->k, map, rows->a[to - 1], rows->b[to - 1]);
	}
	else
	{
		map_of_rows(rows, from, cut, map);
		map_of_rows(rows, cut, to, later);
		if (law_random() % 4 == 0)
		{
			RecurrencePair identity[MAX_PAIRS];

			companion_identity(rows->k, identity);
			companion_join(rows->k, map, identity);
		}
		companion_join(rows->k, map, later);
	}
}

/* s := what the rows make of it, with their b or without */
static void
run_exactly(const Rows *rows, bool terms, Big *s)
{
	for (int i = 0; i < rows->n; i++)
	{
		Big sum;

		big_of_double(&sum, terms ? rows->b[i] : 0.0);
		for (int j = 0; j < rows->k; j++)
		{
			Big term = s[j];

			big_multiply(&term, rows->a[i][j]);
			big_add(&sum, &term);
		}
		memmove(s + 1, s, (size_t) (rows->k - 1) * sizeof(Big));
		s[0] = sum;
	}
}

static bool
tree_holds(int k, int kind)
{
	Rows		   rows;
	RecurrencePair map[MAX_PAIRS];
	bool		   holds = true;

	rows.k = k;
	rows.n = 1 + (int) (law_random() % MAX_ROWS);
	for (int i = 0; i < rows.n; i++)
	{
		for (int j = 0; j < k; j++)
			rows.a[i][j] = draw_enclosed(kind == 1 ? 0 : kind).pair.h / (kind == 0 ? k : 1);
		rows.b[i] = draw_enclosed(kind).pair.h;
	}
	map_of_rows(&rows, 0, rows.n, map);
	for (int j = 0; j <= k; j++)
	{
		Big s[MAX_K];

		for (int i = 0; i < k; i++)
			big_of_double(&s[i], i == j ? 1.0 : 0.0);
		run_exactly(&rows, j == k, s);
		for (int i = 0; i < k; i++)
		{
			RecurrencePair *x = &map[i * (k + 1) + j];

			x->bound *= 1 + 0x1p-30;
			/* and is no use when it is far off */
			holds = holds && encloses(x, &s[i]) && (kind != 0 || x->bound < 0x1p-40);
		}
	}
	return holds;
}

/* ---- of first order ---- */

static bool
first_order_is_affine(int kind)
{
	Affine		   left, right;
	RecurrencePair map[2], later[2], x = draw_enclosed(kind).pair, y = x, row;
	double		   a = draw_enclosed(kind).pair.h, b = draw_enclosed(kind).pair.h;

	left.a = map[0] = draw_enclosed(kind).pair;
	left.b = map[1] = draw_enclosed(kind).pair;
	right = affine_of(a, b);
	companion_of_row(1, later, &a, b);
	if (memcmp(&right, later, sizeof(later)) != 0)
		return false;
	y = affine_apply(&left, &y);
	companion_apply(1, map, &x);
	affine_join(&left, &right);
	companion_join(1, map, later);
	row = recurrence_first_order(&y, a, b);
	two_sum(row.h, row.l, &row.h, &row.l);
	if (memcmp(&x, &y, sizeof(x)) != 0 || memcmp(&left, map, sizeof(map)) != 0)
		return false;
	/* the same numbers; the bound counts one rounding more */
	(void) companion_row_certified(1, &x, &a, b);
	return x.h == row.h && x.l == row.l && x.bound <= 2.01 * row.bound;
}

int
main(int argc, char **argv)
{
	int	 cases = argc > 2 ? 100 : 1000;
	char text[100];
	bool holds = true;

	if (argc > 1)
		label = argv[1];
	law_seed = 77;
	for (int k = 1; k <= MAX_K; k++)
	{
		bool joins = true, rows = true, trees = true;

		for (int i = 0; i < cases; i++)
		{
			joins = joins && join_holds(k, i % 3);
			rows = rows && row_holds(k, i % 3);
			trees = trees && (i >= cases / 4 || tree_holds(k, i % 3));
		}
		snprintf(text, sizeof(text), "maps of order %d: what they are joined to is enclosed (%s)", k, label);
		law_report(joins, text);
		snprintf(text, sizeof(text), "maps of order %d: and a row more (%s)", k, label);
		law_report(rows, text);
		snprintf(text, sizeof(text), "maps of order %d: rows by any tree (%s)", k, label);
		law_report(trees, text);
	}
	for (int i = 0; i < cases; i++)
		holds = holds && first_order_is_affine(i % 3);
	snprintf(text, sizeof(text), "maps of order 1 are those of affine.h (%s)", label);
	law_report(holds, text);
	return law_failures != 0;
}

/*
 * recurrence.c: recurrences and products (op/recurrence.h, op/long.h, op/product.h) are the real numbers of their
 * definition, rounded once: series of every nasty kind against big.h, bit for bit.
 *
 * The steps are driven as a caller may drive them at worst: memory for one row at first, and then the least that was
 * asked for, in buffers of exactly that size, so that the sanitizer sees every step beyond.  Then the same rows once
 * more in the memory that is there; and again after a start that cut a series short.
 *
 * Rows are counted by the tier that answered, and a kind that does not reach the tiers it is there for fails: else a
 * better early tier could leave the later ones untested without a sign.
 *
 *   recurrence [LABEL [few]]
 */
#define BIG_DIGITS 2048 /* from 2^-60000 to 2^5535: a row may add 53 bits to a number */
#define BIG_LOWEST (-60000)

#include "big.h"
#include "column.h"
#include "series.h"

static const char *label = "cc";
static bool		   few;

typedef struct Answers
{
	int		   n;
	ScanStatus status[MAX_ROWS]; /* a recurrence ends with the first that is not SCAN_OK */
	double	   y[MAX_ROWS];
} Answers;

/* ---- the oracle ---- */

/* a x + b rounded once, for numbers of any kind */
static double
oracle_fma(double a, double x, double b)
{
	Big sum, term;

	if (!isfinite(a) || !isfinite(x))
		return a * x + b;
	if (!isfinite(b))
		return b;
	big_of_double(&sum, a);
	big_multiply(&sum, x);
	big_of_double(&term, b);
	big_add(&sum, &term);
	if (big_is_out_of_range(&sum, &big_float8))
		return big_is_negative(&sum) ? -INF : INF;
	return big_round(&sum, &big_float8);
}

static bool
all_finite(const double *x, int n)
{
	bool finite = true;

	for (int j = 0; j < n; j++)
		finite = finite && isfinite(x[j]);
	return finite;
}

/* x[0 .. k - 1] := y and all but the last of x, `size` bytes each */
static void
put_first(void *x, int k, const void *y, size_t size)
{
	memmove((char *) x + size, x, (size_t) (k - 1) * size);
	memcpy(x, y, size);
}

static void
oracle_recurrence(const Series *s, Answers *answers)
{
	static Big exact[RECURRENCE_ORDERS];
	double	   shown[RECURRENCE_ORDERS], y;
	bool	   special = !all_finite(s->init, s->order);

	memcpy(shown, s->init, sizeof(shown));
	for (answers->n = 0; answers->n < s->n; answers->n++)
	{
		const double *a = s->row + answers->n * series_width(s);
		double		  b = a[s->order];

		special = special || !all_finite(a, series_width(s));
		answers->status[answers->n] = SCAN_OK;
		if (special)
		{
			y = b;
			for (int j = s->order - 1; j >= 0; j--)
				y = oracle_fma(a[j], shown[j], y);
			if (isnan(y))
				y = (double) NAN;
		}
		else
		{
			Big sum, term;

			for (int j = 0; answers->n % RECURRENCE_CHUNK == 0 && j < s->order; j++)
				big_of_double(&exact[j], shown[j]);
			big_of_double(&sum, b);
			for (int j = 0; j < s->order; j++)
			{
				term = exact[j];
				big_multiply(&term, a[j]);
				big_add(&sum, &term);
			}
			if (big_is_out_of_range(&sum, &big_float8))
			{
				answers->status[answers->n++] = SCAN_FLOAT_OVERFLOW;
				return;
			}
			y = big_round(&sum, &big_float8);
			put_first(exact, s->order, &sum, sizeof(Big));
		}
		put_first(shown, s->order, &y, sizeof(double));
		answers->y[answers->n] = y;
	}
}

static bool
big_is_zero(const Big *a)
{
	static const Big zero;

	return memcmp(a, &zero, sizeof(Big)) == 0;
}

/* The power of a's highest bit; a is not zero. */
static int
big_top(const Big *a)
{
	Big magnitude = *a;
	int place = 32 * BIG_DIGITS - 1;

	if (big_is_negative(&magnitude))
		big_negate(&magnitude);
	while ((magnitude.digit[place / 32] >> place % 32 & 1) == 0)
		place--;
	return place + BIG_LOWEST;
}

/* *y := a 2^power rounded */
static ScanStatus
round_scaled(const Big *a, int64_t power, double *y)
{
	Big		moved = *a;
	int64_t top = big_is_zero(a) ? -9999 : big_top(a) + power;
	bool	beyond = top > 1024;

	*y = 0.0;
	if (top >= -1100 && !beyond)
	{
		big_shift(&moved, (int) power);
		beyond = big_is_out_of_range(&moved, &big_float8);
		if (!beyond)
			*y = big_round(&moved, &big_float8);
	}
	if (beyond)
		*y = big_is_negative(a) ? -INF : INF;
	return beyond ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

/* The product is value 2^power. */
static void
oracle_product(const Series *s, Answers *answers)
{
	static Big value;
	int64_t	   power = 0;
	bool	   special = false;
	double	   y = 1;

	big_of_double(&value, 1);
	for (int i = 0; i < s->n; i++)
	{
		int	   exponent = 0;
		double x = s->row[i];

		special = special || !isfinite(x);
		answers->status[i] = SCAN_OK;
		if (special)
			y = isnan(y * x) ? (double) NAN : y * x;
		else
		{
			if (i > 0 && i % RECURRENCE_CHUNK == 0 && !big_is_zero(&value))
			{
				int top = big_top(&value);

				round_scaled(&value, -top, &y);
				big_of_double(&value, y);
				power += top;
			}
			big_multiply(&value, frexp(x, &exponent));
			power += exponent;
			answers->status[i] = round_scaled(&value, power, &y);
		}
		answers->y[i] = y;
	}
	answers->n = s->n;
}

/* ---- the steps, driven by a caller who gives the least that is asked for ---- */

typedef struct Machine
{
	Recurrence r;
	Product	   p;
	uint64_t  *exact;		 /* the memory of r.exact or p.r.exact */
	long	   count[TIERS]; /* rows by the tier that answered */
} Machine;

/* The recurrence of a series: a product's is its own. */
static Recurrence *
machine_recurrence(Machine *m, const Series *s)
{
	return s->order == 0 ? &m->p.r : &m->r;
}

static void
machine_start(Machine *m, const Series *s)
{
	if (s->order == 0)
		product_start(&m->p);
	else
		recurrence_start(&m->r, s->order, s->init);
}

static void
machine_new(Machine *m, const Series *s)
{
	Recurrence *r = machine_recurrence(m, s);

	memset(m, 0, sizeof(*m));
	machine_start(m, s);
	r->rows = (double *) law_alloc((size_t) (r->order + 1) * sizeof(double));
	r->room = 1;
}

static void
machine_free(Machine *m)
{
	free(m->p.r.rows);
	free(m->r.rows);
	free(m->exact);
}

/* One more row than there is place for, in a buffer of that size. */
static void
grow_rows(double **rows, int32_t *room, int width)
{
	double *larger = (double *) law_alloc((size_t) (*room + 1) * width * sizeof(double));

	memcpy(larger, *rows, (size_t) *room * width * sizeof(double));
	free(*rows);
	*rows = larger;
	++*room;
}

static void
grow_exact(LongWindow *exact, int order, uint64_t **memory)
{
	uint64_t *larger;

	if (exact->needed <= exact->capacity)
		return; /* it only lets others in */
	larger = (uint64_t *) law_alloc((size_t) (order + 1) * exact->needed * sizeof(uint64_t));
	long_window_move(exact, order, larger, exact->needed);
	free(*memory);
	*memory = larger;
}

/* Row i of the series; `halt`: stop where an exact number asks for memory, with nothing answered. */
static ScanStatus
machine_step(Machine *m, const Series *s, int i, bool halt, double *y)
{
	Recurrence *r = machine_recurrence(m, s);
	size_t		size = (size_t) series_width(s) * sizeof(double);
	double	   *row = (double *) law_alloc(size);
	ScanStatus	status;

	memcpy(row, s->row + (size_t) i * series_width(s), size);
	for (;;)
	{
		int before = r->exact_rows;

		status = s->order == 0 ? product_step(&m->p, *row) : recurrence_step(r, row, row[s->order]);
		if (r->exact_rows - before > RECURRENCE_EXACT_ROWS)
		{
			printf("FAILED: %d rows in long integers without a look for a cancel\n", r->exact_rows - before);
			exit(1);
		}
		if (status != SCAN_NEEDS_ROOM || (halt && r->pending))
			break;
		if (r->pending)
			grow_exact(&r->exact, r->order, &m->exact);
		else
			grow_rows(&r->rows, &r->room, r->order + 1);
	}
	free(row);
	*y = s->order == 0 ? m->p.y : r->y[0];
	if (s->order == 0 ? m->p.special : r->tier == RECURRENCE_SPECIAL)
		m->count[SPECIAL]++;
	else if (r->exact_rows == r->count)
		m->count[EXACT]++;
	else
		m->count[s->order == 0 && m->p.power < -1021 ? SCALED : r->tier]++;
	m->count[BEYOND] += status == SCAN_FLOAT_OVERFLOW;
	return status;
}

static bool
same_double(double x, double y)
{
	return memcmp(&x, &y, sizeof(double)) == 0;
}

/* Every row of the series is as the oracle says. */
static bool
machine_agrees(Machine *m, const Series *s, const Answers *expected, const char *what)
{
	for (int i = 0; i < expected->n; i++)
	{
		double	   y;
		ScanStatus status = machine_step(m, s, i, false, &y);
		bool	   has_answer = s->order == 0 || status == SCAN_OK;

		if (status != expected->status[i] || (has_answer && !same_double(y, expected->y[i])))
		{
			printf("# %s, row %d: status %d and %a, expected %d and %a\n", what, i, (int) status, y,
				   (int) expected->status[i], expected->y[i]);
			return false;
		}
	}
	return true;
}

/* From nothing and again; and after a series that was left anywhere, or while it waited for memory. */
static bool
series_is_right(const Series *s, const char *what, long *count)
{
	static Answers expected;
	bool		   right = true;

	if (s->order == 0)
		oracle_product(s, &expected);
	else
		oracle_recurrence(s, &expected);
	for (int cut = 0; cut < 2; cut++)
	{
		Machine m;
		double	y;

		machine_new(&m, s);
		if (cut)
		{
			int end = law_random() % 2 ? expected.n : (int) (law_random() % (uint64_t) expected.n);

			for (int i = 0; i < end; i++)
				if (machine_step(&m, s, i, true, &y) != SCAN_OK)
					break;
			machine_start(&m, s);
		}
		memset(m.count, 0, sizeof(m.count));
		right = machine_agrees(&m, s, &expected, what) && right;
		for (int tier = 0; tier < TIERS && !cut; tier++)
			count[tier] += m.count[tier];
		machine_start(&m, s);
		right = right && machine_agrees(&m, s, &expected, what);
		machine_free(&m);
	}
	return right;
}

/* ---- all kinds of series ---- */

static void
kind_holds(const Kind *kind, long *total)
{
	static Series series;
	long		  count[TIERS] = {0};
	char		  text[160];
	bool		  holds = true;

	law_seed = 5000 + (uint64_t) (kind - kinds);
	for (int s = 0; s < (few ? (kind->series + 4) / 5 : kind->series); s++)
	{
		series_draw(&series, kind);
		holds = series_is_right(&series, kind->text, count) && holds;
	}
	for (int tier = 0; tier < TIERS; tier++)
	{
		total[tier] += count[tier];
		if ((kind->reaches >> tier & 1) != 0 && count[tier] == 0)
		{
			printf("# %s: no row is %s\n", kind->text, tier_names[tier]);
			holds = false;
		}
	}
	if (kind->name == BURSTS && count[EXACT] * 100 > count[SCALED])
	{
		printf("# %s: %ld rows are exact\n", kind->text, count[EXACT]);
		holds = false;
	}
	if (kind->order == 0)
		snprintf(text, sizeof(text), "exact products %s (%s)", kind->text, label);
	else
		snprintf(text, sizeof(text), "exact recurrences of order %d: %s (%s)", kind->order, kind->text, label);
	law_report(holds, text);
}

int
main(int argc, char **argv)
{
	long total[TIERS] = {0};

	if (argc > 1)
		label = argv[1];
	few = argc > 2;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		kind_holds(&kinds[k], total);
	printf("# rows");
	for (int tier = 0; tier < TIERS; tier++)
		printf("%s %ld %s", tier == 0 ? "" : ",", total[tier], tier_names[tier]);
	printf("\n");
	return law_failures != 0;
}

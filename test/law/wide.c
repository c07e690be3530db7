/*
 * wide.c: the recurrence tiles of src/cpu/wide.c, bit for bit against the tiers of recurrence_step.  A tile may refuse,
 * but not the kinds of data that people have; and where it answers, every bit counts.  Besides random data: values
 * planted so near a tie that one forgotten term of the bound shows.
 */
#include "dense.h"

typedef enum RowKind
{
	ROW_EMA,
	ROW_COMPOUNDING,
	ROW_SIGNS,
	ROW_NEAR_ONE,
	ROW_UNIFORM, /* the last one that must hardly ever be refused */
	ROW_RUNNING_SUM,
	ROW_SIMPLE, /* a in {0, 1, -1, 0.5} */
	ROW_HALVES, /* a = 0.5 and small integers: ties */
	ROW_DECAY,
	ROW_HUGE,
	ROW_EXPONENTS,
	ROW_NOT_FINITE,
	ROW_KINDS,
} RowKind;

static const char *const row_names[] = {"EMA",		 "compounding", "random signs", "a near 1", "a uniform",
										"a = 1",	 "simple a's",	"halves",		"decay",	"nearly overflowing",
										"exponents", "not finite"};

static void
row_value(RowKind kind, int64_t i, double *a, double *b)
{
	static const double simple[] = {0, 1, -1, 0.5};

	*b = uniform() - 0.5;
	switch (kind)
	{
		case ROW_EMA:
			*a = 0.98;
			break;
		case ROW_COMPOUNDING:
			*a = 1 + (uniform() - 0.45) * 0.1;
			break;
		case ROW_SIGNS:
			*a = random_sign() * (0.9 + 0.1 * uniform());
			break;
		case ROW_NEAR_ONE:
			*a = 1.00001;
			break;
		case ROW_UNIFORM:
			*a = uniform();
			break;
		case ROW_RUNNING_SUM:
			*a = 1;
			*b = floor(uniform() * 20) - 10;
			break;
		case ROW_SIMPLE:
			*a = simple[law_random() % 4];
			*b = random_sign() * (double) (1 + law_random() % 1048576); /* bits to halve before a tie */
			break;
		case ROW_HALVES:
			*a = 0.5;
			*b = floor(uniform() * 5);
			break;
		case ROW_DECAY:
			*a = 0.7;
			*b = i % 3000 == 0;
			break;
		case ROW_HUGE:
			*a = random_sign() * (0.8 + 0.3 * uniform());
			*b *= 0x1p1021;
			break;
		case ROW_EXPONENTS:
			*a = random_sign() * ldexp(1 + uniform(), (int) (law_random() % 41) - 20);
			*b = ldexp(*b, (int) (law_random() % 201) - 100);
			break;
		default:
			*a = uniform();
			if (law_random() % 1500 == 0)
				*(law_random() % 2 ? a : b) = law_random() % 3 == 0 ? (double) NAN : random_sign() * (double) INFINITY;
	}
}

/* The precision tiers, with the memory that they ask for. */
typedef struct Tiers
{
	Recurrence r;
	double	   rows[2 * RECURRENCE_CHUNK];
	uint64_t  *limbs;
} Tiers;

static void
tiers_start(Tiers *tiers, double y)
{
	memset(tiers, 0, sizeof(*tiers));
	tiers->r.rows = tiers->rows;
	tiers->r.room = RECURRENCE_CHUNK;
	recurrence_start(&tiers->r, 1, &y);
}

static ScanStatus
tiers_step(Tiers *tiers, double a, double b)
{
	ScanStatus status;

	while ((status = recurrence_step(&tiers->r, &a, b)) == SCAN_NEEDS_ROOM)
	{
		int		  target = 2 * tiers->r.exact.needed;
		uint64_t *limbs;

		if (tiers->r.exact.needed <= tiers->r.exact.capacity)
			continue; /* it only lets others in */
		limbs = malloc(2 * (size_t) target * sizeof(uint64_t));
		if (limbs == NULL)
			exit(1);
		long_window_move(&tiers->r.exact, 1, limbs, target);
		free(tiers->limbs);
		tiers->limbs = limbs;
	}
	return status;
}

typedef struct Count
{
	int64_t tiles, accepted;
} Count;

/* A tile; false only if it answers, and not as expected. */
static bool
tile_agrees(RecurrencePair *pair, const double *a, const double *b, int n, const double *expected, bool *accepted,
			const char *what)
{
	RecurrencePair before = *pair;
	double		  *y = doubles(n);
	bool		   ok;

	*accepted = scan_wide_recurrence_tile(pair, a, b, n, y);
	ok = *accepted ? same_bits(y, expected, n, what) : memcmp(pair, &before, sizeof(before)) == 0;
	doubles_free(y);
	return ok;
}

/*
 * A chunk from y on: by the tiers, then in tiles of random sizes, as far as they go, from its start and from a pair of
 * the tiers' somewhere inside.
 */
static bool
chunk_agrees(Tiers *tiers, double y, const double *a, const double *b, int *rows, Count *count, const char *what)
{
	double		  *expected = doubles(RECURRENCE_CHUNK);
	RecurrencePair inside = {0, 0, 0}, pair = {y, 0, 0};
	int			   cut = (int) (law_random() % 64) * 64;
	bool		   ok = true, accepted = true;
	int			   n;

	for (n = 0; n < *rows && tiers_step(tiers, a[n], b[n]) == SCAN_OK; n++)
	{
		expected[n] = tiers->r.y[0];
		if (n == cut && tiers->r.tier == RECURRENCE_CERTIFIED)
			inside = tiers->r.pair[0];
	}
	/* past an error nothing is expected, but the tile has to refuse its row */
	for (int i = n; i < *rows; i++)
		expected[i] = (double) NAN;
	for (int i = 0, size; accepted && i + 64 <= *rows; i += size)
	{
		size = law_random() % 2 ? RECURRENCE_CHUNK : 64 * (1 + (int) (law_random() % 40));
		size = size < *rows - i ? size : (*rows - i) / 64 * 64;
		ok = tile_agrees(&pair, a + i, b + i, size, expected + i, &accepted, what) && ok;
		count->tiles++;
		count->accepted += accepted;
	}
	cut++;
	if (inside.bound > 0 && *rows - cut >= 64)
		ok = tile_agrees(&inside, a + cut, b + cut, (*rows - cut) / 64 * 64, expected + cut, &accepted, what) && ok;
	*rows = n;
	doubles_free(expected);
	return ok;
}

static void
law_recurrences(void)
{
	double *a = doubles(RECURRENCE_CHUNK);
	double *b = doubles(RECURRENCE_CHUNK);
	Tiers  *tiers = malloc(sizeof(*tiers));

	if (tiers == NULL)
		exit(1);
	for (int kind = 0; kind < ROW_KINDS; kind++)
	{
		int	  chunks = kind > ROW_UNIFORM ? 40 : 120;
		Count count = {0, 0};
		char  text[120];
		bool  ok = true;

		if (few)
			chunks /= 10;
		tiers_start(tiers, 0);
		for (int c = 0; c < chunks; c++)
		{
			/* integers as long as it takes are slow where exponents are wild */
			int target = kind == ROW_EXPONENTS ? 512 : RECURRENCE_CHUNK;
			int rows = target;

			for (int i = 0; i < rows; i++)
				row_value((RowKind) kind, c * RECURRENCE_CHUNK + i, &a[i], &b[i]);
			ok = chunk_agrees(tiers, tiers->r.y[0], a, b, &rows, &count, row_names[kind]) && ok;
			/* on from the next chunk, if there was no error, and numbers are numbers still */
			if (rows < RECURRENCE_CHUNK || !isfinite(tiers->r.y[0]) || fabs(tiers->r.y[0]) > 1e250)
			{
				free(tiers->limbs);
				tiers_start(tiers, kind == ROW_EXPONENTS ? uniform() : normal());
			}
		}
		free(tiers->limbs);
		printf("# %s: %" PRId64 " of %" PRId64 " tiles answered\n", row_names[kind], count.accepted, count.tiles);
		if (kind <= ROW_UNIFORM)
			ok = ok && count.accepted * 100 >= count.tiles * 99;
		snprintf(text, sizeof(text), "wide recurrences, %s", row_names[kind]);
		report(ok, text);
	}
	doubles_free(a);
	doubles_free(b);
	free(tiers);
}

/* ---- answers that hang on the last bits ---- */

#define NEAR_UNIT 0x1p-80

/*
 * Rows from `at` on whose sum comes within 2^-54 to 2^-80 of a tie, by way of numbers up to 2^38 that leave bits
 * everywhere: what a pair forgets decides.  Returns how many.
 */
static int
plant_near_tie(double *a, double *b, int at)
{
	scan_int128 total = 0;
	scan_int128 one = (scan_int128) 1 << 80;
	scan_int128 goal = one + one / 2 * (scan_int128) (law_random() % 2) + ((scan_int128) 1 << 27);
	int			big = (int) (law_random() % 46);
	int			row = at;

	goal += (scan_int128) random_sign() * ((scan_int128) 1 << law_random() % 27);
	for (int i = 0; i < 6; i++, row++)
	{
		int64_t		bits = (int64_t) (law_random() >> 11);
		int			up = (int) (law_random() % (20 + (unsigned) big));
		scan_int128 piece = (scan_int128) bits << up;

		a[row] = i == 0 ? 0 : random_sign();
		if (a[row] <= 0)
			total = -total;
		total = i == 0 ? piece : total + piece;
		b[row] = ldexp((double) bits * NEAR_UNIT, up);
	}
	for (int wait = (int) (law_random() % 20); wait > 0; wait--, row++)
	{
		a[row] = 1;
		b[row] = 0;
	}
	for (; total != goal; row++)
	{
		double piece = (double) (goal - total) * NEAR_UNIT;

		a[row] = 1;
		b[row] = piece;
		total += (scan_int128) (piece / NEAR_UNIT);
	}
	return row - at;
}

/*
 * A lane of 64 rows, 60 of which add less than half a last place of l: together they take it over the tie that it is a
 * little below, either there, or in the first row of the next lane, where only the bound still knows: l has gone back
 * to zero before.
 */
static int
plant_lost_rows(double *a, double *b, int at)
{
	const double near = 0x1p-53 - 0x1p-102;
	bool		 next_lane = law_random() % 2;

	for (int i = 0; i <= 64; i++)
	{
		a[at + i] = i > 0;
		b[at + i] = i >= 2 && i < 62 ? 0x1p-107 * 0.99 : 0;
	}
	b[at] = 1;
	b[at + 1] = next_lane ? 0x1p-54 : near;
	if (next_lane)
	{
		b[at + 62] = -0x1p-54;
		b[at + 64] = near;
	}
	return 65;
}

static void
law_near_ties(void)
{
	double *a = doubles(RECURRENCE_CHUNK);
	double *b = doubles(RECURRENCE_CHUNK);
	Tiers  *tiers = malloc(sizeof(*tiers));
	Count	count = {0, 0};
	bool	ok = true;

	if (tiers == NULL)
		exit(1);
	for (int tile = 0; tile < (few ? 1000 : 20000); tile++)
	{
		int n = 64 << law_random() % 5;
		int at = (int) (law_random() % (unsigned) n), end = 0;

		for (int i = 0; i < n; i++)
		{
			a[i] = uniform();
			b[i] = uniform();
		}
		if (n >= 512 && law_random() % 8 == 0)
			end = plant_lost_rows(a, b, at < n - 65 ? at / 64 * 64 : 0);
		else if (at + 60 < n)
			end = at + plant_near_tie(a, b, at);
		if (end > 0)
		{
			int rows = n;

			tiers_start(tiers, 0);
			ok = chunk_agrees(tiers, 0, a, b, &rows, &count, "near a tie") && ok;
			free(tiers->limbs);
		}
	}
	printf("# near ties: %" PRId64 " of %" PRId64 " tiles answered\n", count.accepted, count.tiles);
	report(ok && count.accepted > count.tiles / 10, "wide recurrences, values near a tie");
	doubles_free(a);
	doubles_free(b);
	free(tiers);
}

/*
 * States that are not the pair one would keep, from which no answer may differ:
 *   one that is off by as much as its bound admits;
 *   one whose l has a good part of the value;
 *   one so small that products lose bits below 2^-1074.
 */
typedef enum StateKind
{
	STATE_OFF,
	STATE_SPLIT,
	STATE_SMALL,
	STATE_KINDS,
} StateKind;

static const char *const state_names[] = {"off by their bound", "split unevenly", "near the subnormals"};

static void
law_states(StateKind kind)
{
	double *a = doubles(512);
	double *b = doubles(512);
	double *expected = doubles(512);
	Tiers  *tiers = malloc(sizeof(*tiers));
	Count	count = {0, 0};
	char	text[120];
	bool	ok = true, accepted;

	if (tiers == NULL)
		exit(1);
	for (int tile = 0; tile < (few ? 500 : 10000); tile++)
	{
		int			   n = 64 * (1 + (int) (law_random() % 8));
		double		   y = normal();
		int			   small = 750 + (int) (law_random() % 320);
		RecurrencePair pair = {y, 0, 0};

		if (kind == STATE_OFF)
		{
			pair.bound = ldexp(fabs(y), -54 - (int) (law_random() % 16));
			pair.l = random_sign() * pair.bound;
		}
		else if (kind == STATE_SPLIT)
		{
			pair.l = remainder(y, ldexp(1, -(int) (law_random() % 40)));
			pair.h = y - pair.l;
		}
		else
			pair.h = y = ldexp(y, -small);
		tiers_start(tiers, y);
		for (int i = 0; i < n; i++)
		{
			row_value((RowKind) (law_random() % (ROW_UNIFORM + 1)), i, &a[i], &b[i]);
			if (kind == STATE_SMALL)
				b[i] = ldexp(b[i], -small - (int) (law_random() % 60));
			tiers_step(tiers, a[i], b[i]);
			expected[i] = tiers->r.y[0];
		}
		free(tiers->limbs);
		ok = tile_agrees(&pair, a, b, n, expected, &accepted, state_names[kind]) && ok;
		count.tiles++;
		count.accepted += accepted;
	}
	printf("# states %s: %" PRId64 " of %" PRId64 " tiles answered\n", state_names[kind], count.accepted, count.tiles);
	snprintf(text, sizeof(text), "wide recurrences, states %s", state_names[kind]);
	report(ok && count.accepted > 0, text);
	doubles_free(a);
	doubles_free(b);
	doubles_free(expected);
	free(tiers);
}

int
main(int argc, char **argv)
{
	arguments(argc, argv);
	if (!scan_wide_available())
	{
		printf("ok wide recurrences (%s) # skip: no AVX-512 on this machine\n", label);
		return 0;
	}
	law_recurrences();
	law_near_ties();
	for (int kind = 0; kind < STATE_KINDS; kind++)
		law_states((StateKind) kind);
	return law_failures != 0;
}

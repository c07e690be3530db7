/*
 * exact.c: float sums, and gains of counters, are the real ones rounded once: the vectors that were confirmed by
 * Python's integers, and columns of twenty thousand numbers of every nasty kind against big.h; every algorithm, in jobs
 * of every size.
 *
 *   exact [LABEL [few]]
 */
#include "big.h"
#include "oracle.h"

#define COLUMN 20000
#define HALF 0x1p-53 /* half a step above 1 */
#define DEEP 0x1p-300

static const int64_t sizes[] = {1, 2, 7, 8, 9, 255, 2047, 2048, 2049, 4095, 4096, 4097, SCAN_BATCH};

#define SIZES ((int) (sizeof(sizes) / sizeof(sizes[0])))

static const char *label = "cc";
static bool		   few;
static int		   rows = COLUMN; /* of the random columns */

static void
report(bool ok, const char *text)
{
	char line[160];

	snprintf(line, sizeof(line), "%s (%s)", text, label);
	law_report(ok, line);
}

/* ---- the oracle ---- */

static void
oracle_exact(LawSegment s, LawAfter *after)
{
	bool		   narrow = strcmp(s.column->op->type, "float4") == 0;
	const BigType *type = narrow ? &big_float4 : &big_float8;
	bool		   nothing = true, nan = false, plus = false, minus = false, only_negative_zeros = true;
	Big			   total;

	memset(&total, 0, sizeof(total));
	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			double x = narrow ? ((const float *) s.column->in)[i] : ((const double *) s.column->in)[i];
			Big	   one;

			nothing = false;
			nan = nan || isnan(x);
			plus = plus || (isinf(x) && x > 0);
			minus = minus || (isinf(x) && x < 0);
			only_negative_zeros = only_negative_zeros && x == 0 && signbit(x);
			if (isfinite(x))
			{
				big_of_double(&one, x);
				big_add(&total, &one);
			}
		}
		after[i].nothing = nothing;
		after[i].status = SCAN_OK;
		if (nan || (plus && minus))
			after[i].real = (double) NAN;
		else if (plus || minus)
			after[i].real = plus ? (double) INFINITY : -(double) INFINITY;
		else if (only_negative_zeros)
			after[i].real = -0.0;
		else if (big_is_out_of_range(&total, type))
			after[i].status = SCAN_FLOAT_OVERFLOW;
		else
			after[i].real = big_round(&total, type);
	}
}

/* Steps of a counter: + x, and - the value before unless x is below it in PostgreSQL's order. */
static void
oracle_counter(LawSegment s, LawAfter *after)
{
	bool   nothing = true, nan = false, plus = false, minus = false;
	double before = 0;
	Big	   total;

	memset(&total, 0, sizeof(total));
	for (int64_t i = s.from; i < s.to; i++)
	{
		double x = ((const double *) s.column->in)[i];

		if (law_has_value(s.column, i))
		{
			bool   falls = isnan(before) ? !isnan(x) : x < before;
			double terms[2] = {x, falls ? 0 : -before};

			for (int t = 0; t < 2 && !nothing; t++)
			{
				Big one;

				nan = nan || isnan(terms[t]);
				plus = plus || (isinf(terms[t]) && terms[t] > 0);
				minus = minus || (isinf(terms[t]) && terms[t] < 0);
				if (!isfinite(terms[t]))
					continue;
				big_of_double(&one, terms[t]);
				big_add(&total, &one);
			}
			nothing = false;
			before = x;
		}
		after[i].nothing = nothing;
		after[i].status = SCAN_OK;
		if (nan || (plus && minus))
			after[i].real = (double) NAN;
		else if (plus || minus)
			after[i].real = plus ? (double) INFINITY : -(double) INFINITY;
		else if (big_is_out_of_range(&total, &big_float8))
			after[i].status = SCAN_FLOAT_OVERFLOW;
		else
			after[i].real = big_round(&total, &big_float8) + 0.0;
	}
}

static const LawOracle exact_oracle = {"sum", "", oracle_exact, false, 0};
static const LawOracle counter_oracle = {"counter", "", oracle_counter, true, 0};

static LawColumn
column_of_op(const double *x, int64_t n, ScanOpId line)
{
	LawColumn column;

	law_column_start(&column, scan_op_at(line), NULL, n);
	for (int64_t i = 0; i < n; i++)
		if (line == SCAN_OP_sum_float4)
			((float *) column.in)[i] = (float) x[i];
		else
			((double *) column.in)[i] = x[i];
	return column;
}

static LawColumn
column_of(const double *x, int64_t n, bool narrow)
{
	return column_of_op(x, n, narrow ? SCAN_OP_sum_float4 : SCAN_OP_sum_float8);
}

/* Every algorithm in jobs of every size, or of one size in `share`; inclusive. */
static bool
column_holds(const LawColumn *column, const LawAnswers *expected, int share, const char *what)
{
	bool holds = true;

	for (int a = 0; a < LAW_ALGORITHMS; a++)
		for (int s = 0; s < SIZES; s++)
			if (s == SIZES - 1 || (sizes[s] < column->n && (a + s) % share == 0))
				holds = law_jobs_agree(column, SCAN_INCLUSIVE, law_algorithms[a], sizes[s], expected, what) && holds;
	return holds;
}

/* The column as it is against the oracle; then with NULLs and heads, and exclusive. */
static bool
column_is_exact(LawColumn *column, const char *what)
{
	const LawOracle *oracle = column->op->line == SCAN_OP_counter_float8 ? &counter_oracle : &exact_oracle;
	LawAnswers		 expected;
	bool			 exact;

	law_column_answers(column, oracle, SCAN_INCLUSIVE, &expected);
	exact = column_holds(column, &expected, few ? 3 : 2, what);
	law_answers_free(&expected);
	exact = law_column_is_right(column, oracle, what) && exact;
	column->valid = law_random_bits(column->n, 700);
	column->heads = law_random_bits(column->n, 1);
	return law_column_is_right(column, oracle, what) && exact;
}

/* ---- vectors ---- */

typedef struct Vector
{
	int	   n;
	int	   done; /* rows answered; less than n: the next is out of range */
	double x[10];
	double y[10];
} Vector;

#define INF ((double) INFINITY)
#define ANY_NAN ((double) NAN)

static const Vector vectors[] = {
	{3, 3, {1, HALF, 0x1p-106}, {1, 1, 1.0000000000000002}},
	{3, 3, {1 + 0x1p-52, HALF, -DEEP}, {1.0000000000000002, 1.0000000000000004, 1.0000000000000002}},
	{3, 3, {1e16, 1, -1e16}, {1e16, 1e16, 1}},
	{2, 1, {1e308, 1e308}, {1e308}},
	{3, 2, {DBL_MAX, 0x1p969, 0x1p969}, {DBL_MAX, DBL_MAX}},
	{2, 1, {DBL_MAX, 0x1p970}, {DBL_MAX}},
	{5, 5, {1e308, -1e308, 1e-308, 5e-324, -1e-308}, {1e308, 0, 1e-308, 1.0000000000000004e-308, 5e-324}},
	{10,
	 10,
	 {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1},
	 {.1, .2, .30000000000000004, .4, .5, .6000000000000001, .7000000000000001, .8, .9, 1}},
	{3, 3, {INF, 1e308, 1e308}, {INF, INF, INF}},
	{3, 3, {INF, -INF, 1}, {INF, ANY_NAN, ANY_NAN}},
	{4, 4, {-0.0, -0.0, 0, -0.0}, {-0.0, -0.0, 0, 0}},
	{3, 3, {1, -1, -0.0}, {1, 0, 0}},
	{2, 2, {0x1p-1022, -0x1p-1074}, {0x1p-1022, 2.225073858507201e-308}},
};

/*
 * A vector that starts at row `before`, as a segment of its own after some other numbers, so that it lies anywhere in a
 * job and in a tile.
 */
static bool
vector_holds(const Vector *vector, int64_t before)
{
	double	  *x = (double *) law_alloc((size_t) (before + vector->n) * sizeof(double));
	LawColumn  column;
	LawAnswers expected;
	bool	   holds;

	for (int64_t i = 0; i < before; i++)
		x[i] = (double) i;
	memcpy(x + before, vector->x, (size_t) vector->n * sizeof(double));
	column = column_of(x, before + vector->n, false);
	column.heads = law_bits(column.n, false);
	scan_bit_put(column.heads, before, true);

	law_answers_start(&expected, column.op, column.n);
	for (int64_t i = 0; i < before; i++)
		((double *) expected.out)[i] = (double) (i * (i + 1) / 2);
	for (int i = 0; i < vector->n; i++)
		((double *) expected.out)[before + i] = vector->y[i];
	expected.done = before + vector->done;
	expected.status = vector->done < vector->n ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
	holds = column_holds(&column, &expected, few ? 3 : 1, "a vector");
	if (before == 0)
	{
		free(column.heads);
		column.heads = NULL;
		holds = column_holds(&column, &expected, few ? 3 : 1, "a vector") && holds;
	}
	law_answers_free(&expected);
	law_column_free(&column);
	free(x);
	return holds;
}

static void
vectors_hold(void)
{
	bool hold = true;

	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++)
		for (int before = 0; before < 1030; before = before == 3 ? 1015 : before + 1)
			hold = vector_holds(&vectors[v], before) && hold;
	report(hold, "vectors of sum float8");
}

/* ---- hashed columns: FNV-1a over the answers' bytes, the lowest byte first ---- */

static uint64_t
fnv1a(const double *y, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 64; k += 8)
			hash = (hash ^ (double_bits(y[i]) >> k & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

static bool
hash_holds(const double *x, uint64_t hash)
{
	LawColumn column = column_of(x, COLUMN, false);
	bool	  holds = true;

	for (int a = 0; a < LAW_ALGORITHMS; a++)
		for (int s = 0; s < SIZES; s++)
		{
			LawAnswers answers;

			if (few && (a + s) % 3 != 0)
				continue;
			law_run_jobs(&column, SCAN_INCLUSIVE, law_algorithms[a], sizes[s], &answers);
			holds = holds && answers.done == COLUMN && fnv1a((const double *) answers.out, COLUMN) == hash;
			law_answers_free(&answers);
		}
	law_column_free(&column);
	return holds;
}

static void
hashes_hold(double *x)
{
	law_seed = 42;
	for (int i = 0; i < COLUMN; i++)
		x[i] = (double) (law_random() >> 11) * 0x1p-53 - 0.5;
	report(hash_holds(x, UINT64_C(0xf52e0342ffed5e1c)), "hash of uniform numbers");

	law_seed = 43;
	for (int i = 0; i < COLUMN; i++)
	{
		uint64_t z = law_random();

		if ((z >> 52 & 0x7ff) >= 2000)
			z &= ~(UINT64_C(1) << 62);
		x[i] = double_from_bits(z);
	}
	report(hash_holds(x, UINT64_C(0xe18665482dc946f3)), "hash of random bits");

	for (int i = 0; i < COLUMN / 2; i++)
		x[COLUMN - 1 - i] = -x[i];
	report(hash_holds(x, UINT64_C(0xcfba97d6acc77bda)), "hash of random bits, then undone");
}

/* ---- distributions ---- */

/* What "near overflow" and "very small" mean: float8's numbers, or float4's. */
typedef struct Range
{
	double largest;
	int	   widest; /* exponents from -widest to widest */
	double half, deep, smallest;
} Range;

static const Range wide = {1.7e308, 996, HALF, DEEP, 0x1p-1074};
static const Range narrow = {3.3e38, 120, 0x1p-24, 0x1p-140, 0x1p-149};

static double
any_exponent(int widest)
{
	return law_sign() * ldexp(1 + law_uniform(), (int) (law_random() >> 32) % (2 * widest + 1) - widest);
}

static const char *const kinds[] = {
	"normals",
	"uniforms",
	"cents",
	"pairs of 1e16 that cancel",
	"all exponents",
	"normals times 2^-60..60",
	"above, then undone",
	"near overflow, alternating",
	"overflow at last",
	"ties with a deep bit",
	"ties at random",
	"ties of whole numbers",
	"subnormals",
	"infinities and NaN",
	"alternating 1.7e308",
};

#define KINDS ((int) (sizeof(kinds) / sizeof(kinds[0])))

/* Number i of a kind; the ones before it stand in x. */
static double
draw(int kind, int i, const double *x, const Range *r)
{
	switch (kind)
	{
		case 0:
			return law_normal();
		case 1:
			return law_uniform();
		case 2:
			return floor(law_uniform() * 1e6) / 100;
		case 3:
			return i % 3 == 0 ? 1e16 * law_normal() : i % 3 == 1 ? law_normal() : -x[i - 2];
		case 4:
			return any_exponent(r->widest);
		case 5:
			return law_normal() * ldexp(1, (int) (law_random() >> 32) % 121 - 60);
		case 6:
			return i < rows / 2 ? any_exponent(r->widest) : -x[rows - 1 - i];
		case 7:
			return (i % 2 == 0 ? 1 : -1) * r->largest * (1 - law_uniform() * 0x1p-20);
		case 8:
			return (i % 2 == 0 ? 1 : -1) * r->largest * (1 - law_uniform() * 0x1p-8);
		case 9:
			return i == 0 ? 1 : i == 1 ? r->half : i % 2 == 0 ? r->deep : -r->deep;
		case 10:
		{
			static const double part[] = {1, 1, 0, 0, 3, 1, 0, 0};
			int					n = (int) (law_random() >> 32 & 7);

			return law_sign() * (part[n] + (n < 4 ? r->half : n < 6 ? 0 : r->deep));
		}
		case 11:
			return i == 0 ? 1 / r->half : law_sign() * (double) (law_random() >> 32 & 3);
		case 12:
			return law_sign() * (double) (law_random() >> 40) * r->smallest;
		case 13:
			return i == 3000 || i == 3001 ? -INF : i == 4500 ? ANY_NAN : i == 4000 ? INF : law_normal();
		default:
			return i < 4096 ? (i % 2 == 0 ? 1 : -1) * r->largest : i == 4096 ? -0.0 : r->half;
	}
}

static void
kinds_are_exact(double *x, ScanOpId line)
{
	bool is_narrow = line == SCAN_OP_sum_float4;

	for (int kind = 0; kind < KINDS; kind++)
	{
		char	  text[120];
		LawColumn column;

		law_seed = 1000 + (uint64_t) kind;
		for (int i = 0; i < rows; i++)
			x[i] = draw(kind, i, x, is_narrow ? &narrow : &wide);
		column = column_of_op(x, rows, line);
		snprintf(text, sizeof(text), "exact %ss of %s: %s", column.op->function, column.op->type, kinds[kind]);
		report(column_is_exact(&column, kinds[kind]), text);
		law_column_free(&column);
	}
}

/* A number that is not like the others, at the edges of a tile; -0 all the way up to it. */
static void
edges_are_exact(double *x)
{
	static const int	edges[] = {0, 1, 2, 1022, 1023, 1024, 1025, 1026, 2047, 2048, 2049};
	static const double odd[] = {-0.0, 0.0, INF, -INF, ANY_NAN, 1.7e308, 5e-324};
	bool				exact = true;

	for (int e = 0; e < 11; e++)
		for (int o = 0; o < 7; o++)
			for (int zeros = 0; zeros < 2; zeros++)
			{
				LawColumn column;

				if ((e + o + zeros) % (few ? 5 : 2) != 0)
					continue;
				for (int i = 0; i < 2060; i++)
					x[i] = zeros ? -0.0 : law_normal();
				x[edges[e]] = odd[o];
				column = column_of(x, 2060, o % 2 == 1 && o != 5);
				exact = column_is_exact(&column, "tile edges") && exact;
				law_column_free(&column);
				column = column_of_op(x, 2060, SCAN_OP_counter_float8);
				exact = column_is_exact(&column, "tile edges of counters") && exact;
				law_column_free(&column);
			}
	report(exact, "-0, NaN, infinities and extremes at the edges of tiles");
}

int
main(int argc, char **argv)
{
	double *x = (double *) law_alloc(COLUMN * sizeof(double));

	if (argc > 1)
		label = argv[1];
	few = argc > 2;
	rows = few ? COLUMN / 4 : COLUMN;
	vectors_hold();
	hashes_hold(x);
	kinds_are_exact(x, SCAN_OP_sum_float8);
	kinds_are_exact(x, SCAN_OP_sum_float4);
	kinds_are_exact(x, SCAN_OP_counter_float8);
	edges_are_exact(x);
	free(x);
	return law_failures != 0;
}

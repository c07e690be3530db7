/*
 * oracle.c: answers compared with those of plain loops that are right at a glance and share nothing with src/: totals
 * in 128 bits, one table look-up a row, an `if` for every rule.  Every function and type but the float sums (exact.c),
 * inclusive and exclusive, with NULLs and heads, on random values and at the edges of int8; every algorithm, in jobs of
 * random size.
 *
 *   oracle [LABEL [few|all [FUNCTION]]]
 */
#include "oracle.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A value of any of the integer types, by the name of its type. */
static int64_t
integer_at(const LawColumn *column, int64_t i)
{
	const char *type = column->op->type;

	if (strcmp(type, "bool") == 0)
		return ((const uint8_t *) column->in)[i];
	if (strcmp(type, "int2") == 0)
		return ((const int16_t *) column->in)[i];
	if (strcmp(type, "int4") == 0)
		return ((const int32_t *) column->in)[i];
	return ((const int64_t *) column->in)[i];
}

static double
real_at(const LawColumn *column, int64_t i)
{
	return strcmp(column->op->type, "float4") == 0 ? ((const float *) column->in)[i] : ((const double *) column->in)[i];
}

static bool
fits(__int128 x, int64_t lowest, int64_t highest)
{
	return x >= lowest && x <= highest;
}

/* ---- one loop a function ---- */

static void
oracle_sum(LawSegment s, LawAfter *after)
{
	bool	 wide = strcmp(s.column->op->function, "wide_sum") == 0;
	__int128 total = 0;
	bool	 nothing = true;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			nothing = false;
			total += integer_at(s.column, i);
		}
		after[i].nothing = nothing;
		after[i].number = total;
		after[i].status = wide || fits(total, INT64_MIN, INT64_MAX) ? SCAN_OK : SCAN_INT8_OUT_OF_RANGE;
	}
}

static void
oracle_sum_interval(LawSegment s, LawAfter *after)
{
	__int128 month = 0, day = 0, time = 0;
	bool	 nothing = true, plus = false, minus = false;
	bool	 has_infinity = s.column->param != NULL;

	for (int64_t i = s.from; i < s.to; i++)
	{
		const ScanSpan x = ((const ScanSpan *) s.column->in)[i];

		if (law_has_value(s.column, i))
		{
			nothing = false;
			if (has_infinity && x.month == INT32_MAX && x.day == INT32_MAX && x.time == INT64_MAX)
				plus = true;
			else if (has_infinity && x.month == INT32_MIN && x.day == INT32_MIN && x.time == INT64_MIN)
				minus = true;
			else
			{
				month += x.month;
				day += x.day;
				time += x.time;
			}
		}
		after[i].nothing = nothing;
		after[i].status = SCAN_OK;
		after[i].span.month = plus ? INT32_MAX : minus ? INT32_MIN : (int32_t) month;
		after[i].span.day = plus ? INT32_MAX : minus ? INT32_MIN : (int32_t) day;
		after[i].span.time = plus ? INT64_MAX : minus ? INT64_MIN : (int64_t) time;
		if (plus && minus)
			after[i].status = SCAN_INTERVAL_OUT_OF_RANGE;
		if (!plus && !minus &&
			(!fits(month, INT32_MIN, INT32_MAX) || !fits(day, INT32_MIN, INT32_MAX) ||
			 !fits(time, INT64_MIN, INT64_MAX)))
			after[i].status = SCAN_INTERVAL_OUT_OF_RANGE;
		/* a finite total that looks like an infinity is no interval */
		if (has_infinity && !plus && !minus &&
			((month == INT32_MAX && day == INT32_MAX && time == INT64_MAX) ||
			 (month == INT32_MIN && day == INT32_MIN && time == INT64_MIN)))
			after[i].status = SCAN_INTERVAL_OUT_OF_RANGE;
	}
}

/* rows that are true; a NULL is not */
static void
oracle_count(LawSegment s, LawAfter *after)
{
	int64_t count = 0;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i) && integer_at(s.column, i) != 0)
			count++;
		after[i].number = count;
	}
}

static void
oracle_extreme(LawSegment s, LawAfter *after)
{
	bool	min = strcmp(s.column->op->function, "min") == 0;
	bool	nothing = true;
	int64_t best = 0;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			int64_t x = integer_at(s.column, i);

			if (nothing || (min ? x < best : x > best))
				best = x;
			nothing = false;
		}
		after[i].nothing = nothing;
		after[i].number = best;
	}
}

/* PostgreSQL's order: NaN above all numbers and equal to itself; -0 equals 0 */
static int
float_compare(double a, double b)
{
	if (isnan(a))
		return isnan(b) ? 0 : 1;
	if (isnan(b))
		return -1;
	return a < b ? -1 : a > b ? 1 : 0;
}

/* the later of equals stays, which the sign of a zero tells */
static void
oracle_float_extreme(LawSegment s, LawAfter *after)
{
	bool   min = strcmp(s.column->op->function, "min") == 0;
	bool   nothing = true;
	double best = 0;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			double x = real_at(s.column, i);

			if (nothing || (min ? float_compare(x, best) <= 0 : float_compare(x, best) >= 0))
				best = x;
			nothing = false;
		}
		after[i].nothing = nothing;
		after[i].real = best;
	}
}

static void
oracle_logic(LawSegment s, LawAfter *after)
{
	const char *function = s.column->op->function;
	bool		nothing = true;
	int64_t		bits = strstr(function, "and") != NULL ? -1 : 0;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			int64_t x = integer_at(s.column, i);

			nothing = false;
			if (strstr(function, "and") != NULL)
				bits = bits & x;
			else if (strstr(function, "xor") != NULL)
				bits = bits ^ x;
			else
				bits = bits | x;
		}
		after[i].nothing = nothing;
		after[i].number = bits;
	}
}

/* 1, 2, 3 ... at rows that are true, NULL at the others */
static void
oracle_compact_index(LawSegment s, LawAfter *after)
{
	int64_t kept = 0;

	for (int64_t i = s.from; i < s.to; i++)
	{
		bool keep = law_has_value(s.column, i) && integer_at(s.column, i) != 0;

		if (keep)
			kept++;
		after[i].number = kept;
		after[i].status = keep ? SCAN_OK : SCAN_NULL;
	}
}

static void
oracle_clamped_sum(LawSegment s, LawAfter *after)
{
	const ClampParam *param = (const ClampParam *) s.column->param;
	__int128		  y = param->init;
	bool			  nothing = true;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			nothing = false;
			y += integer_at(s.column, i);
			if (y < param->lower)
				y = param->lower;
			if (y > param->upper)
				y = param->upper;
		}
		after[i].nothing = nothing;
		after[i].number = (int64_t) y;
		after[i].status = fits(y, INT64_MIN, INT64_MAX) ? SCAN_OK : SCAN_INT8_OUT_OF_RANGE;
	}
}

static void
oracle_carry(LawSegment s, LawAfter *after)
{
	bool carry = s.column->param != NULL && ((const CarryParam *) s.column->param)->carry_in;
	bool nothing = true;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			bool generate = integer_at(s.column, i) & CARRY_GENERATE;
			bool propagate = integer_at(s.column, i) & CARRY_PROPAGATE;

			nothing = false;
			carry = generate || (propagate && carry);
		}
		after[i].nothing = nothing;
		after[i].number = carry;
	}
}

/* + (x - before) where the counter has not fallen, else + x */
static void
oracle_counter(LawSegment s, LawAfter *after)
{
	__int128 gain = 0;
	int64_t	 before = 0;
	bool	 nothing = true;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (law_has_value(s.column, i))
		{
			int64_t x = integer_at(s.column, i);

			if (!nothing && x >= before)
				gain += (__int128) x - before;
			else if (!nothing)
				gain += x;
			before = x;
			nothing = false;
		}
		after[i].nothing = nothing;
		after[i].number = gain;
		after[i].status = fits(gain, INT64_MIN, INT64_MAX) ? SCAN_OK : SCAN_INT8_OUT_OF_RANGE;
	}
}

/* 1, and one more at each row that is distinct from the row before */
static void
oracle_change(LawSegment s, LawAfter *after)
{
	bool	is_float = strncmp(s.column->op->type, "float", 5) == 0;
	int64_t number = 1;

	for (int64_t i = s.from; i < s.to; i++)
	{
		if (i > s.from)
		{
			bool a = law_has_value(s.column, i - 1), b = law_has_value(s.column, i);
			bool same = !a && !b;

			if (a && b && is_float)
				same = float_compare(real_at(s.column, i - 1), real_at(s.column, i)) == 0;
			else if (a && b)
				same = integer_at(s.column, i - 1) == integer_at(s.column, i);
			if (!same)
				number++;
		}
		after[i].number = number;
	}
}

/* ---- which loop, and the answer before the first value ---- */

static const LawOracle oracles[] = {
	{"sum", "float", NULL, false, 0}, /* exact.c */
	{"sum", "interval", oracle_sum_interval, false, 0},
	{"sum", "", oracle_sum, false, 0},
	{"wide_sum", "", oracle_sum, false, 0},
	{"count", "", oracle_count, false, 0},
	{"min", "float", oracle_float_extreme, true, 0},
	{"min", "", oracle_extreme, true, 0},
	{"max", "float", oracle_float_extreme, true, 0},
	{"max", "", oracle_extreme, true, 0},
	{"bool_and", "", oracle_logic, false, 1},
	{"bool_or", "", oracle_logic, false, 0},
	{"bit_and", "", oracle_logic, false, -1},
	{"bit_or", "", oracle_logic, false, 0},
	{"bit_xor", "", oracle_logic, false, 0},
	{"compact_index", "", oracle_compact_index, true, 0},
	{"clamped_sum", "", oracle_clamped_sum, true, 0},
	{"carry", "", oracle_carry, true, 0},
	{"counter", "float", NULL, true, 0}, /* exact.c */
	{"counter", "", oracle_counter, true, 0},
	{"change", "", oracle_change, true, 0},
};

static const LawOracle *
oracle_of(const ScanOp *op)
{
	for (size_t i = 0; i < COUNT(oracles); i++)
		if (strcmp(oracles[i].function, op->function) == 0 &&
			strncmp(oracles[i].type, op->type, strlen(oracles[i].type)) == 0)
			return &oracles[i];
	return NULL;
}

/* ---- columns ---- */

/* Values whose totals stay about as large as the type of the answer, so that the first overflow comes anywhere. */
static void
draw_near_the_edge(const ScanOp *op, int64_t i, void *in)
{
	if (strcmp(op->type, "int8") == 0)
		((int64_t *) in)[i] = (int64_t) law_random() >> 5;
	else if (strcmp(op->type, "interval") == 0)
	{
		ScanSpan *x = (ScanSpan *) in + i;

		x->time = (int64_t) law_random() >> 5;
		x->day = (int32_t) (law_random() >> 32) >> 6;
		x->month = (int32_t) (law_random() >> 32) >> 6;
	}
	else
		law_value(op->function, op->type, 1, (char *) in + i * op->in_size);
}

/* Now and then an interval that is infinite where there are such. */
static void
draw_infinities(LawColumn *column)
{
	static const SpanParam has_infinity = {true};
	ScanSpan			  *x = (ScanSpan *) column->in;
	int					   side = (int) (law_random() >> 33 & 3);

	column->param = &has_infinity;
	for (int64_t i = 0; i < column->n; i++)
		if (law_random() % 1000 == 0)
		{
			bool plus = side == 0 || (side == 2 && law_random() >> 33 & 1);

			x[i].month = x[i].day = plus ? INT32_MAX : INT32_MIN;
			x[i].time = plus ? INT64_MAX : INT64_MIN;
		}
}

static void
op_is_right(const ScanOp *op, const LawOracle *oracle, int columns, const char *label)
{
	static const int chances[] = {0, 3, 50, 300, 1000};
	bool			 right = true;
	char			 text[120];

	for (int round = 0; round < columns; round++)
	{
		LawColumn column;
		int64_t	  n = round % 4 == 0 ? round : (int64_t) (law_random() % 5000);
		int		  nulls = chances[law_random() % 5], heads = chances[law_random() % 5];

		law_column_start(&column, op, law_param(op->function), n);
		for (int64_t i = 0; i < n; i++)
			if (round % 5 == 4)
				draw_near_the_edge(op, i, column.in);
			else
				law_value(op->function, op->type, round % 5, (char *) column.in + i * op->in_size);
		if (nulls != 0)
			column.valid = law_random_bits(n, 1000 - nulls);
		if (heads != 0)
			column.heads = law_random_bits(n, heads);
		if (strcmp(op->type, "interval") == 0 && round % 2 == 1)
			draw_infinities(&column);
		right = law_column_is_right(&column, oracle, "random values") && right;
		law_column_free(&column);
	}
	snprintf(text, sizeof(text), "oracle of %s %s (%s)", op->function, op->type, label);
	law_report(right, text);
}

static void
no_oracle(const ScanOp *op, const char *label)
{
	char text[120];

	snprintf(text, sizeof(text), "oracle of %s %s (%s): the table `oracles` of test/law/oracle.c has no line for it",
			 op->function, op->type, label);
	law_report(false, text);
}

/* A few values to the bit: `n` of them after `zeros` zeros; the first row out of range among them, or -1. */
static bool
edge_holds(ScanOpId line, int64_t zeros, const void *values, int n, int out)
{
	static const SpanParam has_infinity = {true};
	const ScanOp		  *op = scan_op_at(line);
	LawColumn			   column;
	LawAnswers			   expected;
	bool				   holds;

	law_column_start(&column, op, NULL, zeros + n);
	column.param = line == SCAN_OP_sum_interval ? &has_infinity : NULL;
	memset(column.in, 0, (size_t) zeros * op->in_size);
	memcpy((char *) column.in + zeros * op->in_size, values, (size_t) n * op->in_size);
	law_column_answers(&column, oracle_of(op), SCAN_INCLUSIVE, &expected);
	holds = expected.done == zeros + (out < 0 ? n : out) && (expected.status == SCAN_OK) == (out < 0);
	law_answers_free(&expected);
	holds = law_column_is_right(&column, oracle_of(op), "edges of the type") && holds;
	law_column_free(&column);
	return holds;
}

static const struct IntegerEdge
{
	int64_t x[3];
	int		out;
} integer_edges[] = {
	{{INT64_MAX, 1, 0}, 1},
	{{INT64_MIN, -1, 0}, 1},
	{{-1, INT64_MIN, 0}, 1},
	{{INT64_MAX, -1, 1}, -1},
	{{INT64_MAX, -1, 2}, 2},
	{{INT64_MIN, INT64_MAX, 1}, -1},
	{{INT64_MIN, INT64_MIN, INT64_MIN}, 1},
	{{INT64_MAX, INT64_MAX, 2}, 1}, /* comes back to 0 when it wraps */
};

/* where an interval with all fields at their ends is an infinity, and no finite total */
static const struct SpanEdge
{
	ScanSpan x[3];
	int		 out;
} span_edges[] = {
	{{{INT64_MAX - 1, INT32_MAX - 1, INT32_MAX - 1}, {1, 1, 1}, {-1, -1, -1}}, 1},
	{{{INT64_MIN + 1, INT32_MIN + 1, INT32_MIN + 1}, {-1, -1, -1}, {1, 1, 1}}, 1},
	{{{INT64_MAX - 1, INT32_MAX - 1, INT32_MAX - 1}, {1, 1, 0}, {0, 0, 1}}, 2},
	{{{INT64_MAX, INT32_MAX, INT32_MAX}, {-1, -1, -1}, {1, 1, 1}}, -1},
	{{{INT64_MAX, INT32_MAX, INT32_MAX}, {0, 0, 0}, {INT64_MIN, INT32_MIN, INT32_MIN}}, 2},
	{{{INT64_MIN, INT32_MIN, INT32_MIN}, {INT64_MIN, INT32_MIN, INT32_MIN}, {INT64_MAX, 0, 0}}, -1},
	{{{INT64_MAX, 0, 0}, {0, INT32_MAX, 0}, {0, 1, 0}}, 2},
};

static void
edges_hold(const char *label)
{
	bool integers = true, spans = true;
	char text[80];

	/* 0 to 4, 1022 to 1027 and 2045 to 2049 rows of zeros */
	for (int64_t zeros = 0; zeros < 2050; zeros += zeros % 1023 == 4 ? 1018 : 1)
	{
		for (size_t i = 0; i < COUNT(integer_edges); i++)
			integers = edge_holds(SCAN_OP_sum_int8, zeros, integer_edges[i].x, 3, integer_edges[i].out) && integers;
		for (size_t i = 0; i < COUNT(span_edges); i++)
			spans = edge_holds(SCAN_OP_sum_interval, zeros, span_edges[i].x, 3, span_edges[i].out) && spans;
	}
	snprintf(text, sizeof(text), "edges of sum int8 (%s)", label);
	law_report(integers, text);
	snprintf(text, sizeof(text), "edges of sum interval (%s)", label);
	law_report(spans, text);
}

int
main(int argc, char **argv)
{
	const char *label = argc > 1 ? argv[1] : "cc";
	const char *only = argc > 3 ? argv[3] : NULL;
	int			columns = argc > 2 && strcmp(argv[2], "few") == 0 ? 40 : 120;

	for (int i = 0; scan_op_at(i) != NULL; i++)
	{
		const ScanOp	*op = scan_op_at(i);
		const LawOracle *oracle = oracle_of(op);

		if (op->item_size == 0)
			continue; /* a SCAN_ORDERED line: recurrence.c and test/t/rationals.t */
		if (!law_is_asked(only, op->function))
			continue;
		if (oracle == NULL)
			no_oracle(op, label);
		else if (oracle->after != NULL)
			op_is_right(op, oracle, columns, label);
	}
	if (only == NULL)
		edges_hold(label);
	law_report_unknown(only);
	return law_failures != 0;
}

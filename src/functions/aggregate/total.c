/*
 * total.c: the type scan_total: text and binary I/O, casts and operators.  The aggregate is in total_state.c.
 *
 * The text of a total is its exact decimal value: a multiple of 2^-1074 has at most 1074 digits after the point.  The
 * conversion uses PostgreSQL's numeric, which is slow (some hundred microseconds for the widest totals) and right.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "number/exact_numeric.h"
#include "number/total.h"

/* ---- numeric, exactly ---- */

/* Returns a finite sum as numeric.  Its limbs are one integer, which counts multiples of 2^-1074. */
static Datum
numeric_of_finite(const ExactSum *sum)
{
	ExactSum whole;
	bool	 negative;
	Datum	 total;

	exact_copy(&whole, sum);
	exact_to_limbs(&whole);
	negative = (whole.limb[EXACT_LIMBS_N - 1] >> 63) != 0;
	if (negative)
		limbs_negate(whole.limb, EXACT_LIMBS_N);
	total = numeric_of_limbs(whole.limb, EXACT_LIMBS_N, EXACT_LSB);
	return negative ? DirectFunctionCall1(numeric_uminus, total) : total;
}

static Datum
numeric_of_total(const ExactSum *sum)
{
	double special;

	if (sum->form == EXACT_NEG_ZERO)
		return numeric_literal("0");
	if (sum->form != EXACT_SPECIAL)
		return numeric_of_finite(sum);
	special = exact_special_value(sum->special);
	return numeric_literal(isnan(special) ? "NaN" : special > 0 ? "Infinity" : "-Infinity");
}

/* limb := the integer x, which is less than 2^2176. */
static void
limbs_of_number(Datum x, uint64 *limb)
{
	Datum base = numeric_exact_power(2, 64);

	for (int i = 0; i < EXACT_LIMBS_N; i++)
	{
		Datum above = DirectFunctionCall2(numeric_div_trunc, x, base);
		Datum low = DirectFunctionCall2(numeric_sub, x, numeric_times(above, base));

		limb[i] = strtou64(DatumGetCString(DirectFunctionCall1(numeric_out, low)), NULL, 10);
		x = above;
	}
}

static void
raise_out_of_range(const char *text)
{
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("value \"%s\" is out of range for type %s", text, "scan_total")));
}

static void
raise_no_sum(const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", "scan_total", text),
			 errdetail("No sum of double precision values has this value."),
			 errhint("To get the nearest value of double precision, cast the value to double precision first.")));
}

/* sum := a finite number.  Raises an error, with `text`, if no sum of doubles has its value. */
static void
exact_of_numeric(Datum x, const char *text, ExactSum *sum)
{
	bool  negative = DatumGetBool(DirectFunctionCall2(numeric_lt, x, numeric_literal("0")));
	Datum magnitude = DirectFunctionCall1(numeric_abs, x);
	Datum scaled;

	if (!DatumGetBool(DirectFunctionCall2(numeric_lt, magnitude, numeric_exact_power(2, TOTAL_POWERS))))
		raise_out_of_range(text);
	scaled = numeric_times(magnitude, numeric_exact_power(2, -EXACT_LSB));
	if (!DatumGetBool(
			DirectFunctionCall2(numeric_eq, scaled, DirectFunctionCall2(numeric_trunc, scaled, Int32GetDatum(0)))))
		raise_no_sum(text);
	exact_lift(0.0, sum);
	sum->form = EXACT_LIMBS;
	limbs_of_number(scaled, sum->limb);
	if (negative)
		limbs_negate(sum->limb, EXACT_LIMBS_N);
}

/* ---- text and binary ---- */

/* Returns the end of the unsigned number at the start of `text`, or NULL if there is no number. */
static const char *
past_digits(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	size_t fraction = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;

	if (whole + fraction == 0)
		return NULL;
	text += whole + (text[whole] == '.' ? 1 + fraction : 0);
	if (*text == 'e' || *text == 'E')
	{
		size_t sign = text[1] == '+' || text[1] == '-';
		size_t digits = strspn(text + 1 + sign, "0123456789");

		text += digits == 0 ? 0 : 1 + sign + digits;
	}
	return text;
}

static const char spaces[] = " \t\n\r\v\f";

/* True if `text` is a number as numeric reads it.  Checked first: numeric's own error would name the type numeric. */
static bool
is_number(const char *text)
{
	static const char *const words[] = {"nan", "infinity", "inf"};
	const char				*end;

	text += strspn(text, spaces);
	end = past_digits(text + (*text == '+' || *text == '-'));
	for (int i = 0; end == NULL && i < lengthof(words); i++)
	{
		const char *word = text + (i > 0 && (*text == '+' || *text == '-'));

		if (pg_strncasecmp(word, words[i], strlen(words[i])) == 0)
			end = word + strlen(words[i]);
	}
	return end != NULL && end[strspn(end, spaces)] == '\0';
}

/* A decimal number in a text, without the zeros around its digits. */
typedef struct NumberText
{
	bool		negative;
	const char *first; /* its first and last digit that are not 0, of which a point may be between; NULL: it is 0 */
	const char *last;
	int64		highest; /* the powers of ten of these digits */
	int64		lowest;
} NumberText;

#define MAX_EXPONENT 1000000000 /* beyond any that matters, whatever digits are there */

/* Reads a number, which is_number() accepts and which is no word. */
static NumberText
read_number(const char *text)
{
	const char *digits = text + strcspn(text, "0123456789.");
	const char *point = digits + strspn(digits, "0123456789");
	const char *end = point + (*point == '.' ? 1 + strspn(point + 1, "0123456789") : 0);
	long		exponent = *end == 'e' || *end == 'E' ? strtol(end + 1, NULL, 10) : 0;
	NumberText	parts = {.negative = text[strspn(text, spaces)] == '-'};

	for (const char *digit = digits; digit < end; digit++)
	{
		if (*digit == '0' || *digit == '.')
			continue;
		if (parts.first == NULL)
			parts.first = digit;
		parts.last = digit;
	}
	if (parts.first == NULL)
		return parts;
	exponent = Max(Min(exponent, MAX_EXPONENT), -MAX_EXPONENT);
	parts.highest = exponent + (point - parts.first) - (parts.first < point ? 1 : 0);
	parts.lowest = exponent + (point - parts.last) - (parts.last < point ? 1 : 0);
	return parts;
}

/* Returns a number as numeric, exactly. */
static Datum
numeric_of_text(const NumberText *parts)
{
	StringInfo text = makeStringInfo();

	if (parts->negative)
		appendStringInfoChar(text, '-');
	for (const char *digit = parts->first; digit <= parts->last; digit++)
		if (*digit != '.')
			appendStringInfoChar(text, *digit);
	appendStringInfo(text, "e" INT64_FORMAT, parts->lowest);
	return numeric_literal(text->data);
}

/*
 * sum := the number.  Raises an error if no sum of doubles has its value.  Numbers with exponents and digits that
 * numeric does not take, whose own error would name type numeric, are among them.
 */
static void
exact_of_text(const char *text, ExactSum *sum)
{
	NumberText parts = read_number(text);

	if (parts.first == NULL)
	{
		exact_lift(parts.negative ? -0.0 : 0.0, sum);
		return;
	}
	if (parts.highest > TOTAL_POWERS)
		raise_out_of_range(text);
	/* a multiple of 2^-1074 has at most 1074 digits after the point */
	if (parts.lowest < EXACT_LSB)
		raise_no_sum(text);
	exact_of_numeric(numeric_of_text(&parts), text, sum);
}

PG_FUNCTION_INFO_V1(scan_total_in);
Datum
scan_total_in(PG_FUNCTION_ARGS)
{
	char	*text = PG_GETARG_CSTRING(0);
	ExactSum sum;

	if (!is_number(text))
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type %s: \"%s\"", "scan_total", text)));
	if (strpbrk(text, "0123456789") != NULL)
		exact_of_text(text, &sum);
	else
		exact_lift(DatumGetFloat8(DirectFunctionCall1(float8in, CStringGetDatum(text))), &sum);
	PG_RETURN_DATUM(total_datum(&sum));
}

PG_FUNCTION_INFO_V1(scan_total_out);
Datum
scan_total_out(PG_FUNCTION_ARGS)
{
	ExactSum sum;

	total_read(PG_GETARG_DATUM(0), &sum);
	if (sum.form == EXACT_NEG_ZERO)
		PG_RETURN_CSTRING(pstrdup("-0"));
	PG_RETURN_DATUM(DirectFunctionCall1(numeric_out, numeric_of_total(&sum)));
}

static void
refuse_total(const char *type)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid external %s value", type)));
}

Datum
total_of_message(StringInfo message, const char *type)
{
	Total total;

	/* checked here because core's error would not name the type */
	if (message->len - message->cursor < 3)
		refuse_total(type);

	total.kind = (uint8) pq_getmsgbyte(message);
	total.first = (uint8) pq_getmsgbyte(message);
	total.n = (uint8) pq_getmsgbyte(message);
	if (total.n > EXACT_LIMBS_N || message->len - message->cursor < total.n * (int) sizeof(uint64))
		refuse_total(type);
	for (int i = 0; i < total.n; i++)
		total.limb[i] = (uint64) pq_getmsgint64(message);
	if (!total_is_valid(&total))
		refuse_total(type);
	PG_RETURN_POINTER(total_make(&total));
}

SCAN_ENTRY(scan_total_recv, total_of_message((StringInfo) PG_GETARG_POINTER(0), "scan_total"))

PG_FUNCTION_INFO_V1(scan_total_send);
Datum
scan_total_send(PG_FUNCTION_ARGS)
{
	Total		   total;
	StringInfoData message;

	total_open(PG_GETARG_DATUM(0), &total);
	pq_begintypsend(&message);
	pq_sendbyte(&message, total.kind);
	pq_sendbyte(&message, total.first);
	pq_sendbyte(&message, total.n);
	for (int i = 0; i < total.n; i++)
		pq_sendint64(&message, total.limb[i]);
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* ---- casts and operators ---- */

PG_FUNCTION_INFO_V1(scan_total_of_float8);
Datum
scan_total_of_float8(PG_FUNCTION_ARGS)
{
	ExactSum sum;

	exact_lift(PG_GETARG_FLOAT8(0), &sum);
	PG_RETURN_DATUM(total_datum(&sum));
}

PG_FUNCTION_INFO_V1(scan_total_to_float8);
Datum
scan_total_to_float8(PG_FUNCTION_ARGS)
{
	ExactSum sum;
	double	 y;

	total_read(PG_GETARG_DATUM(0), &sum);
	scan_check(exact_round(&sum, &y));
	PG_RETURN_FLOAT8(y);
}

PG_FUNCTION_INFO_V1(scan_total_to_numeric);
Datum
scan_total_to_numeric(PG_FUNCTION_ARGS)
{
	ExactSum sum;

	total_read(PG_GETARG_DATUM(0), &sum);
	PG_RETURN_DATUM(numeric_of_total(&sum));
}

PG_FUNCTION_INFO_V1(scan_total_add);
Datum
scan_total_add(PG_FUNCTION_ARGS)
{
	ExactSum a, b;

	total_read(PG_GETARG_DATUM(0), &a);
	total_read(PG_GETARG_DATUM(1), &b);
	exact_join(&a, &b);
	if (!total_has_room(&a))
		scan_raise(SCAN_FLOAT_OVERFLOW);
	PG_RETURN_DATUM(total_datum(&a));
}

/* Equal totals have equal bytes; -0 does not equal 0. */
PG_FUNCTION_INFO_V1(scan_total_eq);
Datum
scan_total_eq(PG_FUNCTION_ARGS)
{
	const struct varlena *a = PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	const struct varlena *b = PG_DETOAST_DATUM(PG_GETARG_DATUM(1));

	PG_RETURN_BOOL(VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0);
}

SCAN_ENTRY(scan_total_ne, BoolGetDatum(!DatumGetBool(scan_total_eq(fcinfo))))

/* For GROUP BY, DISTINCT, hash joins and the equality of rows and arrays of totals. */
PG_FUNCTION_INFO_V1(scan_total_hash);
Datum
scan_total_hash(PG_FUNCTION_ARGS)
{
	const struct varlena *a = PG_DETOAST_DATUM(PG_GETARG_DATUM(0));

	return hash_any((const unsigned char *) VARDATA(a), VARSIZE(a) - VARHDRSZ);
}

PG_FUNCTION_INFO_V1(scan_total_hash_extended);
Datum
scan_total_hash_extended(PG_FUNCTION_ARGS)
{
	const struct varlena *a = PG_DETOAST_DATUM(PG_GETARG_DATUM(0));

	return hash_any_extended((const unsigned char *) VARDATA(a), VARSIZE(a) - VARHDRSZ, PG_GETARG_INT64(1));
}

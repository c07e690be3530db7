/*
 * number.c: the exact sum of integers or numerics that come and go: how sums, averages and bits are kept.  variance.c
 * keeps two such sums.
 *
 * A number has the total, and how many values of each display scale went into it, since core displays a sum with the
 * largest scale of its values.  NaN and infinities are counted.
 *
 * A statement may change as many intervals as it has rows, and each has a state.  So what a column of one scale needs,
 * a total of 128 bits and one counter, is in the struct; all else is allocated when it is needed.
 *
 * Rejected: core's transition value.  It cannot be negative, as the state of a deletion has to be, and it forgets the
 * scales below the largest one.
 *
 * A stored number is a message in network byte order, so that a dump can be restored on another machine.  Its end is
 * what numeric_send() makes of the total.  Rejected: core's functions that write and read messages and numerics.  They
 * allocate a kilobyte for each message, and a reader, who adds up each row of the log, takes 53 ns for a sum and a
 * count by them and 29 ns by these.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "compat.h"
#include "kept/store.h"

/* The varlena header, format, number of scales, and head of the numeric. */
#define FIXED_BYTES (VARHDRSZ + 1 + 2 + 4 * 2)
#define SCALE_BYTES (2 + 8)

/* Of a numeric as numeric_send() has it. */
#define SENT_NEGATIVE 0x4000
#define SENT_BASE 10000
#define SENT_MAX_SCALE 0x3FFF
#define DIGIT_DECIMALS 4

/* The scales of values that are no numbers, before all others. */
typedef enum KeptSpecial
{
	KEPT_NAN = -3,
	KEPT_INFINITY,
	KEPT_MINUS_INFINITY,
} KeptSpecial;

/* What few numbers need. */
typedef struct KeptNumberMore
{
	WideDecimal total; /* what did not fit in the total of the number */
	int			scales;
	KeptScale  *scale; /* all but the first scale; with room for the next power of two */
} KeptNumberMore;

static void
number_clear(KeptPartial *partial, const KeptAggregate *aggregate)
{
	KeptNumberMore *more = partial->number.more;

	partial->number = (KeptNumber){.more = more};
	if (more != NULL)
	{
		more->scales = 0;
		wide_decimal_clear(&more->total, 0);
	}
}

static KeptNumberMore *
number_more(KeptNumber *number, MemoryContext memory)
{
	if (number->more == NULL)
	{
		number->more = (KeptNumberMore *) MemoryContextAllocZero(memory, sizeof(KeptNumberMore));
		number->more->total.memory = memory;
	}
	return number->more;
}

/* Returns the counter with an index, or NULL. */
static inline KeptScale *
number_scale(const KeptNumber *number, int i)
{
	return i == 0											   ? (KeptScale *) &number->first
		   : number->more != NULL && i <= number->more->scales ? &number->more->scale[i - 1]
															   : NULL;
}

/* Adds to the counter of a scale. */
static void
number_count(KeptNumber *number, MemoryContext memory, int scale, int64 values)
{
	KeptNumberMore *more = number->more;
	KeptScale	   *found;

	if (number->first.values == 0 && (more == NULL || more->scales == 0))
		number->first.scale = scale;
	for (int i = 0; (found = number_scale(number, i)) != NULL; i++)
		if (likely(found->scale == scale))
		{
			found->values += values;
			return;
		}
	more = number_more(number, memory);
	if (more->scale == NULL)
		more->scale = (KeptScale *) MemoryContextAlloc(memory, sizeof(KeptScale));
	else if ((more->scales & (more->scales - 1)) == 0)
		more->scale = (KeptScale *) repalloc(more->scale, Max(1, 2 * more->scales) * sizeof(KeptScale));
	more->scale[more->scales++] = (KeptScale){scale, values};
}

static void
set_numeric(KeptNumber *number, Datum value, bool leaves)
{
	struct varlena *plain = decimal_plain(value);
	DecimalParts	parts;

	decimal_read(&parts, plain);
	number->first.scale = parts.special == DECIMAL_NUMBER	  ? parts.scale
						  : parts.special == DECIMAL_NAN	  ? KEPT_NAN
						  : parts.special == DECIMAL_INFINITY ? KEPT_INFINITY
															  : KEPT_MINUS_INFINITY;
	parts.negative = parts.negative != leaves;
	if (likely(parts.special == DECIMAL_NUMBER) && unlikely(!decimal_add(&number->total, &parts)))
		wide_decimal_set(&number_more(number, CurrentMemoryContext)->total,
						 leaves ? DirectFunctionCall1(numeric_uminus, PointerGetDatum(plain)) : PointerGetDatum(plain));
	decimal_free_plain(plain, value);
}

void
kept_number_set(KeptNumber *number, Oid type, Datum value, bool leaves)
{
	*number = (KeptNumber){.first = {.values = leaves ? -1 : 1}};
	if (type == BOOLOID || type == INT2OID || type == INT4OID || type == INT8OID)
		number->total.units = (int128) number->first.values * (type == BOOLOID	 ? DatumGetBool(value)
															   : type == INT2OID ? DatumGetInt16(value)
															   : type == INT4OID ? DatumGetInt32(value)
																				 : DatumGetInt64(value));
	else
		set_numeric(number, value, leaves);
}

/* True if a part of the total did not fit in 128 bits. */
static inline bool
total_is_wide(const KeptNumber *number)
{
	return number->more != NULL && (number->more->total.beyond || number->more->total.decimal.units != 0);
}

static bool
number_is_empty(const KeptPartial *partial)
{
	const KeptNumber *number = &partial->number;
	const KeptScale	 *scale;

	for (int i = 0; (scale = number_scale(number, i)) != NULL; i++)
		if (scale->values != 0)
			return false;
	return number->total.units == 0 && !total_is_wide(number);
}

void
kept_number_join(KeptNumber *number, MemoryContext memory, const KeptNumber *other)
{
	const KeptScale *scale;

	for (int i = 0; (scale = number_scale(other, i)) != NULL; i++)
		if (scale->values != 0)
			number_count(number, memory, scale->scale, scale->values);
	/* a total of 0 may have places of a value that did not fit */
	if (other->total.units != 0 && unlikely(!decimal_add_decimal(&number->total, &other->total)))
		wide_decimal_add_decimal(&number_more(number, memory)->total, &other->total);
	if (unlikely(total_is_wide(other)))
		wide_decimal_add(&number_more(number, memory)->total, wide_decimal_numeric(&other->more->total));
}

Datum
kept_number_total(const KeptNumber *number, DecimalBuffer *shown)
{
	Datum total = decimal_show(shown, &number->total);

	return likely(!total_is_wide(number))
			   ? total
			   : DirectFunctionCall2(numeric_add, total, wide_decimal_numeric(&number->more->total));
}

Datum
kept_number_sum(const KeptNumber *number, int64 *values)
{
	static const DecimalSpecial specials[] = {DECIMAL_NAN, DECIMAL_INFINITY, DECIMAL_MINUS_INFINITY};
	DecimalSpecial				special = DECIMAL_NUMBER;
	int							decimals = 0;
	const KeptScale			   *scale;
	DecimalBuffer				shown;

	*values = 0;
	for (int i = 0; (scale = number_scale(number, i)) != NULL; i++)
	{
		*values += scale->values;
		if (scale->values != 0 && scale->scale < 0)
			special = special == DECIMAL_NUMBER ? specials[scale->scale - KEPT_NAN] : DECIMAL_NAN;
		else if (scale->values != 0)
			decimals = Max(decimals, scale->scale);
	}
	return special != DECIMAL_NUMBER
			   ? DirectFunctionCall1(numeric_uplus, decimal_show_special(&shown, special))
			   : DirectFunctionCall2(numeric_round, kept_number_total(number, &shown), Int32GetDatum(decimals));
}

/* ---- to bytes ---- */

static int
compare_scales(const void *a, const void *b)
{
	return ((const KeptScale *) a)->scale - ((const KeptScale *) b)->scale;
}

/* Copies the counters that are not 0, in their order.  Returns how many there are. */
static int
sort_scales(const KeptNumber *number, KeptScale *sorted)
{
	const KeptScale *scale;
	int				 n = 0;

	for (int i = 0; (scale = number_scale(number, i)) != NULL; i++)
		if (scale->values != 0)
			sorted[n++] = *scale;
	if (n > 1)
		qsort(sorted, n, sizeof(KeptScale), compare_scales);
	return n;
}

static inline void
put_integer(char **at, int64 integer, int bytes)
{
	while (bytes-- > 0)
		*(*at)++ = (char) (integer >> (8 * bytes));
}

/* Puts a numeric as numeric_send() does, displayed with no more decimals than it needs. */
static void
put_total(char **at, const DecimalParts *parts)
{
	int decimals = parts->n > 0 ? Max(0, DIGIT_DECIMALS * (parts->n - parts->weight - 1)) : 0;

	for (int last = decimals > 0 ? decimal_digit(parts, parts->n - 1) : 1; last % 10 == 0; last /= 10)
		decimals--;
	put_integer(at, parts->n, 2);
	put_integer(at, parts->weight, 2);
	put_integer(at, parts->negative ? SENT_NEGATIVE : 0, 2);
	put_integer(at, decimals, 2);
	for (int i = 0; i < parts->n; i++)
		put_integer(at, decimal_digit(parts, i), 2);
}

/* The bytes are no more than the number needs: a statement may save one for each of its rows. */
static Datum
sum_save(const KeptPartial *partial, bool *isnull)
{
	const KeptNumber *number = &partial->number;
	KeptScale		  first;
	KeptScale *scale = number->more == NULL ? &first : (KeptScale *) palloc((number->more->scales + 1) * sizeof(first));
	KeptScale *end = scale + sort_scales(number, scale);
	DecimalBuffer shown;
	DecimalParts  parts;
	char		 *bytes, *at;

	decimal_read(&parts, (struct varlena *) DatumGetPointer(kept_number_total(number, &shown)));
	bytes = (char *) palloc(FIXED_BYTES + (end - scale) * SCALE_BYTES + parts.n * sizeof(int16));
	at = bytes + VARHDRSZ;
	put_integer(&at, KEPT_FORMAT, 1);
	put_integer(&at, end - scale, 2);
	for (; scale < end; scale++)
	{
		put_integer(&at, scale->scale, 2);
		put_integer(&at, scale->values, 8);
	}
	put_total(&at, &parts);
	SET_VARSIZE(bytes, at - bytes);
	return PointerGetDatum(bytes);
}

/* ---- from bytes ---- */

static void
refuse_bytes(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a kept scan has a state of an unknown format")));
}

/* Returns the integer in the next bytes. */
static inline int64
read_integer(StringInfo message, int bytes)
{
	uint64 integer = 0;

	if (unlikely(message->len - message->cursor < bytes))
		refuse_bytes();
	for (int i = 0; i < bytes; i++)
		integer = integer << 8 | (uint8) message->data[message->cursor + i];
	message->cursor += bytes;
	return (int64) integer;
}

/* Adds the numeric in the next bytes to an empty total.  Returns false if that needs core. */
static bool
read_digits(Decimal *total, StringInfo message)
{
	int16		 digit[DECIMAL_DIGITS];
	DecimalParts parts = {.n = (int) read_integer(message, 2), .digits = (const char *) digit};
	int			 sign;

	parts.weight = (int16) read_integer(message, 2);
	sign = (int) read_integer(message, 2);
	parts.negative = sign == SENT_NEGATIVE;
	parts.scale = (int) read_integer(message, 2);
	/* a total is neither NaN nor infinite */
	if (sign != 0 && sign != SENT_NEGATIVE)
		refuse_bytes();
	if (parts.n > lengthof(digit) || parts.scale > SENT_MAX_SCALE ||
		message->len - message->cursor < parts.n * (int) sizeof(int16))
		return false;
	for (int i = 0; i < parts.n; i++)
	{
		digit[i] = (int16) read_integer(message, 2);
		if (unlikely(digit[i] < 0 || digit[i] >= SENT_BASE))
			return false;
	}
	return decimal_add(total, &parts);
}

static void
read_number(KeptNumber *number, StringInfo message)
{
	int digits;

	*number = (KeptNumber){0};
	if (read_integer(message, 1) != KEPT_FORMAT)
		refuse_bytes();
	for (int scales = (int) read_integer(message, 2); scales > 0; scales--)
	{
		int scale = (int16) read_integer(message, 2);

		if (unlikely(scale < KEPT_NAN))
			refuse_bytes();
		number_count(number, CurrentMemoryContext, scale, read_integer(message, 8));
	}
	digits = message->cursor;
	if (likely(read_digits(&number->total, message)))
		return;
	message->cursor = digits;
	wide_decimal_set(
		&number_more(number, CurrentMemoryContext)->total,
		DirectFunctionCall3(numeric_recv, PointerGetDatum(message), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

void
kept_number_read(KeptNumber *number, KeptNumber *next, Datum stored)
{
	bytea		  *bytes = DatumGetByteaPP(stored);
	StringInfoData message = {.data = VARDATA_ANY(bytes), .len = (int) VARSIZE_ANY_EXHDR(bytes)};

	read_number(number, &message);
	if (next != NULL)
		read_number(next, &message);
	if (unlikely(message.cursor != message.len))
		refuse_bytes();
}

/* ---- sums and averages ---- */

static void
sum_take(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, int n,
		 const NullableDatum *argument, bool leaves)
{
	KeptNumber other;

	kept_number_set(&other, aggregate->argument_type, argument->value, leaves);
	kept_number_join(&partial->number, memory, &other);
}

static void
sum_add(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum stored)
{
	KeptNumber other;

	kept_number_read(&other, NULL, stored);
	kept_number_join(&partial->number, memory, &other);
}

static Datum
sum_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	int64 values;
	Datum sum = kept_number_sum(&partial->number, &values);
	Oid	  input, parameter;

	*isnull = values == 0;
	if (values == 0 || !aggregate->is_total)
		return values != 0 && aggregate->result_type == INT8OID ? DirectFunctionCall1(numeric_int8, sum) : sum;
	getTypeInputInfo(aggregate->result_type, &input, &parameter);
	return OidInputFunctionCall(input, DatumGetCString(DirectFunctionCall1(numeric_out, sum)), parameter, -1);
}

static Datum
average_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	int64 values;
	Datum sum = kept_number_sum(&partial->number, &values);

	*isnull = values == 0;
	return values == 0 ? (Datum) 0 : DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(values)));
}

static Datum
values_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	int64 values;

	(void) kept_number_sum(&partial->number, &values);
	*isnull = false;
	return Int64GetDatum(values);
}

/* ---- bits ---- */

/* Bits that leave are those that came. */
static void
xor_join(KeptPartial *partial, const KeptNumber *other, bool leaves)
{
	partial->number.total.units ^= other->total.units;
	partial->number.first.values += leaves ? -other->first.values : other->first.values;
}

static void
xor_take(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, int n,
		 const NullableDatum *argument, bool leaves)
{
	KeptNumber other;

	kept_number_set(&other, aggregate->argument_type, argument->value, false);
	xor_join(partial, &other, leaves);
}

static void
xor_add(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum stored)
{
	KeptNumber other;

	kept_number_read(&other, NULL, stored);
	xor_join(partial, &other, false);
}

static Datum
xor_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	int64 bits = (int64) partial->number.total.units;

	*isnull = partial->number.first.values == 0;
	return aggregate->result_type == INT2OID   ? Int16GetDatum((int16) bits)
		   : aggregate->result_type == INT4OID ? Int32GetDatum((int32) bits)
											   : Int64GetDatum(bits);
}

/* The sum of values that are 0 or 1. */
static Datum
all_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	*isnull = partial->number.first.values == 0;
	return BoolGetDatum(partial->number.total.units == partial->number.first.values);
}

static Datum
any_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	*isnull = partial->number.first.values == 0;
	return BoolGetDatum(partial->number.total.units != 0);
}

#define NUMBER_OPERATION(enter, join, returns)                                                       \
	{                                                                                                \
		.state_type = BYTEAOID, .take = enter, .add = join, .save = sum_save, .clear = number_clear, \
		.is_empty = number_is_empty, .result = returns                                               \
	}

const KeptOperation kept_sum = NUMBER_OPERATION(sum_take, sum_add, sum_result);
const KeptOperation kept_average = NUMBER_OPERATION(sum_take, sum_add, average_result);
const KeptOperation kept_values = NUMBER_OPERATION(sum_take, sum_add, values_result);
const KeptOperation kept_xor = NUMBER_OPERATION(xor_take, xor_add, xor_result);
const KeptOperation kept_all = NUMBER_OPERATION(sum_take, sum_add, all_result);
const KeptOperation kept_any = NUMBER_OPERATION(sum_take, sum_add, any_result);

/*
 * bit_pack.c: packs the numbers of a sort key in as few bits as they need, and recomputes values from packed words.
 *
 * Each loop is written once, with the kind of key and whether there may be NULLs as parameters; the compiler makes a
 * loop for each combination.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "op/limbs.h"
#include "sort/bit_pack.h"

#define LOOK_ROWS 65536

/* Returns a number that compares as core compares doubles: -0 equals 0, and every NaN is the greatest number. */
static inline uint64
ordered_double(double x)
{
	uint64 bits;

	if (isnan(x))
		return PG_UINT64_MAX;
	bits = double_bits(x + 0.0); /* makes 0 of -0 */
	return bits >> 63 ? ~bits : bits | UINT64CONST(1) << 63;
}

#define VALUE(TYPE) (*(const TYPE *) value)

static pg_attribute_always_inline uint64
ordered_number(const Pack *pack, PackKind kind, int64 i)
{
	const Column *column = pack->column->data;
	const void	 *value = kind == PACK_NUMBERED || kind == PACK_NULLS ? NULL : column->value + i * column->stride;

	switch (kind)
	{
		case PACK_INT16:
			return (uint64) (int64) VALUE(int16) ^ UINT64CONST(1) << 63;
		case PACK_INT32:
			return (uint64) (int64) VALUE(int32) ^ UINT64CONST(1) << 63;
		case PACK_INT64:
			return (uint64) VALUE(Int64Cell) ^ UINT64CONST(1) << 63;
		case PACK_UINT8:
			return VALUE(uint8);
		case PACK_UINT32:
			return VALUE(uint32);
		case PACK_UINT64:
			return VALUE(Uint64Cell);
		case PACK_FLOAT4:
			return ordered_double(VALUE(float4));
		case PACK_FLOAT8:
			return ordered_double(VALUE(Float8Cell));
		case PACK_NUMBERED:
			return pack->number[i];
		default:
			return 0;
	}
}

#define KIND_CASE(kind, LOOP) \
	case kind:                \
		LOOP(kind);           \
		break;

/* Calls LOOP(kind) for the kind that a pack has. */
#define FOR_KIND(pack, LOOP)           \
	switch ((pack)->kind)              \
	{                                  \
		KIND_CASE(PACK_INT16, LOOP)    \
		KIND_CASE(PACK_INT32, LOOP)    \
		KIND_CASE(PACK_INT64, LOOP)    \
		KIND_CASE(PACK_UINT8, LOOP)    \
		KIND_CASE(PACK_UINT32, LOOP)   \
		KIND_CASE(PACK_UINT64, LOOP)   \
		KIND_CASE(PACK_FLOAT4, LOOP)   \
		KIND_CASE(PACK_FLOAT8, LOOP)   \
		KIND_CASE(PACK_NUMBERED, LOOP) \
		KIND_CASE(PACK_NULLS, LOOP)    \
	}

/* ---- numbers, not packed ---- */

static pg_attribute_always_inline void
pack_number_rows(const Pack *pack, PackKind kind, int64 from, int64 n, uint64 *number)
{
	for (int64 i = 0; i < n; i++)
		number[i] = ordered_number(pack, kind, from + i);
}

#define NUMBER(kind) pack_number_rows(pack, kind, from, n, number)

void
pack_numbers(PackKind kind, const Column *column, int64 from, int64 n, uint64 *number)
{
	SortColumn	of = {.data = column};
	const Pack *pack = &(Pack){.kind = kind, .column = &of};

	FOR_KIND(pack, NUMBER);
}

/* ---- measuring ---- */

/* Sets a unit, and the bits of the key when values are counted in units. */
static void
pack_set_unit(Pack *pack, uint64 unit)
{
	uint64 odd = unit;
	uint64 limit = pack->has_values ? (pack->greatest - pack->least) / unit : 0;

	pack->unit = unit;
	for (pack->zeros = 0; odd % 2 == 0; pack->zeros++)
		odd /= 2;
	pack->inverse = odd; /* right in the lowest 3 bits; each step doubles their number (Newton) */
	for (int step = 0; step < 5; step++)
		pack->inverse *= 2 - odd * pack->inverse;
	if (!pack->has_values)
		pack->bits = 0;
	else if (pack->has_nulls && limit == PG_UINT64_MAX)
		pack->bits = 65;
	else
		pack->bits = bit_length(limit + (pack->has_nulls ? 1 : 0));
}

static pg_attribute_always_inline void
measure_rows(Pack *pack, PackKind kind, bool may_be_null, int64 from, int64 to)
{
	const Column *column = pack->column->data;
	uint64		  least = pack->least, greatest = pack->greatest;
	int64		  nulls = 0;

	for (int64 i = from; i < to; i++)
		if (may_be_null && column_is_null(column, i))
			nulls++;
		else
		{
			uint64 number = ordered_number(pack, kind, i);

			least = Min(least, number);
			greatest = Max(greatest, number);
		}
	pack->least = least;
	pack->greatest = greatest;
	pack->has_nulls |= nulls > 0;
	pack->has_values |= nulls < to - from;
}

#define MEASURE(kind) \
	pack->column->data->has_nulls ? measure_rows(pack, kind, true, from, to) : measure_rows(pack, kind, false, from, to)

void
pack_measure(Pack *pack, int64 n)
{
	pack->has_nulls = pack->has_values = false;
	pack->least = PG_UINT64_MAX;
	pack->greatest = 0;
	for (int64 from = 0; from < n; from += LOOK_ROWS)
	{
		int64 to = Min(n, from + LOOK_ROWS);

		CHECK_FOR_INTERRUPTS();
		FOR_KIND(pack, MEASURE);
	}
	pack_set_unit(pack, 1);
}

static uint64
common_divisor(uint64 a, uint64 b)
{
	while (b != 0)
	{
		uint64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Returns the first row in [from, to) whose value does not differ from the least one by a multiple of the unit, or
 * `to`.
 *
 * A multiple of the unit, multiplied by the inverse of the unit's odd part modulo 2^64, is the quotient times the
 * factors of two.  Any other number gives a result greater than a quotient can be, or one whose low bits are not zero
 * (Granlund and Montgomery, 1994, section 9).  A division would take ten times as long.
 */
static pg_attribute_always_inline int64
first_without_unit(const Pack *pack, PackKind kind, int64 from, int64 to)
{
	const Column *column = pack->column->data;
	bool		  may_be_null = column->has_nulls;
	uint64		  inverse = pack->inverse, limit = PG_UINT64_MAX / pack->unit;
	uint64		  least = pack->least;
	int			  zeros = pack->zeros;

	for (int64 i = from; i < to; i++)
	{
		uint64 quotient;

		if (may_be_null && column_is_null(column, i))
			continue;
		quotient = (ordered_number(pack, kind, i) - least) * inverse;
		if (zeros > 0)
			quotient = quotient >> zeros | quotient << (64 - zeros);
		if (quotient > limit)
			return i;
	}
	return to;
}

#define FIRST_WITHOUT(kind) i = first_without_unit(pack, kind, i, to)
#define NUMBER_AT(kind) number = ordered_number(pack, kind, i)

void
pack_find_unit(Pack *pack, int64 n)
{
	uint64 unit = 0;

	if (!pack->has_values || pack->greatest == pack->least || pack->bits > 64)
		return;
	for (int64 i = 0; i < n && unit != 1;)
	{
		int64  to = Min(n, i + LOOK_ROWS);
		uint64 number = 0;

		CHECK_FOR_INTERRUPTS();
		if (unit == 0)
			unit = pack->greatest - pack->least;
		else
		{
			FOR_KIND(pack, FIRST_WITHOUT);
			if (i == to)
				continue;
			FOR_KIND(pack, NUMBER_AT);
			unit = common_divisor(number - pack->least, unit);
		}
		pack_set_unit(pack, unit);
	}
}

/* ---- packing ---- */

/* Returns the number of NULLs: before all others or after them. */
static inline uint64
null_number_of(const Pack *pack)
{
	return pack->column->order.nulls_first || !pack->has_values ? 0 : (pack->greatest - pack->least) / pack->unit + 1;
}

static inline uint64
pack_base(const Pack *pack)
{
	return pack->descending ? ~pack->greatest : pack->least;
}

/*
 * Adds the part to n words.  The packed number is (number ^ flip) - base, in units: counting down from the greatest
 * number, as DESC does, is counting up in the numbers' complements.
 */
static pg_attribute_always_inline void
pack_add_rows(const PackPart *part, PackKind kind, bool may_be_null, const uint32 *rows, int64 from, int n,
			  uint64 *word)
{
	const Pack	 *pack = part->pack;
	const Column *column = pack->column->data;
	uint64		  flip = pack->descending ? PG_UINT64_MAX : 0;
	uint64		  base = pack_base(pack);
	uint64		  null_below = may_be_null && pack->column->order.nulls_first ? 1 : 0;
	uint64		  null_number = null_number_of(pack);
	uint64		  mask = PG_UINT64_MAX >> (64 - part->bits);
	uint64		  inverse = pack->inverse;
	int			  zeros = pack->zeros, drop = part->drop, shift = part->shift;

	for (int j = 0; j < n; j++)
	{
		int64  i = rows == NULL ? from + j : rows[j];
		uint64 number;

		if (may_be_null && column_is_null(column, i))
			number = null_number;
		else
			number = (((ordered_number(pack, kind, i) ^ flip) - base) >> zeros) * inverse + null_below;
		word[j] |= (number >> drop & mask) << shift;
	}
}

#define ADD(kind)                                                        \
	if (rows != NULL)                                                    \
		pack_add_rows(part, kind, pack->has_nulls, rows, from, n, word); \
	else if (pack->has_nulls)                                            \
		pack_add_rows(part, kind, true, NULL, from, n, word);            \
	else                                                                 \
		pack_add_rows(part, kind, false, NULL, from, n, word)

void
pack_add(const PackPart *part, const uint32 *rows, int64 from, int n, uint64 *word)
{
	const Pack *pack = part->pack;

	if (part->bits > 0)
		FOR_KIND(pack, ADD);
}

/* ---- unpacking ---- */

Unpack
pack_inverse(const Pack *pack, int shift)
{
	bool   null_below = pack->has_nulls && pack->column->order.nulls_first;
	uint64 flip = pack->descending ? PG_UINT64_MAX : 0;
	uint64 sign = pack->kind <= PACK_INT64 ? UINT64CONST(1) << 63 : 0; /* as in ordered_number() */

	return (Unpack){.whole = true,
					.has_nulls = pack->has_nulls,
					.shift = shift,
					.mask = (UINT64CONST(1) << pack->bits) - 1,
					.null_number = null_number_of(pack),
					.unit = pack->unit,
					.base = pack_base(pack) - (null_below ? pack->unit : 0),
					.flip = flip ^ sign};
}

#define UNPACK(TYPE)            \
	for (int i = 0; i < n; i++) \
	((TYPE *) to)[i] = (TYPE) (((word[i] >> shift & mask) * unit + base) ^ flip)

void
unpack_values(const Unpack *unpack, const uint64 *word, int n, int width, char *to)
{
	int	   shift = unpack->shift;
	uint64 mask = unpack->mask, unit = unpack->unit, base = unpack->base, flip = unpack->flip;

	FOR_WIDTH(width, UNPACK)
}

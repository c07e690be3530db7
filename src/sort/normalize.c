/*
 * normalize.c: turns a sort key into numbers that tell its order, or as much of it as numbers can.
 *
 * What an operator class compares by is known from its comparison function (column/type.h):
 *
 *   - numbers and times are such numbers themselves;
 *   - a numeric of up to four digits of base 10000 is wholly told by core's abbreviated
 *     key for it;
 *   - a column of few distinct values, of any type, is numbered by their order
 *     (distinct.c);
 *   - text under C, bytea, uuid and MAC addresses are told by their bytes, in whole or
 *     by the first of them (string_key.c);
 *   - text under any other collation is compared, but first sorted by a guess of its
 *     order, so that usually one comparison a row is left, which verifies the guess.
 *     Rejected: the abbreviated key by which core sorts, under ICU only: it costs more
 *     than that comparison;
 *   - for any other type, an abbreviated key is used if its numbers are plain unsigned
 *     integers, and values of equal numbers are compared.
 */
#include "postgres.h"

#include "catalog/pg_collation_d.h"

#include "column/stretch.h"
#include "column/type.h"
#include "compat.h"
#include "sort/internal.h"
#include "sort/normalize.h"

#define FEW_ROWS 64 /* fewer rows are compared, unless their values are numbers themselves */

/* ---- known comparison functions ---- */

PackKind
normalized_kind(const KeyOrder *order)
{
	return type_order_is_number(order->known->order) ? (PackKind) order->known->order : PACK_NULLS;
}

/* ---- abbreviated keys ---- */

static void
prepare_support(SortKey *key, bool abbreviate)
{
	compare_prepare(&key->support, &key->column->order, 0, abbreviate);
}

/*
 * True if text is compared by its bytes: its comparator is the one that it has under C.  Core's own function for this
 * is declared in a header that includes ICU's, which need not be installed.
 */
static bool
compares_bytes(const SortKey *key)
{
	KeyOrder		order = key->column->order;
	SortSupportData bytes;

	order.collation = C_COLLATION_OID;
	compare_prepare(&bytes, &order, 0, false);
	return key->support.comparator == bytes.comparator;
}

/*
 * True if an abbreviated key tells all of a numeric: it has the weight and the first four digits.  But its extreme
 * values, and 0, also stand for everything beyond.  A numeric of two bytes is zero, infinite or NaN.
 */
static bool
numeric_is_told(Datum value, int64 abbreviated)
{
	const void *numeric = DatumGetPointer(value);
	Size		size;

	if (VARATT_IS_EXTERNAL(numeric) || VARATT_IS_COMPRESSED(numeric))
		return false;
	size = VARSIZE_ANY_EXHDR(numeric);
	return size == sizeof(int16) || (size <= 5 * sizeof(int16) && abbreviated != 0 && abbreviated != PG_INT64_MAX &&
									 abbreviated != -PG_INT64_MAX);
}

/*
 * Numbers the rows by abbreviated keys.  Returns false if the type has none, if by their own estimate they are not
 * worth it, or, with `whole`, if a key does not tell all of some numeric.
 */
static bool
normalize_abbreviated(SortKey *key, int64 n, bool numeric, bool whole)
{
	const SortColumn *column = key->column;
	SortSupport		  support = &key->support;
	int64			  look = 10; /* as in tuplesort */

	prepare_support(key, true);
	if (SIZEOF_DATUM < 8 || support->abbrev_converter == NULL)
		return false;
	/* numeric's comparator, which has no name here, must still order abbreviated keys in reverse */
	if (numeric ? support->comparator(Int64GetDatum(-1), Int64GetDatum(1), support) <= 0
				: support->comparator != ssup_datum_unsigned_cmp)
		return false;
	FOR_INTERRUPTIBLE (i, 0, n)
	{
		Datum value, abbreviated;

		if (i == look && !whole)
		{
			look *= 2;
			if (support->abbrev_abort((int) Min(i, PG_INT32_MAX), support))
				return false;
		}
		if (column_is_null(column->data, i))
			continue;
		value = column_datum(column->data, i);
		abbreviated = support->abbrev_converter(value, support);
		if (whole && !numeric_is_told(value, DatumGetInt64(abbreviated)))
			return false;
		key->pack.number[i] = numeric ? ~((uint64) abbreviated ^ UINT64CONST(1) << 63) : (uint64) abbreviated;
	}
	return true;
}

/* ---- any key ---- */

/* Looks for numbers for a key whose values are not numbers themselves. */
static void
number_values(SortKey *key, const TypeInfo *type, int64 n, int bits)
{
	const SortColumn *column = key->column;
	TypeOrder		  order = type->order;
	uint64			 *number = key->pack.number;

	if (order == ORDER_TEXT && compares_bytes(key))
		order = ORDER_BYTES;
	key->pack.kind = PACK_NUMBERED;
	key->exact = true;
	if (order == ORDER_NUMERIC && normalize_abbreviated(key, n, true, true))
		return;
	prepare_support(key, false);
	if (distinct_number(column, n, &key->support, number))
		return;
	key->exact = false;
	if (order == ORDER_BYTES)
	{
		key->exact = string_key_numbers(column, n, type->string, NULL, bits, number);
		return;
	}
	if (order == ORDER_TEXT)
	{
		string_key_numbers(column, n, type->string, string_key_guess(), bits, number);
		key->guess = key->pack;
		key->guessed = true;
		pack_measure(&key->guess, n);
		/* runs that are sorted by the guess have no NULLs */
		key->guess.has_nulls = false;
		key->guess.bits = Min(key->guess.bits, bits);
	}
	else if (normalize_abbreviated(key, n, order == ORDER_NUMERIC, false))
	{
		prepare_support(key, false);
		return;
	}
	else
		prepare_support(key, false);
	key->pack.kind = PACK_NULLS;
}

void
normalize_key(SortKey *key, const SortColumn *column, int64 n, int bits, Pool *pool)
{
	const TypeInfo *type = column->order.known;

	*key = (SortKey){.column = column, .pack = {.column = column, .descending = column->order.descending}};
	if (type_order_is_number(type->order))
	{
		key->pack.kind = (PackKind) type->order;
		key->exact = true;
	}
	else
	{
		key->pack.kind = PACK_NULLS;
		prepare_support(key, false);
		if (n >= FEW_ROWS)
		{
			key->pack.number = (uint64 *) pool_alloc(pool, n * sizeof(uint64));
			number_values(key, type, n, bits);
		}
	}
	pack_measure(&key->pack, n);
	if (key->pack.bits > 64)
	{
		/* NULL needs one number more, but all 2^64 are in use: compare instead */
		key->pack.kind = PACK_NULLS;
		key->exact = false;
		prepare_support(key, false);
		pack_measure(&key->pack, n);
	}
}

void
normalized_free(SortKey *key, Pool *pool)
{
	pool_free(pool, key->pack.number);
}

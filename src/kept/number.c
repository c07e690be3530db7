/*
 * number.c: see number.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "compat.h"
#include "kept/kept.h"
#include "kept/number.h"

void
kept_number_clear(KeptNumber *number)
{
	number->nans = number->plus_infinities = number->minus_infinities = 0;
	number->scales = 0;
	wide_decimal_clear(&number->total, 0);
}

/* Returns the counter of a scale, a new one if there is none. */
static KeptScale *
number_scale(KeptNumber *number, MemoryContext memory, int scale)
{
	for (int i = 0; i < number->scales; i++)
		if (number->scale[i].scale == scale)
			return &number->scale[i];
	if (number->scales == number->room)
	{
		number->room = Max(2, 2 * number->room);
		number->scale = number->scale == NULL
							? (KeptScale *) MemoryContextAlloc(memory, number->room * sizeof(KeptScale))
							: (KeptScale *) repalloc(number->scale, number->room * sizeof(KeptScale));
	}
	number->scale[number->scales] = (KeptScale){scale, 0};
	return &number->scale[number->scales++];
}

static void
take_integer(KeptNumber *number, MemoryContext memory, int64 value, bool leaves)
{
	Decimal decimal = {.units = leaves ? -(int128) value : value};

	wide_decimal_add_decimal(&number->total, &decimal);
	number_scale(number, memory, 0)->values += leaves ? -1 : 1;
}

static void
take_numeric(KeptNumber *number, MemoryContext memory, Datum value, bool leaves)
{
	struct varlena *plain = decimal_plain(value);
	DecimalParts	parts;
	Decimal			decimal = {0};
	int64			one = leaves ? -1 : 1;

	decimal_read(&parts, plain);
	if (unlikely(parts.special != DECIMAL_NUMBER))
		*(parts.special == DECIMAL_NAN		  ? &number->nans
		  : parts.special == DECIMAL_INFINITY ? &number->plus_infinities
											  : &number->minus_infinities) += one;
	else
	{
		if (likely(decimal_add(&decimal, &parts)))
		{
			decimal.units = leaves ? -decimal.units : decimal.units;
			wide_decimal_add_decimal(&number->total, &decimal);
		}
		else
			wide_decimal_add(&number->total, leaves ? DirectFunctionCall1(numeric_uminus, PointerGetDatum(plain))
													: PointerGetDatum(plain));
		number_scale(number, memory, parts.scale)->values += one;
	}
	decimal_free_plain(plain, value);
}

void
kept_number_take(KeptNumber *number, MemoryContext memory, Oid type, Datum value, bool leaves)
{
	switch (type)
	{
		case INT2OID:
			take_integer(number, memory, DatumGetInt16(value), leaves);
			break;
		case INT4OID:
			take_integer(number, memory, DatumGetInt32(value), leaves);
			break;
		case INT8OID:
			take_integer(number, memory, DatumGetInt64(value), leaves);
			break;
		default:
			take_numeric(number, memory, value, leaves);
	}
}

bool
kept_number_is_empty(const KeptNumber *number)
{
	for (int i = 0; i < number->scales; i++)
		if (number->scale[i].values != 0)
			return false;
	return number->nans == 0 && number->plus_infinities == 0 && number->minus_infinities == 0 &&
		   !number->total.beyond && number->total.decimal.units == 0;
}

static int
compare_scales(const void *a, const void *b)
{
	return ((const KeptScale *) a)->scale - ((const KeptScale *) b)->scale;
}

/* A stored number is a message in network byte order, so that a dump can be restored on another machine. */
Datum
kept_number_save(KeptNumber *number)
{
	StringInfoData message;
	bytea		  *total;
	bool		   special = number->nans != 0 || number->plus_infinities != 0 || number->minus_infinities != 0;
	int			   scales = 0;

	qsort(number->scale, number->scales, sizeof(KeptScale), compare_scales);
	for (int i = 0; i < number->scales; i++)
		scales += number->scale[i].values != 0;
	total = DatumGetByteaPP(DirectFunctionCall1(
		numeric_send, DirectFunctionCall1(numeric_trim_scale, wide_decimal_numeric(&number->total))));
	pq_begintypsend(&message);
	pq_sendbyte(&message, KEPT_FORMAT);
	pq_sendbyte(&message, special);
	if (special)
	{
		pq_sendint64(&message, number->nans);
		pq_sendint64(&message, number->plus_infinities);
		pq_sendint64(&message, number->minus_infinities);
	}
	pq_sendint16(&message, scales);
	for (int i = 0; i < number->scales; i++)
		if (number->scale[i].values != 0)
		{
			pq_sendint16(&message, number->scale[i].scale);
			pq_sendint64(&message, number->scale[i].values);
		}
	pq_sendbytes(&message, VARDATA_ANY(total), VARSIZE_ANY_EXHDR(total));
	return PointerGetDatum(pq_endtypsend(&message));
}

StringInfoData
kept_message(Datum stored)
{
	bytea		  *bytes = DatumGetByteaPP(stored);
	int			   length = (int) VARSIZE_ANY_EXHDR(bytes);
	StringInfoData message = {.data = VARDATA_ANY(bytes), .len = length, .maxlen = length};

	if (pq_getmsgbyte(&message) != KEPT_FORMAT)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a kept scan has a state of an unknown format")));
	return message;
}

void
kept_number_add(KeptNumber *number, MemoryContext memory, Datum stored)
{
	StringInfoData message = kept_message(stored);
	int			   scales;

	if (pq_getmsgbyte(&message) != 0)
	{
		number->nans += pq_getmsgint64(&message);
		number->plus_infinities += pq_getmsgint64(&message);
		number->minus_infinities += pq_getmsgint64(&message);
	}
	scales = (int) pq_getmsgint(&message, 2);
	for (int i = 0; i < scales; i++)
	{
		int scale = (int) pq_getmsgint(&message, 2);

		number_scale(number, memory, scale)->values += pq_getmsgint64(&message);
	}
	wide_decimal_add(&number->total, DirectFunctionCall3(numeric_recv, PointerGetDatum(&message),
														 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

void
kept_number_add_number(KeptNumber *number, MemoryContext memory, KeptNumber *other)
{
	number->nans += other->nans;
	number->plus_infinities += other->plus_infinities;
	number->minus_infinities += other->minus_infinities;
	for (int i = 0; i < other->scales; i++)
		number_scale(number, memory, other->scale[i].scale)->values += other->scale[i].values;
	if (likely(!other->total.beyond))
		wide_decimal_add_decimal(&number->total, &other->total.decimal);
	else
		wide_decimal_add(&number->total, wide_decimal_numeric(&other->total));
}

Datum
kept_number_sum(KeptNumber *number, int64 *values)
{
	int			  scale = 0;
	DecimalBuffer shown;

	*values = number->nans + number->plus_infinities + number->minus_infinities;
	for (int i = 0; i < number->scales; i++)
		if (number->scale[i].values != 0)
		{
			*values += number->scale[i].values;
			scale = Max(scale, number->scale[i].scale);
		}
	if (number->nans != 0 || (number->plus_infinities != 0 && number->minus_infinities != 0))
		return DirectFunctionCall1(numeric_uplus, decimal_show_special(&shown, DECIMAL_NAN));
	if (number->plus_infinities != 0)
		return DirectFunctionCall1(numeric_uplus, decimal_show_special(&shown, DECIMAL_INFINITY));
	if (number->minus_infinities != 0)
		return DirectFunctionCall1(numeric_uplus, decimal_show_special(&shown, DECIMAL_MINUS_INFINITY));
	return DirectFunctionCall2(numeric_round, wide_decimal_numeric(&number->total), Int32GetDatum(scale));
}

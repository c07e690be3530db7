/*
 * held.c: one Datum kept over many rows, in memory that is used again.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "column/held.h"
#include "compat.h"

HeldType
held_type(Oid type)
{
	HeldType result;

	result.oid = type;
	get_typlenbyvalalign(type, &result.length, &result.by_value, &result.align);
	return result;
}

/* Room for `size` bytes; what the buffer held is lost. */
static void
held_reserve(Held *held, Size size, MemoryContext context)
{
	if (held->capacity >= size)
		return;
	if (held->buffer != NULL)
		pfree(held->buffer);
	held->buffer = NULL;
	held->capacity = 0;
	/* a quarter more than asked for: values that grow slowly are not copied often */
	size = Max(size, Min(size + size / 4, MaxAllocSize));
	held->buffer = MemoryContextAlloc(context, size);
	held->capacity = size;
}

void
held_set(Held *held, const HeldType *type, Datum value, bool isnull, MemoryContext context)
{
	held->present = true;
	held->isnull = isnull;
	if (isnull)
		return;
	if (type->by_value)
	{
		held->value = value;
		return;
	}
	if (held->buffer != NULL && DatumGetPointer(value) == held->buffer)
	{
		held->value = value;
		return;
	}
	if (type->length == -1 && VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
	{
		ExpandedObjectHeader *object = DatumGetEOHP(value);
		Size				  size = EOH_get_flat_size(object);

		held_reserve(held, size, context);
		EOH_flatten_into(object, held->buffer, size);
	}
	else
	{
		Size size = datumGetSize(value, type->by_value, type->length);

		held_reserve(held, size, context);
		memcpy(held->buffer, DatumGetPointer(value), size);
	}
	held->value = PointerGetDatum(held->buffer);
}

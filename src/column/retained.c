/*
 * retained.c: a Datum kept over many rows, in memory that is used again.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "column/memory.h"
#include "compat.h"

RetainedType
retained_type(Oid type)
{
	RetainedType result;

	result.oid = type;
	get_typlenbyvalalign(type, &result.length, &result.by_value, &result.align);
	return result;
}

/* Makes room for `size` bytes; the buffer's contents are lost. */
static void
retained_reserve(RetainedDatum *retained, Size size, MemoryContext context)
{
	if (retained->capacity >= size)
		return;
	if (retained->buffer != NULL)
		pfree(retained->buffer);
	retained->buffer = NULL;
	retained->capacity = 0;
	/* a quarter more than asked for: values that grow slowly then rarely need a new buffer */
	size = Max(size, Min(size + size / 4, MaxAllocSize));
	retained->buffer = MemoryContextAlloc(context, size);
	retained->capacity = size;
}

void
retained_set(RetainedDatum *retained, const RetainedType *type, Datum value, bool isnull, MemoryContext context)
{
	retained->present = true;
	retained->isnull = isnull;
	if (isnull)
		return;
	if (type->by_value || (retained->buffer != NULL && DatumGetPointer(value) == retained->buffer))
	{
		retained->value = value;
		return;
	}
	if (type->length == -1 && VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
	{
		ExpandedObjectHeader *object = DatumGetEOHP(value);
		Size				  size = EOH_get_flat_size(object);

		retained_reserve(retained, size, context);
		EOH_flatten_into(object, retained->buffer, size);
	}
	else
	{
		Size size = datumGetSize(value, type->by_value, type->length);

		retained_reserve(retained, size, context);
		memcpy(retained->buffer, DatumGetPointer(value), size);
	}
	retained->value = PointerGetDatum(retained->buffer);
}

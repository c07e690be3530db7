/*
 * saved_state.c: see saved_state.h.
 *
 * The processes run the same program and query, so numbers are saved as they lie in memory.  Of a Datum, its value is
 * saved.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "column/saved_state.h"

void
carry_bytes(SavedState *saved, void *at, Size size)
{
	if (!saved->restores)
	{
		appendBinaryStringInfo(&saved->bytes, (const char *) at, (int) size);
		return;
	}
	/* a deque without entries has no memory */
	if (size > 0)
		memcpy(at, saved->bytes.data + saved->bytes.cursor, size);
	saved->bytes.cursor += (int) size;
}

void
save_datum(StringInfo bytes, Datum value, bool isnull, bool by_value, int16 length)
{
	Size  size = datumEstimateSpace(value, isnull, by_value, length);
	char *at;

	enlargeStringInfo(bytes, (int) Min(size, MaxAllocSize));
	at = bytes->data + bytes->len;
	datumSerialize(value, isnull, by_value, length, &at);
	bytes->len += (int) size;
}

Datum
restore_datum(StringInfo bytes, bool *isnull)
{
	char *at = bytes->data + bytes->cursor;
	Datum value = datumRestore(&at, isnull);

	bytes->cursor = (int) (at - bytes->data);
	return value;
}

void
carry_retained(SavedState *saved, RetainedDatum *retained, const RetainedType *type, MemoryContext context)
{
	bool  isnull;
	Datum value;

	if (saved->restores)
		retained_clear(retained);
	carry_bytes(saved, &retained->present, sizeof(retained->present));
	if (!retained->present)
		return;
	if (!saved->restores)
	{
		save_datum(&saved->bytes, retained->value, retained->isnull, type->by_value, type->length);
		return;
	}
	value = restore_datum(&saved->bytes, &isnull);
	retained_set(retained, type, value, isnull, context);
	if (!isnull && !type->by_value)
		pfree(DatumGetPointer(value));
}

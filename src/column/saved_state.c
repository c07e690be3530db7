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
save_bytes(StringInfo bytes, const void *from, Size size)
{
	appendBinaryStringInfo(bytes, (const char *) from, (int) size);
}

void
restore_bytes(StringInfo bytes, void *to, Size size)
{
	/* a deque without entries has no memory */
	if (size > 0)
		memcpy(to, bytes->data + bytes->cursor, size);
	bytes->cursor += (int) size;
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
save_retained(StringInfo bytes, const RetainedDatum *retained, bool by_value, int16 length)
{
	save_bytes(bytes, &retained->present, sizeof(retained->present));
	if (retained->present)
		save_datum(bytes, retained->value, retained->isnull, by_value, length);
}

void
restore_retained(StringInfo bytes, RetainedDatum *retained, const RetainedType *type, MemoryContext context)
{
	bool  isnull;
	Datum value;

	retained_clear(retained);
	restore_bytes(bytes, &retained->present, sizeof(retained->present));
	if (!retained->present)
		return;
	value = restore_datum(bytes, &isnull);
	retained_set(retained, type, value, isnull, context);
	if (!isnull && !type->by_value)
		pfree(DatumGetPointer(value));
}

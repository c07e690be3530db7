/*
 * saved_state.c: what functions know of the rows before, as bytes that another process goes on from.
 *
 * The processes are of one program and one query, so numbers go as they lie; of a Datum its value.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "node/evaluate/saved_state.h"

void
carry_bytes_out(StringInfo bytes, const void *from, Size size)
{
	appendBinaryStringInfo(bytes, (const char *) from, (int) size);
}

void
carry_bytes_in(StringInfo bytes, void *to, Size size)
{
	memcpy(to, bytes->data + bytes->cursor, size);
	bytes->cursor += (int) size;
}

void
carry_datum_out(StringInfo bytes, Datum value, bool isnull, bool by_value, int16 length)
{
	Size  size = datumEstimateSpace(value, isnull, by_value, length);
	char *at;

	enlargeStringInfo(bytes, (int) Min(size, MaxAllocSize));
	at = bytes->data + bytes->len;
	datumSerialize(value, isnull, by_value, length, &at);
	bytes->len += (int) size;
}

Datum
carry_datum_in(StringInfo bytes, bool *isnull)
{
	char *at = bytes->data + bytes->cursor;
	Datum value = datumRestore(&at, isnull);

	bytes->cursor = (int) (at - bytes->data);
	return value;
}

void
carry_sum_out(StringInfo bytes, DecimalSum *sum)
{
	carry_bytes_out(bytes, sum, offsetof(DecimalSum, memory));
	if (sum->beyond)
		carry_datum_out(bytes, decimal_sum_show(sum), false, false, -1);
}

void
carry_sum_in(StringInfo bytes, DecimalSum *sum)
{
	bool isnull;

	carry_bytes_in(bytes, sum, offsetof(DecimalSum, memory));
	if (sum->beyond)
		decimal_sum_go_beyond(sum, carry_datum_in(bytes, &isnull));
}

void
carry_retained_out(StringInfo bytes, const RetainedDatum *retained, bool by_value, int16 length)
{
	carry_bytes_out(bytes, &retained->present, sizeof(retained->present));
	if (retained->present)
		carry_datum_out(bytes, retained->value, retained->isnull, by_value, length);
}

void
carry_retained_in(StringInfo bytes, RetainedDatum *retained, const RetainedType *type, MemoryContext context)
{
	bool  isnull;
	Datum value;

	retained_clear(retained);
	carry_bytes_in(bytes, &retained->present, sizeof(retained->present));
	if (!retained->present)
		return;
	value = carry_datum_in(bytes, &isnull);
	retained_set(retained, type, value, isnull, context);
	if (!isnull && !type->by_value)
		pfree(DatumGetPointer(value));
}

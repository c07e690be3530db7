/*
 * receive.c: gives a type's receive function random bytes, and an SQL expression the values that come out of them.
 *
 * A library for the server of run.sh, which has AddressSanitizer:
 *
 *   fuzz_bytes(type regtype, statement text, examples bytea[], seed bigint, milliseconds int, OUT rounds bigint,
 *              OUT accepted bigint, OUT internal text)
 *       Each round changes a message at random and calls the type's receive function.  A value that it accepts is $1 of
 * the statement, and the message is one that later rounds may change further.  Errors are what bad input is to raise.
 *       `internal` is the last error whose code says that it is the server's own (XX000), which no input may cause.
 *   fuzz_planted(bytea)
 *       Has a defect that run.sh expects to be found: it reads a byte behind its memory if the first byte is 42.
 *
 * The message of the round is in the file fuzz_bytes.last of the data directory.  Random changes rather than libFuzzer:
 * a receive function needs core's memory, errors, numerics and arrays, so it runs where these are.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "compat.h"

PG_MODULE_MAGIC;

#define MESSAGES 256	/* that are changed further */
#define MOST_BYTES 4096 /* of a message */
#define LAST "fuzz_bytes.last"

typedef struct Message
{
	int	  length;
	uint8 bytes[MOST_BYTES];
} Message;

typedef struct Fuzz
{
	uint64		  random;
	Oid			  receive, ioparam;
	SPIPlanPtr	  plan;
	Message		 *pool;
	int			  pooled;
	int			  last; /* file descriptor of LAST */
	MemoryContext round;
	int64		  accepted;
	text		 *internal;
} Fuzz;

/* xorshift64*; `below` is at least 1 */
static uint32
draw(Fuzz *fuzz, uint32 below)
{
	fuzz->random ^= fuzz->random >> 12;
	fuzz->random ^= fuzz->random << 25;
	fuzz->random ^= fuzz->random >> 27;
	return (uint32) ((fuzz->random * UINT64CONST(2685821657736338717)) >> 32) % below;
}

/* Removes or inserts bytes; what is inserted comes from the message itself or from another one. */
static void
change_length(Fuzz *fuzz, Message *message)
{
	int at = draw(fuzz, message->length + 1);
	int n = 1 + draw(fuzz, draw(fuzz, 2) == 0 ? 4 : 64);

	if (draw(fuzz, 2) == 0)
	{
		n = Min(n, message->length - at);
		memmove(message->bytes + at, message->bytes + at + n, message->length - at - n);
		message->length -= n;
	}
	else if (message->length + n <= MOST_BYTES)
	{
		const Message *from = &fuzz->pool[draw(fuzz, fuzz->pooled)];

		memmove(message->bytes + at + n, message->bytes + at, message->length - at);
		message->length += n;
		for (int i = 0; i < n; i++)
			message->bytes[at + i] = from->length > at + i ? from->bytes[at + i] : (uint8) draw(fuzz, 256);
	}
}

/* Overwrites a few bytes: by any, by a number that is often an edge, or by a number a little off. */
static void
change_bytes(Fuzz *fuzz, Message *message)
{
	static const uint64 edges[] = {0,
								   1,
								   2,
								   0x7F,
								   0x80,
								   0xFF,
								   0x7FFF,
								   0x8000,
								   0xFFFF,
								   0x3FFFFFFF,
								   0x7FFFFFFF,
								   0x80000000,
								   0xFFFFFFFF,
								   PG_INT64_MAX,
								   ((uint64) 1 << 63),
								   PG_UINT64_MAX,
								   0xC000,
								   0xD000,
								   0xF000,
								   10000};
	int					width = 1 << draw(fuzz, 4);
	int					at;
	uint64				number = 0;

	if (message->length < width)
		return;
	at = draw(fuzz, message->length - width + 1);
	/* numbers of a message are big-endian */
	for (int i = 0; i < width; i++)
		number = number << 8 | message->bytes[at + i];
	switch (draw(fuzz, 4))
	{
		case 0:
			number = (uint64) draw(fuzz, PG_UINT32_MAX) << 32 | draw(fuzz, PG_UINT32_MAX);
			break;
		case 1:
			number = edges[draw(fuzz, lengthof(edges))];
			break;
		case 2:
			number += (uint64) draw(fuzz, 5) - 2;
			break;
		default:
			number ^= (uint64) 1 << draw(fuzz, 8 * width);
			break;
	}
	for (int i = width - 1; i >= 0; i--, number >>= 8)
		message->bytes[at + i] = (uint8) number;
}

static void
change(Fuzz *fuzz, Message *message)
{
	*message = fuzz->pool[draw(fuzz, fuzz->pooled)];
	for (int i = 1 + draw(fuzz, 4); i > 0; i--)
	{
		if (draw(fuzz, 4) == 0)
			change_length(fuzz, message);
		else
			change_bytes(fuzz, message);
	}
}

/* Receives a message and runs the statement over its value.  Raises what they raise. */
static void
try_message(Fuzz *fuzz, const Message *message)
{
	StringInfoData buffer;
	Datum		   value;

	/* receive functions may rely on a zero byte behind the message, as core provides it */
	buffer.data = (char *) palloc(message->length + 1);
	memcpy(buffer.data, message->bytes, message->length);
	buffer.data[message->length] = '\0';
	buffer.len = message->length;
	buffer.maxlen = message->length + 1;
	buffer.cursor = 0;
	value = OidReceiveFunctionCall(fuzz->receive, &buffer, fuzz->ioparam, -1);
	if (buffer.cursor != buffer.len)
		ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("bytes are left over")));
	fuzz->accepted++;
	fuzz->pool[fuzz->pooled < MESSAGES ? fuzz->pooled++ : (int) draw(fuzz, MESSAGES)] = *message;
	if (SPI_execute_plan(fuzz->plan, &value, NULL, true, 0) < 0)
		elog(ERROR, "the statement failed");
}

/* One message, in a subtransaction.  An error of the input's is as good as an answer. */
static void
run_round(Fuzz *fuzz, const Message *message)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;

	if (pwrite(fuzz->last, message->bytes, message->length, 0) != message->length ||
		ftruncate(fuzz->last, message->length) != 0)
		elog(ERROR, "could not write file \"%s\": %m", LAST);
	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		MemoryContextSwitchTo(fuzz->round);
		try_message(fuzz, message);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			ReThrowError(error);
		if (error->sqlerrcode == ERRCODE_INTERNAL_ERROR)
			fuzz->internal = cstring_to_text(error->message);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	MemoryContextReset(fuzz->round);
}

static void
start_fuzz(Fuzz *fuzz, Oid type, text *statement, ArrayType *examples)
{
	Datum *example;
	int	   n;

	getTypeBinaryInputInfo(type, &fuzz->receive, &fuzz->ioparam);
	fuzz->plan = SPI_prepare(text_to_cstring(statement), 1, &type);
	if (fuzz->plan == NULL)
		elog(ERROR, "could not prepare the statement");
	fuzz->pool = (Message *) palloc(MESSAGES * sizeof(Message));
	deconstruct_array(examples, BYTEAOID, -1, false, TYPALIGN_INT, &example, NULL, &n);
	for (int i = 0; i < n && i < MESSAGES; i++)
	{
		bytea *bytes = DatumGetByteaPP(example[i]);

		if (VARSIZE_ANY_EXHDR(bytes) > MOST_BYTES)
			continue;
		fuzz->pool[fuzz->pooled].length = (int) VARSIZE_ANY_EXHDR(bytes);
		memcpy(fuzz->pool[fuzz->pooled].bytes, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
		fuzz->pooled++;
	}
	if (fuzz->pooled == 0)
		elog(ERROR, "there are no examples");
	fuzz->round = AllocSetContextCreate(CurrentMemoryContext, "a message", ALLOCSET_DEFAULT_SIZES);
	fuzz->last = open(LAST, O_RDWR | O_CREAT, 0600);
}

PG_FUNCTION_INFO_V1(fuzz_bytes);
Datum
fuzz_bytes(PG_FUNCTION_ARGS)
{
	Fuzz		fuzz = {.random = (uint64) PG_GETARG_INT64(3) * 2 + 1};
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), PG_GETARG_INT32(4));
	Message	   *message = (Message *) palloc(sizeof(Message));
	int64		rounds = 0;
	TupleDesc	desc;
	Datum		value[3];
	bool		isnull[3] = {false, false, false};
	HeapTuple	row;
	text	   *internal = NULL;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	SPI_connect();
	start_fuzz(&fuzz, PG_GETARG_OID(0), PG_GETARG_TEXT_PP(1), PG_GETARG_ARRAYTYPE_P(2));
	/* the examples themselves come first */
	for (int i = 0, examples = fuzz.pooled; i < examples; i++, rounds++)
	{
		*message = fuzz.pool[i];
		run_round(&fuzz, message);
	}
	for (; GetCurrentTimestamp() < end; rounds++)
	{
		CHECK_FOR_INTERRUPTS();
		change(&fuzz, message);
		run_round(&fuzz, message);
	}
	close(fuzz.last);
	if (fuzz.internal != NULL)
	{
		internal = (text *) SPI_palloc(VARSIZE(fuzz.internal));
		memcpy(internal, fuzz.internal, VARSIZE(fuzz.internal));
	}
	SPI_finish();
	value[0] = Int64GetDatum(rounds);
	value[1] = Int64GetDatum(fuzz.accepted);
	value[2] = PointerGetDatum(internal);
	isnull[2] = internal == NULL;
	row = heap_form_tuple(BlessTupleDesc(desc), value, isnull);
	PG_RETURN_DATUM(HeapTupleGetDatum(row));
}

PG_FUNCTION_INFO_V1(fuzz_planted);
Datum
fuzz_planted(PG_FUNCTION_ARGS)
{
	bytea		  *bytes = PG_GETARG_BYTEA_PP(0);
	int			   n = VARSIZE_ANY_EXHDR(bytes);
	volatile char *copy = (volatile char *) palloc(n);

	memcpy((char *) copy, VARDATA_ANY(bytes), n);
	PG_RETURN_INT32(n > 0 && copy[0] == 42 ? copy[n] : 0);
}

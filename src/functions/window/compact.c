/*
 * compact.c: the window functions that need their whole partition: scan_compact and scan_split_index.
 *
 * Both read rows that WindowAgg has not reached yet, through its tuplestore, which holds work_mem of rows and spills
 * the rest.  PrefixScan calls them where its own loops (node/evaluate/compaction.c) cannot do their work.  They need a
 * second pass over the partition by definition: the k-th kept value may be in the last row, and the index of a true bit
 * depends on the number of false bits.
 *
 * In a spilled tuplestore, every switch between WindowAgg's read position and ours seeks and reads a block again.  So
 * neither function switches at every row.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "call/call_context.h"
#include "compat.h"
#include "error.h"
#include "functions/window/window.h"

/* The most kept values that are fetched at once, and the bytes beyond which no more are fetched. */
#define COMPACT_AHEAD 64
#define COMPACT_AHEAD_BYTES (16 * 1024)

typedef struct Compact
{
	MemoryContext  memory; /* holds the fetched values; reset before each fetch */
	int64		   next;   /* position of the first row that was not read yet */
	int			   ahead;  /* the most values of the last fetch: 1, 2, 4 ... */
	int			   from;   /* values[from .. to - 1] are fetched and not returned yet */
	int			   to;
	RetainedDatum *values; /* `ahead` of them, in `memory` */
} Compact;

/*
 * Reads rows, each once and in order, until `ahead` kept values are fetched or the partition ends.  It sets the mark
 * position, so that WindowAgg discards earlier rows; WindowAgg keeps its own current row.
 */
static void
compact_fetch(WindowCall *call, Compact *compact)
{
	Size bytes = 0;

	if (compact->memory == NULL)
		compact->memory = AllocSetContextCreate(GetMemoryChunkContext(compact), "scan compact", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(compact->memory);
	/* few at first: under a LIMIT, rows that nobody asks for are not read */
	compact->ahead = compact->ahead == 0 ? 1 : Min(2 * compact->ahead, COMPACT_AHEAD);
	compact->values = MemoryContextAllocZero(compact->memory, compact->ahead * sizeof(RetainedDatum));
	compact->from = compact->to = 0;
	while (compact->to < compact->ahead && bytes < COMPACT_AHEAD_BYTES)
	{
		RetainedDatum *retained = &compact->values[compact->to];
		bool		   isnull, is_out;
		Datum		   value = window_ahead(call, 1, compact->next, true, &isnull, &is_out);

		if (is_out)
			return;
		compact->next++;
		if (isnull || !DatumGetBool(value))
			continue;
		value = window_ahead(call, 0, compact->next - 1, true, &isnull, &is_out);
		retained_set(retained, &call->type[0], value, isnull, compact->memory);
		bytes += retained->capacity;
		compact->to++;
	}
}

/* Row k returns the k-th kept value. */
PG_FUNCTION_INFO_V1(scan_compact_any);
Datum
scan_compact_any(PG_FUNCTION_ARGS)
{
	WindowCall	  *call = window_call(fcinfo);
	Compact		  *compact = (Compact *) window_local_state(call, sizeof(Compact));
	RetainedDatum *value;

	if (compact->from == compact->to)
		compact_fetch(call, compact);
	if (compact->from == compact->to)
		PG_RETURN_NULL();
	value = &compact->values[compact->from++];
	if (value->isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(value->value);
}

typedef struct Split
{
	bool  counted;
	int64 falses, rows;
	/* The indexes that the next false row and the next true row get; they count from 1. */
	int64 next_false, next_true;
} Split;

/*
 * Reads the bits of the whole partition once.  Afterwards each row reads its own bit, which does not move our read
 * position in the tuplestore.  No mark position is set: it would move the read position, and nothing would be gained,
 * since all rows are in the tuplestore by then.
 *
 * Indexes begin with 1 for false rows; those of true rows follow the last index of a false row.
 */
static void
count_partition_split(WindowCall *call, Split *split)
{
	split->falses = 0;
	for (split->rows = 0;; split->rows++)
	{
		bool  isnull, is_out;
		Datum bit = window_ahead(call, 0, split->rows, false, &isnull, &is_out);

		if (is_out)
			break;
		if (isnull)
			scan_raise_null_bit(split->rows + 1);
		split->falses += !DatumGetBool(bit);
	}
	split->next_false = 1;
	split->next_true = split->falses + 1;
	split->counted = true;
}

PG_FUNCTION_INFO_V1(scan_split_index_bool);
Datum
scan_split_index_bool(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Split	   *split = (Split *) window_local_state(call, sizeof(Split));
	bool		isnull;
	Datum		bit;

	if (!split->counted)
		count_partition_split(call, split);
	bit = window_arg(call, 0, &isnull);
	if (isnull || (DatumGetBool(bit) ? split->next_true > split->rows : split->next_false > split->falses))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"bit\" must not be volatile"),
						errdetail("The argument is evaluated twice, and the two results differ at row " INT64_FORMAT
								  " of the partition.",
								  window_position(call) + 1),
						errhint("Compute \"bit\" in a MATERIALIZED common table expression first.")));
	PG_RETURN_INT64(DatumGetBool(bit) ? split->next_true++ : split->next_false++);
}

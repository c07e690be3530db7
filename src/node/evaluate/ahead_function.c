/*
 * ahead_function.c: the functions of ours that read later rows of their partition: scan_nocb, scan_lead,
 * scan_interpolate, scan_match, and scan_compact and scan_split_index where they have no loop (compaction.c).
 *
 * dispatch.c chooses this file for FUNCTION_AHEAD.  The function is called for each row, as in scan_function.c, and
 * asks for arguments of later rows as it does in WindowAgg (functions/window/window.h), so that there is one function
 * for both nodes, and an argument that may raise an error is computed where WindowAgg computes it.
 *
 * A block holds whole partitions, so a later row is a row of the block.  A partition larger than memory comes twice
 * (input/block_reader.c): when its rows are accumulated, their arguments are appended to lists that may lie on disk;
 * when its rows are emitted, the function reads ahead in the lists, which it does in order.
 *
 * Rejected: a loop that knows the functions and goes backward through a block.  It is faster by the call, but would be
 * a second copy of them, and a partition beyond memory cannot be read backward.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "column/stretch.h"
#include "compat.h"
#include "node/evaluate/internal.h"
#include "sort/files.h"

/* ---- the values of one column that are kept of a partition beyond memory, in their order ---- */

/*
 * Values are appended while the partition is accumulated, and taken while its rows are emitted.  They are written to a
 * temporary file a chunk at a time (sort/row_file.c); fewer than a chunk stay in memory.  Rejected: an array that may
 * lie on disk (column/memory.h).  It moves when it grows, and three million texts took three times as long.
 */
typedef struct KeptValues
{
	MemoryContext memory;
	RowColumn	  column;  /* describes the one column of `rows` */
	Rows		 *rows;	   /* the values that are not in the file */
	int64		  next;	   /* row of `rows` to be taken next, unless there is a file */
	bool		  spilled; /* `file` is open */
	bool		  taking;  /* no more values are appended */
	RowFile		  file;
} KeptValues;

/* Prepares for values of a type.  The values are allocated below the context `memory`. */
static void
kept_values_create(KeptValues *kept, MemoryContext memory, int16 length, bool by_value)
{
	*kept = (KeptValues){.memory = memory,
						 .column = {.wanted = true, .data = {.length = length, .by_value = by_value}}};
	kept->rows = rows_create(memory, &kept->column, 1, ROWS_BY_COLUMN);
}

/* Forgets all values and closes the file.  Must be called before the resource owner is released. */
static void
kept_values_reset(KeptValues *kept)
{
	if (kept->spilled)
		row_file_close(&kept->file);
	kept->spilled = kept->taking = false;
	kept->next = 0;
	rows_reset(kept->rows);
}

static void
kept_write_chunk(KeptValues *kept)
{
	MemoryContext old = MemoryContextSwitchTo(kept->memory);

	if (!kept->spilled)
		row_file_create(&kept->file);
	kept->spilled = true;
	(void) row_file_write(&kept->file, kept->rows, NULL, 0, kept->rows->n);
	rows_reset(kept->rows);
	MemoryContextSwitchTo(old);
}

/* Appends a value; a reference is copied. */
static void
kept_values_append(KeptValues *kept, Datum value, bool isnull)
{
	rows_reserve(kept->rows, kept->rows->n + 1);
	rows_put(kept->rows, 0, kept->rows->n, value, isnull);
	kept->rows->n++;
	if (kept->rows->n >= row_file_chunk_rows(1) || kept->rows->arena.used >= ROW_FILE_CHUNK_BYTES)
		kept_write_chunk(kept);
}

/* Ends appending.  If there is a file, it has all values from now on. */
static void
begin_to_take(KeptValues *kept)
{
	kept->taking = true;
	if (!kept->spilled)
		return;
	if (kept->rows->n > 0)
		kept_write_chunk(kept);
	row_file_read(&kept->file, kept->memory, &kept->column, 1);
}

/* Takes the next value, which is valid until the next call.  Returns false if there is none. */
static bool
kept_values_take(KeptValues *kept, Datum *value, bool *isnull)
{
	const Rows *rows;
	int64	   *next;

	if (!kept->taking)
		begin_to_take(kept);
	rows = kept->spilled ? kept->file.rows : kept->rows;
	next = kept->spilled ? &kept->file.next : &kept->next;
	if (kept->spilled && *next == rows->n && !kept->file.ended)
		(void) row_file_next(&kept->file);
	if (kept->spilled ? kept->file.ended : *next == rows->n)
		return false;
	*value = column_get(&rows->column[0].data, (*next)++, isnull);
	return true;
}

/* ---- the call ---- */

/* An argument at later rows of a partition that is larger than memory. */
typedef struct KeptArgument
{
	bool	   is_kept; /* false: it is the same in all rows */
	KeptValues list;
	Datum	   value; /* at the row that was taken last */
	bool	   isnull;
} KeptArgument;

typedef struct AheadCall
{
	RowCall		  row;
	RowFunction	 *f;
	const Block	 *block; /* the block under evaluation, and its row that the function is called for */
	int64		  i;
	int64		  end;	 /* the row after the last one of the partition, which lies in the block */
	KeptArgument *kept;	 /* of each argument; all have the same rows */
	int64		  taken; /* rows that were taken from `kept` */
	bool		  ended; /* none is left there */
} AheadCall;

/* Takes rows until row `row` of the partition is the last one taken.  Returns false if there are not so many. */
static bool
ahead_take_row(AheadCall *call, int64 row)
{
	for (; call->taken <= row && !call->ended; call->taken++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < call->f->arguments; a++)
			if (call->kept[a].is_kept &&
				!kept_values_take(&call->kept[a].list, &call->kept[a].value, &call->kept[a].isnull))
				call->ended = true;
	}
	return !call->ended;
}

/* ScanCallContext.ahead */
static Datum
argument_ahead(void *ahead_rows, int arg, int64 row, bool *isnull, bool *is_out)
{
	AheadCall *call = (AheadCall *) ahead_rows;
	bool	   accumulated = call->block->accumulated[LOOKAHEAD_PARTITION];
	int64	   i = call->i + (row - call->row.source.row);

	*is_out = accumulated ? !ahead_take_row(call, row) : i >= call->end;
	*isnull = true;
	if (*is_out)
		return (Datum) 0;
	if (!accumulated)
		return row_argument(call->f, call->block, arg, i, isnull);
	if (!call->kept[arg].is_kept)
		return row_argument(call->f, call->block, arg, call->i, isnull);
	*isnull = call->kept[arg].isnull;
	return call->kept[arg].value;
}

/* ScanCallContext.ahead_column: a partition that comes in several blocks, and a late argument, have no such column. */
static const Column *
column_ahead(void *ahead_rows, int arg, int64 row, int64 *at, int64 *rows)
{
	AheadCall *call = (AheadCall *) ahead_rows;

	if (call->block->accumulated[LOOKAHEAD_PARTITION] || argument_is_late(call->f, arg))
		return NULL;
	*at = call->i + (row - call->row.source.row);
	*rows = call->end - *at;
	return row_column(call->f, call->block, arg);
}

/* The next row may raise an error, which is due when it is asked for. */
int64
node_ahead_rows(RowFunction *f, const Block *block, int64 i)
{
	AheadCall *call = (AheadCall *) f->state;

	if (block->head[i])
	{
		call->end = block_unit_end(block, LOOKAHEAD_PARTITION, i);
		call->taken = 0;
		call->ended = false;
	}
	call->block = block;
	call->i = i;
	row_call_row(f, &call->row, block, i++);
	while (call->row.source.settled > 0 && i < block->n && !node_is_full(f))
	{
		stretch_row(i);
		row_call_settled_row(f, &call->row, i++);
	}
	return i;
}

/* Keeps the arguments of a row.  scan_compact reads no value that is not kept: there may be an error. */
static void
keep_row(RowFunction *f, AheadCall *call, const Block *block, int64 i)
{
	bool compacts = node_info(f)->kind == FUNCTION_COMPACT;
	bool reads = true;

	for (int a = f->arguments - 1; a >= 0; a--)
	{
		bool  isnull = true;
		Datum value = (Datum) 0;

		if (!call->kept[a].is_kept)
			continue;
		if (reads)
			value = row_argument(f, block, a, i, &isnull);
		kept_values_append(&call->kept[a].list, value, isnull);
		reads = !compacts || (!isnull && DatumGetBool(value));
	}
}

static void
ahead_accumulate(RowFunction *f, const Block *block, Lookahead unit, bool last)
{
	AheadCall *call = (AheadCall *) f->state;

	if (block->head[block->begin])
		f->end(f);
	/* the first argument is kept in any case: its list has the partition's rows */
	for (int a = 0; a < f->arguments; a++)
		call->kept[a].is_kept = a == 0 || argument_is_late(f, a) || node_info(f)->kind == FUNCTION_COMPACT ||
								!block->rows->column[f->argument[a]].constant;
	FOR_INTERRUPTIBLE (i, block->begin, block->n)
		keep_row(f, call, block, i);
}

static void
ahead_end(RowFunction *f)
{
	AheadCall *call = (AheadCall *) f->state;

	for (int a = 0; a < f->arguments; a++)
		kept_values_reset(&call->kept[a].list);
}

void
node_ahead_start(RowFunction *f)
{
	AheadCall	 *call = (AheadCall *) MemoryContextAllocZero(f->query, sizeof(AheadCall));
	MemoryContext old = MemoryContextSwitchTo(f->query);

	row_call_init(f, &call->row);
	call->row.source.ahead = argument_ahead;
	call->row.source.ahead_column = column_ahead;
	call->row.source.ahead_rows = call;
	call->f = f;
	call->kept = (KeptArgument *) palloc0(f->arguments * sizeof(KeptArgument));
	foreach_ptr (Node, argument, node_info(f)->wfunc->args)
	{
		int16 length;
		bool  by_value;

		get_typlenbyval(exprType(argument), &length, &by_value);
		kept_values_create(&call->kept[foreach_current_index(argument)].list, f->query, length, by_value);
	}
	MemoryContextSwitchTo(old);
	f->state = call;
	f->evaluate = node_ahead_rows;
	f->accumulate = ahead_accumulate;
	f->end = ahead_end;
}

/*
 * first_table.c: finds the first row of each of very many partitions, by numbers.
 *
 * The table is an array of cache lines.  The hash of a key tells the line where the search for it begins; it goes on in
 * the next line if that one is full.  Two thirds of the entries are used at the most.  The partition of NULL has an
 * entry of its own, beside the array.
 *
 * Rows with the same number are equal under ORDER BY if it has one key and no row is NULL in it.  Else such rows are
 * compared where they lie.  Of rows that are equal the first one of the input stays.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "column/memory.h"
#include "column/stretch.h"
#include "node/input/first_row_tables.h"
#include "sort/normalize.h"
#include "sort/order.h"

#define LINE_ENTRIES 3
#define AHEAD 32	/* rows whose lines are fetched ahead: a processor fetches hardly more at once */
#define LINE_USED 2 /* entries of a line that are used at the most, on average */

/* A cache line of the table. */
typedef struct FirstLine
{
	uint64 number[LINE_ENTRIES]; /* of the row's first key of ORDER BY (window_keys.c) */
	uint64 key[LINE_ENTRIES];	 /* the partition's key, as a Datum */
	uint32 row[LINE_ENTRIES];	 /* the row's position */
	uint32 used;				 /* entries that are used */
} FirstLine;

StaticAssertDecl(sizeof(FirstLine) == 64, "entries must not lie across cache lines");

struct FirstTable
{
	MemoryContext	  memory;
	Pool			 *pool; /* of `line` */
	const WindowKeys *keys;
	int64			  expected; /* partitions for which a new table has room */
	FirstLine		 *line;		/* NULL: no partition has been looked up */
	uint32			  lines;
	int64			  partitions;
	FirstLine		  of_null;	 /* the partition of NULL: at most one entry, whose key is 0 */
	bool			  tie_tells; /* rows with the same number are equal under ORDER BY */

	/* a batch of rows that are looked up */
	const Rows *batch;
	int64		room; /* rows for which the arrays have room */
	uint64	   *key, *number;
	uint32	   *begin; /* the line where the search for a row begins */
	uint32	   *later; /* rows of it that are looked up after the others */
	FirstChoice choice;
};

bool
first_table_suits(const WindowKeys *keys)
{
	return keys->partition == 1 && keys->key[0].by_datum &&
		   (keys->n == 1 || normalized_kind(&keys->key[1].order) < PACK_NUMBERED);
}

/* ---- the table ---- */

/* Returns how many lines have room for so many partitions. */
static uint32
lines_for(int64 partitions)
{
	return (uint32) Min(partitions / LINE_USED + partitions / 8 + 1, PG_UINT32_MAX);
}

static inline uint32
line_of(const FirstTable *table, uint64 key)
{
	uint64 hash = key * UINT64CONST(0x9E3779B97F4A7C15);

	hash = (hash ^ hash >> 32) * UINT64CONST(0xD6E8FEB86659FD93);
	return (uint32) ((hash >> 32) * table->lines >> 32);
}

static inline uint32
line_behind(const FirstTable *table, uint32 line)
{
	return line + 1 == table->lines ? 0 : line + 1;
}

/* Returns the entry of a line that has a key; -1: none has it.  Without a branch on which one it is. */
static inline int
entry_of(const FirstLine *line, uint64 key)
{
	uint32 same = (line->key[0] == key) | (line->key[1] == key) << 1 | (line->key[2] == key) << 2;

	same &= (1 << line->used) - 1;
	return same == 0 ? -1 : (int) (same >> 1);
}

static void
make_lines(FirstTable *table, uint32 lines)
{
	table->lines = lines;
	table->line = (FirstLine *) pool_alloc(table->pool, lines * sizeof(FirstLine));
	stretch_fill(table->line, 0, lines * sizeof(FirstLine));
}

/* Adds an entry to the first line that has room, from a line on. */
static void
add_entry(FirstTable *table, uint32 line, uint64 key, uint64 number, uint32 row)
{
	FirstLine *to;

	while ((to = &table->line[line])->used == LINE_ENTRIES)
		line = line_behind(table, line);
	to->key[to->used] = key;
	to->number[to->used] = number;
	to->row[to->used++] = row;
}

/* Makes room for so many partitions. */
static void
enlarge_table(FirstTable *table, int64 partitions)
{
	FirstLine *before = table->line;
	int64	   lines = table->lines;

	make_lines(table, lines_for(partitions));
	FOR_INTERRUPTIBLE (i, 0, lines)
		for (uint32 e = 0; e < before[i].used; e++)
			add_entry(table, line_of(table, before[i].key[e]), before[i].key[e], before[i].number[e], before[i].row[e]);
	pool_free(table->pool, before);
}

FirstTable *
first_table_create(const WindowKeys *keys, MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "scan first rows", ALLOCSET_DEFAULT_SIZES);
	FirstTable	 *table = (FirstTable *) MemoryContextAlloc(memory, sizeof(FirstTable));

	*table = (FirstTable){.memory = memory, .pool = pool_create(memory), .keys = keys};
	return table;
}

void
first_table_reset(FirstTable *table, int64 partitions)
{
	if (table->line != NULL)
		pool_free(table->pool, table->line);
	table->line = NULL;
	table->lines = 0;
	table->expected = partitions;
	table->partitions = 0;
	table->of_null.used = 0;
	table->tie_tells = table->keys->n <= 2;
}

Size
first_table_bytes(int64 partitions)
{
	return lines_for(partitions) * sizeof(FirstLine);
}

Size
first_table_size(const FirstTable *table)
{
	return table->lines * sizeof(FirstLine);
}

int64
first_table_partitions(const FirstTable *table)
{
	return table->partitions;
}

/* ---- a batch ---- */

/* Fetches the line where the search for a row of the batch begins into the processor's cache. */
static pg_attribute_always_inline void
prefetch_line(const FirstTable *table, int64 i)
{
	__builtin_prefetch(&table->line[table->begin[i]]);
}

static void
reserve_batch(FirstTable *table, int64 n)
{
	if (n <= table->room)
		return;
	table->room = n;
	table->key = (uint64 *) memory_renew(table->memory, table->key, n * sizeof(uint64));
	table->number = (uint64 *) memory_renew(table->memory, table->number, n * sizeof(uint64));
	table->begin = (uint32 *) memory_renew(table->memory, table->begin, n * sizeof(uint32));
	table->later = (uint32 *) memory_renew(table->memory, table->later, n * sizeof(uint32));
	table->choice.which = (uint32 *) memory_renew(table->memory, table->choice.which, n * sizeof(uint32));
	table->choice.at = (uint32 *) memory_renew(table->memory, table->choice.at, n * sizeof(uint32));
}

/* Fills in the keys of a column that has this format: a loop for each format. */
static pg_attribute_always_inline void
copy_keys(FirstTable *table, Column column, ColumnFormat format, int64 n)
{
	column.format = format;
	for (int64 i = 0; i < n; i++)
		table->key[i] = (uint64) column_datum(&column, i);
}

static void
find_keys(FirstTable *table, const Column *column, int64 n)
{
	if (column->format == COLUMN_INT32)
		copy_keys(table, *column, COLUMN_INT32, n);
	else if (column->format == COLUMN_INT64)
		copy_keys(table, *column, COLUMN_INT64, n);
	else
		copy_keys(table, *column, column->format, n);
	for (int64 i = 0; i < n && column->has_nulls; i++)
		if (column_is_null(column, i))
			table->key[i] = 0;
}

void
first_table_begin_batch(FirstTable *table, const Rows *batch)
{
	const WindowKeys *keys = table->keys;

	reserve_batch(table, batch->n);
	table->batch = batch;
	if (table->line == NULL)
		make_lines(table, lines_for(table->expected));
	if (table->partitions + batch->n > (int64) table->lines * LINE_USED)
		enlarge_table(table, 2 * Max(table->partitions, batch->n));
	find_keys(table, &batch->column[keys->key[0].column].data, batch->n);
	for (int64 i = 0; i < batch->n; i++)
		table->begin[i] = line_of(table, table->key[i]);
	for (int64 i = 0; i < Min(batch->n, AHEAD); i++)
		prefetch_line(table, i);
	if (keys->n == 1)
		return;
	number_rows(keys, 1, batch, 0, batch->n, table->number);
	if (batch->column[keys->key[1].column].data.has_nulls)
		table->tie_tells = false;
}

/* ---- looking up ---- */

/* True if row i of the batch comes before row `row` of those that are held, which has the same number. */
static bool
precedes_held_row(const FirstTable *table, const Rows *rows, int64 i, uint32 row)
{
	const WindowKeys *keys = table->keys;

	return compare_rows(keys->compare + 1, keys->n - 1, table->batch, i, rows, row) < 0;
}

/* Adds the entry of a partition that begins at row i of the batch. */
static void
begin_partition(FirstTable *table, int64 i, bool is_null, uint32 row)
{
	table->partitions++;
	if (is_null)
	{
		table->of_null.used = 1;
		table->of_null.number[0] = table->number[i];
		table->of_null.row[0] = row;
	}
	else
		add_entry(table, table->begin[i], table->key[i], table->number[i], row);
}

/* Returns the line that has the key of row i of the batch, and sets the entry; NULL: no line has it. */
static inline FirstLine *
find_line(FirstTable *table, int64 i, bool is_null, int *entry)
{
	uint32	   at = table->begin[i];
	FirstLine *line = is_null ? &table->of_null : &table->line[at];

	while ((*entry = entry_of(line, table->key[i])) < 0)
	{
		if (line->used < LINE_ENTRIES)
			return NULL;
		at = line_behind(table, at);
		line = &table->line[at];
	}
	return line;
}

typedef enum Chosen
{
	CHOSEN_NOT,
	CHOSEN,
	CHOSEN_LATER /* the chosen rows must be stored before it can be looked up */
} Chosen;

/* Looks up a row of the batch, in any case; `next`: where it is stored if it begins a partition. */
static Chosen
choose_row(FirstTable *table, const Rows *rows, int64 i, bool is_null, uint32 next, uint32 *at)
{
	int		   entry;
	FirstLine *line = find_line(table, i, is_null, &entry);

	if (line == NULL)
	{
		begin_partition(table, i, is_null, next);
		*at = next;
		return CHOSEN;
	}
	*at = line->row[entry];
	if (table->number[i] > line->number[entry])
		return CHOSEN_NOT;
	if (table->number[i] == line->number[entry])
	{
		if (table->tie_tells)
			return CHOSEN_NOT;
		if (table->choice.n > 0)
			return CHOSEN_LATER;
		if (!precedes_held_row(table, rows, i, *at))
			return CHOSEN_NOT;
	}
	line->number[entry] = table->number[i];
	return CHOSEN;
}

/* Adds a row to the chosen ones. */
static inline void
add_chosen(FirstChoice *choice, int64 i, uint32 at)
{
	choice->which[choice->n] = (uint32) i;
	choice->at[choice->n++] = at;
}

/*
 * Looks up all rows of the batch.  Only for rows without NULLs of which numbers tell the order.  There is no branch on
 * which row comes before, since a processor would guess it wrong too often.  Rows whose partition has no entry where
 * the search begins are looked up afterwards, when the line after it is in the cache as well.  They stay in their
 * order, and so do all rows of a partition: it has an entry there for all of them or for none.
 */
static void
choose_by_number(FirstTable *table, const Rows *rows)
{
	FirstLine	 *line = table->line;
	const uint64 *key = table->key, *number = table->number;
	const uint32 *begin = table->begin;
	uint32		 *which = table->choice.which, *at = table->choice.at, *later = table->later;
	const char	 *cells = rows->cells;
	Size		  stride = rows->stride;
	int64		  n = 0, laters = 0, next = rows->n, end = table->batch->n;
	uint64		  unused;

	for (int64 i = 0; i < end; i++)
	{
		FirstLine *to = &line[begin[i]];
		int		   entry = entry_of(to, key[i]);
		bool	   is_there = entry >= 0, before;

		__builtin_prefetch(&line[begin[Min(i + AHEAD, end - 1)]]);
		if (!is_there)
			__builtin_prefetch(to + 1);
		entry = is_there ? entry : 0;
		before = is_there & (number[i] < to->number[entry]);
		*(before ? &to->number[entry] : &unused) = number[i];
		which[n] = (uint32) i;
		at[n] = to->row[entry];
		__builtin_prefetch(before ? cells + to->row[entry] * stride : (const char *) to);
		n += before;
		later[laters] = (uint32) i;
		laters += !is_there;
	}
	table->choice.n = n;
	for (int64 l = 0; l < laters; l++)
	{
		uint32 row;

		if (choose_row(table, rows, later[l], false, (uint32) next, &row) == CHOSEN_NOT)
			continue;
		add_chosen(&table->choice, later[l], row);
		next += row == next;
	}
}

/* Looks up rows of the batch from row `from` on; returns the row after them. */
static int64
choose_by_keys(FirstTable *table, const Rows *rows, int64 from)
{
	const Column *column = &table->batch->column[table->keys->key[0].column].data;
	int64		  next = rows->n;

	for (int64 i = from; i < table->batch->n; i++)
	{
		uint32 at;
		Chosen chosen;

		prefetch_line(table, Min(i + AHEAD, table->batch->n - 1));
		chosen = choose_row(table, rows, i, column_is_null(column, i), (uint32) next, &at);

		if (chosen == CHOSEN_LATER)
			return i;
		if (chosen == CHOSEN_NOT)
			continue;
		add_chosen(&table->choice, i, at);
		next += at == next;
	}
	return table->batch->n;
}

int64
first_table_choose(FirstTable *table, const Rows *rows, int64 from, FirstChoice *choice)
{
	const Rows *batch = table->batch;

	table->choice.n = 0;
	if (table->tie_tells && !batch->column[table->keys->key[0].column].data.has_nulls)
	{
		Assert(from == 0);
		choose_by_number(table, rows);
		from = batch->n;
	}
	else
		from = choose_by_keys(table, rows, from);
	*choice = table->choice;
	return from;
}

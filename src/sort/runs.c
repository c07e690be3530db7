/*
 * runs.c: sorted runs of rows on disk, and their merge.
 *
 * Rejected: tuplesort, which knows how to use the disk, but makes a tuple of every row and compares tuples all the way.
 * Here as many rows as fit in memory are sorted by radix, and written and read by column, a few hundred rows at once.
 * Rows are compared only to be merged, log2(runs) times a row.  On ten million rows this takes a third of the time.
 *
 * Rows that come after all rows of the last run continue it.  Input that is in order but for a few rows, as rows are
 * that were inserted by time, so makes few runs, and hardly a row is written twice.
 *
 * The merge is a tree of losers (Knuth, volume 3, 5.4.1).  When a level has as many runs as can be merged at once, they
 * become one run of the next level, so rows are merged only a few times, however many there are.  Runs that are merged
 * together are neighbours in the input, so equal rows keep their order.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "sort/files.h"

/* Limits on the runs that are merged at once: as many as the budget has memory for. */
#define WAYS_LEAST 8
#define WAYS_MOST 256

typedef struct Run
{
	RowFile file;
	int		level; /* how often its rows have been merged */
} Run;

struct Runs
{
	MemoryContext context;
	RowColumn	 *column;
	int			  columns;
	SortSupport	  key;
	int			  keys, ways;

	int	  runs, room;
	Run	 *run; /* the runs, in the order of the input */
	Rows *end; /* the last row of the last run; none if it is not known */
	int64 written;

	/* the merge of the runs from `from` on; tree[1] and above are losers, tree[0] is the winner */
	bool merging;
	int	 from;
	int *tree;
};

/* ---- the merge ---- */

/* True if run a's next row comes before run b's.  Runs that have ended come last. */
static inline bool
comes_before(const Runs *runs, int a, int b)
{
	const RowFile *left = &runs->run[a].file, *right = &runs->run[b].file;
	int			   order;

	if (left->ended || right->ended)
		return left->ended == right->ended ? a < b : right->ended;
	order = compare_rows(runs->key, runs->keys, left->rows, left->next, right->rows, right->next);
	return order != 0 ? order < 0 : a < b;
}

/* Plays the matches from the leaf of `winner` up to the root; the tree has `ways` leaves. */
static inline void
replay_match(Runs *runs, int winner, int ways)
{
	for (int at = (winner - runs->from + ways) / 2; at > 0; at /= 2)
		if (comes_before(runs, runs->tree[at], winner))
		{
			int loser = winner;

			winner = runs->tree[at];
			runs->tree[at] = loser;
		}
	runs->tree[0] = winner;
}

/* Returns the winner among the leaves below a node, and sets the losers of its matches. */
static int
build_loser_tree(Runs *runs, int at, int ways)
{
	int	 left, right;
	bool first;

	if (at >= ways)
		return runs->from + at - ways;
	left = build_loser_tree(runs, 2 * at, ways);
	right = build_loser_tree(runs, 2 * at + 1, ways);
	first = comes_before(runs, left, right);
	runs->tree[at] = first ? right : left;
	return first ? left : right;
}

/* Starts the merge of the runs from `from` on. */
static void
merge_begin(Runs *runs, int from)
{
	int			  ways = runs->runs - from;
	MemoryContext old = MemoryContextSwitchTo(runs->context);

	runs->merging = true;
	runs->from = from;
	for (int r = from; r < runs->runs; r++)
		row_file_read(&runs->run[r].file, runs->context, runs->column, runs->columns);
	runs->tree = (int *) palloc(ways * sizeof(int));
	runs->tree[0] = ways == 1 ? from : build_loser_tree(runs, 1, ways);
	MemoryContextSwitchTo(old);
}

/* Returns the run that has the next row; merge_next() steps past that row.  NULL: all runs have ended. */
static inline RowFile *
merge_row(Runs *runs)
{
	RowFile *run = &runs->run[runs->tree[0]].file;

	return run->ended ? NULL : run;
}

static inline void
merge_next(Runs *runs)
{
	RowFile *run = &runs->run[runs->tree[0]].file;

	if (++run->next == run->rows->n)
		(void) row_file_next(run);
	replay_match(runs, runs->tree[0], runs->runs - runs->from);
}

static void
merge_end(Runs *runs)
{
	for (int r = runs->from; r < runs->runs; r++)
		row_file_close(&runs->run[r].file);
	pfree(runs->tree);
	runs->runs = runs->from;
	runs->merging = false;
}

int64
runs_pull(Runs *runs, Rows *rows, int64 limit, Size bytes)
{
	Size	 before = rows->arena.used;
	int64	 n = 0;
	RowFile *run;

	if (!runs->merging)
		merge_begin(runs, 0);
	if (runs->runs - runs->from == 1)
		return row_file_pull(&runs->run[runs->from].file, rows, limit, bytes);
	while (n < limit && rows->arena.used - before <= bytes && (run = merge_row(runs)) != NULL)
	{
		rows_append_row(rows, run->rows, run->next);
		merge_next(runs);
		n++;
	}
	return n;
}

/* ---- runs ---- */

static void
runs_add(Runs *runs, RowFile file, int level)
{
	Run *run;

	if (runs->runs == runs->room)
	{
		runs->room *= 2;
		runs->run = (Run *) repalloc(runs->run, runs->room * sizeof(Run));
	}
	run = &runs->run[runs->runs++];
	run->file = file;
	run->level = level;
}

/* Merges the runs from `from` on into one. */
static void
merge_level(Runs *runs, int from)
{
	Rows   *rows = rows_create(runs->context, runs->column, runs->columns, ROWS_BY_COLUMN);
	int		level = runs->run[from].level + 1;
	RowFile file;

	row_file_create(&file);
	merge_begin(runs, from);
	while (runs_pull(runs, rows, row_file_chunk_rows(runs->columns), ROW_FILE_CHUNK_BYTES) > 0)
	{
		runs->written += row_file_write(&file, rows, NULL, 0, rows->n);
		rows_reset(rows);
	}
	merge_end(runs);
	rows_free(rows);
	runs_add(runs, file, level);
	rows_reset(runs->end);
}

/* Returns how many runs are merged at once. */
static int
ways_within(const Runs *runs, Size budget)
{
	Size chunk = row_file_chunk_rows(runs->columns);
	Size run_bytes = BLCKSZ; /* the file's buffer */

	/* a chunk in memory is there twice: as bytes and as columns */
	run_bytes += chunk * runs->columns * (2 * sizeof(Datum) + sizeof(bool));
	for (int c = 0; c < runs->columns; c++)
		if (!runs->column[c].constant && !runs->column[c].data.by_value)
		{
			run_bytes += ROW_FILE_CHUNK_BYTES;
			break;
		}
	return Max(WAYS_LEAST, Min(WAYS_MOST, budget / run_bytes));
}

/* Returns the first of the runs at the end that all have the level of the last one. */
static int
first_of_level(const Runs *runs)
{
	int first = runs->runs - 1;

	while (first > 0 && runs->run[first - 1].level == runs->run[first].level)
		first--;
	return first;
}

Runs *
runs_create(MemoryContext parent, const RowColumn *column, int columns, SortSupport key, int keys, Size budget)
{
	MemoryContext context = AllocSetContextCreate(parent, "scan runs", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Runs		 *runs = (Runs *) palloc(sizeof(Runs));

	*runs = (Runs){.context = context,
				   .columns = columns,
				   .column = (RowColumn *) palloc(Max(columns, 1) * sizeof(RowColumn)),
				   .key = key,
				   .keys = keys,
				   .room = WAYS_LEAST,
				   .run = (Run *) palloc(WAYS_LEAST * sizeof(Run)),
				   .end = rows_create(context, column, columns, ROWS_BY_COLUMN)};
	memcpy(runs->column, column, columns * sizeof(RowColumn));
	runs->ways = ways_within(runs, budget);
	MemoryContextSwitchTo(old);
	return runs;
}

/* True if a row, and so those after it, can be written behind the last run.  The row is left in `end`, as row 1. */
static bool
continues_run(Runs *runs, const Rows *rows, int64 row)
{
	if (runs->end->n == 0)
		return false;
	rows_append_row(runs->end, rows, row);
	return compare_rows(runs->key, runs->keys, runs->end, 0, runs->end, 1) <= 0;
}

void
runs_write(Runs *runs, const Rows *rows, const SortOrder *order)
{
	MemoryContext old = MemoryContextSwitchTo(runs->context);
	int			  first;

	Assert(order->kind == ORDER_ROWS);
	if (order->n > 0 && continues_run(runs, rows, order->rows[0]))
		runs->written += row_file_write(&runs->run[runs->runs - 1].file, rows, order->rows, 0, order->n);
	else
	{
		RowFile file;

		row_file_create(&file);
		runs->written += row_file_write(&file, rows, order->rows, 0, order->n);
		runs_add(runs, file, 0);
	}
	rows_reset(runs->end);
	if (order->n > 0)
		rows_append_row(runs->end, rows, order->rows[order->n - 1]);
	while (runs->runs - (first = first_of_level(runs)) >= runs->ways)
		merge_level(runs, first);
	MemoryContextSwitchTo(old);
}

int64
runs_written(const Runs *runs)
{
	return runs->written;
}

void
runs_free(Runs *runs)
{
	for (int r = 0; r < runs->runs; r++)
		row_file_close(&runs->run[r].file);
	MemoryContextDelete(runs->context);
}

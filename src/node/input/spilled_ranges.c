/*
 * spilled_ranges.c: rows beyond memory, divided into ranges of the PARTITION BY keys.
 *
 * sorted_input.c calls it when the rows of an input no longer fit in scan.work_mem.  The first ranges stay in memory,
 * and the rows of the others go to files, one for each range, in the order of the input.  When the rows in memory have
 * been sorted and emitted, the next ranges are read, as many as fit in memory, and so on.  No partition is in two
 * ranges, so ranges are inputs of their own, and all rows come in window order.  What goes to disk is written and read
 * once, in sequence, and what fits in memory does not go to disk at all.  (Hybrid hash join, DeWitt et al., 1984, with
 * ranges in place of hash values.)
 *
 * Rejected: sorted runs and their merge (sort/runs.c) wherever rows can be divided.  They write all rows in window
 * order, so each row is gathered from anywhere in memory, and compare rows to merge them: on ten million rows of 37
 * bytes this took 60 ns a row more.  Runs remain for windows without PARTITION BY, for keys whose order no numbers
 * tell, for input that is in order, where a run is continued, and for a range that is larger than memory.
 *
 * Rejected: the ranges of several processes (order_ranges.c), with one process, in place of this file and of runs.  A
 * process holds all rows until the last one has been read, and then writes each a second time, to its range.  It was
 * measured as a parallel plan without a worker, in as much memory, over five million rows of test/bench, in seconds of
 * processor time.  A sum in the order of id, which is that of the table, took 1.10 instead of 0.64 in 4MB, and 0.92
 * instead of 0.70 in 64MB; a sum by p1k, ts, whose rows are divided here, took 1.30 instead of 1.17 in 64MB.  And runs
 * could not go.  A range of several processes is one block in memory, however large its partition or its peer group is,
 * and the next range needs the states of all functions: not every state can be saved, and percent_rank() needs the
 * number of all rows.  So the 400 lines of this file would go, less what an exchange without shared memory needs.
 *
 * In little memory the ranges of this file are too few, and too large: in 4MB the sum by p1k, ts merges runs, and took
 * 2.15 where the many ranges of order_ranges.c took 1.42.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/block.h"
#include "column/rows_serialize.h"
#include "guc.h"
#include "node/input/sorting.h"
#include "sort/normalize.h"

#define SAMPLES 8192
#define SAMPLES_PART 4 /* of the rows in memory, which may be few and wide: samples are whole rows */
#define RANGES_LEAST 8
#define RANGES_MOST 64
#define RANGES_OF_BUDGET 32 /* as many ranges as this fit in memory, about */
#define STAGED_ROWS 256		/* rows of a range that are written at once */
#define STAGED_BYTES ((Size) 64 * 1024)
#define STAGED_PART 16 /* rows that wait to be written may take this part of scan.work_mem */
#define DIVIDED 4096   /* rows that are divided at once */
#define DUE_ROWS 4096
#define IN_ORDER 16	 /* input is in order if fewer than one in so many samples comes after a greater one, or before */
#define STAYING 0.96 /* part of the memory that the ranges that stay should take in the end */
#define STAYING_LESS 0.9

typedef struct Range
{
	BufFile *file;	 /* NULL: no row has been written */
	Rows	*staged; /* rows that wait to be written; NULL: there are none */
	double	 share;	 /* part of the samples that are in this range or an earlier one */
	int64	 rows;	 /* in the file, that have not been read */
	Size	 arena;	 /* bytes of their by-reference values */
} Range;

struct SpilledRanges
{
	MemoryContext memory;
	Splitters	  splitters;
	int			  ranges;
	Range		 *range;
	int			  staying;	  /* the first so many ranges stay in memory */
	double		  sort_bytes; /* of a row */
	Size		  row_bytes;  /* of a row in columns */
	bool		  references; /* rows may have values of several columns in the arena */
	int64		  written;

	/* the rows that have been put, and their by-reference values, are the first in memory */
	RowsEnd put;

	int next; /* ranges from `next` to `stop` - 1 are being read */
	int stop;
};

bool
spilled_ranges_suit(const WindowKeys *keys)
{
	return keys->partition > 0 && normalized_kind(&keys->key[0].order) != PACK_NULLS;
}

/* ---- where ranges begin ---- */

static Rows *
take_range_samples(const Rows *rows)
{
	Rows		 *samples = rows_create(CurrentMemoryContext, rows->column, rows->columns, rows->layout);
	int64		  n = Min(Max(rows->n / SAMPLES_PART, 1), SAMPLES);
	pg_prng_state random;

	/* a sample of each so many rows, and not always the same one: values may alternate from row to row */
	pg_prng_seed(&random, 1);
	for (int64 i = 0; i < n; i++)
		rows_append_row(samples, rows,
						(int64) pg_prng_uint64_range(&random, i * rows->n / n, (i + 1) * rows->n / n - 1));
	return samples;
}

/* True if the samples are in the order of their numbers, or in the reverse order, but for a few. */
static bool
samples_in_order(const uint64 *number, int64 n)
{
	int64 ascents = 0, descents = 0;

	for (int64 i = 1; i < n; i++)
	{
		ascents += number[i - 1] < number[i];
		descents += number[i - 1] > number[i];
	}
	return Min(ascents, descents) * IN_ORDER < Max(ascents, descents);
}

/* Computes each range's share; returns the largest part of the samples that one range has. */
static double
measure_shares(SpilledRanges *ranges, const Rows *samples, const uint64 *number)
{
	double largest = 0;

	for (int64 i = 0; i < samples->n; i++)
		ranges->range[splitters_range_of(&ranges->splitters, samples, i, number[i])].share += 1.0 / samples->n;
	for (int r = 0; r < ranges->ranges; r++)
	{
		largest = Max(largest, ranges->range[r].share);
		if (r > 0)
			ranges->range[r].share += ranges->range[r - 1].share;
	}
	return largest;
}

/* Returns how many ranges to make, of rows that take so many bytes each. */
static int
ranges_of(double expected_rows, double bytes)
{
	double budget = guc_budget();
	double staged = Min(STAGED_ROWS * bytes, STAGED_BYTES) + BLCKSZ;
	double n = Min(RANGES_MOST, Max(RANGES_LEAST, RANGES_OF_BUDGET * expected_rows * bytes / budget));

	return (int) Min(n, budget / STAGED_PART / staged);
}

/* Has so many ranges stay in memory as have at most this share of the rows; less than 0: none. */
static void
keep_share(SpilledRanges *ranges, double share)
{
	ranges->staying = 0;
	while (ranges->staying < ranges->ranges - 1 && ranges->range[ranges->staying].share <= share)
		ranges->staying++;
	ranges->put = (RowsEnd){0};
}

/* True if the values of several columns may lie in the arena: their order there is not known. */
static bool
has_many_references(const Rows *rows)
{
	int n = 0;

	for (int c = 0; c < rows->columns; c++)
		n += !rows->column[c].constant && !rows->column[c].data.by_value;
	return n > 1;
}

/* True if rows of which some are removed could not give the memory of their values back. */
static bool
holds_memory(const SpilledRanges *ranges, const Rows *rows)
{
	return ranges->references && rows->arena.used > 0;
}

static bool
find_ranges(SpilledRanges *ranges, const Rows *rows, double expected_rows)
{
	double	bytes = ranges->row_bytes + ranges->sort_bytes + (double) rows->arena.used / rows->n;
	int		n = ranges_of(expected_rows, bytes);
	uint64 *number = (uint64 *) palloc(SAMPLES * sizeof(uint64));
	Rows   *samples;
	double	largest;

	if (n < 2)
		return false;
	samples = take_range_samples(rows);
	ranges->splitters.rows = rows_create_like(samples);
	splitters_find(&ranges->splitters, samples, n);
	splitters_numbers(&ranges->splitters, samples, 0, samples->n, number);
	if (samples_in_order(number, samples->n))
		return false;
	splitters_drop_equal(&ranges->splitters);
	ranges->ranges = (int) ranges->splitters.rows->n + 1;
	ranges->range = (Range *) palloc0(ranges->ranges * sizeof(Range));
	largest = measure_shares(ranges, samples, number);
	rows_free(samples);
	pfree(number);
	keep_share(ranges, holds_memory(ranges, rows) ? -1 : STAYING * guc_budget() / bytes / expected_rows);
	return ranges->ranges > 1 && largest * expected_rows * bytes < guc_budget();
}

SpilledRanges *
spilled_ranges_create(MemoryContext parent, const WindowKeys *keys, const Rows *rows, double expected_rows,
					  double sort_bytes)
{
	MemoryContext  memory = AllocSetContextCreate(parent, "scan spilled ranges", ALLOCSET_DEFAULT_SIZES);
	MemoryContext  old = MemoryContextSwitchTo(memory);
	SpilledRanges *ranges = (SpilledRanges *) palloc(sizeof(SpilledRanges));

	*ranges = (SpilledRanges){.memory = memory,
							  .splitters = {.keys = keys, .compared = keys->partition},
							  .sort_bytes = sort_bytes,
							  .row_bytes = rows_row_bytes(rows),
							  .references = has_many_references(rows)};
	if (!find_ranges(ranges, rows, Max(expected_rows, (double) rows->n)))
	{
		MemoryContextSwitchTo(old);
		MemoryContextDelete(memory);
		return NULL;
	}
	MemoryContextSwitchTo(old);
	return ranges;
}

/* ---- putting rows ---- */

static void
write_staged(SpilledRanges *ranges, Range *range)
{
	MemoryContext old = MemoryContextSwitchTo(ranges->memory);

	if (range->file == NULL)
		range->file = BufFileCreateTemp(false);
	spill_write_rows(range->file, range->staged);
	ranges->written += rows_written_size(range->staged);
	range->rows += range->staged->n;
	range->arena += range->staged->arena.used;
	rows_reset(range->staged);
	MemoryContextSwitchTo(old);
}

/* Appends n rows to a range. */
static void
range_append_rows(SpilledRanges *ranges, Range *range, const Rows *rows, const uint32 *which, int64 n)
{
	if (range->staged == NULL)
		range->staged = rows_create(ranges->memory, rows->column, rows->columns, rows->layout);
	for (int64 some; n > 0; which += some, n -= some)
	{
		Size bytes;

		some = rows_within(rows, which, n, STAGED_BYTES, &bytes);
		rows_append_some(range->staged, rows, which, some);
		if (range->staged->n >= STAGED_ROWS || range->staged->arena.used >= STAGED_BYTES)
			write_staged(ranges, range);
	}
}

/* Puts n rows, of ranges that do not stay. */
static void
spill_rows(SpilledRanges *ranges, const Rows *rows, const uint32 *which, const uint32 *of, int n)
{
	int	   begin[RANGES_MOST + 1] = {0};
	uint32 grouped[DIVIDED];

	for (int i = 0; i < n; i++)
		begin[of[i] + 1]++;
	for (int r = 0; r < ranges->ranges; r++)
		begin[r + 1] += begin[r];
	for (int i = 0; i < n; i++)
		grouped[begin[of[i]]++] = which[i];
	/* begin[r] is where range r ends now */
	for (int r = 0, at = 0; r < ranges->ranges; at = begin[r++])
		if (begin[r] > at)
			range_append_rows(ranges, &ranges->range[r], rows, grouped + at, begin[r] - at);
}

/* Divides n rows from row `from` on; those that stay become the rows from end->n on. */
static void
divide_some(SpilledRanges *ranges, Rows *rows, int64 from, int n, RowsEnd *end)
{
	const Splitters *splitters = &ranges->splitters;
	uint32			 staying = (uint32) ranges->staying;
	uint64			 limit = staying > 0 ? splitters->number[staying - 1] : 0;
	uint64			 number[DIVIDED];
	uint32			 stay[DIVIDED], leave[DIVIDED], of[DIVIDED];
	int				 stays = 0, leaves = 0;

	splitters_numbers(splitters, rows, from, n, number);
	for (int i = 0; i < n; i++)
	{
		bool stay_here = number[i] < limit;

		if (unlikely(number[i] == limit))
			stay_here = splitters_range_of(splitters, rows, from + i, limit) < staying;
		stay[stays] = leave[leaves] = (uint32) (from + i);
		stays += stay_here;
		leaves += !stay_here;
	}
	for (int i = 0; i < leaves; i++)
		of[i] = splitters_range_of(splitters, rows, leave[i], number[leave[i] - from]);
	spill_rows(ranges, rows, leave, of, leaves);
	rows_keep(rows, end, stay, stays);
}

/* Divides the rows that have not been put. */
static void
divide_rows(SpilledRanges *ranges, Rows *rows)
{
	RowsEnd end = ranges->put;

	for (int64 from = end.n; from < rows->n; from += DIVIDED)
	{
		CHECK_FOR_INTERRUPTS();
		divide_some(ranges, rows, from, (int) Min(rows->n - from, DIVIDED), &end);
	}
	rows_truncate(rows, end.n, end.arena_used);
	ranges->put = end;
}

void
spilled_ranges_put(SpilledRanges *ranges, Rows *rows, bool full)
{
	if (ranges->staying > 0 && holds_memory(ranges, rows))
		keep_share(ranges, -1);
	divide_rows(ranges, rows);
	while (full && ranges->staying > 0 &&
		   rows->n * (rows_row_bytes(rows) + ranges->sort_bytes) + rows->arena.used > guc_budget())
	{
		keep_share(ranges, STAYING_LESS * ranges->range[ranges->staying - 1].share);
		divide_rows(ranges, rows);
	}
}

bool
spilled_ranges_due(const SpilledRanges *ranges, const Rows *rows)
{
	return rows->n - ranges->put.n >= DUE_ROWS;
}

int64
spilled_ranges_finish(SpilledRanges *ranges)
{
	for (int r = 0; r < ranges->ranges; r++)
	{
		Range *range = &ranges->range[r];

		if (range->staged == NULL)
			continue;
		if (range->staged->n > 0)
			write_staged(ranges, range);
		rows_free(range->staged);
		range->staged = NULL;
	}
	return ranges->written;
}

/* ---- reading them ---- */

static void
close_file(Range *range)
{
	if (range->file != NULL)
		BufFileClose(range->file);
	range->file = NULL;
	range->rows = 0;
}

bool
spilled_ranges_next(SpilledRanges *ranges)
{
	Size bytes = 0;

	ranges->next = ranges->stop;
	while (ranges->next < ranges->ranges && ranges->range[ranges->next].rows == 0)
		ranges->next++;
	for (ranges->stop = ranges->next; ranges->stop < ranges->ranges; ranges->stop++)
	{
		const Range *range = &ranges->range[ranges->stop];

		/* a byte more: a column may have got NULLs */
		bytes += (Size) (range->rows * (ranges->row_bytes + ranges->sort_bytes + 1)) + range->arena;
		if (bytes > guc_budget() && ranges->stop > ranges->next)
			break;
		if (range->file != NULL)
			spill_seek(range->file, 0, 0);
	}
	return ranges->next < ranges->ranges;
}

bool
spilled_ranges_append(void *arg, Rows *rows)
{
	SpilledRanges *ranges = (SpilledRanges *) arg;
	int64		   before = rows->n;

	CHECK_FOR_INTERRUPTS();
	while (ranges->next < ranges->stop && ranges->range[ranges->next].rows == 0)
		close_file(&ranges->range[ranges->next++]);
	if (ranges->next == ranges->stop)
		return false;
	spill_read_rows(ranges->range[ranges->next].file, rows);
	ranges->range[ranges->next].rows -= rows->n - before;
	return true;
}

void
spilled_ranges_free(SpilledRanges *ranges)
{
	for (int r = 0; r < ranges->ranges; r++)
		close_file(&ranges->range[r]);
	MemoryContextDelete(ranges->memory);
}

/*
 * sorted_input.c: sorts input of PrefixScan that is not in window order.
 *
 * block_reader.c calls it before the first block, and shared_input.c for each batch.  All rows are pulled into columns
 * in memory, and row numbers are sorted.  Rows that do not fit in scan.work_mem are divided by their partition keys:
 * those of the first ranges stay, and block_reader.c asks for the later ones when they have been emitted
 * (spilled_ranges.c).  Where keys cannot divide them, rows are sorted in parts, which go to disk (sort/runs.c) and come
 * back merged, as from a child that is in order.  Rows that are equal in all keys keep the order of the input, in
 * memory and on disk.  Where only the first rows of each partition are wanted, filter.c finds the rows that are not.
 *
 * Rows that are in order by the first keys are pulled and sorted in chunks (presorted.c).  A chunk that does not fit in
 * memory is sorted in parts.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "guc.h"
#include "node/input/sorting.h"
#include "run/run.h"
#include "sort/files.h"
#include "sort/key.h"
#include "sort/normalize.h"

void
sorted_begin(Sorted *sorted, Pull *pull, WindowKeys *keys, RowColumn *column, TopRows top, SortedOffer offer,
			 InputStatistics *statistics)
{
	*sorted = (Sorted){.pull = pull,
					   .keys = keys,
					   .column = column,
					   .columns = pull->columns,
					   .top = top,
					   .offer = offer,
					   .statistics = statistics,
					   .memory = CurrentMemoryContext,
					   .sort_column = (SortColumn *) palloc(Max(keys->n, 1) * sizeof(SortColumn))};
	pull->is_key = (bool *) palloc0(Max(pull->columns, 1) * sizeof(bool));
	for (int k = 0; k < keys->n; k++)
		pull->is_key[keys->key[k].column] = true;
}

void
sorted_expect_order(Sorted *sorted, int prefix)
{
	presorted_begin(&sorted->presorted, sorted->pull, sorted->keys, prefix);
	sorted->streams = prefix > sorted->keys->partition;
}

/* Returns the rows that the filter may keep from memory: it is too slow to set up for each chunk. */
static TopRows
filtered_top(const Sorted *sorted)
{
	return sorted->presorted.prefix > 0 ? (TopRows){0} : sorted->top;
}

/* ---- in memory ---- */

/* Blocks of rows that were sorted in memory may take at least this part of scan.work_mem. */
#define BLOCK_PART 16

/* True if key k's column is another key, too: a stage of the sort may end between the two keys. */
static bool
is_key_twice(const Sorted *sorted, int k)
{
	for (int other = 0; other < sorted->keys->n; other++)
		if (other != k && sorted->keys->key[other].column == sorted->keys->key[k].column)
			return true;
	return false;
}

/*
 * Lays wanted keys apart from other columns where they can be recomputed from sorted words: such a key need not be
 * gathered, and its column need not be kept once the words have it.
 */
static void
lay_keys_apart(const Sorted *sorted)
{
	bool	numbers = sorted->top.limit == 0; /* the rows that filter.c keeps are copied with their keys */
	TopRows top = filtered_top(sorted);
	bool	joined = filter_replaces(sorted->keys, &top, sorted->pull->child->plan->plan_rows);

	for (int k = 0; k < sorted->keys->n; k++)
		numbers = numbers && normalized_kind(&sorted->keys->key[k].order) != PACK_NULLS;
	for (int k = 0; k < sorted->keys->n; k++)
	{
		RowColumn *column = &sorted->column[sorted->keys->key[k].column];

		column->joined = joined;
		column->apart = numbers && column->wanted && !column->constant && !is_key_twice(sorted, k) &&
						pack_is_exact(normalized_kind(&sorted->keys->key[k].order));
	}
}

/*
 * Fills in the sort's columns.  With `expendable`, the sort may drop columns that are not wanted, or that can be
 * recomputed.  Returns how many bytes a row the sort takes beside the columns.
 */
static double
sort_columns(const Sorted *sorted, bool expendable)
{
	for (int k = 0; k < sorted->keys->n; k++)
	{
		const WindowKey *key = &sorted->keys->key[k];
		const RowColumn *from = &sorted->all->column[key->column];

		sorted->sort_column[k] = (SortColumn){.data = &from->data,
											  .order = key->order,
											  .expendable = expendable && !from->beside &&
															(!from->wanted || from->apart) && !is_key_twice(sorted, k),
											  .restored = from->apart,
											  .restored_as = key->column};
	}
	return sort_row_bytes(sorted->sort_column, sorted->keys->n);
}

/* Returns the bytes of the rows, as far as memory has been written to, and of their sort. */
static Size
sorted_size(const Rows *all, double sort_bytes)
{
	return (Size) (all->n * (rows_row_bytes(all) + sort_bytes)) + all->arena.used;
}

/* Notes how many bytes the rows in memory and their sort take now. */
static void
note_bytes(Sorted *sorted, Size bytes)
{
	sorted->bytes = bytes;
	sorted->statistics->peak_bytes = Max(sorted->statistics->peak_bytes, bytes);
}

/* Sorts the rows in memory.  `last`: blocks are gathered from them; else they are written or copied in their order. */
static void
sort_in_memory(Sorted *sorted, double sort_bytes, bool last)
{
	Rows		  *all = sorted->all;
	SortRequest	   request = {.columns = sorted->keys->n,
							  .column = sorted->sort_column,
							  .partition = sorted->keys->partition,
							  .n = all->n,
							  .pool = all->arrays,
							  .sorter = &scan_word_sorter,
							  .keeps_words = last && !sorted->is_range};
	InstrumentStep step;

	note_bytes(sorted, sorted_size(all, sort_bytes));
	step = instrument_begin(sorted->statistics->instrument);
	if (last && sorted->top.limit == 0 && !sorted->is_range)
		request.scans = sorted->offer.offer(sorted->offer.functions, guc_budget() - Min(guc_budget(), sorted->bytes));
	sort_rows(&request, &sorted->order);
	if (request.scans != NULL)
		note_bytes(sorted, sorted->bytes + sorted->offer.take(sorted->offer.functions, true));
	if (sorted->top.limit > 0)
		filter_order(&sorted->top, &sorted->order);
	sorted->statistics->left_out += all->n - sorted->order.n;
	instrument_end(sorted->statistics->instrument, &step, TIME_SORT);
}

/* Does what is left of the sort if the rows of a range came in order. */
static void
sorted_finish_order(Sorted *sorted)
{
	InstrumentStep step = instrument_begin(sorted->statistics->instrument);

	note_bytes(sorted, sorted_size(sorted->all, sort_columns(sorted, false)));
	order_of_ordered_rows(sorted->keys, sorted->all, &sorted->order);
	instrument_end(sorted->statistics->instrument, &step, TIME_SORT);
}

/* ---- on disk ---- */

/* Writes the sorted rows in memory to disk, as a run. */
static void
spill_sorted_rows(Sorted *sorted)
{
	InstrumentStep step = instrument_begin(sorted->statistics->instrument);

	if (sorted->runs == NULL)
	{
		window_keys_prepare(sorted->keys);
		sorted->runs = runs_create(sorted->memory, sorted->column, sorted->columns, sorted->keys->compare,
								   sorted->keys->n, guc_budget());
	}
	runs_write(sorted->runs, sorted->all, &sorted->order);
	instrument_end(sorted->statistics->instrument, &step, TIME_SORT);
	sort_order_free(&sorted->order, sorted->all->arrays);
	rows_reset(sorted->all);
}

/* ---- pulling ---- */

Rows *
sorted_rows(Sorted *sorted)
{
	lay_keys_apart(sorted);
	return rows_create(sorted->memory, sorted->column, sorted->columns, ROWS_BY_ROW);
}

/* Filters the rows of a batch, or of the child if there is none. */
static Filter *
filter_of(Sorted *sorted, const RowSource *batch)
{
	return filter_create(sorted->keys, filtered_top(sorted), batch != NULL ? *batch : pull_source(sorted->pull),
						 sorted->all, sorted->pull->child->plan->plan_rows, sorted->memory);
}

/* Pulls some rows; false: there are no more. */
static bool
pull_some(Sorted *sorted, Filter *filter)
{
	return filter_pull(filter, &sorted->all, &sorted->statistics->left_out);
}

/* Returns the most bytes that filtered rows take: while they are sorted, or while the wanted ones are copied. */
static Size
bytes_needed(const Sorted *sorted, double sort_bytes)
{
	const Rows *all = sorted->all;
	Size		copy_bytes = sizeof(uint32) + rows_row_bytes(all) / 2; /* half of the rows at most */

	return sorted_size(all, Max(sort_bytes, copy_bytes)) + all->arena.used / 2;
}

/*
 * Sorts the rows in memory.  If at most half of them are wanted, the others are dropped.  Else the wanted rows go to
 * disk if memory is `full`, and all rows stay if it is not.
 */
static void
sorted_make_room(Sorted *sorted, Filter *filter, bool full)
{
	double sort_bytes;

	filter_settle(filter, &sorted->all);
	sort_bytes = sort_columns(sorted, false);
	sort_in_memory(sorted, sort_bytes, false);
	if (filter_keep(filter, &sorted->all, &sorted->order))
		return;
	if (full)
	{
		spill_sorted_rows(sorted);
		filter_forget(filter);
		return;
	}
	/* all rows stay, and will be sorted again */
	sorted->statistics->left_out -= sorted->all->n - sorted->order.n;
	sort_order_free(&sorted->order, sorted->all->arrays);
}

/* ---- ranges ---- */

/* Rows are not filtered in memory, but divided, where the wanted ones are more than one of so many. */
#define FEW_WANTED 4

/* True if rows beyond memory are divided into ranges, of which the later ones go to disk. */
static bool
may_divide(const Sorted *sorted, const Filter *filter, bool is_batch)
{
	if (sorted->is_range || !spilled_ranges_suit(sorted->keys))
		return false;
	if (!filter_drops(filter))
		return true;
	return !is_batch &&
		   (double) sorted->top.limit * sorted->top.partitions * FEW_WANTED > sorted->pull->child->plan->plan_rows;
}

/* Has the rows in memory divided, if they have not been. */
static void
begin_ranges(Sorted *sorted, Filter *filter, double expected_rows, double sort_bytes)
{
	InstrumentStep step = instrument_begin(sorted->statistics->instrument);

	filter_expect_more(filter, &sorted->all, &sorted->statistics->left_out);
	window_keys_prepare(sorted->keys);
	sorted->later = spilled_ranges_create(sorted->memory, sorted->keys, sorted->all, expected_rows, sort_bytes);
	instrument_end(sorted->statistics->instrument, &step, TIME_SORT);
}

/* Moves rows in memory that are of later ranges to disk. */
static void
put_later(Sorted *sorted, double sort_bytes, bool full)
{
	InstrumentStep step = instrument_begin(sorted->statistics->instrument);

	note_bytes(sorted, sorted_size(sorted->all, sort_bytes));
	spilled_ranges_put(sorted->later, sorted->all, full);
	instrument_end(sorted->statistics->instrument, &step, TIME_SORT);
}

/* ---- all of it ---- */

/*
 * Pulls all rows of the input, and makes room whenever they do not fit in memory.  `expected_rows`: 0 if they are
 * expected to fit.
 */
static void
pull_all_rows(Sorted *sorted, Filter *filter, bool divides, double expected_rows)
{
	Size   budget = guc_budget();
	double least_bytes = sort_columns(sorted, true);
	double sort_bytes = sort_columns(sorted, false);
	bool   filters = filter_drops(filter) && !divides && expected_rows > 0;
	bool   fits = !filters && !sorted->streams && expected_rows * (rows_row_bytes(sorted->all) + least_bytes) <= budget;

	/*
	 * Rows that go to runs need their keys.  So dropping keys makes room for more rows only where all rows are expected
	 * to fit in memory without them, or have been divided.
	 */
	while (pull_some(sorted, filter))
	{
		double bytes = fits || (divides && sorted->later != NULL) ? least_bytes : sort_bytes;
		Size   needed = filters ? bytes_needed(sorted, bytes) : sorted_size(sorted->all, bytes);
		bool   full = needed + filter_bytes(filter) > budget || sorted->all->n > PG_UINT32_MAX - CHILD_ROWS_MOST;

		/* a range is one block, whatever it takes */
		if (sorted->is_range && sorted->all->n > PG_UINT32_MAX - CHILD_ROWS_MOST)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("too many rows are equal in all columns of PARTITION BY and ORDER BY"),
							errhint("SET scan.parallel = off to run the query in one process.")));
		full = full && !sorted->is_range;
		if (full && divides && sorted->later == NULL)
		{
			begin_ranges(sorted, filter, expected_rows, least_bytes);
			divides = sorted->later != NULL;
			filters = filter_drops(filter) && !divides;
		}
		fits = fits && !full;
		if (divides)
		{
			if (full || (sorted->later != NULL && spilled_ranges_due(sorted->later, sorted->all)))
				put_later(sorted, least_bytes, full);
		}
		else if (full || filter_is_due(filter, sorted->all))
			sorted_make_room(sorted, filter, full);
	}
	sorted->statistics->peak_bytes = Max(sorted->statistics->peak_bytes,
										 sorted_size(sorted->all, 0) + filter_bytes(filter));
	filter_settle(filter, &sorted->all);
	if (divides && sorted->later != NULL)
	{
		put_later(sorted, least_bytes, false);
		sorted->statistics->spilled += spilled_ranges_finish(sorted->later);
	}
}

/* Sorts the rows that have been pulled: those in memory, or the last ones of the runs. */
static void
sort_pulled(Sorted *sorted)
{
	double sort_bytes = sort_columns(sorted, false);

	if (sorted->runs == NULL)
	{
		/* keys are dropped only where memory is short: the next query would have to touch freed memory anew */
		bool expendable = !sorted->is_range && !sorted->streams && sorted_size(sorted->all, sort_bytes) > guc_budget();

		sort_bytes = sort_columns(sorted, expendable);
		sort_in_memory(sorted, sort_bytes, !sorted->streams);
	}
	else
	{
		if (sorted->all->n > 0)
		{
			sort_in_memory(sorted, sort_bytes, false);
			spill_sorted_rows(sorted);
		}
		rows_free(sorted->all);
		sorted->all = NULL;
		sorted->statistics->spilled += runs_written(sorted->runs);
	}
}

/* Begins with no rows. */
static Filter *
begin_input(Sorted *sorted, const RowSource *batch, bool is_range)
{
	if (sorted->order.unpack == NULL)
		sorted->order.unpack = (Unpack *) MemoryContextAllocZero(sorted->memory,
																 Max(sorted->columns, 1) * sizeof(Unpack));
	sorted->is_range = is_range;
	sorted->all = sorted_rows(sorted);
	/* rows that would grow would be copied to larger and larger memory, new to the process each time */
	if (batch != NULL && sorted->top.limit == 0)
		rows_reserve(sorted->all, Min(batch->rows, (int64) (guc_budget() / rows_row_bytes(sorted->all))));
	return filter_of(sorted, batch);
}

void
sorted_input(Sorted *sorted, const RowSource *batch, bool is_range)
{
	Filter *filter = begin_input(sorted, batch, is_range);

	pull_all_rows(sorted, filter, may_divide(sorted, filter, batch != NULL), sorted->pull->child->plan->plan_rows);
	filter_free(filter);
	if (batch != NULL && batch->in_order)
		sorted_finish_order(sorted);
	else
		sort_pulled(sorted);
}

bool
sorted_next(Sorted *sorted)
{
	bool	  presorted = sorted->presorted.prefix > 0;
	RowSource source = {.append = spilled_ranges_append, .arg = sorted->later};
	Filter	 *filter;

	if (presorted ? !presorted_next(&sorted->presorted) : sorted->later == NULL || !spilled_ranges_next(sorted->later))
		return false;
	if (presorted)
		source = presorted_rows(&sorted->presorted);
	filter = begin_input(sorted, &source, false);
	pull_all_rows(sorted, filter, false, 0);
	filter_free(filter);
	sort_pulled(sorted);
	return true;
}

/* ---- some of it ---- */

void
sorted_first_rows(Sorted *sorted, Size budget, Repartition *repartition)
{
	Filter *filter;
	double	sort_bytes;

	sorted->all = sorted_rows(sorted);
	filter = filter_of(sorted, NULL);
	sort_bytes = sort_columns(sorted, false);
	while (pull_some(sorted, filter))
	{
		if (bytes_needed(sorted, sort_bytes) + filter_bytes(filter) > budget)
		{
			repartition_rows(repartition, sorted->all);
			rows_reset(sorted->all);
			filter_forget(filter);
		}
		else if (filter_is_due(filter, sorted->all))
			sorted_make_room(sorted, filter, false);
	}
	filter_free(filter);
	repartition_rows(repartition, sorted->all);
	rows_free(sorted->all);
	sorted->all = NULL;
}

Size
sorted_memory_left(const Sorted *sorted)
{
	Size budget = guc_budget();

	return Max(budget / BLOCK_PART, budget - Min(budget, sorted->bytes));
}

void
sorted_forget(Sorted *sorted)
{
	if (sorted->all != NULL)
	{
		(void) sorted->offer.take(sorted->offer.functions, false);
		rows_free(sorted->all); /* and, with its pool, the order and its boundaries */
	}
	if (sorted->runs != NULL)
		runs_free(sorted->runs);
	sorted->all = NULL;
	sorted->runs = NULL;
}

void
sorted_rewind(Sorted *sorted)
{
	sorted_forget(sorted);
	if (sorted->later != NULL)
		spilled_ranges_free(sorted->later);
	sorted->later = NULL;
	sorted->streamed = 0;
	presorted_rewind(&sorted->presorted);
}

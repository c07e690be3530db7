/*
 * splitters.c: divides rows into ranges of the window order at some of the rows, the splitters.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "node/input/sorting.h"
#include "run/run.h"
#include "sort/key.h"
#include "sort/normalize.h"
#include "sort/order.h"

/* Bits of the first key up to which the second one is looked at: its number has the others. */
#define FIRST_KEY_BITS 32

/* Returns the rows in window order. */
static const uint32 *
window_order_of_rows(const WindowKeys *keys, Rows *rows)
{
	SortColumn *column = (SortColumn *) palloc(keys->n * sizeof(SortColumn));
	SortRequest request = {
		.columns = keys->n, .column = column, .n = rows->n, .pool = rows->arrays, .sorter = &scan_word_sorter};
	SortOrder order = {0};

	for (int k = 0; k < keys->n; k++)
		column[k] = (SortColumn){.data = &rows->column[keys->key[k].column].data, .order = keys->key[k].order};
	sort_rows(&request, &order);
	pfree(column);
	return order.rows;
}

/*
 * Finds the numbers of the samples' first keys, and if the second keys are to be told by the numbers, too: where first
 * keys are few, as in PARTITION BY flag ORDER BY at, most rows would have to be compared otherwise.
 */
static void
find_numbers(Splitters *splitters, const Rows *samples)
{
	const WindowKeys *keys = splitters->keys;
	uint64			 *number = (uint64 *) palloc(Max(samples->n, 1) * sizeof(uint64));
	const Column	 *column = &samples->column[keys->key[0].column].data;
	PackKind		  kind = normalized_kind(&keys->key[0].order);
	int				  bits;

	splitters->tells = kind != PACK_NULLS;
	splitters->least = PG_UINT64_MAX;
	splitters->most = splitters->bits = 0;
	number_rows(keys, 0, samples, 0, samples->n, number);
	for (int64 i = 0; i < samples->n; i++)
		if (!column_is_null(column, i))
		{
			splitters->least = Min(splitters->least, number[i]);
			splitters->most = Max(splitters->most, number[i]);
		}
	pfree(number);
	if (splitters->compared < 2 || !pack_is_exact(kind) || splitters->least >= splitters->most)
		return;
	bits = pg_leftmost_one_pos64(splitters->most - splitters->least) + 1;
	if (bits <= FIRST_KEY_BITS && normalized_kind(&keys->key[1].order) != PACK_NULLS)
		splitters->bits = bits;
}

/* Fills in the slots. */
static void
fill_slots(Splitters *splitters)
{
	const uint64 *number = splitters->number;
	int			  n = (int) splitters->rows->n;
	int			  s = 0;

	splitters->shift = 0;
	while (n > 0 && (number[n - 1] - number[0]) >> splitters->shift >= SPLITTER_SLOTS)
		splitters->shift++;
	for (int slot = 0; slot <= SPLITTER_SLOTS; slot++)
	{
		while (s < n && (int) ((number[s] - number[0]) >> splitters->shift) < slot)
			s++;
		splitters->slot[slot] = s;
	}
}

void
splitters_find(Splitters *splitters, Rows *samples, int ranges)
{
	const uint32 *order = window_order_of_rows(splitters->keys, samples);

	for (int r = 1; r < ranges && samples->n > 0; r++)
		rows_append_row(splitters->rows, samples, order[r * samples->n / ranges]);
	find_numbers(splitters, samples);
	splitters->number = (uint64 *) palloc(ranges * sizeof(uint64));
	splitters_numbers(splitters, splitters->rows, 0, splitters->rows->n, splitters->number);
	fill_slots(splitters);
}

void
splitters_drop_equal(Splitters *splitters)
{
	Rows *found = splitters->rows;
	int	  n = 0;

	splitters->rows = rows_create_like(found);
	for (int64 r = 0; r < found->n; r++)
		if (n == 0 ||
			compare_rows(splitters->keys->compare, splitters->compared, splitters->rows, n - 1, found, r) != 0)
		{
			rows_append_row(splitters->rows, found, r);
			splitters->number[n++] = splitters->number[r];
		}
	rows_free(found);
	fill_slots(splitters);
}

/* Returns how many of n ascending numbers are less than x.  No branch depends on the numbers. */
static inline int
count_less(const uint64 *number, int n, uint64 x)
{
	const uint64 *at = number;

	while (n > 1)
	{
		int half = n / 2;

		at += (at[half - 1] < x) * half;
		n -= half;
	}
	return (int) (at - number) + (n == 1 && *at < x);
}

/* Returns how many splitters have a number less than x. */
static inline int
splitters_before(const Splitters *splitters, uint64 x)
{
	const uint64 *number = splitters->number;
	int			  n = (int) splitters->rows->n;
	const int	 *slot;

	if (n == 0 || x <= number[0])
		return 0;
	if (x > number[n - 1])
		return n;
	slot = &splitters->slot[(x - number[0]) >> splitters->shift];
	return slot[0] + count_less(number + slot[0], slot[1] - slot[0], x);
}

/* Puts the number of the second key behind that of the first one, for at most SPLITTERS_ROWS rows. */
static void
append_second_key(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint64 *number)
{
	const Column *column = &rows->column[splitters->keys->key[0].column].data;
	uint64		  second[SPLITTERS_ROWS];
	int			  bits = splitters->bits;

	number_rows(splitters->keys, 1, rows, from, n, second);
	for (int64 i = 0; i < n; i++)
	{
		if (column_is_null(column, from + i))
			continue; /* it has one of both extreme numbers */
		number[i] = number[i] < splitters->least  ? 0
					: number[i] > splitters->most ? PG_UINT64_MAX
												  : (number[i] - splitters->least) << (64 - bits) | second[i] >> bits;
	}
}

void
splitters_numbers(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint64 *number)
{
	number_rows(splitters->keys, 0, rows, from, n, number);
	for (int64 i = 0; i < n && splitters->bits > 0; i += SPLITTERS_ROWS)
		append_second_key(splitters, rows, from + i, Min(n - i, SPLITTERS_ROWS), number + i);
}

uint32
splitters_range_of(const Splitters *splitters, const Rows *rows, int64 row, uint64 number)
{
	int	 n = (int) splitters->rows->n;
	int	 range = splitters_before(splitters, number), end;
	bool told = splitters->compared == 1 && splitters->tells && number != 0 && number != PG_UINT64_MAX;

	if (range == n || splitters->number[range] != number)
		return (uint32) range;
	/* equal numbers are equal keys, except that NULL has one of both extreme numbers, too */
	end = number == PG_UINT64_MAX ? n : splitters_before(splitters, number + 1);
	while (range < end && !told)
	{
		int middle = (range + end) / 2;

		if (compare_rows(splitters->keys->compare, splitters->compared, splitters->rows, middle, rows, row) <= 0)
			range = middle + 1;
		else
			end = middle;
	}
	return (uint32) end;
}

void
splitters_ranges(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint32 *to)
{
	uint64 number[SPLITTERS_ROWS];

	splitters_numbers(splitters, rows, from, n, number);
	for (int64 i = 0; i < n; i++)
		to[i] = splitters_range_of(splitters, rows, from + i, number[i]);
}

void
splitters_free(Splitters *splitters)
{
	pfree(splitters->number);
	rows_free(splitters->rows);
}

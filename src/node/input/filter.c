/*
 * filter.c: drops rows that are not wanted while they come in.
 *
 * sorted.c pulls its rows through here.  Where a condition lets only the first rows of each partition pass, first_row.c
 * or top_rows.c knows which rows cannot be among them; else all rows go through.
 */
#include "postgres.h"

#include "node/input/filter.h"

Filter
filter_create(WindowKeys *keys, TopRows wanted, RowSource source, const Rows *rows, double expected,
			  MemoryContext parent)
{
	Filter filter = {.source = source};

	if (wanted.limit == 0)
		return filter;
	window_keys_prepare(keys);
	filter.top = top_create(keys, wanted, parent);
	if (wanted.limit == 1 && wanted.unit == TOP_ROWS && first_row_suits(wanted.partitions, expected))
		filter.first = first_row_create(keys, wanted.partitions, parent);
	filter.unfiltered = rows_create_like(rows);
	return filter;
}

void
filter_free(Filter *filter)
{
	if (filter->top == NULL)
		return;
	top_free(filter->top);
	if (filter->first != NULL)
		first_row_free(filter->first);
	rows_free(filter->unfiltered);
}

void
filter_settle(Filter *filter, Rows **rows)
{
	if (filter->first != NULL)
		first_row_settle(filter->first, rows);
}

void
filter_forget(Filter *filter)
{
	if (filter->top != NULL)
		top_forget(filter->top);
	if (filter->first != NULL)
		first_row_forget(filter->first);
}

void
filter_expect_more(Filter *filter, Rows **rows)
{
	filter_settle(filter, rows);
	filter_forget(filter);
	if (filter->first != NULL)
		first_row_free(filter->first);
	filter->first = NULL;
}

bool
filter_is_due(const Filter *filter, const Rows *rows)
{
	return filter->top != NULL && filter->first == NULL && rows->n >= top_due(filter->top);
}

/* Appends some rows of the input; false: there are none. */
static bool
append_some(const Filter *filter, Rows *rows)
{
	return filter->source.append(filter->source.arg, rows);
}

bool
filter_pull(Filter *filter, Rows **rows, int64 *left_out)
{
	int64 kept;

	if (filter->first != NULL && !first_row_pays(filter->first))
		filter_expect_more(filter, rows);
	if (filter->first == NULL && (filter->top == NULL || !top_filters(filter->top)))
		return append_some(filter, *rows);
	rows_reset(filter->unfiltered);
	if (!append_some(filter, filter->unfiltered))
		return false;
	kept = filter->first != NULL ? first_row_append(filter->first, rows, filter->unfiltered)
								 : top_append(filter->top, *rows, filter->unfiltered);
	*left_out += filter->unfiltered->n - kept;
	return true;
}

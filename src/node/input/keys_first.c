/*
 * keys_first.c: reads the keys of a page's rows, and then the rows that are kept.
 *
 * Where a caller keeps few rows, and knows which by their keys, it looks at the keys of a page's rows first, and takes
 * all columns of those that it keeps.  Of ten rows of a partition in random order first_rows.c keeps about three, and
 * of a thousand seven or eight.  A query of 1,000 partitions that returned nine columns, one of them numeric, took 2.4
 * times as long without.  While such rows are looked up, the scan goes on to the next page, so that its tuples come to
 * the processor's cache meanwhile; the page that rows are taken from is pinned here until then.
 *
 * A scan with conditions, a scan of an index, and one with anything but columns and constants in its target list are
 * not read so: for each row core is asked to compute something.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"

#include "node/input/sources.h"

bool
pages_may_look(Pages *pages, const bool *is_key)
{
	if (pages_are_of_index(pages) || pages->projection != NULL || pages->child->ps.qual != NULL)
		return false;
	pages->is_key = is_key;
	pages->last_key = 0;
	for (int c = 0; c < pages->columns; c++)
	{
		if (!is_key[c])
			continue;
		if (pages->origin[c].attno == 0 || pages->offset[c] < 0)
			return false;
		pages->last_key = Max(pages->last_key, pages->origin[c].attno);
	}
	return true;
}

/* True if the first columns of a tuple, up to the last key, have no NULL. */
static inline bool
has_keys(const HeapTupleHeaderData *tuple, AttrNumber last)
{
	if (HeapTupleHeaderGetNatts(tuple) < last)
		return false;
	for (int a = 0; a < last && (tuple->t_infomask & HEAP_HASNULL); a++)
		if (att_isnull(a, tuple->t_bits))
			return false;
	return true;
}

void
pages_ahead(Pages *pages)
{
	CHECK_FOR_INTERRUPTS();
	if (pages->page.next >= pages->page.end)
		(void) pages_next(pages);
}

/* Looks at the tuples of the current page. */
static int64
look_at_page(Pages *pages, Rows *rows, int64 limit)
{
	HeapPage   *page = &pages->page;
	HeldPage   *held = &pages->held;
	Page		content = BufferGetPage(page->buffer);
	const char *data[MaxHeapTuplesPerPage];
	int64		at = rows->n;
	int			n = 0;

	for (limit = Min(limit, page->end - page->next); n < limit; n++)
	{
		HeapTupleHeader tuple;

		held->line[n] = page->line[page->next + n];
		tuple = pages_tuple(content, held->line[n]);
		pages_prefetch_behind(tuple);
		if (!has_keys(tuple, pages->last_key))
			break;
		data[n] = (const char *) tuple + tuple->t_hoff;
	}
	if (n == 0)
		return -1;
	rows_reserve(rows, at + n);
	for (int c = 0; c < pages->columns; c++)
		if (pages->is_key[c])
			rows_fetch(rows, c, at, data, n, pages->offset[c]);
	rows->n += n;
	page->next += n;
	held->n = n;
	held->buffer = page->buffer;
	held->block = page->block;
	IncrBufferRefCount(held->buffer);
	return n;
}

int64
pages_look(Pages *pages, Rows *rows, int64 limit)
{
	CHECK_FOR_INTERRUPTS();
	pages_release_held(pages);
	if (pages->page.next >= pages->page.end && !pages_next(pages))
		return pages_end(pages);
	return look_at_page(pages, rows, limit);
}

void
pages_take(Pages *pages, Rows *rows, const uint32 *which, int64 n)
{
	const HeldPage *held = &pages->held;
	Page			content = BufferGetPage(held->buffer);
	const char	   *data[MaxHeapTuplesPerPage];
	int				plain = 0;

	for (int64 i = 0; i < n; i++)
	{
		OffsetNumber	line = held->line[which[i]];
		HeapTupleHeader tuple = pages_tuple(content, line);

		Assert(which[i] < (uint32) held->n);
		if (pages->fixed && pages_is_plain(pages, tuple))
		{
			data[plain++] = (const char *) tuple + tuple->t_hoff;
			continue;
		}
		pages_append_plain(pages, rows, data, plain);
		plain = 0;
		pages_append_slot(rows, pages_store_tuple(pages, held->buffer, held->block, line), pages->origin,
						  pages->columns, pages->last_attno);
	}
	pages_append_plain(pages, rows, data, plain);
}

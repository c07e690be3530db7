/*
 * pages.c: reads the rows of a table a page at a time, without the executor in between.
 *
 * pull.c uses it where the child is a plain sequential scan of a heap, an index scan (index_pages.c), or an index-only
 * scan (index_tuples.c), whose rows are the tuples of the index.  A third of a query's time in the node went into
 * asking the scan for one row after the other, and in core into deforming every tuple, wanted or not.  So this file
 * reads the rest of the page that core has just opened.  Core's heap_getnextslot() finds the next page with a visible
 * tuple.  Visibility, pruning, predicate locks, synchronised scans and read-ahead stay with core, which does all this
 * for the whole page at once.  It leaves the page pinned, with a list of its visible tuples.  This file takes these
 * tuples, tells the scan that it has returned them all, and asks for the next page.
 *
 * Columns at an offset that is the same in every tuple are copied from there, column by column.  If the scan has
 * conditions or some wanted column has no such offset, and for tuples with NULLs or from before a column was added,
 * rows go through core's slot, one at a time.  If the scan's target list has anything but columns and constants, core's
 * projection computes it, as it does whether the columns are wanted or not.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/tupmacs.h"
#include "executor/executor.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "node/input/sources.h"

/* No more rows are returned at a time once their values take so many bytes in the arena. */
#define PULL_BYTES (128 * 1024)

/* ---- setting up ---- */

/* Returns the offset of a column in tuples without NULLs; -1: it depends on the values of columns before it. */
static int
fixed_offset(TupleDesc desc, AttrNumber attno)
{
	int offset = 0;

	for (int a = 0;; a++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, a);
		int				  aligned = att_align_nominal(offset, attribute->attalign);

		/* a varlena with a short header is not aligned: its offset is only fixed where alignment adds nothing */
		if (attribute->attlen == -1 && aligned != offset)
			return -1;
		if (a == attno - 1)
			return aligned;
		if (attribute->attlen < 0)
			return -1;
		offset = aligned + attribute->attlen;
	}
}

/* Finds the offsets of the wanted columns; returns false if one of them varies. */
static bool
find_offsets(Pages *pages, TupleDesc desc)
{
	bool fixed = true;

	pages->offset = (int *) palloc0(Max(pages->columns, 1) * sizeof(int));
	for (int c = 0; c < pages->columns; c++)
	{
		AttrNumber attno = pages->origin[c].attno;

		if (attno == 0)
			continue;
		pages->offset[c] = fixed_offset(desc, attno);
		fixed = fixed && pages->offset[c] >= 0;
	}
	return fixed;
}

Pages *
pages_create(PlanState *child, const Origin *origin, int columns)
{
	bool	  is_index = index_pages_suit(child);
	bool	  is_index_only = index_tuples_suit(child);
	Relation  table;
	TupleDesc row;
	Pages	 *pages;

	if ((!IsA(child, SeqScanState) && !is_index && !is_index_only) || child->state->es_epq_active != NULL)
		return NULL;
	table = ((ScanState *) child)->ss_currentRelation;
	if (table->rd_tableam != GetHeapamTableAmRoutine() || !IsMVCCSnapshot(child->state->es_snapshot))
		return NULL;
	pages = (Pages *) palloc(sizeof(Pages));
	*pages = (Pages){.child = (ScanState *) child,
					 .columns = columns,
					 .node_row = origin,
					 .tuple.t_tableOid = RelationGetRelid(table)};
	if (is_index)
	{
		pages->index = (IndexPages *) palloc0(sizeof(IndexPages));
		pages->index->child = (IndexScanState *) child;
		index_pages_rewind(pages->index);
	}
	if (is_index_only)
		pages->tuples = index_tuples_create(child);
	if (origins_are_plain(child->plan->targetlist))
		pages->origin = origins_below(child->plan->targetlist, origin, columns);
	else
	{
		pages->origin = origin;
		pages->projection = child->ps_ProjInfo;
	}
	pages->last_attno = origins_last_attno(pages->origin, columns);
	row = is_index_only ? index_tuples_row(pages->tuples) : RelationGetDescr(table);
	pages->fixed = child->qual == NULL && pages->projection == NULL && row != NULL && find_offsets(pages, row);
	return pages;
}

void
pages_release_held(Pages *pages)
{
	if (BufferIsValid(pages->held.buffer))
		ReleaseBuffer(pages->held.buffer);
	pages->held.buffer = InvalidBuffer;
}

void
pages_rewind(Pages *pages)
{
	pages_release_held(pages);
	pages->page.next = pages->page.end = 0;
	pages->ended = false;
	if (pages->index != NULL)
		index_pages_rewind(pages->index);
	if (pages->tuples != NULL)
		index_tuples_rewind(pages->tuples);
}

int64
pages_end(Pages *pages)
{
	ExecClearTuple(pages->child->ss_ScanTupleSlot);
	return 0;
}

/* ---- pages ---- */

/*
 * Fetches the head and the line pointers of the page behind into the processor's cache, as pages_prefetch_behind() does
 * the tuples.
 */
static pg_attribute_always_inline void
prefetch_head_behind(Page page)
{
	for (int at = 0; at < BLCKSZ / 16; at += CACHE_LINE)
		__builtin_prefetch((const char *) page + BLCKSZ + at);
}

bool
pages_next(Pages *pages)
{
	ScanState	*node = pages->child;
	HeapScanDesc scan = (HeapScanDesc) node->ss_currentScanDesc;

	if (scan == NULL)
	{
		node->ss_currentScanDesc = compat_table_beginscan(node->ss_currentRelation, node->ps.state->es_snapshot);
		scan = (HeapScanDesc) node->ss_currentScanDesc;
	}
	pages->ended = pages->ended ||
				   !heap_getnextslot(node->ss_currentScanDesc, ForwardScanDirection, node->ss_ScanTupleSlot);
	if (pages->ended)
		return false;
	Assert(scan->rs_base.rs_flags & SO_ALLOW_PAGEMODE);
	pages->page = (HeapPage){.buffer = scan->rs_cbuf,
							 .block = scan->rs_cblock,
							 .line = scan->rs_vistuples,
							 .next = scan->rs_cindex,
							 .end = scan->rs_ntuples};
	prefetch_head_behind(BufferGetPage(pages->page.buffer));
	/* as if all of them had been returned: core's next call opens the next page; core has counted the first tuple */
	scan->rs_cindex = scan->rs_ntuples - 1;
	for (int i = pages->page.next + 1; i < pages->page.end; i++)
		pgstat_count_heap_getnext(node->ss_currentRelation);
	return true;
}

/* ---- tuples that are alike ---- */

/* Returns how many tuples from `next` on, at most n, have their columns at the fixed offsets; data[]: their data. */
static int
plain_tuples(const Pages *pages, int n, const char **data)
{
	Page content = BufferGetPage(pages->page.buffer);
	bool ahead = pages->index == NULL;

	for (int i = 0; i < n; i++)
	{
		HeapTupleHeader tuple = pages_tuple(content, pages->page.line[pages->page.next + i]);

		if (ahead)
			pages_prefetch_behind(tuple);
		if (!pages_is_plain(pages, tuple))
			return i;
		data[i] = (const char *) tuple + tuple->t_hoff;
	}
	return n;
}

void
pages_append_plain(const Pages *pages, Rows *rows, const char *const *data, int n)
{
	int64 at = rows->n;

	rows_reserve(rows, at + n);
	for (int c = 0; c < pages->columns; c++)
		if (pages->origin[c].attno > 0)
			rows_fetch(rows, c, at, data, n, pages->offset[c]);
	origins_put_constants(pages->origin, rows, at, n);
	rows->n += n;
}

/* Appends at most n tuples of the page, up to the first that is not plain; returns how many. */
static int
append_plain(Pages *pages, Rows *rows, int n)
{
	const char *data[MaxHeapTuplesPerPage];

	n = pages->tuples != NULL ? index_tuples_plain(pages->tuples, pages->page.next, n, data)
							  : plain_tuples(pages, n, data);
	pages_append_plain(pages, rows, data, n);
	pages->page.next += n;
	return n;
}

/* ---- any tuple ---- */

TupleTableSlot *
pages_store_tuple(Pages *pages, Buffer buffer, BlockNumber block, OffsetNumber line)
{
	Page content = BufferGetPage(buffer);

	pages->tuple.t_data = pages_tuple(content, line);
	pages->tuple.t_len = ItemIdGetLength(PageGetItemId(content, line));
	ItemPointerSet(&pages->tuple.t_self, block, line);
	return ExecStoreBufferHeapTuple(&pages->tuple, pages->child->ss_ScanTupleSlot, buffer);
}

void
pages_append_slot(Rows *rows, TupleTableSlot *slot, const Origin *origin, int columns, AttrNumber last_attno)
{
	int64 at = rows->n;

	slot_getsomeattrs(slot, last_attno);
	rows_reserve(rows, at + 1);
	for (int c = 0; c < columns; c++)
		if (origin[c].attno > 0)
			rows_put(rows, c, at, slot->tts_values[origin[c].attno - 1], slot->tts_isnull[origin[c].attno - 1]);
	origins_put_constants(origin, rows, at, 1);
	rows->n++;
}

/* Appends the next tuple if it meets the scan's conditions; returns true if it does. */
static bool
append_any(Pages *pages, Rows *rows)
{
	ScanState	   *node = pages->child;
	ExprContext	   *econtext = node->ps.ps_ExprContext;
	HeapPage	   *page = &pages->page;
	TupleTableSlot *slot;

	if (pages->tuples != NULL)
		slot = index_tuples_store(pages->tuples, page->next);
	else
		slot = pages_store_tuple(pages, page->buffer, page->block, page->line[page->next]);
	page->next++;
	econtext->ecxt_scantuple = slot;
	if (node->ps.qual != NULL || pages->projection != NULL)
		ResetExprContext(econtext);
	if (node->ps.qual != NULL && !ExecQual(node->ps.qual, econtext))
	{
		InstrCountFiltered1(node, 1);
		return false;
	}
	if (pages->projection != NULL)
		slot = ExecProject(pages->projection);
	pages_append_slot(rows, slot, pages->origin, pages->columns, pages->last_attno);
	return true;
}

/* Appends the first row of a scan of an index, which core begins. */
static int
append_first(Pages *pages, Rows *rows)
{
	PlanState	   *child = &pages->child->ps;
	TupleTableSlot *slot = child->ExecProcNodeReal(child);

	if (TupIsNull(slot))
		return 0;
	pages_append_slot(rows, slot, pages->node_row, pages->columns, origins_last_attno(pages->node_row, pages->columns));
	return 1;
}

static bool
open_next(Pages *pages, int64 limit)
{
	if (pages->index != NULL)
		return index_pages_next(pages->index, &pages->page, limit);
	if (pages->tuples == NULL)
		return pages_next(pages);
	pages->page.next = 0;
	pages->page.end = index_tuples_next(pages->tuples, limit);
	return pages->page.end > 0;
}

/*
 * Appends at most `limit` rows of the current page; returns how many.  Rows of a page may be of any size once the scan
 * has computed them, or has fetched what the table keeps elsewhere.
 */
static int64
append_page(Pages *pages, Rows *rows, int64 limit)
{
	HeapPage *page = &pages->page;
	Size	  bytes = rows->arena.used;
	int64	  n = 0;

	while (n < limit && page->next < page->end && rows->arena.used - bytes <= PULL_BYTES)
	{
		if (pages->fixed)
			n += append_plain(pages, rows, Min(limit - n, page->end - page->next));
		if (n < limit && page->next < page->end)
			n += append_any(pages, rows);
	}
	return n;
}

/*
 * Of a scan of an index, rows of several pages are returned at a time, since each may be on a page of its own.  A
 * sequential scan that has ended must not be asked again, so it returns the rows of one page.
 */
int64
pages_pull(Pages *pages, Rows *rows, int64 limit)
{
	Size  bytes = rows->arena.used;
	int64 n = 0;

	pages_release_held(pages);
	if ((pages->index != NULL && !index_pages_begun(pages->index)) ||
		(pages->tuples != NULL && !index_tuples_begun(pages->tuples)))
		return append_first(pages, rows);
	while (n == 0 || (pages_are_of_index(pages) && n < limit && rows->arena.used - bytes <= PULL_BYTES))
	{
		CHECK_FOR_INTERRUPTS();
		if (pages->page.next >= pages->page.end && !open_next(pages, limit - n))
			break;
		n += append_page(pages, rows, limit - n);
	}
	return n > 0 ? n : pages_end(pages);
}

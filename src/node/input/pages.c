/*
 * pages.c: reads the rows of a table a page at a time, without the executor in between.
 *
 * pull.c uses it where the child is a plain sequential scan of a heap, or an index scan (index_pages.c).  A third of a
 * query's time in the node went into asking the scan for one row after the other, and in core into deforming every
 * tuple, wanted or not.  So this file reads the rest of the page that core has just opened.  Core's heap_getnextslot()
 * finds the next page with a visible tuple.  Visibility, pruning, predicate locks, synchronised scans and read-ahead
 * stay with core, which does all this for the whole page at once.  It leaves the page pinned, with a list of its
 * visible tuples.  This file takes these tuples, tells the scan that it has returned them all, and asks for the next
 * page.
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
#include "node/input/index_pages.h"
#include "node/input/pages.h"

/* An index scan returns no more rows once their values take so many bytes in the arena. */
#define PULL_BYTES (128 * 1024)

#define CACHE_LINE 64

/* A page that stays pinned after the scan has gone on to the next one, and its tuples that were looked at. */
typedef struct HeldPage
{
	Buffer		 buffer; /* InvalidBuffer: there is none */
	BlockNumber	 block;
	int			 n;
	OffsetNumber line[MaxHeapTuplesPerPage];
} HeldPage;

struct Pages
{
	ScanState	   *child;
	int				columns;
	const Origin   *origin;		/* of each column, in the table's row, or in that of the projection */
	ProjectionInfo *projection; /* computes the scan's row; NULL: it has nothing but columns and constants */
	AttrNumber		last_attno; /* the last column that is wanted */
	int			   *offset; /* of each column from the table: bytes, in the data of every plain tuple; -1: it varies */
	bool			fixed;	/* all wanted columns have an offset, and the scan has no condition */

	HeapPage	  page;		/* the current one */
	HeapTupleData tuple;	/* of it */
	const Origin *node_row; /* the origin of each column in the scan's row */
	IndexPages	 *index;	/* finds the pages of an index scan; NULL: the scan is sequential */
	bool		  ended;	/* a sequential scan has no more pages */

	/* of pages_look() */
	const bool *is_key;	  /* of each column: it is read at once, and the others when the row is taken */
	AttrNumber	last_key; /* the last column of the table that is a key */
	HeldPage	held;
};

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
	bool	 is_index = index_pages_suit(child);
	Relation table;
	Pages	*pages;

	if ((!IsA(child, SeqScanState) && !is_index) || child->state->es_epq_active != NULL)
		return NULL;
	table = ((ScanState *) child)->ss_currentRelation;
	if (table->rd_tableam != GetHeapamTableAmRoutine() || !IsMVCCSnapshot(child->state->es_snapshot))
		return NULL;
	pages = (Pages *) palloc0(sizeof(Pages));
	pages->child = (ScanState *) child;
	pages->columns = columns;
	pages->node_row = origin;
	if (is_index)
	{
		pages->index = (IndexPages *) palloc0(sizeof(IndexPages));
		pages->index->child = (IndexScanState *) child;
		index_pages_rewind(pages->index);
	}
	if (origins_are_plain(child->plan->targetlist))
		pages->origin = origins_below(child->plan->targetlist, origin, columns);
	else
	{
		pages->origin = origin;
		pages->projection = child->ps_ProjInfo;
	}
	pages->last_attno = origins_last_attno(pages->origin, columns);
	pages->fixed = child->qual == NULL && pages->projection == NULL && find_offsets(pages, RelationGetDescr(table));
	pages->tuple.t_tableOid = RelationGetRelid(table);
	return pages;
}

static void
release_held(Pages *pages)
{
	if (BufferIsValid(pages->held.buffer))
		ReleaseBuffer(pages->held.buffer);
	pages->held.buffer = InvalidBuffer;
}

void
pages_rewind(Pages *pages)
{
	release_held(pages);
	pages->page.next = pages->page.end = 0;
	pages->ended = false;
	if (pages->index != NULL)
		index_pages_rewind(pages->index);
}

/* ---- pages ---- */

/*
 * Fetch into the processor's cache what lies a page behind: the head and the line pointers of a page, and a tuple.  A
 * table that was read in one go, into buffers that were free, lies there page by page, and tuples lie at about the same
 * places in their pages.  If something else lies there, little is lost.  Reading took 0.8 times as long so.
 */
static pg_attribute_always_inline void
prefetch_head_behind(Page page)
{
	for (int at = 0; at < BLCKSZ / 16; at += CACHE_LINE)
		__builtin_prefetch((const char *) page + BLCKSZ + at);
}

static pg_attribute_always_inline void
prefetch_behind(const HeapTupleHeaderData *tuple)
{
	__builtin_prefetch((const char *) tuple + BLCKSZ);
	__builtin_prefetch((const char *) tuple + BLCKSZ + CACHE_LINE);
}

/* Has core open the next page of a sequential scan that has a visible tuple; false: there is none. */
static bool
next_page(Pages *pages)
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

static inline HeapTupleHeader
line_tuple(Page content, OffsetNumber line)
{
	return (HeapTupleHeader) PageGetItem(content, PageGetItemId(content, line));
}

/* ---- tuples that are alike ---- */

/* True if all wanted columns of a tuple are at their fixed offsets. */
static inline bool
is_plain(const Pages *pages, const HeapTupleHeaderData *tuple)
{
	return !(tuple->t_infomask & HEAP_HASNULL) && HeapTupleHeaderGetNatts(tuple) >= pages->last_attno;
}

/* Returns how many tuples from `next` on, at most n, have their columns at the fixed offsets; data[]: their data. */
static int
plain_tuples(const Pages *pages, int n, const char **data)
{
	Page content = BufferGetPage(pages->page.buffer);
	bool ahead = pages->index == NULL;

	for (int i = 0; i < n; i++)
	{
		HeapTupleHeader tuple = line_tuple(content, pages->page.line[pages->page.next + i]);

		if (ahead)
			prefetch_behind(tuple);
		if (!is_plain(pages, tuple))
			return i;
		data[i] = (const char *) tuple + tuple->t_hoff;
	}
	return n;
}

#define FETCH(TYPE)             \
	for (int i = 0; i < n; i++) \
	*(TYPE *) (to + i * stride) = *(const TYPE *) (data[i] + offset)

static void
fetch_column(Rows *rows, Column column, int64 at, const char *const *data, int n, int offset)
{
	int	  stride = column.stride;
	char *to = column.value + at * stride;

	switch (column.format)
	{
		case COLUMN_BYTE:
			FETCH(char);
			break;
		case COLUMN_INT16:
			FETCH(int16);
			break;
		case COLUMN_INT32:
			FETCH(int32);
			break;
		case COLUMN_INT64:
			FETCH(int64);
			break;
		default:
			for (int i = 0; i < n; i++)
				column_store(&column, at + i,
							 arena_copy(&rows->arena, rows->arrays, column.length, PointerGetDatum(data[i] + offset)));
			break;
	}
}

/* Appends n plain tuples. */
static void
append_data(const Pages *pages, Rows *rows, const char *const *data, int n)
{
	int64 at = rows->n;

	rows_reserve(rows, at + n);
	for (int c = 0; c < pages->columns; c++)
		if (pages->origin[c].attno > 0)
			fetch_column(rows, rows->column[c].data, at, data, n, pages->offset[c]);
	origins_put_constants(pages->origin, rows, at, n);
	rows->n += n;
}

/* Appends at most n tuples of the page, up to the first that is not plain; returns how many. */
static int
append_plain(Pages *pages, Rows *rows, int n)
{
	const char *data[MaxHeapTuplesPerPage];

	n = plain_tuples(pages, n, data);
	append_data(pages, rows, data, n);
	pages->page.next += n;
	return n;
}

/* ---- any tuple ---- */

/* Stores a tuple in the scan's slot. */
static TupleTableSlot *
store_tuple(Pages *pages, Buffer buffer, BlockNumber block, OffsetNumber line)
{
	Page content = BufferGetPage(buffer);

	pages->tuple.t_data = line_tuple(content, line);
	pages->tuple.t_len = ItemIdGetLength(PageGetItemId(content, line));
	ItemPointerSet(&pages->tuple.t_self, block, line);
	return ExecStoreBufferHeapTuple(&pages->tuple, pages->child->ss_ScanTupleSlot, buffer);
}

/* Appends the row in a slot. */
static void
append_slot(Rows *rows, TupleTableSlot *slot, const Origin *origin, int columns, AttrNumber last_attno)
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
	TupleTableSlot *slot = store_tuple(pages, page->buffer, page->block, page->line[page->next++]);

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
	append_slot(rows, slot, pages->origin, pages->columns, pages->last_attno);
	return true;
}

/* Appends the first row of an index scan, which core begins. */
static int
append_first(Pages *pages, Rows *rows)
{
	PlanState	   *child = &pages->child->ps;
	TupleTableSlot *slot = child->ExecProcNodeReal(child);

	if (TupIsNull(slot))
		return 0;
	append_slot(rows, slot, pages->node_row, pages->columns, origins_last_attno(pages->node_row, pages->columns));
	return 1;
}

static bool
open_next(Pages *pages, int64 limit)
{
	return pages->index != NULL ? index_pages_next(pages->index, &pages->page, limit) : next_page(pages);
}

/* Appends at most `limit` rows of the current page; returns how many. */
static int64
append_page(Pages *pages, Rows *rows, int64 limit)
{
	HeapPage *page = &pages->page;
	int64	  n = 0;

	while (n < limit && page->next < page->end)
	{
		if (pages->fixed)
			n += append_plain(pages, rows, Min(limit - n, page->end - page->next));
		if (n < limit && page->next < page->end)
			n += append_any(pages, rows);
	}
	return n;
}

/* An index scan goes from page to page, which may have one row each.  A sequential scan must not be asked at its end.
 */
int64
pages_pull(Pages *pages, Rows *rows, int64 limit)
{
	Size  bytes = rows->arena.used;
	int64 n = 0;

	release_held(pages);
	if (pages->index != NULL && !index_pages_begun(pages->index))
		return append_first(pages, rows);
	while (n == 0 || (pages->index != NULL && n < limit && rows->arena.used - bytes <= PULL_BYTES))
	{
		CHECK_FOR_INTERRUPTS();
		if (pages->page.next >= pages->page.end && !open_next(pages, limit - n))
			break;
		n += append_page(pages, rows, limit - n);
	}
	return n;
}

/* ---- keys first ---- */

bool
pages_may_look(Pages *pages, const bool *is_key)
{
	if (pages->index != NULL || pages->projection != NULL || pages->child->ps.qual != NULL)
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
		(void) next_page(pages);
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
		tuple = line_tuple(content, held->line[n]);
		prefetch_behind(tuple);
		if (!has_keys(tuple, pages->last_key))
			break;
		data[n] = (const char *) tuple + tuple->t_hoff;
	}
	if (n == 0)
		return -1;
	rows_reserve(rows, at + n);
	for (int c = 0; c < pages->columns; c++)
		if (pages->is_key[c])
			fetch_column(rows, rows->column[c].data, at, data, n, pages->offset[c]);
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
	release_held(pages);
	if (pages->page.next >= pages->page.end && !next_page(pages))
		return 0;
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
		HeapTupleHeader tuple = line_tuple(content, line);

		Assert(which[i] < (uint32) held->n);
		if (pages->fixed && is_plain(pages, tuple))
		{
			data[plain++] = (const char *) tuple + tuple->t_hoff;
			continue;
		}
		append_data(pages, rows, data, plain);
		plain = 0;
		append_slot(rows, store_tuple(pages, held->buffer, held->block, line), pages->origin, pages->columns,
					pages->last_attno);
	}
	append_data(pages, rows, data, plain);
}

/*
 * index_pages.c: finds the tuples of an index scan that lie on one page and come one after the other in the index.
 *
 * pages.c reads them.  Where a table's rows lie in the order of the index, as they do in a log, a page has hundreds of
 * them.  Core locks the page, looks for the tuple and fills a slot for each.  Here core does so for the first tuple of
 * a page (index_fetch_heap()), which prunes the page, counts the tuple and leaves it in the slot, and so the page
 * pinned. The index is then asked for more tuples, as long as they lie on the page, and all of them are looked for
 * under one lock.
 *
 * A tuple is looked for after the index has moved on.  That is safe for a snapshot of MVCC: a tuple that has taken the
 * place of a dead one since then is not visible in it.  Core's bitmap scans rely on the same.
 *
 * Core marks a tuple that is dead for all as dead in the index, so that the next scan skips it.  It does so only for
 * the tuple that the index has returned last.  So tuples are asked for one by one on the page after one with dead
 * tuples.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/relscan.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "node/access_method.h"
#include "node/input/sources.h"

/* A B-tree has no lossy conditions, and no order by distance. */
bool
index_pages_suit(const PlanState *node)
{
	return IsA(node, IndexScanState) && has_access_method(((const IndexScan *) node->plan)->indexid, BTREE_AM_OID);
}

bool
index_pages_begun(const IndexPages *pages)
{
	const IndexScanState *child = pages->child;

	return child->iss_ScanDesc != NULL && (child->iss_NumRuntimeKeys == 0 || child->iss_RuntimeKeysReady);
}

void
index_pages_rewind(IndexPages *pages)
{
	pages->pending = pages->ended = pages->dead = pages->singly = false;
	pages->block = InvalidBlockNumber;
}

/* Moves on in the index; false: it has no more tuples. */
static bool
next_in_index(IndexPages *pages)
{
	const IndexScan *plan = (const IndexScan *) pages->child->ss.ps.plan;
	ScanDirection	 direction = ScanDirectionIsBackward(plan->indexorderdir) ? BackwardScanDirection
																			  : ForwardScanDirection;

	if (!pages->ended)
		pages->ended = index_getnext_tid(pages->child->iss_ScanDesc, direction) == NULL;
	return !pages->ended;
}

static void
note_page(IndexPages *pages, BlockNumber block)
{
	if (block == pages->block)
		return;
	pages->block = block;
	pages->singly = pages->dead;
	pages->dead = false;
}

/* Has core open the page of the next visible tuple; false: there is none. */
static bool
open_page(IndexPages *pages, HeapPage *page)
{
	IndexScanDesc	scan = pages->child->iss_ScanDesc;
	TupleTableSlot *slot = pages->child->ss.ss_ScanTupleSlot;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (!pages->pending && !next_in_index(pages))
			return false;
		pages->pending = false;
		note_page(pages, ItemPointerGetBlockNumber(&scan->xs_heaptid));
		if (index_fetch_heap(scan, slot))
			break;
		pages->dead = pages->dead || scan->kill_prior_tuple;
	}
	*page = (HeapPage){.buffer = ((BufferHeapTupleTableSlot *) slot)->buffer,
					   .block = ItemPointerGetBlockNumber(&slot->tts_tid),
					   .line = pages->line};
	pages->line[0] = ItemPointerGetOffsetNumber(&slot->tts_tid);
	return true;
}

/* Replaces the lines from `from` to n - 1 by those of the tuples that they lead to, if these are visible. */
static int
find_visible(IndexPages *pages, const HeapPage *page, int from, int n)
{
	IndexScanDesc scan = pages->child->iss_ScanDesc;
	Page		  content = BufferGetPage(page->buffer);
	int			  to = from;
	bool		  all_visible;

	LockBuffer(page->buffer, BUFFER_LOCK_SHARE);
	/* as core decides for a sequential scan; a serializable transaction locks each tuple */
	all_visible = PageIsAllVisible(content) && !scan->xs_snapshot->takenDuringRecovery && !IsolationIsSerializable();
	for (int i = from; i < n; i++)
	{
		ItemPointerData tid;
		HeapTupleData	tuple;
		bool			all_dead = false;
		bool			found = all_visible && ItemIdIsNormal(PageGetItemId(content, pages->line[i]));

		ItemPointerSet(&tid, page->block, pages->line[i]);
		if (!found)
			found = heap_hot_search_buffer(&tid, scan->heapRelation, page->buffer, scan->xs_snapshot, &tuple, &all_dead,
										   true);
		pages->dead = pages->dead || all_dead;
		if (!found)
			continue;
		pages->line[to++] = ItemPointerGetOffsetNumber(&tid);
		pgstat_count_heap_fetch(scan->indexRelation);
	}
	LockBuffer(page->buffer, BUFFER_LOCK_UNLOCK);
	return to;
}

bool
index_pages_next(IndexPages *pages, HeapPage *page, int64 limit)
{
	const ItemPointerData *tid;
	int					   n = 1;

	if (!open_page(pages, page))
		return false;
	tid = &pages->child->iss_ScanDesc->xs_heaptid;
	limit = pages->singly ? 1 : Min(limit, MaxHeapTuplesPerPage);
	/* the slot keeps the page pinned, even if the index has no more tuples and the scan lets go of it */
	while (n < limit && next_in_index(pages))
	{
		pages->pending = ItemPointerGetBlockNumber(tid) != page->block;
		if (pages->pending)
			break;
		pages->line[n++] = ItemPointerGetOffsetNumber(tid);
	}
	page->end = n > 1 ? find_visible(pages, page, 1, n) : n;
	return true;
}

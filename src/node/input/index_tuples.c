/*
 * index_tuples.c: reads the tuples of an index-only scan, many at a time.
 *
 * pages.c uses it.  Core fills a slot from each tuple, asks for a projection of it and returns through two functions.
 * That took more time than finding the tuple did, so that a table that had to be sorted was read in less time than an
 * index that had the order.  Here tuples are copied, and pages.c then copies the wanted columns of many.
 *
 * A tuple is copied because the index lets go of it when it moves to its next page.  Rejected: to look into the
 * B-tree's own position for the tuples of its page, which differs between versions of PostgreSQL.
 *
 * As core does, the table is visited for a tuple whose page the visibility map does not call all visible.  The map has
 * to be asked after the index has returned the tuple, and so for each tuple: what it said of the same page before may
 * be older than the tuple.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/visibilitymap.h"
#include "catalog/pg_type_d.h"
#include "executor/instrument.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/memutils.h"

#include "node/access_method.h"
#include "node/input/sources.h"

/*
 * As many pages of the visibility map are pinned while tuples are copied.  Core pins one.  In a table of 800 MB the map
 * has four, and where the table's rows lie in another order than the index, nearly every tuple asked for another one:
 * that took a third of the time of the scan.  Where shared_buffers is small, one is pinned.
 */
#define MAP_PAGES 16
#define MAP_PAGES_BUFFERS 256 /* buffers of the server for each page of the map */
#define MAP_PAGE_BLOCKS ((BLCKSZ - MAXALIGN(SizeOfPageHeaderData)) * BITS_PER_BYTE / BITS_PER_HEAPBLOCK)

#define COPIES_BYTES (4 * BLCKSZ) /* a tuple of a B-tree takes a third of a page at most */

/* An index keeps a name as a cstring, which core makes a name again for the slot. */
static bool
has_name(TupleDesc row)
{
	for (int a = 0; a < row->natts; a++)
		if (TupleDescAttr(row, a)->atttypid == NAMEOID)
			return true;
	return false;
}

bool
index_tuples_suit(const PlanState *node)
{
	return IsA(node, IndexOnlyScanState) &&
		   has_access_method(((const IndexOnlyScan *) node->plan)->indexid, BTREE_AM_OID) &&
		   !has_name(((const ScanState *) node)->ss_ScanTupleSlot->tts_tupleDescriptor);
}

IndexTuples *
index_tuples_create(PlanState *node)
{
	IndexTuples *tuples = (IndexTuples *) palloc0(sizeof(IndexTuples));

	tuples->child = castNode(IndexOnlyScanState, node);
	return tuples;
}

TupleDesc
index_tuples_row(const IndexTuples *tuples)
{
	const Relation index = tuples->child->ioss_RelationDesc;

	return index == NULL ? NULL : RelationGetDescr(index);
}

bool
index_tuples_begun(const IndexTuples *tuples)
{
	const IndexOnlyScanState *child = tuples->child;

	return child->ioss_ScanDesc != NULL && (child->ioss_NumRuntimeKeys == 0 || child->ioss_RuntimeKeysReady);
}

void
index_tuples_rewind(IndexTuples *tuples)
{
	tuples->ended = false;
}

/* True if the scan's snapshot sees the tuple that the index has returned last; map[]: pinned pages of the map. */
static inline bool
is_visible(IndexOnlyScanState *child, Buffer *map, int pages)
{
	IndexScanDesc scan = child->ioss_ScanDesc;
	BlockNumber	  block = ItemPointerGetBlockNumber(&scan->xs_heaptid);

	if (VM_ALL_VISIBLE(scan->heapRelation, block, &map[block / MAP_PAGE_BLOCKS % pages]))
	{
		PredicateLockPage(scan->heapRelation, block, child->ss.ps.state->es_snapshot);
		return true;
	}
	InstrCountTuples2(child, 1);
	if (!index_fetch_heap(scan, child->ioss_TableSlot))
		return false;
	ExecClearTuple(child->ioss_TableSlot);
	return true;
}

static void
release_map(Buffer *map)
{
	for (int i = 0; i < MAP_PAGES; i++)
		if (BufferIsValid(map[i]))
			ReleaseBuffer(map[i]);
}

int
index_tuples_next(IndexTuples *tuples, int64 limit)
{
	IndexOnlyScanState *child = tuples->child;
	IndexScanDesc		scan = child->ioss_ScanDesc;
	ScanDirection		direction = ((IndexOnlyScan *) child->ss.ps.plan)->indexorderdir;
	Buffer				map[MAP_PAGES] = {InvalidBuffer};
	int					pages = NBuffers < MAP_PAGES * MAP_PAGES_BUFFERS ? 1 : MAP_PAGES;
	Size				used = 0;
	int					n = 0;

	if (tuples->copies == NULL)
		tuples->copies = (char *) MemoryContextAlloc(GetMemoryChunkContext(tuples), COPIES_BYTES);
	limit = Min(limit, MaxHeapTuplesPerPage);
	while (n < limit && used <= COPIES_BYTES - BLCKSZ)
	{
		Size size;

		CHECK_FOR_INTERRUPTS();
		tuples->ended = tuples->ended || index_getnext_tid(scan, direction) == NULL;
		if (tuples->ended)
			break;
		if (!is_visible(child, map, pages))
			continue;
		size = IndexTupleSize(scan->xs_itup);
		tuples->tuple[n] = (IndexTuple) (tuples->copies + used);
		memcpy(tuples->tuple[n++], scan->xs_itup, size);
		used += MAXALIGN(size);
	}
	release_map(map);
	return n;
}

int
index_tuples_plain(const IndexTuples *tuples, int first, int n, const char **data)
{
	for (int i = 0; i < n; i++)
	{
		IndexTuple tuple = tuples->tuple[first + i];

		if (IndexTupleHasNulls(tuple))
			return i;
		data[i] = (const char *) tuple + IndexInfoFindDataOffset(tuple->t_info);
	}
	return n;
}

TupleTableSlot *
index_tuples_store(IndexTuples *tuples, int i)
{
	TupleTableSlot *slot = tuples->child->ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	index_deform_tuple(tuples->tuple[i], index_tuples_row(tuples), slot->tts_values, slot->tts_isnull);
	return ExecStoreVirtualTuple(slot);
}

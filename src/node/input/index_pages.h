/*
 * index_pages.h: finds the tuples of an index scan that lie on one page and come one after the other in the index.
 */
#ifndef SCAN_NODE_INPUT_INDEX_PAGES_H
#define SCAN_NODE_INPUT_INDEX_PAGES_H

#include "postgres.h"

#include "access/htup_details.h"
#include "nodes/execnodes.h"
#include "storage/buf.h"

/* A page of a table that core has pinned: its tuples line[next] to line[end - 1] are still to be read. */
typedef struct HeapPage
{
	Buffer				buffer;
	BlockNumber			block;
	const OffsetNumber *line;
	int					next;
	int					end;
} HeapPage;

typedef struct IndexPages
{
	IndexScanState *child;
	bool			pending; /* the scan's current tuple has not been read yet */
	bool			ended;
	BlockNumber		block;	/* the page that tuples have been read from last */
	bool			dead;	/* it has had tuples that are dead for all */
	bool			singly; /* tuples are asked for one by one: the page before had dead ones */
	OffsetNumber	line[MaxHeapTuplesPerPage];
} IndexPages;

/* True if an index is a B-tree, which has no lossy conditions, and no order by distance. */
extern bool index_is_btree(Oid index);

/* True if a node is an index scan whose table can be read by the page: the index is a B-tree. */
extern bool index_pages_suit(const PlanState *node);

/* True if core has begun the scan.  The first row of a scan that has not begun comes from the node itself. */
extern bool index_pages_begun(const IndexPages *pages);

/* Finds the next visible tuples, at most `limit`, that lie on one page; false: there are none. */
extern bool index_pages_next(IndexPages *pages, HeapPage *page, int64 limit);

/* Called after the scan has been rescanned. */
extern void index_pages_rewind(IndexPages *pages);

#endif /* SCAN_NODE_INPUT_INDEX_PAGES_H */

/*
 * sources.h: what pull.c reads rows from, but for slots: pages of tables, and tuples of indexes.
 */
#ifndef SCAN_NODE_INPUT_SOURCES_H
#define SCAN_NODE_INPUT_SOURCES_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/itup.h"
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "nodes/pg_list.h"
#include "storage/buf.h"
#include "storage/bufpage.h"

#include "column/rows.h"

/* ---- origin.c: where the columns of the rows come from, traced down the plan ---- */

/* Where a column of the rows comes from, seen from one node of the plan. */
typedef struct Origin
{
	AttrNumber attno; /* the column of the node's row; 0: the column is a constant, or does not come from the node */
	bool	   constant, isnull;
	Datum	   value;
} Origin;

/* True if a target list has nothing but columns of the row below and constants. */
extern bool origins_are_plain(const List *targetlist);

/* Returns the columns' origins in the row below a node with such a target list; `origin`: those in the node's row. */
extern Origin *origins_below(const List *targetlist, const Origin *origin, int columns);

/* Returns the last column of the node's row that is wanted. */
extern AttrNumber origins_last_attno(const Origin *origin, int columns);

/* Fills the constant columns of n rows from row `at` on, for which there is room. */
extern void origins_put_constants(const Origin *origin, Rows *rows, int64 at, int64 n);

/* ---- index_pages.c ---- */

/* Finds the tuples of an index scan that lie on one page and come one after the other in the index. */

/* A page of a table that core has pinned: its tuples line[next] to line[end - 1] are still to be read. */
typedef struct HeapPage
{
	Buffer				buffer;
	BlockNumber			block;
	const OffsetNumber *line;
	int					next, end;
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

/* True if a node is an index scan whose table can be read by the page: the index is a B-tree. */
extern bool index_pages_suit(const PlanState *node);

/* True if core has begun the scan.  The first row of a scan that has not begun comes from the node itself. */
extern bool index_pages_begun(const IndexPages *pages);

/* Finds the next visible tuples, at most `limit`, that lie on one page; false: there are none. */
extern bool index_pages_next(IndexPages *pages, HeapPage *page, int64 limit);

/* Called after the scan has been rescanned. */
extern void index_pages_rewind(IndexPages *pages);

/* ---- index_tuples.c: the tuples of an index-only scan, many at a time ---- */

typedef struct IndexTuples
{
	IndexOnlyScanState *child;
	bool				ended; /* the index has no more tuples */
	char			   *copies;
	IndexTuple			tuple[MaxHeapTuplesPerPage];
} IndexTuples;

/* True if the tuples of a node can be read here: it is an index-only scan of a B-tree. */
extern bool index_tuples_suit(const PlanState *node);

/* Returns a reader, in the current context. */
extern IndexTuples *index_tuples_create(PlanState *node);

/* Returns the columns of the tuples; NULL: the index is not open, for EXPLAIN without ANALYZE. */
extern TupleDesc index_tuples_row(const IndexTuples *tuples);

/* True if core has begun the scan.  The first row of a scan that has not begun comes from the node itself. */
extern bool index_tuples_begun(const IndexTuples *tuples);

/* Copies the next visible tuples, at most `limit`; returns how many; 0: there are none. */
extern int index_tuples_next(IndexTuples *tuples, int64 limit);

/* Returns how many of the n tuples from `first` on, up to the first with a NULL, have none; data[]: the data of each.
 */
extern int index_tuples_plain(const IndexTuples *tuples, int first, int n, const char **data);

/* Stores a tuple in the scan's slot. */
extern TupleTableSlot *index_tuples_store(IndexTuples *tuples, int i);

/* Called after the scan has been rescanned. */
extern void index_tuples_rewind(IndexTuples *tuples);

/* ---- pages.c: reads the rows of a table a page at a time, without the executor in between ---- */

#define CACHE_LINE 64

/* A page that stays pinned after the scan has gone on to the next one, and its tuples that were looked at. */
typedef struct HeldPage
{
	Buffer		 buffer; /* InvalidBuffer: there is none */
	BlockNumber	 block;
	int			 n;
	OffsetNumber line[MaxHeapTuplesPerPage];
} HeldPage;

typedef struct Pages
{
	ScanState	   *child;
	int				columns;
	const Origin   *origin;		/* of each column, in the table's row, or in that of the projection */
	ProjectionInfo *projection; /* computes the scan's row; NULL: it has nothing but columns and constants */
	AttrNumber		last_attno; /* the last column that is wanted */
	int			   *offset; /* of each column from the table: bytes, in the data of every plain tuple; -1: it varies */
	bool			fixed;	/* all wanted columns have an offset, and the scan has no condition */

	HeapPage	  page;	 /* the current one; of an index-only scan only `next` and `end`, which count copied tuples */
	HeapTupleData tuple; /* of it */
	const Origin *node_row; /* the origin of each column in the scan's row */
	IndexPages	 *index;	/* finds the pages of an index scan; NULL: the scan is of another kind */
	IndexTuples	 *tuples;	/* copies the tuples of an index-only scan; NULL: the scan is of another kind */
	bool		  ended;	/* a sequential scan has no more pages */

	/* of keys_first.c */
	const bool *is_key;	  /* of each column: it is read at once, and the others when the row is taken */
	AttrNumber	last_key; /* the last column of the table that is a key */
	HeldPage	held;
} Pages;

/*
 * Returns a reader of the rows of `child`, in the current context, or NULL if `child` is no sequential scan and no
 * scan of an index of a heap.  `origin`: where the columns of the rows come from, seen from `child`.
 */
extern Pages *pages_create(PlanState *child, const Origin *origin, int columns);

/*
 * Appends at least one and at most `limit` rows; returns their number.  0: there are no more rows, and it must not be
 * called again before the child has been rescanned and pages_rewind() called.  The caller rescans a child whose
 * parameters have changed.
 */
extern int64 pages_pull(Pages *pages, Rows *rows, int64 limit);

/* Called after the child has been rescanned. */
extern void pages_rewind(Pages *pages);

/* ---- pages.c, for keys_first.c ---- */

/* Has core open the next page of a sequential scan that has a visible tuple; false: there is none. */
extern bool pages_next(Pages *pages);

/* Lets go of the page that is held, if there is one. */
extern void pages_release_held(Pages *pages);

/*
 * Ends the scan and returns 0, the number of rows that are left.  The scan's slot lets go of its page, as at the end of
 * core's scans: the query may go on for long, and VACUUM waits for a page that is pinned.
 */
extern int64 pages_end(Pages *pages);

/* Appends n plain tuples; data[]: the data of each. */
extern void pages_append_plain(const Pages *pages, Rows *rows, const char *const *data, int n);

/* Stores a tuple in the scan's slot. */
extern TupleTableSlot *pages_store_tuple(Pages *pages, Buffer buffer, BlockNumber block, OffsetNumber line);

/* Appends the row in a slot. */
extern void pages_append_slot(Rows *rows, TupleTableSlot *slot, const Origin *origin, int columns,
							  AttrNumber last_attno);

/* True if an index finds the rows: in its own order, on any pages of the table. */
static inline bool
pages_are_of_index(const Pages *pages)
{
	return pages->index != NULL || pages->tuples != NULL;
}

/* True if all wanted columns of a tuple are at their fixed offsets. */
static inline bool
pages_is_plain(const Pages *pages, const HeapTupleHeaderData *tuple)
{
	return !(tuple->t_infomask & HEAP_HASNULL) && HeapTupleHeaderGetNatts(tuple) >= pages->last_attno;
}

static inline HeapTupleHeader
pages_tuple(Page content, OffsetNumber line)
{
	return (HeapTupleHeader) PageGetItem(content, PageGetItemId(content, line));
}

/*
 * Fetches what lies a page behind a tuple into the processor's cache.  A table that was read in one go, into buffers
 * that were free, lies there page by page, and tuples lie at about the same places in their pages.  If something else
 * lies there, little is lost.  Reading took 0.8 times as long so.
 *
 * Always inlined: see prefetch_rows() in sorted_block.c.
 */
static pg_attribute_always_inline void
pages_prefetch_behind(const HeapTupleHeaderData *tuple)
{
	__builtin_prefetch((const char *) tuple + BLCKSZ);
	__builtin_prefetch((const char *) tuple + BLCKSZ + CACHE_LINE);
}

/* ---- keys_first.c: reads the keys of a page's rows, and then the rows that are kept ---- */

/* For a caller that wants few rows, and knows which once it has seen some columns, the keys. */

/*
 * pages_may_look: true if the functions below may be called; is_key[c] says if column c of the rows is a key, and must
 * live as long as the reader.
 *
 * pages_look: appends at most `limit` rows, but fills in their keys only; returns their number.  0: as for
 * pages_pull().  -1: the next rows must be asked for by pages_pull().
 *
 * pages_take: appends those rows of the last pages_look() whose numbers, counted from 0, are in which[], with all
 * columns.  The same number may not occur twice.
 *
 * pages_ahead: fetches the rows of the next pages_look() into the processor's cache meanwhile, if the page has no more.
 */
extern bool	 pages_may_look(Pages *pages, const bool *is_key);
extern int64 pages_look(Pages *pages, Rows *rows, int64 limit);
extern void	 pages_take(Pages *pages, Rows *rows, const uint32 *which, int64 n);
extern void	 pages_ahead(Pages *pages);

#endif /* SCAN_NODE_INPUT_SOURCES_H */

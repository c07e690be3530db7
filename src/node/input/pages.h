/*
 * pages.h: reads the rows of a table a page at a time, without the executor in between.
 */
#ifndef SCAN_NODE_INPUT_PAGES_H
#define SCAN_NODE_INPUT_PAGES_H

#include "postgres.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "storage/buf.h"
#include "storage/bufpage.h"

#include "column/rows.h"
#include "node/input/index_pages.h"
#include "node/input/index_tuples.h"
#include "node/input/origin.h"

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

/* ---- for keys_first.c ---- */

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

#endif /* SCAN_NODE_INPUT_PAGES_H */

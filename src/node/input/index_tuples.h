/*
 * index_tuples.h: the tuples of an index-only scan, many at a time.
 */
#ifndef SCAN_NODE_INPUT_INDEX_TUPLES_H
#define SCAN_NODE_INPUT_INDEX_TUPLES_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/itup.h"
#include "nodes/execnodes.h"

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

#endif /* SCAN_NODE_INPUT_INDEX_TUPLES_H */

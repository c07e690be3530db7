/*
 * sorted_input.h: rows that were sorted here: in memory with their order, or as runs on disk.
 *
 * The rows are those of the child, or of a batch that several processes have repartitioned: whoever has them sorted
 * says where they come from.  Afterwards Sorted.all or Sorted.runs has them.  Rows of a child that is in order by the
 * first keys come in chunks (presorted.h), one after the other.
 */
#ifndef SCAN_NODE_INPUT_SORTED_INPUT_H
#define SCAN_NODE_INPUT_SORTED_INPUT_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/filter.h"
#include "node/input/instrument.h"
#include "node/input/presorted.h"
#include "node/input/pull.h"
#include "node/input/window_keys.h"
#include "node/planned_window.h"
#include "sort/runs.h"
#include "sort/sort_order.h"

/* Where rows go to. */
typedef struct RowSink
{
	void (*put)(void *arg, const Rows *rows);
	void *arg;
} RowSink;

/* The functions' scans that may run with the sort of all rows, which are then Sorted.all.  exec/ fills it in. */
typedef struct SortedOffer
{
	/* Returns the scans that the functions offer; their results take at most `room` bytes.  NULL: none. */
	struct FusedScans *(*offer)(void *functions, Size room);

	/* Has the functions take the results, or forget them unless `there`; returns the bytes of the results. */
	Size (*take)(void *functions, bool there);

	void *functions; /* the first argument of both */
} SortedOffer;

typedef struct Sorted
{
	Pull			*pull;
	WindowKeys		*keys;
	RowColumn		*column; /* the rows' columns; lay_keys_apart() sets `apart` */
	int				 columns;
	TopRows			 top; /* the rows that are wanted */
	SortedOffer		 offer;
	InputStatistics *statistics;
	MemoryContext	 memory; /* lives as long as the node */
	Presorted		 presorted;
	bool			 streams; /* chunks may begin amid a partition, so they are no batches, but stream */

	/* running */
	bool	  is_range; /* a range: all rows stay in memory, and the order is an ORDER_ROWS, to put rows before it */
	Rows	 *all;		/* the rows of the input, or of a batch; NULL: none are in memory */
	SortOrder order;	/* the order of the rows of `all` that are wanted */
	int64	  streamed; /* rows of that order that stream_block.c has taken */
	Size	  bytes;	/* of the rows in memory, their sort and the results of scans, at most */
	Runs	 *runs;		/* the rows sorted on disk, if they are beyond the budget; NULL: they are not */

	struct SpilledRanges *later; /* rows that come after those of `all` or `runs`, on disk; NULL: there are none */
} Sorted;

/* Begins with rows that have such columns.  `column` is kept and changed. */
extern void sorted_begin(Sorted *sorted, Pull *pull, WindowKeys *keys, RowColumn *column, TopRows top,
						 SortedOffer offer, InputStatistics *statistics);

/* The child's rows are in order by the first `prefix` keys, and sorted_next() has them.  Called before any are asked
 * for. */
extern void sorted_expect_order(Sorted *sorted, int prefix);

/* Creates a Rows without rows, laid out to be sorted. */
extern Rows *sorted_rows(Sorted *sorted);

/* Gets and sorts the rows of a batch; NULL: of the child. */
extern void sorted_input(Sorted *sorted, const RowSource *batch, bool is_range);

/*
 * Gets and sorts the next rows, after those of `all` or `runs`, which have been forgotten.  Their first row begins a
 * partition, unless `streams`.  False: there are none.
 */
extern bool sorted_next(Sorted *sorted);

/*
 * Puts the child's rows that may be among the first ones of their partitions to `sink`, in no order: as often as they
 * take `budget` bytes, and at the end.
 */
extern void sorted_first_rows(Sorted *sorted, Size budget, const RowSink *sink);

/* Returns how many bytes the sort has left of scan.work_mem, and at least a part of it. */
extern Size sorted_memory_left(const Sorted *sorted);

/* Frees the rows of `all` and the runs. */
extern void sorted_forget(Sorted *sorted);

/* The same, and the later rows. */
extern void sorted_rewind(Sorted *sorted);

#endif /* SCAN_NODE_INPUT_SORTED_INPUT_H */

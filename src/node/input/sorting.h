/*
 * sorting.h: has rows in window order: sorts them, in memory, on disk or in chunks, by the keys of the window.
 */
#ifndef SCAN_NODE_INPUT_SORTING_H
#define SCAN_NODE_INPUT_SORTING_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/sortsupport.h"

#include "column/block.h"
#include "column/rows.h"
#include "exchange/exchange.h"
#include "node/input/instrument.h"
#include "node/input/pull.h"
#include "node/planned_window.h"
#include "sort/files.h"
#include "sort/order.h"

/* ---- window_keys.c ---- */

/*
 * The keys of the window, those of PARTITION BY and then those of ORDER BY, and what they tell of rows that lie beside
 * each other.
 *
 * exec/begin.c fills the keys in.  All parts of the input that put rows in order, or find their boundaries, read them.
 */

typedef struct WindowKey
{
	int		 column; /* the column of the rows that it is in */
	FmgrInfo equal;
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	KeyOrder order;
} WindowKey;

typedef struct WindowKeys
{
	int			  n;
	int			  partition; /* number of first keys that are of PARTITION BY */
	WindowKey	 *key;
	SortSupport	  compare; /* the keys' comparisons; NULL until window_keys_prepare() */
	MemoryContext memory;  /* of `compare`: lives as long as the node */
} WindowKeys;

/* Looks the order of a key up in the catalog.  Its memory is the current context's, which must be the node's. */
extern void window_key_set_order(WindowKey *key, Oid sort_operator, Oid collation, bool nulls_first);

/* Fills in keys->compare, once: for rows that are merged, or compared with others. */
extern void window_keys_prepare(WindowKeys *keys);

/* ---- window_keys.c: boundaries, the rows at which partitions and peer groups begin ---- */

/* Makes room for n rows in the block's `head` and `peer`. */
extern void boundaries_reserve(Block *block, int64 n);

/*
 * Fills `head` and `peer` of the block's rows from row `from` on; if that is row 0, it is the input's first row.
 * Comparisons leave their garbage in the per-tuple memory of `econtext`, which is reset.
 */
extern void boundaries_mark(const WindowKeys *keys, ExprContext *econtext, Block *block, int64 from);

/* Sorted input: returns the first position from `from` on at which a unit starts; the end of the order if none does. */
extern int64 boundaries_next_unit(const SortOrder *order, Lookahead unit, int64 from);

/* ---- window_keys.c: what numbers tell of the order of rows, without a sort ---- */

/*
 * Computes a number of key k for each of n rows from row `from` on.  Of two rows that are equal in keys 0 to k - 1, the
 * one that comes first in window order has the smaller number, or both numbers are equal.
 */
extern void number_rows(const WindowKeys *keys, int k, const Rows *rows, int64 from, int64 n, uint64 *number);

/* True if the rows are in window order.  window_keys_prepare() must have been called, here and below. */
extern bool rows_are_in_order(const WindowKeys *keys, const Rows *rows);

/* Fills in the order, as sort_rows() would, of rows that are in window order. */
extern void order_of_ordered_rows(const WindowKeys *keys, const Rows *rows, SortOrder *order);

/* ---- filter.c: drops rows that are not wanted while they come in ---- */

/* The input, and what stands between it and the rows in memory if not all rows are wanted. */
typedef struct Filter Filter;

/* True if a row in memory may be replaced by one that comes before it. */
extern bool filter_replaces(const WindowKeys *keys, const TopRows *wanted, double expected);

/*
 * Creates the filter of rows like `rows`, of which there are none yet, in a context of its own below `parent`.
 * `expected`: the number of rows in the input.
 */
extern Filter *filter_create(WindowKeys *keys, TopRows wanted, RowSource source, const Rows *rows, double expected,
							 MemoryContext parent);

extern void filter_free(Filter *filter);

/* True if not all rows are wanted. */
extern bool filter_drops(const Filter *filter);

/* Returns the bytes of the table that has the row of each partition, if the rows are kept one by one. */
extern Size filter_bytes(const Filter *filter);

/*
 * Appends some rows of the input to those in memory, without those that are known not to be wanted; false: the input
 * has ended.  May replace *rows by a copy.  Adds to *left_out how many were left out.
 */
extern bool filter_pull(Filter *filter, Rows **rows, int64 *left_out);

/* True if it is time to sort the rows in memory and drop those that are not wanted. */
extern bool filter_is_due(const Filter *filter, const Rows *rows);

/* Readies the rows in memory for a sort, which must find rows that are equal in the order of the input. */
extern void filter_settle(Filter *filter, Rows **rows);

/* Drops the rows that are not wanted of their partition from an order, an ORDER_ROWS. */
extern void filter_order(const TopRows *wanted, SortOrder *order);

/*
 * If an order of the rows in memory, without the rows that are not wanted, has at most half of them: replaces *rows by
 * copies of those in the order, frees the old rows with all arrays of their pool, the order's among them, and returns
 * true.  Else returns false.
 */
extern bool filter_keep(Filter *filter, Rows **rows, const SortOrder *order);

/* Forgets the partitions: their rows are not among those in memory any more. */
extern void filter_forget(Filter *filter);

/* The same, and filters rows to come as if more than one row of each partition were wanted. */
extern void filter_expect_more(Filter *filter, Rows **rows, int64 *left_out);

/* ---- spilled_ranges.c: rows beyond memory, divided into ranges of the PARTITION BY keys ---- */

typedef struct SpilledRanges SpilledRanges;

/* True if rows with such keys can be divided. */
extern bool spilled_ranges_suit(const WindowKeys *keys);

/*
 * Finds ranges by the rows in memory, of `expected_rows` rows that all of them may become.  `sort_bytes`: bytes of a
 * row that the sort takes.  The state is allocated in a context of its own below `parent`.  NULL: rows cannot be
 * divided, or are in order already.
 */
extern SpilledRanges *spilled_ranges_create(MemoryContext parent, const WindowKeys *keys, const Rows *rows,
											double expected_rows, double sort_bytes);

/*
 * Moves the rows that are not of the first ranges, which stay in memory, to files; `full`: and has fewer ranges stay if
 * memory does not suffice otherwise.  Rows that stay keep their order.
 */
extern void spilled_ranges_put(SpilledRanges *ranges, Rows *rows, bool full);

/* True if so many rows have come since the last call that they should be put. */
extern bool spilled_ranges_due(const SpilledRanges *ranges, const Rows *rows);

/* Called after the last row has been put.  Returns the bytes written. */
extern int64 spilled_ranges_finish(SpilledRanges *ranges);

/* Has spilled_ranges_append() return the rows of the next ranges that fit in memory; false: there are none. */
extern bool spilled_ranges_next(SpilledRanges *ranges);

/* A RowSource's function: appends some rows; false: there are no more in these ranges. */
extern bool spilled_ranges_append(void *ranges, Rows *rows);

/* Closes the files and frees all memory. */
extern void spilled_ranges_free(SpilledRanges *ranges);

/* ---- splitters.c: divides rows into ranges of the window order at some of the rows, the splitters ---- */

/*
 * order_ranges.c divides the rows of several processes so, and spilled_ranges.c those beyond memory.  Splitters are
 * quantiles of samples (sample sort: Frazer and McKellar, 1970).  A row finds its range by a number of its first key,
 * or of its first two if the first one has few values; keys are compared only where that number is a splitter's, too.
 */

/*
 * The numbers from the first splitter's to the last one's are divided into slots.  Few slots have more than one
 * splitter, so most rows find their range without a search.
 */
#define SPLITTER_SLOTS 1024

typedef struct Splitters
{
	/* filled in by the caller */
	const WindowKeys *keys;		/* with their comparisons */
	int				  compared; /* number of first keys that tell ranges apart: rows equal in them are in one range */
	Rows			 *rows;		/* the row at which each range but the first begins; there are none yet */

	/* by splitters_find() */
	bool	tells;					  /* rows with the same number are equal in the first key, if neither is NULL */
	uint64	least, most;			  /* numbers of the samples' first keys, without NULLs */
	int		bits;					  /* of most - least, above as many bits of the second key's number; or 0 */
	uint64 *number;					  /* of each splitter, as splitters_numbers() computes it */
	int		shift;					  /* a number x is in slot (x - number[0]) >> shift */
	int		slot[SPLITTER_SLOTS + 1]; /* how many splitters have a number in an earlier slot */
} Splitters;

/* Picks the rows that divide the samples into `ranges` ranges of equal length, as far as equal rows let them. */
extern void splitters_find(Splitters *splitters, Rows *samples, int ranges);

/* Drops splitters that are equal to the splitter before: every range but the first has a row then. */
extern void splitters_drop_equal(Splitters *splitters);

/* Computes the numbers of n rows from row `from` on.  A row that comes earlier never has a greater number. */
extern void splitters_numbers(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint64 *number);

/* Returns the range of a row, counted from 0; `number`: that of the row. */
extern uint32 splitters_range_of(const Splitters *splitters, const Rows *rows, int64 row, uint64 number);

/* Returns in to[] the ranges of n rows from row `from` on; at most SPLITTERS_ROWS rows. */
extern void splitters_ranges(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint32 *to);
#define SPLITTERS_ROWS 4096

extern void splitters_free(Splitters *splitters);

/* ---- presorted.c ---- */

/* Divides input that is in order by the first keys of the window into chunks, which are sorted one by one. */

typedef struct Presorted
{
	int			  prefix; /* the child's rows are in order by so many first keys; 0: there are no chunks */
	Pull		 *pull;
	WindowKeys	 *keys;
	MemoryContext scratch; /* of comparisons */

	/* running */
	int64 target;	   /* rows after which the chunk ends with a group: few at first, for an early stop */
	int64 rows;		   /* of the chunk, so far */
	Rows *held;		   /* rows that were pulled, and are of later chunks; NULL: none were yet */
	Rows *edge;		   /* the row whose group ends the chunk, if it lies before the rows pulled last; else no row */
	bool  chunk_ended; /* all rows of the chunk have been appended */
	bool  child_ended; /* the child has no more rows */
} Presorted;

/* Begins with rows of `pull` that are in order by the first `prefix` keys, rows that are equal in them lie together. */
extern void presorted_begin(Presorted *presorted, Pull *pull, WindowKeys *keys, int prefix);

/* Begins the next chunk; false: there are no more rows. */
extern bool presorted_next(Presorted *presorted);

/* Returns the source of the rows of a chunk. */
extern RowSource presorted_rows(Presorted *presorted);

/* Forgets all rows, and begins again. */
extern void presorted_rewind(Presorted *presorted);

/* ---- sorted_input.c: rows that were sorted here: in memory with their order, or as runs on disk ---- */

/*
 * The rows are those of the child, or of a batch that several processes have repartitioned: whoever has them sorted
 * says where they come from.  Afterwards Sorted.all or Sorted.runs has them.  Rows of a child that is in order by the
 * first keys come in chunks (presorted.c), one after the other.
 */

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
	MemoryContext	 memory;	  /* lives as long as the node */
	SortColumn		*sort_column; /* for each key; set before each sort */
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
 * Repartitions the child's rows that may be among the first ones of their partitions, in no order: as often as they
 * take `budget` bytes, and at the end.
 */
extern void sorted_first_rows(Sorted *sorted, Size budget, Repartition *repartition);

/* Returns how many bytes the sort has left of scan.work_mem, and at least a part of it. */
extern Size sorted_memory_left(const Sorted *sorted);

/* Frees the rows of `all` and the runs. */
extern void sorted_forget(Sorted *sorted);

/* The same, and the later rows. */
extern void sorted_rewind(Sorted *sorted);

#endif /* SCAN_NODE_INPUT_SORTING_H */

/*
 * exchange.h: repartitions the rows that several processes read to batches: each has whole partitions, or is a range.
 *
 * node/input/shared_input.c and order_ranges.c repartition the rows that their process reads, and shared_input.c takes
 * batches of the rows of all processes.  Every process does the same, and any number of processes suffices.  A process
 * that comes before the last row is repartitioned takes part, and waits for the others that do.  A process that comes
 * later only takes batches.
 */
#ifndef SCAN_EXCHANGE_EXCHANGE_H
#define SCAN_EXCHANGE_EXCHANGE_H

#include "postgres.h"

#include "access/parallel.h"
#include "fmgr.h"

#include "column/rows.h"

/* ---- rows_in_place.c: rows that processes have read in window order, which stay where they were put ---- */

/*
 * node/input/rows_in_order.c puts rows here, some at a time, instead of on batches, as long as they come in order.  A
 * process's rows are numbered from 0.  When the ranges are known, the process says with which of its rows each range
 * begins, and whoever takes a range reads that part of the rows of each process.
 */

/* The shared state, in the query's DSM. */
typedef struct OrderedShared OrderedShared;

/* A piece: rows that were put at once. */
typedef struct OrderedPiece
{
	uint64 place; /* its offset in the area */
	int64  first; /* number of its first row */
} OrderedPiece;

/* The pieces of a process, as another process has found them. */
typedef struct OrderedPieces
{
	int			  n;
	OrderedPiece *piece; /* NULL: they were not looked for */
} OrderedPieces;

/* A process's view of the rows of all processes. */
typedef struct Ordered
{
	OrderedShared *shared;
	struct Area	  *area;
	int			   number; /* of this process: 0 is the leader */
	MemoryContext  memory;
	OrderedPieces *of;	  /* the pieces of each process; NULL: no piece was looked for */
	int64		   bytes; /* bytes that this process has put */
} Ordered;

extern Size ordered_shared_size(int processes, int ranges);
extern void ordered_create(OrderedShared *shared, int processes, int ranges);

/* Forgets all rows. */
extern void ordered_reset(OrderedShared *shared);

/* Puts rows after those of this process; false: there is no shared memory left. */
extern bool ordered_put(Ordered *ordered, const Rows *rows);

/* Returns how many rows a process has put. */
extern int64 ordered_rows(const Ordered *ordered, int process);

/*
 * Says that range `range` begins with row `row` of this process.  A range that is not named is empty, as are all ranges
 * after it.
 */
extern void ordered_cut(Ordered *ordered, int range, int64 row);

/* Returns the first of the rows of a process that are in a range, and sets *end to the one after the last. */
extern int64 ordered_part(const Ordered *ordered, int process, int range, int64 *end);

/*
 * Replaces `rows` by the rows of a process that were put together with row `row`; returns the number of the first.
 * By-reference values stay in shared memory.
 */
extern int64 ordered_read(Ordered *ordered, int process, int64 row, Rows *rows);

/* The same for the piece with that index. */
extern int64 ordered_piece(Ordered *ordered, int process, int64 index, Rows *rows);

/* Forgets what was found of the rows of others, so that the process can begin again. */
extern void ordered_leave(Ordered *ordered);

/* ---- what is counted of the processes of a repartition ---- */

/* The processes share the counts (internal.h), and EXPLAIN prints those at the end. */

/* What is counted of all processes together.  Times are in nanoseconds, summed over the participants. */
typedef enum RepartitionCount
{
	COUNT_PARTICIPANTS = 0,	 /* processes that have repartitioned rows or taken a batch */
	COUNT_ROWS,				 /* number of rows that were repartitioned */
	COUNT_IN_ORDER,			 /* how many of them came in order, and stayed where they were put */
	COUNT_BYTES,			 /* bytes of rows in shared memory */
	COUNT_SPILLED,			 /* bytes of rows in files */
	COUNT_REPARTITIONING_NS, /* reading rows and repartitioning them */
	COUNT_WAITING_NS,		 /* waiting for other processes */
	COUNT_TAKING_NS,		 /* from the first batch to the end of the last, with the time of the nodes above */
	COUNT_TAKEN,			 /* the number of the next batch to be taken */
	COUNT_HELD,				 /* ranges: bytes of rows that all processes hold */
	COUNTS
} RepartitionCount;

typedef struct RepartitionReport
{
	int	  batches;
	bool  ordered; /* batches are ranges */
	int64 count[COUNTS];
} RepartitionReport;

/* ---- repartition.c ---- */

/* The shared state, in the query's DSM. */
typedef struct RepartitionShared RepartitionShared;

/* A process's view of the repartition. */
typedef struct Repartition Repartition;

/* A key of the partition; its hash tells the batch of a row. */
typedef struct RepartitionKey
{
	int		 column;   /* the column of the rows that the key is in */
	bool	 by_datum; /* equal Datums are equal values, and the reverse */
	FmgrInfo hash;	   /* unless by_datum: a hash function of the type; equal values have equal hashes */
	Oid		 collation;
} RepartitionKey;

/* What a process that begins has to do.  A phase ends when all processes that have begun are done with it. */
typedef enum RepartitionPhase
{
	REPARTITION_SAMPLES = 0, /* ranges only: to hold its rows, and to take samples of them */
	REPARTITION_SHOW,		 /* ranges only: to show its samples; a process that begins now has none */
	REPARTITION_ROWS,		 /* to repartition its rows */
	REPARTITION_TAKING		 /* to take batches */
} RepartitionPhase;

/*
 * Returns how many batches `bytes` bytes of rows are best repartitioned to.  A range is a block in memory, and has to
 * fit in a part of the budget.
 */
extern int repartition_batches_for(double bytes, int processes, bool ordered, Size budget);

extern Size repartition_shared_size(int processes, int batches, bool ordered);

/*
 * repartition_create() is called by the process that launches the others, repartition_attach() by the others, and
 * repartition_reset() by the first before it launches others again.  Batches are found by a hash, or are ranges of the
 * window order if `ordered`; there are as many ranges as the rows turn out to need.  Each process has `budget` bytes.
 */
extern Repartition *repartition_create(MemoryContext memory, RepartitionShared *shared, ParallelContext *context,
									   int batches, bool ordered, Size budget);
extern Repartition *repartition_attach(MemoryContext memory, RepartitionShared *shared);
extern void			repartition_reset(Repartition *repartition);

/* Begins to repartition rows that are laid out as `like`; returns what this process has to do. */
extern RepartitionPhase repartition_begin(Repartition *repartition, const Rows *like, const RepartitionKey *key,
										  int keys);

/*
 * Ranges: tells the others that this process holds `bytes` bytes of rows, and that one of 2^level of its rows is a
 * sample; waits until all processes have called it.  Then the number of ranges is known.  Returns the highest level.
 */
extern int repartition_agree(Repartition *repartition, double bytes, int level);

/* Ranges: shows the samples to all processes, and replaces them by those of all, which are the same in each process. */
extern void repartition_samples(Repartition *repartition, Rows *samples);

extern int repartition_batches(const Repartition *repartition);

/* Ranges: returns where the rows are that came in order, of all processes; and how many processes there may be. */
extern Ordered *repartition_ordered(Repartition *repartition);
extern int		repartition_processes(const Repartition *repartition);

/*
 * repartition_rows() puts rows on batches by their hash; repartition_rows_to() puts rows `from` to from + n - 1, the
 * first on batch to[0].  Best called with some thousands of rows.
 */
extern void repartition_rows(Repartition *repartition, const Rows *rows);
extern void repartition_rows_to(Repartition *repartition, const Rows *rows, int64 from, int64 n, const uint32 *to);

/* Called when this process has no more rows; waits until no process has any. */
extern void repartition_finish(Repartition *repartition);

/* Takes the first batch that no process has taken; false: there is none. */
extern bool repartition_next_batch(Repartition *repartition);

/* Returns how many rows the batch that was taken has, without those in order. */
extern int64 repartition_rows_taken(const Repartition *repartition);

/* Moves some rows of the batch that was taken to the end of `rows`; false: the batch is empty. */
extern bool repartition_pull(Repartition *repartition, Rows *rows);

/* Closes the files that are read, so that the process can begin again. */
extern void repartition_leave(Repartition *repartition);

extern RepartitionReport repartition_report(const RepartitionShared *shared);

/* ---- handoff.c: which ranges of the window order have rows, and what a range hands over to the next one ---- */

/* Returns the range that was taken last. */
extern int repartition_taken(const Repartition *repartition);

/* True if no range after the one that was taken has any rows. */
extern bool repartition_range_is_last(const Repartition *repartition);

/* Returns the last range with rows before the one that was taken; -1: there is none. */
extern int repartition_range_before(const Repartition *repartition);

typedef enum HandoffKind
{
	HANDOFF_ROWS = 0, /* rows of the overlap */
	HANDOFF_STATES,	  /* saved states of functions */
	HANDOFF_KINDS
} HandoffKind;

/*
 * repartition_hand_over() hands bytes over from the range that was taken to the next one.  repartition_handed_over()
 * returns the bytes that `range` handed over, and waits for them; they are valid until the next call.
 */
extern void		   repartition_hand_over(Repartition *repartition, HandoffKind kind, const void *bytes, Size size);
extern const void *repartition_handed_over(Repartition *repartition, HandoffKind kind, int range);

#endif /* SCAN_EXCHANGE_EXCHANGE_H */

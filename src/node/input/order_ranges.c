/*
 * order_ranges.c: divides a window's rows into ranges of the window order, which several processes compute.
 *
 * For a window that has no partitions, or few: shared_input.c calls it, and exec/exec.c, in carry_over_range(), for the
 * functions' states.  Every process holds its rows (beyond a part of the budget, on disk) until there are samples of
 * all rows.  Quantiles of the samples cut the order into ranges, and the rows are repartitioned to these ranges
 * (exchange/exchange.h), but for those that came in order (rows_in_order.c).  Rows that are equal in all keys are in
 * one range, so no peer group is cut.  (Sample sort: Frazer and McKellar, 1970.)
 *
 * A range is sorted and put into one block.  Functions restore the states that they had at the end of the range before.
 * They also look at the last rows of that range, or compute rows that it left to this one (overlap.c).
 * exchange/handoff.c hands over both states and rows.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "column/stretch.h"
#include "exchange/exchange.h"
#include "guc.h"
#include "node/input/blocks.h"
#include "node/input/pull.h"
#include "node/input/sorting.h"
#include "sort/files.h"

#define PULLED SPLITTERS_ROWS /* rows that are pulled, or repartitioned, at once */
#define MOST_SAMPLES 8192	  /* samples of a process at which every second one is dropped */
#define HELD_PART 4			  /* held rows may take this part of the budget in memory */
#define SAMPLES_PART 16		  /* samples may take this part of the budget */

/* The rows of this process, which it holds until the ranges are known. */
typedef struct Held
{
	Rows		 *rows;	   /* in memory: the rows that came last */
	Rows		 *samples; /* of all held rows */
	int			  level; /* one of 2^level rows is a sample; processes with different levels agree on the highest one */
	int64		  next;	 /* the row of `rows` that is the next sample; it may be still to come */
	pg_prng_state random;	/* of the distances between samples */
	double		  bytes;	/* bytes of the rows in `aside`; when all rows have been pulled, of all held rows */
	bool		  is_aside; /* `aside` has been created */
	RowFile		  aside;	/* on disk: the rows that came before those in memory */
	bool		  keeps;	/* all rows so far have come in order */
	InOrder		  in_order; /* the rows that have, and lie in shared memory */
} Held;

void
ranges_begin(Ranges *ranges)
{
	/* a row before tells if its partition continues in the range; without one, ranges_join() hands over no rows */
	if (ranges->sorted->keys->partition > 0 || ranges->needs->after > 0 || (ranges->needs->flags & NEEDS_BOUNDS))
		ranges->needs->before = Max(ranges->needs->before, 1);
}

/* ---- holding rows ---- */

static Size
held_bytes(const Rows *rows)
{
	return rows->n * rows_row_bytes(rows) + rows->arena.used;
}

static void
put_aside(Held *held)
{
	if (!held->is_aside)
		row_file_create(&held->aside);
	held->is_aside = true;
	(void) row_file_write(&held->aside, held->rows, NULL, 0, held->rows->n);
	held->next -= held->rows->n;
	held->bytes += held_bytes(held->rows);
	rows_reset(held->rows);
}

/* Drops every second sample and halves the rate: no estimate says how many rows there will be. */
static void
drop_samples(Held *held)
{
	Rows  *fewer = rows_create_like(held->samples);
	int64  n = (held->samples->n + 1) / 2;
	uint32 which[MOST_SAMPLES];

	for (int i = 0; i < n; i++)
		which[i] = 2 * i;
	rows_append_some(fewer, held->samples, which, n);
	rows_free(held->samples);
	held->samples = fewer;
	held->level++;
}

/*
 * Samples are 2^level rows apart on average.  At equal distances all of them would have the same value of a column that
 * alternates from row to row.
 */
static int64
distance_of_samples(Held *held)
{
	return (int64) pg_prng_uint64_range(&held->random, 1, (UINT64CONST(2) << held->level) - 1);
}

static void
take_held_samples(Held *held)
{
	Size limit = guc_budget() / SAMPLES_PART;

	while (held->next < held->rows->n)
	{
		rows_append_row(held->samples, held->rows, held->next);
		held->next += distance_of_samples(held);
		if (held->samples->n == MOST_SAMPLES || (held->samples->n > 1 && held_bytes(held->samples) > limit))
			drop_samples(held);
	}
}

/* Keeps the rows in memory if they are in order and need no repartitioning; else repartitions these and later rows. */
static void
keep_in_order(Held *held)
{
	held->keeps = in_order_keep(&held->in_order, held->rows);
	if (!held->keeps)
		return;
	held->next -= held->rows->n;
	held->bytes += held_bytes(held->rows);
	rows_reset(held->rows);
}

static void
hold_rows(Ranges *ranges, Held *held)
{
	Size limit = guc_budget() / HELD_PART;

	pg_prng_seed(&held->random, 1);
	in_order_begin(&held->in_order, repartition_ordered(ranges->repartition), ranges->sorted);
	held->keeps = true;
	while (pull_rows(ranges->sorted->pull, held->rows, PULLED) > 0)
	{
		take_held_samples(held);
		if (held->keeps && (held->rows->n >= PULLED || held_bytes(held->rows) > limit))
			keep_in_order(held);
		if (held_bytes(held->rows) > limit)
			put_aside(held);
	}
	if (held->keeps && held->rows->n > 0)
		keep_in_order(held);
	held->bytes += held_bytes(held->rows);
}

/* Tells the others how much this process holds, and thins its samples out to the rate that all processes agree on. */
static void
agree_on_samples(Ranges *ranges, Held *held)
{
	int level = repartition_agree(ranges->repartition, held->bytes, held->level);

	while (held->level < level)
		drop_samples(held);
}

/* ---- repartitioning ---- */

/* Repartitions rows in memory, some at a time, since a row is read twice: to find its range, and to be copied there. */
static void
repartition_held(Ranges *ranges, const Splitters *splitters, const Rows *rows)
{
	uint32 to[PULLED];

	for (int64 from = 0; from < rows->n; from += PULLED)
	{
		int64 n = Min(PULLED, rows->n - from);

		CHECK_FOR_INTERRUPTS();
		splitters_ranges(splitters, rows, from, n, to);
		repartition_rows_to(ranges->repartition, rows, from, n, to);
	}
}

static void
repartition_held_rows(Ranges *ranges, Held *held)
{
	const WindowKeys *keys = ranges->sorted->keys;
	Splitters		  splitters = {.keys = keys, .compared = keys->n, .rows = sorted_rows(ranges->sorted)};

	splitters_find(&splitters, held->samples, repartition_batches(ranges->repartition));
	in_order_cut(&held->in_order, ranges->sorted, splitters.rows);
	in_order_end(&held->in_order);
	repartition_held(ranges, &splitters, held->rows);
	if (held->is_aside)
	{
		row_file_read(&held->aside, ranges->sorted->memory, held->rows->column, ranges->sorted->columns);
		for (rows_reset(held->rows); row_file_pull(&held->aside, held->rows, PULLED, BLOCK_MAX_BYTES) > 0;
			 rows_reset(held->rows))
			repartition_held(ranges, &splitters, held->rows);
		row_file_close(&held->aside);
	}
	splitters_free(&splitters);
}

void
ranges_repartition(Ranges *ranges)
{
	Held			 held = {.rows = sorted_rows(ranges->sorted), .samples = sorted_rows(ranges->sorted)};
	RepartitionPhase phase = repartition_begin(ranges->repartition, held.rows, NULL, 0);

	window_keys_prepare(ranges->sorted->keys);
	if (phase == REPARTITION_SAMPLES)
	{
		hold_rows(ranges, &held);
		agree_on_samples(ranges, &held);
	}
	if (phase <= REPARTITION_SHOW)
		repartition_samples(ranges->repartition, held.samples);
	if (phase == REPARTITION_SAMPLES)
		repartition_held_rows(ranges, &held);
	if (phase != REPARTITION_TAKING)
		repartition_finish(ranges->repartition);
	rows_free(held.rows);
	rows_free(held.samples);
}

/* RowSource.append */
static bool
ranges_append_rows(void *arg, Rows *rows)
{
	Ranges *ranges = (Ranges *) arg;

	return range_merge_append(&ranges->merge, repartition_ordered(ranges->repartition), ranges->sorted->keys, rows) ||
		   repartition_pull(ranges->repartition, rows);
}

RowSource
ranges_rows(Ranges *ranges)
{
	Repartition *repartition = ranges->repartition;
	int64		 others = repartition_rows_taken(repartition), rows;

	window_keys_prepare(ranges->sorted->keys);
	rows = range_merge_begin(&ranges->merge, repartition_ordered(repartition), repartition_processes(repartition),
							 repartition_taken(repartition), ranges->sorted);
	return (RowSource){ranges_append_rows, ranges, rows + others, others == 0};
}

void
ranges_leave(Ranges *ranges)
{
	range_merge_end(&ranges->merge);
}

/* ---- from range to range ---- */

/* What is handed over beside rows of the overlap. */
typedef struct HandedRows
{
	int64 before; /* the first so many rows are emitted by earlier ranges; the others are left to the next range */
	int32 range;  /* the range that emits the last row before those left to the next range; -1: there is none */
} HandedRows;

/* Puts the last n rows in memory, which come before the range's, at the begin of the order; clears their boundaries. */
static void
put_before(Ranges *ranges, int64 n)
{
	Pool	  *pool = ranges->sorted->all->arrays;
	SortOrder *all = &ranges->sorted->order;
	SortOrder  own = *all;

	sort_order_begin(all, pool, own.n + n);
	all->bits = own.bits;
	all->rows = (uint32 *) pool_alloc(pool, all->n * sizeof(uint32));
	FOR_INTERRUPTIBLE (i, 0, n)
		all->rows[i] = (uint32) (own.n + i);
	FOR_INTERRUPTIBLE (i, n, all->n)
	{
		all->rows[i] = own.rows[i - n];
		scan_bit_put(all->heads, i, scan_bit(own.heads, i - n));
		scan_bit_put(all->peers, i, scan_bit(own.peers, i - n));
	}
	sort_order_free(&own, pool);
}

/* True if the row at a position differs from the one before it in one of the first `keys` keys. */
static bool
keys_differ_at(const Sorted *sorted, int keys, int64 position)
{
	const Rows	 *all = sorted->all;
	const uint32 *row = sorted->order.rows + position;

	return keys > 0 && compare_rows(sorted->keys->compare, keys, all, row[-1], all, row[0]) != 0;
}

/* Marks the boundaries among the n rows that were taken over, and at the first row after them. */
static void
mark_taken_over(Sorted *sorted, int64 n)
{
	SortOrder *order = &sorted->order;

	scan_bit_put(order->heads, 0, true);
	scan_bit_put(order->peers, 0, true);
	FOR_INTERRUPTIBLE (i, 1, n + 1)
	{
		scan_bit_put(order->heads, i, keys_differ_at(sorted, sorted->keys->partition, i));
		scan_bit_put(order->peers, i, keys_differ_at(sorted, sorted->keys->n, i));
	}
}

/* Takes over the rows before the range: those that it looks at, and those that were left to it. */
static void
take_rows_before(Ranges *ranges)
{
	Sorted	   *sorted = ranges->sorted;
	const char *bytes = (const char *) repartition_handed_over(ranges->repartition, HANDOFF_ROWS, ranges->before);
	HandedRows	handed;
	int64		n = sorted->order.n;

	memcpy(&handed, bytes, sizeof(handed));
	rows_read_memory(sorted->all, bytes + MAXALIGN(sizeof(handed)));
	n = sorted->all->n - n;
	put_before(ranges, n);
	mark_taken_over(sorted, n);
	ranges->first = handed.before;
	ranges->before = handed.range;
}

/* Returns what this range shares with the next one; `last`: no range with rows comes after it. */
static Overlap
find_overlap(const Ranges *ranges, bool last)
{
	const Sorted *sorted = ranges->sorted;

	return last ? (Overlap){.end = sorted->order.n, .needed = sorted->order.n}
				: overlap_find(sorted->all, &sorted->order, ranges->frame, ranges->needs, ranges->first);
}

/* Hands the rows from overlap.needed on over to the next range; those from overlap.end on are left to it. */
static void
hand_rows_over(Ranges *ranges, Overlap overlap)
{
	int64			 needed = Max(overlap.needed, 0);
	HandedRows		 handed = {.before = overlap.end - needed, .range = ranges->before};
	const Rows		*all = ranges->sorted->all;
	const SortOrder *order = &ranges->sorted->order;
	Rows			*last = rows_create_like(all);
	char			*bytes;
	Size			 size;

	if (overlap.end > ranges->first)
		handed.range = repartition_taken(ranges->repartition);
	rows_append_some(last, all, order->rows + needed, order->n - needed);
	size = MAXALIGN(sizeof(handed)) + rows_written_size(last);
	bytes = (char *) MemoryContextAllocHuge(CurrentMemoryContext, size);
	memcpy(bytes, &handed, sizeof(handed));
	rows_write_memory(last, bytes + MAXALIGN(sizeof(handed)));
	repartition_hand_over(ranges->repartition, HANDOFF_ROWS, bytes, size);
	pfree(bytes);
	rows_free(last);
}

/*
 * Takes over the rows that this range needs of the ranges before, and hands over the rows that the next range needs.
 * Hands over before it takes over if the rows of this range suffice.
 */
static void
join_rows(Ranges *ranges)
{
	bool	last = repartition_range_is_last(ranges->repartition);
	int64	own = ranges->sorted->order.n;
	Overlap overlap = find_overlap(ranges, last);
	bool	enough = overlap.needed >= 0;

	if (enough && !last)
		hand_rows_over(ranges, overlap);
	if (ranges->before >= 0)
		take_rows_before(ranges);
	if (!enough)
	{
		overlap = find_overlap(ranges, last);
		hand_rows_over(ranges, overlap);
	}
	else
		overlap.end += ranges->sorted->order.n - own;
	ranges->end = overlap.end;
}

void
ranges_join(Ranges *ranges)
{
	SortOrder *order = &ranges->sorted->order;

	ranges->before = repartition_range_before(ranges->repartition);
	ranges->first = 0;
	ranges->end = order->n;
	if (order->n == 0)
		return;
	if (ranges->needs->before > 0)
		join_rows(ranges);
	else if (ranges->before >= 0)
		scan_bit_put(order->heads, 0, false);
}

bool
ranges_take_states(const Ranges *ranges, StringInfo states)
{
	if (ranges->before < 0)
		return false;
	/* the states are read where they lie */
	*states = (StringInfoData){.data = unconstify(char *, (const char *) repartition_handed_over(
															  ranges->repartition, HANDOFF_STATES, ranges->before))};
	return true;
}

void
ranges_hand_states_over(Ranges *ranges, const StringInfoData *states)
{
	repartition_hand_over(ranges->repartition, HANDOFF_STATES, states->data, states->len);
}

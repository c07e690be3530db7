/*
 * repartition.c: repartitions the rows that several processes read to batches of whole partitions, or to ranges.
 *
 * node/input/shared_input.c and order_ranges.c call it.  Unless batches are ranges, the hash of a row's partition keys
 * tells its batch.  So nothing has to be known of the rows before the first one is repartitioned, and no process holds
 * its rows: some rows of a batch at a time go where all processes can take them (batch.c).
 *
 * The processes meet at a barrier when the last row is repartitioned, and, for ranges, twice before.  A process
 * attaches to the barrier when it begins (as in Parallel Hash), so no process waits for one that has not begun.  Until
 * all rows are repartitioned, no process returns a row to the nodes above, so two processes never wait for each other.
 *
 * Rejected where there are enough partitions: to divide the window order at samples of the rows (order_ranges.c), which
 * keeps the order over all batches, but makes processes hold all rows until the samples are there.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "column/memory.h"
#include "column/rows_serialize.h"
#include "column/stretch.h"
#include "exchange/internal.h"
#include "library/build.h"
#include "library/library.h"

/*
 * Rows of a batch are kept up to KEPT_BYTES before they are written, or less, so that those of all batches take at most
 * 1 / KEPT_PART of the budget; but at least KEPT_LEAST.
 */
#define KEPT_BYTES ((Size) 32 * 1024)
#define KEPT_LEAST ((Size) 1024)
#define KEPT_PART 4

/* The size of a batch that is aimed at: its sort stays in the cache. */
#define BATCH_BYTES (8.0 * 1024 * 1024)

/*
 * A few batches for each process, so that a slow one takes fewer; not so many that rows of each come one by one.  With
 * many processes BATCHES_MOST would leave each too few to share the last ones.
 */
#define BATCHES_EACH 8
#define BATCHES_MOST 128
#define BATCHES_EACH_LEAST 4

/*
 * A range is a block in memory.  Its rows in order, the gathered rows and results take RANGE_TIMES its size, and may
 * take 1 / RANGE_PART of the budget.
 */
#define RANGE_TIMES 3.0
#define RANGE_PART 2
#define RANGES_MOST 2048

/* ---- shared state ---- */

int
repartition_batches_for(double bytes, int processes, bool ordered, Size budget)
{
	double most = Max(BATCHES_MOST, BATCHES_EACH_LEAST * processes);
	double batches = Min(Max(bytes / BATCH_BYTES, BATCHES_EACH * processes), most);

	if (ordered)
		batches = Min(Max(batches, bytes * RANGE_TIMES * RANGE_PART / (double) budget), RANGES_MOST);
	return (int) batches;
}

/* Returns how many batches to make room for.  The number of ranges is not known before the rows are. */
static int
capacity_for(int batches, bool ordered)
{
	return ordered ? RANGES_MOST : batches;
}

Size
repartition_shared_size(int processes, int batches, bool ordered)
{
	batches = capacity_for(batches, ordered);
	return MAXALIGN(sizeof(RepartitionShared)) + MAXALIGN(handoff_shared_size(batches)) +
		   MAXALIGN(batches_shared_size(processes, batches + 1)) +
		   (ordered ? ordered_shared_size(processes, batches) : 0);
}

/* Sets up what a repartition begins with; no other process may have the memory. */
static void
begin_anew(RepartitionShared *shared)
{
	BarrierInit(&shared->barrier, 0);
	for (int c = 0; c < COUNTS; c++)
		pg_atomic_init_u64(&shared->count[c], 0);
	pg_atomic_init_u32(&shared->level, 0);
	handoff_begin(handoff_of(shared), shared->capacity);
}

static Repartition *
repartition_of(MemoryContext memory, RepartitionShared *shared)
{
	Repartition *repartition = (Repartition *) MemoryContextAlloc(memory, sizeof(Repartition));

	*repartition = (Repartition){.shared = shared, .memory = memory};
	return repartition;
}

/* Ranges: sets up the process's view of rows in order, once it has that of the batches. */
static void
view_ordered(Repartition *repartition)
{
	RepartitionShared *shared = repartition->shared;

	if (!shared->ordered || repartition->idle)
		return;
	repartition->ordered = (Ordered){.shared = ordered_of(shared, shared->processes, shared->capacity),
									 .area = repartition->batches.area,
									 .number = repartition->batches.number,
									 .memory = repartition->memory};
}

Repartition *
repartition_create(MemoryContext memory, RepartitionShared *shared, ParallelContext *context, int batches, bool ordered,
				   Size budget)
{
	Repartition *repartition = repartition_of(memory, shared);

	*shared = (RepartitionShared){.build = scan_build,
								  .processes = context->nworkers + 1,
								  .budget = budget,
								  .capacity = capacity_for(batches, ordered),
								  .ordered = ordered};
	pg_atomic_init_u32(&shared->batches, batches);
	begin_anew(shared);
	/* a batch's sort needs some of the budget, too */
	batches_create(&repartition->batches, memory, batches_of(shared, shared->capacity), context, shared->capacity + 1,
				   shared->processes * (budget / 4 * 3));
	view_ordered(repartition);
	if (ordered)
		ordered_create(repartition->ordered.shared, shared->processes, shared->capacity);
	return repartition;
}

Repartition *
repartition_attach(MemoryContext memory, RepartitionShared *shared)
{
	Repartition *repartition = repartition_of(memory, shared);

	library_check_build(shared->build);
	repartition->idle = !batches_attach(&repartition->batches, memory, batches_of(shared, shared->capacity));
	view_ordered(repartition);
	return repartition;
}

void
repartition_reset(Repartition *repartition)
{
	batches_reset(&repartition->batches);
	if (repartition->shared->ordered)
		ordered_reset(repartition->ordered.shared);
	begin_anew(repartition->shared);
}

static void
arrive_at_barrier(Repartition *repartition)
{
	if (!repartition->came)
		count_more(repartition->shared, COUNT_PARTICIPANTS, 1);
	repartition->came = true;
}

/* ---- time ---- */

/* Adds the time of a phase that ends to its count, without the time of waiting; the next phase begins. */
static void
end_phase(Repartition *repartition, RepartitionCount phase)
{
	if (repartition->since != 0)
	{
		count_more(repartition->shared, phase, (int64) (clock_ns() - repartition->since - repartition->waited));
		count_more(repartition->shared, COUNT_WAITING_NS, (int64) repartition->waited);
	}
	repartition->waited = 0;
	repartition->since = clock_ns();
}

/* Waits until all attached processes have come here. */
static void
wait_for_all(Repartition *repartition)
{
	double since = clock_ns();

	BarrierArriveAndWait(&repartition->shared->barrier, PG_WAIT_EXTENSION);
	repartition->waited += clock_ns() - since;
}

/* ---- repartitioning ---- */

/* Returns the phase for a phase number of the barrier.  Ranges have two more phases, before the others. */
static RepartitionPhase
repartition_phase(const RepartitionShared *shared, int phase)
{
	return (RepartitionPhase) Min(phase + (shared->ordered ? 0 : (int) REPARTITION_ROWS), REPARTITION_TAKING);
}

/* Creates the Rows that are kept of each batch, once the number of batches is known. */
static void
keep_batches(Repartition *repartition)
{
	int			  batches = batches_now(repartition->shared);
	MemoryContext old = MemoryContextSwitchTo(repartition->memory);

	repartition->kept = Max(Min(repartition->shared->budget / KEPT_PART / batches, KEPT_BYTES), KEPT_LEAST);
	repartition->batch = (Rows **) palloc0(batches * sizeof(Rows *));
	for (int p = 0; p < batches; p++)
		repartition->batch[p] = rows_create_like(repartition->like);
	MemoryContextSwitchTo(old);
}

RepartitionPhase
repartition_begin(Repartition *repartition, const Rows *like, const RepartitionKey *key, int keys)
{
	RepartitionShared *shared = repartition->shared;
	RepartitionPhase   phase;

	if (repartition->idle)
		return REPARTITION_TAKING;
	repartition->since = clock_ns();
	phase = repartition_phase(shared, BarrierAttach(&shared->barrier));
	if (phase == REPARTITION_TAKING)
	{
		BarrierDetach(&shared->barrier);
		return phase;
	}
	arrive_at_barrier(repartition);
	repartition->scratch = AllocSetContextCreate(repartition->memory, "scan hash", ALLOCSET_SMALL_SIZES);
	repartition->key = key;
	repartition->keys = keys;
	repartition->like = like;
	if (phase == REPARTITION_ROWS)
		keep_batches(repartition);
	return phase;
}

int
repartition_agree(Repartition *repartition, double bytes, int level)
{
	RepartitionShared *shared = repartition->shared;
	uint32			   highest = pg_atomic_read_u32(&shared->level);

	while ((int) highest < level && !pg_atomic_compare_exchange_u32(&shared->level, &highest, (uint32) level))
		;
	count_more(shared, COUNT_HELD, (int64) bytes);
	wait_for_all(repartition);
	/* all processes write the same number */
	pg_atomic_write_u32(&shared->batches,
						repartition_batches_for((double) pg_atomic_read_u64(&shared->count[COUNT_HELD]),
												shared->processes, true, shared->budget));
	return (int) pg_atomic_read_u32(&shared->level);
}

void
repartition_samples(Repartition *repartition, Rows *samples)
{
	int batch = repartition->shared->capacity;

	if (samples->n > 0)
		(void) batches_show(&repartition->batches, batch, samples);
	wait_for_all(repartition);
	rows_reset(samples);
	batches_look(&repartition->batches, batch, samples);
	keep_batches(repartition);
}

int
repartition_batches(const Repartition *repartition)
{
	return batches_now(repartition->shared);
}

Ordered *
repartition_ordered(Repartition *repartition)
{
	return &repartition->ordered;
}

int
repartition_processes(const Repartition *repartition)
{
	return repartition->shared->processes;
}

/* Marks the ranges that have rows of this process in order, and counts these rows. */
static void
finish_ordered(Repartition *repartition)
{
	Ordered *ordered = &repartition->ordered;
	int64	 rows = ordered_rows(ordered, ordered->number);
	int64	 end;

	for (int r = 0; r < batches_now(repartition->shared) && rows > 0; r++)
		if (ordered_part(ordered, ordered->number, r, &end) < end)
			batches_mark(&repartition->batches, r);
	repartition->rows += rows;
	count_more(repartition->shared, COUNT_IN_ORDER, rows);
	count_more(repartition->shared, COUNT_BYTES, ordered->bytes);
}

/* Returns a hash of the values before, whose hash is `hash`, and of one more value. */
static inline uint64
hash_mix(uint64 hash, uint64 value)
{
	hash = (hash ^ value) * UINT64CONST(0x9E3779B97F4A7C15);
	hash ^= hash >> 32;
	hash *= UINT64CONST(0xD6E8FEB86659FD93);
	return hash ^ hash >> 29;
}

static void
hash_rows(Repartition *repartition, const Rows *rows)
{
	MemoryContext old = MemoryContextSwitchTo(repartition->scratch);

	stretch_fill(repartition->hash, 0, rows->n * sizeof(uint64));
	for (int k = 0; k < repartition->keys; k++)
	{
		const RepartitionKey *key = &repartition->key[k];
		const Column		 *column = &rows->column[key->column].data;

		FOR_INTERRUPTIBLE (i, 0, rows->n)
		{
			bool  isnull;
			Datum value = column_get(column, i, &isnull);

			if (isnull)
				value = 0;
			else if (!key->by_datum)
				value = FunctionCall1Coll(unconstify(FmgrInfo *, &key->hash), key->collation, value);
			repartition->hash[i] = hash_mix(repartition->hash[i] + isnull, value);
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(repartition->scratch);
}

/* Orders n rows by their batch: the rows of a batch begin at order[start[batch]]. */
static void
order_by_batch(const Repartition *repartition, int64 from, int64 n, const uint32 *to, int64 *start)
{
	int	   batches = batches_now(repartition->shared);
	int64 *next = (int64 *) palloc0((batches + 1) * sizeof(int64));

	FOR_INTERRUPTIBLE (i, 0, n)
		next[to[i] + 1]++;
	for (int p = 0; p < batches; p++)
		next[p + 1] += next[p];
	memcpy(start, next, (batches + 1) * sizeof(int64));
	FOR_INTERRUPTIBLE (i, 0, n)
		repartition->order[next[to[i]]++] = (uint32) (from + i);
	pfree(next);
}

/* Makes room for n rows in the arrays of a call. */
static void
repartition_reserve(Repartition *repartition, int64 n)
{
	if (n <= repartition->capacity)
		return;
	repartition->capacity = n;
	repartition->hash = (uint64 *) memory_renew(repartition->memory, repartition->hash, n * sizeof(uint64));
	repartition->to = (uint32 *) memory_renew(repartition->memory, repartition->to, n * sizeof(uint32));
	repartition->order = (uint32 *) memory_renew(repartition->memory, repartition->order, n * sizeof(uint32));
}

void
repartition_rows_to(Repartition *repartition, const Rows *rows, int64 from, int64 n, const uint32 *to)
{
	int	   batches = batches_now(repartition->shared);
	int64 *start = (int64 *) palloc((batches + 1) * sizeof(int64));

	repartition_reserve(repartition, n);
	order_by_batch(repartition, from, n, to, start);
	for (int p = 0; p < batches; p++)
	{
		Rows *kept = repartition->batch[p];

		CHECK_FOR_INTERRUPTS();
		if (start[p] == start[p + 1])
			continue;
		rows_append_some(kept, rows, repartition->order + start[p], start[p + 1] - start[p]);
		if (kept->n * kept->row_bytes + kept->arena.used >= repartition->kept)
			batches_put(&repartition->batches, p, kept);
	}
	repartition->rows += n;
	pfree(start);
}

void
repartition_rows(Repartition *repartition, const Rows *rows)
{
	uint32 batches = (uint32) batches_now(repartition->shared);

	repartition_reserve(repartition, rows->n);
	hash_rows(repartition, rows);
	FOR_INTERRUPTIBLE (i, 0, rows->n)
		repartition->to[i] = (uint32) (((repartition->hash[i] >> 32) * batches) >> 32);
	repartition_rows_to(repartition, rows, 0, rows->n, repartition->to);
}

void
repartition_finish(Repartition *repartition)
{
	for (int p = 0; p < batches_now(repartition->shared); p++)
	{
		CHECK_FOR_INTERRUPTS();
		batches_put(&repartition->batches, p, repartition->batch[p]);
		rows_free(repartition->batch[p]);
	}
	batches_finish(&repartition->batches);
	if (repartition->shared->ordered)
		finish_ordered(repartition);
	MemoryContextDelete(repartition->scratch);
	pfree(repartition->batch);
	repartition->batch = NULL;
	count_more(repartition->shared, COUNT_ROWS, repartition->rows);
	count_more(repartition->shared, COUNT_BYTES, repartition->batches.bytes);
	count_more(repartition->shared, COUNT_SPILLED, repartition->batches.spilled);
	wait_for_all(repartition);
	end_phase(repartition, COUNT_REPARTITIONING_NS);
	BarrierDetach(&repartition->shared->barrier);
}

/* ---- taking ---- */

bool
repartition_next_batch(Repartition *repartition)
{
	int64 batch = repartition->idle ? PG_INT64_MAX : count_more(repartition->shared, COUNT_TAKEN, 1);

	if (batch >= batches_now(repartition->shared))
	{
		if (!repartition->idle)
			end_phase(repartition, COUNT_TAKING_NS);
		return false;
	}
	arrive_at_barrier(repartition);
	repartition->taken = (int) batch;
	return true;
}

int64
repartition_rows_taken(const Repartition *repartition)
{
	return batches_rows(&repartition->batches, repartition->taken);
}

bool
repartition_pull(Repartition *repartition, Rows *rows)
{
	return batches_take(&repartition->batches, repartition->taken, rows);
}

void
repartition_leave(Repartition *repartition)
{
	batches_leave(&repartition->batches);
	ordered_leave(&repartition->ordered);
	forget_handed(repartition);
	repartition->came = false;
	repartition->rows = 0;
	repartition->waited = 0;
	repartition->since = 0;
}

RepartitionReport
repartition_report(const RepartitionShared *shared)
{
	RepartitionShared *from = unconstify(RepartitionShared *, shared);
	RepartitionReport  report = {.batches = batches_now(from), .ordered = from->ordered};

	for (int c = 0; c < COUNTS; c++)
		report.count[c] = (int64) pg_atomic_read_u64(&from->count[c]);
	return report;
}

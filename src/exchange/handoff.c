/*
 * handoff.c: passes bytes from each range of the window order to the next one.
 *
 * repartition.c sets it up.  The handoff is the exclusive scan over the ranges' totals, by a chain.  The chain has as
 * many steps as there are ranges, but a range waits only for the one before, on which another process works while this
 * one sorts its rows (decoupled look-back, Merrill and Garland, 2016, with a window of one).  In exchange, nothing has
 * to be joined: any function continues where the range before has ended, and sums of floats are added from left to
 * right.
 *
 * A process waits for one range, so what is handed over wakes only those that wait for it: each process that is woken
 * for nothing costs the one that hands over a signal, and all ranges after it the time of that.
 *
 * No deadlock: ranges are taken in order, and a process hands over before it returns a range's first row to the nodes
 * above.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "utils/wait_event.h"

#include "exchange/internal.h"

/* Ranges that are so far apart share a condition variable. */
#define HANDOFF_WAITS 64

struct HandoffShared
{
	int				  ranges;
	ConditionVariable handed[HANDOFF_WAITS];
	pg_atomic_uint64  place[FLEXIBLE_ARRAY_MEMBER]; /* for each kind and range; 0: nothing is handed over yet */
};

Size
handoff_shared_size(int ranges)
{
	return offsetof(HandoffShared, place) + HANDOFF_KINDS * ranges * sizeof(pg_atomic_uint64);
}

void
handoff_begin(HandoffShared *shared, int ranges)
{
	shared->ranges = ranges;
	for (int i = 0; i < HANDOFF_WAITS; i++)
		ConditionVariableInit(&shared->handed[i]);
	for (int i = 0; i < HANDOFF_KINDS * ranges; i++)
		pg_atomic_init_u64(&shared->place[i], 0);
}

static pg_atomic_uint64 *
handoff_place(HandoffShared *shared, HandoffKind kind, int range)
{
	return &shared->place[kind * shared->ranges + range];
}

/* Returns the condition variable of those that wait for what is handed over after a range. */
static ConditionVariable *
handed_after(HandoffShared *shared, int range)
{
	return &shared->handed[range % HANDOFF_WAITS];
}

/* Hands over, after a range, the place of the bytes of a kind; the place must not be 0. */
static void
handoff_hand_over(HandoffShared *shared, HandoffKind kind, int range, uint64 place)
{
	Assert(place != 0);
	/* the bytes at the place must be visible before the place is */
	pg_write_barrier();
	pg_atomic_write_u64(handoff_place(shared, kind, range), place);
	ConditionVariableBroadcast(handed_after(shared, range));
}

/* Returns the place that was handed over after a range; waits for it. */
static uint64
handoff_take(HandoffShared *shared, HandoffKind kind, int range)
{
	pg_atomic_uint64 *at = handoff_place(shared, kind, range);
	uint64			  place = pg_atomic_read_u64(at);

	if (place == 0)
	{
		ConditionVariablePrepareToSleep(handed_after(shared, range));
		while ((place = pg_atomic_read_u64(at)) == 0)
			ConditionVariableSleep(handed_after(shared, range), PG_WAIT_EXTENSION);
		ConditionVariableCancelSleep();
	}
	pg_read_barrier();
	return place;
}

/*
 * ---- which ranges have rows, and what a range hands over ----
 *
 * node/input/order_ranges.c calls these functions when batches are ranges: for rows of the overlap, and for the states
 * that exec/exec.c has the functions save.  The bytes that are handed over lie in the query's shared memory, or in a
 * file if there is none left (batch.c).
 */

int
repartition_taken(const Repartition *repartition)
{
	return repartition->taken;
}

bool
repartition_range_is_last(const Repartition *repartition)
{
	int range = repartition->taken + 1;

	while (range < batches_now(repartition->shared) && !batches_have(&repartition->batches, range))
		range++;
	return range == batches_now(repartition->shared);
}

int
repartition_range_before(const Repartition *repartition)
{
	int range = repartition->taken - 1;

	while (range >= 0 && !batches_have(&repartition->batches, range))
		range--;
	return range;
}

/* Writes the name of a file for bytes that are handed over. */
static void
name_handed(char *name, HandoffKind kind, int range)
{
	snprintf(name, MAXPGPATH, "handed.%d.%d", kind, range);
}

void
repartition_hand_over(Repartition *repartition, HandoffKind kind, const void *bytes, Size size)
{
	char name[MAXPGPATH];

	name_handed(name, kind, repartition->taken);
	handoff_hand_over(handoff_of(repartition->shared), kind, repartition->taken,
					  batches_store(&repartition->batches, name, bytes, size));
}

const void *
repartition_handed_over(Repartition *repartition, HandoffKind kind, int range)
{
	double		  since = clock_ns();
	char		  name[MAXPGPATH];
	uint64		  place;
	bool		  is_copy;
	const void	 *handed;
	MemoryContext old;

	place = handoff_take(handoff_of(repartition->shared), kind, range);
	repartition->waited += clock_ns() - since;
	forget_handed(repartition);
	name_handed(name, kind, range);
	old = MemoryContextSwitchTo(repartition->memory);
	handed = batches_fetch(&repartition->batches, name, place, &is_copy);
	MemoryContextSwitchTo(old);
	repartition->handed = is_copy ? unconstify(void *, handed) : NULL;
	return handed;
}

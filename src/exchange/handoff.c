/*
 * handoff.c: passes bytes from each range of the window order to the next one.
 *
 * repartition.c calls it.  The handoff is the exclusive scan over the ranges' totals, by a chain.  The chain has as
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

void
handoff_hand_over(HandoffShared *shared, HandoffKind kind, int range, uint64 place)
{
	Assert(place != 0);
	/* the bytes at the place must be visible before the place is */
	pg_write_barrier();
	pg_atomic_write_u64(handoff_place(shared, kind, range), place);
	ConditionVariableBroadcast(handed_after(shared, range));
}

uint64
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

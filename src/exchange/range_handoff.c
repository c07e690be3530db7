/*
 * range_handoff.c: which ranges of the window order have rows, and what a range hands over to the next one.
 *
 * node/input/order_ranges.c calls these functions when batches are ranges: for rows of the overlap, and for the states
 * that exec/exec.c has the functions save.  The bytes that are handed over lie in the query's shared memory, or in a
 * file if there is none left (batch.c); handoff.c wakes the process that waits for them.
 */
#include "postgres.h"

#include "exchange/internal.h"

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

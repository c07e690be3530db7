/*
 * extreme.c: see extreme.h.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/datum.h"

#include "compat.h"
#include "kept/extreme.h"

bool
kept_same_image(const KeptAggregate *aggregate, Datum a, Datum b)
{
	return datum_image_eq(a, b, aggregate->state_by_value, aggregate->state_length);
}

static Datum
join_values(const KeptAggregate *aggregate, Datum a, Datum b)
{
	return FunctionCall2Coll(aggregate->add, aggregate->collation, a, b);
}

static void
extreme_set(KeptExtreme *extreme, const KeptAggregate *aggregate, MemoryContext memory, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(memory);
	Datum		  copy = datumCopy(value, aggregate->state_by_value, aggregate->state_length);

	MemoryContextSwitchTo(old);
	if (extreme->there && !aggregate->state_by_value)
		pfree(DatumGetPointer(extreme->value));
	extreme->value = copy;
	extreme->there = true;
}

void
kept_extreme_clear(KeptExtreme *extreme, const KeptAggregate *aggregate)
{
	if (extreme->there && !aggregate->state_by_value)
		pfree(DatumGetPointer(extreme->value));
	*extreme = (KeptExtreme){0};
}

void
kept_extreme_take(KeptExtreme *extreme, const KeptAggregate *aggregate, MemoryContext memory, Datum value)
{
	Datum joined;

	/* nobody else may delete what the state refers to */
	if (aggregate->state_length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	if (!extreme->there)
	{
		extreme_set(extreme, aggregate, memory, value);
		return;
	}
	joined = join_values(aggregate, extreme->value, value);
	if (aggregate->has_ties)
	{
		if (!kept_same_image(aggregate, joined, join_values(aggregate, value, extreme->value)))
			extreme->tied = true;
		else if (!kept_same_image(aggregate, joined, extreme->value))
			extreme->tied = false;
	}
	if (!kept_same_image(aggregate, joined, extreme->value))
		extreme_set(extreme, aggregate, memory, joined);
}

bool
kept_extreme_absorbs(const KeptAggregate *aggregate, Datum enters, Datum leaves)
{
	return kept_same_image(aggregate, join_values(aggregate, leaves, enters), enters) &&
		   kept_same_image(aggregate, join_values(aggregate, enters, leaves), enters);
}

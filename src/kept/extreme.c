/*
 * extreme.c: what an aggregate without an inverse, such as min or bit_or, makes of values.
 *
 * Its transition function f commutes and is idempotent: f(x, x) = x.  So a value that leaves does no harm if the value
 * that takes its place absorbs it, f(leaves, enters) = enters, as an UPDATE that leaves the value as it is does.
 * Without that, only the rows tell what the result is.  Rejected: that the values of other rows of the statement absorb
 * it.  Such a row may leave, too, before the statement or the transaction of an apply worker ends.
 *
 * Core's f returns one of two values that are equal, and by their order which one.  Where equal values may differ in
 * their bytes, as 0 and -0 do, the result is tied if both went in and nothing beyond them.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/datum.h"

#include "compat.h"
#include "kept/store.h"

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
extreme_set(KeptValue *extreme, const KeptAggregate *aggregate, MemoryContext memory, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(memory);
	Datum		  copy = datumCopy(value, aggregate->state_by_value, aggregate->state_length);

	MemoryContextSwitchTo(old);
	if (extreme->there && !aggregate->state_by_value)
		pfree(DatumGetPointer(extreme->value));
	extreme->value = copy;
	extreme->there = true;
}

static void
extreme_join(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum value)
{
	KeptValue *extreme = &partial->value;
	Datum	   joined;

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

static bool
extreme_is_empty(const KeptPartial *partial)
{
	return !partial->value.there;
}

const KeptOperation kept_extreme = {
	.add = extreme_join, .save = kept_value_save, .clear = kept_value_clear, .is_empty = extreme_is_empty};

bool
kept_extreme_absorbs(const KeptAggregate *aggregate, Datum enters, Datum leaves)
{
	return kept_same_image(aggregate, join_values(aggregate, leaves, enters), enters) &&
		   kept_same_image(aggregate, join_values(aggregate, enters, leaves), enters);
}

/*
 * components.h: the functions that an aggregate consists of.
 */
#ifndef SCAN_AGGREGATE_COMPONENTS_H
#define SCAN_AGGREGATE_COMPONENTS_H

#include "aggregate/aggregate_op.h"

/* What an aggregate consists of over frames of one kind: its moving form where rows leave the frames and it has one. */
struct AggregateComponents
{
	Oid			oid;   /* the aggregate */
	Oid			owner; /* the aggregate's, who must be allowed to call the functions */
	Oid			transition;
	Oid			inverse;	 /* InvalidOid: there is none, or the frames need none */
	Oid			final;		 /* InvalidOid: the transition value is the result */
	bool		final_extra; /* the final function gets NULLs of the arguments' types, too */
	Oid			type;		 /* of the transition value; not polymorphic */
	const char *start;		 /* the first transition value as text; NULL: it is NULL */
	/* the functions by which a transition value of type internal goes to another process; InvalidOid: they lack */
	Oid serial;
	Oid deserial;
	Oid combine;
};

/*
 * Looks up the components of the aggregate that is called.  Raises core's error unless the aggregate's owner may call
 * those of them that core would call.  Memory is the current context's.
 */
extern AggregateComponents *aggregate_components(const Aggregate *aggregate);

/* Raises core's errors if the components no longer fit together: one may have been replaced since CREATE AGGREGATE. */
extern void aggregate_check_strictness(const AggregateComponents *components, const AggregateCall *call);

#endif /* SCAN_AGGREGATE_COMPONENTS_H */

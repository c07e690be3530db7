/*
 * components.c: looks up the functions that an aggregate consists of, and checks them as core does.
 *
 * aggregate.c asks when a plan starts, for each aggregate that a query calls.  Core's start of a WindowAgg
 * (initialize_peragg() in nodeWindowAgg.c) chooses between the plain and the moving form of the aggregate, asks whether
 * its owner may call the functions of that form, and checks that they fit together.  All of that is done here, too,
 * even if an operation of ours computes the aggregate without calling one of its functions: a user must not be able to
 * tell by an error, or an auditor by the calls of the object_access_hook, which node runs a window.
 *
 * The aggregate is the one that the query calls.  It may consist of the same functions as a stock aggregate
 * (AggregateCall.oid), but another role owns it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "parser/parse_agg.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "aggregate/internal.h"
#include "compat.h"
#include "library/library.h"

static Oid
function_owner(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	Oid		  owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", oid);
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * Returns the form of an aggregate that its frames call for.  Core also takes the moving form if it alone has a final
 * function that leaves the transition value as it is, and never takes it over volatile arguments or subplans; the node
 * leaves such windows to core (node/aggregate_info.c, node/plan/verdict.c).
 */
static AggregateComponents
read_form(Oid oid, HeapTuple tuple, bool inverts)
{
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);
	bool			  moving = inverts && OidIsValid(form->aggminvtransfn), isnull;
	Datum			  start = SysCacheGetAttr(AGGFNOID, tuple,
								  moving ? Anum_pg_aggregate_aggminitval : Anum_pg_aggregate_agginitval, &isnull);

	return (AggregateComponents){.oid = oid,
								 .owner = function_owner(oid),
								 .transition = moving ? form->aggmtransfn : form->aggtransfn,
								 .inverse = moving ? form->aggminvtransfn : InvalidOid,
								 .final = moving ? form->aggmfinalfn : form->aggfinalfn,
								 .final_extra = moving ? form->aggmfinalextra : form->aggfinalextra,
								 .type = moving ? form->aggmtranstype : form->aggtranstype,
								 .start = isnull ? NULL : TextDatumGetCString(start),
								 .serial = form->aggserialfn,
								 .deserial = form->aggdeserialfn,
								 .combine = form->aggcombinefn};
}

AggregateComponents *
aggregate_components(const Aggregate *aggregate)
{
	const AggregateCall *call = &aggregate->call;
	AggregateComponents *components = (AggregateComponents *) palloc(sizeof(AggregateComponents));
	Oid					 oid = OidIsValid(call->called) ? call->called : call->oid;
	HeapTuple			 tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Oid					 types[FUNC_MAX_ARGS];
	Oid					 end;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", oid);
	*components = read_form(oid, tuple, aggregate->f.needs & NEEDS_REMOVAL);
	ReleaseSysCache(tuple);
	check_execute(components->transition, components->owner);
	if (OidIsValid(components->inverse))
		check_execute(components->inverse, components->owner);
	/* what core combines has not been finished, but serialized */
	end = !call->partial ? components->final : components->type == INTERNALOID ? components->serial : InvalidOid;
	if (OidIsValid(end))
		check_execute(end, components->owner);
	memcpy(types, call->type, call->arguments * sizeof(Oid)); /* core does not declare it const */
	components->type = resolve_aggregate_transtype(components->oid, components->type, types, call->arguments);
	return components;
}

/* Of a built-in function, core calls what it was built with, whatever ALTER FUNCTION has made of its catalog row. */
static bool
is_called_as_strict(Oid function)
{
	FmgrInfo info;

	fmgr_info(function, &info);
	return info.fn_strict;
}

void
aggregate_check_strictness(const AggregateComponents *components, const AggregateCall *call)
{
	bool strict = is_called_as_strict(components->transition);

	/* the first value becomes the transition value */
	if (strict && components->start == NULL &&
		(call->arguments == 0 || !IsBinaryCoercible(call->type[0], components->type)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
				 errmsg("aggregate %u needs to have compatible input type and transition type", components->oid)));
	if (OidIsValid(components->inverse) && strict != is_called_as_strict(components->inverse))
		ereport(ERROR, (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
						errmsg("strictness of aggregate's forward and inverse transition functions must match")));
}

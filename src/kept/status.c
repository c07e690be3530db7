/*
 * status.c: scan_kept_status(), what the view scan_kept says of a kept scan: whether it is used, and what to do if not.
 *
 * Whoever looks after a server reads the view while others work, and reads the kept scans of everybody.  So the
 * function waits for no lock: of a kept scan whose relations somebody alters it says only that.  It evaluates nothing
 * of a definition; and a definition that cannot be read is the reason of one row, not an error of the whole view.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "pgstat.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "error.h"
#include "kept/catalogs.h"

/* the arguments: first the relations */
enum
{
	ARGUMENT_SOURCE,
	ARGUMENT_DEFINITION,
	ARGUMENT_TREE,
	ARGUMENT_LOG,
	ARGUMENT_OUTGROWN
};

/* the columns of the result */
enum
{
	STATUS_TREE_BYTES,
	STATUS_LOG_BYTES,
	STATUS_DELTAS,
	STATUS_USABLE,
	STATUS_REASON,
	STATUS_REMEDY,
	STATUS_COLUMNS
};

typedef struct Status
{
	const FmgrInfo *caller;
	Oid				tree;
	Kept		   *kept; /* read in a subtransaction, with what follows */
	const char	   *unusable;
	int				leaves, by_rows;
	Datum			value[STATUS_COLUMNS];
	bool			isnull[STATUS_COLUMNS];
} Status;

static void
set_value(Status *status, int column, Datum value)
{
	status->value[column] = value;
	status->isnull[column] = false;
}

static void
read_definition(void *to)
{
	Status *status = (Status *) to;

	status->kept = kept_if_any(status->caller, status->tree);
	if (status->kept == NULL)
		return;
	status->unusable = status->kept->unusable;
	if (status->unusable != NULL)
		return;
	status->unusable = kept_leaves_objection(status->kept);
	status->leaves = kept_leaves(status->kept)->n;
	for (int i = 0; i < status->leaves; i++)
		status->by_rows += !kept_leaves(status->kept)->leaf[i].is_adopted;
}

/* Returns the size of a relation with its indexes, and locks nothing: the caller has. */
static Datum
size_of(Oid relation)
{
	return DirectFunctionCall1(pg_total_relation_size, ObjectIdGetDatum(relation));
}

/* Sets what can be said of a kept scan whose relations are locked. */
static void
set_status(Status *status, bool outgrown)
{
	ErrorData				  *error = scan_subtransaction(read_definition, status);
	const Kept				  *kept = error == NULL ? status->kept : NULL;
	const char				  *reason = outgrown ? "its table has outgrown the intervals of its tree" : NULL;
	bool					   is_usable = kept != NULL && status->unusable == NULL;
	const PgStat_StatTabEntry *statistics;

	if (kept == NULL)
		reason = error != NULL ? error->message : "its relations were not restored with its table";
	else if (!is_usable)
		reason = status->unusable;
	else if (reason == NULL && status->by_rows > 0)
		reason = psprintf("%d of its table's %d leaf partitions are read by their rows", status->by_rows,
						  status->leaves);
	if (kept != NULL && kept->intact)
	{
		statistics = pgstat_fetch_stat_tabentry(kept->log);
		set_value(status, STATUS_TREE_BYTES, size_of(kept->tree));
		set_value(status, STATUS_LOG_BYTES, size_of(kept->log));
		set_value(status, STATUS_DELTAS, Int64GetDatum(statistics == NULL ? 0 : compat_live_rows(statistics)));
	}
	set_value(status, STATUS_USABLE, BoolGetDatum(is_usable));
	if (reason != NULL)
		set_value(status, STATUS_REASON, CStringGetTextDatum(reason));
	if (reason != NULL && kept != NULL)
		set_value(status, STATUS_REMEDY,
				  CStringGetTextDatum(kept_remedy(status->caller, kept, is_usable && !outgrown)));
}

/* Unlocks the first n relations of the arguments. */
static void
unlock_relations(FunctionCallInfo fcinfo, int n)
{
	while (--n >= 0)
		if (OidIsValid(PG_GETARG_OID(n)))
			UnlockRelationOid(PG_GETARG_OID(n), AccessShareLock);
}

/* Locks the relations of the arguments if nobody is in the way; else none of them. */
static bool
lock_relations(FunctionCallInfo fcinfo)
{
	for (int i = ARGUMENT_SOURCE; i <= ARGUMENT_LOG; i++)
		if (OidIsValid(PG_GETARG_OID(i)) && !ConditionalLockRelationOid(PG_GETARG_OID(i), AccessShareLock))
		{
			unlock_relations(fcinfo, i);
			return false;
		}
	return true;
}

PG_FUNCTION_INFO_V1(scan_kept_status);
Datum
scan_kept_status(PG_FUNCTION_ARGS)
{
	Status	  status = {.caller = fcinfo->flinfo, .tree = PG_GETARG_OID(ARGUMENT_TREE)};
	TupleDesc desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE || desc->natts != STATUS_COLUMNS)
		elog(ERROR, "the result of scan_kept_status() is no row");
	memset(status.isnull, true, sizeof(status.isnull));
	if (lock_relations(fcinfo))
	{
		set_status(&status, PG_GETARG_BOOL(ARGUMENT_OUTGROWN));
		unlock_relations(fcinfo, ARGUMENT_LOG + 1);
	}
	else
		set_value(&status, STATUS_REASON, CStringGetTextDatum("another session has locked it or its table"));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), status.value, status.isnull));
}

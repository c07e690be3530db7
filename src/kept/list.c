/*
 * list.c: scan_kept_list(), the rows of the view scan_kept: the kept scans of the database, whether they are used, and
 * what to do if not.
 *
 * Whoever looks after a server reads it while others work, and reads the kept scans of everybody.  So it waits for no
 * lock: a kept scan whose relations somebody alters is listed without what only the lock would tell.  It evaluates
 * nothing of a definition; and a definition that cannot be read is the reason of one row, not an error of the whole
 * list.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "kept/catalog.h"
#include "kept/sql.h"
#include "kept/triggers.h"

/* the columns of the list, in their order */
enum
{
	LIST_NAME,
	LIST_SCHEMA,
	LIST_SOURCE,
	LIST_DEFINITION,
	LIST_TREE,
	LIST_LOG,
	LIST_TREE_BYTES,
	LIST_LOG_BYTES,
	LIST_DELTAS,
	LIST_COMPACTED,
	LIST_ERROR,
	LIST_SHAPED,
	LIST_USABLE,
	LIST_REASON,
	LIST_REMEDY,
	LIST_COLUMNS
};

typedef struct Listing
{
	const FmgrInfo *caller;
	ReturnSetInfo  *info;
	Oid				tree; /* of the kept scan at hand */
	Kept		   *kept; /* read in a subtransaction */
	bool			outgrown;
	Datum			value[LIST_COLUMNS];
	bool			isnull[LIST_COLUMNS];
} Listing;

static void
set_value(Listing *listing, int column, Datum value)
{
	listing->value[column] = value;
	listing->isnull[column] = false;
}

static void
set_oid(Listing *listing, int column, Oid value)
{
	if (OidIsValid(value))
		set_value(listing, column, ObjectIdGetDatum(value));
}

static void
read_definition(void *to)
{
	Listing *listing = (Listing *) to;

	listing->kept = kept_if_any(listing->caller, listing->tree);
}

/* Returns the size of a relation with its indexes, and locks nothing: the caller has. */
static Datum
size_of(Oid relation)
{
	return DirectFunctionCall1(pg_total_relation_size, ObjectIdGetDatum(relation));
}

/* Sets what can be said of a kept scan whose relations are locked. */
static void
set_state(Listing *listing)
{
	ErrorData				  *error = kept_subtransaction(read_definition, listing);
	const Kept				  *kept = listing->kept;
	const PgStat_StatTabEntry *statistics;

	if (error != NULL || kept == NULL)
	{
		set_value(listing, LIST_USABLE, BoolGetDatum(false));
		set_value(
			listing, LIST_REASON,
			CStringGetTextDatum(error != NULL ? error->message : "its relations were not restored with its table"));
		return;
	}
	set_oid(listing, LIST_DEFINITION, kept->view);
	set_oid(listing, LIST_LOG, kept->log);
	if (kept->intact)
	{
		statistics = pgstat_fetch_stat_tabentry(kept->log);
		set_value(listing, LIST_TREE_BYTES, size_of(kept->tree));
		set_value(listing, LIST_LOG_BYTES, size_of(kept->log));
		set_value(listing, LIST_DELTAS, Int64GetDatum(statistics == NULL ? 0 : compat_live_rows(statistics)));
	}
	set_value(listing, LIST_USABLE, BoolGetDatum(kept->stale == NULL));
	if (kept->stale == NULL && !listing->outgrown)
		return;
	set_value(
		listing, LIST_REASON,
		CStringGetTextDatum(kept->stale != NULL ? kept->stale : "its table has outgrown the intervals of its tree"));
	set_value(listing, LIST_REMEDY, CStringGetTextDatum(kept_remedy(listing->caller, kept)));
}

/* Locks relations if nobody is in the way; else none of them. */
static bool
lock_all(const Oid *relation, int n)
{
	for (int i = 0; i < n; i++)
		if (OidIsValid(relation[i]) && !ConditionalLockRelationOid(relation[i], AccessShareLock))
		{
			while (--i >= 0)
				if (OidIsValid(relation[i]))
					UnlockRelationOid(relation[i], AccessShareLock);
			return false;
		}
	return true;
}

/* Adds the row of one kept scan. */
static void
list_kept(Listing *listing, const KeptEntry *entry)
{
	Oid relation[] = {entry->table, entry->view, entry->tree, entry->log};
	Oid schema = get_rel_namespace(OidIsValid(entry->tree) ? entry->tree : entry->table);

	memset(listing->isnull, true, sizeof(listing->isnull));
	set_value(listing, LIST_NAME, NameGetDatum(&entry->name));
	if (OidIsValid(schema))
		set_value(listing, LIST_SCHEMA, DirectFunctionCall1(namein, CStringGetDatum(kept_schema_name(schema))));
	set_oid(listing, LIST_SOURCE, entry->table);
	set_oid(listing, LIST_DEFINITION, entry->view);
	set_oid(listing, LIST_TREE, entry->tree);
	set_oid(listing, LIST_LOG, entry->log);
	if (entry->compacted != 0)
		set_value(listing, LIST_COMPACTED, TimestampTzGetDatum(entry->compacted));
	if (entry->error != NULL)
		set_value(listing, LIST_ERROR, CStringGetTextDatum(entry->error));
	if (entry->shaped != 0)
		set_value(listing, LIST_SHAPED, TimestampTzGetDatum(entry->shaped));
	listing->outgrown = entry->outgrown;
	listing->tree = entry->tree;
	listing->kept = NULL;
	if (lock_all(relation, lengthof(relation)))
	{
		set_state(listing);
		for (int i = 0; i < lengthof(relation); i++)
			if (OidIsValid(relation[i]))
				UnlockRelationOid(relation[i], AccessShareLock);
	}
	else
		set_value(listing, LIST_REASON, CStringGetTextDatum("another session has locked it or its table"));
	tuplestore_putvalues(listing->info->setResult, listing->info->setDesc, listing->value, listing->isnull);
}

static bool
is_listed(const List *entries, KeptEntry *entry)
{
	const ListCell *cell;

	foreach (cell, entries)
	{
		KeptEntry *other = (KeptEntry *) lfirst(cell);

		if (other->table == entry->table && namestrcmp(&other->name, NameStr(entry->name)) == 0)
			return true;
	}
	return false;
}

PG_FUNCTION_INFO_V1(scan_kept_list);
Datum
scan_kept_list(PG_FUNCTION_ARGS)
{
	Listing	  listing = {.caller = fcinfo->flinfo, .info = (ReturnSetInfo *) fcinfo->resultinfo};
	List	 *entries;
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	entries = kept_catalog_entries(fcinfo->flinfo);
	/* a dump has brought the trigger, and maybe the relations, but no row of the catalog */
	foreach (cell, kept_trigger_entries(fcinfo->flinfo))
	{
		KeptEntry *entry = (KeptEntry *) lfirst(cell);

		if (is_listed(entries, entry))
			continue;
		entry->tree = get_relname_relid(NameStr(entry->name), get_rel_namespace(entry->table));
		entries = lappend(entries, entry);
	}
	foreach (cell, entries)
	{
		CHECK_FOR_INTERRUPTS();
		list_kept(&listing, (const KeptEntry *) lfirst(cell));
	}
	return (Datum) 0;
}

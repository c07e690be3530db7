/*
 * catalog.c: see catalog.h.
 *
 * The catalog is the table scan_kept_definition in the extension's schema.  Functions find it in their own schema, so a
 * search_path does not matter.  A definition takes some ten microseconds to read, so a session keeps it until a message
 * of the relation cache says that one of its relations has changed: DDL on the table, its triggers or its columns, or a
 * change of the catalog's row.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "compat.h"
#include "kept/catalog.h"
#include "kept/definition.h"
#include "kept/sql.h"
#include "kept/tables.h"
#include "kept/triggers.h"

#define CATALOG_TABLE_NAME "scan_kept_definition"
#define MOST_TRIES 3						 /* to read a definition that changes meanwhile */
#define SPOILT_TABLE_NAME "scan_kept_spoilt" /* its only column is CATALOG_NAME */

/* the columns of the catalog, in their order */
enum
{
	CATALOG_NAME = 1,
	CATALOG_VIEW,
	CATALOG_TABLE,
	CATALOG_TREE,
	CATALOG_LOG,
	CATALOG_SHIFT,
	CATALOG_TOP,
	CATALOG_FORMAT,
	CATALOG_BUILT,
	CATALOG_TRIGGERS,
	CATALOG_COLUMNS = CATALOG_TRIGGERS
};

typedef struct KnownKept
{
	NameData name; /* hash key */
	Kept	*kept;
} KnownKept;

static HTAB *known;
static MemoryContext
			  expired; /* contexts of definitions that have changed, and may still be in use in this transaction */
static Kept	 *first_expired;
static uint64 invalidations; /* how often forget_relation() was called */
static bool	  callbacks_registered;

/* ---- what a session knows ---- */

static bool
reads_relation(const Kept *kept, Oid relation)
{
	return relation == kept->table || relation == kept->view || relation == kept->tree || relation == kept->log;
}

/* Lets a definition that has changed be read no more; the table is read instead. */
static void
expire(Kept *kept)
{
	MemoryContextSetParent(kept->memory, expired);
	kept->expired = true;
	kept->next_expired = first_expired;
	first_expired = kept;
}

/* Forgets the definitions that read a relation; all of them if it is InvalidOid. */
static void
forget_relation(Datum unused, Oid relation)
{
	HASH_SEQ_STATUS scan;
	KnownKept	   *entry;

	invalidations++;
	hash_seq_init(&scan, known);
	while ((entry = (KnownKept *) hash_seq_search(&scan)) != NULL)
		if (!OidIsValid(relation) || reads_relation(entry->kept, relation))
		{
			expire(entry->kept);
			hash_search(known, &entry->name, HASH_REMOVE, NULL);
		}
}

/* Queries have the names of schemas in them (sql.c). */
static void
forget_all(Datum unused, int cache, uint32 hash)
{
	forget_relation((Datum) 0, InvalidOid);
}

static void
free_expired(XactEvent event, void *unused)
{
	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE)
		return;
	for (Kept *kept = first_expired; kept != NULL; kept = kept->next_expired)
		kept_plans_free(kept);
	first_expired = NULL;
	MemoryContextReset(expired);
}

static void
make_known(void)
{
	HASHCTL control = {.keysize = sizeof(NameData), .entrysize = sizeof(KnownKept)};

	if (callbacks_registered)
		return;
	known = hash_create("kept scans", 8, &control, HASH_ELEM | HASH_BLOBS);
	expired = AllocSetContextCreate(CacheMemoryContext, "expired kept scans", ALLOCSET_SMALL_SIZES);
	CacheRegisterRelcacheCallback(forget_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget_all, (Datum) 0);
	RegisterXactCallback(free_expired, NULL);
	callbacks_registered = true;
}

/* ---- the catalog ---- */

/* Returns a table of the extension whose function was called. */
static Oid
catalog_of(const FmgrInfo *caller, const char *name)
{
	Oid catalog = get_relname_relid(name, get_func_namespace(caller->fn_oid));

	if (!OidIsValid(catalog))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table \"%s\" of extension \"scan\" is missing", name),
						errhint("Run ALTER EXTENSION scan UPDATE.")));
	return catalog;
}

/*
 * Returns the row of a kept scan, a copy; NULL if there is none.  Without a snapshot, a scan of a catalog has the
 * newest one, also in parallel mode, where GetLatestSnapshot() raises an error.
 */
static HeapTuple
catalog_row(Relation catalog, const char *name)
{
	ScanKeyData key;
	NameData	wanted;
	SysScanDesc scan;
	HeapTuple	row;

	namestrcpy(&wanted, name);
	ScanKeyInit(&key, CATALOG_NAME, BTEqualStrategyNumber, F_NAMEEQ, NameGetDatum(&wanted));
	scan = systable_beginscan(catalog, kept_index(RelationGetRelid(catalog), 1), true, NULL, 1, &key);
	row = systable_getnext(scan);
	row = row == NULL ? NULL : heap_copytuple(row);
	systable_endscan(scan);
	return row;
}

/* Finds the marks of a kept scan that kept_catalog_spoil() has made, and removes them if told.  Returns how many. */
static int
find_spoilt(const FmgrInfo *caller, const NameData *name, bool remove)
{
	Relation	spoilt = table_open(catalog_of(caller, SPOILT_TABLE_NAME), remove ? RowExclusiveLock : AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	int			found = 0;

	ScanKeyInit(&key, CATALOG_NAME, BTEqualStrategyNumber, F_NAMEEQ, NameGetDatum(name));
	scan = systable_beginscan(spoilt, InvalidOid, false, NULL, 1, &key);
	for (; (row = systable_getnext(scan)) != NULL; found++)
		if (remove)
			CatalogTupleDelete(spoilt, &row->t_self);
	systable_endscan(scan);
	table_close(spoilt, NoLock);
	return found;
}

/* Says why tree and log may not be complete, or NULL. */
static char *
staleness(const Kept *kept)
{
	char *stamps = kept_stamps(kept, NULL);
	char *objection = kept_table_objection(kept);

	if (kept->format != KEPT_FORMAT)
		return psprintf("its states have format %d, and this library reads format %d", kept->format, KEPT_FORMAT);
	if (!kept->intact)
		return "a table or an index of it was dropped or altered";
	if (!kept_has_one_owner(kept))
		return "it has another owner than its table";
	if (objection != NULL)
		return objection;
	if (kept->spoilt)
		return "rows may be missing from its log: another table inherited from the table, or the log was altered";
	if (strcmp(stamps, kept->stamps) != 0)
		return "its definition or its triggers were changed, dropped, disabled or restored from a dump";
	if (get_rel_persistence(kept->table) != get_rel_persistence(kept->tree) ||
		get_rel_persistence(kept->table) != get_rel_persistence(kept->log))
		return "the table was made logged or unlogged without the kept scan's own tables";
	return NULL;
}

/* Reads the definition of a row of the catalog, in the current context.  Returns NULL if the view was dropped. */
static Kept *
kept_of_row(const FmgrInfo *caller, HeapTuple row, TupleDesc desc)
{
	Datum	 value[CATALOG_COLUMNS];
	bool	 isnull[CATALOG_COLUMNS];
	Oid		 view;
	Relation relation;
	Kept	*kept;
	KeptUser user;

	heap_deform_tuple(row, desc, value, isnull);
	view = DatumGetObjectId(value[CATALOG_VIEW - 1]);
	relation = try_relation_open(view, AccessShareLock);
	if (relation == NULL)
		return NULL;
	/* whoever has written the functions that are folded here, they have no more rights than the owner */
	user = kept_become(relation->rd_rel->relowner);
	kept = kept_of_query(get_view_query(relation));
	kept_become_again(user);
	relation_close(relation, AccessShareLock);
	namestrcpy(&kept->name, NameStr(*DatumGetName(value[CATALOG_NAME - 1])));
	kept->view = view;
	kept->tree = DatumGetObjectId(value[CATALOG_TREE - 1]);
	kept->log = DatumGetObjectId(value[CATALOG_LOG - 1]);
	(void) kept_find_tables(kept);
	kept->format = DatumGetInt32(value[CATALOG_FORMAT - 1]);
	kept->shift = DatumGetInt32(value[CATALOG_SHIFT - 1]);
	kept->top = DatumGetInt32(value[CATALOG_TOP - 1]);
	kept->built = DatumGetFullTransactionId(value[CATALOG_BUILT - 1]);
	kept->stamps = TextDatumGetCString(value[CATALOG_TRIGGERS - 1]);
	kept->spoilt = find_spoilt(caller, &kept->name, false) > 0;
	kept->stale = staleness(kept);
	return kept;
}

/* Reads a kept scan into memory of its own.  Returns NULL if there is none: no row, or no view. */
static Kept *
read_kept(const FmgrInfo *caller, const char *name)
{
	Relation	  catalog = table_open(catalog_of(caller, CATALOG_TABLE_NAME), AccessShareLock);
	HeapTuple	  row = catalog_row(catalog, name);
	MemoryContext memory, old;
	Kept		 *kept = NULL;

	if (row != NULL)
	{
		memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan", ALLOCSET_SMALL_SIZES);
		old = MemoryContextSwitchTo(memory);
		kept = kept_of_row(caller, row, RelationGetDescr(catalog));
		if (kept != NULL)
			kept->memory = memory;
		MemoryContextSwitchTo(old);
	}
	table_close(catalog, AccessShareLock);
	return kept;
}

/*
 * While read_kept() waits for a lock, what it has read may change; then it is read again.  The message of the relation
 * cache comes before there is an entry to forget.  With debug_discard_caches such messages never end.
 */
Kept *
kept_if_any(const FmgrInfo *caller, const char *name)
{
	KnownKept *entry;
	NameData   key;
	Kept	  *kept;

	make_known();
	AcceptInvalidationMessages();
	MemSet(&key, 0, sizeof(key));
	namestrcpy(&key, name);
	entry = (KnownKept *) hash_search(known, &key, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->kept;
	for (int tries = 1;; tries++)
	{
		uint64 before = invalidations;

		kept = read_kept(caller, name);
		if (kept == NULL || before == invalidations)
			break;
		if (tries == MOST_TRIES)
		{
			expire(kept);
			return kept;
		}
		MemoryContextDelete(kept->memory);
	}
	if (kept == NULL)
		return NULL;
	MemoryContextSetParent(kept->memory, CacheMemoryContext);
	entry = (KnownKept *) hash_search(known, &key, HASH_ENTER, NULL);
	entry->kept = kept;
	return kept;
}

Kept *
kept_by_name(const FmgrInfo *caller, const char *name)
{
	Kept	 *kept = kept_if_any(caller, name);
	Relation  catalog;
	HeapTuple row;

	if (kept != NULL)
		return kept;
	catalog = table_open(catalog_of(caller, CATALOG_TABLE_NAME), AccessShareLock);
	row = catalog_row(catalog, name);
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					row == NULL ? errmsg("there is no kept scan \"%s\"", name)
								: errmsg("the definition of kept scan \"%s\" was dropped", name)));
}

/* Forms the row of a kept scan. */
static HeapTuple
form_catalog_row(Relation catalog, const Kept *kept)
{
	Datum value[CATALOG_COLUMNS];
	bool  isnull[CATALOG_COLUMNS] = {false};

	value[CATALOG_NAME - 1] = NameGetDatum(&kept->name);
	value[CATALOG_VIEW - 1] = ObjectIdGetDatum(kept->view);
	value[CATALOG_TABLE - 1] = ObjectIdGetDatum(kept->table);
	value[CATALOG_TREE - 1] = ObjectIdGetDatum(kept->tree);
	value[CATALOG_LOG - 1] = ObjectIdGetDatum(kept->log);
	value[CATALOG_SHIFT - 1] = Int32GetDatum(kept->shift);
	value[CATALOG_TOP - 1] = Int32GetDatum(kept->top);
	value[CATALOG_FORMAT - 1] = Int32GetDatum(KEPT_FORMAT);
	value[CATALOG_BUILT - 1] = FullTransactionIdGetDatum(GetCurrentFullTransactionId());
	value[CATALOG_TRIGGERS - 1] = CStringGetTextDatum(kept_stamps(kept, NULL));
	return heap_form_tuple(RelationGetDescr(catalog), value, isnull);
}

void
kept_catalog_insert(const FmgrInfo *caller, const Kept *kept)
{
	Relation catalog = table_open(catalog_of(caller, CATALOG_TABLE_NAME), RowExclusiveLock);

	CatalogTupleInsert(catalog, form_catalog_row(catalog, kept));
	table_close(catalog, RowExclusiveLock);
	CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
}

/* True if the view of a row was dropped, with its table or by itself. */
static bool
row_is_orphan(Relation catalog, HeapTuple row)
{
	bool  isnull;
	Datum view = heap_getattr(row, CATALOG_VIEW, RelationGetDescr(catalog), &isnull);

	return get_rel_name(DatumGetObjectId(view)) == NULL;
}

void
kept_catalog_make_room(const FmgrInfo *caller, const char *name)
{
	Relation  catalog = table_open(catalog_of(caller, CATALOG_TABLE_NAME), RowExclusiveLock);
	HeapTuple row = catalog_row(catalog, name);

	if (row != NULL && !row_is_orphan(catalog, row))
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("kept scan \"%s\" already exists", name),
						errhint("Drop it by scan_unkeep(), or choose another name.")));
	if (row != NULL)
		CatalogTupleDelete(catalog, &row->t_self);
	table_close(catalog, RowExclusiveLock);
	(void) find_spoilt(caller, (const NameData *) DatumGetName(DirectFunctionCall1(namein, CStringGetDatum(name))),
					   true);
	CommandCounterIncrement();
}

void
kept_catalog_update(const FmgrInfo *caller, const Kept *kept)
{
	Relation  catalog = table_open(catalog_of(caller, CATALOG_TABLE_NAME), RowExclusiveLock);
	HeapTuple old = catalog_row(catalog, NameStr(kept->name));

	if (old == NULL)
		elog(ERROR, "kept scan \"%s\" is not in its catalog", NameStr(kept->name));
	CatalogTupleUpdate(catalog, &old->t_self, form_catalog_row(catalog, kept));
	table_close(catalog, RowExclusiveLock);
	(void) find_spoilt(caller, &kept->name, true);
	CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
}

void
kept_catalog_spoil(const FmgrInfo *caller, const Kept *kept)
{
	Relation spoilt;
	Datum	 value = NameGetDatum(&kept->name);
	bool	 isnull = false;

	if (kept->spoilt)
		return;
	spoilt = table_open(catalog_of(caller, SPOILT_TABLE_NAME), RowExclusiveLock);
	CatalogTupleInsert(spoilt, heap_form_tuple(RelationGetDescr(spoilt), &value, &isnull));
	table_close(spoilt, RowExclusiveLock);
	CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
}

void
kept_catalog_delete(const FmgrInfo *caller, const Kept *kept)
{
	Relation  catalog = table_open(catalog_of(caller, CATALOG_TABLE_NAME), RowExclusiveLock);
	HeapTuple row = catalog_row(catalog, NameStr(kept->name));

	if (row != NULL)
		CatalogTupleDelete(catalog, &row->t_self);
	table_close(catalog, RowExclusiveLock);
	(void) find_spoilt(caller, &kept->name, true);
	CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
}

void
kept_require_owner(const Kept *kept)
{
	if (!has_privs_of_role(GetUserId(), kept_owner(kept->table)))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, kept_relation_name(kept->table));
	/* the rows are read as the owner; who does not see all of them must not say what they add up to */
	if (check_enable_rls(kept->table, kept_owner(kept->table), true) == RLS_ENABLED)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("row security of table \"%s\" applies to its owner", kept_relation_name(kept->table)),
						errhint("ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.")));
}

/* ---- the owner's rights ---- */

KeptUser
kept_become(Oid role)
{
	KeptUser user;

	GetUserIdAndSecContext(&user.role, &user.context);
	SetUserIdAndSecContext(role, user.context | SECURITY_RESTRICTED_OPERATION);
	return user;
}

void
kept_become_again(KeptUser user)
{
	SetUserIdAndSecContext(user.role, user.context);
}

/* ---- the view scan_kept ---- */

PG_FUNCTION_INFO_V1(scan_kept_reason);
Datum
scan_kept_reason(PG_FUNCTION_ARGS)
{
	Relation	catalog = table_open(catalog_of(fcinfo->flinfo, CATALOG_TABLE_NAME), AccessShareLock);
	HeapTuple	row = catalog_row(catalog, NameStr(*PG_GETARG_NAME(0)));
	bool		is_there = row != NULL && !row_is_orphan(catalog, row);
	const Kept *kept;

	table_close(catalog, AccessShareLock);
	if (!is_there)
		PG_RETURN_NULL();
	kept = kept_by_name(fcinfo->flinfo, NameStr(*PG_GETARG_NAME(0)));
	if (kept->stale == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(kept->stale));
}

/*
 * catalog.c: the rows of the catalog of kept scans (known.c).
 *
 * The catalog is scan_kept_definition in the extension's schema.  Functions find it in their own schema, so a
 * search_path does not matter.  It is a materialized view of the extension's owner, a superuser: no SQL command writes
 * it, no dump and no publication has its rows, which are oids of this database.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/xid8.h"

#include "compat.h"
#include "kept/catalogs.h"

#define CATALOG_NAME "scan_kept_definition"
#define SPOILT_NAME "scan_kept_spoilt" /* its only column is the tree */
#define LEAF_NAME "scan_kept_leaf"	   /* leaves.c has its columns, of which the tree is the first one */

/* the columns of the catalog, in their order */
enum
{
	CATALOG_TREE = 1,
	CATALOG_TAG,
	CATALOG_VIEW,
	CATALOG_TABLE,
	CATALOG_LOG,
	CATALOG_SMALLEST,
	CATALOG_GRAIN,
	CATALOG_TOP,
	CATALOG_FORMAT,
	CATALOG_BUILT,
	CATALOG_STAMPS,
	CATALOG_SHAPED,
	CATALOG_OUTGROWN,
	CATALOG_COMPACTED,
	CATALOG_ERROR,
	CATALOG_COLUMNS = CATALOG_ERROR
};

/* ---- the catalog ---- */

/* Returns a relation of the extension whose function was called. */
static Oid
catalog_of(const FmgrInfo *caller, const char *name)
{
	Oid catalog = get_relname_relid(name, get_func_namespace(caller->fn_oid));

	if (!OidIsValid(catalog))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation \"%s\" of extension \"scan\" is missing", name),
				 errhint("Run ALTER EXTENSION scan UPDATE.")));
	return catalog;
}

static Oid
row_oid(Relation catalog, HeapTuple row, AttrNumber column)
{
	bool isnull;

	return DatumGetObjectId(heap_getattr(row, column, RelationGetDescr(catalog), &isnull));
}

static const char *
row_name(Relation catalog, HeapTuple row)
{
	bool isnull;

	return NameStr(*DatumGetName(heap_getattr(row, CATALOG_TAG, RelationGetDescr(catalog), &isnull)));
}

/* True if a row is of a kept scan that was dropped with its table, or by DROP VIEW. */
static bool
row_is_orphan(Relation catalog, HeapTuple row)
{
	return !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(row_oid(catalog, row, CATALOG_VIEW)));
}

typedef bool (*TakeRow)(void *to, Relation catalog, HeapTuple row);

/*
 * Passes the rows of the catalog, or of the marks that kept_catalog_spoil() has made, that have a value in a column to
 * `take` until it returns false; column 0: all rows.  Without a snapshot, a scan of a catalog has the newest one, also
 * in parallel mode, where GetLatestSnapshot() raises an error.
 */
static void
scan_catalog(const FmgrInfo *caller, const char *name, AttrNumber column, Oid value, LOCKMODE lock, TakeRow take,
			 void *to)
{
	Relation	catalog = table_open(catalog_of(caller, name), lock);
	Oid			index = column == 0 ? InvalidOid : kept_index(RelationGetRelid(catalog), column);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;

	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value));
	scan = systable_beginscan(catalog, index, OidIsValid(index), NULL, column == 0 ? 0 : 1, &key);
	while ((row = systable_getnext(scan)) != NULL && take(to, catalog, row))
		;
	systable_endscan(scan);
	table_close(catalog, lock == AccessShareLock ? lock : NoLock);
}

static bool
take_mark(void *found, Relation spoilt, HeapTuple row)
{
	*(bool *) found = true;
	return false;
}

/* Says why tree and log may not be complete, or NULL. */
static char *
why_unusable(const Kept *kept)
{
	char *objection;

	if (!kept->adopted)
		return "it was restored from a dump";
	if (kept->format != KEPT_FORMAT)
		return psprintf("its states have format %d, and this library reads format %d", kept->format, KEPT_FORMAT);
	if (kept->table != kept->source)
		return "its definition is of another table now";
	if (kept->untrusted != NULL)
		return psprintf("its definition uses %s, which does not belong to a superuser", kept->untrusted);
	if (!kept->intact)
		return "a relation or an index of it was dropped or altered";
	if (!kept_has_one_owner(kept))
		return "it has another owner than its table";
	objection = kept_table_objection(kept);
	if (objection != NULL)
		return objection;
	if (kept->spoilt)
		return "rows may be missing from its log, which was altered for a while";
	if (strcmp(kept_stamps(kept, NULL), kept->stamps) != 0)
		return kept_stamped_owner(kept->stamps) != kept->owner
				   ? "its table has another owner than it had"
				   : "its definition or its triggers were changed, dropped, disabled or restored from a dump";
	if (!kept_has_persistence(kept))
		return "the table was made logged or unlogged without the kept scan's own relations";
	return NULL;
}

/* Reads the definition of a view, in the current context; NULL: there is no such view. */
static Kept *
kept_of_view(Oid view)
{
	Relation relation = try_relation_open(view, AccessShareLock);
	Kept	*kept;

	if (relation == NULL)
		return NULL;
	kept = relation->rd_rel->relkind == RELKIND_VIEW ? kept_of_query(get_view_query(relation)) : NULL;
	relation_close(relation, AccessShareLock);
	if (kept != NULL)
		kept->view = view;
	return kept;
}

typedef struct Reading
{
	const FmgrInfo *caller;
	Kept		   *kept;
} Reading;

/* Reads the definition of a row of the catalog, in the current context; none if its view was dropped. */
static bool
take_definition(void *to, Relation catalog, HeapTuple row)
{
	Reading *reading = (Reading *) to;
	Datum	 value[CATALOG_COLUMNS];
	bool	 isnull[CATALOG_COLUMNS];
	Kept	*kept;

	heap_deform_tuple(row, RelationGetDescr(catalog), value, isnull);
	reading->kept = kept = kept_of_view(DatumGetObjectId(value[CATALOG_VIEW - 1]));
	if (kept == NULL)
		return false;
	kept->adopted = true;
	namestrcpy(&kept->name, NameStr(*DatumGetName(value[CATALOG_TAG - 1])));
	kept->tree = DatumGetObjectId(value[CATALOG_TREE - 1]);
	kept->log = DatumGetObjectId(value[CATALOG_LOG - 1]);
	(void) kept_find_tables(kept);
	kept->format = DatumGetInt32(value[CATALOG_FORMAT - 1]);
	kept->smallest = DatumGetInt32(value[CATALOG_SMALLEST - 1]);
	if (!isnull[CATALOG_GRAIN - 1])
		kept_set_grain(kept, DatumGetIntervalP(datumCopy(value[CATALOG_GRAIN - 1], false, sizeof(Interval))));
	kept->top = DatumGetInt32(value[CATALOG_TOP - 1]);
	kept->built = DatumGetFullTransactionId(value[CATALOG_BUILT - 1]);
	kept->stamps = TextDatumGetCString(value[CATALOG_STAMPS - 1]);
	kept->shaped = DatumGetTimestampTz(value[CATALOG_SHAPED - 1]);
	kept->outgrown = DatumGetBool(value[CATALOG_OUTGROWN - 1]);
	scan_catalog(reading->caller, SPOILT_NAME, 1, kept->tree, AccessShareLock, take_mark, &kept->spoilt);
	kept->source = DatumGetObjectId(value[CATALOG_TABLE - 1]);
	kept->unusable = why_unusable(kept);
	return false;
}

/* ---- what a dump has brought ---- */

/* Returns the only table in the query of a view, InvalidOid if it is another query. */
static Oid
table_of_view(Oid view)
{
	Relation		   relation = try_relation_open(view, AccessShareLock);
	Oid				   table = InvalidOid;
	const Query		  *query;
	const RangeTblRef *from;

	if (relation == NULL)
		return InvalidOid;
	if (relation->rd_rel->relkind == RELKIND_VIEW)
	{
		query = get_view_query(relation);
		from = list_length(query->jointree->fromlist) == 1 ? linitial(query->jointree->fromlist) : NULL;
		if (from != NULL && IsA(from, RangeTblRef))
			table = rt_fetch(from->rtindex, query->rtable)->relid;
	}
	relation_close(relation, AccessShareLock);
	return table;
}

/* Sets the grain that a column of the tree has in its comment, which a dump has brought. */
static void
read_grain(Kept *kept)
{
	const char *comment = GetComment(kept->tree, RelationRelationId, kept->partitions + 1);
	const char *grain = comment == NULL ? NULL : strstr(comment, KEPT_GRAIN);

	if (grain != NULL)
		kept_set_grain(kept,
					   DatumGetIntervalP(DirectFunctionCall3(interval_in, CStringGetDatum(grain + strlen(KEPT_GRAIN)),
															 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))));
}

/*
 * Reads a kept scan by the names that scan_keep() gives its relations, if a trigger of the table has its name, and all
 * of them have one owner: a view of one role says nothing about the table of another one.
 */
static Kept *
kept_of_names(const FmgrInfo *caller, Oid tree)
{
	char *name = get_rel_name(tree);
	Oid	  schema = get_rel_namespace(tree), view, table;
	Kept *kept;

	if (name == NULL)
		return NULL;
	view = get_relname_relid(psprintf("%s_definition", name), schema);
	table = table_of_view(view);
	if (!OidIsValid(table) || kept_owner(view) != kept_owner(table) || kept_owner(tree) != kept_owner(table) ||
		!kept_has_trigger(caller, table, name))
		return NULL;
	kept = kept_of_view(view);
	if (kept == NULL)
		return NULL;
	namestrcpy(&kept->name, name);
	kept->tree = tree;
	kept->log = get_relname_relid(psprintf("%s_log", name), schema);
	kept->source = kept->table;
	read_grain(kept);
	(void) kept_find_tables(kept);
	kept->unusable = why_unusable(kept);
	return kept;
}

/* ---- looking up ---- */

void
kept_catalog_set_leaves(const FmgrInfo *caller, Kept *kept)
{
	kept->leaf_catalog = kept->is_partitioned ? catalog_of(caller, LEAF_NAME) : InvalidOid;
}

Kept *
kept_catalog_read(const FmgrInfo *caller, Oid tree)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	Reading		  reading = {.caller = caller};
	Kept		 *kept;

	scan_catalog(caller, CATALOG_NAME, CATALOG_TREE, tree, AccessShareLock, take_definition, &reading);
	kept = reading.kept != NULL ? reading.kept : kept_of_names(caller, tree);
	MemoryContextSwitchTo(old);
	if (kept != NULL)
	{
		kept->memory = memory;
		kept_catalog_set_leaves(caller, kept);
	}
	else
		MemoryContextDelete(memory);
	return kept;
}

/* Finds a kept scan by the name that scan_keep() was told. */
typedef struct Finding
{
	const char *name;
	Oid			tree;
	int			found;
} Finding;

static bool
take_tree_of_name(void *to, Relation catalog, HeapTuple row)
{
	Finding *finding = (Finding *) to;

	if (strcmp(row_name(catalog, row), finding->name) == 0 && !row_is_orphan(catalog, row))
	{
		finding->tree = row_oid(catalog, row, CATALOG_TREE);
		finding->found++;
	}
	return true;
}

int
kept_catalog_find(const FmgrInfo *caller, Oid table, const char *name, Oid *tree)
{
	Finding finding = {.name = name};

	scan_catalog(caller, CATALOG_NAME, OidIsValid(table) ? CATALOG_TABLE : 0, table, AccessShareLock, take_tree_of_name,
				 &finding);
	*tree = finding.tree;
	return finding.found;
}

/* ---- writing ---- */

/* Forms the row of a kept scan. */
static HeapTuple
form_catalog_row(Relation catalog, const Kept *kept)
{
	Datum value[CATALOG_COLUMNS] = {[CATALOG_TREE - 1] = ObjectIdGetDatum(kept->tree),
									[CATALOG_TAG - 1] = NameGetDatum(&kept->name),
									[CATALOG_VIEW - 1] = ObjectIdGetDatum(kept->view),
									[CATALOG_TABLE - 1] = ObjectIdGetDatum(kept->table),
									[CATALOG_LOG - 1] = ObjectIdGetDatum(kept->log),
									[CATALOG_SMALLEST - 1] = Int32GetDatum(kept->smallest),
									[CATALOG_GRAIN - 1] = IntervalPGetDatum(kept->grain),
									[CATALOG_TOP - 1] = Int32GetDatum(kept->top),
									[CATALOG_FORMAT - 1] = Int32GetDatum(KEPT_FORMAT),
									[CATALOG_BUILT - 1] = FullTransactionIdGetDatum(GetCurrentFullTransactionId()),
									[CATALOG_STAMPS - 1] = CStringGetTextDatum(kept_stamps(kept, NULL)),
									[CATALOG_SHAPED - 1] = TimestampTzGetDatum(kept->shaped),
									[CATALOG_OUTGROWN - 1] = BoolGetDatum(kept->outgrown)};
	bool  isnull[CATALOG_COLUMNS] = {
		 [CATALOG_GRAIN - 1] = kept->grain == NULL, [CATALOG_COMPACTED - 1] = true, [CATALOG_ERROR - 1] = true};

	return heap_form_tuple(RelationGetDescr(catalog), value, isnull);
}

/* Deletes the rows that a scan finds, or those of them that are orphans. */
static bool
take_row_to_delete(void *only_orphans, Relation catalog, HeapTuple row)
{
	if (only_orphans == NULL || row_is_orphan(catalog, row))
		CatalogTupleDelete(catalog, &row->t_self);
	return true;
}

/* Deletes a row of the leaves whose tree was dropped. */
static bool
take_leaf_to_delete(void *unused, Relation leaves, HeapTuple row)
{
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(row_oid(leaves, row, 1))))
		CatalogTupleDelete(leaves, &row->t_self);
	return true;
}

void
kept_catalog_clean(const FmgrInfo *caller)
{
	bool only_orphans = true;

	scan_catalog(caller, CATALOG_NAME, 0, InvalidOid, RowExclusiveLock, take_row_to_delete, &only_orphans);
	scan_catalog(caller, LEAF_NAME, 0, InvalidOid, RowExclusiveLock, take_leaf_to_delete, NULL);
	CommandCounterIncrement();
}

void
kept_catalog_delete(const FmgrInfo *caller, const Kept *kept)
{
	scan_catalog(caller, CATALOG_NAME, CATALOG_TREE, kept->tree, RowExclusiveLock, take_row_to_delete, NULL);
	scan_catalog(caller, SPOILT_NAME, 1, kept->tree, RowExclusiveLock, take_row_to_delete, NULL);
	CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
}

void
kept_catalog_insert(const FmgrInfo *caller, Kept *kept)
{
	Relation catalog;

	kept_catalog_delete(caller, kept);
	catalog = table_open(catalog_of(caller, CATALOG_NAME), RowExclusiveLock);
	CatalogTupleInsert(catalog, form_catalog_row(catalog, kept));
	table_close(catalog, NoLock);
	CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
}

typedef struct Note
{
	bool		outgrown;
	const char *error;
} Note;

static bool
take_row_to_note(void *to, Relation catalog, HeapTuple row)
{
	const Note *note = (const Note *) to;
	Datum		value[CATALOG_COLUMNS];
	bool		isnull[CATALOG_COLUMNS];

	heap_deform_tuple(row, RelationGetDescr(catalog), value, isnull);
	value[CATALOG_COMPACTED - 1] = TimestampTzGetDatum(GetCurrentTimestamp());
	value[CATALOG_ERROR - 1] = note->error == NULL ? (Datum) 0 : CStringGetTextDatum(note->error);
	isnull[CATALOG_COMPACTED - 1] = false;
	isnull[CATALOG_ERROR - 1] = note->error == NULL;
	if (note->outgrown)
		value[CATALOG_OUTGROWN - 1] = BoolGetDatum(true);
	CatalogTupleUpdate(catalog, &row->t_self, heap_form_tuple(RelationGetDescr(catalog), value, isnull));
	return false;
}

/* Other sessions need not read the definition again for that, so no message is sent. */
void
kept_catalog_note(const FmgrInfo *caller, Oid tree, bool outgrown, const char *error)
{
	Note note = {.outgrown = outgrown, .error = error};

	scan_catalog(caller, CATALOG_NAME, CATALOG_TREE, tree, RowExclusiveLock, take_row_to_note, &note);
	CommandCounterIncrement();
}

void
kept_catalog_spoil(const FmgrInfo *caller, const Kept *kept)
{
	Relation spoilt;
	Datum	 value = ObjectIdGetDatum(kept->tree);
	bool	 isnull = false;

	if (kept->spoilt)
		return;
	spoilt = table_open(catalog_of(caller, SPOILT_NAME), RowExclusiveLock);
	CatalogTupleInsert(spoilt, heap_form_tuple(RelationGetDescr(spoilt), &value, &isnull));
	table_close(spoilt, NoLock);
	CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
}

/*
 * keep.c: scan_keep() and scan_unkeep(), and how scan_kept_check() makes a kept scan anew.
 *
 * objects.c makes and drops the objects of a kept scan, triggers.c its triggers, build.c its nodes; catalog.c notes it.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "executor/spi.h"
#include "parser/analyze.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"

#include "compat.h"
#include "error.h"
#include "kept/catalogs.h"
#include "kept/store.h"

#define NAME_MOST 40 /* bytes: the names of the triggers are longer by 20 */

/* ---- the table's index ---- */

/* True if an index finds the rows of a partition, and of an interval of the first key in it. */
static bool
index_serves(const Kept *kept, const FormData_pg_index *index)
{
	if (!index->indisvalid || index->indnkeyatts <= kept->partitions ||
		index->indkey.values[kept->partitions] != kept->key[0].attribute)
		return false;
	for (int p = 0; p < kept->partitions; p++)
	{
		bool found = false;

		for (int i = 0; i < kept->partitions; i++)
			found |= index->indkey.values[i] == kept->partition[p].attribute;
		if (!found)
			return false;
	}
	return true;
}

/* Says which index the functions of a kept scan need, if the table does not have it. */
static void
notice_missing_index(const Kept *kept)
{
	Relation   table = table_open(kept->table, AccessShareLock);
	bool	   found = false;
	StringInfo columns = makeStringInfo();

	foreach_oid (oid, RelationGetIndexList(table))
	{
		Relation index = index_open(oid, AccessShareLock);

		found |= index->rd_rel->relam == BTREE_AM_OID && RelationGetIndexPredicate(index) == NIL &&
				 index_serves(kept, index->rd_index);
		index_close(index, AccessShareLock);
	}
	table_close(table, AccessShareLock);
	if (found)
		return;
	for (int i = 0; i < kept->partitions + kept->keys; i++)
		appendStringInfo(
			columns, "%s%s", i > 0 ? ", " : "",
			quote_identifier(i < kept->partitions ? kept->partition[i].name : kept->key[i - kept->partitions].name));
	ereport(NOTICE, (errmsg("kept scan \"%s\" reads all rows of its table where an index would find a few",
							NameStr(kept->name)),
					 errhint("CREATE INDEX ON %s (%s);", kept_sql_relation(kept->table), columns->data)));
}

/* ---- scan_keep ---- */

/*
 * Makes room for a kept scan.  What a dump has brought without the rest, such as the triggers of a table alone, is in
 * nobody's way.
 */
static void
kept_make_room(const FmgrInfo *caller, const Kept *kept)
{
	Oid schema = get_rel_namespace(kept->table), tree = get_relname_relid(NameStr(kept->name), schema);

	if (kept_of_trigger(caller, kept->table, NameStr(kept->name)) != NULL ||
		(OidIsValid(tree) && kept_if_any(caller, tree) != NULL))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("kept scan \"%s\" already exists", NameStr(kept->name)),
				 errhint("Drop it by scan_unkeep(), or choose another name.")));
	kept_triggers_drop(caller, kept->table, NameStr(kept->name));
}

/* Analyzes the text of a definition, which has to be one SELECT. */
static Query *
analyze_definition(char *text)
{
	ErrorContextCallback callback = {.previous = error_context_stack, .callback = scan_error_in_query, .arg = text};
	List				*statements;
	Query				*query;

	error_context_stack = &callback;
	statements = raw_parser(text, RAW_PARSE_DEFAULT);
	if (list_length(statements) != 1 || !IsA(linitial_node(RawStmt, statements)->stmt, SelectStmt))
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("the definition of a kept scan is one SELECT")));
	query = parse_analyze_fixedparams(linitial_node(RawStmt, statements), text, NULL, 0, NULL);
	error_context_stack = callback.previous;
	return query;
}

static void
check_name(const char *name)
{
	if (name[0] == '\0' || strlen(name) > NAME_MOST)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a kept scan has 1 to %d bytes: \"%s\"", NAME_MOST, name)));
}

/* What of a kept scan is there already. */
typedef enum MadeBefore
{
	NOTHING,
	WITH_FUNCTIONS, /* they are replaced */
	RESTORED,		/* functions and relations, whose rows a dump does not have */
} MadeBefore;

/*
 * Makes all objects but the view as the owner of the table, who may be another one than the user, builds the tree and
 * inserts the row of the catalog.  Returns how many rows were read.
 */
static int64
make_objects(const FmgrInfo *caller, Kept *kept, MadeBefore made)
{
	KeptUser owner = kept_become(kept->owner);
	int64	 rows;

	kept_catalog_set_leaves(caller, kept);
	if (made == RESTORED)
		kept_truncate(kept);
	else
		kept_objects_create(caller, kept, made == WITH_FUNCTIONS);
	kept_triggers_create(caller, kept);
	kept_objects_depend(caller, kept);
	kept_choose_shape(kept);
	rows = kept_build(kept);
	kept_become_again(owner);
	kept_catalog_insert(caller, kept);
	return rows;
}

/*
 * Reads the definition of a view that was just made.  The view is what counts from here on, so it is what is checked:
 * names in the text of the definition may have come to mean something else since the text was analyzed.
 */
static Kept *
kept_of_new_view(const Kept *analyzed)
{
	Oid		 view = kept_object(analyzed, "_definition");
	Relation relation = relation_open(view, AccessShareLock);
	Kept	*kept = kept_of_query(get_view_query(relation));

	relation_close(relation, AccessShareLock);
	if (kept->table != analyzed->table)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the table of kept scan \"%s\" was replaced meanwhile", NameStr(analyzed->name))));
	kept->name = analyzed->name;
	kept->grain = analyzed->grain;
	kept->finest = analyzed->finest;
	kept->view = view;
	kept_check_table(kept);
	return kept;
}

PG_FUNCTION_INFO_V1(scan_keep_query);
Datum
scan_keep_query(PG_FUNCTION_ARGS)
{
	char *name, *definition;
	Kept *kept;
	int64 rows;
	Oid	  user;
	int	  context;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	definition = text_to_cstring(PG_GETARG_TEXT_PP(1));
	check_name(name);
	PreventCommandIfReadOnly("scan_keep()");
	if (IsolationUsesXactSnapshot())
		ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
						errmsg("scan_keep() cannot run in a transaction with one snapshot"),
						errhint("Use BEGIN ISOLATION LEVEL READ COMMITTED, or no transaction block.")));
	while (strlen(definition) > 0 && strchr("; \t\n\r", definition[strlen(definition) - 1]) != NULL)
		definition[strlen(definition) - 1] = '\0';
	kept = kept_of_query(analyze_definition(definition));
	namestrcpy(&kept->name, name);
	kept_require_owner(kept);
	kept_check_table(kept);
	if (!PG_ARGISNULL(2))
		kept_set_grain(kept, PG_GETARG_INTERVAL_P(2));
	/* writers that have begun end first, and others wait until the triggers are there for them */
	LockRelationOid(kept->table,
					kept_has_trigger(fcinfo->flinfo, kept->table, name) ? AccessExclusiveLock : ShareRowExclusiveLock);
	kept_require_unused(kept->table, "scan_keep()");
	kept_catalog_clean(fcinfo->flinfo);
	kept_make_room(fcinfo->flinfo, kept);
	SPI_connect();
	/* the text of the definition is resolved as the user wrote it, by the user's search_path */
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(kept->owner, context | SECURITY_LOCAL_USERID_CHANGE);
	kept_view_create(kept, definition);
	SetUserIdAndSecContext(user, context);
	CommandCounterIncrement();
	kept = kept_of_new_view(kept);
	rows = make_objects(fcinfo->flinfo, kept, NOTHING);
	notice_missing_index(kept);
	SPI_finish();
	PG_RETURN_INT64(rows);
}

void
kept_make_again(const FmgrInfo *caller, Kept *kept)
{
	bool has_new_owner = kept_owner(kept->view) != kept->owner;

	if (has_new_owner)
	{
		KeptUser owner = kept_become(kept->owner);
		/* with names that do not depend on the caller's search_path */
		char *definition = TextDatumGetCString(DirectFunctionCall1(pg_get_viewdef, ObjectIdGetDatum(kept->view)));

		kept_become_again(owner);
		/* the former owner's grants go with the former owner's objects */
		kept_objects_drop(caller, kept, true);
		kept_catalog_delete(caller, kept);
		kept_drop(RelationRelationId, kept->view);
		owner = kept_become(kept->owner);
		kept_view_create(kept, definition);
		kept_become_again(owner);
		CommandCounterIncrement();
		kept = kept_of_new_view(kept);
	}
	else
	{
		kept_objects_drop(caller, kept, false);
		kept_catalog_delete(caller, kept);
	}
	(void) make_objects(caller, kept, has_new_owner ? NOTHING : WITH_FUNCTIONS);
}

void
kept_adopt(const FmgrInfo *caller, Kept *kept)
{
	(void) make_objects(caller, kept, RESTORED);
}

/*
 * Drops the triggers of a kept scan of which nothing else is there, as after the dump of a table alone.  Returns false
 * if there are none.
 */
static bool
drop_triggers_alone(const FmgrInfo *caller, const char *name)
{
	bool found = false;

	foreach_ptr (const KeptEntry, entry, kept_trigger_entries(caller))
	{
		Oid schema = get_rel_namespace(entry->table);

		if ((strcmp(NameStr(entry->name), name) != 0 &&
			 strcmp(quote_qualified_identifier(kept_schema_name(schema), NameStr(entry->name)), name) != 0) ||
			OidIsValid(get_relname_relid(NameStr(entry->name), schema)) ||
			kept_of_trigger(caller, entry->table, NameStr(entry->name)) != NULL ||
			!has_privs_of_role(GetUserId(), kept_owner(entry->table)))
			continue;
		LockRelationOid(entry->table, AccessExclusiveLock);
		kept_triggers_drop(caller, entry->table, NameStr(entry->name));
		found = true;
	}
	return found;
}

PG_FUNCTION_INFO_V1(scan_unkeep_name);
Datum
scan_unkeep_name(PG_FUNCTION_ARGS)
{
	Kept *kept;

	PreventCommandIfReadOnly("scan_unkeep()");
	if (drop_triggers_alone(fcinfo->flinfo, text_to_cstring(PG_GETARG_TEXT_PP(0))))
		PG_RETURN_VOID();
	kept = kept_by_name(fcinfo->flinfo, PG_GETARG_TEXT_PP(0));
	kept_require_owner(kept);
	LockRelationOid(kept->table, AccessExclusiveLock);
	kept = kept_of_tree(fcinfo->flinfo, kept->tree);
	kept_require_unused(kept->table, "scan_unkeep()");
	kept_objects_drop(fcinfo->flinfo, kept, true);
	kept_catalog_delete(fcinfo->flinfo, kept);
	kept_drop(RelationRelationId, kept->view);
	PG_RETURN_VOID();
}

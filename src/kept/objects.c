/*
 * objects.c: the relations and functions of a kept scan.
 *
 * They are ordinary objects of the table's owner in the table's schema, made by SQL, so that dumps, upgrades and
 * standbys have them: a view, whose name has the suffix _definition, the tree, which has the name of the kept scan, the
 * log, with the suffix _log, and the functions with the suffixes _before, _between, _total and _last.  All of them are
 * dropped with the view, and the view with the table by DROP TABLE ... CASCADE.
 *
 * Objects that exist are addressed by their oids.  A name that is made from an oid may belong to something else when
 * the command that has it comes to its lock.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_proc.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/regproc.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

/*
 * Each compaction empties the log, whatever its size, so vacuum comes after so many rows, and leaves the empty pages to
 * the next rows: while it shortened the table, writers would wait.
 */
#define LOG_OPTIONS                                                             \
	"autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, " \
	"autovacuum_vacuum_insert_threshold = -1, vacuum_truncate = off"

/* ---- names and lists ---- */

/* Returns the quoted name of an object of a kept scan: its name and a suffix, in the table's schema. */
static char *
object_name(const Kept *kept, const char *suffix)
{
	return quote_qualified_identifier(kept_schema_name(get_rel_namespace(kept->table)),
									  psprintf("%s%s", NameStr(kept->name), suffix));
}

/* Returns the oid of a relation that was just created: it lies in the schema of the table, whatever was renamed. */
Oid
kept_object(const Kept *kept, const char *suffix)
{
	Oid relation = get_relname_relid(psprintf("%s%s", NameStr(kept->name), suffix), get_rel_namespace(kept->table));

	if (!OidIsValid(relation) || kept_owner(relation) != kept->owner)
		elog(ERROR, "relation \"%s%s\" was not created", NameStr(kept->name), suffix);
	return relation;
}

/* Appends the name and the type of each column to a list. */
static void
append_columns(StringInfo list, const KeptColumn *column, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(list, "%s%s %s", list->len > 0 ? ", " : "", quote_identifier(column[i].name),
						 kept_sql_type(column[i].type, -1));
}

/* ---- tree and log ---- */

static void
comment_column(const char *table, const char *column, const char *comment)
{
	kept_sql(psprintf("COMMENT ON COLUMN %s.%s IS %s", table, quote_identifier(column), quote_literal_cstr(comment)));
}

/* Says in the catalog what the relation and its columns hold. */
static void
comment_relation(const Kept *kept, bool is_tree, bool unlogged)
{
	const char *relation = object_name(kept, is_tree ? "" : "_log");
	const char *comment = psprintf(
		is_tree ? "kept scan \"%s\": an interval of the first key in each row, with the states of its aggregates"
				: "kept scan \"%s\": what statements have changed since the last compaction",
		NameStr(kept->name));
	const char *grain = kept->grain == NULL
							? ""
							: DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(kept->grain)));

	kept_sql(psprintf("COMMENT ON %s %s IS %s", unlogged ? "TABLE" : "MATERIALIZED VIEW", relation,
					  quote_literal_cstr(comment)));
	if (is_tree)
	{
		comment_column(
			relation, KEPT_LEVEL,
			psprintf("0 for the smallest intervals; an interval of the next level is three to six of this level"
					 "%s%s",
					 kept->grain == NULL ? "" : KEPT_GRAIN, grain));
		comment_column(relation, KEPT_SPLIT, "true if the intervals of the level below have rows of their own");
	}
	comment_column(relation, KEPT_BUCKET,
				   "number of the interval: the first key, as an integer, divided by the interval's size");
	comment_column(relation, KEPT_LEAF,
				   "number of the leaf partition that the rows are in; 0 of a table that is not partitioned");
	comment_column(relation, KEPT_STALE, "true if a row was removed that an aggregate without an inverse has counted");
	comment_column(relation, KEPT_ROWS,
				   is_tree ? "rows of the table in the interval" : "rows added in the interval, less rows removed");
	for (int a = 0; a < kept->aggregates; a++)
		comment_column(relation, kept->aggregate[a].name,
					   psprintf("state of %s", format_procedure(kept->aggregate[a].function)));
}

/*
 * The query of the relation gives it its columns, and no rows: what a dump restores is empty.  Its WHERE raises an
 * error if somebody refreshes the relation of a kept scan that is in use, which would empty it.
 */
static void
create_relation(const FmgrInfo *caller, const Kept *kept, bool is_tree)
{
	StringInfo	query = makeStringInfo(), key = makeStringInfo();
	const char *suffix = is_tree ? "" : "_log";
	const char *table = kept_sql_relation(kept->table);
	bool		unlogged = get_rel_persistence(kept->table) == RELPERSISTENCE_UNLOGGED;

	appendStringInfoString(query, "SELECT ");
	for (int p = 0; p < kept->partitions; p++)
	{
		appendStringInfo(query, "r.%s, ", quote_identifier(kept->partition[p].name));
		appendStringInfo(key, "%s, ", quote_identifier(kept->partition[p].name));
	}
	appendStringInfo(query,
					 "%sNULL::pg_catalog.int8 AS %s, NULL::pg_catalog.oid AS %s, %sNULL::pg_catalog.bool AS %s, "
					 "NULL::pg_catalog.int8 AS %s",
					 is_tree ? "NULL::pg_catalog.int2 AS " KEPT_LEVEL ", " : "", KEPT_BUCKET, KEPT_LEAF,
					 is_tree ? "NULL::pg_catalog.bool AS " KEPT_SPLIT ", " : "", KEPT_STALE, KEPT_ROWS);
	/* the nodes of all leaves in one interval lie together, and are read in one scan */
	appendStringInfo(key, "%s%s%s", is_tree ? KEPT_LEVEL ", " : "", KEPT_BUCKET,
					 is_tree && kept->is_partitioned ? ", " KEPT_LEAF : "");
	for (int a = 0; a < kept->aggregates; a++)
		appendStringInfo(query, ", NULL::%s AS %s", kept_sql_type(kept->aggregate[a].state_type, -1),
						 quote_identifier(kept->aggregate[a].name));
	appendStringInfo(query, " FROM %s%s AS r WHERE %s.scan_kept_no_rows(%s::pg_catalog.regclass, %s::pg_catalog.name)",
					 kept->is_partitioned ? "" : "ONLY ", table,
					 quote_identifier(kept_schema_name(get_func_namespace(caller->fn_oid))), quote_literal_cstr(table),
					 quote_literal_cstr(NameStr(kept->name)));
	kept_sql(psprintf("CREATE %s %s USING heap WITH (%s) AS %s", unlogged ? "UNLOGGED TABLE" : "MATERIALIZED VIEW",
					  object_name(kept, suffix), is_tree ? "fillfactor = 80" : LOG_OPTIONS, query->data));
	kept_sql(psprintf("CREATE INDEX ON %s (%s)", object_name(kept, suffix), key->data));
	comment_relation(kept, is_tree, unlogged);
}

/* True if a table has a kept scan of a name: then nobody may refresh its relations. */
PG_FUNCTION_INFO_V1(scan_kept_no_rows);
Datum
scan_kept_no_rows(PG_FUNCTION_ARGS)
{
	const Kept *kept = kept_of_trigger(fcinfo->flinfo, PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)));

	if (kept != NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the relations of kept scan \"%s\" cannot be refreshed: they are up to date",
							   NameStr(kept->name)),
						errhint("To compare them with the table: %s", kept_remedy(fcinfo->flinfo, kept, false))));
	PG_RETURN_BOOL(false);
}

/* ---- functions ---- */

typedef struct ReadFunction
{
	const char *suffix; /* of its name */
	const char *bounds; /* that it gives to scan_kept_part(); NULL: it calls scan_kept_last(), with a number of rows */
	int			keys;	/* of the window's order that are parameters */
} ReadFunction;

/* Returns the parameters of a function, as CREATE FUNCTION has them. */
static char *
function_parameters(const Kept *kept, const ReadFunction *function)
{
	StringInfo list = makeStringInfo();

	append_columns(list, kept->partition, kept->partitions);
	append_columns(list, kept->key, function->keys);
	if (function->bounds != NULL && function->bounds[0] == '[')
		appendStringInfo(list, "%sscan_from %s, scan_to %s", list->len > 0 ? ", " : "",
						 kept_sql_type(kept->key[0].type, -1), kept_sql_type(kept->key[0].type, -1));
	if (function->bounds == NULL)
		appendStringInfo(list, "%sscan_rows bigint", list->len > 0 ? ", " : "");
	return list->data;
}

/* Appends the columns of the table, as the result of the function _last has them, and their numbers. */
static void
append_table_columns(StringInfo results, StringInfo numbers, const Kept *kept)
{
	Relation  table = table_open(kept->table, AccessShareLock);
	TupleDesc desc = RelationGetDescr(table);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (column->attisdropped)
			continue;
		for (int a = 0; a < kept->aggregates; a++)
			if (strcmp(NameStr(column->attname), kept->aggregate[a].name) == 0)
				ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
								errmsg("column \"%s\" of the definition has the name of a column of the table",
									   kept->aggregate[a].name),
								errhint("Give it another name with AS.")));
		appendStringInfo(results, "%s%s %s", results->len > 0 ? ", " : "", quote_identifier(NameStr(column->attname)),
						 kept_sql_type(column->atttypid, -1));
		appendStringInfo(numbers, "%s%d", numbers->len > 0 ? "," : "", i + 1);
	}
	table_close(table, AccessShareLock);
}

static void
create_function(const FmgrInfo *caller, const Kept *kept, const ReadFunction *function, bool replace)
{
	StringInfo results = makeStringInfo(), body = makeStringInfo(), numbers = makeStringInfo();
	bool	   is_last = function->bounds == NULL;
	int		   parameters = kept->partitions + function->keys;

	parameters += is_last ? 1 : function->bounds[0] == '[' ? 2 : 0;
	if (is_last)
		append_table_columns(results, numbers, kept);
	for (int a = 0; a < kept->aggregates; a++)
		appendStringInfo(results, "%s%s %s", results->len > 0 ? ", " : "", quote_identifier(kept->aggregate[a].name),
						 kept_sql_type(kept->aggregate[a].result_type, -1));
	appendStringInfo(body, "SELECT * FROM %s.%s(%s::pg_catalog.regclass",
					 quote_identifier(kept_schema_name(get_func_namespace(caller->fn_oid))),
					 is_last ? "scan_kept_last" : "scan_kept_part", quote_literal_cstr(object_name(kept, "")));
	if (is_last)
		appendStringInfo(body, ", '{%s}'::pg_catalog.int2[]", numbers->data);
	else
		appendStringInfo(body, ", '%s'::pg_catalog.text", function->bounds);
	for (int i = 1; i <= parameters; i++)
		appendStringInfo(body, ", $%d", i);
	appendStringInfo(body, ") AS r(%s)", results->data);
	kept_sql(
		psprintf("CREATE %sFUNCTION %s(%s) RETURNS TABLE (%s) LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS %d BEGIN "
				 "ATOMIC %s; END",
				 replace ? "OR REPLACE " : "", object_name(kept, function->suffix), function_parameters(kept, function),
				 results->data, is_last ? 20 : 1, body->data));
}

static void
create_functions(const FmgrInfo *caller, const Kept *kept, bool replace)
{
	ReadFunction total = {"_total", "--=", 0};
	ReadFunction between = {"_between", "[)=", 0};
	ReadFunction last = {"_last", NULL, 0};

	for (int keys = 1; keys <= kept->keys; keys++)
	{
		ReadFunction before = {"_before", "-)=", keys};

		create_function(caller, kept, &before, replace);
	}
	create_function(caller, kept, &between, replace);
	create_function(caller, kept, &total, replace);
	create_function(caller, kept, &last, replace);
}

/* ---- dependencies ---- */

/* Records that an object depends on another one, in place of what it depended on of that class. */
static void
depend(Oid class, Oid object, Oid on_class, Oid on, DependencyType type)
{
	ObjectAddress dependent, referenced;

	ObjectAddressSet(dependent, class, object);
	ObjectAddressSet(referenced, on_class, on);
	deleteDependencyRecordsForClass(class, object, on_class, type);
	recordDependencyOn(&dependent, &referenced, type);
}

/* True if a function has the name of one of a kept scan. */
static bool
is_function_name(const Kept *kept, const char *name)
{
	static const char *const suffix[] = {"_before", "_between", "_total", "_last"};

	for (int i = 0; i < lengthof(suffix); i++)
		if (name != NULL && strcmp(name, psprintf("%s%s", NameStr(kept->name), suffix[i])) == 0)
			return true;
	return false;
}

/* By what their bodies name, which is the tree, and by their names; a dump loses the other dependencies. */
static List *
reading_functions(const Kept *kept)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	List	   *functions = NIL;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(kept->tree));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, key);
	while ((tuple = systable_getnext(scan)) != NULL)
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);

		if (form->classid == ProcedureRelationId && is_function_name(kept, get_func_name(form->objid)))
			functions = list_append_unique_oid(functions, form->objid);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return functions;
}

/* All of it goes with the view, and the view with the extension, whose triggers make DROP EXTENSION ask for CASCADE. */
void
kept_objects_depend(const FmgrInfo *caller, const Kept *kept)
{
	depend(RelationRelationId, kept->view, ProcedureRelationId, caller->fn_oid, DEPENDENCY_AUTO);
	/* not internal: a dump drops one after the other */
	depend(RelationRelationId, kept->tree, RelationRelationId, kept->view, DEPENDENCY_AUTO);
	depend(RelationRelationId, kept->log, RelationRelationId, kept->view, DEPENDENCY_AUTO);
	/* pg_dump leaves out functions that depend internally on something */
	foreach_oid (function, reading_functions(kept))
		depend(ProcedureRelationId, function, RelationRelationId, kept->view, DEPENDENCY_AUTO);
}

/* ---- all of them ---- */

void
kept_view_create(const Kept *kept, const char *definition)
{
	kept_sql_apart(psprintf("CREATE VIEW %s AS %s", object_name(kept, "_definition"), definition));
}

void
kept_objects_create(const FmgrInfo *caller, Kept *kept, bool replace)
{
	create_relation(caller, kept, true);
	create_relation(caller, kept, false);
	create_functions(caller, kept, replace);
	CommandCounterIncrement();
	kept->tree = kept_object(kept, "");
	kept->log = kept_object(kept, "_log");
	if (!kept_find_tables(kept))
		elog(ERROR, "the relations of kept scan \"%s\" are not as they should be", NameStr(kept->name));
}

void
kept_objects_drop(const FmgrInfo *caller, Kept *kept, bool functions_too)
{
	Oid relation[] = {kept->log, kept->tree};

	if (kept->is_partitioned)
		(void) kept_leaves_forget(kept, true);
	kept_triggers_drop(caller, kept->table, NameStr(kept->name));
	foreach_oid (function, reading_functions(kept))
		if (functions_too)
			kept_drop(ProcedureRelationId, function);
		else
			/* the function is replaced by one that names the new tree */
			deleteDependencyRecordsForSpecific(ProcedureRelationId, function, DEPENDENCY_NORMAL, RelationRelationId,
											   kept->tree);
	CommandCounterIncrement();
	for (int i = 0; i < lengthof(relation); i++)
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation[i])))
			kept_drop(RelationRelationId, relation[i]);
}

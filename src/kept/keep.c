/*
 * keep.c: scan_keep() and scan_unkeep(): make and drop the objects of a kept scan.
 *
 * They are ordinary objects of the table's owner in the table's schema, made by SQL, so that dumps, upgrades and
 * standbys have them: a view, whose name has the suffix _definition, the tree, which has the name of the kept scan, the
 * log, with the suffix _log, the functions with the suffixes _before, _between, _total and _last, and triggers on the
 * table.  The two tables are dropped with the view, and the view with the table by DROP TABLE ... CASCADE.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_index.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/build.h"
#include "kept/catalog.h"
#include "kept/definition.h"
#include "kept/keep.h"
#include "kept/shape.h"
#include "kept/sql.h"
#include "kept/tables.h"
#include "kept/triggers.h"

#define NAME_MOST 40 /* bytes: the names of the triggers are longer by 20 */

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

static Oid
object_relation(const Kept *kept, const char *suffix)
{
	Oid relation = get_relname_relid(psprintf("%s%s", NameStr(kept->name), suffix), get_rel_namespace(kept->table));

	if (!OidIsValid(relation))
		elog(ERROR, "relation \"%s%s\" was not created", NameStr(kept->name), suffix);
	return relation;
}

/* Appends the name and the type of each column to a list. */
static void
append_columns(StringInfo list, const KeptColumn *column, int n, bool with_collation)
{
	for (int i = 0; i < n; i++)
	{
		appendStringInfo(list, "%s%s %s", list->len > 0 ? ", " : "", quote_identifier(column[i].name),
						 kept_sql_type(column[i].type, with_collation ? column[i].typmod : -1));
		if (with_collation && OidIsValid(column[i].collation))
			appendStringInfo(list, " COLLATE %s", generate_collation_name(column[i].collation));
	}
}

/* ---- tables ---- */

static void
comment_column(const char *table, const char *column, const char *comment)
{
	kept_sql(psprintf("COMMENT ON COLUMN %s.%s IS %s", table, quote_identifier(column), quote_literal_cstr(comment)));
}

/* Says in the catalog what the table and its columns hold. */
static void
comment_table(const Kept *kept, bool is_tree)
{
	const char *table = object_name(kept, is_tree ? "" : "_log");
	const char *comment = psprintf(
		is_tree ? "kept scan \"%s\": an interval of the first key in each row, with the states of its aggregates"
				: "kept scan \"%s\": what statements have changed since the last compaction",
		NameStr(kept->name));

	kept_sql(psprintf("COMMENT ON TABLE %s IS %s", table, quote_literal_cstr(comment)));
	if (is_tree)
	{
		comment_column(table, KEPT_LEVEL,
					   "0 for the smallest intervals; an interval of the next level is four of this level");
		comment_column(table, KEPT_SPLIT, "true if the intervals of the level below have rows of their own");
	}
	comment_column(table, KEPT_BUCKET,
				   "number of the interval: the first key, as an integer, divided by the interval's size");
	comment_column(table, KEPT_STALE, "true if a row was removed that an aggregate without an inverse has counted");
	comment_column(table, KEPT_ROWS,
				   is_tree ? "rows of the table in the interval" : "rows added in the interval, less rows removed");
	for (int a = 0; a < kept->aggregates; a++)
		comment_column(table, kept->aggregate[a].name,
					   psprintf("state of %s", format_procedure(kept->aggregate[a].function)));
}

static void
create_table(const Kept *kept, bool is_tree)
{
	StringInfoData columns, key;
	const char	  *suffix = is_tree ? "" : "_log";
	bool		   unlogged = get_rel_persistence(kept->table) == RELPERSISTENCE_UNLOGGED;

	initStringInfo(&columns);
	initStringInfo(&key);
	append_columns(&columns, kept->partition, kept->partitions, true);
	for (int p = 0; p < kept->partitions; p++)
		appendStringInfo(&key, "%s, ", quote_identifier(kept->partition[p].name));
	appendStringInfo(&columns, "%s%s%s bigint NOT NULL, %s%s boolean NOT NULL, %s bigint NOT NULL",
					 columns.len > 0 ? ", " : "", is_tree ? KEPT_LEVEL " smallint NOT NULL, " : "", KEPT_BUCKET,
					 is_tree ? KEPT_SPLIT " boolean NOT NULL, " : "", KEPT_STALE, KEPT_ROWS);
	appendStringInfo(&key, "%s%s", is_tree ? KEPT_LEVEL ", " : "", KEPT_BUCKET);
	for (int a = 0; a < kept->aggregates; a++)
		appendStringInfo(&columns, ", %s %s", quote_identifier(kept->aggregate[a].name),
						 kept_sql_type(kept->aggregate[a].state_type, -1));
	kept_sql(psprintf("CREATE %sTABLE %s (%s) USING heap WITH (%s)", unlogged ? "UNLOGGED " : "",
					  object_name(kept, suffix), columns.data, is_tree ? "fillfactor = 80" : LOG_OPTIONS));
	kept_sql(psprintf("CREATE INDEX ON %s (%s)", object_name(kept, suffix), key.data));
	comment_table(kept, is_tree);
}

/* ---- functions ---- */

typedef struct ReadFunction
{
	const char *suffix;	  /* of its name */
	const char *function; /* of the extension, which it calls */
	int			keys;	  /* of the window's order that are parameters */
	bool		range;	  /* two parameters are the bounds of a range of the first key */
	bool		last;	  /* a parameter is a number of rows; the result has the table's columns, too */
} ReadFunction;

/* Returns the parameters of a function, as CREATE FUNCTION has them. */
static char *
function_parameters(const Kept *kept, const ReadFunction *function)
{
	StringInfoData list;

	initStringInfo(&list);
	append_columns(&list, kept->partition, kept->partitions, false);
	append_columns(&list, kept->key, function->keys, false);
	if (function->range)
		appendStringInfo(&list, "%sscan_from %s, scan_to %s", list.len > 0 ? ", " : "",
						 kept_sql_type(kept->key[0].type, -1), kept_sql_type(kept->key[0].type, -1));
	if (function->last)
		appendStringInfo(&list, "%sscan_rows bigint", list.len > 0 ? ", " : "");
	return list.data;
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
create_function(const FmgrInfo *caller, const Kept *kept, const ReadFunction *function)
{
	StringInfoData results, body, numbers;
	int parameters = kept->partitions + function->keys + (function->range ? 2 : 0) + (function->last ? 1 : 0);

	initStringInfo(&results);
	initStringInfo(&numbers);
	if (function->last)
		append_table_columns(&results, &numbers, kept);
	for (int a = 0; a < kept->aggregates; a++)
		appendStringInfo(&results, "%s%s %s", results.len > 0 ? ", " : "", quote_identifier(kept->aggregate[a].name),
						 kept_sql_type(kept->aggregate[a].result_type, -1));
	initStringInfo(&body);
	appendStringInfo(&body, "SELECT * FROM %s.%s(%s",
					 quote_identifier(kept_schema_name(get_func_namespace(caller->fn_oid))), function->function,
					 quote_literal_cstr(NameStr(kept->name)));
	if (function->last)
		appendStringInfo(&body, ", '{%s}'::pg_catalog.int2[]", numbers.data);
	for (int i = 1; i <= parameters; i++)
		appendStringInfo(&body, ", $%d", i);
	appendStringInfo(&body, ") AS r(%s)", results.data);
	kept_sql(psprintf("CREATE FUNCTION %s(%s) RETURNS TABLE (%s) LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS %d BEGIN "
					  "ATOMIC %s; END",
					  object_name(kept, function->suffix), function_parameters(kept, function), results.data,
					  function->last ? 20 : 1, body.data));
}

static void
create_functions(const FmgrInfo *caller, const Kept *kept)
{
	ReadFunction total = {"_total", "scan_kept_total", 0, false, false};
	ReadFunction between = {"_between", "scan_kept_between", 0, true, false};
	ReadFunction last = {"_last", "scan_kept_last", 0, false, true};

	for (int keys = 1; keys <= kept->keys; keys++)
	{
		ReadFunction before = {"_before", "scan_kept_before", keys, false, false};

		create_function(caller, kept, &before);
	}
	create_function(caller, kept, &between);
	create_function(caller, kept, &total);
	create_function(caller, kept, &last);
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

/* By their names, and that they call ours; a dump loses the rest. */
List *
kept_functions(const FmgrInfo *caller, const Kept *kept)
{
	Oid	  type[2] = {OIDOID, TEXTOID};
	Datum value[2] = {ObjectIdGetDatum(get_rel_namespace(kept->table)), CStringGetTextDatum(NameStr(kept->name))};
	MemoryContext old;
	List		 *functions = NIL;

	if (SPI_execute_with_args(
			psprintf(
				"SELECT p.oid FROM pg_catalog.pg_proc AS p WHERE p.pronamespace OPERATOR(pg_catalog.=) $1 "
				"AND p.proname::pg_catalog.text OPERATOR(pg_catalog.=) ANY (ARRAY[pg_catalog.concat($2, '_before'), "
				"pg_catalog.concat($2, '_between'), pg_catalog.concat($2, '_total'), pg_catalog.concat($2, '_last')]) "
				"AND EXISTS (SELECT FROM pg_catalog.pg_depend AS d, pg_catalog.pg_proc AS f "
				"WHERE d.objid OPERATOR(pg_catalog.=) p.oid AND d.refobjid OPERATOR(pg_catalog.=) f.oid "
				"AND f.pronamespace OPERATOR(pg_catalog.=) %u AND pg_catalog.starts_with(f.proname, 'scan_kept_'))",
				get_func_namespace(caller->fn_oid)),
			2, type, value, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not find the functions of kept scan \"%s\"", NameStr(kept->name));
	old = MemoryContextSwitchTo(kept->memory);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;

		functions = lappend_oid(
			functions, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull)));
	}
	MemoryContextSwitchTo(old);
	SPI_freetuptable(SPI_tuptable);
	return functions;
}

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
	Relation	   table = table_open(kept->table, AccessShareLock);
	bool		   found = false;
	StringInfoData columns;
	ListCell	  *cell;

	foreach (cell, RelationGetIndexList(table))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		found |= index->rd_rel->relam == BTREE_AM_OID && RelationGetIndexPredicate(index) == NIL &&
				 index_serves(kept, index->rd_index);
		index_close(index, AccessShareLock);
	}
	table_close(table, AccessShareLock);
	if (found)
		return;
	initStringInfo(&columns);
	for (int i = 0; i < kept->partitions + kept->keys; i++)
		appendStringInfo(
			&columns, "%s%s", i > 0 ? ", " : "",
			quote_identifier(i < kept->partitions ? kept->partition[i].name : kept->key[i - kept->partitions].name));
	ereport(NOTICE, (errmsg("kept scan \"%s\" reads all rows of its table where an index would find a few",
							NameStr(kept->name)),
					 errhint("CREATE INDEX ON %s (%s);", kept_sql_relation(kept->table), columns.data)));
}

/* ---- scan_keep ---- */

/* Analyzes the text of a definition, which has to be one SELECT. */
static Query *
analyze_definition(const char *text)
{
	List *statements = raw_parser(text, RAW_PARSE_DEFAULT);

	if (list_length(statements) != 1 || !IsA(linitial_node(RawStmt, statements)->stmt, SelectStmt))
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("the definition of a kept scan is one SELECT")));
	return parse_analyze_fixedparams(linitial_node(RawStmt, statements), text, NULL, 0, NULL);
}

static void
check_name(const char *name)
{
	if (name[0] == '\0' || strlen(name) > NAME_MOST)
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a kept scan has 1 to %d bytes: \"%s\"", NAME_MOST, name)));
}

void
kept_depend(const FmgrInfo *caller, const Kept *kept)
{
	ListCell *cell;

	/* all of it goes with the extension, whose triggers make DROP EXTENSION ask for CASCADE */
	depend(RelationRelationId, kept->view, ProcedureRelationId, caller->fn_oid, DEPENDENCY_AUTO);
	depend(RelationRelationId, kept->tree, RelationRelationId, kept->view, DEPENDENCY_INTERNAL);
	depend(RelationRelationId, kept->log, RelationRelationId, kept->view, DEPENDENCY_INTERNAL);
	/* pg_dump leaves out functions that depend internally on something */
	foreach (cell, kept_functions(caller, kept))
		depend(ProcedureRelationId, lfirst_oid(cell), RelationRelationId, kept->view, DEPENDENCY_AUTO);
}

static void
create_objects(const FmgrInfo *caller, Kept *kept, const char *definition)
{
	kept_sql_apart(psprintf("CREATE VIEW %s AS %s", object_name(kept, "_definition"), definition));
	create_table(kept, true);
	create_table(kept, false);
	create_functions(caller, kept);
	kept_triggers_create(caller, kept);
	CommandCounterIncrement();
	kept->view = object_relation(kept, "_definition");
	kept->tree = object_relation(kept, "");
	kept->log = object_relation(kept, "_log");
	if (!kept_find_tables(kept))
		elog(ERROR, "the tables of kept scan \"%s\" are not as they should be", NameStr(kept->name));
	kept_depend(caller, kept);
}

PG_FUNCTION_INFO_V1(scan_keep_query);
Datum
scan_keep_query(PG_FUNCTION_ARGS)
{
	const char *name = NameStr(*PG_GETARG_NAME(0));
	char	   *definition = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Kept	   *kept;
	int64		rows;
	Oid			user;
	int			context;
	KeptUser	owner;

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
	kept_catalog_make_room(fcinfo->flinfo, name);
	/* writers that have begun end first, and others wait until the triggers are there for them */
	LockRelationOid(kept->table, ShareRowExclusiveLock);
	SPI_connect();
	owner = kept_become(kept_owner(kept->table));
	kept_choose_shape(kept);
	kept_become_again(owner);
	/* as the owner of the table, who may be another one than the user */
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(kept_owner(kept->table), context | SECURITY_LOCAL_USERID_CHANGE);
	create_objects(fcinfo->flinfo, kept, definition);
	SetUserIdAndSecContext(user, context);
	owner = kept_become(kept_owner(kept->table));
	rows = kept_build(kept);
	kept_become_again(owner);
	kept_catalog_insert(fcinfo->flinfo, kept);
	SPI_finish();
	notice_missing_index(kept);
	PG_RETURN_INT64(rows);
}

/* Drops an object of a kept scan, if it is there. */
static void
drop_part(Oid class, Oid object)
{
	ObjectAddress address;
	bool is_there = class == ProcedureRelationId ? get_func_name(object) != NULL : get_rel_name(object) != NULL;

	if (!is_there)
		return;
	/* else it could only be dropped with the view */
	deleteDependencyRecordsForClass(class, object, RelationRelationId, DEPENDENCY_INTERNAL);
	CommandCounterIncrement();
	ObjectAddressSet(address, class, object);
	performDeletion(&address, DROP_RESTRICT, 0);
	CommandCounterIncrement();
}

PG_FUNCTION_INFO_V1(scan_unkeep_name);
Datum
scan_unkeep_name(PG_FUNCTION_ARGS)
{
	Kept	 *kept = kept_by_name(fcinfo->flinfo, NameStr(*PG_GETARG_NAME(0)));
	ListCell *cell;

	PreventCommandIfReadOnly("scan_unkeep()");
	kept_require_owner(kept);
	LockRelationOid(kept->table, ShareRowExclusiveLock);
	SPI_connect();
	kept_triggers_drop(fcinfo->flinfo, kept);
	/* a dump has lost the dependencies; and the objects may belong to an owner of the table before this one */
	foreach (cell, kept_functions(fcinfo->flinfo, kept))
		drop_part(ProcedureRelationId, lfirst_oid(cell));
	drop_part(RelationRelationId, kept->log);
	drop_part(RelationRelationId, kept->tree);
	drop_part(RelationRelationId, kept->view);
	kept_catalog_delete(fcinfo->flinfo, kept);
	SPI_finish();
	PG_RETURN_VOID();
}

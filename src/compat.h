/*
 * compat.h: the differences between PostgreSQL 15, 16, 17, 18 and 19 that this extension meets.  No other file tests
 * PG_VERSION_NUM.
 */
#ifndef SCAN_COMPAT_H
#define SCAN_COMPAT_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_extension.h"
#include "commands/explain.h"
#include "executor/instrument.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parse_relation.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/arrayaccess.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "windowapi.h"

#if PG_VERSION_NUM < 150000
#error "scan needs PostgreSQL 15 or newer"
#endif
/*
 * A version that nobody has reviewed may have windows, expressions or plans that the node would compute wrongly.
 * test/package/core_changes.sh defines SCAN_REVIEW to see what else of such a version does not compile.
 */
#if PG_VERSION_NUM >= 200000 && !defined(SCAN_REVIEW)
#error "scan knows PostgreSQL 15 to 19: a newer one may give windows a meaning that scan would ignore"
#endif

#if PG_VERSION_NUM >= 160000
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* 17 added loops over a list that declare the element, and need no ListCell: these are core's. */
#if PG_VERSION_NUM < 170000
#define compat_cell(var) (&var##__state.l->elements[var##__state.i])
#define compat_foreach(type, pointer, var, list, value)                                                             \
	for (type pointer var = 0, pointer var##__outerloop = (type pointer) 1; var##__outerloop; var##__outerloop = 0) \
		for (ForEachState var##__state = {(list), 0};                                                               \
			 var##__state.l != NIL && var##__state.i < var##__state.l->length && (var = (value), true);             \
			 var##__state.i++)
#define foreach_ptr(type, var, list) compat_foreach(type, *, var, list, (type *) lfirst(compat_cell(var)))
#define foreach_int(var, list) compat_foreach(int, , var, list, lfirst_int(compat_cell(var)))
#define foreach_oid(var, list) compat_foreach(Oid, , var, list, lfirst_oid(compat_cell(var)))
#define foreach_node(type, var, list) compat_foreach(type, *, var, list, lfirst_node(type, compat_cell(var)))
#endif

/*
 * These are macros, so that only their callers include the headers of the functions: those declare a type Block, as
 * column/block.h does.
 */

/* 16 renamed "relfilenode" to "relfilenumber". */
#if PG_VERSION_NUM >= 160000
#define compat_set_new_storage(relation) RelationSetNewRelfilenumber(relation, (relation)->rd_rel->relpersistence)
#else
#define compat_set_new_storage(relation) RelationSetNewRelfilenode(relation, (relation)->rd_rel->relpersistence)
#endif

/* True if this transaction has made the storage of a relation; 16 gave the word for it another name. */
#if PG_VERSION_NUM >= 160000
#define compat_has_new_storage(relation)                      \
	((relation)->rd_createSubid != InvalidSubTransactionId || \
	 (relation)->rd_firstRelfilelocatorSubid != InvalidSubTransactionId)
#else
#define compat_has_new_storage(relation)                      \
	((relation)->rd_createSubid != InvalidSubTransactionId || \
	 (relation)->rd_firstRelfilenodeSubid != InvalidSubTransactionId)
#endif

/* Builds the indexes of a relation, and of its TOAST table, anew; 17 also takes a statement. */
#if PG_VERSION_NUM >= 170000
#define compat_reindex_relation(relation, parameters) \
	reindex_relation(NULL, relation, REINDEX_REL_PROCESS_TOAST, parameters)
#else
#define compat_reindex_relation(relation, parameters) reindex_relation(relation, REINDEX_REL_PROCESS_TOAST, parameters)
#endif

/* 19 also tells whether a constraint is volatile. */
#if PG_VERSION_NUM >= 190000
#define compat_domain_has_constraints(type) DomainHasConstraints(type, NULL)
#else
#define compat_domain_has_constraints(type) DomainHasConstraints(type)
#endif

/* Sets when a trigger fires, as ALTER TABLE does; 16 added two arguments. */
#if PG_VERSION_NUM >= 160000
#define compat_enable_trigger(table, name, fires_when) \
	EnableDisableTrigger(table, name, InvalidOid, fires_when, false, false, ShareRowExclusiveLock)
#else
#define compat_enable_trigger(table, name, fires_when) \
	EnableDisableTrigger(table, name, fires_when, false, ShareRowExclusiveLock)
#endif

/* 18 added generated columns that are not stored. */
static inline bool
compat_is_virtual(const FormData_pg_attribute *column)
{
#if PG_VERSION_NUM >= 180000
	return column->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL && !column->attisdropped;
#else
	return false;
#endif
}

/* 16 replaced the families pg_*_aclcheck and pg_*_ownercheck by object_aclcheck and object_ownercheck. */
static inline AclResult
compat_proc_aclcheck(Oid proc, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, proc, role, ACL_EXECUTE);
#else
	return pg_proc_aclcheck(proc, role, ACL_EXECUTE);
#endif
}

static inline AclResult
compat_schema_aclcheck(Oid schema, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE);
#else
	return pg_namespace_aclcheck(schema, role, ACL_USAGE);
#endif
}

static inline bool
compat_extension_ownercheck(Oid extension, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(ExtensionRelationId, extension, role);
#else
	return pg_extension_ownercheck(extension, role);
#endif
}

/* 17 moved the run conditions, by which a window stops early, from the clause to the path. */
static inline List *
compat_run_condition(const WindowAggPath *path)
{
#if PG_VERSION_NUM >= 170000
	return path->runCondition;
#else
	return path->winclause->runCondition;
#endif
}

/* Fields that not every version has: the lists of known_fields.c, continued. */
#if PG_VERSION_NUM >= 190000
#define COMPAT_FUNCTION_FIELDS(FIELD) FIELD(runCondition) FIELD(ignore_nulls)
#elif PG_VERSION_NUM >= 170000
#define COMPAT_FUNCTION_FIELDS(FIELD) FIELD(runCondition)
#else
#define COMPAT_FUNCTION_FIELDS(FIELD)
#endif
#if PG_VERSION_NUM >= 170000
#define COMPAT_WINDOW_FIELDS(FIELD)
#else
#define COMPAT_WINDOW_FIELDS(FIELD) FIELD(runCondition)
#endif
#if PG_VERSION_NUM >= 180000
#define COMPAT_KEY_FIELDS(FIELD) FIELD(reverse_sort)
#else
#define COMPAT_KEY_FIELDS(FIELD)
#endif

/*
 * Called when `child` becomes the child of a path in place of `before` (NULL: it had none).  18 counts the disabled
 * nodes of a path; older versions raise costs instead.
 */
static inline void
compat_disabled_nodes(Path *path, const Path *before, const Path *child)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes += child->disabled_nodes - (before == NULL ? 0 : before->disabled_nodes);
#endif
}

/* True if a path has nodes that a setting switches off.  18 counts them; older versions raise costs. */
static inline bool
compat_is_disabled(const Path *path)
{
#if PG_VERSION_NUM >= 180000
	return path->disabled_nodes > 0;
#else
	return false;
#endif
}

/* Core's MergeAppend of paths of a partitioned table.  19 also wants the relations of Appends that were pulled up. */
static inline MergeAppendPath *
compat_merge_append_path(PlannerInfo *root, RelOptInfo *rel, List *paths, List *pathkeys)
{
#if PG_VERSION_NUM >= 190000
	return create_merge_append_path(root, rel, paths, NIL, pathkeys, NULL);
#else
	return create_merge_append_path(root, rel, paths, pathkeys, NULL);
#endif
}

/* Returns the path below the Unique of DISTINCT; NULL: the path is no such Unique.  19 has another name for it. */
static inline const Path *
compat_unique_input(const Path *path)
{
#if PG_VERSION_NUM >= 190000
	return IsA(path, UniquePath) ? ((const UniquePath *) path)->subpath : NULL;
#else
	return IsA(path, UpperUniquePath) ? ((const UpperUniquePath *) path)->subpath : NULL;
#endif
}

/* True for a pathkey of descending order.  18 speaks of comparison types instead of strategies. */
static inline bool
compat_pathkey_descends(const PathKey *key)
{
#if PG_VERSION_NUM >= 180000
	return key->pk_cmptype == COMPARE_GT;
#else
	return key->pk_strategy == BTGreaterStrategyNumber;
#endif
}

/* Makes the row comparison of some columns with some values, by < or >, which `strategy` tells. */
static inline Expr *
compat_row_compare(int strategy, List *operators, List *families, List *collations, List *columns, List *values)
{
	RowCompareExpr *row = makeNode(RowCompareExpr);

#if PG_VERSION_NUM >= 180000
	row->cmptype = strategy == BTGreaterStrategyNumber ? COMPARE_GT : COMPARE_LT;
#else
	row->rctype = strategy == BTGreaterStrategyNumber ? ROWCOMPARE_GT : ROWCOMPARE_LT;
#endif
	row->opnos = operators;
	row->opfamilies = families;
	row->inputcollids = collations;
	row->largs = columns;
	row->rargs = values;
	return (Expr *) row;
}

/*
 * True if no row of a table is NULL in a column.  From 17 on the planner knows; 18 has NOT NULL constraints that are
 * not valid yet, which the catalog's attnotnull does not tell from others.
 */
static inline bool
compat_column_is_not_null(PlannerInfo *root, const RelOptInfo *table, AttrNumber attno)
{
#if PG_VERSION_NUM >= 170000
	return bms_is_member(attno, table->notnullattnums);
#else
	Oid		  relid = root->simple_rte_array[table->relid]->relid;
	HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid), Int16GetDatum(attno));
	bool	  not_null;

	if (!HeapTupleIsValid(tuple))
		return false;
	not_null = ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return not_null;
#endif
}

/* The same for a table that is open. */
static inline bool
compat_is_not_null(TupleDesc desc, AttrNumber attno)
{
#if PG_VERSION_NUM >= 180000
	return TupleDescCompactAttr(desc, attno - 1)->attnullability == ATTNULLABLE_VALID;
#else
	return TupleDescAttr(desc, attno - 1)->attnotnull;
#endif
}

/*
 * True if the range table entry stands for the GROUP BY expressions.  18 added such entries.  The grouping itself is
 * described elsewhere in the query.
 */
static inline bool
compat_is_group_entry(const RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 180000
	return entry->rtekind == RTE_GROUP;
#else
	return false;
#endif
}

/*
 * Puts the GROUP BY expressions of a query level back into its target list and HAVING, where 18 and later have columns
 * of the entry that stands for them.
 */
static inline void
compat_flatten_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
	if (!query->hasGroupRTE)
		return;
	query->targetList = (List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
#endif
}

/* True if an operator is one of a btree's, or the negator of its =. */
static inline bool
compat_compares(Oid operator)
{
#if PG_VERSION_NUM >= 180000
	return get_op_index_interpretation(operator) != NIL;
#else
	return get_op_btree_interpretation(operator) != NIL;
#endif
}

/*
 * Returns where a level's expressions of GROUP BY are, if its targets refer to them as to columns, as from 18 on; else
 * NULL.  The entry of the range table that has them becomes the level's own, so that the caller may change them.
 */
static inline List **
compat_group_expressions(Query *query)
{
#if PG_VERSION_NUM >= 180000
	ListCell *cell;

	query->rtable = list_copy(query->rtable);
	foreach (cell, query->rtable)
		if (lfirst_node(RangeTblEntry, cell)->rtekind == RTE_GROUP)
		{
			lfirst(cell) = copyObject(lfirst(cell));
			return &lfirst_node(RangeTblEntry, cell)->groupexprs;
		}
#endif
	return NULL;
}

/*
 * Gives a copy of a table's entry, which becomes an entry of another query, the privileges to check.  Before 16 they
 * are in the entry; since then they are in a list of the query, and core insists on them.
 */
static inline void
compat_copy_privileges(RangeTblEntry *entry, const Query *from, Query *to)
{
#if PG_VERSION_NUM >= 160000
	if (entry->perminfoindex == 0)
		return;
	to->rteperminfos = lappend(to->rteperminfos, copyObject(getRTEPermissionInfo(from->rteperminfos, entry)));
	entry->perminfoindex = list_length(to->rteperminfos);
#endif
}

/* Gives a level whose lists are another query's a range table of its own. */
static inline void
compat_own_range_table(Query *query)
{
	query->rtable = list_copy(query->rtable);
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = list_copy(query->rteperminfos);
#endif
}

/* Says of a sort clause whose operator is > that it sorts in descending order.  18 has a field for it. */
static inline void
compat_set_descending(SortGroupClause *clause)
{
#if PG_VERSION_NUM >= 180000
	clause->reverse_sort = true;
#endif
}

/* Returns the number in the range table of the next table that a statement changes, after `before`; -2: there is none.
 */
static inline int
compat_next_result_relation(const PlannedStmt *statement, int before)
{
#if PG_VERSION_NUM >= 190000
	return bms_next_member(statement->resultRelationRelids, before);
#else
	int		  next = -2;
	ListCell *cell;

	foreach (cell, statement->resultRelations)
		if (lfirst_int(cell) > before && (next < 0 || lfirst_int(cell) < next))
			next = lfirst_int(cell);
	return next;
#endif
}

/* The parameters of the ExecutorRun hook.  Up to 17, one of them says that the plan runs only once. */
#if PG_VERSION_NUM >= 180000
#define COMPAT_EXECUTOR_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define COMPAT_EXECUTOR_RUN_ARGUMENTS query, direction, count
#else
#define COMPAT_EXECUTOR_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define COMPAT_EXECUTOR_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/*
 * True if the operator is the < or > of an ordering operator family; *family, *type and *descending get which.  18
 * speaks of comparison types instead of strategies.
 */
static inline bool
compat_ordering_operator(Oid sort_operator, Oid *family, Oid *type, bool *descending)
{
#if PG_VERSION_NUM >= 180000
	CompareType comparison;
	bool		found = get_ordering_op_properties(sort_operator, family, type, &comparison);

	*descending = found && comparison == COMPARE_GT;
#else
	int16 strategy;
	bool  found = get_ordering_op_properties(sort_operator, family, type, &strategy);

	*descending = found && strategy == BTGreaterStrategyNumber;
#endif
	return found;
}

/* What EXPLAIN does with a query if no hook is set.  Before 17, core has no function for it. */
static inline void
compat_explain_query(Query *query, int options, IntoClause *into, ExplainState *es, const char *text,
					 ParamListInfo parameters, QueryEnvironment *environment)
{
#if PG_VERSION_NUM >= 170000
	standard_ExplainOneQuery(query, options, into, es, text, parameters, environment);
#else
	BufferUsage	 before = pgBufferUsage, buffers = {0};
	instr_time	 start, took;
	PlannedStmt *plan;

	INSTR_TIME_SET_CURRENT(start);
	plan = pg_plan_query(query, text, options, parameters);
	INSTR_TIME_SET_CURRENT(took);
	INSTR_TIME_SUBTRACT(took, start);
	BufferUsageAccumDiff(&buffers, &pgBufferUsage, &before);
	ExplainOnePlan(plan, into, es, text, parameters, environment, &took, es->buffers ? &buffers : NULL);
#endif
}

/*
 * The null treatment of a call.  19 added IGNORE NULLS and RESPECT NULLS for core's lag, lead, first_value, last_value
 * and nth_value; RESPECT NULLS is their default.
 */
typedef enum NullTreatment
{
	NULLS_NOT_MENTIONED = 0,
	NULLS_RESPECTED,
	NULLS_IGNORED
} NullTreatment;

static inline NullTreatment
compat_null_treatment(const WindowFunc *wfunc)
{
#if PG_VERSION_NUM >= 190000
	return wfunc->ignore_nulls == NO_NULLTREATMENT		 ? NULLS_NOT_MENTIONED
		   : wfunc->ignore_nulls == PARSER_RESPECT_NULLS ? NULLS_RESPECTED
														 : NULLS_IGNORED;
#else
	return NULLS_NOT_MENTIONED;
#endif
}

/* Clears the run condition of a function, which 17 and later keep there until the window's plan is made. */
static inline void
compat_forget_run_condition(WindowFunc *wfunc)
{
#if PG_VERSION_NUM >= 170000
	wfunc->runCondition = NIL;
#endif
}

/*
 * For a window function that supports neither RESPECT NULLS nor IGNORE NULLS: raises core's error if the call has one.
 */
static inline void
compat_refuse_null_treatment(WindowObject window, FunctionCallInfo fcinfo)
{
#if PG_VERSION_NUM >= 190000
	WinCheckAndInitializeNullTreatment(window, false, fcinfo);
#endif
}

/* The parameters of the planner hook.  19 also passes the ExplainState of an EXPLAIN. */
#if PG_VERSION_NUM >= 190000
#define COMPAT_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int options, ParamListInfo parameters, ExplainState *explain
#define COMPAT_PLANNER_ARGUMENTS(options) parse, query_string, options, parameters, explain
#else
#define COMPAT_PLANNER_PARAMETERS Query *parse, const char *query_string, int options, ParamListInfo parameters
#define COMPAT_PLANNER_ARGUMENTS(options) parse, query_string, options, parameters
#endif

/* Returns how many elements an array constant has; 17 also looks at statistics, of other arrays. */
#if PG_VERSION_NUM >= 170000
#define compat_array_length(array) estimate_array_length(NULL, array)
#else
#define compat_array_length(array) estimate_array_length(array)
#endif

/* Returns the nanoseconds that a node and its children took. */
static inline double
compat_node_ns(const PlanState *node)
{
#if PG_VERSION_NUM >= 190000
	return INSTR_TIME_GET_DOUBLE(node->instrument->instr.total) * 1e9;
#else
	return node->instrument->total * 1e9;
#endif
}

/*
 * 19 takes flags, one of which hints that the query only reads the table; we do not know that.  This is a macro because
 * tableam.h defines a `Block`, too.
 */
#if PG_VERSION_NUM >= 190000
#define compat_table_beginscan(relation, snapshot) table_beginscan(relation, snapshot, 0, NULL, SO_NONE)
#else
#define compat_table_beginscan(relation, snapshot) table_beginscan(relation, snapshot, 0, NULL)
#endif

/* In 19, an array iterator is told the element type once, at its setup; before, at each element. */
static inline void
compat_array_iter_setup(array_iter *iter, AnyArrayType *array, int16 length, bool by_value, char align)
{
#if PG_VERSION_NUM >= 190000
	array_iter_setup(iter, array, length, by_value, align);
#else
	array_iter_setup(iter, array);
#endif
}

static inline Datum
compat_array_iter_next(array_iter *iter, bool *isnull, int i, int16 length, bool by_value, char align)
{
#if PG_VERSION_NUM >= 190000
	return array_iter_next(iter, isnull, i);
#else
	return array_iter_next(iter, isnull, i, length, by_value, align);
#endif
}

/*
 * In 15, core's macro declares only the function's info record as visible outside the library, not the function itself.
 */
#if PG_VERSION_NUM < 160000
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(function)                                               \
	extern PGDLLEXPORT Datum				  function(PG_FUNCTION_ARGS);           \
	extern PGDLLEXPORT const Pg_finfo_record *CppConcat(pg_finfo_, function)(void); \
	const Pg_finfo_record					 *CppConcat(pg_finfo_, function)(void)  \
	{                                                                               \
		static const Pg_finfo_record version = {1};                                 \
                                                                                    \
		return &version;                                                            \
	}                                                                               \
	extern int no_such_variable
#endif

/* The number of rows of a table by its statistics; 16 renamed the field. */
static inline int64
compat_live_rows(const PgStat_StatTabEntry *table)
{
#if PG_VERSION_NUM >= 160000
	return table->live_tuples;
#else
	return table->n_live_tuples;
#endif
}

/* Looks an abbreviation of a zone up.  16 returns the type through a pointer. */
#if PG_VERSION_NUM >= 160000
#define compat_decode_zone(name, type, offset, zone) \
	DecodeTimezoneAbbrev(0, name, type, offset, zone, &(DateTimeErrorExtra){0})
#else
#define compat_decode_zone(name, type, offset, zone) (*(type) = DecodeTimezoneAbbrev(0, name, offset, zone))
#endif

/* 17 added infinite intervals: all three fields at their minimum, or all at their maximum. */
#define COMPAT_INTERVAL_HAS_INFINITY (PG_VERSION_NUM >= 170000)
#if COMPAT_INTERVAL_HAS_INFINITY
#define COMPAT_INTERVAL_NOT_FINITE(interval) INTERVAL_NOT_FINITE(interval)
#else
#define COMPAT_INTERVAL_NOT_FINITE(interval) false
#endif

/*
 * Up to 17 the planner takes a key for redundant, as b is under WHERE a = b, although a grouping set makes it NULL:
 * rows are not sorted by it, nor told apart by DISTINCT.
 */
#define COMPAT_FORGETS_GROUPING_NULLS (PG_VERSION_NUM < 180000)

/* The absolute value of a number of any type; 17 has it no more. */
#ifndef Abs
#define Abs(x) ((x) >= 0 ? (x) : -(x))
#endif

#endif /* SCAN_COMPAT_H */

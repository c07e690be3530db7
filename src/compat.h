/*
 * compat.h: the differences between PostgreSQL 15, 16, 17, 18 and 19 that this
 * extension meets: the only PG_VERSION_NUM tests in the house.
 */
#ifndef SCAN_COMPAT_H
#define SCAN_COMPAT_H

#include "postgres.h"

#include "access/stratnum.h"
#include "commands/explain.h"
#include "executor/instrument.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/arrayaccess.h"
#include "utils/lsyscache.h"
#include "windowapi.h"

#if PG_VERSION_NUM < 150000
#error "scan needs PostgreSQL 15 or newer"
#endif
/* A version that nobody has looked at may have windows, expressions or plans that the node would answer wrongly. */
#if PG_VERSION_NUM >= 200000
#error "scan knows PostgreSQL 15 to 19: a newer one may give windows a meaning that scan would ignore"
#endif

#if PG_VERSION_NUM >= 160000
#include "catalog/pg_proc.h"
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* 16 replaced the pg_*_aclcheck family by object_aclcheck. */
static inline AclResult
compat_proc_aclcheck(Oid proc, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, proc, role, ACL_EXECUTE);
#else
	return pg_proc_aclcheck(proc, role, ACL_EXECUTE);
#endif
}

/* 17 moved the conditions that let a window stop early from the clause to the path. */
static inline List *
compat_run_condition(const WindowAggPath *path)
{
#if PG_VERSION_NUM >= 170000
	return path->runCondition;
#else
	return path->winclause->runCondition;
#endif
}

/* 18 counts the disabled nodes of a path, where costs were raised before: a path gets another child. */
static inline void
compat_disabled_nodes(Path *path, const Path *before, const Path *child)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes += child->disabled_nodes - (before == NULL ? 0 : before->disabled_nodes);
#endif
}

/* 18 has an entry of the range table for what a query is grouped by; the grouping itself is elsewhere. */
static inline bool
compat_is_group_entry(const RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 180000
	return entry->rtekind == RTE_GROUP;
#else
	return false;
#endif
}

/* The executor's hook: up to 17 it is told whether a plan runs but once. */
#if PG_VERSION_NUM >= 180000
#define COMPAT_EXECUTOR_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define COMPAT_EXECUTOR_RUN_ARGUMENTS query, direction, count
#else
#define COMPAT_EXECUTOR_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define COMPAT_EXECUTOR_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/* The operator family of < or >, and which of the two it is.  18 speaks of comparisons, not strategies. */
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

/* What EXPLAIN does with a query where no hook is set: before 17 it has no name. */
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

/* 19 has IGNORE NULLS.  Core's lag, lead and values of a frame know it; RESPECT NULLS is what they do anyway. */
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

/* A window function that knows neither: core raises its error. */
static inline void
compat_refuse_null_treatment(WindowObject window, FunctionCallInfo fcinfo)
{
#if PG_VERSION_NUM >= 190000
	WinCheckAndInitializeNullTreatment(window, false, fcinfo);
#endif
}

/* 19 tells the planner who asks for EXPLAIN. */
#if PG_VERSION_NUM >= 190000
#define COMPAT_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int options, ParamListInfo parameters, ExplainState *explain
#define COMPAT_PLANNER_ARGUMENTS(options) parse, query_string, options, parameters, explain
#else
#define COMPAT_PLANNER_PARAMETERS Query *parse, const char *query_string, int options, ParamListInfo parameters
#define COMPAT_PLANNER_ARGUMENTS(options) parse, query_string, options, parameters
#endif

/* The nanoseconds that a node took, with those below it. */
static inline double
compat_node_ns(const PlanState *node)
{
#if PG_VERSION_NUM >= 190000
	return INSTR_TIME_GET_DOUBLE(node->instrument->instr.total) * 1e9;
#else
	return node->instrument->total * 1e9;
#endif
}

/* 19 lets a scan hint that the query only reads the table: not known.  A macro, since tableam.h has a Block, too. */
#if PG_VERSION_NUM >= 190000
#define compat_table_beginscan(relation, snapshot) table_beginscan(relation, snapshot, 0, NULL, SO_NONE)
#else
#define compat_table_beginscan(relation, snapshot) table_beginscan(relation, snapshot, 0, NULL)
#endif

/* 19 has an iterator over an array know what its elements are. */
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

/* Up to 15 the function itself is not said to be seen from outside the library: only its record. */
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

/* 17 gave intervals infinities: all three fields at their ends. */
#define COMPAT_INTERVAL_HAS_INFINITY (PG_VERSION_NUM >= 170000)

#endif /* SCAN_COMPAT_H */

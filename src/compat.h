/*
 * compat.h: the differences between PostgreSQL 15, 16, 17 and 18 that this
 * extension meets: the only PG_VERSION_NUM tests in the house.
 */
#ifndef SCAN_COMPAT_H
#define SCAN_COMPAT_H

#include "postgres.h"

#include "access/stratnum.h"
#include "commands/explain.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#if PG_VERSION_NUM < 150000
#error "scan needs PostgreSQL 15 or newer"
#endif
/* A version that nobody has looked at may have windows, expressions or plans that the node would answer wrongly. */
#if PG_VERSION_NUM >= 190000
#error "scan knows PostgreSQL 15 to 18: a newer one may give windows a meaning that scan would ignore"
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

/* 17 gave intervals infinities: all three fields at their ends. */
#define COMPAT_INTERVAL_HAS_INFINITY (PG_VERSION_NUM >= 170000)

#endif /* SCAN_COMPAT_H */

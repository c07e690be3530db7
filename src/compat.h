/*
 * compat.h: the differences between PostgreSQL 15, 16, 17 and 18 that this
 * extension meets: the only PG_VERSION_NUM tests in the house.
 */
#ifndef SCAN_COMPAT_H
#define SCAN_COMPAT_H

#include "postgres.h"

#include "access/stratnum.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#if PG_VERSION_NUM < 150000
#error "scan needs PostgreSQL 15 or newer"
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

/* 18 counts the disabled nodes of a path, where costs were raised before. */
static inline void
compat_disabled_nodes(Path *path, const Path *child)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes = child->disabled_nodes;
#endif
}

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

/* 17 gave intervals infinities: all three fields at their ends. */
#define COMPAT_INTERVAL_HAS_INFINITY (PG_VERSION_NUM >= 170000)

#endif /* SCAN_COMPAT_H */

/*
 * compat.h: the differences between PostgreSQL 15, 16, 17 and 18 that this
 * extension meets: the only PG_VERSION_NUM tests in the house.
 */
#ifndef SCAN_COMPAT_H
#define SCAN_COMPAT_H

#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"

#if PG_VERSION_NUM < 150000
#error "scan needs PostgreSQL 15 or newer"
#endif

#if PG_VERSION_NUM >= 160000
#include "catalog/pg_proc.h"
#include "varatt.h"
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

/* 17 gave intervals infinities: all three fields at their ends. */
#define COMPAT_INTERVAL_HAS_INFINITY (PG_VERSION_NUM >= 170000)

#endif /* SCAN_COMPAT_H */

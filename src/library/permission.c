/*
 * permission.c: asks whether a role may call a function, as core asks when a plan starts.
 *
 * Whatever looks up a function that a query names, and then calls it by itself, asks here first:
 *
 *   - node/exec/start_functions.c for the functions and the keys of a window;
 *   - node/skip/exec.c for the columns of groups;
 *   - node/reduce/begin.c for the conditions, aggregates and groups of a WindowReduce;
 *   - aggregate/components.c for the functions of an aggregate;
 *   - functions/window/fold.c for the op of scan_fold.
 *
 * Core asks for the functions of expressions.  Nobody asks for the functions that sort, hash or look up the values of a
 * type; nor does core.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "library/library.h"

void
check_execute_of(ObjectType kind, Oid function, Oid role)
{
	AclResult result = compat_proc_aclcheck(function, role);

	if (result != ACLCHECK_OK)
	{
		const char *name = get_func_name(function);

		aclcheck_error(result, kind, name == NULL ? "???" : name);
	}
	InvokeFunctionExecuteHook(function);
}

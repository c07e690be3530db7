/*
 * permission.h: may a role call a function?
 */
#ifndef SCAN_LIBRARY_PERMISSION_H
#define SCAN_LIBRARY_PERMISSION_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Raises core's error unless `role` has EXECUTE on a function, or if there is no such function.  Then tells the
 * object_access_hook that the function will be called.  `kind` is what the error calls the function: core says
 * "aggregate" of an Aggref's, and "function" of any other.
 */
extern void check_execute_of(ObjectType kind, Oid function, Oid role);

#define check_execute(function, role) check_execute_of(OBJECT_FUNCTION, function, role)

#endif /* SCAN_LIBRARY_PERMISSION_H */

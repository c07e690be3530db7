/*
 * permission.h: may a role call a function?
 */
#ifndef SCAN_LIBRARY_PERMISSION_H
#define SCAN_LIBRARY_PERMISSION_H

#include "postgres.h"

/*
 * Raises core's error unless `role` has EXECUTE on a function, or if there is no such function.  Then tells the
 * object_access_hook that the function will be called.
 */
extern void check_execute(Oid function, Oid role);

#endif /* SCAN_LIBRARY_PERMISSION_H */

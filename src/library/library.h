/*
 * library.h: tells whether the processes of a query have the same library, and whether a role may call a function.
 *
 * The version of the SQL objects is not compared with the library's: the planner knows a function by its C entry point
 * (call/entry_points.h), so the library also runs with the objects of 1.2, before ALTER EXTENSION scan UPDATE.
 */
#ifndef SCAN_LIBRARY_LIBRARY_H
#define SCAN_LIBRARY_LIBRARY_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* Notes which file the library was loaded from.  Called once, when it is loaded. */
extern void library_loaded(void);

/* Returns the folder of the library's file, or PostgreSQL's own if the file is gone. */
extern const char *library_folder(void);

/*
 * True if the library's file has been replaced or removed since it was loaded: a process that starts now would have
 * another build.  Then one process does everything that several would do together.
 */
extern bool library_is_replaced(void);

/* Raises an error if `build`, the build of the process that made some shared memory or plan, is not ours. */
extern void library_check_build(uint64 build);

/*
 * The same for a plan of ours, whose custom_private begins with a list of the upper and the lower 32 bits of the build.
 * A plan of another build may have anything there.
 */
extern void library_check_plan(const CustomScan *scan);

/* ---- permission.c: may a role call a function? ---- */

/*
 * Raises core's error unless `role` has EXECUTE on a function, or if there is no such function.  Then tells the
 * object_access_hook that the function will be called.  `kind` is what the error calls the function: core says
 * "aggregate" of an Aggref's, and "function" of any other.
 */
extern void check_execute_of(ObjectType kind, Oid function, Oid role);

#define check_execute(function, role) check_execute_of(OBJECT_FUNCTION, function, role)

#endif /* SCAN_LIBRARY_LIBRARY_H */

/*
 * change.h: chooses how scan_change compares values of a type, for rows and for arrays.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_CHANGE_H
#define SCAN_FUNCTIONS_WINDOW_CHANGE_H

#include "postgres.h"

#include "op/lines.h"

/*
 * Returns the operation that numbers the runs of values of `type`, or SCAN_OP_none if only the type's own equality
 * function can tell.  Raises an error if the type has no equality.
 */
extern ScanOpId change_line(Oid type);

#endif /* SCAN_FUNCTIONS_WINDOW_CHANGE_H */

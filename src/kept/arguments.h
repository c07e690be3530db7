/*
 * arguments.h: the arguments of the functions that read a kept scan.
 */
#ifndef SCAN_KEPT_ARGUMENTS_H
#define SCAN_KEPT_ARGUMENTS_H

#include "fmgr.h"

#include "kept/read.h"

/*
 * Returns the kept scan whose tree is the first argument.  *as_user: row security applies to the user, who sees only
 * some rows of the table.
 *
 * In a plan that the rewriting of a query has made (calls.h), the executor has checked the privileges of the user for
 * whom the plan was made, and who may be another one than the user at the call, such as that of a cursor.  In another
 * call, the user needs SELECT on the columns of the table that the definition reads, and EXECUTE on its functions.
 */
extern Kept *kept_argument(FunctionCallInfo fcinfo, bool *as_user);

/* The same, for a function over a window. */
extern Kept *kept_to_read(const FmgrInfo *caller, NullableDatum tree, bool *as_user);

/* Sets the values of the partition, which are the arguments from i on. */
extern void kept_partition_arguments(FunctionCallInfo fcinfo, int i, const Kept *kept, NullableDatum *partition);

/*
 * Reads the arguments of scan_kept_groups() behind the name: the part of each partition, and the index of the first of
 * the lists, one for each column of the partition; 0: there are none.  False: no row is in the part.  part->to points
 * to `to`.
 */
extern bool kept_group_arguments(FunctionCallInfo fcinfo, const Kept *kept, KeptPart *part, Datum *to, int *lists);

#endif /* SCAN_KEPT_ARGUMENTS_H */

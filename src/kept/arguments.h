/*
 * arguments.h: the arguments of the functions that read a kept scan.
 */
#ifndef SCAN_KEPT_ARGUMENTS_H
#define SCAN_KEPT_ARGUMENTS_H

#include "fmgr.h"

#include "kept/read.h"

/* Returns the kept scan that the first argument names, if the user may read what it is of. */
extern Kept *kept_argument(FunctionCallInfo fcinfo);

/* The same, by its name, for a function that was called in another way. */
extern Kept *kept_to_read(const FmgrInfo *caller, NullableDatum name);

/* Returns the argument for a column, whose type it has to have. */
extern NullableDatum kept_column_argument(FunctionCallInfo fcinfo, int i, const KeptColumn *column);

/* Sets the values of the partition, which are the arguments from i on. */
extern void kept_partition_arguments(FunctionCallInfo fcinfo, int i, const Kept *kept, NullableDatum *partition);

/*
 * Reads the arguments of scan_kept_groups() behind the name: the part of each partition, and the index of the first of
 * the lists, one for each column of the partition; 0: there are none.  False: no row is in the part.  part->to points
 * to `to`.
 */
extern bool kept_group_arguments(FunctionCallInfo fcinfo, const Kept *kept, KeptPart *part, Datum *to, int *lists);

/* True if the user has SELECT on the columns of the table that the definition reads. */
extern bool kept_may_read(const Kept *kept);

#endif /* SCAN_KEPT_ARGUMENTS_H */

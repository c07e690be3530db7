/*
 * distinct.h: numbers values by their position among a column's distinct values.
 */
#ifndef SCAN_SORT_DISTINCT_H
#define SCAN_SORT_DISTINCT_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "sort/sort_column.h"

/*
 * Writes to `number`, for each row, the rank of its value in ascending order among the distinct values.  Returns false
 * if there are too many distinct values, or too few rows to gain anything.  The number of a NULL is undefined.
 */
extern bool distinct_number(const SortColumn *column, int64 n, SortSupport support, uint64 *number);

#endif /* SCAN_SORT_DISTINCT_H */

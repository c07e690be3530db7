/*
 * distinct.h: values numbered by their place among the distinct ones.
 */
#ifndef SCAN_SORT_DISTINCT_H
#define SCAN_SORT_DISTINCT_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "sort/sort_column.h"

/*
 * Gives every row the number of its value in ascending order, where the column has few
 * enough distinct values; false: it has not.  Rows that are NULL get any number.
 */
extern bool distinct_number(const SortColumn *column, int64 n, SortSupport support, uint64 *number);

#endif /* SCAN_SORT_DISTINCT_H */

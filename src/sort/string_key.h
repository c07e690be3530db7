/*
 * string_key.h: turns strings of bytes into numbers, by the bytes that occur at each position.
 */
#ifndef SCAN_SORT_STRING_KEY_H
#define SCAN_SORT_STRING_KEY_H

#include "postgres.h"

#include "column/type.h"
#include "sort/sort_column.h"

/*
 * Writes to `number`, for each row, a number in the order of its bytes.  If `weight` is not NULL, a byte counts as
 * weight[byte].  Strings that `bits` bits cannot tell apart share a number.  Returns true if no strings had to share
 * one and `weight` is NULL: the numbers then tell the whole order.  The number of a NULL is undefined.
 */
extern bool string_key_numbers(const SortColumn *column, int64 n, StringForm form, const uint8 *weight, int bits,
							   uint64 *number);

/* Returns weights by which a collation most likely orders bytes: a guess that must be verified. */
extern const uint8 *string_key_guess(void);

#endif /* SCAN_SORT_STRING_KEY_H */

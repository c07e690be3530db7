/*
 * string_key.h: strings of bytes as numbers, by the bytes that occur at each place.
 */
#ifndef SCAN_SORT_STRING_KEY_H
#define SCAN_SORT_STRING_KEY_H

#include "postgres.h"

#include "sort/sort_column.h"

typedef enum StringKeyKind
{
	STRING_KEY_VARLENA,
	STRING_KEY_PADDED, /* bpchar: blanks at the end do not count */
	STRING_KEY_NAME,   /* up to the first NUL */
	STRING_KEY_FIXED,  /* as many as the type has */
} StringKeyKind;

/*
 * Gives every row a number in the order of its bytes, which `weight`, unless it is
 * NULL, has been put in the place of; strings that are equal as far as `bits` bits can
 * tell share one.  Returns whether none had to: then the order of the bytes is told in
 * whole.  Rows that are NULL get any number.
 */
extern bool string_key_numbers(const SortColumn *column, int64 n, StringKeyKind kind, const uint8 *weight, int bits,
							   uint64 *number);

/* How a collation weighs bytes, most likely: a guess, to be verified. */
extern const uint8 *string_key_guess(void);

#endif /* SCAN_SORT_STRING_KEY_H */

/*
 * radix.h: stable sort of packed keys by their bits.
 *
 * Fed by key.c, which packs the sort keys of a row and its number into an item, and by
 * number.c, whose items are nothing but numbers.
 * Plain C over plain arrays.
 */
#ifndef SCAN_SORT_RADIX_H
#define SCAN_SORT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key too wide to share a word with the row's number. */
typedef struct RadixItem
{
	uint64_t key;
	uint64_t row;
} RadixItem;

/*
 * Called now and then, between steps; may not return (longjmp).  The arrays are then
 * in any order.
 */
typedef void (*RadixTick)(void);

/*
 * Sorts n items by their bits from `low` to `high` - 1, stably; `spare` is room for n
 * more.  Returns where the sorted items are: `items` or `spare`.
 */
extern uint64_t	 *radix_sort_words(uint64_t *items, uint64_t *spare, int64_t n, int low, int high, RadixTick tick);
extern RadixItem *radix_sort_items(RadixItem *items, RadixItem *spare, int64_t n, int low, int high, RadixTick tick);

/* The same for items of 4 or 2 bytes, by their bits below `high`. */
extern void *radix_sort_narrow(void *items, void *spare, int64_t n, int size, int high, RadixTick tick);

#endif /* SCAN_SORT_RADIX_H */

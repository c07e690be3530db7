/*
 * radix.h: stable sort of packed keys by their bits.
 *
 * Fed by key.c, which packs the sort keys of a row and its number into a word.
 * Plain C over plain arrays.
 */
#ifndef SCAN_SORT_RADIX_H
#define SCAN_SORT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Called now and then, between steps; may not return (longjmp).  The arrays are then
 * in any order.
 */
typedef void (*RadixTick)(void);

/*
 * Sorts n words by their bits from `low` to `high` - 1, stably; `spare` is room for n
 * more.  Returns where the sorted words are: `words` or `spare`.
 */
extern uint64_t *radix_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, RadixTick tick);

#endif /* SCAN_SORT_RADIX_H */

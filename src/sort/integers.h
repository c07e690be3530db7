/*
 * integers.h: sorts an array of integers by radix.
 */
#ifndef SCAN_SORT_INTEGERS_H
#define SCAN_SORT_INTEGERS_H

#include "sort/radix.h"

/*
 * Sorts the integers in[0 .. n - 1], of `size` bytes (2, 4 or 8), into out[0 .. n - 1].  `words` and `spare` have room
 * for n words each; if size is 8, `words` may be `out`.  `sort` sorts words: all of them at once if `whole`, else part
 * by part, where a part fits in the CPU's cache.
 */
extern void integers_sort(const void *in, int64_t n, int size, void *out, uint64_t *words, uint64_t *spare, bool whole,
						  RadixSort sort, RadixTick tick);

#endif /* SCAN_SORT_INTEGERS_H */

/*
 * integers.h: an array of integers in order, by radix.
 */
#ifndef SCAN_SORT_INTEGERS_H
#define SCAN_SORT_INTEGERS_H

#include "sort/radix.h"

/*
 * out[0 .. n - 1] := the integers in[0 .. n - 1], of `size` bytes (2, 4 or 8), in
 * order; `words` and `spare` are room for n words each, and integers of 8 bytes may
 * have `out` for their words.  `sort` is who sorts words: all of them at once where
 * `whole`, else in parts that fit in the CPU's cache.
 */
extern void integers_sort(const void *in, int64_t n, int size, void *out, uint64_t *words, uint64_t *spare, bool whole,
						  RadixSort sort, RadixTick tick);

#endif /* SCAN_SORT_INTEGERS_H */

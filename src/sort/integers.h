/*
 * integers.h: an array of integers in order, by radix.
 */
#ifndef SCAN_SORT_INTEGERS_H
#define SCAN_SORT_INTEGERS_H

#include "sort/radix.h"

/*
 * out[0 .. n - 1] := the integers in[0 .. n - 1], of `size` bytes (2, 4 or 8), in
 * order; `spare` is room for n of them.  `tick` as in radix.h.
 */
extern void integers_sort(const void *in, int64_t n, int size, void *out, void *spare, RadixTick tick);

#endif /* SCAN_SORT_INTEGERS_H */

/*
 * bits.h: bitmaps with one bit a row, lowest bit first in each byte, for NULLs and heads.
 *
 * PostgreSQL's arrays and Arrow have the same layout, so their bitmaps are used as they are.
 */
#ifndef SCAN_OP_BITS_H
#define SCAN_OP_BITS_H

#include "op/fn.h"

SCAN_FN bool
scan_bit(const uint8_t *bits, int64_t i)
{
	return (bits[i >> 3] >> (i & 7)) & 1;
}

SCAN_FN void
scan_bit_put(uint8_t *bits, int64_t i, bool on)
{
	uint8_t mask = (uint8_t) (1u << (i & 7));

	bits[i >> 3] = (uint8_t) (on ? bits[i >> 3] | mask : bits[i >> 3] & ~mask);
}

/* Returns the bytes of a bitmap of n bits. */
SCAN_FN size_t
scan_bit_bytes(int64_t n)
{
	return (size_t) ((n + 7) / 8);
}

#endif /* SCAN_OP_BITS_H */

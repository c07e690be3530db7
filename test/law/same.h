/*
 * same.h: whether two accumulators are the same value, in whatever form each has it.
 *
 * What joins have made is compared by this, where answers would hide a difference: those of rows that are still to come
 * hang on it, too.
 */
#ifndef SCAN_LAW_SAME_H
#define SCAN_LAW_SAME_H

#include "op/binding.h"

SCAN_HOST_FN bool
exact_same(const ExactSum *a, const ExactSum *b)
{
	ExactSum x, y;

	exact_copy(&x, a);
	exact_copy(&y, b);
	if (x.form == EXACT_SPECIAL || y.form == EXACT_SPECIAL)
		return x.form == y.form && x.special == y.special;
	if ((x.form == EXACT_NEG_ZERO) != (y.form == EXACT_NEG_ZERO))
		return false;
	exact_to_limbs(&x);
	exact_to_limbs(&y);
	return memcmp(x.limb, y.limb, sizeof(x.limb)) == 0;
}

/* With lo = hi the map is constant, whatever its shift. */
SCAN_HOST_FN bool
clamp_same(const clamp_acc *a, const clamp_acc *b)
{
	return a->lo == b->lo && a->hi == b->hi && (a->shift == b->shift || a->lo == a->hi);
}

/* By fields: there is padding behind them. */
SCAN_HOST_FN bool
span_same(const span_acc *a, const span_acc *b)
{
	return a->month == b->month && a->day == b->day && a->time == b->time && a->plus_infinity == b->plus_infinity &&
		   a->minus_infinity == b->minus_infinity;
}

/* The gain, and the values that further rows are compared with. */
SCAN_HOST_FN bool
counter_same(const exact_counter_acc *a, const exact_counter_acc *b)
{
	ExactSum x, y;

	exact_counter_gain(a, &x);
	exact_counter_gain(b, &y);
	return exact_same(&x, &y) && double_bits(a->first) == double_bits(b->first) &&
		   double_bits(a->last) == double_bits(b->last);
}

/* Accumulators of a line of list.h, by the name of its function and type. */
SCAN_HOST_FN bool
law_same(const char *function, const char *type, const void *a, const void *b, size_t size)
{
	bool is_float = strncmp(type, "float", 5) == 0;

	if (is_float && (strcmp(function, "sum") == 0 || strcmp(function, "clamped_sum") == 0))
		return exact_same((const ExactSum *) a, (const ExactSum *) b);
	if (is_float && strcmp(function, "counter") == 0)
		return counter_same((const exact_counter_acc *) a, (const exact_counter_acc *) b);
	if (strcmp(function, "clamped_sum") == 0)
		return clamp_same((const clamp_acc *) a, (const clamp_acc *) b);
	if (strcmp(type, "interval") == 0)
		return span_same((const span_acc *) a, (const span_acc *) b);
	return memcmp(a, b, size) == 0;
}

#endif /* SCAN_LAW_SAME_H */

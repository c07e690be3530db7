/*
 * law.h: what the law programs share: a reproducible stream of random and edge values for every line of list.h, and a
 * counter of what held.
 */
#ifndef SCAN_LAW_H
#define SCAN_LAW_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "op/binding.h"
#include "random.h"

static uint64_t law_seed = 42;

static uint64_t
law_random(void)
{
	return random_next(&law_seed);
}

static int64_t
law_integer(int bits)
{
	uint64_t r = law_random();
	int		 shift = 64 - bits;

	switch (r & 7)
	{
		case 0:
			return (int64_t) (UINT64_C(1) << 63) >> shift; /* the smallest */
		case 1:
			return INT64_MAX >> shift;
		case 2:
			return (int64_t) (r >> 8 & 3) - 1;
		default:
			return ((int64_t) law_random() >> shift) >> (r >> 8) % (unsigned) bits;
	}
}

/* from 0 to 1; 1 or -1; of a normal distribution */
SCAN_HOST_FN double
law_uniform(void)
{
	return (double) (law_random() >> 11) * 0x1p-53;
}

SCAN_HOST_FN double
law_sign(void)
{
	return law_random() >> 63 ? -1 : 1;
}

SCAN_HOST_FN double
law_normal(void)
{
	double u = 1 - law_uniform(), v = law_uniform();

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* kind 0: anything; 1: harmless numbers, nearly always in a pair; 2: ties and deep bits */
static double
law_double(int kind)
{
	uint64_t r = law_random();

	if (kind == 1)
		return (double) (int64_t) (r >> 20) * 0x1p-30 - 0x1p13;
	if (kind == 2)
		return (r & 1 ? 1 : -1) * ldexp(1.0, (int) (r >> 8 & 7) * -53) * (1 + (double) (r >> 16 & 3) * 0x1p-52);
	switch (r & 31)
	{
		case 0:
			return -0.0;
		case 1:
			return 0.0;
		case 2:
			return (r >> 8 & 15) == 0 ? (double) INFINITY : 1.7e308;
		case 3:
			return (r >> 8 & 15) == 0 ? -(double) INFINITY : -1.7e308;
		case 4:
			return (r >> 8 & 15) == 0 ? (double) NAN : 4.9e-324;
		default:
			return double_from_bits((law_random() & ~(UINT64_C(3) << 61)) | (r & 32 ? UINT64_C(1) << 61 : 0));
	}
}

/* One of two values, for runs; of floats also -0 and NaN. */
SCAN_HOST_FN void
law_few(const char *type, void *x)
{
	static const double some[4] = {0.0, -0.0, (double) NAN, 1.0};
	uint64_t			r = law_random() >> 33;

	if (strcmp(type, "bool") == 0)
		*(bool *) x = r & 1;
	else if (strcmp(type, "int2") == 0)
		*(int16_t *) x = (int16_t) (r & 1);
	else if (strcmp(type, "int4") == 0)
		*(int32_t *) x = (int32_t) (r & 1);
	else if (strcmp(type, "int8") == 0)
		*(int64_t *) x = (int64_t) (r & 1);
	else if (strcmp(type, "float4") == 0)
		*(float *) x = (float) some[r & 3];
	else
		*(double *) x = some[r & 3];
}

/* A product of small primes, positive or negative.  Such numbers have common divisors, even after many rows. */
static int32_t
law_divisible(int most_primes)
{
	static const int primes[4] = {2, 2, 3, 5};
	int32_t			 product = law_random() >> 63 ? -1 : 1;

	for (uint64_t n = most_primes / 2 + law_random() % (most_primes / 2 + 1); n > 0; n--)
		product *= primes[law_random() >> 62];
	return product;
}

/* A value for a line of list.h, by the name of its function and type.  Integers of kind 3 have common divisors. */
SCAN_HOST_FN void
law_value(const char *function, const char *type, int kind, void *x)
{
	if (strcmp(function, "carry") == 0)
		*(uint8_t *) x = (uint8_t) (law_random() >> 32 & 3);
	else if (strcmp(function, "change") == 0 && law_random() % 4 != 0)
		law_few(type, x);
	else if (strcmp(type, "bool") == 0)
		*(bool *) x = law_random() >> 40 & 1;
	else if (strcmp(type, "int2") == 0)
		*(int16_t *) x = kind == 3 ? (int16_t) law_divisible(6) : (int16_t) law_integer(16);
	else if (strcmp(type, "int4") == 0)
		*(int32_t *) x = kind == 3 ? law_divisible(13) : (int32_t) law_integer(32);
	else if (strcmp(type, "int8") == 0)
		*(int64_t *) x = kind == 3 ? law_divisible(13) : law_integer(64) >> (kind == 1 ? 20 : 0);
	else if (strcmp(type, "float4") == 0)
		*(float *) x = (float) law_double(kind);
	else if (strcmp(type, "float8") == 0)
		*(double *) x = law_double(kind);
	else if (strcmp(type, "interval") == 0)
	{
		((ScanSpan *) x)->time = law_integer(64) >> (kind == 1 ? 20 : 0);
		((ScanSpan *) x)->day = (int32_t) (law_integer(32) >> (kind == 1 ? 16 : 0));
		((ScanSpan *) x)->month = (int32_t) (law_integer(32) >> (kind == 1 ? 16 : 0));
	}
	else
	{
		printf("not ok no values for %s %s\n", function, type);
		exit(1);
	}
}

static ClampParam law_clamp;
static CarryParam law_carry = {true};

/* The constant arguments of a function, drawn anew. */
SCAN_HOST_FN const void *
law_param(const char *function)
{
	if (strcmp(function, "clamped_sum") == 0)
	{
		int64_t a = law_integer(20), b = law_integer(20);

		law_clamp.lower = law_random() % 4 == 0 ? -CLAMP_INFINITY : (scan_int128) (a < b ? a : b);
		law_clamp.upper = law_random() % 4 == 0 ? CLAMP_INFINITY : (scan_int128) (a < b ? b : a);
		law_clamp.init = law_integer(20);
		return &law_clamp;
	}
	return strcmp(function, "carry") == 0 ? &law_carry : NULL;
}

static int law_failures;

static void
law_report(bool ok, const char *text)
{
	printf("%s %s\n", ok ? "ok" : "not ok", text);
	law_failures += !ok;
}

static bool law_known;

/* True if a program that was asked for one function only (NULL: for all) is to take this one. */
SCAN_HOST_FN bool
law_is_asked(const char *only, const char *function)
{
	bool asked = only == NULL || strcmp(only, function) == 0;

	law_known = law_known || asked;
	return asked;
}

/* At the end: a failure if there was no such function. */
SCAN_HOST_FN void
law_report_unknown(const char *only)
{
	if (!law_known)
	{
		printf("# src/op/list.h has no line SCAN_ROW(%s, ...) and no line SCAN_KERNEL(%s, ...)\n", only, only);
		law_report(false, only);
	}
}

#endif /* SCAN_LAW_H */

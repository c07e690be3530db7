/*
 * plain.c: what test/bench/array.sql measures, as anyone would write it in C: one loop, into memory that is fresh each
 * time, as the memory of a new array is.
 *
 *   plain [ELEMENTS]         other than 10000000; ns an element: median, least
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../law/random.h"

#define REPEATS 11

static int64_t	n = 10000000;
static int64_t *integers; /* 48 random bits, half of them negative */
static double  *factors, *terms;
static bool	   *keep; /* every other one, at random */

static uint64_t
draw_bits(void)
{
	static uint64_t seed = 42;

	return random_next(&seed);
}

static void *
fresh(size_t size)
{
	void *p = malloc(size);

	if (p == NULL)
		exit(1);
	return p;
}

/* Lets go of a result that the compiler must believe was looked at. */
static void
used(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	free(p);
}

static void
copy(void)
{
	int64_t *y = fresh(n * 8);

	memcpy(y, integers, n * 8);
	used(y);
}

static void
sum(void)
{
	int64_t *y = fresh(n * 8);
	int64_t	 total = 0;

	for (int64_t i = 0; i < n; i++)
		y[i] = total += integers[i];
	used(y);
}

static void
sum_of_doubles(void)
{
	double *y = fresh(n * 8);
	double	total = 0;

	for (int64_t i = 0; i < n; i++)
		y[i] = total += terms[i];
	used(y);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("fma")))
#endif
static void
recurrence(void)
{
	double *y = fresh(n * 8);
	double	last = 0;

	for (int64_t i = 0; i < n; i++)
		y[i] = last = fma(factors[i], last, terms[i]);
	used(y);
}

/* As it is written first, with a branch at every element, */
static void
compact(void)
{
	int64_t *y = fresh(n * 8);
	int64_t	 k = 0;

	for (int64_t i = 0; i < n; i++)
		if (keep[i])
			y[k++] = integers[i];
	used(y);
}

/* and without. */
static void
compact_without_branch(void)
{
	int64_t *y = fresh((n + 1) * 8);
	int64_t	 k = 0;

	for (int64_t i = 0; i < n; i++)
	{
		y[k] = integers[i];
		k += keep[i];
	}
	used(y);
}

static void
split(void)
{
	int64_t *y = fresh(n * 8);
	int64_t	 k = 0;

	for (int64_t i = 0; i < n; i++)
		if (!keep[i])
			y[k++] = integers[i];
	for (int64_t i = 0; i < n; i++)
		if (keep[i])
			y[k++] = integers[i];
	used(y);
}

/* A byte at a time, all eight of them. */
static void
radix_sort(void)
{
	uint64_t *from = fresh(n * 8), *to = fresh(n * 8);

	for (int64_t i = 0; i < n; i++)
		from[i] = (uint64_t) integers[i] ^ (UINT64_C(1) << 63);
	for (int shift = 0; shift < 64; shift += 8)
	{
		int64_t	  place[256] = {0}, before = 0;
		uint64_t *swap = from;

		for (int64_t i = 0; i < n; i++)
			place[from[i] >> shift & 255]++;
		for (int v = 0; v < 256; v++)
		{
			int64_t here = place[v];

			place[v] = before;
			before += here;
		}
		for (int64_t i = 0; i < n; i++)
			to[place[from[i] >> shift & 255]++] = from[i];
		from = to;
		to = swap;
	}
	for (int64_t i = 0; i < n; i++)
		from[i] ^= UINT64_C(1) << 63;
	used(from);
	used(to);
}

static int
integer_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

static void
quick_sort(void)
{
	int64_t *y = fresh(n * 8);

	memcpy(y, integers, n * 8);
	qsort(y, n, 8, integer_compare);
	used(y);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static int
double_compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return x < y ? -1 : x > y;
}

int
main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		void (*run)(void);
	} loops[] = {
		{"copy", copy},
		{"sum, int64", sum},
		{"sum, double", sum_of_doubles},
		{"recurrence, fma", recurrence},
		{"compact, half kept", compact},
		{"compact, half kept, no branch", compact_without_branch},
		{"split", split},
		{"radix sort by bytes", radix_sort},
		{"qsort", quick_sort},
	};

	if (argc > 1)
		n = atoll(argv[1]);
	integers = fresh(n * 8);
	factors = fresh(n * 8);
	terms = fresh(n * 8);
	keep = fresh(n);
	for (int64_t i = 0; i < n; i++)
	{
		integers[i] = (int64_t) draw_bits() >> 16;
		factors[i] = 0.98;
		terms[i] = (double) (draw_bits() >> 11) * 0x1p-53;
		keep[i] = draw_bits() & 1;
	}
	printf("ns an element, %lld elements, the memory of the result included: median (least)\n", (long long) n);
	for (size_t l = 0; l < sizeof(loops) / sizeof(loops[0]); l++)
	{
		double ns[REPEATS];
		int	   repeats = loops[l].run == quick_sort ? 3 : REPEATS;

		for (int r = 0; r < repeats; r++)
		{
			double start = now();

			loops[l].run();
			ns[r] = (now() - start) / (double) n;
		}
		qsort(ns, repeats, sizeof(double), double_compare);
		printf("%-32s %7.2f (%.2f)\n", loops[l].name, ns[repeats / 2], ns[0]);
	}
	return 0;
}

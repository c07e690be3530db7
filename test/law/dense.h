/*
 * dense.h: what the law programs about dense runs share: how a program is called, random numbers, columns of doubles
 * that begin anywhere, and their comparison.
 *
 *   PROGRAM [LABEL [few]]
 */
#ifndef SCAN_LAW_DENSE_H
#define SCAN_LAW_DENSE_H

#include "cpu/ways.h"
#include "law.h"

static const char *label = "cc";
static bool		   few;

SCAN_HOST_FN void
report(bool ok, const char *text)
{
	char line[160];

	snprintf(line, sizeof(line), "%s (%s)", text, label);
	law_report(ok, line);
}

SCAN_HOST_FN void
arguments(int argc, char **argv)
{
	if (argc > 1)
		label = argv[1];
	few = argc > 2;
}

SCAN_HOST_FN double
uniform(void)
{
	return (double) (law_random() >> 11) * 0x1p-53;
}

SCAN_HOST_FN double
random_sign(void)
{
	return law_random() & 1 ? 1 : -1;
}

SCAN_HOST_FN double
normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum - 6;
}

/*
 * n doubles that end where their memory does, so that the sanitizer sees what reads or writes further, and begin
 * anywhere.
 */
SCAN_HOST_FN double *
doubles(int64_t n)
{
	double *p = malloc((size_t) (n + 8) * sizeof(double));

	if (p == NULL)
		exit(1);
	return p + 8;
}

SCAN_HOST_FN void
doubles_free(double *p)
{
	free(p - 8);
}

SCAN_HOST_FN bool
same_bits(const double *a, const double *b, int64_t n, const char *what)
{
	static int said;

	for (int64_t i = 0; i < n; i++)
		if (double_bits(a[i]) != double_bits(b[i]))
		{
			if (said++ < 20)
				printf("# %s: row %" PRId64 " of %" PRId64 ": %a, not %a\n", what, i, n, a[i], b[i]);
			return false;
		}
	return true;
}

#endif /* SCAN_LAW_DENSE_H */

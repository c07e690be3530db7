/*
 * classics.cu: the classical scans of gpu/classic answer what a plain loop answers.
 *
 *   classics [few]
 *
 * Columns about the sizes at which one takes a block more, another round of its last pass, or another level of totals;
 * every number any 64 bits, so that none can be missed.  `few`: without the largest.  Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "../law/random.h"
#include "classics.h"

#define GUARD 64 /* rows after the column that nobody may write */

static void
must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("Bail out! %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

/* Sums of this many bits do not overflow in 2^30 rows. */
#define VALUE_BITS 33

static bool
scan_holds(const ClassicScan *classic, int64_t n)
{
	std::vector<int64_t> x((size_t) n), expected((size_t) n + GUARD), y((size_t) n + GUARD);
	size_t				 bytes = (size_t) n * sizeof(int64_t), guarded = bytes + GUARD * sizeof(int64_t);
	int64_t				*in, *out, sum = 0;
	void				*room;

	for (int64_t i = 0; i < n; i++)
	{
		x[(size_t) i] = (int64_t) random_at((uint64_t) (i + n)) >> (64 - VALUE_BITS);
		expected[(size_t) i] = sum += x[(size_t) i];
	}
	memset(expected.data() + n, 0xee, GUARD * sizeof(int64_t));
	must(cudaMalloc((void **) &in, bytes), "cudaMalloc");
	must(cudaMalloc((void **) &out, guarded), "cudaMalloc");
	must(cudaMalloc(&room, classic_room_max(n)), "cudaMalloc");
	must(cudaMemcpyAsync(in, x.data(), bytes, cudaMemcpyHostToDevice, 0), "copy");
	must(cudaMemsetAsync(out, 0xee, guarded, 0), "set");
	must(cudaMemsetAsync(room, 0xee, classic_room_max(n), 0), "set");
	classic->scan(in, out, n, room, 0);
	must(cudaGetLastError(), "launch");
	must(cudaMemcpyAsync(y.data(), out, guarded, cudaMemcpyDeviceToHost, 0), "copy");
	must(cudaStreamSynchronize(0), "run");
	must(cudaFree(in), "free");
	must(cudaFree(out), "free");
	must(cudaFree(room), "free");
	for (int64_t i = 0; i < n + GUARD; i++)
		if (y[(size_t) i] != expected[(size_t) i])
		{
			printf("# %s, %lld rows: row %lld\n", classic->name, (long long) n, (long long) i);
			return false;
		}
	return true;
}

/* One row less than a size, the size, and one more. */
static bool
sizes_hold(const ClassicScan *classic, int64_t rows)
{
	bool holds = true;

	for (int64_t n = rows - 1; n <= rows + 1; n++)
		if (n > 0)
			holds = scan_holds(classic, n) && holds;
	return holds;
}

int
main(int argc, char **argv)
{
	bool few = argc > 1;
	int	 failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < CLASSIC_SCANS; i++)
	{
		const ClassicScan *classic = &classic_scans[i];
		bool			   holds = true;

		for (int64_t rows : {(int64_t) 1, (int64_t) 32, classic->rows, 2 * classic->rows, 33 * classic->rows})
			holds = sizes_hold(classic, rows) && holds;
		/* totals of totals; every block of the three passes, and their second round */
		for (int64_t rows : {classic->rows * classic->rows, (int64_t) THREE_PASS_BLOCKS * THREE_PASS_THREADS})
			if (!few || rows < 300000)
				holds = sizes_hold(classic, rows) && holds;
		printf("%s %d - %s\n", holds ? "ok" : "not ok", i + 1, classic->name);
		failures += !holds;
	}
	printf("1..%d\n", CLASSIC_SCANS);
	return failures != 0;
}

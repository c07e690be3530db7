/*
 * pinned.c: jobs of a ring of more than 1 GiB.
 *
 *   pinned LIBRARY.so
 *
 * CUDA refuses a copy whose host memory two calls of cudaHostRegister() have pinned.  So a library must pin memory such
 * that a job's columns, wherever they lie in their slot, are pinned by one call.  Each slot gets jobs with a column at
 * its beginning, at its end, across 16 MiB of the slot, which may be pinned where no more can be, and across each
 * multiple of 512 MiB of the ring.
 *
 * A backend may fill a slot while a program opens its device.  So open() must leave the slots as they are.  Prints TAP.
 */
#include <inttypes.h>

#include "library.h"

#define ROWS 5000
#define SLOTS 3
#define SLOT_SIZE ((uint64_t) 600 << 20)
#define HEADER ((uint64_t) 65536)
#define STRIDE (SLOT_SIZE + HEADER)
#define RING (SLOTS * STRIDE)
#define PIECE ((uint64_t) 512 << 20)
#define FIRST ((uint64_t) 16 << 20)
#define COLUMN ((uint64_t) 65536) /* room for a column */
#define FILLED ((size_t) 1 << 20) /* bytes that a backend has laid down in each slot before open() */

static int tests, failures;

static void
report(bool good, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tests, what);
	failures += !good;
}

/* A sum of 1, 2, ... with its input and its answers at these offsets of the ring. */
static bool
sum_holds(uint64_t in_at, uint64_t out_at, uint64_t valid_at)
{
	static ScanGpuJob job;
	int64_t			 *in = (int64_t *) (ring + in_at), *out = (int64_t *) (ring + out_at);
	ScanGpuOperation *o = &job.operation[0];
	size_t			  carry_size = offsetof(ScanCarry, acc) + sizeof(sum_int8_acc);
	char			  reason[200] = "";
	ScanGpuCode		  code;

	for (int64_t i = 0; i < ROWS; i++)
		in[i] = i + 1;
	memset(&job, 0, sizeof(job));
	job.n = ROWS;
	job.inputs = job.operations = 1;
	job.input[0].data = in;
	job.input[0].width = sizeof(*in);
	o->line = SCAN_OP_sum_int8;
	o->in = 1;
	o->carry = (ScanCarry *) calloc(1, carry_size);
	o->carry_size = carry_size;
	o->out = out;
	o->out_valid = (uint8_t *) ring + valid_at;
	memset(o->out_valid, 0xff, (ROWS + 7) / 8);
	code = library->run(device, &job, reason, sizeof(reason));
	free(o->carry);
	if (code != SCAN_GPU_OK)
		printf("# code %d: %s\n", (int) code, reason);
	return code == SCAN_GPU_OK && out[0] == 1 && out[ROWS - 1] == (int64_t) ROWS * (ROWS + 1) / 2;
}

/* A column at an offset of a slot, first as input, then as answers; the rest lies elsewhere in the slot. */
static void
column_holds(uint64_t slot, uint64_t at, const char *where)
{
	uint64_t rest = at - slot < SLOT_SIZE / 2 ? slot + SLOT_SIZE - 8 * COLUMN : slot + 2 * COLUMN;
	char	 what[100];

	snprintf(what, sizeof(what), "slot at %" PRIu64 " MiB, a column %s", slot >> 20, where);
	report(sum_holds(at, rest, rest + COLUMN) && sum_holds(rest, at, rest + COLUMN), what);
}

/* Fills the beginning of each slot, or checks that it is as it was filled. */
static bool
slots_are_filled(bool check)
{
	bool good = true;

	for (int i = 0; i < SLOTS; i++)
		for (size_t at = 0; at < FILLED; at++)
		{
			char *byte = ring + HEADER + (uint64_t) i * STRIDE + at;

			if (!check)
				*byte = (char) (at * 7 + 1);
			good = good && *byte == (char) (at * 7 + 1);
		}
	return good;
}

int
main(int argc, char **argv)
{
	ScanGpuOptions options = {0};
	uint32_t	   measuring = 0;
	char		   reason[200] = "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2)
	{
		fprintf(stderr, "usage: pinned LIBRARY.so\n");
		return 2;
	}
	load_library(argv[1], 1 << 20);
	library->close(device);
	/* pages that nobody writes to take no memory, unless a device pins them */
	ring = (char *) mmap(NULL, RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	options.ring = ring;
	options.ring_size = RING;
	options.jobs = SLOTS;
	options.job_bytes = SLOT_SIZE;
	options.first_job = HEADER;
	options.job_stride = STRIDE;
	options.measuring = &measuring;
	if (ring == MAP_FAILED || !slots_are_filled(false))
	{
		printf("Bail out! no memory for the ring\n");
		return 1;
	}
	device = library->open(&options, &info, reason, sizeof(reason));
	if (device == NULL)
	{
		printf("Bail out! no device: %s\n", reason);
		return 1;
	}
	printf("# the ring of %" PRIu64 " MiB is %s\n", RING >> 20, info.pinned ? "pinned" : "not pinned");
	report(slots_are_filled(true), "open() leaves the slots alone");
	report(sum_holds(HEADER + FIRST + FIRST / 4, HEADER, HEADER + COLUMN), "a column somewhat behind what is pinned");
	for (int i = 0; i < SLOTS; i++)
	{
		uint64_t slot = HEADER + (uint64_t) i * STRIDE;

		column_holds(slot, slot, "at the beginning");
		column_holds(slot, slot + SLOT_SIZE - COLUMN, "at the end");
		column_holds(slot, slot + FIRST - 20480, "across 16 MiB of the slot");
		for (uint64_t piece = PIECE; piece < RING; piece += PIECE)
			if (piece > slot + COLUMN && piece < slot + SLOT_SIZE - COLUMN)
				column_holds(slot, piece - 20480, "across a multiple of 512 MiB");
	}
	library->close(device);
	printf("1..%d\n", tests);
	return failures != 0;
}

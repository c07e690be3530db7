/*
 * check.c: a device library answers what the CPU answers.
 *
 *   check LIBRARY.so [few | tiny | least | smoke [FUNCTION]]
 *
 * Loads a device library as the program scan_gpu does, without PostgreSQL, and holds its answers to random jobs against
 * src/cpu: every bit of every answer, NULLs, the row of the first error and its status, and the carry, by value.  For
 * every line of list.h that the library runs: NULLs, heads, both extents, sizes about a warp and a tile, columns cut
 * into jobs anywhere; jobs by keys of up to 128 bits with partitions and several operations.  A library may decline to
 * prove float sums of the kinds that are made to be hard, and no others.
 *
 * `few`: small columns only, a tenth of them; `tiny`: for a checker that takes a hundred times as long; `least`: for
 * one that takes ten thousand times as long: every kernel, and no more of the recurrences than of other lines.
 * `smoke`: a column of every line, without bits and with, in several jobs, and a sort: whether there is any use in
 * going on.  FUNCTION: lines of that name alone.  Prints TAP.
 */
#include "check.h"

/* The parts below ask, too: of a hundred columns how many are left out, and whether recurrences are few. */
static int	scale = 1;
static bool least;

#include "check_frames.h"
#include "check_keys.h"
#include "check_recurrence.h"
#include "check_vector.h"
#include "tile.h"

#define CUTS 4
#define RING_SIZE ((size_t) 256 << 20)

/* ---- one line ---- */

/* True for lines whose totals a device keeps in pairs of doubles, and leaves to the CPU where a pair is too small. */
static bool
keeps_pairs(const ScanOp *op)
{
	return strncmp(op->type, "float", 5) == 0 &&
		   (strcmp(op->function, "sum") == 0 || strcmp(op->function, "counter") == 0 ||
			strcmp(op->function, "clamped_sum") == 0);
}

/* A piece of the column by the library and by the CPU, from the same carry, which goes on. */
static bool
piece_holds(const LawColumn *whole, ScanExtent extent, int64_t from, int64_t n, ScanCarry *carry, bool easy,
			bool *ended, const char *what)
{
	const ScanOp *op = whole->op;
	LawColumn	  piece = *whole;
	LawAnswers	  expected;
	ScanGpuJob	  job;
	ScanGpuCode	  code;
	char		  reason[200] = "";
	bool		  good = true;

	ring_used = 0;
	memset(&job, 0, sizeof(job));
	job.n = (uint64_t) n;
	add_operation(&job, whole, extent, from, n, carry);
	piece.n = n;
	piece.in = (void *) (uintptr_t) job.input[job.operation[0].in - 1].data;
	piece.valid = job.operation[0].valid == 0 ? NULL
											  : (uint8_t *) (uintptr_t) job.input[job.operation[0].valid - 1].data;
	piece.heads = job.operation[0].heads == 0 ? NULL
											  : (uint8_t *) (uintptr_t) job.input[job.operation[0].heads - 1].data;
	run_on_cpu(&piece, extent, carry, &expected);
	code = library->run(device, &job, reason, sizeof(reason));
	jobs++;
	if (code == SCAN_GPU_OK)
		good = answers_same(&job.operation[0], &piece, &expected, carry, what);
	else if (code == SCAN_GPU_NOT_PROVEN && !easy && keeps_pairs(op))
		declined++;
	else
	{
		printf("# %s %s, %s: code %d %s\n", op->function, op->type, what, (int) code, reason);
		good = false;
	}
	/* what the device left is gone on from, half of the time: it has to be as good as the CPU's */
	if (code == SCAN_GPU_OK && good && expected.status == SCAN_OK && law_random() % 2 == 0)
		memcpy(carry, job.operation[0].carry, scan_carry_size(op));
	*ended = expected.status != SCAN_OK;
	law_answers_free(&expected);
	return good;
}

/* A column, both extents, cut into jobs or whole; frees it. */
static bool
column_holds(LawColumn *column, int kind, int cuts, const char *what)
{
	const ScanOp *op = column->op;
	ScanCarry	 *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
	bool		  holds = true;

	for (int extent = SCAN_INCLUSIVE; extent <= SCAN_EXCLUSIVE; extent++)
	{
		int64_t from = 0;
		bool	ended = false;

		scan_carry_start(op, carry);
		for (int cut = 0; cut < cuts && !ended && (from < column->n || cut == 0); cut++)
		{
			int64_t rows = cut == cuts - 1 || (kind + extent) % 2 == 0
							   ? column->n - from
							   : (int64_t) (law_random() % (uint64_t) (column->n - from + 1));

			holds = (line_is_recurrence(op->line) ? recurrence_piece_holds : piece_holds)(
						column, (ScanExtent) extent, from, rows, carry, kind == 1, &ended, what) &&
					holds;
			from += rows;
		}
	}
	law_column_free(column);
	law_memory_free();
	free(carry);
	return holds;
}

static bool
drawn_column_holds(const ScanOp *op, int kind, int64_t n, int null_chance, int head_chance)
{
	LawColumn column;
	char	  what[100];

	snprintf(what, sizeof(what), "kind %d, nulls %d, heads %d", kind, null_chance, head_chance);
	column_draw(&column, op, kind, n, null_chance, head_chance);
	return column_holds(&column, kind, CUTS, what);
}

/* The first that is asked of a line, so it says which comes: diagnose.sh knows one by it that ends the program or
 * hangs. */
static bool
line_is_missing(const ScanOp *op)
{
	printf("# %s(%s)\n", op->function, op->type);
	if (info.row_ns[op->line] == 0)
		printf("ok line %s %s # skip: the library does not run it\n", op->function, op->type);
	return info.row_ns[op->line] == 0;
}

/* One easy column of several tiles without bits, and one with: the half of its jobs that are inclusive are cut. */
static void
line_smokes(const ScanOp *op)
{
	char text[200];
	bool holds;

	if (line_is_missing(op))
		return;
	if ((op->flags & SCAN_FRAMES) != 0)
	{
		frame_line_holds(op, true);
		return;
	}
	jobs = declined = 0;
	holds = drawn_column_holds(op, 1, 70001, -1, -1);
	holds = drawn_column_holds(op, 1, 70001, 300, 5) && holds;
	snprintf(text, sizeof(text), "line %s %s: %ld jobs, %ld not proven", op->function, op->type, jobs, declined);
	law_report(holds, text);
}

/* Rows of a tile: a kernel's accumulator is not larger than the CPU's where that is small. */
static int64_t
tile_rows(const ScanOp *op)
{
	return SCAN_TILE_ROWS(op->in_size, op->out_size, op->acc_size);
}

static void
line_holds(const ScanOp *op)
{
	const int64_t	 tile = tile_rows(op);
	const int64_t	 rows[] = {0, 1, 31, 32, 33, tile - 1, tile, tile + 1, 2 * tile, 70001};
	const int64_t	 edges[] = {0, 1, tile - 1, tile, tile + 1};
	static const int chances[] = {-1, 0, 300, 1000, 20};
	bool			 holds = true;
	char			 text[200];

	if (line_is_missing(op))
		return;
	jobs = declined = 0;
	for (int kind = 0; kind < 3; kind++)
		for (int r = 0; r < (int) (sizeof(rows) / sizeof(rows[0])); r++)
			for (int nulls = 0; nulls < 4; nulls++)
				for (int heads = 0; heads < 5; heads++)
					if ((int) (law_random() % 100) >= (rows[r] > 40 ? scale : scale / 2))
						holds = drawn_column_holds(op, kind, rows[r], chances[nulls], chances[heads]) && holds;
	/* in all circumstances: about a tile, and none, with bits and without */
	for (int i = 0; i < 20; i++)
		holds = drawn_column_holds(op, i / 10, edges[i / 2 % 5], i % 2 == 0 ? -1 : 300, i % 2 == 0 ? -1 : 20) && holds;
	/* and long segments, of several tiles and chunks */
	for (int i = 0; i < 8; i += least ? 3 : 1)
		holds = drawn_column_holds(op, 1, 9001 + 4096 * (i / 2), i % 2 == 0 ? -1 : 20, i / 4 == 0 ? -1 : 0) && holds;
	if (scale == 0)
	{
		holds = drawn_column_holds(op, 1, 1000000, -1, -1) && holds;
		holds = drawn_column_holds(op, 1, 1000003, 300, 1) && holds;
		holds = drawn_column_holds(op, 1, 1000000, -1, 0) && holds;
	}
	snprintf(text, sizeof(text), "line %s %s: %ld jobs, %ld not proven", op->function, op->type, jobs, declined);
	law_report(holds, text);
}

/* Clamped sums of zeros of both signs, about bounds that are zeros: the same sign, or not proven. */
static void
zeros_hold(const ScanOp *op)
{
	static const double value[] = {0.0, -0.0, -0.0, 1.0, -1.0};
	bool				holds = true;

	for (int i = 0; i < 200; i++)
	{
		ClampedFloatParam *p = (ClampedFloatParam *) law_ordered_param(op);
		LawColumn		   column;

		p->lower = value[law_random() % 3];
		p->upper = value[law_random() % 4];
		p->init = value[law_random() % 5];
		law_column_start(&column, op, p, 1 + (int64_t) (law_random() % 40));
		for (int64_t r = 0; r < column.n; r++)
			((double *) column.in)[r] = value[law_random() % (i % 2 == 0 ? 3 : 5)];
		holds = column_holds(&column, 0, 2, "zeros") && holds;
	}
	law_report(holds, "clamped sums of zeros");
}

static bool
is_float_extreme(const ScanOp *op)
{
	return strncmp(op->type, "float", 5) == 0 && (strcmp(op->function, "min") == 0 || strcmp(op->function, "max") == 0);
}

/* Extremes of NaNs, each of its own bits, signaling ones too: what comes back is one of them as it was. */
static void
payloads_hold(const ScanOp *op)
{
	bool holds = true;

	for (int i = 0; i < 6; i++)
	{
		LawColumn column;

		column_draw(&column, op, 0, 300 + 1800 * (i / 2), i % 2 == 0 ? -1 : 300, i % 2 == 0 ? -1 : 20);
		for (int64_t r = 0; r < column.n; r++)
			if (law_random() % 3 == 0 && op->in_size == sizeof(float))
				((uint32_t *) column.in)[r] = 0x7f800001u | (uint32_t) law_random();
			else if (law_random() % 3 == 0 && op->in_size == sizeof(double))
				((uint64_t *) column.in)[r] = UINT64_C(0x7ff0000000000001) | law_random();
		holds = column_holds(&column, 0, 2, "payloads of NaNs") && holds;
	}
	law_report(holds, "extremes of NaNs with payloads");
}

/* ---- */

/* A sum of n zeros. */
static ScanGpuCode
sum_of_zeros(int64_t n)
{
	ScanGpuJob job;
	LawColumn  column;
	double	   carry[64] = {0};
	char	   reason[200] = "";

	law_column_start(&column, scan_op_at(SCAN_OP_sum_int8), NULL, n);
	memset(column.in, 0, (size_t) n * 8);
	ring_used = 0;
	memset(&job, 0, sizeof(job));
	job.n = (uint64_t) n;
	add_operation(&job, &column, SCAN_INCLUSIVE, 0, n, (ScanCarry *) carry);
	law_column_free(&column);
	return library->run(device, &job, reason, sizeof(reason));
}

static void
odd_jobs_hold(void)
{
	ScanGpuJob job;
	char	   reason[200] = "";

	memset(&job, 0, sizeof(job));
	law_report(library->run(device, &job, reason, sizeof(reason)) == SCAN_GPU_OK, "a job of nothing");
	library->close(device);
	open_device(8 << 20);
	law_report(sum_of_zeros(1000000) == SCAN_GPU_OOM, "a job that the device has no room for");
	law_report(sum_of_zeros(100000) == SCAN_GPU_OK, "a smaller one after it");
}

static void
everything_of_line_holds(const ScanOp *op)
{
	bool is_here = info.row_ns[op->line] != 0;

	if ((op->flags & SCAN_FRAMES) != 0)
	{
		if (!line_is_missing(op))
			frame_line_holds(op, false);
		return;
	}
	line_holds(op);
	if (line_is_recurrence(op->line) && !least)
		recurrences_hold(op);
	if (op->line == SCAN_OP_recurrence_vector)
		vectors_hold(op);
	if (op->line == SCAN_OP_clamped_sum_float8 && is_here)
		zeros_hold(op);
	if (is_float_extreme(op) && is_here)
		payloads_hold(op);
}

int
main(int argc, char **argv)
{
	bool smoke = argc > 2 && strcmp(argv[2], "smoke") == 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	law_orders = SERIALIZED_ORDERS;
	if (argc < 2)
	{
		fprintf(stderr, "usage: check LIBRARY.so [few | tiny | least | smoke [FUNCTION]]\n");
		return 2;
	}
	if (argc > 2)
	{
		least = strcmp(argv[2], "least") == 0;
		scale = least || strcmp(argv[2], "tiny") == 0 ? 99 : 90;
	}
	else
		scale = 0;
	load_library(argv[1], RING_SIZE);
	/* standard error names them */
	if (info.refused > 0)
		law_report(false, "lines are not refused when they are measured");
	for (int i = 0; i < SCAN_OPS; i++)
		if (argc < 4 || strcmp(argv[3], scan_op_at(i)->function) == 0)
			(smoke ? line_smokes : everything_of_line_holds)(scan_op_at(i));
	if (info.sort_ns == 0 || info.row_ns[SCAN_OP_sum_int8] == 0)
		printf("ok a job by keys # skip: the library does not run it\n");
	else if (smoke)
		law_report(sorted_job_holds(30000, 64), "a job by keys");
	else
	{
		sorted_jobs_hold();
		odd_jobs_hold();
	}
	library->close(device);
	printf("# %s\n", law_failures == 0 ? "all as on the CPU" : "NOT as on the CPU");
	return law_failures != 0;
}

/*
 * check_frames.h: jobs of the lines of frames (op/frame.h): frames of every shape, about the sizes of the kernel.
 */
#ifndef SCAN_GPU_CHECK_FRAMES_H
#define SCAN_GPU_CHECK_FRAMES_H

#include "check.h"

static long frames_run;

/* ---- frames ---- */

static int64_t
below(int64_t n)
{
	return (int64_t) (law_random() % (uint64_t) n);
}

static uint32_t
between(int64_t x, int64_t least, int64_t most)
{
	return (uint32_t) (x < least ? least : x > most ? most : x);
}

/* Frames of ROWS between two offsets, in partitions of `partition` rows. */
static void
rows_frames(ScanFrame *frame, int64_t n, int64_t before, int64_t after, int64_t partition)
{
	for (int64_t i = 0; i < n; i++)
	{
		int64_t first = i / partition * partition, end = first + partition < n ? first + partition : n;

		frame[i].begin = between(i - before, first, end);
		frame[i].end = between(i + after + 1, first, end);
	}
}

/* Bounds that move on by any steps, often by none: frames of RANGE and GROUPS, and of rows without values. */
static void
ranging_frames(ScanFrame *frame, int64_t n, int64_t step)
{
	int64_t begin = 0, end = 0;

	for (int64_t i = 0; i < n; i++)
	{
		begin += law_random() % 2 == 0 ? 0 : below(step);
		end += law_random() % 2 == 0 ? 0 : below(step + 1);
		begin = between(begin, 0, n);
		end = between(end, begin, n);
		frame[i].begin = (uint32_t) begin;
		frame[i].end = (uint32_t) end;
		if (law_random() % 16 == 0)
			frame[i].begin = frame[i].end = 0;
	}
}

#define FRAME_SHAPES 8

static void
frames_draw(ScanFrame *frame, int64_t n, int shape, int64_t most)
{
	int64_t length = 1 + below(most);

	switch (shape)
	{
		case 0:
			rows_frames(frame, n, length, 0, n);
			break;
		case 1:
			rows_frames(frame, n, length, below(10), 1 + below(n));
			break;
		case 2: /* short partitions, frames beside their rows */
			rows_frames(frame, n, below(20), -below(4), 1 + below(40));
			break;
		case 3: /* to the end of a partition */
			rows_frames(frame, n, -below(3), length, 1 + below(length));
			break;
		case 4:
			ranging_frames(frame, n, 3);
			break;
		case 5: /* frames that jump, by more than a window now and then */
			ranging_frames(frame, n, 1 + below(200));
			break;
		case 6: /* none has values, or one has */
			memset(frame, 0, (size_t) n * sizeof(*frame));
			frame[below(n)] = (ScanFrame){(uint32_t) below(2), (uint32_t) (1 + below(n))};
			break;
		default: /* one value each */
			rows_frames(frame, n, 0, 0, n);
			break;
	}
}

/* ---- values ---- */

/* Kind 0: anything, infinities and NaNs too; 1: harmless; 2: ties; 3: so large that sums and squares overflow; 4:
 * zeros. */
static double
frame_value(int kind)
{
	switch (kind)
	{
		case 3:
			return law_sign() * ldexp(1 + law_uniform(), 500 + (int) (law_random() % 524));
		case 4:
			return law_random() % 8 > 0 ? -0.0 : 0.0;
		default:
			return law_double(kind);
	}
}

static void
frame_values_draw(LawColumn *column, int kind)
{
	for (int64_t i = 0; i < column->n; i++)
	{
		double x = frame_value(kind);

		if (column->op->in_size == sizeof(float))
			((float *) column->in)[i] = kind == 3 ? (float) ldexp(law_sign(), 120 + (int) (law_random() % 8))
												  : (float) x;
		else
			((double *) column->in)[i] = x;
	}
}

/* ---- a job ---- */

static bool
frames_hold(const ScanOp *op, int64_t n, int shape, int kind, int64_t most)
{
	LawColumn	column;
	LawAnswers	expected;
	ScanCarry  *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
	ScanJob		whole;
	ScanGpuJob	job;
	ScanGpuCode code;
	char		reason[200] = "", what[100];
	bool		good;

	law_column_start(&column, op, NULL, n);
	frame_values_draw(&column, kind);
	frames_draw((ScanFrame *) column.in2, n, shape, most);
	snprintf(what, sizeof(what), "shape %d, kind %d, to %" PRId64, shape, kind, most);
	scan_carry_start(op, carry);
	law_answers_start(&expected, op, n);
	whole = law_job(&column, SCAN_INCLUSIVE, carry, &expected);
	whole.values = n;
	scan_cpu_run(&whole);
	expected.has_nulls = whole.has_nulls;
	expected.done = whole.done;

	ring_used = 0;
	memset(&job, 0, sizeof(job));
	job.n = (uint64_t) n;
	add_operation(&job, &column, SCAN_INCLUSIVE, 0, n, carry);
	job.operation[0].in2 = add_input(&job, ring_copy(column.in2, (size_t) n * sizeof(ScanFrame)), sizeof(ScanFrame));
	job.operation[0].carry->row = 0;
	code = run_job(&job, reason, sizeof(reason));
	jobs++;
	frames_run += n;
	good = code == SCAN_GPU_OK && answers_same(&job.operation[0], &column, &expected, carry, what);
	if (code != SCAN_GPU_OK)
		printf("# %s %s, %s: code %d %s\n", op->function, op->type, what, (int) code, reason);
	law_answers_free(&expected);
	law_column_free(&column);
	free(carry);
	return good;
}

/* Every shape and kind, with sizes about a block (its rows are tile.h's), a window and more. */
static void
frame_line_holds(const ScanOp *op, bool smoke)
{
	static const int64_t rows[] = {1, 14, 31, 33, 895, 896, 897, 1919, 1920, 1921, 4095, 4097, 9001};
	char				 text[200];
	bool				 holds = true;

	jobs = frames_run = 0;
	for (int r = 0; r < 13 && !smoke; r++)
		for (int shape = 0; shape < FRAME_SHAPES; shape++)
			for (int kind = 0; kind < 5; kind++)
				if (least ? (r + 5 * shape + kind) % 40 == 0 : (int) (law_random() % 100) >= scale / 2)
					holds = frames_hold(op, rows[r], shape, kind,
										least ? 100 : 1 + below(rows[r] < 3000 ? 3000 : 300)) &&
							holds;
	/* longer than a window, in several blocks */
	for (int shape = 0; shape < (least ? 1 : FRAME_SHAPES); shape++)
		holds = frames_hold(op, least ? 300 : 6001, shape, 1, least ? 300 : 6001) && holds;
	if (least)
		holds = frames_hold(op, 4400, 5, 1, 10) && holds;
	snprintf(text, sizeof(text), "line %s %s: %ld jobs, %ld frames", op->function, op->type, jobs, frames_run);
	law_report(holds, text);
}

#endif /* SCAN_GPU_CHECK_FRAMES_H */

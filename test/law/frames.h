/*
 * frames.h: jobs of frames (op/frame.h) through a slot: the answers are the CPU's, and gpu/job.c refuses frames that a
 * device library must not get.
 *
 * A part of device.c.  test/gpu/check_frames.h has frames of every shape.
 */
#ifndef SCAN_LAW_FRAMES_H
#define SCAN_LAW_FRAMES_H

#include "slot.h"

#define FRAME_ROWS 40

/* What is wrong with a job. */
typedef enum FrameWrong
{
	FRAME_GOOD,
	FRAME_BEGINS_EARLIER,
	FRAME_ENDS_EARLIER,
	FRAME_ENDS_OUTSIDE,
	FRAME_HAS_NULLS,
	FRAME_HAS_HEADS,
	FRAME_IS_EXCLUSIVE,
	FRAME_HAS_KEYS,
	FRAME_HAS_NO_FRAMES,
	FRAME_WRONGS
} FrameWrong;

/* Frames of three values before each row, with empty ones between, and one thing that is wrong. */
static void
frames_make(LawColumn *column, FrameWrong wrong)
{
	ScanFrame *frame = (ScanFrame *) column->in2;

	for (uint32_t i = 0; i < FRAME_ROWS; i++)
	{
		law_value("sum", column->op->type, 1, (char *) column->in + i * column->op->in_size);
		frame[i].begin = i < 3 ? 0 : i - 3;
		frame[i].end = i % 7 == 5 ? 0 : i + 1;
	}
	if (wrong == FRAME_BEGINS_EARLIER)
		frame[20].begin = frame[18].begin - 1;
	if (wrong == FRAME_ENDS_EARLIER)
		frame[20].end = frame[18].end - 1;
	if (wrong == FRAME_ENDS_OUTSIDE)
		frame[FRAME_ROWS - 1].end++;
	if (wrong == FRAME_HAS_NULLS)
		column->valid = law_bits(FRAME_ROWS, true);
	if (wrong == FRAME_HAS_HEADS)
		column->heads = law_bits(FRAME_ROWS, false);
}

static bool
frame_job_holds(const ScanOp *op, FrameWrong wrong)
{
	Slot		slot = {0};
	LawColumn	column;
	LawAnswers	expected, answers;
	ScanCarry  *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
	ScanJob		job;
	ScanGpuCode code;
	bool		holds;

	law_column_start(&column, op, NULL, FRAME_ROWS);
	frames_make(&column, wrong);
	scan_carry_start(op, carry);
	slot.job.n = FRAME_ROWS;
	slot_operation(&slot, &column, 0, FRAME_ROWS, wrong == FRAME_IS_EXCLUSIVE ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE, carry);
	if (wrong == FRAME_HAS_KEYS)
	{
		slot.job.key_bits = 8;
		slot.job.keys = slot_reserve(&slot, NULL, FRAME_ROWS * sizeof(uint64_t));
	}
	if (wrong == FRAME_HAS_NO_FRAMES)
		slot.job.operation[0].in2 = 0;
	code = slot_run(&slot);
	law_answers_start(&expected, op, FRAME_ROWS);
	law_answers_start(&answers, op, FRAME_ROWS);
	job = law_job(&column, SCAN_INCLUSIVE, carry, &expected);
	job.values = FRAME_ROWS;
	scan_cpu_run(&job);
	expected.has_nulls = job.has_nulls;
	expected.done = job.done;
	slot_answers(&slot, 0, op, 0, FRAME_ROWS, &answers);
	holds = wrong == FRAME_GOOD ? code == SCAN_GPU_OK && law_answers_differ(op, &answers, &expected) == -2
								: code == SCAN_GPU_REFUSED;
	if (!holds)
		printf("# frames of %s %s, wrong %d: code %d\n", op->function, op->type, (int) wrong, (int) code);
	law_answers_free(&expected);
	law_answers_free(&answers);
	law_column_free(&column);
	slot_free(&slot);
	free(carry);
	return holds;
}

static void
frames_hold(const ScanOp *op)
{
	char text[100];
	bool holds = true;

	for (int wrong = FRAME_GOOD; wrong < FRAME_WRONGS; wrong++)
		holds = frame_job_holds(op, (FrameWrong) wrong) && holds;
	snprintf(text, sizeof(text), "frames of %s %s", op->function, op->type);
	law_report(holds, text);
}

#endif /* SCAN_LAW_FRAMES_H */

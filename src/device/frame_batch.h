/*
 * frame_batch.h: cuts a job of frames (op/frame.h) into batches, for client.c.
 *
 * A batch has the frames of some rows, and the values of these frames.  Neighbouring frames overlap, so a value may go
 * to the device in two batches.
 */
#ifndef SCAN_DEVICE_FRAME_BATCH_H
#define SCAN_DEVICE_FRAME_BATCH_H

#include "cpu/cpu.h"

/* The rows of a job that go into one batch. */
typedef struct FrameCut
{
	int64_t	 rows;	 /* how many rows; 0: a single frame has too many values */
	uint32_t begin;	 /* the first value of their frames */
	int64_t	 values; /* how many values */
} FrameCut;

/* Returns the cut that begins at row `from`: at most `rows` rows, whose frames have at most `most` values together. */
extern FrameCut frame_cut_batch(const ScanJob *job, int64_t from, int64_t rows, int64_t most);

/*
 * Writes the frames of the cut's rows, whose values begin at 0 now, and empty ones up to `slot_rows`, as many as the
 * slot's job has rows.
 */
extern void frame_write(const ScanJob *job, int64_t from, const FrameCut *cut, int64_t slot_rows, void *to);

#endif /* SCAN_DEVICE_FRAME_BATCH_H */

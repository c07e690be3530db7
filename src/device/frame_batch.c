/*
 * frame_batch.c: cuts a job of frames (op/frame.h) into batches, for client.c.
 *
 * A batch has the frames of some rows, and the values of these frames.  Neighbouring frames overlap, so a value may go
 * to the device in two batches.
 *
 * Plain C over plain arrays.
 */
#include "device/jobs.h"

#include "op/frame.h"

#define FRAME_CUT_ROWS 64 /* a batch that is not the last has a multiple of so many rows, for whole bytes of bits */

/* Makes begin .. end - 1 contain the frame's values. */
static inline void
take_bounds(ScanFrame frame, uint32_t *begin, uint32_t *end)
{
	if (frame.begin >= frame.end)
		return;
	*begin = frame.begin < *begin ? frame.begin : *begin;
	*end = frame.end > *end ? frame.end : *end;
}

FrameCut
frame_cut_batch(const ScanJob *job, int64_t from, int64_t rows, int64_t most)
{
	const ScanFrame *frame = (const ScanFrame *) job->in2 + from;
	uint32_t		 begin = UINT32_MAX, end = 0;
	FrameCut		 cut = {0, 0, 0};

	while (cut.rows < rows)
	{
		uint32_t next_begin = begin, next_end = end;

		take_bounds(frame[cut.rows], &next_begin, &next_end);
		if (next_begin < next_end && next_end - next_begin > most)
			break;
		begin = next_begin;
		end = next_end;
		cut.rows++;
	}
	if (from + cut.rows < job->n)
		cut.rows = cut.rows / FRAME_CUT_ROWS * FRAME_CUT_ROWS;
	begin = UINT32_MAX;
	end = 0;
	for (int64_t i = 0; i < cut.rows; i++)
		take_bounds(frame[i], &begin, &end);
	if (begin < end)
	{
		cut.begin = begin;
		cut.values = end - begin;
	}
	return cut;
}

void
frame_write(const ScanJob *job, int64_t from, const FrameCut *cut, int64_t slot_rows, void *to)
{
	const ScanFrame *frame = (const ScanFrame *) job->in2 + from;
	ScanFrame		*sent = (ScanFrame *) to;
	const ScanFrame	 none = {0, 0};

	for (int64_t i = 0; i < slot_rows; i++)
	{
		sent[i] = i < cut->rows ? frame[i] : none;
		if (sent[i].begin >= sent[i].end)
			sent[i] = none;
		else
		{
			sent[i].begin -= cut->begin;
			sent[i].end -= cut->begin;
		}
	}
}

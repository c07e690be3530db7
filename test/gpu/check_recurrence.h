/*
 * check_recurrence.h: pieces of recurrences: their accumulator travels in another form than
 * the CPU's (op/travel.h).
 */
#ifndef SCAN_GPU_CHECK_RECURRENCE_H
#define SCAN_GPU_CHECK_RECURRENCE_H

#include "check.h"
#include "op/travel.h"

static bool
pairs_prove_the_same(const RecurrenceTravel *a, const RecurrenceTravel *b)
{
	return double_bits(a->y) == double_bits(b->y) && double_bits(a->start) == double_bits(b->start) &&
		   a->count == b->count;
}

/*
 * A piece by both, as piece_holds() below.  Half of the time the CPU goes on from what the
 * device has left.
 */
static bool
recurrence_piece_holds(const LawColumn *whole, ScanExtent extent, int64_t from, int64_t n, ScanCarry *carry, bool easy,
					   bool *ended, const char *what)
{
	const ScanOp	  *op = whole->op;
	OrderedRecurrence *acc = (OrderedRecurrence *) carry->acc;
	ScanCarry		  *there = (ScanCarry *) law_alloc(offsetof(ScanCarry, acc) + sizeof(RecurrenceTravel));
	RecurrenceTravel  *travel = (RecurrenceTravel *) there->acc, left;
	LawColumn		   piece = *whole;
	LawAnswers		   expected;
	ScanGpuJob		   job;
	ScanGpuOperation  *o = &job.operation[0];
	ScanGpuCode		   code = SCAN_GPU_NOT_PROVEN;
	char			   reason[200] = "";
	bool			   good = true, travels = true;

	ring_used = 0;
	memset(&job, 0, sizeof(job));
	job.n = (uint64_t) n;
	job.operations = 1;
	memcpy(there, carry, offsetof(ScanCarry, acc));
	memset(travel, 0, sizeof(*travel));
	if (carry->any)
		travels = recurrence_depart(acc, travel);
	o->line = (uint32_t) op->line;
	o->extent = extent;
	o->in = add_input(&job, ring_copy((const double *) whole->in + from, (size_t) n * 8), 8);
	o->in2 = add_input(&job, ring_copy((const double *) whole->in2 + from, (size_t) n * 8), 8);
	o->valid = add_input(&job, ring_bits(whole->valid, from, n), 0);
	o->heads = add_input(&job, ring_bits(whole->heads, from, n), 0);
	o->param = whole->param;
	o->carry = there;
	o->out = ring_take((size_t) n * 8);
	o->out_valid = (uint8_t *) ring_take((size_t) (n + 7) / 8);
	memset(o->out_valid, 0xff, (size_t) (n + 7) / 8);
	o->done = -1;
	if (travels)
		code = library->run(device, &job, reason, sizeof(reason));
	left = *travel;
	piece.n = n;
	piece.in = (double *) whole->in + from;
	piece.in2 = (double *) whole->in2 + from;
	piece.valid = o->valid == 0 ? NULL : (uint8_t *) (uintptr_t) job.input[o->valid - 1].data;
	piece.heads = o->heads == 0 ? NULL : (uint8_t *) (uintptr_t) job.input[o->heads - 1].data;
	run_on_cpu(&piece, extent, carry, &expected);
	jobs += travels;
	if (code == SCAN_GPU_OK)
	{
		LawAnswers answers = {o->out, o->out_valid, o->has_nulls != 0, o->done, (ScanStatus) o->status};
		int64_t	   row = law_answers_differ(op, &answers, &expected);

		/* after an error the carry is not meant to be read */
		good = row == -2 && (expected.status != SCAN_OK ||
							 (there->row == carry->row && there->any == carry->any &&
							  there->held_status == carry->held_status &&
							  (!carry->any || memcmp(&there->held, &carry->held, sizeof(double)) == 0)));
		if (good && carry->any && expected.status == SCAN_OK)
		{
			/* the CPU's may be on a higher rung, and is then not meant to travel */
			(void) recurrence_depart(acc, travel);
			good = pairs_prove_the_same(travel, &left);
			if (good && law_random() % 2 == 0)
				recurrence_arrive(&left, (const RecurrenceParam *) whole->param, (double *) piece.in,
								  (double *) piece.in2, piece.valid, n, acc);
		}
		if (!good)
			printf("# recurrence, %s %s, %" PRId64 " rows: row %" PRId64 ", done %" PRId64 " of %" PRId64
				   ", count %d of %d\n",
				   extent == SCAN_EXCLUSIVE ? "exclusive" : "inclusive", what, n, row, o->done, expected.done,
				   left.count, travel->count);
	}
	else if (code == SCAN_GPU_NOT_PROVEN && !easy)
		declined += travels;
	else if (travels)
	{
		printf("# recurrence, %s, %" PRId64 " rows: code %d %s\n", what, n, (int) code, reason);
		good = false;
	}
	*ended = expected.status != SCAN_OK;
	law_answers_free(&expected);
	free(there);
	return good;
}

#endif /* SCAN_GPU_CHECK_RECURRENCE_H */

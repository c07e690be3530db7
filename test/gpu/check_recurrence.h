/*
 * check_recurrence.h: pieces of recurrences and averages, whose accumulators are serialised (op/serialize.h).
 */
#ifndef SCAN_GPU_CHECK_RECURRENCE_H
#define SCAN_GPU_CHECK_RECURRENCE_H

#include "check.h"

static bool column_holds(LawColumn *column, int kind, int cuts, const char *what);

static int
order_of(const LawColumn *column)
{
	return column->op->line == SCAN_OP_ema_float8 ? 1 : ((const RecurrenceParam *) column->param)->order;
}

static bool
column_serialize(const LawColumn *column, const void *acc, Serialized *to)
{
	if (column->op->line == SCAN_OP_ema_float8)
		return ema_serialize((const EmaParam *) column->param, (const ema_float8_acc *) acc, to);
	return recurrence_serialize((const OrderedRecurrence *) acc, &to->above);
}

/* After the rows of `piece`. */
static void
column_deserialize(const Serialized *from, const LawColumn *piece, void *acc)
{
	if (piece->op->line == SCAN_OP_ema_float8)
		ema_deserialize(from, (const EmaParam *) piece->param, (double *) piece->in, piece->valid, piece->n,
						(ema_float8_acc *) acc);
	else
		recurrence_deserialize(&from->above, (const RecurrenceParam *) piece->param, (double *) piece->in,
							   (double *) piece->in2, piece->valid, piece->n, (OrderedRecurrence *) acc);
}

static bool
recurrences_same(int order, const SerializedRecurrence *a, const SerializedRecurrence *b)
{
	bool same = a->count == b->count;

	for (int j = 0; j < order; j++)
		same = same && double_bits(a->y[j]) == double_bits(b->y[j]) &&
			   double_bits(a->start[j]) == double_bits(b->start[j]);
	return same;
}

/* Pairs differ by how they were found, and prove the same. */
static bool
serialized_same(const LawColumn *column, const Serialized *a, const Serialized *b)
{
	const EmaParam *ema = (const EmaParam *) column->param;
	bool			above_same = recurrences_same(order_of(column), &a->above, &b->above);

	if (!above_same || column->op->line != SCAN_OP_ema_float8)
		return above_same;
	return (!ema->adjust || recurrences_same(1, &a->below, &b->below)) &&
		   (a->above.count == RECURRENCE_CHUNK || ema->alpha == 1 || a->in_first_chunk == b->in_first_chunk);
}

/*
 * A piece by both, as piece_holds() of check.c.  Half of the time the CPU goes on from what the device has left.
 */
static bool
recurrence_piece_holds(const LawColumn *whole, ScanExtent extent, int64_t from, int64_t n, ScanCarry *carry, bool easy,
					   bool *ended, const char *what)
{
	const ScanOp	 *op = whole->op;
	ScanCarry		 *there = (ScanCarry *) law_alloc(offsetof(ScanCarry, acc) + sizeof(Serialized));
	Serialized		 *serialized = (Serialized *) there->acc, left;
	LawColumn		  piece = *whole;
	LawAnswers		  expected;
	ScanGpuJob		  job;
	ScanGpuOperation *o = &job.operation[0];
	ScanGpuCode		  code = SCAN_GPU_NOT_PROVEN;
	char			  reason[200] = "";
	bool			  good = true, serializes = true;

	memcpy(there, carry, offsetof(ScanCarry, acc));
	memset(serialized, 0, sizeof(*serialized));
	if (carry->any)
		serializes = column_serialize(whole, carry->acc, serialized);
	/* what has few bits may meet ties in its first rows, where the CPU's pairs have bounds already */
	easy = easy && !(carry->any && op->line != SCAN_OP_recurrence_float8 && serialized->above.count < 64);
	recurrence_job(&job, whole, extent, from, n, there);
	if (serializes)
		code = library->run(device, &job, reason, sizeof(reason));
	left = *serialized;
	piece.n = n;
	piece.in = (char *) whole->in + from * (int64_t) scan_in_size(op, whole->param);
	piece.in2 = op->in2_size == 0 ? NULL : (double *) whole->in2 + from;
	piece.valid = o->valid == 0 ? NULL : (uint8_t *) (uintptr_t) job.input[o->valid - 1].data;
	piece.heads = o->heads == 0 ? NULL : (uint8_t *) (uintptr_t) job.input[o->heads - 1].data;
	run_on_cpu(&piece, extent, carry, &expected);
	jobs += serializes;
	if (code == SCAN_GPU_OK)
	{
		LawAnswers answers = {o->out, o->out_valid, o->has_nulls != 0, o->done, (ScanStatus) o->status};
		int64_t	   row = law_answers_differ(op, &answers, &expected);

		/* after an error the carry is not meant to be read */
		good = row == -2 && (expected.status != SCAN_OK ||
							 (there->row == carry->row && there->any == carry->any &&
							  there->pending_status == carry->pending_status &&
							  (!carry->any || memcmp(&there->pending, &carry->pending, sizeof(double)) == 0)));
		if (good && carry->any && expected.status == SCAN_OK)
		{
			/* the CPU's may be on a later tier, and is then not serialised */
			(void) column_serialize(whole, carry->acc, serialized);
			good = serialized_same(whole, serialized, &left);
			if (good && law_random() % 2 == 0)
				column_deserialize(&left, &piece, carry->acc);
		}
		if (!good)
			printf("# %s, %s %s, %" PRId64 " rows: row %" PRId64 ", done %" PRId64 " of %" PRId64 ", count %d of %d\n",
				   op->function, extent == SCAN_EXCLUSIVE ? "exclusive" : "inclusive", what, n, row, o->done,
				   expected.done, left.above.count, serialized->above.count);
	}
	else if (code == SCAN_GPU_NOT_PROVEN && !easy)
		declined += serializes;
	else if (serializes)
	{
		printf("# %s, %s, %" PRId64 " rows: code %d %s\n", op->function, what, n, (int) code, reason);
		good = false;
	}
	*ended = expected.status != SCAN_OK;
	law_answers_free(&expected);
	free(there);
	return good;
}

/* ---- columns about the sizes at which the kernels go another way ---- */

/* Segments of `length` rows; 0: one. */
static uint8_t *
heads_every(int64_t n, int64_t length)
{
	uint8_t *heads = length == 0 ? NULL : law_bits(n, false);

	for (int64_t i = 0; length > 0 && i < n; i += length)
		scan_bit_put(heads, i, true);
	return heads;
}

/* Averages of integers by powers of two, in which ties cannot be missed, and are to be settled. */
static bool
ties_hold(int64_t length)
{
	bool holds = true;

	for (int adjust = 0; adjust < 2; adjust++)
		for (double alpha = 0.5; alpha >= 0.125; alpha /= 2)
		{
			const ScanOp *op = scan_op_at(SCAN_OP_ema_float8);
			EmaParam	 *p = (EmaParam *) law_ordered_param(op);
			LawColumn	  column;

			p->alpha = alpha;
			p->adjust = adjust != 0;
			law_column_start(&column, op, p, 600);
			for (int64_t i = 0; i < column.n; i++)
				((double *) column.in)[i] = (double) (law_random() % 16);
			column.heads = heads_every(column.n, length);
			holds = column_holds(&column, 1, 1, "integers") && holds;
		}
	return holds;
}

static bool
chunks_hold(const ScanOp *op)
{
	static const int64_t rows[] = {15, 16, 17, 256, 257, 4095, 4096, 4097, 8192, 8193};
	static const int64_t lengths[] = {0, 1, 255, 256, 257, 4097};
	bool				 holds = true;

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
		for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++)
			if (lengths[l] < rows[r] && (int) (law_random() % 100) >= (scale > 85 ? 85 : scale))
				for (int nulls = -1; nulls <= 20; nulls += 21)
				{
					LawColumn column;

					column_draw(&column, op, 1, rows[r], nulls, -1);
					column.heads = heads_every(column.n, lengths[l]);
					holds = column_holds(&column, 1, 2, "sizes") && holds;
				}
	return holds;
}

/* More chunks than a block fetches the maps of at a time. */
static bool
many_chunks_hold(const ScanOp *op)
{
	LawColumn column;

	column_draw(&column, op, 1, 258 * RECURRENCE_CHUNK + 5, -1, -1);
	return column_holds(&column, 1, 1, "many chunks");
}

static void
recurrences_hold(const ScanOp *op)
{
	char text[100];

	if (info.row_ns[op->line] == 0)
		return;
	jobs = 0;
	snprintf(text, sizeof(text), "chunks of %s %s", op->function, op->type);
	law_report(chunks_hold(op) && many_chunks_hold(op), text);
	if (op->line == SCAN_OP_ema_float8)
		law_report(ties_hold(0) && ties_hold(40) && ties_hold(300), "ties of averages");
}

#endif /* SCAN_GPU_CHECK_RECURRENCE_H */

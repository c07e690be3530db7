/*
 * mock_scan.c: see mock_scan.h.
 *
 * A recurrence's carry, as it travels, has no rows of the unfinished chunk.  The CPU's loops need them if a result of
 * this chunk is hard to round; then the scan is not proven, as on a device.
 */
#include "mock_scan.h"

#include <stdlib.h>

/* Runs a scan from row `done` on, in pieces of SCAN_BATCH rows; the columns are in the order of the scan. */
static void
run_pieces(ScanGpuOperation *o, ScanJob *whole)
{
	while (whole->done < whole->n && whole->status == SCAN_OK)
	{
		int64_t left = whole->n - whole->done;
		ScanJob piece = scan_job_piece(whole, whole->done, left < SCAN_BATCH ? left : SCAN_BATCH);

		scan_cpu_run(&piece);
		whole->done += piece.done;
		whole->status = piece.status;
		whole->has_nulls = piece.has_nulls;
	}
	o->done = whole->done;
	o->status = whole->status;
	o->has_nulls = whole->has_nulls;
}

/* ---- recurrences, whose carry has no rows of the unfinished chunk ---- */

static void *
mock_resize(ScanMemory *memory, void *old, size_t size)
{
	void *now = NULL;

	(void) memory;
	if (size == 0)
		free(old);
	else if ((now = realloc(old, size)) == NULL)
		abort();
	return now;
}

/* Returns accumulator i of a recurrence line, 0 or 1; NULL if the line has no second one. */
static GrowingRecurrence *
mock_growing(int line, ScanCarry *carry, int i)
{
	if (line == SCAN_OP_ema_float8)
		return i == 0 ? &((ema_float8_acc *) carry->acc)->above : &((ema_float8_acc *) carry->acc)->below;
	return i == 0 ? &((OrderedRecurrence *) carry->acc)->g : NULL;
}

/* Runs one row, also in the middle of a byte of bits. */
static void
mock_row(ScanJob *whole)
{
	int64_t i = whole->done;
	uint8_t valid = whole->valid == NULL || scan_bit(whole->valid, i);
	uint8_t head = whole->heads != NULL && scan_bit(whole->heads, i);
	uint8_t out_valid = 1;
	ScanJob row = scan_job_piece(whole, i, 1);

	row.valid = &valid;
	row.heads = &head;
	row.out_valid = &out_valid;
	scan_cpu_run(&row);
	whole->status = row.status;
	whole->has_nulls = row.has_nulls;
	whole->done += row.done;
	if (row.done == 1)
		scan_bit_put(whole->out_valid, i, (out_valid & 1) != 0);
}

/*
 * Runs the rows of the chunk that the job before left unfinished, one by one, and further rows up to a whole byte of
 * bits.  A tier above TRACKED would start again from rows of earlier jobs, which are not here: returns false if one was
 * needed.
 */
static bool
mock_first_chunk(ScanJob *whole)
{
	const GrowingRecurrence *g[2] = {mock_growing(whole->op->line, whole->carry, 0),
									 mock_growing(whole->op->line, whole->carry, 1)};
	bool					 unfinished = whole->carry->any && g[0]->r.count < RECURRENCE_CHUNK;

	while (whole->status == SCAN_OK && whole->done < whole->n && (unfinished || whole->done % 8 != 0))
	{
		int32_t before = g[0]->r.count;

		unfinished = unfinished && !(whole->heads != NULL && scan_bit(whole->heads, whole->done));
		mock_row(whole);
		unfinished = unfinished && g[0]->r.count >= before;
		for (int i = 0; unfinished && i < 2; i++)
			if (g[i] != NULL && g[i]->r.count > 0 && (g[i]->r.tier != RECURRENCE_TRACKED || g[i]->r.exact_rows > 0))
				return false;
	}
	return true;
}

/* Restores the CPU's form of a carry from its serialised form; the rows of the unfinished chunk stay unknown. */
static void
mock_deserialize(int line, const ScanCarry *from, const void *param, ScanCarry *to)
{
	memcpy(to, from, offsetof(ScanCarry, acc));
	if (!to->any)
		return;
	if (line == SCAN_OP_ema_float8)
		ema_deserialize((const SerializedEma *) from->acc, (const EmaParam *) param, NULL, NULL, 0,
						(ema_float8_acc *) to->acc);
	else
		recurrence_deserialize((const SerializedRecurrence *) from->acc, (const RecurrenceParam *) param, NULL, NULL,
							   NULL, 0, (OrderedRecurrence *) to->acc);
	/* zeros for the unknown rows, so that a tier that reads them terminates; mock_first_chunk() rejects its answers */
	for (int i = 0; i < 2; i++)
	{
		GrowingRecurrence *g = mock_growing(line, to, i);

		if (g == NULL || g->r.room == 0)
			continue;
		memset(g->r.rows, 0, (size_t) g->r.room * (size_t) (g->r.order + 1) * sizeof(double));
		g->r.tier = RECURRENCE_TRACKED; /* the highest tier that does not need the rows */
	}
	/* by the coefficient of row 0, ema_serialize() decides whether the chunk is the first of its segment */
	if (line == SCAN_OP_ema_float8 && ((const SerializedEma *) from->acc)->in_first_chunk == 0)
		mock_growing(line, to, 0)->r.rows[0] = 1 - ((const EmaParam *) param)->alpha;
}

static ScanGpuCode
mock_recurrence(ScanGpuOperation *o, ScanJob *whole)
{
	ScanMemory memory = {mock_resize, NULL};
	int		   line = (int) o->line;
	union
	{
		RecurrenceParam recurrence;
		EmaParam		ema;
	} param;
	ScanCarry  *carry = (ScanCarry *) calloc(1, scan_carry_size(whole->op));
	ScanGpuCode code = SCAN_GPU_NOT_PROVEN;

	if (carry == NULL)
		return SCAN_GPU_OOM;
	memcpy(&param, o->param, scan_param_fixed_size(line));
	*scan_param_memory(line, &param) = &memory;
	mock_deserialize(line, o->carry, &param, carry);
	whole->param = &param;
	whole->carry = carry;
	if (mock_first_chunk(whole))
	{
		run_pieces(o, whole);
		if (whole->status != SCAN_OK || scan_carry_serialize(line, &param, carry, o->carry))
			code = SCAN_GPU_OK;
	}
	for (int i = 0; i < 2; i++)
	{
		GrowingRecurrence *g = mock_growing(line, carry, i);

		if (g != NULL)
		{
			free(g->r.rows);
			free(g->exact);
		}
	}
	free(carry);
	return code;
}

ScanGpuCode
mock_scan(ScanGpuOperation *o, ScanJob *whole)
{
	if (scan_op_id_is_recurrence((int) o->line))
		return mock_recurrence(o, whole);
	run_pieces(o, whole);
	return SCAN_GPU_OK;
}

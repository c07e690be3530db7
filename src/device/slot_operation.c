/*
 * slot_operation.c: writes one operation over the rows of a slot, and reads its answers.
 *
 * client.c sends a scan alone, in batches of one slot each; fused_job.c sends all scans of a window with the sort.
 * What a slot needs for an operation, and which answers are believed, is the same for both.
 *
 * Nothing that comes back is believed.  What was sent is known here, and an answer whose lengths, codes or carry do not
 * match is thrown away.  Only the device knows if a number is the right one: a wrong number looks like any other, and
 * can do no more harm than being wrong.
 */
#include "postgres.h"

#include "device/shared.h"
#include "device/slot.h"

/* ---- sending ---- */

char *
batch_reserve_input(SlotLease *lease, uint64 *at, int64 n, uint32 width, uint32 *number)
{
	WireJob	  *to = &lease->slot->job;
	WireInput *input;
	char	  *room;

	if (to->inputs == SCAN_GPU_INPUTS)
	{
		(void) slot_refuse(SLOT_FULL);
		return NULL;
	}
	input = &to->input[to->inputs];
	input->width = width;
	room = slot_reserve(lease, at, &input->at, width == 0 ? scan_bit_bytes(n) : n * width);
	if (room != NULL)
		*number = ++to->inputs;
	return room;
}

/*
 * Reserves room for the answers.  A device writes all values except those of NULLs, which nobody reads.  The room is
 * cleared only if all values are checked, NULLs' included; clearing takes half as long as a copy there.
 */
static bool
reserve_answers(Batch *b, uint64 *at, const ScanJob *job)
{
	Size  size = b->slot_rows * job->op->out_size;
	Size  bits = b->slot_rows / 8 + 1;
	char *values = slot_reserve(b->lease, at, &b->sent.out, size);
	char *valid = slot_reserve(b->lease, at, &b->sent.out_valid, bits);

	if (values == NULL || valid == NULL)
		return false;
	if (batch_values_are_checked(job))
		memset(values, 0, size);
	memset(valid, 0xff, bits);
	return true;
}

bool
batch_write_operation(Batch *b, uint64 *at, const ScanJob *job)
{
	const ScanOp  *op = job->op;
	WireOperation *sent = &b->sent;
	Size		   room = scan_param_fixed_size(op->line);
	char		  *param;
	Size		   param_size;

	sent->line = op->line;
	sent->extent = job->extent;
	sent->carry_size = scan_serialized_size(op->line);
	if (slot_reserve(b->lease, at, &sent->carry, sent->carry_size) == NULL)
		return false;
	param = slot_reserve(b->lease, at, &sent->param, room);
	if (param == NULL)
		return false;
	if (!scan_param_encode(op->line, job->param, param, room, &param_size))
		return slot_refuse("the arguments of the scan cannot be sent to the device");
	sent->param_size = param_size;
	sent->done = -1;
	return reserve_answers(b, at, job);
}

void
batch_put(const Batch *b)
{
	WireJob *to = &b->lease->slot->job;

	to->operation[b->number] = b->sent;
	to->operations = b->number + 1;
	scan_gpu_lines_add(&b->lease->lines, (int) b->sent.line);
}

bool
batch_put_carry(const Batch *b, const ScanJob *job)
{
	ScanCarry *carry = (ScanCarry *) (wire_slot_data(b->lease->slot) + b->sent.carry);

	return scan_carry_serialize(job->op->line, job->param, job->carry, carry);
}

int64
batch_answer_bits(const ScanJob *job)
{
	return 8 * (int64) job->op->out_size + 1;
}

/* ---- receiving ---- */

BatchAnswer
batch_answer(const Batch *b)
{
	const volatile WireOperation *operation = &b->lease->slot->job.operation[b->number];

	return (BatchAnswer){.has_nulls = operation->has_nulls, .status = operation->status, .done = operation->done};
}

/* True if the job may answer NULL.  gaps: true if some rows may have no value. */
static bool
may_answer_null(const ScanJob *job, bool gaps)
{
	ScanSpan identity;

	if (job->out_valid == NULL || job->permutes)
		return false;
	return gaps || (job->op->flags & SCAN_SPARSE) != 0 ||
		   (job->extent == SCAN_EXCLUSIVE && job->op->identity(&identity) == SCAN_NULL);
}

bool
batch_is_credible(const Batch *b, const BatchAnswer *answer, const ScanJob *job, bool gaps)
{
	if (answer->has_nulls > 1 || (answer->has_nulls == 1 && !may_answer_null(job, gaps)))
		return false;
	if (answer->status == SCAN_OK)
		return answer->done == b->slot_rows;
	return answer->status > SCAN_NEEDS_ROOM && answer->status <= SCAN_STATUS_LAST && answer->done >= 0 &&
		   answer->done < b->slot_rows && (job->op->flags & SCAN_FRAMES) == 0;
}

void
batch_copy_values(const Batch *b, ScanJob *job)
{
	Size size = job->op->out_size;

	memcpy((char *) job->out + b->from * size, wire_slot_data(b->lease->slot) + b->sent.out, b->n * size);
}

bool
batch_values_are_checked(const ScanJob *job)
{
	return job->permutes || job->op->out_size == sizeof(bool);
}

/* Checks the copied values, not those in the slot: the program may still write to the slot. */
bool
batch_bools_hold(const Batch *b, const ScanJob *job)
{
	const uint8 *bytes = (const uint8 *) job->out + b->from;
	uint8		 all = 0;

	for (int64 i = 0; i < b->n; i++)
		all |= bytes[i];
	return all <= 1;
}

/*
 * True if the status may be that of the next row of an exclusive scan: an answer, or an out-of-range total, which is
 * believed like any number.  The CPU has to find other errors: it names the row, which the carry does not have.
 */
static bool
may_be_pending(int32 status)
{
	return status == SCAN_OK || status == SCAN_NULL || status == SCAN_INT8_OUT_OF_RANGE ||
		   status == SCAN_FLOAT_OVERFLOW || status == SCAN_INTERVAL_OUT_OF_RANGE;
}

bool
batch_take_carry(const Batch *b, const JobColumns *columns, ScanJob *job)
{
	const char *from = wire_slot_data(b->lease->slot) + b->sent.carry;
	ScanCarry  *copy = (ScanCarry *) palloc(b->sent.carry_size);
	bool		good;

	memcpy(copy, from, b->sent.carry_size);
	good = copy->row == job->carry->row + b->slot_rows && may_be_pending(copy->pending_status) &&
		   scan_carry_safe(b->sent.line, copy) &&
		   scan_carry_deserialize(b->sent.line, copy, job->param, columns, job->carry);
	pfree(copy);
	return good;
}

const uint8 *
batch_out_valid(const Batch *b)
{
	return (const uint8 *) wire_slot_data(b->lease->slot) + b->sent.out_valid;
}

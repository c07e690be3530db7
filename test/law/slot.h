/*
 * slot.h: a slot of the ring without a ring: what a backend writes to it, as gpu/job.c reads it and the mock device
 * answers it.
 *
 * Fed by device.c.  A slot's data is exactly as long as what is written, so that the sanitizer sees who goes past it.
 */
#ifndef SCAN_LAW_SLOT_H
#define SCAN_LAW_SLOT_H

#include "column.h"
#include "gpu/job.h"

static const ScanGpuLibrary *library;
static ScanGpuDevice		*device;

typedef struct Slot
{
	char	*data;
	uint64_t size;
	WireJob	 job;
} Slot;

/* Room for so many bytes more, aligned as in the ring. */
static uint64_t
slot_reserve(Slot *slot, const void *bytes, uint64_t size)
{
	uint64_t at = wire_align(slot->size, WIRE_ALIGN);
	void	*larger;

	if (posix_memalign(&larger, WIRE_ALIGN, at + size == 0 ? 1 : at + size) != 0)
		abort();
	memset(larger, 0, at + size);
	if (slot->data != NULL)
		memcpy(larger, slot->data, slot->size);
	free(slot->data);
	slot->data = (char *) larger;
	slot->size = at + size;
	if (bytes != NULL)
		memcpy(slot->data + at, bytes, size);
	return at;
}

static uint32_t
slot_input(Slot *slot, const void *bytes, uint64_t n, uint32_t width)
{
	WireInput *input = &slot->job.input[slot->job.inputs];

	if (bytes == NULL)
		return 0;
	input->at = slot_reserve(slot, bytes, width == 0 ? (n + 7) / 8 : n * width);
	input->width = width;
	return ++slot->job.inputs;
}

/* One scan of the job over rows [from, from + n) of a column; `carry` as it begins, and serialised. */
static void
slot_operation(Slot *slot, const LawColumn *c, int64_t from, int64_t n, ScanExtent extent, const ScanCarry *carry)
{
	WireOperation *o = &slot->job.operation[slot->job.operations++];
	char		   param[8192];
	size_t		   size;
	size_t		   width = scan_in_size(c->op, c->param);
	uint8_t		  *all = law_bits(n, true);

	if (!scan_param_encode(c->op->line, c->param, param, sizeof(param), &size))
		abort();
	o->line = (uint32_t) c->op->line;
	o->extent = extent;
	o->in = slot_input(slot, (char *) c->in + from * width, n, (uint32_t) width);
	o->in2 = c->op->in2_size == 0
				 ? 0
				 : slot_input(slot, (char *) c->in2 + from * c->op->in2_size, n, (uint32_t) c->op->in2_size);
	o->valid = slot_input(slot, c->valid == NULL ? NULL : c->valid + from / 8, n, 0);
	o->heads = slot_input(slot, c->heads == NULL ? NULL : c->heads + from / 8, n, 0);
	o->param = slot_reserve(slot, param, size);
	o->param_size = size;
	o->carry_size = scan_serialized_size(c->op->line);
	o->carry = slot_reserve(slot, carry, o->carry_size);
	o->out = slot_reserve(slot, NULL, n * c->op->out_size);
	o->out_valid = slot_reserve(slot, all, (n + 7) / 8);
	free(all);
}

/* Runs what is written as the program does. */
static ScanGpuCode
slot_run(Slot *slot)
{
	ScanGpuJob	job;
	ScanGpuCode code = SCAN_GPU_REFUSED;
	WireJob		wire = slot->job;
	char		reason[WIRE_REASON];

	if (job_of_wire(&wire, slot->data, slot->size, &job))
		code = library->run(device, &job, reason, sizeof(reason));
	job_to_wire(&job, code, &slot->job);
	return code;
}

/* What operation `i` of the slot has answered, as rows from `from` on of `answers`. */
static void
slot_answers(const Slot *slot, int i, const ScanOp *op, int64_t from, int64_t n, LawAnswers *answers)
{
	const WireOperation *o = &slot->job.operation[i];

	memcpy((char *) answers->out + from * op->out_size, slot->data + o->out, n * op->out_size);
	for (int64_t r = 0; r < n; r++)
		scan_bit_put(answers->valid, from + r, scan_bit((uint8_t *) slot->data + o->out_valid, r));
	answers->has_nulls = answers->has_nulls || o->has_nulls;
	answers->status = (ScanStatus) o->status;
	answers->done = from + o->done;
}

static void
slot_free(Slot *slot)
{
	free(slot->data);
	memset(slot, 0, sizeof(*slot));
}

#endif /* SCAN_LAW_SLOT_H */

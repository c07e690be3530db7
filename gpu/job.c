/*
 * job.c: see job.h.
 *
 * Every offset and size of a job is checked against its slot, so that no mistake of a backend, and no stray write of an
 * earlier job, can make the program read or write outside the slot.
 */
#include "job.h"

#include "op/bits.h"

#define WIDTH_MAX 64 /* bytes of a value, at most */

/* Bytes of the values of a line's columns, by the same rule as in scan_fingerprint(). */
typedef struct LineSize
{
	size_t in, in2, out;
} LineSize;

static const LineSize line_size[] = {
#define SIZES(D, second) {sizeof(D##_in) - (second), (second), sizeof(D##_out)},
#define SCAN_ROW(function, type, arguments, result, flags, call) SIZES(function##_##type, 0)
#define SCAN_KERNEL(function, type, flags) SIZES(function##_##type, 0)
#define SCAN_ORDERED(function, type, second, flags) SIZES(function##_##type, second)
#define SCAN_FRAMED(function, type) \
	{sizeof(function##_##type##_value), sizeof(ScanFrame), sizeof(function##_##type##_out)},
#include "op/list.h"
};

/* A part of the slot's data that a job uses: offsets from .. to - 1. */
typedef struct Span
{
	uint64_t from, to;
	bool	 written; /* true if the program may write to it */
} Span;

typedef struct Spans
{
	char	*data;
	uint64_t size;
	int		 n;
	Span	 span[1 + SCAN_GPU_INPUTS + 4 * SCAN_GPU_OPERATIONS];
} Spans;

/* Notes and returns the `bytes` bytes at offset `at`; NULL if `at` is not aligned or they end outside the data. */
static void *
span_at(Spans *spans, uint64_t at, uint64_t bytes, bool written)
{
	Span span = {at, at + bytes, written};

	if (at % WIRE_ALIGN != 0 || at > spans->size || bytes > spans->size - at)
		return NULL;
	spans->span[spans->n++] = span;
	return spans->data + at;
}

/* True if no span that may be written overlaps another span. */
static bool
spans_apart(const Spans *spans)
{
	for (int i = 0; i < spans->n; i++)
		for (int j = 0; j < i; j++)
		{
			const Span *a = &spans->span[i], *b = &spans->span[j];

			if ((a->written || b->written) && a->from < b->to && b->from < a->to)
				return false;
		}
	return true;
}

/* Returns the bytes of a column of n rows; `width` as in ScanGpuInput. */
static uint64_t
column_bytes(uint64_t n, uint32_t width)
{
	return width == 0 ? (n + 7) / 8 : n * width;
}

static bool
keys_of_wire(const WireJob *wire, Spans *spans, ScanGpuJob *job)
{
	job->key_bits = wire->key_bits;
	job->key_low = wire->key_low;
	job->row_bits = wire->row_bits;
	job->partition_bits = wire->partition_bits;
	if (wire->key_bits == 0)
		return wire->key_low == 0 && wire->row_bits == 0 && wire->partition_bits == 0;
	if (wire->key_bits > 64 || wire->key_low >= wire->key_bits ||
		wire->partition_bits > wire->key_bits - wire->key_low || wire->row_bits > wire->key_low)
		return false;
	job->words = (uint64_t *) span_at(spans, wire->keys, wire->n * sizeof(uint64_t), true);
	job->keys[0] = job->words;
	return job->words != NULL;
}

/* True if input number `i`, from 1, is a column of that width.  0 stands for no column, allowed if not `needed`. */
static bool
input_is(const WireJob *wire, uint32_t i, uint32_t width, bool needed)
{
	return i == 0 ? !needed : i <= wire->inputs && wire->input[i - 1].width == width;
}

/* Returns the bytes of a value of the first column; for recurrence_vector they come from the parameter. */
static uint32_t
value_width(int line, const void *param)
{
	if (line == SCAN_OP_recurrence_vector)
		return (uint32_t) ((const RecurrenceParam *) param)->width;
	return (uint32_t) line_size[line].in;
}

/*
 * True if an operation of a line of frames is one that the library can run: only frames, which lie inside the values
 * and move forward alone, as gpu/frame.cuh relies on.
 */
static bool
frames_are_good(const WireJob *wire, const WireOperation *o, const ScanGpuJob *job)
{
	const ScanFrame *frame;
	ScanFrame		 last = {0, 0};
	bool			 good = wire->key_bits == 0 && o->valid == 0 && o->heads == 0 && o->extent == SCAN_INCLUSIVE;

	if (!good)
		return false;
	frame = (const ScanFrame *) job->input[o->in2 - 1].data;
	for (uint64_t i = 0; i < wire->n; i++)
	{
		if (frame[i].begin >= frame[i].end)
			continue;
		good = good && frame[i].begin >= last.begin && frame[i].end >= last.end;
		last = frame[i];
	}
	return good && last.end <= wire->n;
}

static bool
operation_of_wire(const WireJob *wire, const WireOperation *from, Spans *spans, const ScanGpuJob *job,
				  ScanGpuOperation *to)
{
	const LineSize *sizes;
	void		   *param;
	bool			good;

	if (!scan_op_id_serializes((int) from->line) || from->extent > SCAN_EXCLUSIVE || from->reversed > 1)
		return false;
	/* a backend restores a recurrence's carry with rows of the last chunk, from the columns in input order */
	if ((from->tile != 0 || from->reversed != 0) &&
		(wire->key_bits == 0 || from->heads != 0 || scan_op_id_is_recurrence((int) from->line)))
		return false;
	memset(to, 0, sizeof(*to));
	sizes = &line_size[from->line];
	param = span_at(spans, from->param, from->param_size, true);
	if (param == NULL)
		return false;
	to->param = scan_param_decode((int) from->line, param, from->param_size, &good);
	to->param_size = from->param_size;
	if (!good || (to->param == NULL && scan_op_id_needs_param((int) from->line)))
		return false;
	if (!input_is(wire, from->in, value_width((int) from->line, to->param), true) ||
		!input_is(wire, from->in2, (uint32_t) sizes->in2, sizes->in2 > 0) || (sizes->in2 == 0 && from->in2 != 0) ||
		!input_is(wire, from->valid, 0, false) || !input_is(wire, from->heads, 0, false) ||
		from->carry_size != scan_serialized_size((int) from->line))
		return false;
	if (scan_op_id_has_frames((int) from->line) && !frames_are_good(wire, from, job))
		return false;

	to->line = from->line;
	to->extent = from->extent;
	to->in = from->in;
	to->in2 = from->in2;
	to->valid = from->valid;
	to->heads = from->heads;
	to->tile = from->tile;
	to->reversed = from->reversed;
	to->carry_size = from->carry_size;
	to->carry = (ScanCarry *) span_at(spans, from->carry, from->carry_size, true);
	to->out = span_at(spans, from->out, wire->n * sizes->out, true);
	to->out_valid = (uint8_t *) span_at(spans, from->out_valid, column_bytes(wire->n, 0), true);
	return to->carry != NULL && to->out != NULL && to->out_valid != NULL &&
		   scan_carry_safe((int) from->line, to->carry);
}

bool
job_of_wire(const WireJob *wire, char *data, uint64_t size, ScanGpuJob *job)
{
	Spans spans;

	spans.data = data;
	spans.size = size;
	spans.n = 0;
	memset(job, 0, sizeof(*job));
	if (wire->n > INT32_MAX || wire->inputs > SCAN_GPU_INPUTS || wire->operations > SCAN_GPU_OPERATIONS)
		return false;
	job->n = wire->n;
	job->fault = wire->fault < SCAN_FAULTS ? wire->fault : SCAN_FAULT_NONE;
	job->inputs = wire->inputs;
	job->operations = wire->operations;
	if (!keys_of_wire(wire, &spans, job))
		return false;
	for (uint32_t i = 0; i < wire->inputs; i++)
	{
		const WireInput *input = &wire->input[i];

		if (input->width > WIDTH_MAX)
			return false;
		job->input[i].width = input->width;
		job->input[i].data = span_at(&spans, input->at, column_bytes(wire->n, input->width), false);
		if (job->input[i].data == NULL)
			return false;
	}
	for (uint32_t i = 0; i < wire->operations; i++)
		if (!operation_of_wire(wire, &wire->operation[i], &spans, job, &job->operation[i]))
			return false;
	return spans_apart(&spans);
}

void
job_to_wire(const ScanGpuJob *job, ScanGpuCode code, WireJob *wire)
{
	for (uint32_t i = 0; i < job->operations; i++)
	{
		wire->operation[i].has_nulls = job->operation[i].has_nulls;
		wire->operation[i].status = job->operation[i].status;
		wire->operation[i].done = job->operation[i].done;
	}
	wire->device_ns = job->device_ns;
	wire->code = code;
}

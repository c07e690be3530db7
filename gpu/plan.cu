/*
 * plan.cu: see plan.h.
 */
#include "plan.h"

/* Returns the bytes of a column of n rows on the device: columns of bits have whole words. */
static size_t
column_size(uint64_t n, uint32_t width)
{
	return width == 0 ? (n + 31) / 32 * 4 : n * width;
}

/* True if the scan has heads: those of a column, of partitions or of tiles. */
static bool
has_heads(const ScanGpuJob *job, const ScanGpuOperation *o)
{
	return o->heads != 0 || o->tile != 0 || job->partition_bits > 0;
}

static void
plan_operation(ScanGpuDevice *device, const ScanGpuJob *job, uint32_t i, LineScan *scan)
{
	const ScanGpuOperation *o = &job->operation[i];

	scan->line = (int) o->line;
	scan->extent = (ScanExtent) o->extent;
	scan->n = (int64_t) job->n;
	scan->param = o->param;
	scan->carry = o->carry;
	scan->out = device_take(device, job->n * line_out_size(scan->line), "the answers of operation", i + 1);
	scan->room = device_take(device, line_room(scan->line, scan->n, o->valid != 0, has_heads(job, o)),
							 "the room of operation", i + 1);
}

/* Lays out what all operations need set before the first kernel, side by side, so that two calls set it. */
static void
plan_spans(ScanGpuDevice *device, const ScanGpuJob *job, Plan *plan)
{
	for (uint32_t i = 0; i < job->operations; i++)
	{
		const ScanGpuOperation *o = &job->operation[i];
		size_t					zeroed = line_zeroed((int) o->line, (int64_t) job->n, o->valid != 0, has_heads(job, o));

		plan->scan[i].zeroed = device_take_next(device, &plan->zero, zeroed, "the zeroed room of operation", i + 1);
	}
	for (uint32_t i = 0; i < job->operations; i++)
		plan->scan[i].answer = device_take_next(device, &plan->zero, line_answer_size((int) job->operation[i].line),
												"the carry of operation", i + 1);
	for (uint32_t i = 0; i < job->operations; i++)
		plan->scan[i].out_valid = (uint32_t *) device_take_next(device, &plan->ones, column_size(job->n, 0),
																"the valid bits of operation", i + 1);
}

/* Lays out the heads of operation i, unless they are a column in its order or those of an earlier operation. */
static void
plan_heads(ScanGpuDevice *device, const ScanGpuJob *job, uint32_t i, Plan *plan)
{
	const ScanGpuOperation *o = &job->operation[i];

	plan->is_headed[i] = true;
	if (!has_heads(job, o) || (job->key_bits == 0 && o->tile == 0))
		return;
	for (uint32_t k = 0; k < i; k++)
	{
		const ScanGpuOperation *other = &job->operation[k];

		if (other->heads == o->heads && other->tile == o->tile && (other->reversed != 0) == (o->reversed != 0))
		{
			plan->heads[i] = plan->heads[k];
			return;
		}
	}
	plan->heads[i] = (uint32_t *) device_take(device, column_size(job->n, 0), "the ordered heads of operation", i + 1);
	plan->is_headed[i] = false;
}

/* True if some reversed operation reads the input; input 0 stands for any input. */
static bool
is_read_back(const ScanGpuJob *job, uint32_t input)
{
	bool read = false;

	for (uint32_t i = 0; i < job->operations; i++)
	{
		const ScanGpuOperation *o = &job->operation[i];

		read = read || (o->reversed != 0 && (input == 0 || o->in == input || o->in2 == input || o->valid == input));
	}
	return read;
}

size_t
plan_job(ScanGpuDevice *device, const ScanGpuJob *job, bool counting, Plan *plan)
{
	size_t room;

	memset(plan, 0, sizeof(*plan));
	device_begin(device, counting);
	if (job->key_bits > 0)
	{
		plan->keys.bits = job->key_bits;
		plan->keys.first = job->key_low;
		plan->keys.row_bits = job->row_bits;
		plan->keys.partition_bits = job->partition_bits;
		plan->keys.low = (const uint64_t *) device_take(device, job->n * sizeof(uint64_t), "the low keys", 0);
		if (job->key_bits > 64)
			plan->keys.high = (const uint64_t *) device_take(device, job->n * sizeof(uint64_t), "the high keys", 0);
		if (job->words != NULL)
			plan->words = (uint64_t *) device_take(device, job->n * sizeof(uint64_t), "the sorted keys", 0);
		if (job->order != NULL || job->operations > 0)
			plan->order = (uint32_t *) device_take(device, job->n * sizeof(uint32_t), "the order", 0);
		if (is_read_back(job, 0))
			plan->back = (uint32_t *) device_take(device, job->n * sizeof(uint32_t), "the order back", 0);
		device_try(device, sort_room((uint32_t) job->n, &plan->keys, &room), "preparing a sort");
		plan->sort_room = device_take(device, room, "the room of the sort", 0);
	}
	for (uint32_t i = 0; i < job->inputs; i++)
	{
		size_t size = column_size(job->n, job->input[i].width);

		plan->input[i] = device_take(device, size, "input", i + 1);
		plan->ordered[0][i] = job->key_bits == 0 ? plan->input[i] : device_take(device, size, "ordered input", i + 1);
		plan->is_ordered[0][i] = job->key_bits == 0; /* without keys nothing is to be done after the copy */
		if (is_read_back(job, i + 1))
			plan->ordered[1][i] = device_take(device, size, "reversed input", i + 1);
	}
	for (uint32_t i = 0; i < job->operations; i++)
	{
		plan_heads(device, job, i, plan);
		plan_operation(device, job, i, &plan->scan[i]);
	}
	plan_spans(device, job, plan);
	return device->taken;
}

/* ---- on the host ---- */

/* Returns the later of two ends: *end, or that of a column, which may be NULL. */
static const char *
later_end(const char *end, const void *column, size_t size)
{
	const char *other = (const char *) column + size;

	return column == NULL || other < end ? end : other;
}

const void *
plan_end(const ScanGpuJob *job)
{
	const char *end = NULL;

	end = later_end(end, job->keys[0], job->n * sizeof(uint64_t));
	end = later_end(end, job->keys[1], job->n * sizeof(uint64_t));
	end = later_end(end, job->order, job->n * sizeof(uint32_t));
	for (uint32_t i = 0; i < job->inputs; i++)
		end = later_end(end, job->input[i].data, plan_input_size(job, &job->input[i]));
	for (uint32_t i = 0; i < job->operations; i++)
	{
		end = later_end(end, job->operation[i].out, job->n * line_out_size((int) job->operation[i].line));
		end = later_end(end, job->operation[i].out_valid, (job->n + 7) / 8);
	}
	return end;
}

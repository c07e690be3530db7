/*
 * cuda.cu: scan_cuda.so: the device library of gpu.h on CUDA, for scan_gpu.c.
 *
 * A job is laid out in one allocation of device memory (plan.h).  One stream copies columns in, in the order in which
 * they are needed; a second stream sorts, brings columns into order and scans; a third copies answers out.  So the next
 * column is copied in while a column is scanned, and earlier answers are copied out.  The host waits only at the end of
 * the job.
 *
 * If the device cannot prove an answer (pair.cuh, recurrence.cuh), the job returns SCAN_GPU_NOT_PROVEN and the CPU runs
 * it.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device.h"
#include "driver.h"
#include "lines.h"
#include "measure.h"
#include "measured.h"
#include "op/bits.h"
#include "plan.h"

#define FEW_CORES 4

/* ---- the steps of a job ---- */

/* Makes `work` wait for all copies started on `in` so far. */
static void
await_copies(ScanGpuDevice *device, Plan *plan)
{
	if (!plan->is_copying)
		return;
	plan->is_copying = false;
	device_try(device, cudaEventRecord(device->copied, device->in), "copying in");
	device_try(device, cudaStreamWaitEvent(device->work, device->copied, 0), "copying in");
}

/* Makes `out` wait for everything started on `work` so far. */
static void
await_work(ScanGpuDevice *device)
{
	device_try(device, cudaEventRecord(device->worked, device->work), "running");
	device_try(device, cudaStreamWaitEvent(device->out, device->worked, 0), "running");
}

static void
sort_keys(ScanGpuDevice *device, const ScanGpuJob *job, Plan *plan)
{
	device_copy_in(device, (void *) plan->keys.low, job->keys[0], job->n * sizeof(uint64_t), device->in);
	if (plan->keys.high != NULL)
		device_copy_in(device, (void *) plan->keys.high, job->keys[1], job->n * sizeof(uint64_t), device->in);
	plan->is_copying = true;
	await_copies(device, plan);
	device_try(device,
			   sort_order(&plan->keys, (uint32_t) job->n, plan->order, plan->words, plan->sort_room, device->work),
			   "sorting");
	await_work(device);
	/* the sorted keys replace the keys, which the sort has read by then */
	if (job->words != NULL)
		device_copy_out(device, job->words, plan->words, job->n * sizeof(uint64_t), device->out);
	else
		device_copy_out(device, job->order, plan->order, job->n * sizeof(uint32_t), device->out);
	if (plan->back != NULL && device->error == cudaSuccess)
		device_try(device, sort_reverse(plan->order, (uint32_t) job->n, plan->back, device->work), "sorting");
}

/* Starts the copy of an input, unless it was started already. */
static void
bring_input(ScanGpuDevice *device, const ScanGpuJob *job, Plan *plan, uint32_t input)
{
	const ScanGpuInput *from;

	if (input == 0 || plan->is_here[input - 1])
		return;
	from = &job->input[input - 1];
	device_copy_in(device, plan->input[input - 1], from->data, plan_input_size(job, from), device->in);
	plan->is_here[input - 1] = true;
	plan->is_copying = true;
}

/* Returns the column in the order of the scan, reversed if `back`; NULL if `input` is 0. */
static void *
ordered_input(const ScanGpuJob *job, ScanGpuDevice *device, Plan *plan, uint32_t input, bool back)
{
	const uint32_t *order = back ? plan->back : plan->order;
	uint32_t		i = input - 1;
	cudaError_t		error;

	if (input == 0)
		return NULL;
	if (!plan->is_ordered[back][i] && device->error == cudaSuccess)
	{
		if (job->input[i].width == 0)
			error = sort_gather_bits((const uint8_t *) plan->input[i], order, (uint32_t) job->n,
									 (uint32_t *) plan->ordered[back][i], device->work);
		else
			error = sort_gather(plan->input[i], job->input[i].width, order, (uint32_t) job->n, plan->ordered[back][i],
								device->work);
		device_try(device, error, "ordering a column");
		plan->is_ordered[back][i] = true;
	}
	return plan->ordered[back][i];
}

/*
 * Starts an operation.  After an error, which is in device->error, no more kernels are started: they would read memory
 * that was never written.
 */
static ScanGpuCode
start_operation(ScanGpuDevice *device, const ScanGpuJob *job, Plan *plan, uint32_t i)
{
	const ScanGpuOperation *o = &job->operation[i];
	LineScan			   *scan = &plan->scan[i];
	bool					back = o->reversed != 0;
	const uint32_t		   *order = back ? plan->back : plan->order;
	ScanGpuCode				code;

	bring_input(device, job, plan, o->in);
	bring_input(device, job, plan, o->in2);
	bring_input(device, job, plan, o->valid);
	bring_input(device, job, plan, o->heads);
	await_copies(device, plan);
	scan->in = ordered_input(job, device, plan, o->in, back);
	scan->in2 = ordered_input(job, device, plan, o->in2, back);
	scan->valid = (const uint8_t *) ordered_input(job, device, plan, o->valid, back);
	scan->heads = o->heads == 0 ? NULL : (const uint8_t *) plan->input[o->heads - 1];
	scan->host_in = o->in == 0 ? NULL : job->input[o->in - 1].data;
	scan->host_valid = o->valid == 0 ? NULL : (const uint8_t *) job->input[o->valid - 1].data;
	if (!plan->is_headed[i] && device->error == cudaSuccess)
	{
		SortHeads heads = {&plan->keys, plan->words, plan->sort_room, scan->heads, order, o->tile, back};

		device_try(device, sort_heads(&heads, (uint32_t) job->n, plan->heads[i], device->work), "finding heads");
	}
	if (plan->heads[i] != NULL)
		scan->heads = (const uint8_t *) plan->heads[i];
	if (device->error != cudaSuccess)
		return device_code(device->error);
	code = line_start(scan, device->work);
	return device_try(device, cudaGetLastError(), "starting a scan") ? code : device_code(device->error);
}

/* Starts the copies of an operation's columns to the host. */
static void
send_answers(ScanGpuDevice *device, const ScanGpuJob *job, const Plan *plan, uint32_t i)
{
	const ScanGpuOperation *o = &job->operation[i];
	const LineScan		   *scan = &plan->scan[i];

	await_work(device);
	device_copy_out(device, o->out, scan->out, job->n * line_out_size(scan->line), device->out);
	device_copy_out(device, o->out_valid, scan->out_valid, (job->n + 7) / 8, device->out);
}

/* After a row's error, sets the valid bits from that row on, and has_nulls by the rows before. */
static void
forget_rows_after(ScanGpuOperation *o, uint64_t n)
{
	bool has_nulls = false;

	for (uint64_t i = 0; i < n; i++)
		if (i >= (uint64_t) o->done)
			scan_bit_put(o->out_valid, (int64_t) i, true);
		else
			has_nulls = has_nulls || !scan_bit(o->out_valid, (int64_t) i);
	o->has_nulls = has_nulls;
}

static ScanGpuCode
start_job(ScanGpuDevice *device, ScanGpuJob *job, Plan *plan)
{
	device_set(device, &plan->zero, 0, device->work);
	device_set(device, &plan->ones, 0xff, device->work);
	if (job->key_bits > 0)
		sort_keys(device, job, plan);
	if (device->error != cudaSuccess)
		return device_code(device->error);
	for (uint32_t i = 0; i < job->operations; i++)
	{
		ScanGpuCode code = start_operation(device, job, plan, i);

		if (code != SCAN_GPU_OK)
			return code;
		send_answers(device, job, plan, i);
	}
	device_copy_answers(device, &plan->zero, (int) job->operations, device->out);
	return SCAN_GPU_OK;
}

/* ---- a job ---- */

/* Clears the device's error, writes it to `reason` and returns its code. */
static ScanGpuCode
take_error(ScanGpuDevice *device, char *reason, size_t room)
{
	cudaError_t error;

	device_try(device, cudaGetLastError(), "ending a job");
	error = device->error;
	device->error = cudaSuccess;
	snprintf(reason, room, "error while %s%s%s: %s", device->measuring == NULL ? "" : device->measuring,
			 device->measuring == NULL ? "" : ", ", device->doing, cudaGetErrorString(error));
	return device_code(error);
}

static ScanGpuCode
run_plan(ScanGpuDevice *device, ScanGpuJob *job, char *reason, size_t room)
{
	Plan		plan;
	size_t		size = plan_job(device, job, true, &plan);
	ScanGpuCode code = device->error == cudaSuccess ? device_reserve(device, size) : device_code(device->error);

	if (code == SCAN_GPU_OK)
	{
		device_pin_up_to(device, plan_end(job));
		(void) plan_job(device, job, false, &plan);
		if (device->error == cudaSuccess)
			code = start_job(device, job, &plan);
		(void) device_finish(device); /* its error is checked below */
	}
	if (device->error != cudaSuccess)
		return take_error(device, reason, room);
	for (uint32_t i = 0; code == SCAN_GPU_OK && i < job->operations; i++)
	{
		ScanGpuOperation *o = &job->operation[i];

		code = line_finish(device_answer(device, &plan.zero, (int) job->operations, (int) i), (int64_t) job->n, o);
		if (code == SCAN_GPU_OK && o->status != SCAN_OK && o->has_nulls)
			forget_rows_after(o, job->n);
	}
	return code;
}

static ScanGpuCode
cuda_run(ScanGpuDevice *device, ScanGpuJob *job, char *reason, size_t room)
{
	struct timespec from, to;
	ScanGpuCode		code;

	for (uint32_t i = 0; i < job->operations; i++)
		if (!line_is_here((int) job->operation[i].line))
		{
			snprintf(reason, room, "the device library has no kernel for a line of the job");
			return SCAN_GPU_REFUSED;
		}
	if (job->n == 0)
	{
		for (uint32_t i = 0; i < job->operations; i++)
		{
			job->operation[i].has_nulls = 0;
			job->operation[i].status = SCAN_OK;
			job->operation[i].done = 0;
		}
		return SCAN_GPU_OK;
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	code = run_plan(device, job, reason, room);
	clock_gettime(CLOCK_MONOTONIC, &to);
	job->device_ns = (double) (to.tv_sec - from.tv_sec) * 1e9 + (double) (to.tv_nsec - from.tv_nsec);
	return code;
}

/* ---- open and close ---- */

static void
cuda_close(ScanGpuDevice *device)
{
	device_close(device);
	free(device);
}

/* Fills in *info except for the rates, and sets device->memory_max. */
static bool
describe(ScanGpuDevice *device, const ScanGpuOptions *options, ScanGpuInfo *info)
{
	cudaDeviceProp properties;
	size_t		   left, total;
	int			   driver = 0, runtime = 0;

	if (!device_try(device, cudaGetDeviceProperties(&properties, options->device), "querying the device") ||
		!device_try(device, cudaMemGetInfo(&left, &total), "querying the device's memory") ||
		!device_try(device, cudaDriverGetVersion(&driver), "querying the driver's version") ||
		!device_try(device, cudaRuntimeGetVersion(&runtime), "querying the runtime's version"))
		return false;
	memset(info, 0, sizeof(*info));
	snprintf(info->name, sizeof(info->name), "%.63s", properties.name);
	/* the newest version of CUDA that the driver supports; CUDA does not tell the version of the driver's package */
	snprintf(info->driver, sizeof(info->driver), "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
	snprintf(info->runtime, sizeof(info->runtime), "CUDA %d.%d", runtime / 1000, runtime % 1000 / 10);
	info->pinned = device->pinned;
	/* take half of the free memory, so that other processes on the card find some, too */
	device->memory_max = options->memory != 0 && options->memory < left ? options->memory : left / 2;
	info->memory = device->memory_max;
	return true;
}

/*
 * By default the thread that waits for the device spins.  Where cores are few, it would take one from the backends that
 * fill slots and read them.  Called before the context is made, which takes the flag over.
 */
static void
choose_waiting(void)
{
	cpu_set_t cores;

	/* an error comes again in the next call, cudaSetDevice() */
	if (sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) <= FEW_CORES &&
		cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) != cudaSuccess)
		(void) cudaGetLastError();
}

static ScanGpuDevice *
cuda_open(const ScanGpuOptions *options, ScanGpuInfo *info, char *reason, size_t room)
{
	ScanGpuDevice *device = (ScanGpuDevice *) calloc(1, sizeof(*device));
	ScanGpuCode	   code;
	bool		   there;

	if (device == NULL || measured_only() == SCAN_OP_none)
	{
		snprintf(reason, room, "%s", device == NULL ? "out of memory" : MEASURED_UNKNOWN);
		free(device);
		return NULL;
	}
	device->answers_size = SCAN_GPU_OPERATIONS * LINE_ANSWER_MAX;
	choose_waiting();
	there = device_try(device, cudaSetDevice(options->device), "selecting the device") && device_open(device);
	if (there)
	{
		if (!device_pin(device, options))
			device_try(device, cudaErrorMemoryAllocation, "pinning memory");
		else if (describe(device, options, info) && measure(device, options, cuda_run, info))
			return device;
	}
	code = take_error(device, reason, room);
	if (!there)
		driver_append_faults(reason, room);
	/* calls on a lost device may wait for ever */
	if (code == SCAN_GPU_FAILED && there)
		free(device);
	else
		cuda_close(device);
	return NULL;
}

const ScanGpuLibrary *
scan_gpu_library(void)
{
	static ScanGpuLibrary library = {
		SCAN_GPU_VERSION, sizeof(ScanGpuJob), 0, "cuda", cuda_open, cuda_run, cuda_close,
	};

	library.fingerprint = scan_fingerprint();
	return &library;
}

/*
 * errors.c: what scan_cuda.so makes of errors of CUDA's, with the interpreter of PTX for a device.
 *
 *     errors scan_ptx.so
 *
 * A job that sorts by keys of two words, brings columns in order and sums them meets an error in its first call of the
 * run time, then in its second, and so on to its last, for an error of each kind: the code has to be the kind's, and
 * the next job's answers have to be right.  Then memory runs out.  And a job's calls are counted: each of them costs a
 * device's host some microseconds.
 *
 * The same where the device is opened and its lines are measured: a kernel that is refused costs its line, and one that
 * loses the device is named.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu.h"
#include "measured.h"

#define ROWS 1500
#define LARGE_ROWS 6000 /* with LARGE_INPUTS columns more than was allocated when the device was opened */
#define LARGE_INPUTS 40
#define RING_SIZE ((size_t) 8 << 20)
#define SCANS 3
#define CALLS_MOST 34 /* of a job of one column, sorted by keys of 38 bits, with SCANS scans */

/* Errors of cudaError_t, one of each kind. */
#define OUT_OF_MEMORY 2
#define INVALID_CONFIGURATION 9
#define ILLEGAL_ADDRESS 700

static void (*fail)(const char *call, int from, int until, int code);
static int (*calls)(void);
static const ScanGpuLibrary *library;
static ScanGpuDevice		*device;
static char					*ring; /* memory that the library has pinned */
static char					 reason[256];
static ScanGpuOptions		 options;
static ScanGpuInfo			 info;
static uint32_t				 measuring;
static int					 tests;

typedef struct Answers
{
	uint32_t order[ROWS];
	int64_t	 sum[ROWS];
} Answers;

static uint64_t	  low[ROWS], high[ROWS];
static int64_t	  value[LARGE_ROWS];
static uint8_t	  valid[LARGE_ROWS / 8 + 1];
static int64_t	  large_sum[LARGE_ROWS];
static ScanCarry *carry; /* of the size that sum(int8) needs */
static size_t	  carry_size;

static void
report(int good, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tests, what);
}

static void
add_sum(ScanGpuJob *job, int64_t *sum)
{
	ScanGpuOperation *o = &job->operation[0];

	memset(carry, 0, carry_size);
	memset(valid, 0xff, sizeof(valid));
	job->operations = 1;
	o->line = SCAN_OP_sum_int8;
	o->in = 1;
	o->carry = carry;
	o->carry_size = carry_size;
	o->out = sum;
	o->out_valid = valid;
}

static ScanGpuCode
sort_and_sum(Answers *answers)
{
	ScanGpuJob job;

	memset(&job, 0, sizeof(job));
	memset(answers, 0, sizeof(*answers));
	job.n = ROWS;
	job.keys[0] = low;
	job.keys[1] = high;
	job.key_bits = 100;
	job.partition_bits = 1;
	job.order = answers->order;
	job.inputs = 1;
	job.input[0].data = value;
	job.input[0].width = sizeof(value[0]);
	add_sum(&job, answers->sum);
	return library->run(device, &job, reason, sizeof(reason));
}

/* Of more memory than there is so far. */
static ScanGpuCode
large_job(void)
{
	ScanGpuJob job;

	memset(&job, 0, sizeof(job));
	job.n = LARGE_ROWS;
	job.inputs = LARGE_INPUTS;
	for (int i = 0; i < LARGE_INPUTS; i++)
	{
		job.input[i].data = value;
		job.input[i].width = sizeof(value[0]);
	}
	add_sum(&job, large_sum);
	return library->run(device, &job, reason, sizeof(reason));
}

/* An error in every call of the job, one after another. */
static void
every_call(int error, ScanGpuCode expected, const Answers *right)
{
	static Answers answers;
	char		   what[200];
	int			   call, wrong_code = 0, wrong_next = 0;

	for (call = 1;; call++)
	{
		ScanGpuCode code;

		fail("", call, call, error);
		code = sort_and_sum(&answers);
		if (calls() < call)
			break;
		if (code != expected)
		{
			wrong_code++;
			printf("# error %d in call %d: code %d (%s)\n", error, call, (int) code, reason);
		}
		fail("", 0, 0, 0);
		code = sort_and_sum(&answers);
		wrong_next += code != SCAN_GPU_OK || memcmp(&answers, right, sizeof(answers)) != 0;
	}
	fail("", 0, 0, 0);
	snprintf(what, sizeof(what), "error %d in each of %d calls: %d codes are not %d", error, call - 1, wrong_code,
			 (int) expected);
	report(call > 20 && wrong_code == 0, what);
	snprintf(what, sizeof(what), "error %d: the job after it is right, but for %d", error, wrong_next);
	report(wrong_next == 0, what);
}

/* Returns the next ROWS values of the ring. */
static void *
ring_column(size_t *used)
{
	void *column = ring + *used;

	*used += ROWS * sizeof(int64_t);
	return column;
}

/* Scans of one column in its partitions; all columns are in the ring. */
static void
few_calls(void)
{
	ScanCarry  *carries[SCANS];
	ScanGpuJob	job;
	char		what[200];
	size_t		used = 0;
	ScanGpuCode code;

	memset(&job, 0, sizeof(job));
	job.n = ROWS;
	job.keys[0] = memcpy(ring_column(&used), low, sizeof(low));
	job.key_bits = 38;
	job.partition_bits = 8;
	job.order = (uint32_t *) ring_column(&used);
	job.inputs = 1;
	job.input[0].data = memcpy(ring_column(&used), value, ROWS * sizeof(value[0]));
	job.input[0].width = sizeof(value[0]);
	job.operations = SCANS;
	for (int i = 0; i < SCANS; i++)
	{
		ScanGpuOperation *o = &job.operation[i];

		carries[i] = (ScanCarry *) calloc(1, carry_size);
		o->line = i == 0 ? SCAN_OP_sum_int8 : i == 1 ? SCAN_OP_min_int8 : SCAN_OP_max_int8;
		o->in = 1;
		o->carry = carries[i];
		o->carry_size = carry_size;
		o->out = ring_column(&used);
		o->out_valid = (uint8_t *) memset(ring_column(&used), 0xff, ROWS / 8 + 1);
	}
	fail("", 0, 0, 0);
	code = library->run(device, &job, reason, sizeof(reason));
	snprintf(what, sizeof(what), "a sort with %d scans makes %d calls, at most %d", SCANS, calls(), CALLS_MOST);
	report(code == SCAN_GPU_OK && calls() <= CALLS_MOST, what);
	for (int i = 0; i < SCANS; i++)
		free(carries[i]);
}

static void
memory_runs_out(void)
{
	fail("cudaMalloc", 1, 1, ILLEGAL_ADDRESS);
	report(large_job() == SCAN_GPU_FAILED, "cudaMalloc on a lost device: lost, not out of memory");
	fail("cudaMalloc", 1, 1, INVALID_CONFIGURATION);
	report(large_job() == SCAN_GPU_REFUSED, "cudaMalloc refused: not out of memory either");
	fail("cudaMalloc", 1, 2, OUT_OF_MEMORY);
	report(large_job() == SCAN_GPU_OOM, "cudaMalloc without memory, twice: out of memory");
	fail("cudaMalloc", 1, 1, OUT_OF_MEMORY);
	report(large_job() == SCAN_GPU_OK && calls() == 2, "once: what the job needs is there, if no more");
	report(large_sum[LARGE_ROWS - 1] == (int64_t) LARGE_ROWS * (LARGE_ROWS - 1) / 2, "and the answer is right");
	fail("", 0, 0, 0);
}

static int called; /* how often that call was made */

/* Opens the device again, where one call fails; 0: none does.  True if that works. */
static int
open_where(const char *call, int which, int error)
{
	ScanGpuDevice *other;

	measuring = 0;
	memset(&info, 0, sizeof(info));
	fail(call, which, which, error);
	other = library->open(&options, &info, reason, sizeof(reason));
	called = calls();
	fail("", 0, 0, 0);
	if (other != NULL)
		library->close(other);
	return other != NULL;
}

static int
lines_offered(void)
{
	int lines = info.sort_ns > 0;

	for (int line = 0; line < SCAN_OPS; line++)
		lines += info.row_ns[line] > 0;
	return lines;
}

/* Errors while lines are measured: each line has one launch, the first lines of list.h the first launches. */
static void
measuring_fails(void)
{
	char what[200], expected[100];
	int	 launches, lines, first = 0, second, wrong = 0;

	report(open_where("__cudaLaunchKernel", 0, 0) && measuring == 0, "the device is opened again");
	launches = called;
	lines = lines_offered();
	while (info.row_ns[first] == 0)
		first++;
	for (second = first + 1; info.row_ns[second] == 0;)
		second++;
	snprintf(expected, sizeof(expected), "error while %s, ", measured_doing(first));

	report(open_where("__cudaLaunchKernel", 1, INVALID_CONFIGURATION) && measuring == 0, "a refused kernel: it opens");
	report(info.row_ns[first] == 0 && info.refused == 1 && lines_offered() == lines - 1, "its line is not offered");
	report(!open_where("__cudaLaunchKernel", 1, ILLEGAL_ADDRESS), "a kernel that loses the device: it does not open");
	report(measuring == (uint32_t) first + 1 && strncmp(reason, expected, strlen(expected)) == 0, "the line is named");
	scan_gpu_lines_add(&options.left_out, first);
	report(!open_where("__cudaLaunchKernel", 1, ILLEGAL_ADDRESS) && measuring == (uint32_t) second + 1,
		   "without this line the next one is named");
	report(open_where("", 0, 0) && info.row_ns[first] == 0 && info.refused == 0 && lines_offered() == lines - 1,
		   "it is left out");
	memset(&options.left_out, 0, sizeof(options.left_out));

	/* whichever kernel it is, also of sorts and of whole jobs */
	for (int launch = 3; launch <= launches; launch += launches / 7)
		wrong += open_where("__cudaLaunchKernel", launch, ILLEGAL_ADDRESS) || measuring == 0;
	wrong += open_where("__cudaLaunchKernel", launches, ILLEGAL_ADDRESS) || measuring == 0;
	snprintf(what, sizeof(what), "some line is named for each of %d launches, but for %d", launches, wrong);
	report(launches > lines && wrong == 0, what);
	setenv("SCAN_MEASURE_ROWS", "0", 1);
	report(open_where("__cudaLaunchKernel", 1, ILLEGAL_ADDRESS) && called == 0 && lines_offered() == lines,
		   "nothing is measured");
	unsetenv("SCAN_MEASURE_ROWS");
}

static void
load(const char *path)
{
	void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const ScanGpuLibrary *(*entry)(void);

	options.measuring = &measuring;
	options.ring = mmap(NULL, RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ring = (char *) options.ring;
	options.ring_size = options.job_bytes = options.job_stride = RING_SIZE;
	options.jobs = 1;
	if (file != NULL)
	{
		*(void **) &entry = dlsym(file, SCAN_GPU_SYMBOL);
		*(void **) &fail = dlsym(file, "scan_ptx_fail");
		*(void **) &calls = dlsym(file, "scan_ptx_calls");
		library = entry == NULL ? NULL : entry();
	}
	if (library == NULL || fail == NULL || calls == NULL ||
		(device = library->open(&options, &info, reason, sizeof(reason))) == NULL)
	{
		printf("Bail out! %s\n", file == NULL ? dlerror() : reason);
		exit(1);
	}
}

int
main(int argc, char **argv)
{
	static Answers right;

	setvbuf(stdout, NULL, _IOLBF, 0);
	load(argc > 1 ? argv[1] : "");
	carry_size = offsetof(ScanCarry, acc) + sizeof(sum_int8_acc);
	carry = (ScanCarry *) malloc(carry_size);
	for (int i = 0; i < LARGE_ROWS; i++)
		value[i] = i;
	for (int i = 0; i < ROWS; i++)
	{
		low[i] = (uint64_t) i * UINT64_C(0x9e3779b97f4a7c15);
		high[i] = low[i] >> 7 & UINT64_C(0xfffffffff);
	}
	memory_runs_out();
	few_calls();
	report(sort_and_sum(&right) == SCAN_GPU_OK, "a job without an error");
	every_call(INVALID_CONFIGURATION, SCAN_GPU_REFUSED, &right);
	every_call(OUT_OF_MEMORY, SCAN_GPU_OOM, &right);
	every_call(ILLEGAL_ADDRESS, SCAN_GPU_FAILED, &right);
	library->close(device);
	measuring_fails();
	printf("1..%d\n", tests);
	return 0;
}

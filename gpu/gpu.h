/*
 * gpu.h: the C ABI of a device library, between gpu/scan_gpu.c and scan_cuda.so or scan_mock.so.
 *
 * The program dlopens the library by its file name, asks for the one symbol that it exports, and calls it from a single
 * thread: open, then run for one job after another, then close.  Arguments and results are plain data, no exception
 * crosses the ABI, and no call waits for anything but the device.  All memory of a job belongs to the caller.  It lies
 * in the ring that open() was given, which a library may pin once.  A library keeps no pointer into a job after run()
 * has returned.
 *
 * The library trusts the caller: gpu/job.c has checked every offset, length and line of a job against the ring.  The
 * backend does not trust the library: it checks every code and length that comes back, and runs a doubtful job again on
 * the CPU.
 */
#ifndef SCAN_GPU_H
#define SCAN_GPU_H

#include "device/device.h"
#include "device/encoding.h"
#include "op/lines.h"

/* Increased with every change of the ABI below. */
#define SCAN_GPU_VERSION 3

/* ---- open ---- */

typedef struct ScanGpuOptions
{
	int32_t	 device;	/* the device's number, as the driver counts */
	uint64_t memory;	/* bytes of device memory to take at most; 0: the library decides */
	void	*ring;		/* page aligned; mapped until close() */
	uint64_t ring_size; /* bytes */

	/*
	 * The ring has `jobs` slots.  All memory of a job lies in the job_bytes bytes of one slot.  The first slot begins
	 * at offset first_job, and each next one job_stride bytes later; both are multiples of the system's page size.
	 */
	uint32_t jobs;
	uint64_t job_bytes, first_job, job_stride;

	ScanGpuLines left_out; /* lines that open() must neither run nor offer */

	/*
	 * Where open() writes which line it is measuring, as the line's number plus 1; 0: none.  NULL: nobody reads it.  If
	 * the process ends, or open() loses the device, the number stays there and names the line that did it.
	 */
	uint32_t *measuring;
} ScanGpuOptions;

/* ---- a job ---- */

/* An input column; several operations may read it. */
typedef struct ScanGpuInput
{
	const void *data;  /* NULL only in a job without rows */
	uint32_t	width; /* bytes of a value; 0: one bit per row, lowest bit first, in whole bytes */
} ScanGpuInput;

/*
 * One scan.  `in`, `in2`, `valid` and `heads` are numbers of the job's inputs, from 1; 0: none.
 *
 * `carry` is a ScanCarry, in and out.  On input it is fresh from scan_carry_start(), before the first row of a column,
 * or the output of the job before.  On output it holds the state after the last row answered.  Its bytes are those that
 * the CPU would write, except for padding and unused parts of an accumulator.
 */
typedef struct ScanGpuOperation
{
	uint32_t line;	 /* ScanOpId */
	uint32_t extent; /* ScanExtent */
	uint32_t in;	 /* column of values */
	uint32_t in2;	/* second column of values, of lines that have two; of a line of frames, a ScanFrame for each row */
	uint32_t valid; /* column of bits: 0 where a value is NULL; without it there are no NULLs */
	uint32_t heads; /* column of bits: 1 where a segment starts; see also partition_bits */

	/*
	 * Both are 0 unless the job has keys and the operation has no heads.  `tile`: rows of a tile; every tile is a
	 * segment (scan_tile_begins()); 0: no tiles.  `reversed`: not 0 if the scan runs from the last row by the keys to
	 * the first; answers and carry are in that order, and each segment starts at its last row.
	 */
	uint32_t	tile, reversed;
	const void *param; /* result of scan_param_decode(): NULL, or a parameter of binding.h or in_sequence.h */
	size_t		param_size;
	ScanCarry  *carry;		/* a recurrence's accumulator is serialised as in op/serialize.h */
	size_t		carry_size; /* scan_serialized_size() */

	/* answers, in the order of the keys if the job has keys */
	void	*out;		/* n values of the line's type D_out; undefined where the answer is NULL */
	uint8_t *out_valid; /* n bits, all set by the caller; the library clears the bit of a NULL answer */
	uint32_t has_nulls; /* 1 if some answer is NULL; set to 0 by the caller */
	int32_t	 status;	/* SCAN_OK, or the error of row `done`, the first row with an error: a ScanStatus */
	int64_t	 done;		/* rows answered: n, or after an error the failing row; the carry is then undefined */
} ScanGpuOperation;

/*
 * An operation of a line of frames (op/frame.h) has no NULLs, heads, tiles and no keys, and its extent is inclusive.  A
 * row's frame lies anywhere among the n values: rows and values have nothing in common but their number.  Frames that
 * are not empty begin no earlier, and end no earlier, than those before them, and none ends after value n - 1.
 *
 * A job with keys first sorts the rows, stably, by the bits of their keys from key_low to key_bits - 1 as unsigned
 * numbers.  Its columns and heads are in the order before the sort; the operations run in the sorted order.  A job
 * without operations is only a sort.
 *
 * The answer is either `order` or `words`.  A caller that has the rows' numbers in its keys wants `words`: it reads
 * them one after the other, where an order makes it read its own keys at scattered addresses.
 */
typedef struct ScanGpuJob
{
	uint64_t	n;			  /* rows; less than 2^31 */
	uint32_t	fault;		  /* ScanGpuFault, of the mock device */
	const void *keys[2];	  /* columns of uint64_t: low words; high words of keys longer than 64 bits */
	uint32_t	key_bits;	  /* bits of a key, at most 128; 0: there are no keys */
	uint32_t	key_low;	  /* the first bit of a key by which rows are sorted; less than key_bits and 64 */
	uint32_t	row_bits;	  /* lowest bits of each key that hold the row's number; at most key_low; 0: none do */
	uint32_t  partition_bits; /* highest bits of a key that are its partition, which is a segment of every operation */
	uint32_t *order;		  /* answer: n row numbers, from 0, in sorted order; NULL: `words`, or no keys */
	uint64_t *words; /* answer: keys[0] itself, which become the sorted keys; NULL: `order`, or more than 64 bits */
	uint32_t  inputs;
	uint32_t  operations;
	ScanGpuInput input[SCAN_GPU_INPUTS];

	ScanGpuOperation operation[SCAN_GPU_OPERATIONS];

	double device_ns; /* answer: how long run() took, in nanoseconds */
} ScanGpuJob;

/* ---- the library ---- */

typedef struct ScanGpuDevice ScanGpuDevice; /* the library's own */

/* The result of scan_gpu_library(): constant, and valid as long as the library is loaded. */
typedef struct ScanGpuLibrary
{
	uint32_t	version;	 /* SCAN_GPU_VERSION: read before anything else */
	uint32_t	size;		 /* sizeof(ScanGpuJob) */
	uint64_t	fingerprint; /* scan_fingerprint(): equal if lines and their sizes are */
	const char *name;		 /* "cuda", "mock" */

	/*
	 * Takes the device and fills *info.  If there is no device, returns NULL, writes one line of text to `reason` (at
	 * most `room` bytes, its zero byte included) and releases everything.  If the ring cannot be pinned, the library
	 * copies through memory of its own.
	 */
	ScanGpuDevice *(*open)(const ScanGpuOptions *options, ScanGpuInfo *info, char *reason, size_t room);

	/*
	 * Runs a job.  Answers and carries are defined only after SCAN_GPU_OK.  After every other code but SCAN_GPU_FAILED
	 * the library can run the next job.  The reason of a failure goes to `reason`, as in open().
	 */
	ScanGpuCode (*run)(ScanGpuDevice *device, ScanGpuJob *job, char *reason, size_t room);

	/* Releases everything.  Not called after SCAN_GPU_FAILED. */
	void (*close)(ScanGpuDevice *device);
} ScanGpuLibrary;

/* The one symbol of a device library. */
#define SCAN_GPU_SYMBOL "scan_gpu_library"
#ifdef __cplusplus
extern "C"
#endif
	__attribute__((visibility("default"))) const ScanGpuLibrary *
	scan_gpu_library(void);

#endif /* SCAN_GPU_H */

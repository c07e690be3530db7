/*
 * gpu.h: what a device library is: the C ABI between gpu/scan_gpu.c and
 * scan_cuda.so or scan_mock.so.
 *
 * The program dlopens the library by its file name, asks for the one symbol that it
 * exports, and calls it from a single thread: open, then run for one job after
 * another, then close.  Plain data goes in and comes out, nothing is thrown across,
 * and no call waits for anything but the device.  All memory of a job is the
 * caller's: it lies in the ring that open() was told of, which a library may pin once.
 * A library keeps no pointer into a job when run() has returned.
 *
 * The library trusts the caller: scan_gpu.c has held every offset, length and line
 * of a job against the ring (gpu/job.c).  The backend does not trust the library: it looks
 * at every code and length that comes back, and redoes on the CPU what looks
 * doubtful.
 */
#ifndef SCAN_GPU_H
#define SCAN_GPU_H

#include "device/device.h"
#include "op/encoding.h"
#include "op/lines.h"

/* Goes up with every change of what follows. */
#define SCAN_GPU_VERSION 2

/* ---- open ---- */

typedef struct ScanGpuOptions
{
	int32_t	 device;	/* which one, as the driver counts */
	uint64_t memory;	/* bytes of device memory to take at most; 0: what the library thinks fit */
	void	*ring;		/* every job lies in here; page aligned; mapped until close() */
	uint64_t ring_size; /* bytes */
	uint64_t job_bytes; /* the most bytes of one job: a slot of the ring */
} ScanGpuOptions;

/* ---- a job ---- */

/* A column that comes in; several operations may read it. */
typedef struct ScanGpuInput
{
	const void *data;  /* NULL only in a job without rows */
	uint32_t	width; /* bytes of a row's value; 0: a bit a row, lowest first in each byte, whole bytes */
} ScanGpuInput;

/*
 * One scan.  Inputs are named by their number in the job's list, from 1; 0: none.
 *
 * `carry` is a ScanCarry, in and out.  It comes as scan_carry_start() makes it at
 * the first row of a column, or as the job before left it; it goes out as the last
 * row answered leaves it, byte by byte what the CPU would leave but for what padding
 * and dead parts of an accumulator hold.
 */
typedef struct ScanGpuOperation
{
	uint32_t line;	 /* ScanOpId */
	uint32_t extent; /* ScanExtent */
	uint32_t in;	 /* values: the first input, */
	uint32_t in2;	 /* the second of lines that have two, */
	uint32_t valid;	 /* bits: 0 where a value is NULL; none: no NULLs, */
	uint32_t heads;	 /* bits: 1 where a segment starts; none: see partition_bits */

	/*
	 * Of a job with keys, and an operation without heads: rows of a tile, each of which is a segment
	 * (scan_tile_begins()); 0: none are.  `reversed`: not 0 where the last row by the keys comes first, in the answers
	 * and the carry, too; segments are the same rows, and begin with their last one.
	 */
	uint32_t	tile, reversed;
	const void *param; /* what scan_param_decode() gives: NULL, or a parameter of binding.h or ordered.h */
	size_t		param_size;
	ScanCarry  *carry;		/* of a recurrence: its accumulator is serialised as in op/serialize.h */
	size_t		carry_size; /* scan_serialized_size() */

	/* answers, in the order of the keys where there are any */
	void	*out;		/* n of the line's D_out; a NULL's means nothing */
	uint8_t *out_valid; /* n bits, all set by the caller; cleared where an answer is NULL */
	uint32_t has_nulls; /* 1: some are; comes as 0 */
	int32_t	 status;	/* SCAN_OK, or the ScanStatus of the row `done`: the first with an error */
	int64_t	 done;		/* rows answered: n, or that row's number; the carry is then not meant to be read */
} ScanGpuOperation;

/*
 * Keys sort the rows before anything else, by their lowest key_bits bits as unsigned
 * numbers, stably.  Columns and heads come in the order before that; `order` says
 * which row comes when, and the operations run in that order.  Without operations it is a
 * sort and no more.
 */
typedef struct ScanGpuJob
{
	uint64_t	n;				/* rows; at most UINT32_MAX */
	uint32_t	fault;			/* ScanGpuFault, of the mock device */
	const void *keys[2];		/* uint64_t each: the low words, the high words of keys longer than 64 bits */
	uint32_t	key_bits;		/* 0: there are no keys, at most 128 */
	uint32_t	partition_bits; /* the highest so many of those make a partition: where they differ from the row
								 * before, a segment starts in every operation */
	uint32_t	*order;			/* answer: a permutation of n; NULL without keys */
	uint32_t	 inputs;
	uint32_t	 operations;
	ScanGpuInput input[SCAN_GPU_INPUTS];

	ScanGpuOperation operation[SCAN_GPU_OPERATIONS];

	double device_ns; /* answer: how long the device was at it */
} ScanGpuJob;

/* ---- the library ---- */

typedef struct ScanGpuDevice ScanGpuDevice; /* the library's own */

/* What scan_gpu_library() points to: constant, and there as long as the library is loaded. */
typedef struct ScanGpuLibrary
{
	uint32_t	version;	 /* SCAN_GPU_VERSION: read before anything else */
	uint32_t	size;		 /* sizeof(ScanGpuJob) */
	uint64_t	fingerprint; /* scan_fingerprint(): same lines, same sizes */
	const char *name;		 /* "cuda", "mock" */

	/*
	 * Takes the device and fills *info.  NULL when there is none to be had, with the
	 * reason as a line of text in `reason`, of at most `room` bytes with its zero; nothing
	 * is then left behind.  Where the ring cannot be pinned the library copies through
	 * memory of its own.
	 */
	ScanGpuDevice *(*open)(const ScanGpuOptions *options, ScanGpuInfo *info, char *reason, size_t room);

	/*
	 * Runs a job.  Of its answers those of SCAN_GPU_OK alone are read: after any other
	 * code what answers and carries hold means nothing, and but for SCAN_GPU_FAILED the next
	 * job may come.  The reason of a failure goes to `reason` as above.
	 */
	ScanGpuCode (*run)(ScanGpuDevice *device, ScanGpuJob *job, char *reason, size_t room);

	/* Gives everything back.  Not called after SCAN_GPU_FAILED. */
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

/*
 * block_job.h: turns rows of a block into a job of run.h: its input columns, and memory for its results.
 *
 * Called by node/evaluate/ for functions of ours, and by aggregate/ for frames.  All memory is allocated in the current
 * context, without palloc()'s limit of 1 GB: a block may be so long (job_block_rows()) that a column takes more.
 */
#ifndef SCAN_RUN_BLOCK_JOB_H
#define SCAN_RUN_BLOCK_JOB_H

#include "postgres.h"

#include "column/block.h"
#include "cpu/cpu.h"

/* A job is not worth its cost for fewer rows. */
#define JOB_LEAST 16

/*
 * Returns n values from row i on, `size` bytes each: in the column's own memory if its values lie like that, else as a
 * copy.  The values of NULLs are zero bytes.
 */
extern const void *job_column(const Column *column, int64 i, int64 n, size_t size);

/*
 * Clears the bits of `valid` for the rows that are NULL in the column, of n rows from row i on, and returns `valid`.
 * NULL stands for a bitmap with all bits set: one is allocated if the column has NULLs.
 */
extern uint8 *job_valid(uint8 *valid, const Column *column, int64 i, int64 n);

/*
 * Returns a bitmap of n rows from row i on, whose bit is set where a partition starts or `reset` is true; NULL: no bit
 * is set.  `reset` may be NULL.
 */
extern const uint8 *job_heads(const Block *block, const Column *reset, int64 i, int64 n);

/* Allocates the job's results and runs the job, whose other fields the caller has set. */
extern void job_run(ScanJob *job);

/* Returns how many rows a block should have for jobs like this one, which has many rows; 1 if any number will do. */
extern int64 job_block_rows(const ScanJob *job);

#endif /* SCAN_RUN_BLOCK_JOB_H */

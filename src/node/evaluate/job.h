/*
 * job.h: rows of a block as a job of run.c: the columns that go in, and room for the answers.
 *
 * All memory is the current context's.
 */
#ifndef SCAN_NODE_EVALUATE_JOB_H
#define SCAN_NODE_EVALUATE_JOB_H

#include "postgres.h"

#include "node/evaluate/function.h"
#include "run.h"

/* Fewer rows are not worth a job. */
#define JOB_LEAST 16

/* A block for a device may have more rows than palloc() has bytes. */
extern void *job_room(size_t size);

/* A bit for each of n rows, all set. */
extern uint8 *job_bits(int64 n);

/* n values from row i on, `size` bytes each; those of NULLs are zero bytes. */
extern const void *job_column(const Column *column, int64 i, int64 n, size_t size);

/* The bits `valid`, NULL: all are set, without those of n rows from i on that are NULL. */
extern uint8 *job_valid(uint8 *valid, const Column *column, int64 i, int64 n);

/* The rows of n from i on that start a partition, or in which `reset`, if there is one, is true; NULL: none. */
extern const uint8 *job_heads(const Block *block, const Column *reset, int64 i, int64 n);

/* The values of an aggregate of inlined.c's at n rows from i on, for a line; what is counted is true. */
extern const void *job_values(const NodeFunction *f, const Block *block, const ScanOp *op, int64 i, int64 n);

/* Which of them go in: they have a value, and the FILTER lets them pass.  NULL: all. */
extern const uint8 *job_rows(const NodeFunction *f, const Block *block, int64 i, int64 n);

/* Runs a job of which all is there but for the room for its answers. */
extern void job_run(ScanJob *job);

/* How many rows a block had best have for jobs of a line; cpu_ns as for scan_run_rows(). */
extern int64 job_block_rows(const ScanOp *op, const void *param, double cpu_ns);

#endif /* SCAN_NODE_EVALUATE_JOB_H */

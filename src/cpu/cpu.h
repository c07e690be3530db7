/*
 * cpu.h: jobs on the CPU: columns in, one scan, a column out.
 *
 * Called by src/run/, by the mock device (gpu/mock.c), by the window functions a row at a time, and by the tests.  It
 * is plain C over plain arrays without PostgreSQL, so that the same loops run in a backend, in the program that owns
 * the GPU, and in a test built by cc alone.  The caller owns all memory.  Nothing here allocates, waits or fails,
 * except that the op's ScanMemory may.
 *
 * An algorithm never changes a result, only the way to it.
 */
#ifndef SCAN_CPU_H
#define SCAN_CPU_H

#include "op/bits.h"
#include "op/lines.h"

/* Rows that the tree algorithms take at once; `blocked` uses blocks of this size. */
#define SCAN_TILE 1024

/* The most rows of one job, because `blocked` keeps an item for each of its tiles. */
#define SCAN_BATCH (64 * SCAN_TILE)

typedef enum ScanAlgorithm
{
	SCAN_AUTO = 0, /* the fastest on this machine: sequential */
	SCAN_SEQUENTIAL,
	SCAN_HILLIS_STEELE, /* log n steps, n log n joins (1986) */
	SCAN_BLELLOCH,		/* up-sweep and down-sweep: 2 log n steps, 2 n joins (1990) */
	SCAN_BLOCKED,		/* sequential in a tile, Blelloch over the tiles' totals */
} ScanAlgorithm;

typedef struct ScanJob ScanJob;

/*
 * Computes rows i to i + n - 1 of a job, which have values and start no segment, by a way shorter than row by row: y[0
 * .. n - 1] := their inclusive running results.  A value has gone into `acc` before.  Returns how many rows were
 * computed; y past those rows is undefined.
 */
typedef int64_t (*ScanRun)(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y);

/* A line of list.h as an operation of the loops. */
typedef struct ScanOp
{
	const char *function; /* "sum", for messages */
	const char *type;	  /* "int4" */
	int			line;	  /* a ScanOpId */
	int			flags;
	size_t		in_size;	/* bytes of a value */
	size_t		in2_size;	/* bytes of a value in the second column; 0: there is no second column */
	size_t		out_size;	/* bytes of a result */
	size_t		acc_size;	/* bytes of an accumulator */
	size_t		acc_offset; /* where the accumulator begins in an item */
	size_t		item_size;	/* bytes of an item; 0: a SCAN_ORDERED line, which has no items */

	/* the binding's functions, see op/binding.h */
	void (*lift)(const void *param, const void *x, int64_t row, void *acc);
	void (*accumulate)(const void *param, void *acc, const void *x, int64_t row);
	ScanStatus (*lower)(const void *param, const void *before, const void *after, int64_t row, void *y);
	ScanStatus (*identity)(void *y);
	void (*item_copy)(void *dst, const void *src);
	void (*item_join)(void *left, const void *right);

	/* the binding's D_run */
	ScanRun run;

	/* Takes one row: x holds the row's values side by side, or is NULL for a NULL.  *y := the result. */
	ScanStatus (*step)(const void *param, ScanCarry *carry, const void *x, bool head, ScanExtent extent, void *y);

	/* runs a whole job, row after row */
	void (*sequential)(ScanJob *job);
} ScanOp;

/* The parts of a ScanOp that tree.c needs: the items of wrap.h. */
#define ITEM_OP(D)                                                  \
	static void D##_op_item_copy(void *dst, const void *src)        \
	{                                                               \
		D##_item_copy((D##_item *) dst, (const D##_item *) src);    \
	}                                                               \
	static void D##_op_item_join(void *left, const void *right)     \
	{                                                               \
		D##_item_join((D##_item *) left, (const D##_item *) right); \
	}
#define ITEM_FIELDS(D)                                                                                 \
	.acc_size = sizeof(D##_acc), .acc_offset = offsetof(D##_item, acc), .item_size = sizeof(D##_item), \
	.item_copy = D##_op_item_copy, .item_join = D##_op_item_join

/* The most bytes of a row's values: the coefficients and the term of order 16. */
#define SCAN_ROW_SIZE (17 * sizeof(double))

/*
 * A scan to run.  The caller owns all memory.  Bitmaps have the lowest bit first in each byte, as in PostgreSQL's
 * arrays and in Arrow.
 */
struct ScanJob
{
	const ScanOp  *op;
	const void	  *param;
	ScanAlgorithm  algorithm;
	ScanExtent	   extent;
	int64_t		   n;		 /* rows; scan_cpu_run takes at most SCAN_BATCH */
	const void	  *in;		 /* n values; `values` of them for a line of frames */
	const void	  *in2;		 /* n values of the second column, if the op has one */
	const uint8_t *valid;	 /* a bit a row, 0 = NULL; NULL pointer: no NULLs */
	const uint8_t *heads;	 /* a bit a row, 1 = a segment starts; NULL pointer: none starts */
	ScanCarry	  *carry;	 /* in and out */
	void		  *scratch;	 /* scan_scratch_size(op) bytes; unused by SCAN_AUTO and SCAN_SEQUENTIAL */
	bool		   permutes; /* true if results are used as memory offsets: those from a device are checked */

	/* of a line of frames (SCAN_FRAMES), whose second column has a ScanFrame for each row; else 0 */
	int64_t values;		  /* number of values that the frames are made of */
	double	frame_values; /* values of a frame on average: times are multiplied by it */
	double	made_ns;	  /* nanoseconds per row that making the job takes, which a loop without a job saves */

	/* results */
	void	  *out;		  /* n results; the value of a NULL is undefined */
	uint8_t	  *out_valid; /* n bits; the caller sets all, the scan clears those of NULL results */
	bool	   has_nulls; /* in and out: set if a result is NULL */
	int64_t	   done;	  /* rows computed: n, or the position of the row with the error */
	ScanStatus status;	  /* SCAN_OK, or that row's error */
};

extern const ScanOp *scan_op_at(int line); /* by ScanOpId; NULL for SCAN_OP_none and past the last line */

/* The bytes of a ScanCarry with the op's accumulator. */
extern size_t scan_carry_size(const ScanOp *op);
extern void	  scan_carry_start(const ScanOp *op, ScanCarry *carry);

/* Returns the bytes of a value of the first column. */
static inline size_t
scan_in_size(const ScanOp *op, const void *param)
{
	return op->flags & SCAN_VECTOR ? *(const size_t *) param : op->in_size;
}

/* Returns the values by which a row's time grows: those of a frame, or 1. */
static inline double
scan_values_per_row(const ScanJob *job)
{
	return job->frame_values > 1 ? job->frame_values : 1;
}

extern size_t scan_scratch_size(const ScanOp *op);
extern void	  scan_cpu_run(ScanJob *job);

/* tree.c */
extern void scan_tiles(ScanJob *job, bool blelloch);
extern void scan_blocked(ScanJob *job);

/* Returns a job for rows [from, from + n) of `job`; `from` is a multiple of 8, because bitmaps are cut at bytes. */
static inline ScanJob
scan_job_piece(const ScanJob *job, int64_t from, int64_t n)
{
	ScanJob piece = *job;

	piece.n = n;
	piece.done = 0;
	/* a row's frame may lie anywhere among the values */
	if ((job->op->flags & SCAN_FRAMES) == 0)
		piece.in = (const char *) job->in + from * scan_in_size(job->op, job->param);
	if (job->in2 != NULL)
		piece.in2 = (const char *) job->in2 + from * job->op->in2_size;
	piece.out = (char *) job->out + from * job->op->out_size;
	piece.valid = job->valid == NULL ? NULL : job->valid + from / 8;
	piece.heads = job->heads == NULL ? NULL : job->heads + from / 8;
	piece.out_valid = job->out_valid == NULL ? NULL : job->out_valid + from / 8;
	return piece;
}

#endif /* SCAN_CPU_H */

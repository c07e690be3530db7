/*
 * cpu.h: jobs on the CPU: columns in, one scan, a column out.
 *
 * Fed by src/run.c (and by the mock device and the tests): plain C over plain
 * arrays, with no PostgreSQL inside, so that the same loops run in a backend, in
 * the program that owns the GPU, and in a test built by cc alone.  Memory is the
 * caller's; nothing here allocates, waits or fails.
 *
 * An algorithm never changes an answer, only how it is found.
 */
#ifndef SCAN_CPU_H
#define SCAN_CPU_H

#include "op/bits.h"
#include "op/lines.h"

/* Rows that the tree algorithms take at once, and a block of `blocked`. */
#define SCAN_TILE 1024

/* The most rows of one job: blocked keeps an item for each of its tiles. */
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
 * Inclusive running answers y[0 .. n - 1] of a job's rows i to i + n - 1, which have
 * values and start no segment, as far as there is a shorter way than row by row;
 * returns how far.  A value has gone into the accumulator before.  What y holds past
 * the rows answered means nothing.
 */
typedef int64_t (*ScanRun)(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y);

/* A line of list.h, as the loops need it. */
typedef struct ScanOp
{
	const char *function; /* "sum", for messages */
	const char *type;	  /* "int4" */
	int			line;	  /* ScanOpId */
	int			flags;
	size_t		in_size;	/* bytes of a value, of one in the second column, */
	size_t		in2_size;	/* 0: there is none, */
	size_t		out_size;	/* of an answer, */
	size_t		acc_size;	/* of an accumulator, */
	size_t		acc_offset; /* which lies here in an item */
	size_t		item_size;	/* 0: a SCAN_ORDERED line, there are no items */

	/* the binding, see op/binding.h */
	void (*lift)(const void *param, const void *x, int64_t row, void *acc);
	void (*accumulate)(const void *param, void *acc, const void *x, int64_t row);
	ScanStatus (*lower)(const void *param, const void *before, const void *after, int64_t row, void *y);
	ScanStatus (*identity)(void *y);
	void (*item_copy)(void *dst, const void *src);
	void (*item_join)(void *left, const void *right);

	/* the binding's own */
	ScanRun run;

	/* one row: x is NULL for a NULL, and holds a row's values side by side; the answer goes to *y */
	ScanStatus (*step)(const void *param, ScanCarry *carry, const void *x, bool head, ScanExtent extent, void *y);

	/* a whole job, row after row */
	void (*sequential)(ScanJob *job);
} ScanOp;

/* What tree.c needs of a ScanOp: the items of wrap.h. */
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

/* The most bytes of a row's values: order 16's coefficients and term. */
#define SCAN_ROW_SIZE (17 * sizeof(double))

/* Bits, lowest first in each byte, as in PostgreSQL's arrays and in Arrow. */
struct ScanJob
{
	const ScanOp  *op;
	const void	  *param;
	ScanAlgorithm  algorithm;
	ScanExtent	   extent;
	int64_t		   n;		 /* at most SCAN_BATCH */
	const void	  *in;		 /* n values */
	const void	  *in2;		 /* n values of the second column, where the op has one */
	const uint8_t *valid;	 /* a bit a row, 0 = NULL; NULL pointer: no NULLs */
	const uint8_t *heads;	 /* a bit a row, 1 = a segment starts; NULL pointer: none does */
	ScanCarry	  *carry;	 /* in and out */
	void		  *scratch;	 /* scan_scratch_size(op) bytes; unused by SCAN_AUTO and SCAN_SEQUENTIAL */
	bool		   permutes; /* a count that says where memory is written to: it is checked, whoever counted */

	/* answers */
	void	  *out;		  /* n of them; a NULL's value is not meant to be read */
	uint8_t	  *out_valid; /* n bits, all set by the caller; cleared where an answer is NULL */
	bool	   has_nulls; /* in and out: set when one is */
	int64_t	   done;	  /* rows answered: n, or the number of the row with the error */
	ScanStatus status;	  /* SCAN_OK, or that row's error */
};

extern const ScanOp *scan_op_at(int line); /* a ScanOpId; NULL for SCAN_OP_none, and past the last */

/* A carry is op->acc_size bytes longer than its struct. */
extern size_t scan_carry_size(const ScanOp *op);
extern void	  scan_carry_start(const ScanOp *op, ScanCarry *carry);

/* Bytes of a value of the first column. */
static inline size_t
scan_in_size(const ScanOp *op, const void *param)
{
	return op->flags & SCAN_VECTOR ? *(const size_t *) param : op->in_size;
}

extern size_t scan_scratch_size(const ScanOp *op);
extern void	  scan_cpu_run(ScanJob *job);

/* tree.c */
extern void scan_hillis_steele(ScanJob *job);
extern void scan_blelloch(ScanJob *job);
extern void scan_blocked(ScanJob *job);

/* A job's rows [from, from + n), not begun; `from` is a multiple of 8, as bits are. */
static inline ScanJob
scan_job_piece(const ScanJob *job, int64_t from, int64_t n)
{
	ScanJob piece = *job;

	piece.n = n;
	piece.done = 0;
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

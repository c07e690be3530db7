/*
 * recurrence.cuh: y = a_1 y' + .. + a_k y'(k) + b, exact inside chunks of 4096 applied rows
 * (op/recurrence.h), for k up to 4.
 *
 * Inside a chunk the answers are roundings of real numbers, so a tree may find them, as long
 * as each one is proved; from chunk to chunk a double is carried that was shown, and that is
 * a chain.  So:
 *
 *   lay       rows without NULLs, one after the other; which of them begin a chunk
 *   totals    every chunk's map of the k values before it to its last k: a block each
 *   carry     along each segment, from chunk to chunk, by the maps; every end has to be proved
 *   answers   every chunk once more, from its start, by a scan of its threads' maps
 *   show      answers to the rows, NULLs and heads
 *
 * Here is what the steps know of each other.  rows.cuh has the first and the last, which go by
 * rows; of those between carry_chain.cuh has what does not depend on the rows, chunk.cuh the rest
 * for first order and vector.cuh for higher ones.
 *
 * Averages (scan_ema) are such recurrences too, with a coefficient that does not change and
 * so is not read; adjusted ones are two of them, and a division where the second is written.
 *
 * What is not proved, what is not finite and what leaves the doubles sets `lost`: the CPU does
 * the job, which has more precision tiers.  Chosen over tiers here: each is a chain of 4096
 * rows, on which a thread of the device takes fifty times as long as a core.
 *
 * Not here: filters (scan_filter), whose b is a dot product, and orders above 2, whose maps no
 * thread has registers for; averages by elapsed time, whose coefficients are the C library's
 * exp2(), of which a device has another.
 */
#ifndef SCAN_GPU_RECURRENCE_CUH
#define SCAN_GPU_RECURRENCE_CUH

#include "op/companion.h"
#include "recurrence.h"

#define ROW_THREADS 256 /* of a block that goes by rows */

/* Where a row's a and b come from. */
enum RowsKind
{
	ROWS_COLUMNS, /* a column each */
	ROWS_AVERAGE, /* a: keep; b: scale times a column's, the column's itself where a segment starts, from 0 */
	ROWS_WEIGHT,  /* the same of ones: what an average is divided by */
};

/* What begins a chunk. */
typedef struct Chunk
{
	int64_t first;	 /* among the rows laid down */
	bool	segment; /* a segment begins with it */
} Chunk;

/*
 * How much errors may have grown where all rows have the same coefficients (op/error_growth.h):
 * factors; infinite: nothing is known.
 */
typedef struct VectorGrowth
{
	uint32_t differ; /* 1: the coefficients do */
	double	 size;	 /* |a_1| + .. + |a_k| */
	double	 few;	 /* the growth in CHUNK_FEW rows, */
	double	 chunk;	 /* and in RECURRENCE_CHUNK */
} VectorGrowth;

typedef struct RecurrenceArgs
{
	const double  *in_a, *in_b; /* as they came; an average has no column of a */
	double		   keep, scale;
	const uint8_t *valid, *heads;
	double		  *out;
	uint32_t	  *out_valid;
	int64_t		   n;
	bool		   exclusive;
	int			   order;
	double		   init[SERIALIZED_ORDERS]; /* as all histories: newest first */

	/* the carry */
	bool				 any;
	double				 pending;
	SerializedRecurrence serialized;
	RecurrencePair		 pair[SERIALIZED_ORDERS]; /* that the first row continues from, where `any` */
	bool				 in_first_chunk;		  /* of its segment, where `any` */

	/* Counts up to each row, itself included; NULL where they are its place and no more. */
	const int64_t *rank;  /* of rows with values */
	const int64_t *since; /* the same since the head, from serialized.count on before the first head */
	bool		  *flag;  /* rows that begin a chunk */
	const int64_t *chunk; /* how many do; NULL: */
	int64_t		   even;  /* so many chunks of 4096 rows but for the ends */

	/* laid down; of a's there are `order` a row */
	const double *a, *b; /* in_a and in_b themselves where there are no NULLs */
	double		 *lay_a, *lay_b;
	double		 *y;
	int			  few; /* chunks of at most so many rows are a thread's */
	Chunk		 *chunks;

	/* of chunks that go on, by total_slot() */
	void   *totals; /* their maps, carry_chain.cuh's */
	double *ends;	/* of each the last answers, which the next begins with */

	VectorGrowth *growth; /* of order 2 and up */

	RecurrenceAnswer *answer;
} RecurrenceArgs;

__device__ inline bool
row_is_valid(const RecurrenceArgs &a, int64_t i)
{
	return a.valid == NULL || (a.valid[i / 8] >> i % 8 & 1) != 0;
}

__device__ inline bool
row_is_head(const RecurrenceArgs &a, int64_t i)
{
	return a.heads != NULL && (a.heads[i / 8] >> i % 8 & 1) != 0;
}

__device__ inline int64_t
rank_at(const RecurrenceArgs &a, int64_t i)
{
	return a.rank == NULL ? i + 1 : a.rank[i];
}

__device__ inline int64_t
since_at(const RecurrenceArgs &a, int64_t i)
{
	return a.since == NULL ? rank_at(a, i) + (a.any ? a.serialized.count : 0) : a.since[i];
}

__device__ inline int64_t
thread_row()
{
	return (int64_t) blockIdx.x * ROW_THREADS + threadIdx.x;
}

static inline unsigned
blocks_of(int64_t n)
{
	return (unsigned) ((n + ROW_THREADS - 1) / ROW_THREADS);
}

/* ---- chunks ---- */

__device__ inline int64_t
rows_laid(const RecurrenceArgs &a)
{
	return rank_at(a, a.n - 1);
}

__device__ inline int64_t
chunks_laid(const RecurrenceArgs &a)
{
	return a.chunk == NULL ? a.even : a.chunk[a.n - 1];
}

__device__ inline int64_t
chunk_end(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk + 1 < chunks_laid(a) ? a.chunks[chunk + 1].first : rows_laid(a);
}

__device__ inline int
chunk_rows(const RecurrenceArgs &a, int64_t chunk)
{
	return (int) (chunk_end(a, chunk) - a.chunks[chunk].first);
}

/* Whether the next chunk goes on where this one ends. */
__device__ inline bool
chunk_goes_on(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk + 1 < chunks_laid(a) && !a.chunks[chunk + 1].segment;
}

/* ---- between the files: the kernels of an order, and who starts them ---- */

typedef void (*RecurrenceKernel)(const RecurrenceArgs a);

typedef struct RecurrenceKernels
{
	RecurrenceKernel totals;
	RecurrenceKernel carry_one; /* in a column without heads, */
	RecurrenceKernel carry;		/* and with */
	RecurrenceKernel answers;
	RecurrenceKernel answers_few;
} RecurrenceKernels;

/* The answers of laid down rows, in a.y: by these kernels, */
extern void recurrence_answer(const RecurrenceArgs &a, const RecurrenceKernels &kernels, cudaStream_t stream);
/* and by those of order 2 and up. */
extern void vector_answer(const RecurrenceArgs &a, cudaStream_t stream);

#endif /* SCAN_GPU_RECURRENCE_CUH */

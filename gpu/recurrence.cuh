/*
 * recurrence.cuh: y = a_1 y' + .. + a_k y'(k) + b, exact inside chunks of 4096 applied rows (op/recurrence.h), for k up
 * to 2.
 *
 * recurrence.cu starts the kernels.  Inside a chunk the answers are roundings of real numbers, so any tree of joins may
 * find them, if each answer is proved.  From chunk to chunk the rounded answers are carried, and that is a chain.  So
 * there are five steps:
 *
 *   lay       copies the valid rows one after the other, and finds the rows that begin a chunk
 *   totals    finds every chunk's map from the k values before it to its last k; one block per chunk
 *   carry     applies the maps from chunk to chunk along each segment; every chunk's end must be proved
 *   answers   computes the rows of every chunk again, from its start, by a scan of its threads' maps
 *   show      writes the answers to their rows, with NULLs and heads
 *
 * This file has what the steps share.  rows.cuh has the first and the last step, which take one thread per row.  For
 * the steps between, carry_chain.cuh has what does not depend on the rows, chunk.cuh the rest for first order and
 * vector.cuh the rest for order 2.
 *
 * Averages (scan_ema) are recurrences, too, whose coefficient is constant and so is not read.  An adjusted average is
 * two recurrences, and a division when the second one is written.
 *
 * If an answer is not proved or not finite, or leaves the range of doubles, `lost` is set and the CPU runs the job,
 * because it has more precision tiers.  Tiers on the device were rejected: each is a chain of 4096 rows, for which a
 * thread of the device takes fifty times as long as a CPU core.
 *
 * Not supported: filters (scan_filter), whose b is a dot product; orders above 2, because a thread has not enough
 * registers for their maps; and averages by elapsed time, whose coefficients come from the C library's exp2(), which
 * differs from the device's.
 */
#ifndef SCAN_GPU_RECURRENCE_CUH
#define SCAN_GPU_RECURRENCE_CUH

#include "op/companion.h"
#include "recurrence.h"

#define ROW_THREADS 256 /* threads of a block, in kernels with one thread per row or per chunk */

/* Where a row's a and b come from. */
enum RowsKind
{
	ROWS_COLUMNS, /* a and b are columns */
	ROWS_AVERAGE, /* a is `keep`; b is `scale` times a column, or at a segment's first row the column itself */
	ROWS_WEIGHT,  /* the weights by which an adjusted average is divided: a is `keep`, b is 1 */
};

typedef struct Chunk
{
	int64_t first;	 /* position of the chunk's first row among the valid rows */
	bool	segment; /* true if the chunk is the first of a segment */
} Chunk;

/*
 * The error growth if all rows have the coefficients `a` (op/error_growth.h).  A growth is a factor; it is infinite if
 * it is unknown.
 */
typedef struct VectorGrowth
{
	double a[SERIALIZED_ORDERS];
	double size;  /* |a_1| + .. + |a_k| */
	double few;	  /* growth in CHUNK_FEW rows */
	double chunk; /* growth in RECURRENCE_CHUNK rows */
} VectorGrowth;

typedef struct RecurrenceArgs
{
	const double  *in_a, *in_b; /* the input columns; in_a is NULL for an average */
	double		   keep, scale; /* see RowsKind */
	const uint8_t *valid, *heads;
	double		  *out;
	uint32_t	  *out_valid;
	int64_t		   n;
	bool		   exclusive;
	int			   order;
	double		   init[SERIALIZED_ORDERS]; /* initial values, newest first as in all histories */

	/* the carry before the first row */
	bool				 any;
	double				 pending;
	SerializedRecurrence serialized;
	RecurrencePair		 pair[SERIALIZED_ORDERS]; /* state from which the first row continues, if `any` */
	bool				 in_first_chunk;		  /* if `any`: `pair` is in the first chunk of its segment */

	/* Counts up to each row, the row included.  rank and since are NULL if the row's position gives them. */
	const int64_t *rank;  /* valid rows */
	const int64_t *since; /* valid rows since the head; before the first head counted from serialized.count */
	bool		  *flag;  /* true for rows that begin a chunk */
	const int64_t *chunk; /* rows that begin a chunk; NULL if the column is one segment without NULLs */
	int64_t		   even;  /* number of chunks if `chunk` is NULL: all have 4096 rows but the first and the last */

	/* the valid rows, one after the other, with `order` values of a per row */
	const double *a, *b;		 /* in_a and in_b if there are no NULLs, otherwise lay_a and lay_b */
	double		 *lay_a, *lay_b; /* memory for the copies; NULL if there are no NULLs */
	double		 *y;			 /* answers */
	int			  few;			 /* rows, at most, of a chunk that one thread takes */
	Chunk		 *chunks;

	/* of chunks that the next one continues from; indexed by total_slot() */
	void   *totals; /* their maps: Map of carry_chain.cuh */
	double *ends;	/* the last `order` answers of each chunk, from which the next chunk starts */

	/* for order 2 only */
	VectorGrowth growth;
	uint32_t	*differ; /* not 0 if some row has other coefficients than growth.a; NULL if `growth` is not known */

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

/* True if the next chunk continues from this one. */
__device__ inline bool
chunk_goes_on(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk + 1 < chunks_laid(a) && !a.chunks[chunk + 1].segment;
}

/* ---- between the files: the kernels of an order, and the functions that start them ---- */

typedef void (*RecurrenceKernel)(const RecurrenceArgs a);

typedef struct RecurrenceKernels
{
	RecurrenceKernel totals;
	RecurrenceKernel carry_one; /* for columns without heads */
	RecurrenceKernel carry;		/* for columns with heads */
	RecurrenceKernel answers;
	RecurrenceKernel answers_few;
} RecurrenceKernels;

/* Start the steps "totals", "carry" and "answers", which write a.y; vector_answer() is for order 2. */
extern void recurrence_answer(const RecurrenceArgs &a, const RecurrenceKernels &kernels, cudaStream_t stream);
extern void vector_answer(RecurrenceArgs a, const LineScan *scan, cudaStream_t stream);

#endif /* SCAN_GPU_RECURRENCE_CUH */

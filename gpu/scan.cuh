/*
 * scan.cuh: the kernel of every line of list.h that has a monoid: one pass over a column.
 *
 * lines.cu starts it, with columns in device memory.  A block takes a tile of 4096 rows, or of 2048 if they are large:
 * sixteen or eight per thread (tile.h).  Each thread goes over its rows twice while they are in registers: first for
 * their total, then, with the total of all rows before them, for the answers.  So every row is read once and every
 * answer is written once.
 *
 * Warps scan the totals inside a block; decoupled look-back (look_back.cuh) joins those of blocks. cub::DeviceScan uses
 * the same algorithm.  It was rejected because it would write items, not answers: NULL bits, segment heads, the row of
 * the first error and the carry would take two more passes over memory.
 *
 * Which totals a tile finds when it looks back changes from run to run, and so does the order of the joins.  The
 * monoids are associative in value, so the answers do not change.
 *
 * An exclusive answer is the inclusive answer of the row before, as in src/cpu/internal.h: the thread of row i writes
 * the answer of row i + 1.
 */
#ifndef SCAN_GPU_SCAN_CUH
#define SCAN_GPU_SCAN_CUH

#include "look_back.cuh"
#include "tile.h"

#define SCAN_WARPS (SCAN_THREADS / WARP)
#define SCAN_PARAM_ROOM 64

#define NO_ERROR_ROW UINT64_MAX

/* What the kernel returns beside the column and the carry; zero before it runs. */
typedef struct ScanResult
{
	unsigned long long no_error; /* the complement of: first row with an error << 8 | its ScanStatus, or NO_ERROR_ROW */
	uint32_t		   has_nulls; /* 1 if some answer is NULL */
	uint32_t		   lost;	  /* 1 if the device could not represent a total: no answer is proved */
} ScanResult;

/* The carry after the last row. */
template <typename D> struct CarryOut
{
	typename D::Out pending;
	typename D::Acc acc;
	int32_t			pending_status;
	bool			any;
};

template <typename D> struct ScanArgs
{
	const typename D::In *in;
	const uint8_t		 *valid; /* NULL: no NULLs */
	const uint8_t		 *heads; /* NULL: no heads */
	typename D::Out		 *out;
	uint32_t			 *out_valid; /* all bits are set before the kernel runs */
	int64_t				  n;
	bool				  exclusive;
	bool				  has_param;

	/* the carry before the first row */
	int64_t			row;
	typename D::Acc acc;
	typename D::Out pending;
	int32_t			pending_status;
	bool			any;

	/* shared by the tiles */
	uint32_t *ticket; /* number of the next tile; 0 before the kernel runs */
	void	 *slots;  /* where tiles publish their totals and prefixes; the zeroed part */
	void	 *room;	  /* the other part */

	ScanResult	*result;
	CarryOut<D> *carry;
	alignas(16) unsigned char param[SCAN_PARAM_ROOM];
};

/* ---- a tile ---- */

/*
 * Blocks per multiprocessor if accumulators are large: one for clamped sums of pairs, which would spill at two, and for
 * sums of intervals, which would spill 32 bytes on sm_90.  Without bits the latter need so few registers that two run.
 */
template <typename D> struct LargeBlocks
{
	enum
	{
		AT_ONCE = LARGE_BLOCKS_AT_ONCE
	};
};
template <> struct LargeBlocks<pair_clamped_sum_float8_binding>
{
	enum
	{
		AT_ONCE = 1
	};
};

template <> struct LargeBlocks<sum_interval_binding>
{
	enum
	{
		AT_ONCE = 1
	};
};

/*
 * Sizes of a tile: ITEMS rows per thread, ROWS per block, SLOTS values in shared memory.  IN_PLACE: an answer is as
 * large as its value and overwrites it.  AT_ONCE: blocks per multiprocessor.
 */
template <typename D> struct Tile
{
	enum
	{
		ITEMS = SCAN_ITEMS(sizeof(typename D::In), sizeof(typename D::Out), sizeof(typename D::Acc)),
		ROWS = SCAN_THREADS * ITEMS,
		IN_PLACE = sizeof(typename D::In) == sizeof(typename D::Out),
		AT_ONCE = sizeof(typename D::Acc) > 16 ? LargeBlocks<D>::AT_ONCE : sizeof(typename D::Out) <= 8 ? 3 : 2,
		SLOTS = ROWS + SCAN_THREADS
	};

	/* One slot is left free after each thread's rows, so that a warp's accesses are spread over all banks. */
	static __device__ inline int
	slot(int row)
	{
		return row + row / ITEMS;
	}
};

/*
 * FULL, here and below, says that the column has all rows of the tile; only a column's last tile can have fewer.
 * Without it, each load of a thread would be predicated by a comparison of its own, and the loads would wait for each
 * other.
 *
 * Unroll: how often the loops over a thread's rows are unrolled.  Unrolled, large accumulators would spill; and the
 * code of the last tile need not be fast.  However, values in registers need unrolled loops.
 */
template <typename D, bool FULL> struct Unroll
{
	enum
	{
		N = Tile<D>::IN_PLACE && (!FULL || sizeof(typename D::Acc) > 16) ? 1 : Tile<D>::ITEMS
	};
};

template <typename D, bool BITS> struct ScanShared
{
	typedef typename ItemsOf<D, BITS>::type::T T;
	union Stage
	{
		typename D::In	in[Tile<D>::SLOTS];
		typename D::Out out[Tile<D>::SLOTS];
	} stage;
	T		 warp_total[SCAN_WARPS];
	T		 warp_start[SCAN_WARPS]; /* the prefix before a warp's first row */
	uint32_t tile;
};

/* A thread's running total. */
template <typename D> struct Running
{
	typename D::Acc acc;
	bool			any;
	bool			head; /* true if a segment has started in these rows */
};

/*
 * The thread's rows and their bits.  If IN_PLACE, the values stay in shared memory until their answers overwrite them,
 * because registers are scarce.
 */
template <typename D> struct Rows
{
	typename D::In x[Tile<D>::IN_PLACE ? 1 : Tile<D>::ITEMS];
	int64_t		   from;  /* position of the thread's first row in the column */
	int			   count; /* ITEMS, or fewer at the column's end, or 0 past it */
	uint32_t	   valid; /* bit r: row r has a value */
	uint32_t	   heads; /* bit r: row r starts a segment; bit ITEMS is that of the next thread's first row */
};

/* Returns the slot of the thread's row r in shared memory. */
template <typename D>
__device__ inline int
row_slot(int r)
{
	return Tile<D>::slot((int) threadIdx.x * Tile<D>::ITEMS + r);
}

/* Adds a value to a running total.  NULL: an SQL NULL, of a line where that is a value. */
template <typename D>
__device__ inline void
take_value(const void *param, Running<D> *running, const typename D::In *x, int64_t row)
{
	if (running->any)
		D::accumulate(param, &running->acc, x, row);
	else
		D::lift(param, x, row, &running->acc);
}

/* Adds row r of the thread to its running total; `row` is its position counted over all jobs of the column. */
template <typename D, bool BITS>
__device__ inline void
take_row(const void *param, const ScanShared<D, BITS> &s, Running<D> *running, const Rows<D> &rows, int r, int64_t row)
{
	bool		   valid = !BITS || (rows.valid >> r & 1) != 0;
	typename D::In x = Tile<D>::IN_PLACE ? s.stage.in[row_slot<D>(r)] : rows.x[Tile<D>::IN_PLACE ? 0 : r];

	if (BITS && (rows.heads >> r & 1) != 0)
	{
		running->any = false;
		running->head = true;
	}
	if (!valid && (D::flags & (SCAN_NULL_IS_ZERO | SCAN_NULL_IS_VALUE)) == 0)
		return;
	if (!valid)
		memset(&x, 0, sizeof(x));
	/* two calls, because a pointer that is one or the other would need a value in memory */
	if ((D::flags & SCAN_NULL_IS_VALUE) != 0 && !valid)
		take_value<D>(param, running, NULL, row);
	else
		take_value<D>(param, running, &x, row);
	running->any = true;
}

/* Returns BYTES bytes of bits from row `from` on; bits past the column's end are 0.  FULL: none is past it. */
template <int BYTES, bool FULL>
__device__ inline uint32_t
bits_at(const uint8_t *bits, int64_t from, int64_t n)
{
	uint32_t word = 0;

#pragma unroll
	for (int k = 0; k < BYTES; k++)
		if (FULL || from + 8 * k < n)
			word |= (uint32_t) bits[from / 8 + k] << 8 * k;
	return word;
}

template <typename D, bool BITS, bool FULL>
__device__ inline void
read_rows(const ScanArgs<D> &a, ScanShared<D, BITS> &s, int64_t base, Rows<D> *rows)
{
	constexpr int ITEMS = Tile<D>::ITEMS;
	int			  t = (int) threadIdx.x;

#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		int e = k * SCAN_THREADS + t;

		if (FULL || base + e < a.n)
			s.stage.in[Tile<D>::slot(e)] = a.in[base + e];
	}
	rows->from = base + t * ITEMS;
	rows->count = FULL || a.n - rows->from >= ITEMS ? ITEMS : rows->from >= a.n ? 0 : (int) (a.n - rows->from);
	rows->valid = UINT32_MAX;
	rows->heads = 0;
	if (BITS && a.valid != NULL)
		rows->valid = bits_at<ITEMS / 8, FULL>(a.valid, rows->from, a.n);
	if (BITS && a.heads != NULL)
	{
		rows->heads = bits_at<ITEMS / 8, FULL>(a.heads, rows->from, a.n);
		rows->heads |= bits_at<1, false>(a.heads, rows->from + ITEMS, a.n) << ITEMS;
	}
	__syncthreads();
	if (Tile<D>::IN_PLACE)
		return;
	memset(rows->x, 0, sizeof(rows->x));
#pragma unroll
	for (int r = 0; r < ITEMS; r++)
		if (FULL || r < rows->count)
			rows->x[Tile<D>::IN_PLACE ? 0 : r] = s.stage.in[row_slot<D>(r)];
}

template <typename D, bool BITS, bool FULL>
__device__ inline typename ItemsOf<D, BITS>::type::T
total_of_rows(const void *param, const ScanArgs<D> &a, const ScanShared<D, BITS> &s, const Rows<D> &rows)
{
	Running<D> running;

	memset(&running, 0, sizeof(running));
#pragma unroll Unroll < D, FULL> ::N
	for (int r = 0; r < Tile<D>::ITEMS; r++)
		if (FULL || r < rows.count)
			take_row<D, BITS>(param, s, &running, rows, r, a.row + rows.from + r);
	return ItemsOf<D, BITS>::type::make(running.acc, running.any, running.head);
}

/*
 * Returns the prefix before the thread's first row, from the totals of all threads and of the tiles before.
 * *any := true if the prefix contains a value.
 */
template <typename D, bool BITS>
__device__ inline typename ItemsOf<D, BITS>::type::T
prefix_of_thread(const ScanArgs<D> &a, ScanShared<D, BITS> &s, const typename ItemsOf<D, BITS>::type::T &total,
				 bool *any)
{
	typedef typename ItemsOf<D, BITS>::type Items;
	typedef typename Items::T				T;

	int	 lane = (int) threadIdx.x % WARP;
	int	 warp = (int) threadIdx.x / WARP;
	bool tile_has_prefix = s.tile > 0 || a.any;
	T	 inclusive = warp_inclusive<Items>(total, lane, WARP);
	T	 below = warp_below(inclusive, 1);

	if (lane == WARP - 1)
		s.warp_total[warp] = inclusive;
	__syncthreads();
	if (warp == 0)
	{
		typename SlotsOf<Items>::type slots(a.slots, a.room, gridDim.x);
		T warps = warp_inclusive<Items>(s.warp_total[lane % SCAN_WARPS], lane % SCAN_WARPS, SCAN_WARPS);
		T tile_total = warp_value(warps, SCAN_WARPS - 1);
		T warps_below = warp_below(warps, 1);
		T start = Items::make(a.acc, a.any, false);

		if (s.tile > 0)
		{
			if (lane == 0)
				slots.leave(s.tile, TILE_TOTAL, tile_total);
			start = look_back<Items>(slots, s.tile, lane);
		}
		if (lane == 0)
			slots.leave(s.tile, TILE_PREFIX, tile_has_prefix ? joined<Items>(start, tile_total) : tile_total);
		if (lane > 0)
			start = tile_has_prefix ? joined<Items>(start, warps_below) : warps_below;
		if (lane < SCAN_WARPS)
			s.warp_start[lane] = start;
	}
	__syncthreads();
	*any = tile_has_prefix || threadIdx.x > 0;
	if (lane == 0)
		below = s.warp_start[warp];
	else if (tile_has_prefix || warp > 0)
		below = joined<Items>(s.warp_start[warp], below);
	*any = *any && Items::any(below);
	return below;
}

/* Errors and NULLs among the answers of a thread's rows. */
typedef struct Shown
{
	uint64_t error; /* the complement of ScanResult.no_error */
	uint32_t nulls; /* bit i: the answer of row `from` + i is NULL; an exclusive scan also uses bit ITEMS */
	bool	 lost;	/* as ScanResult.lost */
} Shown;

/* Notes the status of the answer of row `from` + r. */
__device__ inline void
note_status(Shown *shown, ScanStatus status, int64_t from, int r)
{
	uint64_t error = (uint64_t) (from + r) << 8 | (uint64_t) status;

	if (status == SCAN_NULL)
		shown->nulls |= 1u << r;
	else if (SCAN_IS_ERROR(status) && error < shown->error)
		shown->error = error;
}

/* *y := the answer after row r, for row r or, if exclusive, r + 1.  Returns the answer's status. */
template <typename D, bool BITS, bool FULL>
__device__ inline ScanStatus
show_row(const void *param, const ScanArgs<D> &a, const Rows<D> &rows, int r, const Running<D> &running,
		 const typename D::Acc &before, Shown *shown, typename D::Out *y)
{
	int64_t	   i = rows.from + r;
	ScanStatus status;

	status = running.any ? D::lower(param, &before, &running.acc, a.row + i, y) : D::identity(y);
	if (status == SCAN_NEEDS_ROOM) /* the binding could not represent the total (pair.cuh) */
		shown->lost = true;
	if (!a.exclusive)
		note_status(shown, running.any ? status : SCAN_NULL, rows.from, r);
	else if ((FULL && r + 1 < Tile<D>::ITEMS) || i + 1 < a.n)
	{
		if (BITS && (rows.heads >> (r + 1) & 1) != 0)
			status = D::identity(y);
		note_status(shown, status, rows.from, r + 1);
	}
	return status;
}

/* Writes the carry after the column's last row, from the thread that has this row. */
template <typename D>
__device__ inline void
leave_carry(const ScanArgs<D> &a, const Running<D> &running, const typename D::Out &y, ScanStatus status)
{
	a.carry->pending = y;
	a.carry->pending_status = status;
	a.carry->any = running.any;
	a.carry->acc = running.acc;
}

template <typename D, bool BITS, bool FULL>
__device__ inline void
show_rows(const void *param, const ScanArgs<D> &a, ScanShared<D, BITS> &s, const Rows<D> &rows, Running<D> running,
		  Shown *shown)
{
	typename D::Acc zero;
	typename D::Out y;
	ScanStatus		status = SCAN_OK;

	/* for a row without a value, `before` is the total after the row, so that it cannot have an error of its own */
	memset(&zero, 0, sizeof(zero));
	memset(&y, 0, sizeof(y));
#pragma unroll Unroll < D, FULL> ::N
	for (int r = 0; r < Tile<D>::ITEMS; r++)
		if (FULL || r < rows.count)
		{
			bool			head = BITS && (rows.heads >> r & 1) != 0;
			typename D::Acc before = running.any && !head ? running.acc : zero;

			memset(&y, 0, sizeof(y));
			take_row<D, BITS>(param, s, &running, rows, r, a.row + rows.from + r);
			status = show_row<D, BITS, FULL>(param, a, rows, r, running, before, shown, &y);
			s.stage.out[row_slot<D>(r)] = y;
		}
	/* y and `status` are those of the thread's last row; an exclusive scan has replaced neither if it is the column's
	 */
	if (rows.count > 0 && rows.from + rows.count == a.n)
		leave_carry(a, running, y, status);
}

/* Writes the first answer of an exclusive scan, which comes from the carry. */
template <typename D, bool BITS>
__device__ inline void
show_first(const ScanArgs<D> &a, const Rows<D> &rows, Shown *shown)
{
	typename D::Out y = a.pending;
	ScanStatus		status = (ScanStatus) a.pending_status;

	if (BITS && (rows.heads & 1) != 0)
		status = D::identity(&y);
	a.out[0] = y;
	note_status(shown, status, 0, 0);
}

/* Merges a thread's errors and NULLs into the results of the column. */
template <typename D>
__device__ inline void
report(const ScanArgs<D> &a, int64_t from, const Shown &shown)
{
	if (shown.error != NO_ERROR_ROW)
		atomicMax(&a.result->no_error, (unsigned long long) ~shown.error);
	if (shown.lost)
		a.result->lost = 1;
	if (shown.nulls != 0)
	{
		uint64_t bits = (uint64_t) shown.nulls << from % 32;

		a.result->has_nulls = 1;
		atomicAnd(&a.out_valid[from / 32], ~(uint32_t) bits);
		if (bits >> 32 != 0)
			atomicAnd(&a.out_valid[from / 32 + 1], ~(uint32_t) (bits >> 32));
	}
}

/* Reads the rows of the tile, and returns the total of the thread's. */
template <typename D, bool BITS, bool FULL>
__device__ inline typename ItemsOf<D, BITS>::type::T
take_tile(const void *param, const ScanArgs<D> &a, ScanShared<D, BITS> &s, int64_t base, Rows<D> *rows)
{
	read_rows<D, BITS, FULL>(a, s, base, rows);
	return total_of_rows<D, BITS, FULL>(param, a, s, *rows);
}

/* Writes the answers of the tile. */
template <typename D, bool BITS, bool FULL>
__device__ inline void
show_tile(const void *param, const ScanArgs<D> &a, ScanShared<D, BITS> &s, int64_t base, const Rows<D> &rows,
		  const Running<D> &running)
{
	Shown shown = {NO_ERROR_ROW, 0, false};

	if (a.exclusive && rows.from == 0 && rows.count > 0)
		show_first<D, BITS>(a, rows, &shown);
	show_rows<D, BITS, FULL>(param, a, s, rows, running, &shown);
	report(a, rows.from, shown);
	__syncthreads();
#pragma unroll
	for (int k = 0; k < Tile<D>::ITEMS; k++)
	{
		int		e = k * SCAN_THREADS + (int) threadIdx.x;
		int64_t i = base + e + (a.exclusive ? 1 : 0);

		/* the last answer of a full tile may be that of the column's next job */
		if ((FULL && k + 1 < Tile<D>::ITEMS) || i < a.n)
			a.out[i] = s.stage.out[Tile<D>::slot(e)];
	}
}

template <typename D, bool BITS>
__global__ void
__launch_bounds__(SCAN_THREADS, Tile<D>::AT_ONCE) scan_tiles(const __grid_constant__ ScanArgs<D> a)
{
	typedef ScanShared<D, BITS>				   Room;
	typedef typename ItemsOf<D, BITS>::type::T Item;
	SHARED(Room, s);
	const void *param = a.has_param ? (const void *) a.param : NULL;
	int64_t		base;
	bool		full;
	Rows<D>		rows;
	Running<D>	running;
	Item		total, prefix;

	/* blocks take tiles in the order in which they start, so that none waits for a block that has not started */
	if (threadIdx.x == 0)
		s.tile = atomicAdd(a.ticket, 1u);
	__syncthreads();
	base = (int64_t) s.tile * Tile<D>::ROWS;
#if defined(SCAN_NO_FULL_TILES)
	full = false; /* bench_checked measures what full tiles gain */
#else
	full = base + Tile<D>::ROWS <= a.n;
#endif
	if (full)
		total = take_tile<D, BITS, true>(param, a, s, base, &rows);
	else
		total = take_tile<D, BITS, false>(param, a, s, base, &rows);
	prefix = prefix_of_thread<D, BITS>(a, s, total, &running.any);
	running.acc = prefix.acc;
	running.head = false;
	if (full)
		show_tile<D, BITS, true>(param, a, s, base, rows, running);
	else
		show_tile<D, BITS, false>(param, a, s, base, rows, running);
}

#endif /* SCAN_GPU_SCAN_CUH */

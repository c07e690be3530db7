/*
 * sliding_scans.c: see sliding_scans.h.
 *
 * Values that can be added up need one scan: a frame's sum is the difference of two sums up to a row.  Values that can
 * only be joined need two scans, by van Herk (1992) and Gil and Werman (1993).  A block is cut into tiles as long as
 * its longest frame; one scan runs forward from each tile's first row, and the other runs backward from its last row.
 * A frame that reaches into two tiles is the join of one result of each scan.  A frame that begins or ends with a tile
 * is one result.
 *
 * Where the sort runs scans over all rows, and every frame has the same number of rows, both scans run with the sort.
 * Frames of ROWS between two offsets are such, even if their partition's ends cut them.  All other frames are left to
 * the caller.  So are floats: of values that are equal and differ in their bits, a backward scan would keep the oldest.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "run/block_job.h"
#include "run/run.h"
#include "run/sliding_scans.h"

/* What a row costs on the CPU beyond storing a result, in ns: adding its value up, or joining it in a tree. */
#define ADD_NS 1.0
#define JOIN_NS 8.0

struct SlidingScans
{
	MemoryContext memory; /* memory context of a block's jobs; reset before the next block */
	const ScanOp *op;
	int			  values; /* the column of the values */
	int			  filter; /* the column of the FILTER, or -1 */
	int64		 *preferred_rows;
	int64		  from;		/* row of the block that is the jobs' row 0 */
	const uint8	 *tiles;	/* bitmap of the jobs' rows: set for a tile's first row */
	ScanJob		  on, back; /* the forward scan, and the backward scan, whose rows are in reverse order */
	bool		  joins;	/* both scans have results for the block's frames */
	bool		  sorted;	/* the scans ran with the sort, over all rows; back's results lie in window order */
	int64		  tile;		/* first row of the tile that contains row `looked` - 1 */
	int64		  before;	/* first row of the tile before row `tile` */
	int64		  looked;	/* row after the last row whose tile is known */
};

SlidingScans *
sliding_scans_create(const ScanOp *op, int values, int filter, int64 *preferred_rows, MemoryContext query)
{
	SlidingScans *scans = (SlidingScans *) MemoryContextAllocZero(query, sizeof(SlidingScans));

	scans->memory = AllocSetContextCreate(query, "scan job", ALLOCSET_DEFAULT_SIZES);
	scans->op = op;
	scans->values = values;
	scans->filter = filter;
	scans->preferred_rows = preferred_rows;
	return scans;
}

/* ---- with the sort of all rows ---- */

/* Describes a scan at its beginning. */
static void
offer_scan(SlidingScans *scans, double cpu_ns, FusedScan *scan)
{
	*scan = (FusedScan){.in = scans->values, .in2 = -1, .filter = scans->filter, .present = -1, .cpu_ns = cpu_ns};
	scan->job = (ScanJob){.op = scans->op};
	scan->job.carry = (ScanCarry *) MemoryContextAlloc(scans->memory, scan_carry_size(scans->op));
	scan_carry_start(scans->op, scan->job.carry);
}

void
sliding_offer_sums(SlidingScans *scans, FusedScan *scan)
{
	MemoryContextReset(scans->memory);
	offer_scan(scans, ADD_NS, scan);
}

void
sliding_offer_tiles(SlidingScans *scans, int64 tile, FusedScan *scan)
{
	MemoryContextReset(scans->memory);
	for (int s = 0; s < 2; s++)
	{
		offer_scan(scans, JOIN_NS / 2, &scan[s]);
		scan[s].tile = tile;
		scan[s].back = s == 1;
	}
}

/* ---- sums up to each row ---- */

/* Begins a block.  Returns false if the caller's loop, which takes cpu_ns for a row, is faster. */
static bool
begin_block(SlidingScans *scans, int64 from, int64 n, double cpu_ns)
{
	if (*scans->preferred_rows == 0)
		*scans->preferred_rows = job_block_rows(scans->op, NULL, cpu_ns);
	MemoryContextReset(scans->memory);
	scans->from = from;
	return n >= JOB_LEAST && scan_run_is_faster(scans->op, n, cpu_ns);
}

const ScanJob *
sliding_sums(SlidingScans *scans, const Block *block, int64 rows)
{
	MemoryContext old;

	if (!begin_block(scans, 0, rows, ADD_NS))
		return NULL;
	old = MemoryContextSwitchTo(scans->memory);
	scans->on = (ScanJob){.op = scans->op, .n = rows};
	scans->on.in = job_values(block, scans->values, scans->op, 0, rows);
	scans->on.valid = job_rows(block, scans->values, scans->filter, 0, rows);
	job_run(&scans->on);
	MemoryContextSwitchTo(old);
	return scans->on.status == SCAN_OK ? &scans->on : NULL;
}

/* ---- two scans ---- */

/* Returns a bitmap with the first row of each tile of `width` rows.  A partition begins a tile, too. */
static uint8 *
cut_into_tiles(const Block *block, int64 from, int64 n, int64 width)
{
	uint8 *tiles = (uint8 *) palloc0(n / 8 + 1);
	int64  in_tile = width;

	FOR_INTERRUPTIBLE (r, 0, n)
	{
		if (in_tile == width || block->head[from + r])
		{
			scan_bit_put(tiles, r, true);
			in_tile = 0;
		}
		in_tile++;
	}
	return tiles;
}

/* Moves to a frame that ends before row `end`, and finds the tile of the frame's last row. */
static void
move_to_frame_end(SlidingScans *scans, int64 end)
{
	for (; scans->looked < end; scans->looked++)
		if (scan_bit(scans->tiles, scans->looked))
		{
			scans->before = scans->tile;
			scans->tile = scans->looked;
		}
}

/* True if every frame of the block is the join of at most two results. */
static bool
frames_fit(SlidingScans *scans, const Block *block, int64 n)
{
	scans->tile = scans->looked = 0;
	FOR_INTERRUPTIBLE (i, block->begin, block->n)
	{
		const RowFrame *frame = &block->frame[i];
		int64			head = frame->head - scans->from;
		int64			tail = frame->tail - scans->from;

		if (frame->hole < frame->hole_end)
			return false;
		if (head >= tail)
			continue;
		move_to_frame_end(scans, tail);
		if (head > scans->tile && tail < n && !scan_bit(scans->tiles, tail))
			return false;
	}
	scans->tile = scans->looked = 0;
	return true;
}

/* Makes the job of the backward scan: the rows of the forward scan in reverse order. */
static void
turn_round(const SlidingScans *scans, ScanJob *back)
{
	const ScanJob *on = &scans->on;
	int64		   n = on->n;
	size_t		   size = scans->op->in_size;
	char		  *values = (char *) job_room(n * size);
	uint8		  *valid = on->valid == NULL ? NULL : job_bits(n);
	uint8		  *tiles = (uint8 *) palloc0(n / 8 + 1);

	*back = (ScanJob){.op = scans->op, .n = n, .in = values, .valid = valid, .heads = tiles};
	FOR_INTERRUPTIBLE (r, 0, n)
	{
		int64 turned = n - 1 - r;

		memcpy(values + turned * size, (const char *) on->in + r * size, size);
		if (valid != NULL)
			scan_bit_put(valid, turned, scan_bit(on->valid, r));
		if (r == n - 1 || scan_bit(scans->tiles, r + 1))
			scan_bit_put(tiles, turned, true);
	}
}

/* Uses the scans that ran with the sort; their rows are the rows of the input. */
static void
go_by_sorted(SlidingScans *scans, const FusedScan *sorted, const Block *block, int64 from, int64 end)
{
	uint8 *tiles = sorted->tiles;

	scans->joins = scans->sorted = true;
	scans->from = -block->first;
	scans->on = sorted[0].job;
	scans->back = sorted[1].job;
	/* the scans also begin a tile with each partition, and the block knows where partitions begin */
	FOR_INTERRUPTIBLE (r, from, end)
		if (block->head[r])
			scan_bit_put(tiles, block->first + r, true);
	scans->tiles = tiles;
	scans->looked = scans->tile = block->first + from;
	while (scans->tile > 0 && !scan_bit(tiles, scans->tile))
		scans->tile--;
	scans->before = scans->tile;
}

bool
sliding_scan_twice(SlidingScans *scans, const FusedScan *sorted, const Block *block, int64 from, int64 end,
				   int64 widest)
{
	int64		  n = end - from;
	MemoryContext old;

	if (sorted != NULL)
	{
		go_by_sorted(scans, sorted, block, from, end);
		return true;
	}
	scans->joins = scans->sorted = false;
	if (!begin_block(scans, from, n, JOIN_NS))
		return false;
	old = MemoryContextSwitchTo(scans->memory);
	scans->tiles = cut_into_tiles(block, from, n, widest);
	if (frames_fit(scans, block, n))
	{
		scans->on = (ScanJob){.op = scans->op, .n = n, .heads = scans->tiles};
		scans->on.in = job_values(block, scans->values, scans->op, from, n);
		scans->on.valid = job_rows(block, scans->values, scans->filter, from, n);
		turn_round(scans, &scans->back);
		job_run(&scans->on);
		job_run(&scans->back);
		scans->joins = scans->on.status == SCAN_OK && scans->back.status == SCAN_OK;
	}
	MemoryContextSwitchTo(old);
	return scans->joins;
}

bool
sliding_is_scanned(const SlidingScans *scans)
{
	return scans->joins;
}

/* Appends a row's result to the n results of a frame, unless it is NULL; returns the number of results. */
static int
append_tile_result(const ScanJob *job, int64 row, Datum *answer, int n)
{
	if (job->has_nulls && !scan_bit(job->out_valid, row))
		return n;
	answer[n] = fetch_att((const char *) job->out + row * job->op->out_size, true, job->op->out_size);
	return n + 1;
}

int
sliding_results(SlidingScans *scans, const RowFrame *frame, Datum *answer)
{
	int64 head = frame->head - scans->from;
	int64 tail = frame->tail - scans->from;
	int	  n = 0;

	if (head >= tail)
		return 0;
	move_to_frame_end(scans, tail);
	if (head != scans->tile)
		n = append_tile_result(&scans->back, scans->sorted ? head : scans->back.n - 1 - head, answer, n);
	/* the last tile of a scan that ran with the sort may be short, and lie in the middle of a frame */
	if (head < scans->before)
		n = append_tile_result(&scans->on, scans->tile - 1, answer, n);
	return head > scans->tile ? n : append_tile_result(&scans->on, tail - 1, answer, n);
}

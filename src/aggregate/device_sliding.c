/*
 * device_sliding.c: aggregates over sliding frames as jobs (cpu/cpu.h), for a device.
 *
 * Called by prefix_difference.c and segment_tree.h.  One scan computes the sums up to each row, of which
 * prefix_difference.c takes differences.  Values that can only be joined need two scans, by van Herk (1992) and Gil
 * and Werman (1993).  A block is cut into tiles as long as its longest frame; one scan runs forward from each tile's
 * first row, and the other runs backward from its last row.  A frame that reaches into two tiles is the join of one
 * answer of each scan.  A frame that begins or ends with a tile is one answer.
 *
 * Where a device sorts all rows, and every frame has the same number of rows, both scans run with the sort.  Frames of
 * ROWS between two offsets are such, even if their partition's ends cut them.  All other frames are left to the tree
 * (segment_tree.h).  So are floats: of values that are equal and differ in their bits, a backward scan would keep the
 * oldest.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "aggregate/device_sliding.h"
#include "aggregate/job.h"
#include "cpu/sorted.h"

/* What a row costs on the CPU beyond storing a result, in ns: adding its value up, or joining it in a tree. */
#define ADD_NS 1.0
#define JOIN_NS 8.0

typedef struct MovingJobs
{
	MemoryContext memory; /* memory context of a block's jobs; reset before the next block */
	const ScanOp *op;
	int64		  from;		/* row of the block that is the jobs' row 0 */
	const uint8	 *tiles;	/* bitmap of the jobs' rows: set for a tile's first row */
	ScanJob		  on, back; /* the forward scan, and the backward scan, whose rows are in reverse order */
	bool		  joins;	/* both scans have answers for the block's frames */
	bool		  sorted;	/* the scans ran with the sort, over all rows; back's answers lie in window order */
	int64		  tile;		/* first row of the tile that contains row `looked` - 1 */
	int64		  before;	/* first row of the tile before row `tile` */
	int64		  looked;	/* row after the last row whose tile is known */
} MovingJobs;

/* ---- with the sort of all rows ---- */

/* Describes a scan of the function at its beginning. */
static void
offered_scan(const Aggregate *aggregate, MovingJobs *jobs, double cpu_ns, SortedScan *scan)
{
	*scan = (SortedScan){
		.in = aggregate->argument[0], .in2 = -1, .filter = aggregate->filter, .present = -1, .cpu_ns = cpu_ns};
	scan->job = (ScanJob){.op = jobs->op};
	scan->job.carry = (ScanCarry *) MemoryContextAlloc(jobs->memory, scan_carry_size(jobs->op));
	scan_carry_start(jobs->op, scan->job.carry);
}

static bool
offer_sums(Aggregate *aggregate, SortedScan *scan)
{
	MovingJobs *jobs = (MovingJobs *) aggregate->device;

	MemoryContextReset(jobs->memory);
	offered_scan(aggregate, jobs, ADD_NS, scan);
	aggregate->counts = true;
	return true;
}

static bool
offer_joins(Aggregate *aggregate, SortedScan *scan)
{
	MovingJobs *jobs = (MovingJobs *) aggregate->device;

	if (aggregate->frame_rows == 0 || aggregate->excludes)
		return false;
	MemoryContextReset(jobs->memory);
	for (int s = 0; s < 2; s++)
	{
		offered_scan(aggregate, jobs, JOIN_NS / 2, &scan[s]);
		scan[s].tile = aggregate->frame_rows;
		scan[s].back = s == 1;
	}
	aggregate->counts = false;
	return true;
}

void
device_sliding_start(Aggregate *aggregate, bool joins)
{
	const ScanOp *op = aggregate->call.line == SCAN_OP_none ? NULL : scan_op_at(aggregate->call.line);
	MovingJobs	 *jobs;

	/* counts need no scan: prefix_difference.c counts the rows that go in */
	if (op == NULL || op->line == SCAN_OP_count_bool || strncmp(op->type, "float", 5) == 0)
		return;
	jobs = (MovingJobs *) MemoryContextAllocZero(aggregate->query, sizeof(MovingJobs));
	jobs->memory = AllocSetContextCreate(aggregate->query, "scan job", ALLOCSET_DEFAULT_SIZES);
	jobs->op = op;
	aggregate->device = jobs;
	if (aggregate->late == NULL)
		aggregate->offer = joins ? offer_joins : offer_sums;
}

/* Begins a block.  Returns false if its jobs would not go to a device. */
static bool
begin_block(Aggregate *aggregate, MovingJobs *jobs, int64 from, int64 n, double cpu_ns)
{
	if (aggregate->preferred_rows == 0)
		aggregate->preferred_rows = job_block_rows(jobs->op, NULL, cpu_ns);
	MemoryContextReset(jobs->memory);
	jobs->from = from;
	return n >= JOB_LEAST && scan_run_leaves(jobs->op, n, cpu_ns);
}

/* ---- sums up to each row ---- */

const ScanJob *
moving_sums(Aggregate *aggregate, const Block *block, int64 rows)
{
	MovingJobs	 *jobs = (MovingJobs *) aggregate->device;
	MemoryContext old;

	if (jobs == NULL || !begin_block(aggregate, jobs, 0, rows, ADD_NS))
		return NULL;
	old = MemoryContextSwitchTo(jobs->memory);
	jobs->on = (ScanJob){.op = jobs->op, .n = rows};
	jobs->on.in = job_values(aggregate, block, jobs->op, 0, rows);
	jobs->on.valid = job_rows(aggregate, block, 0, rows);
	job_run(&jobs->on);
	MemoryContextSwitchTo(old);
	return jobs->on.status == SCAN_OK ? &jobs->on : NULL;
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
look_at(MovingJobs *jobs, int64 end)
{
	for (; jobs->looked < end; jobs->looked++)
		if (scan_bit(jobs->tiles, jobs->looked))
		{
			jobs->before = jobs->tile;
			jobs->tile = jobs->looked;
		}
}

/* True if every frame of the block is the join of at most two answers. */
static bool
frames_fit(MovingJobs *jobs, const Block *block, int64 n)
{
	jobs->tile = jobs->looked = 0;
	FOR_INTERRUPTIBLE (i, block->begin, block->n)
	{
		const RowFrame *frame = &block->frame[i];
		int64			head = frame->head - jobs->from;
		int64			tail = frame->tail - jobs->from;

		if (frame->hole < frame->hole_end)
			return false;
		if (head >= tail)
			continue;
		look_at(jobs, tail);
		if (head > jobs->tile && tail < n && !scan_bit(jobs->tiles, tail))
			return false;
	}
	jobs->tile = jobs->looked = 0;
	return true;
}

/* Makes the job of the backward scan: the rows of the forward scan in reverse order. */
static void
turn_round(const MovingJobs *jobs, ScanJob *back)
{
	const ScanJob *on = &jobs->on;
	int64		   n = on->n;
	size_t		   size = jobs->op->in_size;
	char		  *values = (char *) job_room(n * size);
	uint8		  *valid = on->valid == NULL ? NULL : job_bits(n);
	uint8		  *tiles = (uint8 *) palloc0(n / 8 + 1);

	*back = (ScanJob){.op = jobs->op, .n = n, .in = values, .valid = valid, .heads = tiles};
	FOR_INTERRUPTIBLE (r, 0, n)
	{
		int64 turned = n - 1 - r;

		memcpy(values + turned * size, (const char *) on->in + r * size, size);
		if (valid != NULL)
			scan_bit_put(valid, turned, scan_bit(on->valid, r));
		if (r == n - 1 || scan_bit(jobs->tiles, r + 1))
			scan_bit_put(tiles, turned, true);
	}
}

/* Uses the scans that ran with the sort; their rows are the rows of the input. */
static void
go_by_sorted(const Aggregate *aggregate, MovingJobs *jobs, const Block *block, int64 from, int64 end)
{
	uint8 *tiles = aggregate->answers->tiles;

	jobs->joins = jobs->sorted = true;
	jobs->from = -block->first;
	jobs->on = aggregate->answers[0].job;
	jobs->back = aggregate->answers[1].job;
	/* a device also begins a tile with each partition, and the block knows where partitions begin */
	FOR_INTERRUPTIBLE (r, from, end)
		if (block->head[r])
			scan_bit_put(tiles, block->first + r, true);
	jobs->tiles = tiles;
	jobs->looked = jobs->tile = block->first + from;
	while (jobs->tile > 0 && !scan_bit(tiles, jobs->tile))
		jobs->tile--;
	jobs->before = jobs->tile;
}

bool
moving_scan_twice(Aggregate *aggregate, const Block *block, int64 from, int64 end, int64 widest)
{
	MovingJobs	 *jobs = (MovingJobs *) aggregate->device;
	int64		  n = end - from;
	MemoryContext old;

	if (jobs == NULL)
		return false;
	if (aggregate->answers != NULL)
	{
		go_by_sorted(aggregate, jobs, block, from, end);
		return true;
	}
	jobs->joins = jobs->sorted = false;
	if (!begin_block(aggregate, jobs, from, n, JOIN_NS))
		return false;
	old = MemoryContextSwitchTo(jobs->memory);
	jobs->tiles = cut_into_tiles(block, from, n, widest);
	if (frames_fit(jobs, block, n))
	{
		jobs->on = (ScanJob){.op = jobs->op, .n = n, .heads = jobs->tiles};
		jobs->on.in = job_values(aggregate, block, jobs->op, from, n);
		jobs->on.valid = job_rows(aggregate, block, from, n);
		turn_round(jobs, &jobs->back);
		job_run(&jobs->on);
		job_run(&jobs->back);
		jobs->joins = jobs->on.status == SCAN_OK && jobs->back.status == SCAN_OK;
	}
	MemoryContextSwitchTo(old);
	return jobs->joins;
}

bool
moving_is_scanned(const Aggregate *aggregate)
{
	const MovingJobs *jobs = (const MovingJobs *) aggregate->device;

	return jobs != NULL && jobs->joins;
}

/* Appends a row's answer to the n answers of a frame, unless it is NULL; returns the number of answers. */
static int
take(const ScanJob *job, int64 row, Datum *answer, int n)
{
	if (job->has_nulls && !scan_bit(job->out_valid, row))
		return n;
	answer[n] = fetch_att((const char *) job->out + row * job->op->out_size, true, job->op->out_size);
	return n + 1;
}

int
moving_answers(Aggregate *aggregate, const RowFrame *frame, Datum *answer)
{
	MovingJobs *jobs = (MovingJobs *) aggregate->device;
	int64		head = frame->head - jobs->from;
	int64		tail = frame->tail - jobs->from;
	int			n = 0;

	if (head >= tail)
		return 0;
	look_at(jobs, tail);
	if (head != jobs->tile)
		n = take(&jobs->back, jobs->sorted ? head : jobs->back.n - 1 - head, answer, n);
	/* the last tile of a device's job may be short, and lie in the middle of a frame */
	if (head < jobs->before)
		n = take(&jobs->on, jobs->tile - 1, answer, n);
	return head > jobs->tile ? n : take(&jobs->on, tail - 1, answer, n);
}

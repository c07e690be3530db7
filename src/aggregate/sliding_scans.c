/*
 * sliding_scans.c: sliding frames whose values can only be joined, by two scans in tiles that ran with the sort.
 *
 * By van Herk (1992) and Gil and Werman (1993).  The rows are cut into tiles as long as a frame.  One scan runs forward
 * from each tile's first row and one backward from its last row; both begin anew with a partition.  A frame that
 * reaches into two tiles is the join of one result of each scan.  scans.c offers the sort both scans over all rows,
 * where every frame has the same number of rows.  Frames of ROWS between two offsets are such, even if their
 * partition's ends cut them.
 *
 * Called by two_stacks.h.
 */
#include "postgres.h"

#include "access/tupmacs.h"

#include "aggregate/internal.h"
#include "column/stretch.h"

void
sliding_begin(SlidingScans *sliding, const FusedScan *scan, const Block *block, int64 from, int64 end)
{
	sliding->scan = scan;
	sliding->first = block->first;
	/* the scans also begin a tile with each partition, and the block knows where partitions begin */
	FOR_INTERRUPTIBLE (r, from, end)
		if (block->head[r])
			scan_bit_put(scan->tiles, block->first + r, true);
	sliding->looked = sliding->tile = block->first + from;
	while (sliding->tile > 0 && !scan_bit(scan->tiles, sliding->tile))
		sliding->tile--;
	sliding->before = sliding->tile;
}

/* Moves to a frame that ends before row `end`, and finds the tile of the frame's last row. */
static void
move_to_frame_end(SlidingScans *sliding, int64 end)
{
	for (; sliding->looked < end; sliding->looked++)
		if (scan_bit(sliding->scan->tiles, sliding->looked))
		{
			sliding->before = sliding->tile;
			sliding->tile = sliding->looked;
		}
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
sliding_results(SlidingScans *sliding, const RowFrame *frame, Datum *answer)
{
	const ScanJob *on = &sliding->scan[0].job, *back = &sliding->scan[1].job;
	int64		   head = frame->head + sliding->first;
	int64		   tail = frame->tail + sliding->first;
	int			   n = 0;

	if (head >= tail)
		return 0;
	move_to_frame_end(sliding, tail);
	if (head != sliding->tile)
		n = append_tile_result(back, head, answer, n);
	/* the sort's last tile may be short, and lie in the middle of a frame */
	if (head < sliding->before)
		n = append_tile_result(on, sliding->tile - 1, answer, n);
	return head > sliding->tile ? n : append_tile_result(on, tail - 1, answer, n);
}

/*
 * fused_results.c: window functions whose results are computed together with the sort of the rows.
 *
 * Called by exec/fused_offer.c.  Where all rows are sorted in memory, the sort may run scans over them in its own job
 * (cpu/fused_scan.h).  These functions ask each window function for its scan before the sort, and give it the results
 * after the sort.
 */
#include "postgres.h"

#include "node/evaluate/function.h"

FusedResults *
fused_results_create(int columns, int functions)
{
	FusedResults *fused = (FusedResults *) palloc(sizeof(FusedResults));

	*fused = (FusedResults){.scans = {.column = (FusedColumn *) palloc0(Max(columns, 1) * sizeof(FusedColumn)),
									  .scan = (FusedScan *) palloc0(2 * Max(functions, 1) * sizeof(FusedScan))}};
	return fused;
}

/* ---- before the sort ---- */

/* Describes a column of the rows in memory.  A scan can only read the NULL bitmap of values that are references. */
static FusedColumn
fused_column(const Column *column)
{
	FusedColumn sorted = {column->value, column->stride};

	if (column->by_value)
		sorted.width = column_width(column->format);
	sorted.nulls = column->has_nulls ? column->nulls : NULL;
	return sorted;
}

/*
 * True if the scan has no such column, or if it is a column in memory whose values have `size` bytes; size 0: any size.
 */
static bool
has_column(const FusedScans *scans, const Rows *all, int c, size_t size)
{
	return c < 0 || (!all->column[c].constant && (size == 0 || (size_t) scans->column[c].width == size));
}

static bool
has_columns(const FusedScans *scans, const Rows *all, const FusedScan *scan)
{
	const ScanOp *op = scan->job.op;

	return has_column(scans, all, scan->in, op->in_size) && has_column(scans, all, scan->in2, op->in2_size) &&
		   has_column(scans, all, scan->filter, sizeof(bool)) && has_column(scans, all, scan->present, 0);
}

/* Returns how many scans the function has, of which this is the first. */
static int
fused_scan_count(const FusedScan *scan)
{
	return scan->tile > 0 ? 2 : 1;
}

/* Returns the bytes that a function's results take. */
static Size
fused_scan_bytes(const FusedScan *scan, int64 n)
{
	return fused_scan_count(scan) * (n * scan->job.op->out_size + n / 8 + 1) + (scan->tile > 0 ? n / 8 + 1 : 0);
}

/* Allocates the results of a scan over all rows. */
static void
fused_scan_reserve(FusedScan *scan, const Rows *all)
{
	ScanJob *job = &scan->job;

	if (scan->tile > 0 && !scan->back)
	{
		scan->tiles = (uint8 *) pool_alloc(all->arrays, all->n / 8 + 1);
		stretch_fill(scan->tiles, 0, all->n / 8 + 1);
	}
	job->n = all->n;
	job->out = pool_alloc(all->arrays, all->n * job->op->out_size);
	job->out_valid = (uint8 *) pool_alloc(all->arrays, all->n / 8 + 1);
	stretch_fill(job->out_valid, 0xff, all->n / 8 + 1);
}

FusedScans *
fused_results_offer(FusedResults *fused, NodeFunction *function, int functions, const Rows *rows, const Rows *all,
					bool segmented, Size room)
{
	FusedScans *scans = &fused->scans;
	Rows	   *first;

	scans->scans = 0;
	scans->columns = all->columns;
	for (int c = 0; c < all->columns; c++)
		scans->column[c] = fused_column(&all->column[c].data);
	fused->bytes = 0;
	if (all->n == 0)
		return NULL;
	first = rows_create_like(rows);
	rows_append_row(first, all, 0);
	for (int i = 0; i < functions; i++)
	{
		RowFunction *f = node_row_function(&function[i]);
		FusedScan	*scan = &scans->scan[scans->scans];

		scan[0] = scan[1] = (FusedScan){.in = -1, .in2 = -1, .filter = -1, .present = -1};
		if (f->offer == NULL || f->late_row != NULL || !f->offer(f, first, segmented, scan) ||
			!has_columns(scans, all, scan) || fused->bytes + fused_scan_bytes(scan, all->n) > room)
			continue;
		for (int s = 0; s < fused_scan_count(scan); s++)
			fused_scan_reserve(&scan[s], all);
		fused->bytes += fused_scan_bytes(scan, all->n);
		f->counts = f->counts && fused_scan_has_gaps(scans, scan);
		f->offered = scan;
		scans->scans += fused_scan_count(scan);
	}
	rows_free(first);
	return scans->scans == 0 ? NULL : scans;
}

/* ---- after the sort ---- */

static bool
fused_scan_is_done(const FusedScan *scan)
{
	bool done = true;

	for (int s = 0; s < fused_scan_count(scan); s++)
		done = done && !scan[s].left && scan[s].job.done == scan[s].job.n;
	return done;
}

static void
fused_scan_release(const FusedScan *scan, const Rows *all)
{
	for (int s = 0; s < fused_scan_count(scan); s++)
	{
		pool_free(all->arrays, scan[s].job.out);
		pool_free(all->arrays, scan[s].job.out_valid);
		pool_free(all->arrays, scan[s].tiles);
	}
}

/* An EvaluateRows that copies a sort's results unchanged. */
static int64
fused_evaluate(RowFunction *f, const Block *block, int64 done)
{
	const ScanJob *job = &f->fused->job;
	Column		  *result = &f->result.data;
	Size		   size = result->stride;
	int64		   place = block->first + done;

	stretch_copy(result->value + done * size, (const char *) job->out + place * size, (block->n - done) * size);
	if (job->has_nulls)
		FOR_INTERRUPTIBLE (i, done, block->n)
			if (!scan_bit(job->out_valid, block->first + i))
				node_put(f, i, (Datum) 0, true);
	return block->n;
}

int
fused_results_take(FusedResults *fused, NodeFunction *function, int functions, const Rows *all)
{
	int taken = 0;

	for (int i = 0; i < functions; i++)
	{
		RowFunction *f = node_row_function(&function[i]);
		FusedScan	*scan = f->offered;

		if (scan == NULL)
			continue;
		f->offered = NULL;
		if (!fused_scan_is_done(scan))
		{
			fused_scan_release(scan, all);
			fused->bytes -= fused_scan_bytes(scan, all->n);
			continue;
		}
		f->fused = scan;
		f->by_itself = f->evaluate;
		/* an aggregate makes its own results of the sort's */
		if (node_info(f)->kind != FUNCTION_AGGREGATE)
			f->evaluate = fused_evaluate;
		taken++;
	}
	return taken;
}

void
fused_results_forget(NodeFunction *function, int functions)
{
	for (int i = 0; i < functions; i++)
	{
		RowFunction *f = node_row_function(&function[i]);

		if (f->fused != NULL)
			f->evaluate = f->by_itself;
		f->fused = f->offered = NULL;
	}
}

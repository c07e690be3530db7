/*
 * tree.c: the classical parallel scans, run on one core.
 *
 * Called by scan_cpu_run (ops.c), by tile.c and by scan_trace.  On one core they never pay: sequential is 5 to 8 times
 * as fast (test/bench/RESULTS.md).  They exist for two reasons.  `blocked` is the shape in which several workers, or
 * blocks of threads, share one column.  And running the same columns by other associations is how the tests prove that
 * a result is a property of the data.
 *
 * A tile is laid out as items (op/wrap.h), with the carry as the first item.  An algorithm turns the items into their
 * inclusive prefixes.  scan_show (internal.h) then reads the results, as in the sequential loop.
 *
 * Sources: Hillis and Steele, "Data parallel algorithms", CACM 29 (1986); Blelloch, "Prefix sums and their
 * applications", CMU-CS-90-190 (1990).
 */
#include "cpu/ways.h"

#include "cpu/internal.h"

/* *item := the item of row i of a job. */
static void
item_of_row(const ScanJob *job, int64_t i, ScanItem *item)
{
	const ScanOp		*op = job->op;
	static const int64_t zero = 0;
	const void			*x = (const char *) job->in + i * op->in_size;

	item->any = true;
	if (job->valid != NULL && !scan_bit(job->valid, i))
	{
		x = op->flags & SCAN_NULL_IS_VALUE ? NULL : (const void *) &zero;
		item->any = (op->flags & (SCAN_NULL_IS_ZERO | SCAN_NULL_IS_VALUE)) != 0;
	}
	item->head = job->heads != NULL && scan_bit(job->heads, i);
	if (item->any)
		op->lift(job->param, x, job->carry->row + (i - job->done), item_acc(op, item));
}

static void
tracer_step(ScanTracer *tracer, const char *phase, void *items, int64_t joins)
{
	if (tracer != NULL)
		tracer->step(tracer, phase, items, joins);
}

void *
scan_prefix_hillis_steele(const ScanOp *op, void *items, void *other, int64_t n, ScanTracer *tracer)
{
	void *from = items;
	void *to = other;

	for (int64_t d = 1; d < n; d *= 2)
	{
		void *swap = from;

		for (int64_t i = 0; i < n; i++)
		{
			op->item_copy(item_at(op, to, i), item_at(op, from, i < d ? i : i - d));
			if (i >= d)
				op->item_join(item_at(op, to, i), item_at(op, from, i));
		}
		from = to;
		to = swap;
		tracer_step(tracer, "step", from, n - d);
	}
	return from;
}

void
scan_exclusive_blelloch(const ScanOp *op, void *items, int64_t n, void *spare, ScanTracer *tracer)
{
	ScanItem *root = item_at(op, items, n - 1);

	for (int64_t d = 1; d < n; d *= 2)
	{
		for (int64_t i = 2 * d - 1; i < n; i += 2 * d)
		{
			op->item_copy(spare, item_at(op, items, i - d));
			op->item_join(spare, item_at(op, items, i));
			op->item_copy(item_at(op, items, i), spare);
		}
		tracer_step(tracer, "up-sweep", items, n / (2 * d));
	}
	root->any = false;
	root->head = false;
	tracer_step(tracer, "clear", items, 0);
	for (int64_t d = n / 2; d > 0; d /= 2)
	{
		for (int64_t i = 2 * d - 1; i < n; i += 2 * d)
		{
			op->item_copy(spare, item_at(op, items, i - d));
			op->item_copy(item_at(op, items, i - d), item_at(op, items, i));
			op->item_join(item_at(op, items, i), spare);
		}
		tracer_step(tracer, "down-sweep", items, n / (2 * d));
	}
}

int64_t
scan_pad_items(const ScanOp *op, void *items, int64_t n)
{
	int64_t width = 1;

	while (width < n)
		width *= 2;
	for (int64_t i = n; i < width; i++)
		memset(item_at(op, items, i), 0, sizeof(ScanItem));
	return width;
}

/* Computes the n rows of a tile, whose inclusive prefixes are prefixes[1 .. n]; prefixes[0] is the carry. */
static void
show_tile(ScanJob *job, void *prefixes, int64_t n, const void *zero)
{
	const ScanOp *op = job->op;

	for (int64_t i = 1; i <= n; i++)
	{
		int64_t row = job->done;
		bool	head = job->heads != NULL && scan_bit(job->heads, row);
		bool	applied = job->valid == NULL || scan_bit(job->valid, row) ||
					   (op->flags & (SCAN_NULL_IS_ZERO | SCAN_NULL_IS_VALUE));
		ScanItem  *before = item_at(op, prefixes, i - 1);
		ScanItem  *after = item_at(op, prefixes, i);
		ScanStatus status = scan_show(op, job->param, job->carry, head || !before->any ? zero : item_acc(op, before),
									  item_acc(op, after), applied, after->any, head, job->extent,
									  (char *) job->out + row * op->out_size);

		if (!scan_row_ends(job, status))
			return;
	}
}

/* *item := the carry. */
static void
item_of_carry(const ScanJob *job, ScanItem *item)
{
	item->any = job->carry->any;
	item->head = false;
	if (item->any)
		memcpy(item_acc(job->op, item), job->carry->acc, job->op->acc_size);
}

static void
carry_of_item(ScanJob *job, ScanItem *item)
{
	job->carry->any = item->any;
	if (item->any)
		memcpy(job->carry->acc, item_acc(job->op, item), job->op->acc_size);
}

/* items[0] := the carry, items[1 .. n] := the rows of a tile. */
static void
items_of_tile(const ScanJob *job, void *items, int64_t n)
{
	item_of_carry(job, item_at(job->op, items, 0));
	for (int64_t i = 0; i < n; i++)
		item_of_row(job, job->done + i, item_at(job->op, items, i + 1));
}

/*
 * items[1 .. n] := their inclusive prefixes, with the carry.  The tree runs over the rows alone and leaves exclusive
 * prefixes.  Then the carry is joined on the left of each, and the row's own item, made again, on the right.
 */
static void
prefix_blelloch(const ScanJob *job, void *items, int64_t n)
{
	const ScanOp *op = job->op;
	void		 *rows = item_at(op, items, 1);
	void		 *spare = item_at(op, items, TILE_ITEMS);

	scan_exclusive_blelloch(op, rows, scan_pad_items(op, rows, n), spare, NULL);
	for (int64_t i = 1; i <= n; i++)
	{
		op->item_copy(spare, item_at(op, items, 0));
		op->item_join(spare, item_at(op, items, i));
		item_of_row(job, job->done + i - 1, item_at(op, items, i));
		op->item_join(spare, item_at(op, items, i));
		op->item_copy(item_at(op, items, i), spare);
	}
}

void
scan_tiles(ScanJob *job, bool blelloch)
{
	static const exact_counter_acc zero; /* the widest accumulator */

	while (job->done < job->n && job->status == SCAN_OK)
	{
		int64_t n = job->n - job->done < SCAN_TILE ? job->n - job->done : SCAN_TILE;
		void   *items = job->scratch;

		items_of_tile(job, items, n);
		if (blelloch)
			prefix_blelloch(job, items, n);
		else
			items = scan_prefix_hillis_steele(job->op, items, item_at(job->op, items, TILE_ITEMS), n + 1, NULL);
		show_tile(job, items, n, &zero);
		carry_of_item(job, item_at(job->op, items, n));
	}
}

/* *total := the join of rows [from, to); `one` is scratch memory for an item. */
static void
total_of_rows(const ScanJob *job, int64_t from, int64_t to, ScanItem *total, ScanItem *one)
{
	const ScanOp *op = job->op;

	total->any = false;
	total->head = false;
	for (int64_t i = from; i < to; i++)
	{
		item_of_row(job, i, one);
		op->item_join(total, one);
	}
}

/*
 * Computes the totals of the tiles, scans them by Blelloch's exclusive scan, and takes each tile again from its offset,
 * as W workers would, each with its own tiles.
 */
void
scan_blocked(ScanJob *job)
{
	const ScanOp *op = job->op;
	int64_t		  tiles = (job->n + SCAN_TILE - 1) / SCAN_TILE;
	void		 *totals = job->scratch;
	ScanItem	 *carry = item_at(op, totals, TILE_ITEMS);
	ScanItem	 *one = item_at(op, totals, TILE_ITEMS + 1);

	if (job->n == 0)
		return;
	item_of_carry(job, carry);
	for (int64_t t = 0; t < tiles; t++)
		total_of_rows(job, t * SCAN_TILE, t + 1 < tiles ? (t + 1) * SCAN_TILE : job->n, item_at(op, totals, t), one);
	scan_exclusive_blelloch(op, totals, scan_pad_items(op, totals, tiles), one, NULL);

	for (int64_t t = 0; t < tiles && job->status == SCAN_OK; t++)
	{
		int64_t from = t * SCAN_TILE;
		ScanJob tile = scan_job_piece(job, from, t + 1 < tiles ? SCAN_TILE : job->n - from);

		op->item_copy(one, carry);
		op->item_join(one, item_at(op, totals, t));
		carry_of_item(job, one);
		op->sequential(&tile);
		job->has_nulls = tile.has_nulls;
		job->done = from + tile.done;
		job->status = tile.status;
	}
}

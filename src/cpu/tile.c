/*
 * tile.c: stretches of rows taken a tile at a time.
 *
 * Called by the loops (loop.h) for lines flagged SCAN_TILED.  Float sums and first-order recurrences have a shorter way
 * than row by row if every result of a tile can be proved at once.  On AVX-512 that is eight lanes (wide.c).  The tree
 * algorithms join the maps y -> a y + b (op/affine.h); they are there to prove that a result does not depend on the way
 * to it.  A tile proves all its bits or changes nothing; the precision tiers of op/recurrence.h then take its rows one
 * by one.
 *
 * A tile of a recurrence stays within a chunk (internal.h).
 */
#include "cpu/ways.h"

#include "cpu/internal.h"
#include "op/affine.h"

/*
 * Computes at most n rows of y = a y' + b from the pair *state on, as far as it can prove them: y[0 ..] := the results.
 * Returns how many rows were computed; *state is then the pair of the last.
 */
typedef int (*Tile)(RecurrencePair *state, const double *a, const double *b, int n, double *y, void *scratch);

typedef struct TileWay
{
	Tile tile;
	int	 multiple;
	int	 max_rows;
} TileWay;

/* ---- one row after the other, with the pair in registers ---- */

static CPU_CLONES int
tile_sequential(RecurrencePair *state, const double *a, const double *b, int n, double *y, void *scratch)
{
	RecurrencePair pair = *state;
	int			   i;

	for (i = 0; i < n; i++)
	{
		RecurrencePair next = recurrence_first_order(&pair, a[i], b[i]);

		if (!recurrence_answers(&next, &y[i]))
			break;
		pair = next;
	}
	*state = pair;
	return i;
}

/* ---- tiles by trees over maps ---- */

ITEM_OP(affine)
static const ScanOp affine_op = {.function = "affine", .type = "float8", ITEM_FIELDS(affine)};

static void
items_of_rows(affine_item *items, const double *a, const double *b, int n)
{
	for (int i = 0; i < n; i++)
		items[i] = (affine_item){{true, false}, affine_of(a[i], b[i])};
}

static int
tile_hillis_steele(RecurrencePair *state, const double *a, const double *b, int n, double *y, void *scratch)
{
	RecurrencePair pair = *state;
	affine_item	  *items = (affine_item *) scratch;

	items_of_rows(items, a, b, n);
	items = (affine_item *) scan_prefix_hillis_steele(&affine_op, items, items + TILE_ITEMS, n, NULL);
	for (int i = 0; i < n; i++)
	{
		pair = affine_apply(&items[i].acc, state);
		if (!recurrence_answers(&pair, &y[i]))
			return 0;
	}
	*state = pair;
	return n;
}

static int
tile_blelloch(RecurrencePair *state, const double *a, const double *b, int n, double *y, void *scratch)
{
	RecurrencePair pair = *state;
	affine_item	  *items = (affine_item *) scratch;

	items_of_rows(items, a, b, n);
	scan_exclusive_blelloch(&affine_op, items, scan_pad_items(&affine_op, items, n), items + TILE_ITEMS, NULL);
	for (int i = 0; i < n; i++)
	{
		Affine row = affine_of(a[i], b[i]);

		/* the first prefix is the identity, without a map */
		pair = items[i].item.any ? affine_apply(&items[i].acc, state) : *state;
		pair = affine_apply(&row, &pair);
		if (!recurrence_answers(&pair, &y[i]))
			return 0;
	}
	*state = pair;
	return n;
}

#define TILE_BLOCKS 8

/*
 * Composes the map of each block, scans those maps, and takes each block again from its offset, as 8 workers would.
 */
static int
tile_blocked(RecurrencePair *state, const double *a, const double *b, int n, double *y, void *scratch)
{
	RecurrencePair pair = *state;
	affine_item	  *totals = (affine_item *) scratch;
	int			   rows = n / TILE_BLOCKS;

	for (int block = 0; block < TILE_BLOCKS; block++)
	{
		items_of_rows(&totals[block], &a[block * rows], &b[block * rows], 1);
		for (int i = block * rows + 1; i < (block + 1) * rows; i++)
		{
			Affine row = affine_of(a[i], b[i]);

			affine_join(&totals[block].acc, &row);
		}
	}
	scan_exclusive_blelloch(&affine_op, totals, TILE_BLOCKS, totals + TILE_BLOCKS, NULL);
	for (int block = 0; block < TILE_BLOCKS; block++)
	{
		pair = totals[block].item.any ? affine_apply(&totals[block].acc, state) : *state;
		for (int i = block * rows; i < (block + 1) * rows; i++)
		{
			Affine row = affine_of(a[i], b[i]);

			pair = affine_apply(&row, &pair);
			if (!recurrence_answers(&pair, &y[i]))
				return 0;
		}
	}
	*state = pair;
	return n;
}

static int
tile_wide(RecurrencePair *state, const double *a, const double *b, int n, double *y, void *scratch)
{
	return scan_wide_recurrence_tile(state, a, b, n, y) ? n : 0;
}

size_t
scan_scratch_size(const ScanOp *op)
{
	if (op->item_size == 0)
		return op->flags & SCAN_TILED ? TREE_SCRATCH(sizeof(affine_item)) : 0;
	return TREE_SCRATCH(op->item_size);
}

static TileWay
tile_way(ScanAlgorithm algorithm)
{
	static const TileWay ways[] = {
		[SCAN_AUTO] = {tile_wide, SCAN_WIDE_ROWS, RECURRENCE_CHUNK},
		[SCAN_SEQUENTIAL] = {tile_sequential, 1, RECURRENCE_CHUNK},
		[SCAN_HILLIS_STEELE] = {tile_hillis_steele, 1, SCAN_TILE},
		[SCAN_BLELLOCH] = {tile_blelloch, 1, SCAN_TILE},
		[SCAN_BLOCKED] = {tile_blocked, TILE_BLOCKS, RECURRENCE_CHUNK},
	};

	return ways[algorithm == SCAN_AUTO && !scan_wide_available() ? SCAN_SEQUENTIAL : algorithm];
}

/* ---- recurrences ---- */

/* Rows of a tile after a refused tile in the same chunk: if the next one is refused too, little is lost. */
#define TILE_SMALL 512

/*
 * Computes a tile of at most n rows of the chunk, by the job's algorithm.  Rows are computed in order instead if they
 * are too few for the algorithm, or if it could not prove them.  Returns how many rows were computed.
 */
static int
recurrence_tile(const ScanJob *job, GrowingRecurrence *g, const double *a, const double *b, int64_t n, double *y)
{
	TileWay		way = tile_way(job->algorithm);
	Recurrence *r = &g->r;
	int			max_rows = g->refused && way.max_rows > TILE_SMALL ? TILE_SMALL : way.max_rows;
	int			rows = RECURRENCE_CHUNK - r->count;
	int			computed = 0;

	rows = n < rows ? (int) n : rows;
	computed = chunk_silent_rows(r, a, b, rows);
	if (computed > 0)
	{
		memset(y, 0, (size_t) computed * sizeof(double));
		r->y[0] = 0.0;
		r->count += computed;
		return computed;
	}
	rows = rows < max_rows ? rows : max_rows;
	if (rows >= way.multiple)
		computed = way.tile(&r->pair[0], a, b, rows - rows % way.multiple, y, job->scratch);
	if (computed == 0 && way.tile != tile_sequential)
	{
		g->refused = true;
		computed = tile_sequential(&r->pair[0], a, b, rows < TILE_SMALL ? rows : TILE_SMALL, y, NULL);
	}
	if (computed > 0)
		r->y[0] = y[computed - 1];
	r->count += computed;
	return computed;
}

/* Computes n rows of a first-order recurrence as far as tiles prove them; returns how many. */
static int64_t
recurrence_tiles(const ScanJob *job, ScanMemory *memory, GrowingRecurrence *g, const double *a, const double *b,
				 int64_t n, double *y)
{
	Recurrence *r = &g->r;
	int64_t		done = 0;
	int64_t		kept = 0; /* rows before this one belong to finished chunks */

	while (done < n && chunk_takes_tile(g))
	{
		int computed;

		if (r->count == RECURRENCE_CHUNK)
		{
			chunk_begin(g);
			kept = done;
		}
		computed = recurrence_tile(job, g, a + done, b + done, n - done, y + done);
		done += computed;
		if (computed == 0)
			g->tiles_from = r->count + 1; /* the tiers take the next row */
	}
	if (r->count < RECURRENCE_CHUNK && done > kept)
		chunk_keep(memory, g, a + kept, b + kept, done - kept);
	return done;
}

static int64_t
recurrence_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y)
{
	const RecurrenceParam *p = (const RecurrenceParam *) job->param;
	OrderedRecurrence	  *recurrence = (OrderedRecurrence *) acc;

	return recurrence_tiles(job, p->memory, &recurrence->g, (const double *) job->in + i, (const double *) job->in2 + i,
							n, (double *) y);
}

/* ---- exponential moving averages ---- */

#define EMA_BLOCK 2048

/*
 * Computes a block of an average: first the recurrence of the values, then the recurrence of the weights for as many
 * rows.  Weights stay below 1/alpha, so they cannot fail.
 */
static int64_t
ema_block(const ScanJob *job, ema_float8_acc *ema, const double *keep, const double *x, int64_t n, double *y)
{
	const EmaParam *p = (const EmaParam *) job->param;
	double			b[EMA_BLOCK], weight[EMA_BLOCK];
	int64_t			done, weighed;

	for (int64_t i = 0; i < n; i++)
		b[i] = p->adjust ? x[i] : p->alpha * x[i];
	done = recurrence_tiles(job, p->memory, &ema->above, keep, b, n, y);
	if (!p->adjust)
		return done;
	for (int64_t i = 0; i < done; i++)
		b[i] = 1.0;
	weighed = recurrence_tiles(job, p->memory, &ema->below, keep, b, done, weight);
	for (; weighed < done; weighed++)
	{
		(void) growing_apply(p->memory, &ema->below, keep, 1.0);
		weight[weighed] = ema->below.r.y[0];
	}
	for (int64_t i = 0; i < done; i++)
		y[i] = ema_adjusted(y[i], weight[i]);
	return done;
}

static int64_t
tile_ema_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y)
{
	const EmaParam *p = (const EmaParam *) job->param;
	const double   *x = (const double *) job->in + i;
	ema_float8_acc *ema = (ema_float8_acc *) acc;
	double			keep[EMA_BLOCK];
	int64_t			done = 0;
	int64_t			rows, computed;

	if (!chunk_takes_tile(&ema->above))
		return 0;
	for (int64_t j = 0; j < n && j < EMA_BLOCK; j++)
		keep[j] = 1 - p->alpha;
	do
	{
		rows = n - done < EMA_BLOCK ? n - done : EMA_BLOCK;
		computed = ema_block(job, ema, keep, x + done, rows, (double *) y + done);
		done += computed;
	} while (computed == rows && done < n);
	return done;
}

/* ---- sums ---- */

static int64_t
tile_sum_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y)
{
	const double *x = (const double *) job->in + i;

	ExactSum *sum = (ExactSum *) acc;

	if (job->algorithm == SCAN_AUTO && sum->form == EXACT_PAIR && scan_wide_available())
		return scan_wide_exact_run(sum, x, n, (double *) y);
	return exact_run(sum, x, n, (double *) y);
}

ScanRun
scan_tiled_run(const ScanJob *job)
{
	switch (job->op->line)
	{
		case SCAN_OP_recurrence_float8:
			return recurrence_run;
		case SCAN_OP_recurrence_vector:
			return scan_vector_run;
		case SCAN_OP_ema_float8:
			return tile_ema_run;
		default:
			return tile_sum_run;
	}
}

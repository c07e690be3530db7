/*
 * vector.c: stretches of recurrences of order k.
 *
 * Called by tile.c with rows that have values and start no segment.  Rows are first taken by the CERTIFIED step
 * (op/recurrence.h), as far as it proves them.  That is all rows if the coefficients do not change, or while |a_1| + ..
 * + |a_k| is small.  Otherwise its bound grows by that sum a row, and after some fifty rows proves nothing, although
 * the true errors of a stable recurrence die away.
 *
 * Then tiles are proved by the maps of rows (op/companion.h).  Eight rows make a leaf, and a tree joins the maps of
 * thirty-two leaves; its bounds grow with its levels and not with its rows.  A result is a map's value at the tile's
 * start.  Rows that tiles cannot prove either are left to the precision tiers, the last of which takes a hundred times
 * as long.
 *
 * Orders above VECTOR_ORDERS only have the tiers: a join takes k^3 products.
 */
#include "cpu/ways.h"

#include "cpu/internal.h"
#include "op/companion.h"

#define VECTOR_ORDERS 4
#define LEAF_ROWS 8
#define LEAVES 32
#define TILE_ROWS (LEAF_ROWS * LEAVES)

#define VECTOR_INLINE static inline __attribute__((always_inline))

typedef RecurrencePair Map[COMPANION_PAIRS(VECTOR_ORDERS)];
typedef RecurrencePair Top[VECTOR_ORDERS + 1]; /* a map's first row, which gives the newest value */

/* The maps of a tile's leaves, and for every row the top of the map from its leaf's start. */
typedef struct Tile
{
	Map leaf[LEAVES];
	Top row[TILE_ROWS];
} Tile;

/* map := the map of the n rows of a leaf; top[i] := the first row of the map of rows 0 to i. */
VECTOR_INLINE void
leaf_map(int k, const double *a, const double *b, int n, RecurrencePair *map, Top *top)
{
	for (int i = 0; i < n; i++)
	{
		if (i == 0)
			companion_of_row(k, map, a, b[0]);
		else
			companion_then_row(k, map, a + i * k, b[i]);
		memcpy(top[i], map, (size_t) (k + 1) * sizeof(RecurrencePair));
	}
}

/* Computes n rows of a leaf that starts from the last k values.  False if a row is not proved. */
VECTOR_INLINE bool
leaf_answers(int k, const RecurrencePair *last, Top *top, int n, double *y)
{
	for (int i = 0; i < n; i++)
	{
		RecurrencePair sum = top[i][k];

		for (int j = 0; j < k; j++)
		{
			RecurrencePair product = pair_multiply(&top[i][j], &last[j]);

			sum = pair_add(&sum, &product);
		}
		if (!recurrence_answers(&sum, &y[i]))
			return false;
	}
	return true;
}

/* maps[j] := the map of all rows up to the end of leaf j, by Sklansky's tree (1960). */
VECTOR_INLINE void
join_leaves(int k, Map *maps, int leaves)
{
	for (int d = 1; d < leaves; d *= 2)
		for (int j = d; j < leaves; j++)
			if (j & d)
			{
				Map before;

				memcpy(before, maps[(j & ~(d - 1)) - 1], sizeof(before));
				companion_join(k, before, maps[j]);
				memcpy(maps[j], before, sizeof(before));
			}
}

/*
 * Computes n rows, at most a tile, from the last k values on, or only the leaves before the first that is not proved.
 * Returns how many rows were computed; `last` is then the values after them.
 */
VECTOR_INLINE int
tile_answers(int k, RecurrencePair *last, const double *a, const double *b, int n, double *y)
{
	RecurrencePair start[VECTOR_ORDERS];
	Tile		   tile;
	int			   done;

	for (int i = 0; i < n; i += LEAF_ROWS)
		leaf_map(k, a + i * k, b + i, n - i < LEAF_ROWS ? n - i : LEAF_ROWS, tile.leaf[i / LEAF_ROWS], &tile.row[i]);
	join_leaves(k, tile.leaf, (n + LEAF_ROWS - 1) / LEAF_ROWS);
	memcpy(start, last, (size_t) k * sizeof(RecurrencePair));
	for (done = 0; done < n; done += LEAF_ROWS)
	{
		if (!leaf_answers(k, start, &tile.row[done], n - done < LEAF_ROWS ? n - done : LEAF_ROWS, y + done))
			break;
		memcpy(start, last, (size_t) k * sizeof(RecurrencePair));
		companion_apply(k, tile.leaf[done / LEAF_ROWS], start);
	}
	memcpy(last, start, (size_t) k * sizeof(RecurrencePair));
	return done < n ? done : n;
}

CPU_CLONES __attribute__((flatten)) static int
vector_tile(int k, RecurrencePair *last, const double *a, const double *b, int n, double *y)
{
	/* 2 to VECTOR_ORDERS: in_order() always has a bound for order 1 */
	switch (k)
	{
		case 2:
			return tile_answers(2, last, a, b, n, y);
		case 3:
			return tile_answers(3, last, a, b, n, y);
		default:
			return tile_answers(4, last, a, b, n, y);
	}
}

/* Computes rows of the chunk in tiles.  Returns how many. */
static int
compute_in_tiles(Recurrence *r, const double *a, const double *b, int n, double *y)
{
	int done = 0, rows, computed;

	r->growth.rows = -1; /* as after changed coefficients: error_growth.h gives no bound */
	do
	{
		rows = n - done < TILE_ROWS ? n - done : TILE_ROWS;
		computed = vector_tile(r->order, r->pair, a + (int64_t) done * r->order, b + done, rows, y + done);
		done += computed;
	} while (computed == rows && done < n);
	return done;
}

/*
 * Computes rows of the chunk one by one.  Returns how many; unless all were proved, the pairs then include the row that
 * was not.
 */
CPU_CLONES __attribute__((flatten)) static int
in_order(Recurrence *r, const double *a, const double *b, int n, double *y)
{
	for (int i = 0; i < n; i++)
	{
		recurrence_step_certified(r, a + (int64_t) i * r->order, b[i]);
		if (!recurrence_answers(&r->pair[0], &y[i]))
			return i;
	}
	return n;
}

/*
 * Computes rows of the chunk, as many as one of the two ways proves.  Returns how many.  *tiled: earlier rows needed
 * tiles, so tiles are tried first.
 */
static int
compute_stretch(Recurrence *r, const double *a, const double *b, int n, double *y, bool *tiled)
{
	RecurrencePair pair[RECURRENCE_ORDERS];
	ErrorGrowth	   growth = r->growth;
	int			   rows, tiles;

	memcpy(pair, r->pair, sizeof(pair));
	/* a tile could not prove these */
	if ((rows = chunk_silent_rows(r, a, b, n)) > 0)
		return in_order(r, a, b, rows, y);
	if (*tiled && (tiles = compute_in_tiles(r, a, b, n, y)) > 0)
		return tiles;
	r->growth = growth;
	rows = in_order(r, a, b, n, y);
	if (rows == n)
		return n;
	*tiled = r->growth.rows < 0 && r->order <= VECTOR_ORDERS;
	memcpy(r->pair, pair, sizeof(pair));
	if (*tiled && (tiles = compute_in_tiles(r, a, b, n, y)) > rows)
		return tiles;
	memcpy(r->pair, pair, sizeof(pair));
	r->growth = growth;
	return in_order(r, a, b, rows, y);
}

/*
 * True if the next rows can be computed here.  If coefficients change, the tier TRACKED is also accepted: a tie puts a
 * chunk on it, even a zero in the first row.  If TRACKED were refused for changing coefficients, the tiers would soon
 * come to the last one and stay there.
 */
static bool
takes_rows(const GrowingRecurrence *g)
{
	const Recurrence *r = &g->r;

	return chunk_takes_tile(g) || (r->tier == RECURRENCE_TRACKED && r->growth.rows < 0 && r->order <= VECTOR_ORDERS &&
								   !r->pending && r->count >= g->tiles_from);
}

/* Appends n results to the last results, which are kept newest first. */
static void
push_history(Recurrence *r, const double *y, int n)
{
	for (int j = r->order - 1; j >= 0; j--)
		r->y[j] = j < n ? y[n - 1 - j] : r->y[j - n];
	r->count += n;
}

int64_t
scan_vector_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y)
{
	const RecurrenceParam *p = (const RecurrenceParam *) job->param;
	GrowingRecurrence	  *g = &((OrderedRecurrence *) acc)->g;
	Recurrence			  *r = &g->r;
	const double		  *a = (const double *) job->in + i * p->order, *b = (const double *) job->in2 + i;
	int64_t				   done = 0, kept = 0; /* rows before `kept` belong to finished chunks */
	bool				   tiled = false;

	while (done < n && takes_rows(g))
	{
		int rows, computed;

		if (r->count == RECURRENCE_CHUNK)
		{
			chunk_begin(g);
			kept = done;
		}
		rows = n - done < RECURRENCE_CHUNK - r->count ? (int) (n - done) : RECURRENCE_CHUNK - r->count;
		computed = compute_stretch(r, a + done * p->order, b + done, rows, (double *) y + done, &tiled);
		push_history(r, (double *) y + done, computed);
		done += computed;
		if (computed == 0)
		{
			/* the tiers take a row; after the first such row of a chunk, a tile's worth: ties may be frequent */
			g->tiles_from = r->count + (g->refused ? TILE_ROWS : 1);
			g->refused = true;
		}
	}
	if (r->count < RECURRENCE_CHUNK && done > kept)
		chunk_keep(p->memory, g, a + kept * p->order, b + kept, done - kept);
	return done;
}

/*
 * vector.c: stretches of recurrences of order k.
 *
 * Fed by tile.c with rows that have values and start no segment.  They go by the step of
 * CERTIFIED (op/recurrence.h), as far as that proves them: to the end where coefficients do
 * not change, and while |a_1| + .. + |a_k| is small.  Else its bound grows by that sum a
 * row, and after some fifty rows proves nothing, where the true errors of a stable recurrence
 * die away.  Then tiles go by the maps of rows (op/companion.h): eight rows make a leaf, the
 * maps of thirty-two leaves are joined by a tree, whose bounds grow with its levels and not
 * with its rows, and an answer is what a map makes of the tile's start.  What they do not
 * prove either is left to the precision tiers, of which the last takes a hundred times as long.
 *
 * Orders above VECTOR_ORDERS have the tiers alone: a join takes k^3 products.
 */
#include "cpu/vector.h"

#include "cpu/chunk.h"
#include "op/companion.h"

#define VECTOR_ORDERS 4
#define LEAF_ROWS 8
#define LEAVES 32
#define TILE_ROWS (LEAF_ROWS * LEAVES)

#define VECTOR_INLINE static inline __attribute__((always_inline))

typedef RecurrencePair Map[COMPANION_PAIRS(VECTOR_ORDERS)];
typedef RecurrencePair Top[VECTOR_ORDERS + 1]; /* a map's first row: what the newest value comes of */

/* The maps of a tile, and of every row the top of the map from its leaf's start. */
typedef struct Tile
{
	Map leaf[LEAVES];
	Top row[TILE_ROWS];
} Tile;

/* The map of n rows, and the tops on the way. */
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

/* The answers of n rows of a leaf that starts from the last k values; false: not proved. */
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

/* maps[j] := the map of all rows up to the end of leaf j: by Sklansky's tree (1960). */
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

/* Answers n rows, a tile at most, from the last k values on, or the leaves before the first that is not proved. */
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
	switch (k)
	{
		case 1:
			return tile_answers(1, last, a, b, n, y);
		case 2:
			return tile_answers(2, last, a, b, n, y);
		case 3:
			return tile_answers(3, last, a, b, n, y);
		default:
			return tile_answers(4, last, a, b, n, y);
	}
}

/* Rows of the chunk in tiles: how many are answered. */
static int
by_tiles(Recurrence *r, const double *a, const double *b, int n, double *y)
{
	int done = 0, rows, answered;

	r->growth.rows = -1; /* of coefficients that have changed */
	do
	{
		rows = n - done < TILE_ROWS ? n - done : TILE_ROWS;
		answered = vector_tile(r->order, r->pair, a + (int64_t) done * r->order, b + done, rows, y + done);
		done += answered;
	} while (answered == rows && done < n);
	return done;
}

/* The same row by row; the pairs are then those of a row that is not proved, unless all are. */
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
 * Rows of the chunk, as many as go one way; 0: none is proved.  *tiled: tiles were needed
 * before, and are tried first.
 */
static int
stretch(Recurrence *r, const double *a, const double *b, int n, double *y, bool *tiled)
{
	RecurrencePair pair[RECURRENCE_ORDERS];
	ErrorGrowth	   growth = r->growth;
	int			   rows, tiles;

	memcpy(pair, r->pair, sizeof(pair));
	/* which a tile could not prove */
	if ((rows = chunk_silent_rows(r, a, b, n)) > 0)
		return in_order(r, a, b, rows, y);
	if (*tiled && (tiles = by_tiles(r, a, b, n, y)) > 0)
		return tiles;
	r->growth = growth;
	rows = in_order(r, a, b, n, y);
	if (rows == n)
		return n;
	*tiled = r->growth.rows < 0 && r->order <= VECTOR_ORDERS;
	memcpy(r->pair, pair, sizeof(pair));
	if (*tiled && (tiles = by_tiles(r, a, b, n, y)) > rows)
		return tiles;
	memcpy(r->pair, pair, sizeof(pair));
	r->growth = growth;
	return in_order(r, a, b, rows, y);
}

/*
 * Whether rows can go on here.  With coefficients that change also on the tier TRACKED, which
 * a chunk comes to by a tie, be it a zero in its first row: there these recurrences would
 * soon end at the last tier for good.
 */
static bool
takes_rows(const GrowingRecurrence *g)
{
	const Recurrence *r = &g->r;

	return chunk_takes_tile(g) || (r->tier == RECURRENCE_TRACKED && r->growth.rows < 0 && r->order <= VECTOR_ORDERS &&
								   !r->pending && r->count >= g->tiles_from);
}

/* The last answers, newest first, after n more. */
static void
show(Recurrence *r, const double *y, int n)
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
	int64_t				   done = 0, kept = 0; /* rows that need not be kept, or are */
	bool				   tiled = false;

	while (done < n && takes_rows(g))
	{
		int rows, answered;

		if (r->count == RECURRENCE_CHUNK)
		{
			chunk_begin(g);
			kept = done;
		}
		rows = n - done < RECURRENCE_CHUNK - r->count ? (int) (n - done) : RECURRENCE_CHUNK - r->count;
		answered = stretch(r, a + done * p->order, b + done, rows, (double *) y + done, &tiled);
		show(r, (double *) y + done, answered);
		done += answered;
		if (answered == 0)
		{
			/* a row for the tiers; where that is not the first one, ties may be all over the place */
			g->tiles_from = r->count + (g->refused ? TILE_ROWS : 1);
			g->refused = true;
		}
	}
	if (r->count < RECURRENCE_CHUNK && done > kept)
		chunk_keep(p->memory, g, a + kept * p->order, b + kept, done - kept);
	return done;
}

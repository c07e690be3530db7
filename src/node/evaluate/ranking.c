/*
 * ranking.c: the functions that only count rows: row_number, rank, dense_rank, percent_rank, cume_dist, ntile.
 *
 * Called by dispatch.c.  They read a block's boundaries and nothing else of its rows.  When a partition or a peer group
 * is accumulated before its rows are emitted, they count its rows.
 */
#include "postgres.h"

#include "column/saved_state.h"
#include "column/stretch.h"
#include "node/evaluate/internal.h"
#include "node/row_counter.h"

typedef struct Ranking
{
	RowCounter count;

	/* ntile */
	int64 total;   /* rows of the partition */
	int64 before;  /* rows before the first one that has a bucket */
	int32 buckets; /* 0: no row has one yet */

	int64 rows[LOOKAHEAD_PARTITION + 1]; /* rows of the last accumulated unit of each kind */
} Ranking;

/* Counts row i; returns its count. */
static inline int64
ranking_step(Ranking *ranking, TopUnit unit, const Block *block, int64 i)
{
	if (block->head[i])
		memset(ranking, 0, offsetof(Ranking, rows));
	return row_counter_next(&ranking->count, unit, block->head[i], block->peer[i]);
}

/* row_number, rank and dense_rank: evaluates a block at once */
static int64
evaluate_ranks(RowFunction *f, const Block *block, int64 done)
{
	Ranking *ranking = (Ranking *) f->state;
	TopUnit	 unit = node_info(f)->kind == FUNCTION_ROW_NUMBER ? TOP_ROWS
					: node_info(f)->kind == FUNCTION_RANK	  ? TOP_RANKS
															  : TOP_DENSE_RANKS;

	FOR_INTERRUPTIBLE (i, done, block->n)
		node_put(f, i, Int64GetDatum(ranking_step(ranking, unit, block, i)), false);
	return block->n;
}

/* Counts the rows of a unit that is accumulated before its rows are emitted. */
static void
rank_accumulate(RowFunction *f, const Block *block, Lookahead unit, bool last)
{
	Ranking	   *ranking = (Ranking *) f->state;
	const bool *mark = unit == LOOKAHEAD_PEERS ? block->peer : block->head;

	if (mark[block->begin])
		ranking->rows[unit] = 0;
	ranking->rows[unit] += block->n - block->begin;
}

/*
 * Returns the end, in the block, of the unit of row i.  Sets *rows to the number of rows of the unit, if row i is its
 * first row or the unit has been accumulated.
 */
static int64
rows_of_unit(const Ranking *ranking, const Block *block, Lookahead unit, int64 i, int64 *rows)
{
	int64 end = block_result_end(block, unit, i);

	*rows = block->accumulated[unit] ? ranking->rows[unit] : end - i;
	return end;
}

/* percent_rank and cume_dist: evaluates a partition, or the block's part of it */
static int64
evaluate_shares(RowFunction *f, const Block *block, int64 done)
{
	Ranking *ranking = (Ranking *) f->state;
	int64	 total;
	int64	 end = rows_of_unit(ranking, block, LOOKAHEAD_PARTITION, done, &total);

	for (int64 i = done; i < end;)
	{
		int64  peers;
		int64  peers_end = Min(rows_of_unit(ranking, block, LOOKAHEAD_PEERS, i, &peers), end);
		double share;

		(void) ranking_step(ranking, TOP_ROWS, block, i);
		if (node_info(f)->kind == FUNCTION_CUME_DIST)
			share = (double) (ranking->count.rank - 1 + peers) / (double) total;
		else
			share = total <= 1 ? 0 : (double) (ranking->count.rank - 1) / (double) (total - 1);
		node_put(f, i, Float8GetDatum(share), false);
		FOR_INTERRUPTIBLE (row, i + 1, peers_end)
		{
			(void) ranking_step(ranking, TOP_ROWS, block, row);
			node_put(f, row, Float8GetDatum(share), false);
		}
		i = peers_end;
	}
	return end;
}

/* Begins the buckets of a partition at row i, unless their number is NULL there. */
static void
begin_tiles(RowFunction *f, Ranking *ranking, const Block *block, int64 i)
{
	bool  isnull;
	int32 buckets = DatumGetInt32(row_argument(f, block, 0, i, &isnull));

	if (isnull)
		return;
	if (buckets <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_ARGUMENT_FOR_NTILE), errmsg("argument of ntile must be greater than zero")));
	ranking->buckets = buckets;
	ranking->before = ranking->count.rows - 1;
}

/*
 * ntile(n): if the rows do not divide evenly, the first buckets are one row larger.  As in core, n is that of the
 * partition's first row or, while it is NULL, of the next one; the rows before have no bucket.  A row whose n may raise
 * an error is evaluated when it is due.
 */
static int64
evaluate_tiles(RowFunction *f, const Block *block, int64 done)
{
	Ranking *ranking = (Ranking *) f->state;
	bool	 due = node_info(f)->may_error_or_side_effect || argument_is_late(f, 0);
	int64	 total, end;

	end = rows_of_unit(ranking, block, LOOKAHEAD_PARTITION, done, &total);
	FOR_INTERRUPTIBLE (i, done, end)
	{
		bool  begun = !block->head[i] && ranking->buckets > 0;
		int64 size, larger, in_larger, row, bucket;

		if (!begun && due && i > done)
			return i;
		(void) ranking_step(ranking, TOP_ROWS, block, i);
		if (block->head[i])
			ranking->total = total;
		if (!begun)
			begin_tiles(f, ranking, block, i);
		if (ranking->buckets == 0)
		{
			node_put(f, i, 0, true);
			continue;
		}
		size = ranking->total / ranking->buckets;
		larger = ranking->total % ranking->buckets;
		in_larger = larger * (size + 1);
		row = ranking->count.rows - 1 - ranking->before;
		bucket = row < in_larger ? row / (size + 1) : larger + (row - in_larger) / size;
		node_put(f, i, Int32GetDatum((int32) bucket + 1), false);
	}
	return end;
}

static void
rank_carry(RowFunction *f, const Block *block, SavedState *saved)
{
	carry_bytes(saved, f->state, offsetof(Ranking, rows));
}

void
node_rank_start(RowFunction *f)
{
	f->state = MemoryContextAllocZero(f->query, sizeof(Ranking));
	f->accumulate = rank_accumulate;
	f->carry_state = rank_carry;
	if (node_info(f)->kind == FUNCTION_NTILE)
		f->evaluate = evaluate_tiles;
	else if (node_info(f)->kind == FUNCTION_PERCENT_RANK || node_info(f)->kind == FUNCTION_CUME_DIST)
		f->evaluate = evaluate_shares;
	else
		f->evaluate = evaluate_ranks;
}

/*
 * rank.c: the functions that only count rows: row_number, rank, dense_rank, percent_rank,
 * cume_dist, ntile.
 *
 * They read the marks of a block and nothing else of its rows.
 */
#include "postgres.h"

#include "column/stretch.h"
#include "node/eval/kinds.h"

typedef struct Ranking
{
	int64 row;	 /* of the partition, from 1 */
	int64 rank;	 /* the place of the peer group's first row */
	int64 dense; /* the number of the peer group */
} Ranking;

static void
ranking_step(Ranking *ranking, const Block *block, int64 i)
{
	if (block->head[i])
		memset(ranking, 0, sizeof(*ranking));
	ranking->row++;
	if (block->peer[i])
	{
		ranking->rank = ranking->row;
		ranking->dense++;
	}
}

/* row_number, rank and dense_rank: a block at once */
static int64
evaluate_ranks(NodeFunction *f, const Block *block, int64 done)
{
	Ranking *ranking = (Ranking *) f->state;

	STRETCHES (i, done, block->n)
	{
		ranking_step(ranking, block, i);
		node_put(f, i,
				 Int64GetDatum(f->kind == FUNCTION_ROW_NUMBER ? ranking->row
							   : f->kind == FUNCTION_RANK	  ? ranking->rank
															  : ranking->dense),
				 false);
	}
	return block->n;
}

/* percent_rank and cume_dist: a partition, which is whole in the block */
static int64
evaluate_shares(NodeFunction *f, const Block *block, int64 done)
{
	Ranking *ranking = (Ranking *) f->state;
	int64	 end = block_unit_end(block, LOOKAHEAD_PARTITION, done);
	int64	 total = end - done;

	for (int64 i = done; i < end;)
	{
		int64  peers_end = Min(block_unit_end(block, LOOKAHEAD_PEERS, i), end);
		double share;

		if (f->kind == FUNCTION_CUME_DIST)
			share = (double) (peers_end - done) / (double) total;
		else
			share = total <= 1 ? 0 : (double) (i - done) / (double) (total - 1);
		STRETCHES (row, i, peers_end)
		{
			ranking_step(ranking, block, row);
			node_put(f, row, Float8GetDatum(share), false);
		}
		i = peers_end;
	}
	return end;
}

/* ntile(n), n a constant: the first buckets are one row larger where it does not go even */
static int64
evaluate_tiles(NodeFunction *f, const Block *block, int64 done)
{
	int64 end = block_unit_end(block, LOOKAHEAD_PARTITION, done);
	int64 total = end - done;
	bool  isnull;
	int32 buckets = DatumGetInt32(node_argument(f, block, 0, done, &isnull));
	int64 size = total / buckets;
	int64 larger = total % buckets;

	STRETCHES (i, done, end)
	{
		int64 row = i - done;
		int64 in_larger = larger * (size + 1);
		int64 bucket = row < in_larger ? row / (size + 1) : larger + (row - in_larger) / size;

		node_put(f, i, Int32GetDatum((int32) bucket + 1), false);
	}
	return end;
}

void
node_rank_start(NodeFunction *f)
{
	f->state = MemoryContextAllocZero(f->query, sizeof(Ranking));
	if (f->kind == FUNCTION_NTILE)
		f->evaluate = evaluate_tiles;
	else if (f->kind == FUNCTION_PERCENT_RANK || f->kind == FUNCTION_CUME_DIST)
		f->evaluate = evaluate_shares;
	else
		f->evaluate = evaluate_ranks;
}

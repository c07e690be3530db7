/*
 * order_statistics.c: moving_median, moving_percentile_*, moving_mode, moving_count_distinct, moving_rank and
 * moving_percent_rank over sliding frames.
 *
 * An operation whose state is a set of ranks.  All values in the frames of a chunk of rows are sorted at once.  From
 * then on a value is its rank, a small number.  The frame is a set of ranks (number/rank_set.h) that rows come into and
 * leave, and the k-th rank of the set is the percentile.  moving_rank counts the ranks in the set that are below those
 * of its equals.  For moving_mode and moving_count_distinct, equal values share a group number, and the rows of each
 * group in the frame are counted.  Rejected: a tree of values, as WindowAgg uses it (functions/aggregate/moving.c),
 * would compare about fifteen values for each row that comes or leaves.
 *
 * A chunk has a few times as many rows as a frame.  So a sort stays in the cache, and sorts again only few rows that an
 * earlier chunk has sorted.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregate/frame_parts.h"
#include "aggregate/internal.h"
#include "column/percentile.h"
#include "column/type.h"
#include "number/numeric_percentile.h"
#include "number/rank_set.h"
#include "run/run.h"
#include "sort/key.h"

#define CHUNK_ROWS 4096		  /* the fewest rows of a chunk, unless the block ends */
#define CHUNK_FRAMES 4		  /* a chunk has this many times the rows of its first frame */
#define NO_RANK PG_UINT32_MAX /* the rank of a row that does not go in */

typedef struct Ranks
{
	Aggregate	*aggregate;
	const Block *block;
	MovingKind	 kind;
	double		 fraction;	  /* the percentile's fraction */
	Interpolate	 interpolate; /* percentile_cont of floats and intervals: interpolates between two values */

	NumericPercentile *numeric; /* percentile_cont of integers and numerics; else NULL */

	KeyOrder order;
	Pool	*pool; /* memory of the arrays below */

	/* The chunk: rows of the block before `chunk_end`.  Their frames contain the `values` rows from row `from` on. */
	int64	chunk_end, from, values;
	Column	value; /* copy of the argument for the `values` rows */
	uint32 *row;   /* row of each rank, counted from row `from` */
	uint32 *rank;  /* rank of each row, counted from row `from` */
	RankSet set;   /* ranks of the rows in the frame */
	void   *set_memory;

	/* moving_mode and moving_count_distinct: equal values are a group with a number */
	uint32 *group;	 /* group of each rank */
	uint32 *start;	 /* first rank of each group */
	uint32 *count;	 /* number of rows of each group in the frame */
	int64	present; /* number of groups with a row in the frame */
	uint32 *largest; /* mode's tournament of the groups: node p has the larger one of nodes 2p and 2p + 1 */
	uint32	leaves;	 /* the tournament's lowest level begins at this node: a power of two */

	FrameContent content;
} Ranks;

static bool
is_rank(const Ranks *ranks)
{
	return ranks->kind == MOVING_RANK || ranks->kind == MOVING_PERCENT_RANK;
}

static bool
counts_groups(const Ranks *ranks)
{
	return ranks->kind == MOVING_MODE || ranks->kind == MOVING_COUNT_DISTINCT;
}

/* ---- the ranks of a chunk ---- */

/* Copies the argument's values and NULLs for the chunk's rows. */
static void
copy_values(Ranks *ranks, const Block *block)
{
	const Column *data = row_column(&ranks->aggregate->f, block, 0);
	Column		 *value = &ranks->value;
	int64		  n = ranks->values;

	*value = *data;
	value->stride = column_width(data->format);
	value->value = (char *) pool_alloc(ranks->pool, Max(n, 1) * value->stride);
	value->nulls = (uint8 *) pool_alloc(ranks->pool, scan_bit_bytes(n) + 1);
	value->has_nulls = data->has_nulls;
	stretch_fill(value->nulls, 0, scan_bit_bytes(n) + 1);
	FOR_INTERRUPTIBLE (i, 0, n)
	{
		if (column_is_null(data, ranks->from + i))
		{
			scan_bit_put(value->nulls, i, true);
			memset(value->value + i * value->stride, 0, value->stride);
		}
		else
			memcpy(value->value + i * value->stride, data->value + (ranks->from + i) * data->stride, value->stride);
	}
}

/* Numbers the groups: one for each run of ranks whose values are equal. */
static void
number_groups(Ranks *ranks, const uint8 *peer)
{
	int64  n = ranks->values;
	uint32 groups = 0;

	ranks->group = (uint32 *) pool_alloc(ranks->pool, Max(n, 1) * sizeof(uint32));
	ranks->start = (uint32 *) pool_alloc(ranks->pool, Max(n, 1) * sizeof(uint32));
	ranks->count = (uint32 *) pool_alloc(ranks->pool, Max(n, 1) * sizeof(uint32));
	FOR_INTERRUPTIBLE (r, 0, n)
	{
		if (r == 0 || scan_bit(peer, r))
		{
			ranks->count[groups] = 0;
			ranks->start[groups++] = (uint32) r;
		}
		ranks->group[r] = groups - 1;
	}
	ranks->present = 0;
	if (ranks->kind != MOVING_MODE)
		return;
	for (ranks->leaves = 1; ranks->leaves < groups;)
		ranks->leaves *= 2;
	ranks->largest = (uint32 *) pool_alloc(ranks->pool, 2 * (Size) ranks->leaves * sizeof(uint32));
	/* the first of equal groups wins; leaves beyond the last group hold the last group */
	FOR_INTERRUPTIBLE (g, 0, (int64) ranks->leaves)
		ranks->largest[ranks->leaves + g] = Min((uint32) g, groups - 1);
	for (uint32 p = ranks->leaves - 1; p > 0; p--)
		ranks->largest[p] = ranks->largest[2 * p];
}

static void
free_chunk(Ranks *ranks)
{
	void **array[] = {(void **) &ranks->value.value,
					  (void **) &ranks->value.nulls,
					  (void **) &ranks->row,
					  (void **) &ranks->rank,
					  &ranks->set_memory,
					  (void **) &ranks->group,
					  (void **) &ranks->start,
					  (void **) &ranks->count,
					  (void **) &ranks->largest};

	for (int a = 0; a < lengthof(array); a++)
	{
		pool_free(ranks->pool, *array[a]);
		*array[a] = NULL;
	}
}

/* Begins the chunk at row `done`, and sorts the values in its frames. */
static void
begin_chunk(Ranks *ranks, const Block *block, int64 done)
{
	const RowFrame *frame = &block->frame[done];
	SortColumn		column = {.data = &ranks->value, .order = ranks->order};
	SortRequest		request = {.columns = 1, .column = &column, .pool = ranks->pool, .sorter = &scan_word_sorter};
	SortOrder		order = {0};
	int64			rows = Max(CHUNK_ROWS, CHUNK_FRAMES * (frame->tail - frame->head));

	free_chunk(ranks);
	ranks->content.parts = 0;
	ranks->chunk_end = Min(block->n, done + rows);
	ranks->from = frame->head;
	ranks->values = Max(block->frame[ranks->chunk_end - 1].tail - ranks->from, 0);
	if (ranks->values >= NO_RANK)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("a window frame has too many rows")));
	copy_values(ranks, block);
	request.n = ranks->values;
	sort_rows(&request, &order);
	ranks->row = order.rows;
	ranks->rank = (uint32 *) pool_alloc(ranks->pool, Max(request.n, 1) * sizeof(uint32));
	FOR_INTERRUPTIBLE (r, 0, request.n)
	{
		uint32 i = ranks->row[r];
		Datum  value;

		ranks->rank[i] = aggregate_value(ranks->aggregate, block, ranks->from + i, &value) ? (uint32) r : NO_RANK;
	}
	ranks->set_memory = pool_alloc(ranks->pool, rank_set_bytes(request.n));
	rank_set_init(&ranks->set, request.n, ranks->set_memory);
	if (counts_groups(ranks) || is_rank(ranks))
		number_groups(ranks, order.peers);
	pool_free(ranks->pool, order.heads);
	pool_free(ranks->pool, order.peers);
}

/* ---- rows that come into the frame and leave it ---- */

/* Plays the tournament again along the path of a group whose count has changed. */
static inline void
play_again(Ranks *ranks, uint32 group)
{
	uint32 *largest = ranks->largest;

	for (uint32 p = (ranks->leaves + group) / 2; p > 0; p /= 2)
	{
		uint32 left = largest[2 * p];
		uint32 right = largest[2 * p + 1];
		uint32 before = largest[p];

		largest[p] = ranks->count[right] > ranks->count[left] ? right : left;
		if (largest[p] == before && before != group)
			return;
	}
}

static inline void
rank_add_or_remove_row(Ranks *ranks, int64 i, bool leaves)
{
	uint32 rank = ranks->rank[i - ranks->from];
	uint32 group;

	if (rank == NO_RANK)
		return;
	if (ranks->kind != MOVING_COUNT_DISTINCT)
		rank_set_change(&ranks->set, rank, leaves);
	if (!counts_groups(ranks))
		return;
	group = ranks->group[rank];
	if (leaves)
		ranks->present -= --ranks->count[group] == 0;
	else
		ranks->present += ranks->count[group]++ == 0;
	if (ranks->kind == MOVING_MODE)
		play_again(ranks, group);
}

static void
rank_add_or_remove_rows(void *arg, int64 from, int64 end, bool leave)
{
	FOR_INTERRUPTIBLE (i, from, end)
		rank_add_or_remove_row((Ranks *) arg, i, leave);
}

static Datum
value_of_rank(const Ranks *ranks, uint32 rank)
{
	return column_datum(&ranks->value, ranks->row[rank]);
}

static Datum
rank_percentile(const Ranks *ranks)
{
	int64  low, high;
	double part;
	uint32 rank;
	Datum  value;

	percentile_cont_place(ranks->fraction, ranks->set.n, &low, &high, &part);
	rank = rank_set_select(&ranks->set, low);
	value = value_of_rank(ranks, rank);
	if (low == high)
		return value;
	return ranks->interpolate(value, value_of_rank(ranks, rank_set_next(&ranks->set, rank + 1)), part);
}

static Datum
rank_percentile_numeric(const Ranks *ranks)
{
	NumericPercentile *numeric = ranks->numeric;
	uint32			   rank;
	Datum			   low, high;

	numeric_percentile_place(numeric, ranks->set.n);
	rank = rank_set_select(&ranks->set, numeric->low);
	low = high = value_of_rank(ranks, rank);
	if (numeric->high != numeric->low)
		high = value_of_rank(ranks, rank_set_next(&ranks->set, rank + 1));
	return numeric_percentile_answer(numeric, low, high);
}

/* Fetches the rank of the value of the frame's last row.  Returns false if there is no such row, or its value is NULL.
 */
static bool
rank_of_last_row(const Ranks *ranks, Datum *result)
{
	const FrameContent *content = &ranks->content;
	uint32 rank = content->parts == 0 ? NO_RANK : ranks->rank[content->part[content->parts - 1].end - 1 - ranks->from];
	int64  below;

	if (rank == NO_RANK)
		return false;
	below = rank_set_below(&ranks->set, ranks->start[ranks->group[rank]]);
	*result = ranks->kind == MOVING_RANK ? Int64GetDatum(below + 1) : Float8GetDatum(percent_rank(below, ranks->set.n));
	return true;
}

/* Returns the result of the aggregate's final function; the frame has a value. */
static Datum
rank_result(const Ranks *ranks)
{
	switch (ranks->kind)
	{
		case MOVING_PERCENTILE_CONT:
			return ranks->numeric != NULL ? rank_percentile_numeric(ranks) : rank_percentile(ranks);
		case MOVING_PERCENTILE_DISC:
			return value_of_rank(ranks,
								 rank_set_select(&ranks->set, percentile_disc_place(ranks->fraction, ranks->set.n)));
		default:
			/* of equal values, the one of the first row in window order */
			return value_of_rank(ranks, rank_set_next(&ranks->set, ranks->start[ranks->largest[1]]));
	}
}

/* True if a result may be out of range: an error must be raised at its row. */
static bool
interpolation_may_fail(const Ranks *ranks)
{
	return ranks->interpolate == interpolate_interval || (ranks->numeric != NULL && ranks->numeric->type == NUMERICOID);
}

static int64
order_statistic_rows(RowFunction *f, const Block *block, int64 done)
{
	Aggregate	 *aggregate = aggregate_of(f);
	Ranks		 *ranks = (Ranks *) aggregate->f.state;
	ResultColumn *result = &aggregate->f.result;
	int64		  end;

	ranks->block = block;
	if (done == block->begin || done == ranks->chunk_end)
		begin_chunk(ranks, block, done);
	end = interpolation_may_fail(ranks) ? done + 1 : Min(row_stop(&aggregate->f, block, done), ranks->chunk_end);
	for (int64 i = done; i < end; i++)
	{
		stretch_row(i);
		content_move(&ranks->content, block, i, rank_add_or_remove_rows, ranks);
		if (ranks->kind == MOVING_COUNT_DISTINCT)
			result_put(result, i, Int64GetDatum(ranks->present), false);
		else if (is_rank(ranks))
		{
			Datum value = 0;
			bool  isnull = !rank_of_last_row(ranks, &value);

			result_put(result, i, value, isnull);
		}
		else if (ranks->set.n == 0)
			result_put(result, i, 0, true);
		else
			result_put(result, i, rank_result(ranks), false);
		if (result_column_is_full(result))
			end = i + 1;
	}
	return end;
}

/*
 * True if comparing values of the type raises no error.  All values of a chunk are compared at once, including those of
 * rows that are never asked for.
 */
static bool
type_compares_safely(Oid type)
{
	type = getBaseType(type);
	return get_typtype(type) == TYPTYPE_ENUM ||
		   (type < FirstUnpinnedObjectId && get_typtype(type) == TYPTYPE_BASE && !OidIsValid(get_element_type(type)));
}

static Oid
less_than(Oid type)
{
	Oid less;

	get_sort_group_operators(type, false, false, false, &less, NULL, NULL, NULL);
	return less;
}

bool
aggregate_is_order_statistic(const Aggregate *aggregate)
{
	const AggregateCall *call = &aggregate->call;

	return call->moving >= MOVING_PERCENTILE_CONT && OidIsValid(less_than(call->type[0])) &&
		   type_compares_safely(call->type[0]) && call->fraction >= 0 && call->fraction <= 1 &&
		   /* the last row of a frame that passes the FILTER may be far from its end */
		   !(call->moving >= MOVING_RANK && aggregate->f.filter >= 0);
}

static void
order_statistic_start(Aggregate *aggregate)
{
	const AggregateCall *call = &aggregate->call;
	Ranks				*ranks = (Ranks *) aggregate->f.state;

	ranks->aggregate = aggregate;
	ranks->kind = call->moving;
	ranks->fraction = call->fraction;
	if (call->moving == MOVING_PERCENTILE_CONT)
		ranks->interpolate = type_info(call->result)->interpolate;
	if (call->moving == MOVING_PERCENTILE_CONT && call->result == NUMERICOID)
	{
		ranks->numeric = (NumericPercentile *) MemoryContextAlloc(aggregate->f.query, sizeof(NumericPercentile));
		numeric_percentile_start(ranks->numeric, getBaseType(call->type[0]), call->arguments == 1, aggregate->f.query);
		numeric_percentile_set(ranks->numeric, call->fraction);
	}
	ranks->order = key_order(less_than(call->type[0]), call->collation, false);
	ranks->pool = pool_create(aggregate->f.query);
	pool_may_spill(ranks->pool);
}

const AggregateOp aggregate_op_order_statistic = {.method = "order statistics",
												  .traits = AGGREGATE_READS_ALL,
												  .state_size = sizeof(Ranks),
												  .start = order_statistic_start,
												  .sliding = order_statistic_rows};

/*
 * monotonic_queue.c: min and max of any type over sliding frames, and moving_arg_min and its like.
 *
 * aggregate.c chooses this operation for PostgreSQL's own aggregates that are the first value in an order
 * (pg_aggregate.aggsortop), since a user's aggregate may declare such an order and do more; and for array_moving_min
 * and _max.  moving_arg_min, moving_arg_max, moving_first and moving_last return a value of the row whose key is first
 * in an order.  A queue holds the rows of the frame that may still become its extreme: each row's value is beyond all
 * later values of the frame, and the first row is the extreme.  A row comes in once and leaves once, so there are about
 * two comparisons per row, however long the frame is.  Numbers and times that fit in a Datum use
 * two_stacks.h, which also handles holes; here a comparison costs more than everything around it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "miscadmin.h"
#include "parser/parse_oper.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregate/internal.h"
#include "column/type.h"
#include "compat.h"
#include "sort/order.h"

typedef struct Extreme
{
	int				key;	 /* the argument that is compared; the result is the first argument, at the same row */
	SortSupportData compare; /* the order in which the extreme comes first */
	bool			oldest;	 /* the older one of equal keys wins, else the newer one */
	int64		   *row;	 /* the queue: rows of the input, in a ring of `capacity` */
	int64			capacity;
	int64			first; /* number of the queue's first entry; it only grows, and the ring wraps it */
	int64			last;  /* number after the queue's last entry */
	int64			to;	   /* rows of the input before this one have come in */

	/*
	 * The type's values may be stored packed.  Core returns the only value of a frame as it is stored, and one of
	 * several values as the transition function returns it, which may unpack it.  pg_column_size() tells the two apart.
	 */
	bool	 may_be_packed;
	FmgrInfo step;
	int64	 newest; /* the last row that has come in with a value; -1: none */
	int64	 second; /* the last row with a value before `newest`; -1: none */
} Extreme;

static inline int64 *
queue_entry(const Extreme *extreme, int64 i)
{
	return &extreme->row[i & (extreme->capacity - 1)];
}

/* Doubles the ring. */
static void
queue_grow(Aggregate *aggregate, Extreme *extreme)
{
	int64  capacity = Max(64, 2 * extreme->capacity);
	int64 *row = (int64 *) pool_alloc(aggregate->f.result.pool, capacity * sizeof(int64));

	FOR_INTERRUPTIBLE (i, extreme->first, extreme->last)
		row[i & (capacity - 1)] = *queue_entry(extreme, i);
	pool_free(aggregate->f.result.pool, extreme->row);
	extreme->row = row;
	extreme->capacity = capacity;
}

/* True if a key replaces an older one as the extreme. */
static bool
queue_key_replaces(Extreme *extreme, Datum key, Datum older)
{
	int order = ApplySortComparator(older, false, key, false, &extreme->compare);

	return extreme->oldest ? order > 0 : order >= 0;
}

/* Fetches an argument of a row of the input, which must be in the block. */
static pg_attribute_always_inline Datum
queue_argument_of_row(Aggregate *aggregate, const Block *block, int argument, int64 row, bool *isnull)
{
	return row_argument(&aggregate->f, block, argument, row - block->first, isnull);
}

/* Takes row i of the block into the queue. */
static void
queue_append(Aggregate *aggregate, Extreme *extreme, const Block *block, int64 i)
{
	Datum key;
	bool  isnull;

	if (!row_filter(&aggregate->f, block, i))
		return;
	key = row_argument(&aggregate->f, block, extreme->key, i, &isnull);
	if (isnull)
		return;
	extreme->second = extreme->newest;
	extreme->newest = block->first + i;
	while (extreme->first < extreme->last &&
		   queue_key_replaces(extreme, key,
							  queue_argument_of_row(aggregate, block, extreme->key,
													*queue_entry(extreme, extreme->last - 1), &isnull)))
		extreme->last--;
	if (extreme->last - extreme->first == extreme->capacity)
		queue_grow(aggregate, extreme);
	*queue_entry(extreme, extreme->last++) = block->first + i;
}

/* Stores the value of the queue's first row as the result of row i, whose frame begins at `head`. */
static void
queue_result(Aggregate *aggregate, Extreme *extreme, const Block *block, int64 i, int64 head)
{
	bool  isnull;
	Datum value = queue_argument_of_row(aggregate, block, 0, *queue_entry(extreme, extreme->first), &isnull);

	if (!isnull && extreme->may_be_packed && extreme->second >= head && VARATT_IS_EXTENDED(DatumGetPointer(value)))
		value = FunctionCall2Coll(&extreme->step, aggregate->call.collation, value, value);
	result_put(&aggregate->f.result, i, value, isnull);
}

static int64
extreme_rows(RowFunction *f, const Block *block, int64 done)
{
	Aggregate	   *aggregate = aggregate_of(f);
	Extreme		   *extreme = (Extreme *) aggregate->f.state;
	const RowFrame *frame = &block->frame[done];
	int64			head = block->first + frame->head;
	int64			tail = block->first + frame->tail;

	if (block_begins_anew(block, done))
	{
		extreme->first = extreme->last;
		extreme->to = 0;
		extreme->newest = extreme->second = -1;
	}
	if (head >= tail)
	{
		result_put(&aggregate->f.result, done, 0, true);
		return done + 1;
	}
	Assert(tail >= extreme->to);
	while (extreme->first < extreme->last && *queue_entry(extreme, extreme->first) < head)
		extreme->first++;
	extreme->to = Max(extreme->to, head);
	for (; extreme->to < tail; extreme->to++)
	{
		CHECK_FOR_INTERRUPTS();
		queue_append(aggregate, extreme, block, extreme->to - block->first);
	}
	if (extreme->first == extreme->last)
		result_put(&aggregate->f.result, done, 0, true);
	else
		queue_result(aggregate, extreme, block, done, head);
	return done + 1;
}

/* True if the result is a value of the row with an extreme key: moving_arg_min and its like. */
static bool
has_a_key(const AggregateCall *call)
{
	return call->moving >= MOVING_ARG_MIN && call->moving <= MOVING_LAST;
}

/* Returns the operator by which the key that wins comes first, InvalidOid if its type has no order. */
static Oid
key_operator(const AggregateCall *call)
{
	Oid less, greater;

	get_sort_group_operators(call->type[1], false, false, false, &less, NULL, &greater, NULL);
	return call->moving == MOVING_ARG_MIN ? less : greater;
}

static void
extreme_start(Aggregate *aggregate)
{
	const AggregateCall *call = &aggregate->call;
	Extreme				*extreme = (Extreme *) aggregate->f.state;
	KeyOrder order = key_order(has_a_key(call) ? key_operator(call) : call->sort_operator, call->collation, false);

	compare_prepare(&extreme->compare, &order, 0, false);
	if (has_a_key(call))
	{
		extreme->key = 1;
		extreme->oldest = call->moving != MOVING_LAST;
		return;
	}
	if (aggregate->components == NULL)
		return;
	extreme->may_be_packed = aggregate->f.result.data.length == -1;
	fmgr_info(aggregate->components->transition, &extreme->step);
	extreme->oldest = type_info(call->result)->keeps_oldest;
}

const AggregateOp aggregate_op_extreme = {
	.method = "queue", .state_size = sizeof(Extreme), .start = extreme_start, .sliding = extreme_rows};

/* A missing collation is an error only when values are compared, so the aggregate's own functions have to raise it. */
bool
aggregate_is_extreme(const Aggregate *aggregate)
{
	const AggregateCall *call = &aggregate->call;
	Oid					 type = has_a_key(call) ? call->type[1] : call->result;
	bool				 ordered = has_a_key(call) ? OidIsValid(key_operator(call))
												   : call->oid < FirstGenbkiObjectId && OidIsValid(call->sort_operator);

	return ordered && !(aggregate->f.needs & NEEDS_EXCLUSION) &&
		   !(type_is_collatable(type) && !OidIsValid(call->collation));
}

/*
 * monotonic_queue.c: min and max of any type over sliding frames.
 *
 * A queue has the rows of the frame that may still come to be its extreme: each is beyond all that
 * came after it, and the first is the extreme of the frame.  A row comes in once and goes out once, so there are
 * about two comparisons a row, however long the frame.  The numbers and times that fit in a Datum go by
 * the tree of inlined.c, which takes holes as well; here a comparison costs more than what is around it.
 * Fed by dispatch.c with PostgreSQL's own aggregates that say which order they are the first value of
 * (pg_aggregate.aggsortop); one of a user's may say so and do more.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "node/evaluate/dispatch.h"
#include "node/evaluate/moving.h"
#include "sort/compare.h"

typedef struct Extreme
{
	SortSupportData compare; /* the extreme comes first */
	bool			oldest;	 /* of equal values core keeps the older one */
	int64		   *row;	 /* rows of the input, in a ring */
	int64			capacity;
	int64			first; /* of the queue: never taken back to the ring's start, */
	int64			last;  /* and the one after it */
	int64			to;	   /* up to where rows of the input have come in */

	/*
	 * A type whose values may lie packed: core shows the only value of a frame as it is stored, and one of several as
	 * the transition function makes it, which may unpack it.  pg_column_size tells the two apart.
	 */
	bool	 may_be_packed;
	FmgrInfo step;
	int64	 newest; /* the last row that has come in with a value; -1: none */
	int64	 second; /* the last row with a value before `newest`; -1: none */
} Extreme;

static inline int64 *
place_of(const Extreme *extreme, int64 i)
{
	return &extreme->row[i & (extreme->capacity - 1)];
}

/* Makes the ring twice as long. */
static void
grow(NodeFunction *f, Extreme *extreme)
{
	int64  capacity = Max(64, 2 * extreme->capacity);
	int64 *row = (int64 *) pool_alloc(f->pool, capacity * sizeof(int64));

	FOR_INTERRUPTIBLE(i, extreme->first, extreme->last)
	row[i & (capacity - 1)] = *place_of(extreme, i);
	pool_free(f->pool, extreme->row);
	extreme->row = row;
	extreme->capacity = capacity;
}

/* Whether a value takes the place of one that came before it. */
static bool
surpasses(Extreme *extreme, Datum value, Datum older)
{
	int order = ApplySortComparator(older, false, value, false, &extreme->compare);

	return extreme->oldest ? order > 0 : order >= 0;
}

/* The value of a row of the input that is in the block. */
static Datum
value_at(NodeFunction *f, const Block *block, int64 row)
{
	bool isnull;

	return node_argument(f, block, 0, row - block->first, &isnull);
}

/* Row i of the block comes in. */
static void
take_in(NodeFunction *f, Extreme *extreme, const Block *block, int64 i)
{
	Datum value;

	if (!moving_value(f, block, i, &value))
		return;
	extreme->second = extreme->newest;
	extreme->newest = block->first + i;
	while (extreme->first < extreme->last &&
		   surpasses(extreme, value, value_at(f, block, *place_of(extreme, extreme->last - 1))))
		extreme->last--;
	if (extreme->last - extreme->first == extreme->capacity)
		grow(f, extreme);
	*place_of(extreme, extreme->last++) = block->first + i;
}

/* Stores the extreme, which is the queue's first row, as the result of row i, whose frame begins at `head`. */
static void
show(NodeFunction *f, Extreme *extreme, const Block *block, int64 i, int64 head)
{
	Datum		  value = value_at(f, block, *place_of(extreme, extreme->first));
	MemoryContext old;

	if (!extreme->may_be_packed || extreme->second < head || !VARATT_IS_EXTENDED(DatumGetPointer(value)))
	{
		node_put(f, i, value, false);
		return;
	}
	old = MemoryContextSwitchTo(f->scratch);
	node_put(f, i, FunctionCall2Coll(&extreme->step, f->wfunc->inputcollid, value, value), false);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
}

static int64
evaluate_extreme(NodeFunction *f, const Block *block, int64 done)
{
	Extreme		   *extreme = (Extreme *) f->state;
	const RowFrame *frame = &block->frame[done];
	int64			head = block->first + frame->head;
	int64			tail = block->first + frame->tail;
	MemoryContext	old;

	if (block_begins_anew(block, done))
	{
		extreme->first = extreme->last;
		extreme->to = 0;
		extreme->newest = extreme->second = -1;
	}
	if (head >= tail)
	{
		node_put(f, done, 0, true);
		return done + 1;
	}
	Assert(tail >= extreme->to);
	while (extreme->first < extreme->last && *place_of(extreme, extreme->first) < head)
		extreme->first++;
	extreme->to = Max(extreme->to, head);
	old = MemoryContextSwitchTo(f->scratch);
	for (; extreme->to < tail; extreme->to++)
	{
		CHECK_FOR_INTERRUPTS();
		take_in(f, extreme, block, extreme->to - block->first);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
	if (extreme->first == extreme->last)
		node_put(f, done, 0, true);
	else
		show(f, extreme, block, done, head);
	return done + 1;
}

bool
node_extreme_start(NodeFunction *f)
{
	Oid			  oid = f->wfunc->winfnoid;
	HeapTuple	  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Oid			  order = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggsortop;
	Oid			  step = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;
	Oid			  collation = f->wfunc->inputcollid;
	Extreme		 *extreme;
	MemoryContext old;

	ReleaseSysCache(tuple);
	/* what has no collation and needs one fails when values are compared, and not before */
	if (oid >= FirstGenbkiObjectId || !OidIsValid(order) || f->excludes ||
		(type_is_collatable(f->wfunc->wintype) && !OidIsValid(collation)))
		return false;
	old = MemoryContextSwitchTo(f->query);
	extreme = (Extreme *) palloc0(sizeof(Extreme));
	compare_prepare(&extreme->compare, &(KeyOrder){.sort_operator = order, .collation = collation}, 0, false);
	MemoryContextSwitchTo(old);
	extreme->may_be_packed = f->result.length == -1;
	fmgr_info_cxt(step, &extreme->step, f->query);
	extreme->oldest = step == F_BPCHAR_LARGER || step == F_BPCHAR_SMALLER;
	f->state = extreme;
	f->evaluate = evaluate_extreme;
	f->method = "queue";
	return true;
}

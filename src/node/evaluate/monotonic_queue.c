/*
 * monotonic_queue.c: min and max of any type over sliding frames.
 *
 * dispatch.c chooses this file for PostgreSQL's own aggregates that are the first value in an order
 * (pg_aggregate.aggsortop); a user's aggregate may declare such an order and do more.  A queue holds the rows of the
 * frame that may still become its extreme: each row's value is beyond all later values of the frame, and the first row
 * is the extreme.  A row comes in once and leaves once, so there are about two comparisons per row, however long the
 * frame is.  Numbers and times that fit in a Datum use the tree of inlined.c, which also handles holes; here a
 * comparison costs more than everything around it.
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
#include "node/evaluate/evaluators.h"
#include "node/evaluate/moving.h"
#include "sort/compare.h"

typedef struct Extreme
{
	SortSupportData compare; /* the order in which the extreme comes first */
	bool			oldest;	 /* true if core keeps the older one of equal values */
	int64		   *row;	 /* the queue: rows of the input, in a ring of `capacity` */
	int64			capacity;
	int64			first; /* number of the queue's first entry; it only grows, and the ring wraps it */
	int64			last;  /* number after the queue's last entry */
	int64			to;	   /* rows of the input before this one have come in */

	/*
	 * The type's values may be stored packed.  Core returns the only value of a frame as it is stored, and one of
	 * several values as the transition function returns it, which may unpack it.  pg_column_size() tells the two
	 * apart.
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

/* Doubles the ring. */
static void
grow(NodeFunction *f, Extreme *extreme)
{
	int64  capacity = Max(64, 2 * extreme->capacity);
	int64 *row = (int64 *) pool_alloc(f->pool, capacity * sizeof(int64));

	FOR_INTERRUPTIBLE (i, extreme->first, extreme->last)
		row[i & (capacity - 1)] = *place_of(extreme, i);
	pool_free(f->pool, extreme->row);
	extreme->row = row;
	extreme->capacity = capacity;
}

/* True if a value replaces an older one as the extreme. */
static bool
surpasses(Extreme *extreme, Datum value, Datum older)
{
	int order = ApplySortComparator(older, false, value, false, &extreme->compare);

	return extreme->oldest ? order > 0 : order >= 0;
}

/* Returns the value of a row of the input, which must be in the block. */
static Datum
value_at(NodeFunction *f, const Block *block, int64 row)
{
	bool isnull;

	return node_argument(f, block, 0, row - block->first, &isnull);
}

/* Takes row i of the block into the queue. */
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

/* Stores the value of the queue's first row as the result of row i, whose frame begins at `head`. */
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
	node_put(f, i, FunctionCall2Coll(&extreme->step, f->info.wfunc->inputcollid, value, value), false);
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
	Oid			  oid = f->info.wfunc->winfnoid;
	HeapTuple	  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Oid			  step = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;
	Oid			  collation = f->info.wfunc->inputcollid;
	Extreme		 *extreme;
	MemoryContext old;

	ReleaseSysCache(tuple);
	/* a missing collation is an error only when values are compared, so core's functions have to raise it */
	if (oid >= FirstGenbkiObjectId || !OidIsValid(f->info.sort_operator) || f->excludes ||
		(type_is_collatable(f->info.wfunc->wintype) && !OidIsValid(collation)))
		return false;
	old = MemoryContextSwitchTo(f->query);
	extreme = (Extreme *) palloc0(sizeof(Extreme));
	compare_prepare(&extreme->compare, &(KeyOrder){.sort_operator = f->info.sort_operator, .collation = collation}, 0,
					false);
	MemoryContextSwitchTo(old);
	extreme->may_be_packed = f->result.length == -1;
	fmgr_info_cxt(step, &extreme->step, f->query);
	extreme->oldest = step == F_BPCHAR_LARGER || step == F_BPCHAR_SMALLER;
	f->state = extreme;
	f->evaluate = evaluate_extreme;
	f->method = "queue";
	return true;
}

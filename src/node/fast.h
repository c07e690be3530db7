/*
 * fast.h: the loop of the stock aggregates that do without the function manager.
 *
 * An aggregate is a step, which takes a value in, and a show, which says what the
 * answer is so far; FAST makes its NodeAnswer of them, with both inlined into the one
 * loop.  fast.c has the table of all, numeric.c those of numerics.
 */
#ifndef SCAN_NODE_FAST_H
#define SCAN_NODE_FAST_H

#include "postgres.h"

#include "utils/timestamp.h"

#include "column/held.h"
#include "column/stretch.h"
#include "node/decimal.h"
#include "node/function.h"

/* What core's float8_accum has, but for the count. */
typedef struct FastMoments
{
	float8 sum;
	float8 squares; /* of the distances from the mean: only its overflow is seen */
} FastMoments;

/* The numerics of a partition: a sum, unless they were special or went beyond it. */
typedef struct FastNumeric
{
	Decimal		   sum;
	DecimalSpecial special;
	bool		   beyond; /* core's state has the sum */
} FastNumeric;

typedef struct Fast
{
	/* the running value of a partition: zero bytes at its head */
	int64 count; /* values that went in */
	union
	{
		int128		wide;
		int64		integer;
		float8		real;
		float4		narrow;
		Datum		datum;
		FastMoments moments;
		Interval	span;
		FastNumeric numeric;
	} total;

	/* what is there for all of them */
	NodeFunction *f;
	Held		  held;	  /* a value that is not in its Datum */
	DecimalBuffer shown;  /* the numeric that is the answer */
	void		 *beyond; /* numeric.c's */
} Fast;

typedef void (*FastStep)(Fast *fast, Datum value);
typedef Datum (*FastShow)(Fast *fast);

/* How an aggregate runs. */
typedef enum FastMode
{
	FAST_MANY = 0, /* to the end of the block */
	FAST_ONE = 1,  /* one row (or unit) at a time: a step may fail, or the answer lies in the Fast */
	FAST_ZERO = 2  /* without values it is what show says, not NULL */
} FastMode;

static pg_attribute_always_inline void
fast_row(NodeFunction *f, Fast *fast, const Block *block, int64 i, FastStep step)
{
	Datum value = 0;
	bool  isnull = false;

	if (block->head[i])
		memset(fast, 0, offsetof(Fast, f));
	if (!node_filter(f, block, i))
		return;
	if (f->arguments > 0)
		value = node_argument(f, block, 0, i, &isnull);
	if (!isnull)
	{
		step(fast, value);
		fast->count++;
	}
}

/* Units (rows, peer groups, partitions) to the end of the block, or one of them. */
static pg_attribute_always_inline int64
fast_answer(NodeFunction *f, const Block *block, int64 done, FastStep step, FastShow show, int mode)
{
	Fast		 *fast = (Fast *) f->state;
	bool		  one = (mode & FAST_ONE) != 0 || f->late_row != NULL;
	MemoryContext old = MemoryContextSwitchTo(f->results);

	do
	{
		int64 from = done;
		int64 end = f->need == NEED_ROW ? done + 1 : block_unit_end(block, f->need, done);
		bool  isnull;
		Datum value;

		STRETCHES (i, done, end)
			fast_row(f, fast, block, i, step);
		done = end;
		isnull = (mode & FAST_ZERO) == 0 && fast->count == 0;
		value = isnull ? (Datum) 0 : show(fast);
		STRETCHES (i, from, end)
			node_put(f, i, value, isnull);
	} while (done < block->n && !one);
	MemoryContextSwitchTo(old);
	return done;
}

#define FAST(STORAGE, NAME, MODE)                                                 \
	STORAGE int64 fast_##NAME(NodeFunction *f, const Block *block, int64 done)    \
	{                                                                             \
		return fast_answer(f, block, done, step_##NAME, show_##NAME, (int) MODE); \
	}

/* numeric.c */
extern int64 fast_sum_numeric(NodeFunction *f, const Block *block, int64 done);
extern int64 fast_avg_numeric(NodeFunction *f, const Block *block, int64 done);
extern int64 fast_min_numeric(NodeFunction *f, const Block *block, int64 done);
extern int64 fast_max_numeric(NodeFunction *f, const Block *block, int64 done);

#endif /* SCAN_NODE_FAST_H */

/*
 * lanes.c: stock sums and averages of floats over frames that move.
 *
 * To the bit they are what core gets by adding a frame's values from left to right, so each frame
 * is added anew, but many at a time (cpu/lanes.h).  A result that is no number, and one whose sum of
 * squares might overflow, is redone a value at a time by inlined.c's transition function, which raises
 * core's error: when its row is asked for, and not before.  Fed by inlined.c's table.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "cpu/lanes.h"
#include "node/eval/inlined.h"
#include "node/eval/moving.h"

/* With values below this no sum of the squares of their distances from the mean overflows. */
#define LARGEST 1e145

/* The values of a block that go in, one after the other. */
typedef struct Lanes
{
	int64  row; /* the first row of the block that is looked at */
	int64  capacity;
	int64 *place; /* how many values the rows before it have, for each row and the end of the last one */
	void  *value;
	double largest;
} Lanes;

/* The values of one part of a frame. */
typedef struct Run
{
	int64 from;
	int64 n;
} Run;

static Lanes *
lanes_of(NodeFunction *f, int64 row, int64 rows, size_t size)
{
	InlinedState *state = (InlinedState *) f->state;
	Lanes		 *lanes = (Lanes *) state->moving;

	if (lanes == NULL)
		lanes = state->moving = MemoryContextAllocZero(f->query, sizeof(Lanes));
	if (rows >= lanes->capacity)
	{
		pool_free(f->pool, lanes->place);
		pool_free(f->pool, lanes->value);
		lanes->capacity = Max(rows + 1, 2 * lanes->capacity);
		lanes->place = (int64 *) pool_alloc(f->pool, lanes->capacity * sizeof(int64));
		lanes->value = pool_alloc(f->pool, lanes->capacity * size);
	}
	lanes->row = row;
	lanes->largest = 0;
	return lanes;
}

/* The only part of row i's frame, or the first; returns how many there are. */
static int
runs_of(const Lanes *lanes, const Block *block, int64 i, Run *run)
{
	FramePart part[FRAME_PARTS];
	int		  parts = frame_parts(&block->frame[i], i, part);

	run[0] = (Run){0, 0};
	for (int p = 0; p < parts; p++)
	{
		run[p].from = lanes->place[part[p].from - lanes->row];
		run[p].n = lanes->place[part[p].end - lanes->row] - run[p].from;
	}
	return parts;
}

/* The result of a row by core's rules, value by value. */
static Datum
result_by_steps(NodeFunction *f, const Block *block, int64 i)
{
	InlinedState *state = (InlinedState *) f->state;
	FramePart	  part[FRAME_PARTS];
	int			  parts = frame_parts(&block->frame[i], i, part);

	inlined_start_partition(state);
	for (int p = 0; p < parts; p++)
		STRETCHES (row, part[p].from, part[p].end)
		{
			Datum value;

			if (!moving_value(f, block, row, &value))
				continue;
			state->aggregate->aggregate->transition(state, value);
			state->count++;
		}
	return state->aggregate->aggregate->final(state);
}

/*
 * The template for a type of values, TYPE, by functions of cpu/lanes.h.  `average`: core's sum begins
 * with 0, not with the first value, and is divided.
 */
#define LANES_OF(TYPE, NAME, AS_DATUM)                                                                            \
	/* Adds runs of values to the sums of lanes, which are next to each other or lie anywhere */                  \
	static void add_runs_##NAME(const TYPE *x, const Run *run, int64 skip, bool apart, TYPE *sum)                 \
	{                                                                                                             \
		int64 n = run[0].n;                                                                                       \
                                                                                                                  \
		for (int j = 1; j < LANES_APART && apart; j++)                                                            \
			n = Min(n, run[j].n);                                                                                 \
		for (int64 i = skip; i < n; i += STRETCH_ROWS)                                                            \
		{                                                                                                         \
			int64		stop = Min(n - i, STRETCH_ROWS);                                                          \
			const TYPE *at[LANES_APART];                                                                          \
                                                                                                                  \
			CHECK_FOR_INTERRUPTS();                                                                               \
			for (int j = 0; j < LANES_APART && apart; j++)                                                        \
				at[j] = x + run[j].from + i;                                                                      \
			if (apart)                                                                                            \
				lanes_add_apart_##NAME(at, stop, sum);                                                            \
			else                                                                                                  \
				lanes_add_##NAME(x + run[0].from + i, stop, sum);                                                 \
		}                                                                                                         \
		for (int j = 0; j < LANES_APART && apart; j++)                                                            \
			STRETCHES (i, n, run[j].n)                                                                            \
				sum[j] += x[run[j].from + i];                                                                     \
	}                                                                                                             \
                                                                                                                  \
	/* Sums of the frames of rows from i on, at least of one; returns of how many */                              \
	static int sums_##NAME(const Lanes *lanes, const Block *block, int64 i, int64 end, bool average, TYPE *sum,   \
						   int64 *count)                                                                          \
	{                                                                                                             \
		const TYPE *x = (const TYPE *) lanes->value;                                                              \
		Run			run[LANES + FRAME_PARTS];                                                                     \
		int			rows = 0;                                                                                     \
		bool		beside = true;                                                                                \
		int64		skip = average ? 0 : 1;                                                                       \
                                                                                                                  \
		while (rows < Min(end - i, LANES) && runs_of(lanes, block, i + rows, run + rows) <= 1 && run[rows].n > 0) \
		{                                                                                                         \
			beside = beside && run[rows].n == run[0].n && run[rows].from == run[0].from + rows;                   \
			if (!beside && rows >= LANES_APART)                                                                   \
				break;                                                                                            \
			rows++;                                                                                               \
		}                                                                                                         \
		if (rows < LANES)                                                                                         \
			rows = rows < LANES_APART ? 1 : LANES_APART;                                                          \
		if (rows == 1)                                                                                            \
		{                                                                                                         \
			int parts = runs_of(lanes, block, i, run);                                                            \
                                                                                                                  \
			sum[0] = 0;                                                                                           \
			count[0] = 0;                                                                                         \
			for (int p = 0; p < parts; p++)                                                                       \
				STRETCHES (v, run[p].from, run[p].from + run[p].n)                                                \
					sum[0] = count[0]++ == 0 && !average ? x[v] : sum[0] + x[v];                                  \
			return 1;                                                                                             \
		}                                                                                                         \
		for (int j = 0; j < rows; j++)                                                                            \
		{                                                                                                         \
			sum[j] = average ? 0 : x[run[j].from];                                                                \
			count[j] = run[j].n;                                                                                  \
		}                                                                                                         \
		add_runs_##NAME(x, run, skip, rows == LANES_APART, sum);                                                  \
		return rows;                                                                                              \
	}                                                                                                             \
                                                                                                                  \
	static int64 evaluate_##NAME(NodeFunction *f, const Block *block, int64 done, bool average,                   \
								 TYPE (*from_datum)(Datum))                                                       \
	{                                                                                                             \
		int64  from = block->frame[block->begin].head;                                                            \
		int64  to = block->frame[block->n - 1].tail;                                                              \
		Lanes *lanes = (Lanes *) ((InlinedState *) f->state)->moving;                                             \
		int64  rows;                                                                                              \
                                                                                                                  \
		if (done == block->begin)                                                                                 \
		{                                                                                                         \
			int64 values = 0;                                                                                     \
                                                                                                                  \
			lanes = lanes_of(f, from, to - from, sizeof(TYPE));                                                   \
			STRETCHES (i, from, to)                                                                               \
			{                                                                                                     \
				Datum value;                                                                                      \
                                                                                                                  \
				lanes->place[i - from] = values;                                                                  \
				if (!moving_value(f, block, i, &value))                                                           \
					continue;                                                                                     \
				((TYPE *) lanes->value)[values] = from_datum(value);                                              \
				if (fabs((double) ((TYPE *) lanes->value)[values]) > lanes->largest) /* a NaN is not */           \
					lanes->largest = fabs((double) ((TYPE *) lanes->value)[values]);                              \
				values++;                                                                                         \
			}                                                                                                     \
			lanes->place[to - from] = values;                                                                     \
		}                                                                                                         \
		for (int64 i = done; i < block->n; i += rows)                                                             \
		{                                                                                                         \
			TYPE  sum[LANES];                                                                                     \
			int64 count[LANES];                                                                                   \
                                                                                                                  \
			rows = sums_##NAME(lanes, block, i, block->n, average, sum, count);                                   \
			for (int j = 0; j < rows; j++)                                                                        \
			{                                                                                                     \
				Datum value = average ? Float8GetDatum((double) sum[j] / (double) count[j]) : AS_DATUM(sum[j]);   \
                                                                                                                  \
				if (count[j] > 0 && (!isfinite(sum[j]) || (average && !(lanes->largest < LARGEST))))              \
				{                                                                                                 \
					if (i + j > done)                                                                             \
						return i + j; /* it may fail: later */                                                    \
					value = result_by_steps(f, block, i);                                                         \
				}                                                                                                 \
				node_put(f, i + j, count[j] == 0 ? (Datum) 0 : value, count[j] == 0);                             \
			}                                                                                                     \
		}                                                                                                         \
		return block->n;                                                                                          \
	}

LANES_OF(double, float8, Float8GetDatum)
LANES_OF(float, float4, Float4GetDatum)

static double
float8_of_float4(Datum value)
{
	return DatumGetFloat4(value);
}

static double
float8_of_float8(Datum value)
{
	return DatumGetFloat8(value);
}

static float
float4_of_float4(Datum value)
{
	return DatumGetFloat4(value);
}

int64
evaluate_sum_float4(NodeFunction *f, const Block *block, int64 done)
{
	return evaluate_float4(f, block, done, false, float4_of_float4);
}

int64
evaluate_sum_float8(NodeFunction *f, const Block *block, int64 done)
{
	return evaluate_float8(f, block, done, false, float8_of_float8);
}

int64
evaluate_avg_float4(NodeFunction *f, const Block *block, int64 done)
{
	return evaluate_float8(f, block, done, true, float8_of_float4);
}

int64
evaluate_avg_float8(NodeFunction *f, const Block *block, int64 done)
{
	return evaluate_float8(f, block, done, true, float8_of_float8);
}

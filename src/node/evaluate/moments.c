/*
 * moments.c: exact_sum, exact_avg, exact_var_* and exact_stddev_* over sliding frames.
 *
 * Called by dispatch.c.  The sums of op/moments.h take values out as exactly as they take them in.  So a row goes in
 * once and out once, whatever the frame is, and the result is rounded once per row.  The rows of a hole (EXCLUDE) go
 * out and come back.  For WindowAgg the aggregates' own functions (functions/aggregate/exact.c) do the same; here no
 * function is called.
 */
#include "postgres.h"

#include <fenv.h>

#include "column/memory.h"
#include "error.h"
#include "node/evaluate/evaluators.h"
#include "node/evaluate/moving.h"
#include "op/moments.h"

typedef struct FrameMoments
{
	NodeFunction *f;
	const Block	 *block;
	MovingKind	  kind;
	bool		  narrow;	   /* the values are float4 */
	bool		  with_square; /* the sum of squares is needed, for a variance */
	ContextMemory memory;
	Moments		  moments;
	FrameContent  content;
} FrameMoments;

/* Empties the sums, and keeps their memory. */
static void
moments_empty(FrameMoments *state)
{
	Moments empty = {0};

	empty.sum.limb = state->moments.sum.limb;
	empty.sum.room = state->moments.sum.room;
	empty.squares.limb = state->moments.squares.limb;
	empty.squares.room = state->moments.squares.room;
	state->moments = empty;
	state->content.parts = 0;
}

static void
take_row(void *arg, int64 i, bool leaves)
{
	FrameMoments *state = (FrameMoments *) arg;
	Datum		  value;

	if (moving_value(state->f, state->block, i, &value))
		moments_take(&state->moments, &state->memory.memory,
					 state->narrow ? (double) DatumGetFloat4(value) : DatumGetFloat8(value), state->with_square,
					 leaves);
}

/* Computes the result of the aggregate's final function. */
static ScanStatus
answer(const FrameMoments *state, Datum *value)
{
	const Moments *m = &state->moments;
	double		   wide = 0.0;
	float		   narrow = 0.0f;
	ScanStatus	   status;

	switch (state->kind)
	{
		case MOVING_EXACT_SUM:
			status = state->narrow ? moments_sum_float4(m, &narrow) : moments_sum_float8(m, &wide);
			break;
		case MOVING_EXACT_AVG:
			status = moments_average(m, &wide);
			break;
		default:
			status = moments_variance(
				m, state->kind == MOVING_EXACT_VAR_SAMP || state->kind == MOVING_EXACT_STDDEV_SAMP,
				state->kind == MOVING_EXACT_STDDEV_POP || state->kind == MOVING_EXACT_STDDEV_SAMP, &wide);
			break;
	}
	*value = state->narrow ? Float4GetDatum(narrow) : Float8GetDatum(wide);
	return status;
}

/*
 * Evaluates rows from `done` on, up to one whose result is out of range.  Returns that row, or the block's end, and
 * sets *status to that row's status.
 */
static int64
evaluate_rows(NodeFunction *f, FrameMoments *state, const Block *block, int64 done, ScanStatus *status)
{
	*status = SCAN_OK;
	FOR_INTERRUPTIBLE (i, done, block->n)
	{
		Datum value;

		/* the last partition's values may have had a wide range, and this one's need not */
		if (block->head[i])
			moments_empty(state);
		content_move(&state->content, block, i, take_row, state);
		*status = answer(state, &value);
		if (*status != SCAN_OK && *status != SCAN_NULL)
			return i;
		node_put(f, i, value, *status == SCAN_NULL);
	}
	*status = SCAN_OK;
	return block->n;
}

/*
 * Evaluates to the end of the block, or to a row whose result is out of range; the error is raised when that row is
 * asked for.
 */
static int64
evaluate_moments(NodeFunction *f, const Block *block, int64 done)
{
	FrameMoments *state = (FrameMoments *) f->state;
	ScanStatus	  status;
	int64		  end;

	state->block = block;
	if (done == block->begin)
		moments_empty(state);
	/* the sums are integers, but float4 and double are converted into each other: no denormal may be flushed to zero */
	fesetenv(FE_DFL_ENV);
	end = evaluate_rows(f, state, block, done, &status);
	if (end == done)
		scan_check(status);
	return end;
}

bool
node_moments_start(NodeFunction *f)
{
	MovingKind	  kind = f->info.moving;
	FrameMoments *state;

	if (kind < MOVING_EXACT_SUM || kind > MOVING_EXACT_STDDEV_SAMP)
		return false;
	state = (FrameMoments *) MemoryContextAllocZero(f->query, sizeof(FrameMoments));
	state->f = f;
	state->kind = kind;
	state->narrow = f->result.length == sizeof(float4);
	state->with_square = kind >= MOVING_EXACT_VAR_POP;
	context_memory(&state->memory, f->query);
	f->state = state;
	f->evaluate = evaluate_moments;
	f->method = "exact sums";
	return true;
}

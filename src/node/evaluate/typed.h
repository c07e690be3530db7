/*
 * typed.h: the loop of a stock aggregate over a column whose format the compiler knows.
 *
 * INLINED_TYPED makes an Evaluate function for an aggregate of inlined.c.  Its argument and its result are columns of a
 * constant format, and the running total is a local variable, so a row costs little more than the transition: count(*)
 * took 9 ns a row by the loop of inlined_loop.h and takes 1, sum(int4) 17 and 1.2 (test/bench/answer.sql).
 * inlined_evaluate() evaluates what this loop leaves to it: late arguments, constants, units larger than memory, and
 * units with a row at which a transition raises an error or adds two NaNs.
 *
 * Rejected: to run these aggregates as jobs (cpu/cpu.h) on the CPU too.  A job needs the heads as bits, and returns a
 * result for each row, so two more passes would make the heads and copy results to the row's peers.
 */
#ifndef SCAN_NODE_EVALUATE_TYPED_H
#define SCAN_NODE_EVALUATE_TYPED_H

#include "postgres.h"

#include "node/evaluate/inlined_loop.h"

/*
 * A transition that raises no error.  Returns false, and leaves the total unchanged, where core raises an error or adds
 * two NaNs.
 */
typedef bool (*InlinedTry)(InlinedState *state, Datum value);

/*
 * Copies the count, and the member of the total that the aggregate uses.  Rejected: to copy the whole union, which the
 * compiler then keeps in memory; a row took two to four times as long.
 */
typedef void (*InlinedCopy)(InlinedState *to, const InlinedState *from);

static const InlinedState typed_empty = {0};

/* The columns of a block that the loop reads. */
typedef struct TypedInput
{
	const Column *value;  /* of the argument; NULL: there is none */
	const Column *filter; /* of the FILTER; NULL: there is none */
} TypedInput;

/*
 * Finds the columns of a block.  Returns false if the loop cannot be used for it: an argument is late or constant, or
 * the block is one of a unit larger than memory.
 */
static inline bool
typed_input(const NodeFunction *f, const Block *block, TypedInput *input)
{
	if (f->deferred_row != NULL || block->accumulated[f->info.lookahead])
		return false;
	input->value = f->arguments > 0 ? &block->rows->column[f->argument[0]].data : NULL;
	input->filter = f->filter >= 0 ? &block->rows->column[f->filter].data : NULL;
	return true;
}

/*
 * Evaluates whole units from row `done` on, and returns the row after the last one: the block's end, or less if
 * results take memory in the arena, or the first row of a unit in which `try` refused.  `plain`: there are no NULLs and
 * no FILTER.  `in` is the format of the values, or COLUMN_REFERENCE if only their NULLs count; `out` that of the
 * results.
 */
static pg_attribute_always_inline int64
typed_units(NodeFunction *f, const Block *block, int64 done, const TypedInput *input, bool plain, InlinedTry try,
			InlinedCopy copy, InlinedFinal final, int mode, ColumnFormat in, ColumnFormat out)
{
	InlinedState *state = (InlinedState *) f->state;
	const bool	 *head = block->head;
	const bool	 *unit = f->info.lookahead == LOOKAHEAD_PARTITION ? block->head : block->peer;
	bool		  by_row = f->info.lookahead == LOOKAHEAD_NONE;
	Column		  value = input->value == NULL ? (Column){0} : *input->value;
	Column		  result = f->result;
	const char	 *pass = plain || input->filter == NULL ? NULL : input->filter->value;
	int			  pass_stride = input->filter == NULL ? 0 : input->filter->stride;
	int64		  n = block->n, from = done;
	int64		  stop = node_stop(f, block, done);
	InlinedState  running;

	value.format = in;
	value.stride = column_width(in);
	result.format = out;
	result.stride = column_width(out);
	copy(&running, state);
	FOR_INTERRUPTIBLE (i, done, n)
	{
		bool isnull;

		if (head[i])
			copy(&running, &typed_empty);
		/* a NULL of a FILTER is laid down as false */
		if ((pass == NULL || pass[i * pass_stride]) && (plain || !value.has_nulls || !scan_bit(value.nulls, i)))
		{
			if (!try(&running, in == COLUMN_REFERENCE ? (Datum) 0 : column_datum(&value, i)))
				return from;
			running.count++;
		}
		if (!by_row && i + 1 < n && !unit[i + 1])
			continue;
		/* the state as it is before the next unit: where inlined_evaluate() continues */
		copy(state, &running);
		isnull = (mode & INLINED_ZERO) == 0 && running.count == 0;
		if (unlikely(isnull) || out == COLUMN_REFERENCE)
			node_put_rows(f, from, i + 1, isnull ? (Datum) 0 : final(state), isnull);
		else
		{
			Datum shown = final(state);

			for (int64 row = from; row <= i; row++)
				column_store(&result, row, shown);
		}
		from = i + 1;
		if (out == COLUMN_REFERENCE && from >= stop)
			return from;
	}
	return from;
}

/* An Evaluate: the typed loop as far as it goes, but at least one unit. */
static pg_attribute_always_inline int64
typed_evaluate(NodeFunction *f, const Block *block, int64 done, InlinedTransition transition, InlinedTry try,
			   InlinedCopy copy, InlinedFinal final, int mode, ColumnFormat in, ColumnFormat out)
{
	MemoryContext old;
	TypedInput	  input;
	int64		  end;

	if (!typed_input(f, block, &input) || (in != COLUMN_REFERENCE && input.value == NULL) ||
		(input.value != NULL && !column_is_dense(input.value, in == COLUMN_REFERENCE ? input.value->format : in)))
		return inlined_evaluate(f, block, done, transition, final, mode);
	old = MemoryContextSwitchTo(f->scratch);
	if (input.filter == NULL && (input.value == NULL || !input.value->has_nulls))
		end = typed_units(f, block, done, &input, true, try, copy, final, mode, in, out);
	else
		end = typed_units(f, block, done, &input, false, try, copy, final, mode, in, out);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
	return end > done ? end : inlined_evaluate(f, block, done, transition, final, mode);
}

/*
 * As INLINED_MOVING, with the typed loop.  FIELD is the member of the total, COLUMN_IN the format of the values and
 * COLUMN_OUT that of the results.
 */
#define INLINED_TYPED(STORAGE, NAME, TRANSITION, TRY, FIELD, FINAL, MODE, IN, OUT, MOVING, METHOD)            \
	static inline void copy_##NAME(InlinedState *to, const InlinedState *from)                                \
	{                                                                                                         \
		to->count = from->count;                                                                              \
		to->total.FIELD = from->total.FIELD;                                                                  \
	}                                                                                                         \
	static int64 inlined_evaluate_##NAME(NodeFunction *f, const Block *block, int64 done)                     \
	{                                                                                                         \
		return typed_evaluate(f, block, done, transition_##TRANSITION, try_##TRY, copy_##NAME, final_##FINAL, \
							  (int) MODE, COLUMN_##IN, COLUMN_##OUT);                                         \
	}                                                                                                         \
	INLINED_LINE(STORAGE, NAME, TRANSITION, FINAL, MODE, MOVING, METHOD)

/* The try of a transition that never raises an error. */
#define INLINED_TRY(NAME)                                           \
	static inline bool try_##NAME(InlinedState *state, Datum value) \
	{                                                               \
		transition_##NAME(state, value);                            \
		return true;                                                \
	}

#endif /* SCAN_NODE_EVALUATE_TYPED_H */

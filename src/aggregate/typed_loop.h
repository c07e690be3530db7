/*
 * typed_loop.h: frames that only grow, over columns whose formats the compiler knows.
 *
 * TYPED_OP makes an operation of number_op.h with such a loop as its `running`.  The argument and the result are
 * columns of a constant format, and the running total is a local variable, so a row costs little more than the
 * transition: count(*) took 9 ns a row by a loop over Datums and takes 1, sum(int4) 17 and 1.2 (test/bench/answer.sql).
 * running_rows() evaluates late arguments (aggregate.c) and what this loop leaves to it: constants, units larger than
 * memory, and units with a row at which a transition raises an error or adds two NaNs.
 *
 * Rejected: to run these aggregates as jobs (cpu/cpu.h) on the CPU too.  A job needs the heads as bits, and returns a
 * result for each row, so two more passes would make the heads and copy results to the row's peers.
 */
#ifndef SCAN_AGGREGATE_TYPED_LOOP_H
#define SCAN_AGGREGATE_TYPED_LOOP_H

#include "postgres.h"

#include "utils/memutils.h"

#include "aggregate/internal.h"
#include "aggregate/number_op.h"

/*
 * A transition that raises no error.  Returns false, and leaves the total unchanged, where core raises an error or adds
 * two NaNs.
 */
typedef bool (*TypedTry)(NumberState *state, Datum value);

/*
 * Copies the count, and the member of the total that the aggregate uses.  Rejected: to copy the whole union, which the
 * compiler then keeps in memory; a row took two to four times as long.
 */
typedef void (*TypedCopy)(NumberState *to, const NumberState *from);

/* AggregateOp.put */
typedef Datum (*TypedPut)(ResultColumn *result, NumberState *state);

static const NumberState typed_empty = {0};

/* The format of values that are not read: only their NULLs count. */
#define COLUMN_ANY ((ColumnFormat) -1)

/* The columns of a block that the loop reads. */
typedef struct TypedInput
{
	const Column *value;  /* of the argument; NULL: there is none */
	const Column *filter; /* of the FILTER; NULL: there is none */
} TypedInput;

/*
 * Evaluates whole units from row `done` on, and returns the row after the last one: the block's end, or less if results
 * take memory in the arena, or the first row of a unit in which `try` refused.  `plain`: there are no NULLs and no
 * FILTER.  `in` is the format of the values, `out` that of the results.
 */
static pg_attribute_always_inline int64
typed_units(Aggregate *aggregate, const Block *block, int64 done, const TypedInput *input, bool plain, TypedTry try,
			TypedCopy copy, TypedPut put, int traits, ColumnFormat in, ColumnFormat out)
{
	NumberState *state = (NumberState *) aggregate->f.state;
	const bool	*head = block->head;
	const bool	*unit = row_unit(&aggregate->f) == LOOKAHEAD_PARTITION ? block->head : block->peer;
	bool		 by_row = row_unit(&aggregate->f) == LOOKAHEAD_NONE;
	Column		 value = input->value == NULL ? (Column){0} : *input->value;
	Column		 result = column_of_format(&aggregate->f.result.data, out);
	const char	*pass = plain || input->filter == NULL ? NULL : input->filter->value;
	int			 pass_stride = input->filter == NULL ? 0 : input->filter->stride;
	int64		 n = block->n, from = done;
	int64		 stop = row_stop(&aggregate->f, block, done);
	NumberState	 running;

	if (in != COLUMN_ANY)
		value = column_of_format(&value, in);
	copy(&running, state);
	FOR_INTERRUPTIBLE (i, done, n)
	{
		bool isnull;

		if (head[i])
			copy(&running, &typed_empty);
		/* a NULL of a FILTER is stored as false */
		if ((pass == NULL || pass[i * pass_stride]) && (plain || !value.has_nulls || !scan_bit(value.nulls, i)))
		{
			if (!try(&running, in == COLUMN_ANY ? (Datum) 0 : column_datum(&value, i)))
				return from;
			running.count++;
		}
		if (!by_row && i + 1 < n && !unit[i + 1])
			continue;
		/* the state as it is before the next unit: where running_rows() continues */
		copy(state, &running);
		isnull = (traits & AGGREGATE_ZERO) == 0 && running.count == 0;
		if (unlikely(isnull))
			result_put_rows(&aggregate->f.result, from, i + 1, 0, true);
		else
		{
			Datum shown = put(&aggregate->f.result, state);

			for (int64 row = from; row <= i; row++)
				column_store(&result, row, shown);
		}
		from = i + 1;
		if (out == COLUMN_REFERENCE && from >= stop)
			return from;
	}
	return from;
}

/* True if a loop that is compiled for a format can read the argument's column; NULL: there is no argument. */
static inline bool
typed_reads(const Column *value, ColumnFormat in)
{
	return value == NULL ? in == COLUMN_ANY : column_is_dense(value, in == COLUMN_ANY ? value->format : in);
}

/* An EvaluateRows: the typed loop as far as it goes, but at least one unit. */
static pg_attribute_always_inline int64
typed_rows(Aggregate *aggregate, const Block *block, int64 done, TypedTry try, TypedCopy copy, TypedPut put, int traits,
		   ColumnFormat in, ColumnFormat out)
{
	TypedInput input;
	int64	   end;

	if (block->accumulated[row_unit(&aggregate->f)])
		return running_rows(&aggregate->f, block, done);
	input.value = aggregate->call.arguments > 0 ? row_column(&aggregate->f, block, 0) : NULL;
	input.filter = aggregate->f.filter >= 0 ? &block->rows->column[aggregate->f.filter].data : NULL;
	if (!typed_reads(input.value, in))
		return running_rows(&aggregate->f, block, done);
	if (input.filter == NULL && (input.value == NULL || !input.value->has_nulls))
		end = typed_units(aggregate, block, done, &input, true, try, copy, put, traits, in, out);
	else
		end = typed_units(aggregate, block, done, &input, false, try, copy, put, traits, in, out);
	return end > done ? end : running_rows(&aggregate->f, block, done);
}

/* The loop of typed_add().  `pass`: the FILTER's truth values, `stride` apart; NULL: there is none. */
static pg_attribute_always_inline int64
typed_add_loop(NumberState *running, const Column *value, const char *pass, int stride, bool nulls, int64 from,
			   int64 end, TypedTry try, ColumnFormat in)
{
	FOR_INTERRUPTIBLE (i, from, end)
		if ((pass == NULL || pass[i * stride]) && (!nulls || !scan_bit(value->nulls, i)))
		{
			if (!try(running, in == COLUMN_ANY ? (Datum) 0 : column_datum(value, i)))
				return i;
			running->count++;
		}
	return end;
}

/*
 * An operation's `add` over a column whose format the compiler knows: the rows of a unit that is larger than memory, or
 * of a group that WindowReduce adds up.  What the typed loop of results leaves to running_rows(), this leaves to
 * number_add().
 */
static pg_attribute_always_inline void
typed_add(Aggregate *aggregate, const Block *block, int64 from, int64 end, TypedTry try, TypedCopy copy,
		  NumberTransition transition, ColumnFormat in)
{
	const RowFunction *f = &aggregate->f;
	NumberState		  *state = (NumberState *) f->state;
	bool			   is_late = f->late_filter != NULL || (f->arguments > 0 && argument_is_late(f, 0));
	const Column	  *read = f->arguments > 0 && !is_late ? row_column(f, block, 0) : NULL;
	const Column	  *filter = f->filter >= 0 ? &block->rows->column[f->filter].data : NULL;
	const char		  *pass = filter == NULL ? NULL : filter->value;
	int				   stride = filter == NULL ? 0 : filter->stride;

	if (!is_late && typed_reads(read, in))
	{
		Column		value = read == NULL ? (Column){0} : *read;
		NumberState running;

		if (in != COLUMN_ANY)
			value = column_of_format(&value, in);
		copy(&running, state);
		if (pass == NULL && !value.has_nulls)
			from = typed_add_loop(&running, &value, NULL, 0, false, from, end, try, in);
		else
			from = typed_add_loop(&running, &value, pass, stride, value.has_nulls, from, end, try, in);
		copy(state, &running);
	}
	if (from < end)
		number_add(aggregate, block, from, end, transition);
}

/*
 * As NUMBER_OP, with the typed loop.  FIELD is the member of the total, IN the format of the values and OUT that of the
 * results, which PUT (TypedPut) makes.
 */
#define TYPED_PUT_OP(NAME, TRANSITION, FIELD, FINAL, PUT, TRAITS, IN, OUT, SLIDING, METHOD)                          \
	static inline void copy_##NAME(NumberState *to, const NumberState *from)                                         \
	{                                                                                                                \
		to->count = from->count;                                                                                     \
		to->total.FIELD = from->total.FIELD;                                                                         \
	}                                                                                                                \
	static int64 running_##NAME(RowFunction *f, const Block *block, int64 done)                                      \
	{                                                                                                                \
		return typed_rows(aggregate_of(f), block, done, try_##TRANSITION, copy_##NAME, PUT, TRAITS, COLUMN_##IN,     \
						  COLUMN_##OUT);                                                                             \
	}                                                                                                                \
	static void add_##NAME(Aggregate *aggregate, const Block *block, int64 from, int64 end)                          \
	{                                                                                                                \
		typed_add(aggregate, block, from, end, try_##TRANSITION, copy_##NAME, transition_##TRANSITION, COLUMN_##IN); \
	}                                                                                                                \
	NUMBER_OP_THAT_ADDS(NAME, FINAL, PUT, TRAITS, running_##NAME, SLIDING, METHOD)

/* The same for results that are passed by value. */
#define TYPED_OP(NAME, TRANSITION, FIELD, FINAL, TRAITS, IN, OUT, SLIDING, METHOD) \
	static inline Datum put_##NAME(ResultColumn *result, NumberState *state)       \
	{                                                                              \
		return final_##FINAL(state);                                               \
	}                                                                              \
	TYPED_PUT_OP(NAME, TRANSITION, FIELD, FINAL, put_##NAME, TRAITS, IN, OUT, SLIDING, METHOD)

/* The try of a transition that never raises an error. */
#define TYPED_TRY(NAME)                                            \
	static inline bool try_##NAME(NumberState *state, Datum value) \
	{                                                              \
		transition_##NAME(state, value);                           \
		return true;                                               \
	}

#endif /* SCAN_AGGREGATE_TYPED_LOOP_H */

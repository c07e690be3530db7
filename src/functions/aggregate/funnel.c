/*
 * funnel.c: the aggregate scan_funnel(at, within [, mode], VARIADIC steps): how many steps in order were reached within
 * a time of the first one.
 *
 * A chain is a row that satisfies the first step, a later one that satisfies the second step, and so on, of which the
 * last has at <= first at + within.  The result is the number of rows of the longest chain.  The state keeps for each
 * step, of the chains that have reached it, the `at` of that first row from which on there is most time left.  That is
 * exact: a row extends the chains of the step before, so the time that is left to a step never becomes earlier, and
 * what a step gets from the step before is at least what it has.  Steps are visited from the last one to the first, so
 * that a row extends a chain by one step.
 *
 * With 'strict_increase' a row extends only chains that were there before the row's time: the steps that rows of one
 * time reach are noted, and entered when the time moves on.
 *
 * The steps are declared VARIADIC "any", so that each is an argument of its own.  Rejected: VARIADIC boolean[].  An
 * array would be made for each row; and PostgreSQL prints a window call of such an aggregate without the word VARIADIC,
 * so that a view of it could not be restored from a dump.  An array that is passed as VARIADIC is one argument here.
 *
 * The state of most types of `at` is flat, in a bytea that is changed in place, so that it travels between processes.
 * The state of numeric times has pointers, and is `internal`.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "call/entry.h"
#include "column/memory.h"
#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "functions/window/at.h"

/* What a state is of, and what has happened: a set of bits. */
enum
{
	FUNNEL_STRICT_ORDER = 1,
	FUNNEL_STRICT_INCREASE = 2,
	FUNNEL_MODES = 3,
	FUNNEL_STARTED = 4, /* there was a row that is not skipped */
	FUNNEL_ENDED = 8,	/* the search is over: 'strict_order', or all steps are reached */
};

/* A state.  Behind it lies, for each step, a bool: true if rows of the last time have reached it ('strict_increase').
 */
typedef struct Funnel
{
	int32	 length; /* SET_VARSIZE */
	int32	 flags, steps;
	int32	 reached; /* the result */
	int32	 entered; /* the steps that a row of the next time may extend */
	int32	 padding;
	Interval interval;					   /* `within`, if it is an interval */
	Datum	 within;					   /* `within`, if it is a number */
	Datum	 last;						   /* `at` of the last row */
	Datum	 start[FLEXIBLE_ARRAY_MEMBER]; /* of the steps that are entered */
} Funnel;

static Size
funnel_size(int32 steps)
{
	return offsetof(Funnel, start) + (Size) steps * (sizeof(Datum) + sizeof(bool));
}

static bool *
funnel_noted(Funnel *funnel)
{
	return (bool *) &funnel->start[funnel->steps];
}

/* ---- the arguments: a state, at, within, a mode where there is one, and steps ---- */

/* Returns the bits of a mode: names, separated by commas or spaces. */
static int32
funnel_mode(const text *mode)
{
	static const char separators[] = ", ";

	char *name = text_to_cstring(mode);
	int32 flags = 0;

	for (const char *word = name + strspn(name, separators); *word != '\0';)
	{
		size_t n = strcspn(word, separators);

		if (n == strlen("strict_order") && memcmp(word, "strict_order", n) == 0)
			flags |= FUNNEL_STRICT_ORDER;
		else if (n == strlen("strict_increase") && memcmp(word, "strict_increase", n) == 0)
			flags |= FUNNEL_STRICT_INCREASE;
		else
		{
			flags = 0;
			break;
		}
		word += n;
		word += strspn(word, separators);
	}
	if (flags == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"mode\" must be 'strict_order', 'strict_increase', or both: \"%s\"", name),
				 errhint("With 'strict_order', no other rows may lie between the steps. With 'strict_increase', each "
						 "step must come later than the step before. For neither, leave \"mode\" out.")));
	pfree(name);
	return flags;
}

/* What a call passes.  Kept in fn_extra, so it lives as long as the plan. */
typedef struct FunnelCall
{
	bool has_mode;
	int	 first;	   /* the argument that is the first step */
	bool is_array; /* it is an array of all steps */
} FunnelCall;

/* Raises an error if an argument is no condition.  A NULL has no type. */
static void
funnel_check_step(FunctionCallInfo fcinfo, int arg, int step)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, arg);

	if (getBaseType(type) == BOOLOID || (type == UNKNOWNOID && PG_ARGISNULL(arg)))
		return;
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("step %d of the funnel must be boolean, not %s", step, format_type_be(type)),
					errhint("Write the condition of each step: scan_funnel(at, within, step1, step2, step3).")));
}

static const FunnelCall *
funnel_call_of(FunctionCallInfo fcinfo)
{
	FunnelCall *call = (FunnelCall *) fcinfo->flinfo->fn_extra;

	if (likely(call != NULL))
		return call;
	call = (FunnelCall *) MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(FunnelCall));
	call->has_mode = get_fn_expr_argtype(fcinfo->flinfo, 3) == TEXTOID;
	call->first = call->has_mode ? 4 : 3;
	call->is_array = PG_NARGS() == call->first + 1 && get_fn_expr_argtype(fcinfo->flinfo, call->first) == BOOLARRAYOID;
	for (int arg = call->first; arg < PG_NARGS() && !call->is_array; arg++)
		funnel_check_step(fcinfo, arg, arg - call->first + 1);
	fcinfo->flinfo->fn_extra = call;
	return call;
}

/* Returns the conditions that came as an array; NULL is false.  `room` has room for `most` of them. */
static const bool *
funnel_array_conditions(const ArrayType *array, int32 *n, bool *room, int32 most)
{
	const uint8 *not_null = ARR_NULLBITMAP(array);
	const bool	*value = (const bool *) ARR_DATA_PTR(array);

	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"steps\" must have at least one condition, in one dimension"),
						errhint("Write the condition of each step: scan_funnel(at, within, step1, step2, step3).")));
	*n = ARR_DIMS(array)[0];
	if (not_null == NULL)
		return value;
	if (*n > most)
		room = (bool *) palloc(*n);
	for (int32 k = 0; k < *n; k++)
		room[k] = (not_null[k / 8] >> k % 8 & 1) != 0 && *value++;
	return room;
}

/* Returns the *n conditions of a row; NULL is false.  `room` has room for those of FUNC_MAX_ARGS arguments. */
static const bool *
funnel_conditions(FunctionCallInfo fcinfo, const FunnelCall *call, int32 *n, bool *room)
{
	if (call->is_array)
	{
		if (PG_ARGISNULL(call->first))
			scan_raise_null("steps");
		return funnel_array_conditions(PG_GETARG_ARRAYTYPE_P(call->first), n, room, FUNC_MAX_ARGS);
	}
	*n = PG_NARGS() - call->first;
	for (int32 k = 0; k < *n; k++)
		room[k] = !PG_ARGISNULL(call->first + k) && PG_GETARG_BOOL(call->first + k);
	return room;
}

static void
funnel_raise_changed(const char *argument)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"%s\" must not change within a frame or a group", argument),
					errhint("Give \"%s\" one value for all rows, or add the columns that it depends on to PARTITION BY "
							"or GROUP BY.",
							argument)));
}

/* Raises an error if a row's constants are not those of the state. */
static void
funnel_check_row(const Funnel *funnel, const AtType *type, int32 modes, Datum within, int32 steps)
{
	bool same = type->limit == INTERVALOID	? memcmp(DatumGetPointer(within), &funnel->interval, sizeof(Interval)) == 0
				: type->limit == NUMERICOID ? DatumGetBool(DirectFunctionCall2(numeric_eq, within, funnel->within))
											: within == funnel->within;

	if (unlikely(!same))
		funnel_raise_changed("within");
	if (unlikely(modes != (funnel->flags & FUNNEL_MODES)))
		funnel_raise_changed("mode");
	if (unlikely(steps != funnel->steps))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"steps\" must have the same number of conditions in all rows"),
						errdetail("A row has %d, but an earlier row has %d.", steps, funnel->steps),
						errhint("Pass each condition as an argument, instead of an array.")));
}

/* ---- the state ---- */

/* *place := a time.  The place of a numeric time, which is in the state's memory, is NULL or has one. */
static inline void
funnel_store(const AtType *type, Datum *place, Datum at)
{
	if (unlikely(type->lifted == NUMERICOID))
	{
		at = datum_copy_to(GetMemoryChunkContext(DatumGetPointer(*place)), at, false, -1);
		pfree(DatumGetPointer(*place));
	}
	*place = at;
}

/* Makes a state before its first row, in the aggregate's memory. */
static Funnel *
funnel_new(FunctionCallInfo fcinfo, const AtType *type, int32 modes, Datum within, int32 steps)
{
	MemoryContext old;
	Funnel		 *funnel;

	if (type->negative(within))
		at_raise_negative(type, "within", within,
						  "\"within\" is the longest time from the first step to the last one that counts.");
	old = MemoryContextSwitchTo(aggregate_memory(fcinfo));
	funnel = (Funnel *) palloc0(funnel_size(steps));
	SET_VARSIZE(funnel, funnel_size(steps));
	funnel->flags = modes;
	funnel->steps = steps;
	if (type->limit == INTERVALOID)
		funnel->interval = *DatumGetIntervalP(within);
	else
		funnel->within = datumCopy(within, type->limit != NUMERICOID, type->limit != NUMERICOID ? sizeof(Datum) : -1);
	if (type->lifted == NUMERICOID)
	{
		funnel->last = datumCopy(within, false, -1);
		for (int32 k = 0; k < steps; k++)
			funnel->start[k] = datumCopy(within, false, -1);
	}
	MemoryContextSwitchTo(old);
	return funnel;
}

/* Returns the first argument, which a user's own aggregate may have made of anything. */
static Funnel *
funnel_argument(FunctionCallInfo fcinfo, const AtType *type)
{
	Funnel *funnel = (Funnel *) PG_GETARG_POINTER(0);

	if (likely(type->lifted == NUMERICOID ||
			   (VARATT_IS_4B_U(funnel) && VARSIZE(funnel) > offsetof(Funnel, start) && funnel->steps > 0 &&
				funnel->steps <= (int32) (MaxAllocSize / sizeof(Datum)) &&
				VARSIZE(funnel) == funnel_size(funnel->steps) && funnel->entered >= 0 &&
				funnel->entered <= funnel->reached && funnel->reached <= funnel->steps)))
		return funnel;
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid transition value of scan_funnel"),
					errhint("Only scan_funnel itself makes such values.")));
}

/* ---- rows ---- */

/* Lets chains of the step before reach step k.  The first step: a chain begins at `at`. */
static inline void
funnel_enter(Funnel *funnel, const AtType *type, Datum within, int32 k, Datum at)
{
	if (k > 0)
		funnel_store(type, &funnel->start[k], funnel->start[k - 1]);
	else if (funnel->entered == 0 || type->ends_later == NULL || !type->ends_later(funnel->start[0], at, within))
		funnel_store(type, &funnel->start[0], at);
	if (k >= funnel->entered)
		funnel->entered = k + 1;
}

/* Enters the steps that rows of the last time have reached. */
static void
funnel_enter_noted(Funnel *funnel, const AtType *type, Datum within)
{
	bool *noted = funnel_noted(funnel);

	for (int32 k = funnel->reached - 1; k >= 0; k--)
		if (noted[k])
		{
			funnel_enter(funnel, type, within, k, funnel->last);
			noted[k] = false;
		}
}

/* Takes the conditions of a row at the time `at`. */
static void
funnel_take(Funnel *funnel, const AtType *type, Datum within, Datum at, const bool *satisfied)
{
	int32 last = Min(funnel->entered, funnel->steps - 1);

	if ((funnel->flags & FUNNEL_STRICT_ORDER) != 0 && funnel->reached > 0)
	{
		int32 highest = funnel->steps - 1;

		while (highest >= 0 && !satisfied[highest])
			highest--;
		if (highest < 0 || highest > funnel->reached)
		{
			funnel->flags |= FUNNEL_ENDED;
			return;
		}
	}
	for (int32 k = last; k >= 0; k--)
	{
		if (!satisfied[k] || (k > 0 && type->apart(funnel->start[k - 1], at, within)))
			continue;
		if ((funnel->flags & FUNNEL_STRICT_INCREASE) != 0)
			funnel_noted(funnel)[k] = true;
		else
			funnel_enter(funnel, type, within, k, at);
		if (k >= funnel->reached)
			funnel->reached = k + 1;
	}
	if (funnel->reached == funnel->steps)
		funnel->flags |= FUNNEL_ENDED;
}

static void
funnel_check_order(const Funnel *funnel, const AtType *type, Datum at)
{
	if (unlikely(type->before(at, funnel->last)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"at\" must not run backwards"),
						errdetail("A row has %s, but an earlier row has %s.", window_text(type->lifted, at, false),
								  window_text(type->lifted, funnel->last, false)),
						errhint("Without OVER, write ORDER BY in the call: scan_funnel(at, within, step1, step2 ORDER "
								"BY at). With OVER, begin the window's ORDER BY with \"at\".")));
}

/* f(state, at, within [, mode], steps) */
static Datum
funnel_call(FunctionCallInfo fcinfo, const AtType *type)
{
	const FunnelCall *call;
	int32			  modes = 0, n;
	bool			  room[FUNC_MAX_ARGS];
	const bool		 *satisfied;
	Datum			  within, at;
	Funnel			 *funnel;

	(void) aggregate_memory(fcinfo);
	call = funnel_call_of(fcinfo);
	if (PG_ARGISNULL(2))
		scan_raise_null("within");
	if (call->has_mode && PG_ARGISNULL(3))
		scan_raise_null("mode");
	if (call->has_mode)
		modes = funnel_mode(PG_GETARG_TEXT_PP(3));
	within = PG_GETARG_DATUM(2);
	if (type->limit == NUMERICOID)
		within = NumericGetDatum(DatumGetNumeric(within));
	satisfied = funnel_conditions(fcinfo, call, &n, room);
	funnel = PG_ARGISNULL(0) ? funnel_new(fcinfo, type, modes, within, n) : funnel_argument(fcinfo, type);
	funnel_check_row(funnel, type, modes, within, n);
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(funnel);

	at = PG_GETARG_DATUM(1);
	if (type->lift != NULL)
		at = DirectFunctionCall1(type->lift, at);
	else if (type->lifted == NUMERICOID)
		at = NumericGetDatum(DatumGetNumeric(at));
	if ((funnel->flags & FUNNEL_STARTED) != 0)
	{
		funnel_check_order(funnel, type, at);
		if ((funnel->flags & FUNNEL_STRICT_INCREASE) != 0 && type->before(funnel->last, at))
			funnel_enter_noted(funnel, type, within);
	}
	funnel->flags |= FUNNEL_STARTED;
	if ((funnel->flags & FUNNEL_ENDED) == 0)
		funnel_take(funnel, type, within, at, satisfied);
	funnel_store(type, &funnel->last, at);
	PG_RETURN_POINTER(funnel);
}

/* For both kinds of state. */
PG_FUNCTION_INFO_V1(scan_funnel_final);
Datum
scan_funnel_final(PG_FUNCTION_ARGS)
{
	const Funnel *funnel;

	if (PG_ARGISNULL(0))
		PG_RETURN_INT32(0);
	funnel = (const Funnel *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	if (VARSIZE(funnel) < offsetof(Funnel, start))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid transition value of scan_funnel"),
						errhint("Only scan_funnel itself makes such values.")));
	PG_RETURN_INT32(funnel->reached);
}

#define FUNNEL(TYPE) SCAN_ENTRY(scan_funnel_add_##TYPE, funnel_call(fcinfo, &at_##TYPE))

FUNNEL(timestamptz)
FUNNEL(timestamp)
FUNNEL(date)
FUNNEL(int8)
FUNNEL(float8)
FUNNEL(numeric)

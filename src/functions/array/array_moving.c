/*
 * array_moving.c: array_moving_sum, _avg, _min, _max and _median: the entry points of all SCAN_ARRAY_MOVING lines of
 * list.h.
 *
 * A result is that of an aggregate over ROWS BETWEEN `before` PRECEDING AND `after` FOLLOWING: exact_sum, exact_avg and
 * moving_median for floats, core's sum, avg, min and max for the other types. It is computed as in WindowAgg, by the
 * aggregate's own transition function, inverse and final function. So each element costs one call of the transition
 * function and one of the inverse, however wide the window is.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "column/array.h"
#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "functions/array/array_scan.h"

/* How an entry point describes itself: the result type and the functions of its line of list.h. */
typedef struct MovingLine
{
	Oid		   result; /* the result's element type; InvalidOid: that of the values */
	PGFunction transition;
	PGFunction inverse;
	PGFunction final;
} MovingLine;

typedef struct MovingWindow
{
	Datum		  *value; /* the array's elements */
	bool		  *isnull;
	MemoryContext  memory;	/* holds the state; reset where the state is begun anew */
	MemoryContext  scratch; /* reset before each call */
	WindowAggState context; /* the call context that AggCheckCallContext expects */
	FmgrInfo	   transition;
	FmgrInfo	   inverse;
	FmgrInfo	   final;
	Oid			   collation;
	bool		   starts_with_array;
	NullableDatum  state;
	int			   count; /* number of non-NULL values in the state */
	int			   from;  /* the state covers the elements from `from` to `end` - 1 */
	int			   end;
} MovingWindow;

/* Calls a function with the state, and with `value` if it takes one. A new result is in `scratch`. */
static NullableDatum
call(MovingWindow *window, FmgrInfo *function, Datum value)
{
	NullableDatum result;
	MemoryContext old;
	LOCAL_FCINFO(info, 2);

	CHECK_FOR_INTERRUPTS();
	InitFunctionCallInfoData(*info, function, function->fn_nargs, window->collation, (Node *) &window->context, NULL);
	info->args[0] = window->state;
	info->args[1] = (NullableDatum){value, false};
	window->context.curaggcontext = window->memory;
	MemoryContextReset(window->scratch);
	old = MemoryContextSwitchTo(window->scratch);
	result.value = function->fn_addr(info);
	result.isnull = info->isnull;
	MemoryContextSwitchTo(old);
	return result;
}

/*
 * Returns the state that a function makes of the old one. Most functions change the state in place. A flat state that
 * has outgrown its memory is returned as a new one in scratch memory, which is copied.
 */
static NullableDatum
next_state(MovingWindow *window, FmgrInfo *function, Datum value)
{
	NullableDatum state = call(window, function, value);

	if (!state.isnull && GetMemoryChunkContext(DatumGetPointer(state.value)) == window->scratch)
	{
		MemoryContext old = MemoryContextSwitchTo(window->memory);

		state.value = datumCopy(state.value, false, -1);
		if (!window->state.isnull)
			pfree(DatumGetPointer(window->state.value));
		MemoryContextSwitchTo(old);
	}
	return state;
}

/* Empties the window, which then begins at element `from`. */
static void
begin_anew(MovingWindow *window, int from)
{
	MemoryContextReset(window->memory);
	window->state = (NullableDatum){0, true};
	if (window->starts_with_array)
	{
		MemoryContext old = MemoryContextSwitchTo(window->memory);
		Datum		  none[2] = {Int64GetDatum(0), Int64GetDatum(0)};

		window->state.value = PointerGetDatum(
			construct_array(none, 2, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
		window->state.isnull = false;
		MemoryContextSwitchTo(old);
	}
	window->count = 0;
	window->from = window->end = from;
}

/* Removes the elements before `from`. Returns false if the state has to be begun anew instead. */
static bool
take_out(MovingWindow *window, int from)
{
	for (; window->from < from; window->from++)
	{
		NullableDatum state;

		if (window->isnull[window->from])
			continue;
		/* core, too, begins anew rather than remove the last value */
		if (window->count == 1)
			return false;
		state = next_state(window, &window->inverse, window->value[window->from]);
		if (state.isnull)
			return false;
		window->state = state;
		window->count--;
	}
	return true;
}

/* Moves the window to the elements from `from` to `end` - 1. */
static void
move(MovingWindow *window, int from, int end)
{
	if (from >= window->end || !take_out(window, from))
		begin_anew(window, from);
	for (; window->end < end; window->end++)
		if (!window->isnull[window->end])
		{
			window->state = next_state(window, &window->transition, window->value[window->end]);
			window->count++;
		}
}

static void
set_function(MovingWindow *window, FmgrInfo *function, PGFunction address, int arguments, Node *expr)
{
	function->fn_addr = address;
	function->fn_nargs = arguments;
	function->fn_mcxt = CurrentMemoryContext;
	function->fn_expr = expr;
}

static void
window_init(MovingWindow *window, const MovingLine *line, ArrayType *array, Oid collation)
{
	RetainedType type = retained_type(ARR_ELEMTYPE(array));
	/* the expression in which a polymorphic function looks up its types */
	List *arguments = list_make2(makeNullConst(INTERNALOID, -1, InvalidOid), makeNullConst(type.oid, -1, collation));
	Node *expr = (Node *) makeFuncExpr(InvalidOid, INTERNALOID, arguments, InvalidOid, collation, COERCE_EXPLICIT_CALL);
	int	  n;

	memset(window, 0, sizeof(*window));
	window->memory = AllocSetContextCreate(CurrentMemoryContext, "scan moving state", ALLOCSET_SMALL_SIZES);
	window->scratch = AllocSetContextCreate(CurrentMemoryContext, "scan moving call", ALLOCSET_SMALL_SIZES);
	window->context.ss.ps.type = T_WindowAggState;
	window->collation = collation;
	window->starts_with_array = line->transition == int2_avg_accum || line->transition == int4_avg_accum;
	set_function(window, &window->transition, line->transition, 2, expr);
	set_function(window, &window->inverse, line->inverse, 2, expr);
	set_function(window, &window->final, line->final, 1, expr);
	deconstruct_array(array, type.oid, type.length, type.by_value, type.align, &window->value, &window->isnull, &n);
}

/* Returns an argument that is a number of elements. Raises an error if it is NULL or negative. */
static int
read_width(FunctionCallInfo fcinfo, int argument, const char *name)
{
	int width;

	if (PG_ARGISNULL(argument))
		scan_raise_null(name);
	width = PG_GETARG_INT32(argument);
	if (width < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"%s\" must not be negative", name),
						errdetail("It is %d.", width),
						errhint("It counts elements before or after the one that has the answer.")));
	return width;
}

/* f(values, before, after) */
static Datum
array_moving(FunctionCallInfo fcinfo, const MovingLine *line)
{
	int			 before, after, n;
	ArrayType	*array;
	ArrayWriter	 writer;
	MovingWindow window;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	array_check_any(fcinfo);
	before = read_width(fcinfo, 1, "before");
	after = read_width(fcinfo, 2, "after");
	array = array_argument(PG_GETARG_DATUM(0));
	n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	window_init(&window, line, array, PG_GET_COLLATION());
	array_writer_start(&writer, OidIsValid(line->result) ? line->result : ARR_ELEMTYPE(array), n);
	begin_anew(&window, 0);
	for (int i = 0; i < n; i++)
	{
		NullableDatum answer = {0, true};

		move(&window, Max(i - before, 0), after < n - i ? i + after + 1 : n);
		if (window.count > 0)
			answer = call(&window, &window.final, 0);
		array_writer_add(&writer, answer.value, answer.isnull);
	}
	MemoryContextDelete(window.memory);
	MemoryContextDelete(window.scratch);
	return array_checked(array_writer_end_like(&writer, array));
}

/* ---- the entry points ---- */

/* The element type of each array type of list.h. */
#define ELEMENTS_anyarray InvalidOid
#define ELEMENTS__int8 INT8OID
#define ELEMENTS__numeric NUMERICOID
#define ELEMENTS__float4 FLOAT4OID
#define ELEMENTS__float8 FLOAT8OID
#define ELEMENTS__interval INTERVALOID

#define SCAN_ARRAY_MOVING(function, type, arguments, result, transition, inverse, final) \
	PG_FUNCTION_INFO_V1(array_moving_##function##_##type);                               \
	Datum array_moving_##function##_##type(PG_FUNCTION_ARGS)                             \
	{                                                                                    \
		static const MovingLine line = {ELEMENTS_##result, transition, inverse, final};  \
                                                                                         \
		return array_moving(fcinfo, &line);                                              \
	}
#include "op/list.h"

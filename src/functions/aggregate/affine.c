/*
 * affine.c: the type affine_map, the map y -> a y + b, with its operators, and the aggregate affine(): the maps of
 * whole pieces of a recurrence.
 *
 * affine(a, b) is the map by which all its rows together change any y.  Its `a` is the last result of scan_product(a),
 * and its `b` is the last result of scan_recurrence(a, b) from 0.  Both are computed by the same code as those
 * functions and therefore have the same bits.  The maps of pieces can be composed; each number is then rounded once.
 */
#include "postgres.h"

#include <fenv.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "column/memory.h"
#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "op/in_sequence.h"

typedef struct Map
{
	double a, b;
} Map;

/*
 * Reads the map of a composite value.  Returns false if it contains a NULL.
 *
 * A map without NULLs has one layout, two doubles after the header, and is read as such.  Its type is known, so what
 * the bytes say about themselves is not trusted: anything may have been written to the page.
 */
static bool
affine_map_read(Datum value, Map *map)
{
	HeapTupleHeader tuple = DatumGetHeapTupleHeader(value);
	Size			size = VARSIZE(tuple);
	bool			nulls = size >= SizeofHeapTupleHeader && (tuple->t_infomask & HEAP_HASNULL) != 0;
	int				n = size >= SizeofHeapTupleHeader ? HeapTupleHeaderGetNatts(tuple) : 0;
	Size			header = MAXALIGN(SizeofHeapTupleHeader + (nulls ? BITMAPLEN(n) : 0));

	if (n < 2 || size < header || tuple->t_hoff != header)
		size = 0;
	else if (nulls && (att_isnull(0, tuple->t_bits) || att_isnull(1, tuple->t_bits)))
		return false;
	if (size < header + sizeof(Map))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("stored value of type %s is corrupted", "affine_map"),
						errdetail("The value does not consist of a header and two numbers."),
						errhint("The value was damaged on disk, or by the program that made it. Compute the value "
								"again, or restore it from a backup.")));
	memcpy(map, (const char *) tuple + header, sizeof(Map));
	return true;
}

/* Returns the function's result type, affine_map.  Looked up once per plan. */
static TupleDesc
affine_map_desc(FunctionCallInfo fcinfo)
{
	TupleDesc desc = (TupleDesc) fcinfo->flinfo->fn_extra;

	if (desc == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "affine_map is not a composite type");
		desc = BlessTupleDesc(CreateTupleDescCopy(desc));
		MemoryContextSwitchTo(old);
		fcinfo->flinfo->fn_extra = desc;
	}
	return desc;
}

static Datum
map_datum(FunctionCallInfo fcinfo, const Map *map)
{
	Datum value[2] = {Float8GetDatum(map->a), Float8GetDatum(map->b)};
	bool  isnull[2] = {false, false};

	return HeapTupleGetDatum(heap_form_tuple(affine_map_desc(fcinfo), value, isnull));
}

/* Returns a rounded result with -0 as +0.  Raises an error if it is infinite although the inputs are `finite`. */
static double
rounded_component(double y, bool finite)
{
	if (isinf(y) && finite)
		scan_raise(SCAN_FLOAT_OVERFLOW);
	return canonical_nan(y + 0.0);
}

/*
 * Returns the map that applies first `older`, then `newer`.  Each half raises its own overflow: an infinity in an input
 * on which the half does not depend does not suppress the error.
 */
static Map
map_compose(const Map *newer, const Map *older)
{
	bool known = isfinite(newer->a);

	return (Map){
		.a = rounded_component(newer->a * older->a, known && isfinite(older->a)),
		.b = rounded_component(fma(newer->a, older->b, newer->b), known && isfinite(older->b) && isfinite(newer->b))};
}

PG_FUNCTION_INFO_V1(affine_compose);
Datum
affine_compose(PG_FUNCTION_ARGS)
{
	Map newer, older, both;

	if (!affine_map_read(PG_GETARG_DATUM(0), &newer) || !affine_map_read(PG_GETARG_DATUM(1), &older))
		PG_RETURN_NULL();
	both = map_compose(&newer, &older);
	return map_datum(fcinfo, &both);
}

/*
 * The transition function of affine(affine_map); the older map is applied first.  It skips a map with a NULL in it, as
 * affine(a, b) skips a row with one: a whole row of an outer join or of unnest(affine_map[]) is itself not NULL.
 */
PG_FUNCTION_INFO_V1(affine_then);
Datum
affine_then(PG_FUNCTION_ARGS)
{
	bool any = !PG_ARGISNULL(0);
	Map	 older, newer;

	if (PG_ARGISNULL(1) || !affine_map_read(PG_GETARG_DATUM(1), &newer))
	{
		if (!any)
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	if (any && affine_map_read(PG_GETARG_DATUM(0), &older))
		newer = map_compose(&newer, &older);
	return map_datum(fcinfo, &newer);
}

PG_FUNCTION_INFO_V1(affine_apply);
Datum
affine_apply(PG_FUNCTION_ARGS)
{
	double y = PG_GETARG_FLOAT8(1);
	Map	   map;

	if (!affine_map_read(PG_GETARG_DATUM(0), &map))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(rounded_component(fma(map.a, y, map.b), isfinite(map.a) && isfinite(map.b) && isfinite(y)));
}

/* ---- affine(a, b) ---- */

typedef struct MapState
{
	ContextMemory	   memory;
	ProductParam	   product_param;
	RecurrenceParam	   recurrence_param;
	product_float8_acc product;
	OrderedRecurrence  recurrence;
} MapState;

static MapState *
map_state_new(FunctionCallInfo fcinfo)
{
	MemoryContext context = aggregate_memory(fcinfo);
	MapState	 *state;

	/* the proofs of op/ require the default float environment (see run/run.c) */
	fesetenv(FE_DFL_ENV);
	state = (MapState *) MemoryContextAllocZero(context, sizeof(MapState));
	state->product_param.memory = context_memory(&state->memory, context);
	state->recurrence_param.memory = &state->memory.memory;
	state->recurrence_param.order = 1;
	return state;
}

/* A product out of the range of doubles is not an error yet: later rows may bring it back into range. */
PG_FUNCTION_INFO_V1(affine_accumulate);
Datum
affine_accumulate(PG_FUNCTION_ARGS)
{
	MapState *state = PG_ARGISNULL(0) ? NULL : (MapState *) PG_GETARG_POINTER(0);
	AffineRow x;
	bool	  first = state == NULL;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	x.a = PG_GETARG_FLOAT8(1);
	x.b = PG_GETARG_FLOAT8(2);
	if (first)
	{
		state = map_state_new(fcinfo);
		product_float8_lift(&state->product_param, &x.a, 0, &state->product);
		recurrence_float8_lift(&state->recurrence_param, &x, 0, &state->recurrence);
	}
	else
	{
		product_float8_accumulate(&state->product_param, &state->product, &x.a, 0);
		recurrence_float8_accumulate(&state->recurrence_param, &state->recurrence, &x, 0);
	}
	scan_check(state->recurrence.status);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(affine_final);
Datum
affine_final(PG_FUNCTION_ARGS)
{
	const MapState *state = PG_ARGISNULL(0) ? NULL : (const MapState *) PG_GETARG_POINTER(0);

	if (state == NULL)
		PG_RETURN_NULL();
	scan_check(state->product.status);
	return map_datum(fcinfo, &(Map){.a = state->product.y, .b = state->recurrence.y});
}

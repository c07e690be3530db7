/*
 * numeric.c: sum, avg, min and max of numerics, for inlined.c's table.
 *
 * A sum is an integer of 128 bits (column/decimal.h) as long as values and total fit.  The
 * first that does not takes the partition to core's own transition function, which
 * begins with the total so far: its sum and its display scale are all that shows, so
 * that nobody sees where that was.  The extremes look at the stored digits; what is
 * kept has the form that core's would have, a byte of header or four.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "compat.h"
#include "node/eval/inlined.h"

/* The value flat and not compressed, with the header that it has; to be freed if it is another. */
static inline struct varlena *
plain_value(Datum value)
{
	struct varlena *bytes = (struct varlena *) DatumGetPointer(value);

	if (likely(!VARATT_IS_EXTERNAL(bytes) && !VARATT_IS_COMPRESSED(bytes)))
		return bytes;
	return pg_detoast_datum_packed(bytes);
}

static inline void
free_plain(struct varlena *plain, Datum value)
{
	if (unlikely((Pointer) plain != DatumGetPointer(value)))
		pfree(plain);
}

/* ---- beyond 128 bits ---- */

/* What core's aggregate functions are called with. */
typedef struct Beyond
{
	WindowAggState context; /* what AggCheckCallContext looks at: curaggcontext */
	Datum		   state;	/* in the partition's memory */
	bool		   any;
} Beyond;

static Datum
call_with_state(PGFunction function, Beyond *beyond, Datum value, bool *isnull)
{
	LOCAL_FCINFO(call, 2);
	Datum result;

	InitFunctionCallInfoData(*call, NULL, 2, InvalidOid, (fmNodePtr) &beyond->context, NULL);
	call->args[0].value = beyond->state;
	call->args[0].isnull = !beyond->any;
	call->args[1].value = value;
	call->args[1].isnull = false;
	result = function(call);
	*isnull = call->isnull;
	return result;
}

static void
transition_beyond(InlinedState *state, Datum value)
{
	Beyond		 *beyond = (Beyond *) state->beyond;
	MemoryContext old = MemoryContextSwitchTo(state->f->scratch);
	bool		  isnull;

	beyond->state = call_with_state(numeric_avg_accum, beyond, value, &isnull);
	beyond->any = true;
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->f->scratch);
}

/* Goes on in core's arithmetic, from the total so far. */
static void
go_beyond(InlinedState *state)
{
	Beyond *beyond = (Beyond *) state->beyond;

	if (beyond == NULL)
	{
		beyond = (Beyond *) MemoryContextAllocZero(state->f->query, sizeof(Beyond));
		beyond->context.ss.ps.type = T_WindowAggState;
		beyond->context.curaggcontext = state->f->partition;
		state->beyond = beyond;
	}
	MemoryContextReset(state->f->partition);
	beyond->any = false;
	state->total.numeric.beyond = true;
	transition_beyond(state, decimal_show(&state->shown, &state->total.numeric.sum));
}

/* The sum, of which there is one: in the current context. */
static Datum
sum_beyond(InlinedState *state)
{
	bool isnull;

	return call_with_state(numeric_sum, (Beyond *) state->beyond, 0, &isnull);
}

/* ---- sums and averages ---- */

/* Infinity and another one are not a number; with anything else they stay what they are. */
static DecimalSpecial
join_special(DecimalSpecial a, DecimalSpecial b)
{
	return a == DECIMAL_NUMBER || a == b ? b : DECIMAL_NAN;
}

static void
transition_sum_numeric(InlinedState *state, Datum value)
{
	NumericState   *total = &state->total.numeric;
	struct varlena *plain;
	DecimalParts	parts;
	bool			fits = true;

	if (unlikely(total->beyond))
	{
		transition_beyond(state, value);
		return;
	}
	plain = plain_value(value);
	decimal_read(&parts, plain);
	if (unlikely(parts.special != DECIMAL_NUMBER))
		total->special = join_special(total->special, parts.special);
	else if (likely(total->special == DECIMAL_NUMBER))
		fits = decimal_add(&total->sum, &parts);
	free_plain(plain, value);
	if (unlikely(!fits))
	{
		go_beyond(state);
		transition_beyond(state, value);
	}
}

static Datum
final_sum_numeric(InlinedState *state)
{
	NumericState *total = &state->total.numeric;

	if (unlikely(total->beyond))
		return sum_beyond(state);
	if (unlikely(total->special != DECIMAL_NUMBER))
		return decimal_show_special(&state->shown, total->special);
	return decimal_show(&state->shown, &total->sum);
}

/* Core counts numbers only, but then a special value is all that its average shows. */
static Datum
final_avg_numeric(InlinedState *state)
{
	NumericState *total = &state->total.numeric;
	Datum		  sum;

	if (likely(!total->beyond && total->special == DECIMAL_NUMBER))
		return decimal_average(&state->shown, &total->sum, state->count);
	sum = final_sum_numeric(state);
	if (!total->beyond)
		return sum;
	return DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(state->count)));
}

INLINED(, sum_numeric, sum_numeric, sum_numeric, INLINED_UNIT)
INLINED(, avg_numeric, sum_numeric, avg_numeric, INLINED_UNIT)

/* ---- extremes ---- */

static const RetainedType numeric_type = {NUMERICOID, -1, false, TYPALIGN_INT};

static int
compare(Datum a, Datum b)
{
	struct varlena *plain_a = plain_value(a);
	struct varlena *plain_b = plain_value(b);
	DecimalParts	parts_a, parts_b;
	int				order;

	decimal_read(&parts_a, plain_a);
	decimal_read(&parts_b, plain_b);
	if (!decimal_compare(&parts_a, &parts_b, &order))
		order = DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
	free_plain(plain_a, a);
	free_plain(plain_b, b);
	return order;
}

/* Keeps a value as a function that core's fmgr called would return it: with a header of four bytes. */
static void
keep_returned(InlinedState *state, Datum value)
{
	union
	{
		int32 align;
		char  bytes[VARHDRSZ + VARATT_SHORT_MAX];
	} wide;
	struct varlena *bytes = (struct varlena *) DatumGetPointer(value);

	/* the header of a toast pointer has one byte too */
	if (VARATT_IS_SHORT(bytes) && !VARATT_IS_EXTERNAL(bytes))
	{
		Size size = VARSIZE_SHORT(bytes) - VARHDRSZ_SHORT;

		SET_VARSIZE(&wide, VARHDRSZ + size);
		memcpy(wide.bytes + VARHDRSZ, VARDATA_SHORT(bytes), size);
		bytes = (struct varlena *) &wide;
	}
	else
		bytes = PG_DETOAST_DATUM(value);
	retained_set(&state->retained, &numeric_type, PointerGetDatum(bytes), false, state->f->query);
	if ((Pointer) bytes != DatumGetPointer(value) && (char *) bytes != wide.bytes)
		pfree(bytes);
}

/* The newer one unless the older one is beyond it; the first is kept as it is stored. */
static pg_attribute_always_inline void
transition_extreme(InlinedState *state, Datum value, int beyond)
{
	if (state->count == 0)
		retained_set(&state->retained, &numeric_type, value, false, state->f->query);
	else if (beyond * compare(state->retained.value, value) <= 0)
		keep_returned(state, value);
	else if (VARATT_IS_EXTENDED(DatumGetPointer(state->retained.value)))
		keep_returned(state, state->retained.value);
}

static void
transition_max_numeric(InlinedState *state, Datum value)
{
	transition_extreme(state, value, 1);
}

static void
transition_min_numeric(InlinedState *state, Datum value)
{
	transition_extreme(state, value, -1);
}

static Datum
final_extreme(InlinedState *state)
{
	return state->retained.value;
}

INLINED(, max_numeric, max_numeric, extreme, INLINED_BLOCK)
INLINED(, min_numeric, min_numeric, extreme, INLINED_BLOCK)

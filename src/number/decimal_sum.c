/*
 * decimal_sum.c: a running sum of numerics, in 128-bit integers or by core.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "column/saved_state.h"
#include "number/decimal_sum.h"

/* ---- beyond 128 bits ---- */

/* How core's aggregate functions are called. */
typedef struct CoreSum
{
	WindowAggState context; /* AggCheckCallContext() reads its curaggcontext */
	Datum		   state;
	bool		   any;
} CoreSum;

static Datum
call_core(PGFunction function, CoreSum *core, Datum value)
{
	LOCAL_FCINFO(call, 2);

	InitFunctionCallInfoData(*call, NULL, 2, InvalidOid, (Node *) &core->context, NULL);
	call->args[0].value = core->state;
	call->args[0].isnull = !core->any;
	call->args[1].value = value;
	call->args[1].isnull = false;
	return function(call);
}

/* Detoasts the value here: core would leave its copy in the current context, which may live over many rows. */
static void
add_beyond(CoreSum *core, Datum value)
{
	Datum flat = PointerGetDatum(PG_DETOAST_DATUM(value));

	core->state = call_core(numeric_avg_accum, core, flat);
	core->any = true;
	if (flat != value)
		pfree(DatumGetPointer(flat));
}

void
decimal_sum_go_beyond(DecimalSum *sum, Datum total)
{
	if (sum->core == NULL)
	{
		sum->core = (CoreSum *) MemoryContextAllocZero(sum->memory, sizeof(CoreSum));
		sum->core->context.ss.ps.type = T_WindowAggState;
		sum->core->context.curaggcontext = AllocSetContextCreate(sum->memory, "scan sum", ALLOCSET_SMALL_SIZES);
	}
	MemoryContextReset(sum->core->context.curaggcontext);
	sum->core->any = false;
	sum->beyond = true;
	add_beyond(sum->core, total);
}

/* ---- the sum ---- */

/* Infinities of opposite sign make NaN.  A special value plus anything else stays as it is. */
static DecimalSpecial
join_special(DecimalSpecial a, DecimalSpecial b)
{
	return a == DECIMAL_NUMBER || a == b ? b : DECIMAL_NAN;
}

void
decimal_sum_add(DecimalSum *sum, Datum value)
{
	struct varlena *plain;
	DecimalParts	parts;

	sum->count++;
	if (unlikely(sum->beyond))
	{
		add_beyond(sum->core, value);
		return;
	}
	plain = decimal_plain(value);
	decimal_read(&parts, plain);
	if (unlikely(parts.special != DECIMAL_NUMBER))
		sum->special = join_special(sum->special, parts.special);
	else if (likely(sum->special == DECIMAL_NUMBER) && unlikely(!decimal_add(&sum->total, &parts)))
	{
		DecimalBuffer total;

		decimal_sum_go_beyond(sum, decimal_show(&total, &sum->total));
		add_beyond(sum->core, PointerGetDatum(plain));
	}
	decimal_free_plain(plain, value);
}

Datum
decimal_sum_show(DecimalSum *sum)
{
	if (unlikely(sum->beyond))
		return call_core(numeric_sum, sum->core, 0);
	if (unlikely(sum->special != DECIMAL_NUMBER))
		return decimal_show_special(&sum->shown, sum->special);
	return decimal_show(&sum->shown, &sum->total);
}

/* Core's count leaves out special values, but if there are any, the average is itself special whatever the count. */
Datum
decimal_sum_average(DecimalSum *sum)
{
	if (likely(!sum->beyond && sum->special == DECIMAL_NUMBER))
		return decimal_average(&sum->shown, &sum->total, sum->count);
	return DirectFunctionCall2(numeric_div, decimal_sum_show(sum), NumericGetDatum(int64_to_numeric(sum->count)));
}

Datum
decimal_sum_step(DecimalSum *sum, bool head, bool exclusive, Datum value, bool *isnull)
{
	Datum before = 0;

	if (head)
		decimal_sum_clear(sum);
	if (exclusive)
		before = decimal_sum_show(sum);
	if (!*isnull)
		decimal_sum_add(sum, value);
	*isnull = !exclusive && sum->count == 0;
	return exclusive || *isnull ? before : decimal_sum_show(sum);
}

void
save_decimal_sum(StringInfo bytes, DecimalSum *sum)
{
	save_bytes(bytes, sum, offsetof(DecimalSum, memory));
	if (sum->beyond)
		save_datum(bytes, decimal_sum_show(sum), false, false, -1);
}

void
restore_decimal_sum(StringInfo bytes, DecimalSum *sum)
{
	bool isnull;

	restore_bytes(bytes, sum, offsetof(DecimalSum, memory));
	if (sum->beyond)
		decimal_sum_go_beyond(sum, restore_datum(bytes, &isnull));
}

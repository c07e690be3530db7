/*
 * core_state.c: calls core's aggregate functions over a transition value of type internal.
 */
#include "postgres.h"

#include "number/core_state.h"

void
core_state_begin(CoreState *core, MemoryContext memory)
{
	*core = (CoreState){.context = {.ss = {.ps = {.type = T_WindowAggState}}, .curaggcontext = memory}};
}

/* Calls a function over a transition value, which may be absent, and something else. */
static Datum
call_over(CoreState *core, PGFunction function, bool any, Datum state, Datum other, bool *isnull)
{
	LOCAL_FCINFO(call, 2);
	Datum result;

	InitFunctionCallInfoData(*call, NULL, 2, InvalidOid, (Node *) &core->context, NULL);
	call->args[0] = (NullableDatum){.value = state, .isnull = !any};
	call->args[1] = (NullableDatum){.value = other};
	result = function(call);
	*isnull = call->isnull;
	return result;
}

Datum
core_state_call(CoreState *core, PGFunction function, Datum value, bool *isnull)
{
	return call_over(core, function, core->any, core->value, value, isnull);
}

void
core_state_add_times(CoreState *core, const CoreFunctions *functions, Datum value, int64 times)
{
	bool  isnull;
	Datum power; /* the transition value of the value taken once, twice, four times and so on */

	if (times <= 0)
		return;
	core->taken += times;
	power = call_over(core, functions->accumulate, false, 0, value, &isnull);
	for (;;)
	{
		if (times & 1)
		{
			core->value = call_over(core, functions->combine, core->any, core->value, power, &isnull);
			core->any = true;
		}
		times >>= 1;
		if (times == 0)
			return;
		/* a combine function may change its first argument, so that is a copy: the combination of nothing and it */
		power = call_over(core, functions->combine, true, call_over(core, functions->combine, false, 0, power, &isnull),
						  power, &isnull);
	}
}

Datum
core_state_serialize(CoreState *core, const CoreFunctions *functions)
{
	bool isnull;

	return core_state_call(core, functions->serialize, 0, &isnull);
}

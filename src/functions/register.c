/*
 * register.c: what core and node/ find our functions by: their addresses, and the support function that they all name.
 */
#include "postgres.h"

#include "call/entry_points.h"
#include "functions/aggregate/aggregate_functions.h"
#include "functions/register.h"
#include "functions/window/window_functions.h"

static const EntryPoints ours = {
	.support = scan_support,
	.exact_state_in = exact_state_in,
	.total_final = total_final,
	.window =
		{
#define SCAN_ROW(function, type, arguments, result, flags, call) scan_##function##_##type,
#define SCAN_CALL(function, type, arguments, result, rows) scan_##function##_##type,
#include "op/list.h"
		},
	.moving =
		{
#define SCAN_MOVING(transition, inverse, final, kind) {transition, inverse, final},
#include "op/list.h"
		},
};

void
functions_register(void)
{
	entry_points = &ours;
}

/*
 * The planner support function of all window functions of the extension.
 *
 * It answers no request; its purpose is to be called.  The planner asks for the cost of a window function before it
 * looks at its hooks.  That call loads the library in time for the very statement that calls one of its functions to
 * run in PrefixScan, even if it is the first statement of a session.
 */
PG_FUNCTION_INFO_V1(scan_support);
Datum
scan_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}

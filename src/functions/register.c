/*
 * register.c: see register.h.
 */
#include "postgres.h"

#include "call/entry_points.h"
#include "functions/aggregate/aggregate_functions.h"
#include "functions/register.h"
#include "functions/window/window_functions.h"

static const EntryPoints ours = {
	.support = scan_support,
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

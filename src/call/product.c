/*
 * product.c: scan_product(float8): the running product, correctly rounded also
 * after it has left the range of doubles (op/product.h).
 *
 * The other types multiply as numeric, in fold.c.
 */
#include "postgres.h"

#include "call/window.h"
#include "column/datum.h"

PG_FUNCTION_INFO_V1(scan_product_float8);
Datum
scan_product_float8(PG_FUNCTION_ARGS)
{
	static const WindowLine line = {"product", "float8", NULL, datum_from_float8};

	WindowCall *call = window_call(fcinfo);
	bool		first, isnull;
	WindowScan *scan = window_scan(call, &line, &first);
	ScanExtent	extent = window_extent(call, &scan->constant[0], 2);
	bool		head = window_flag(call, 1);
	double		x = DatumGetFloat8(window_arg(call, 0, &isnull));

	scan->param.product.memory = &scan->memory.memory;
	window_columns(call, 1, true);
	return window_step(call, scan, &line, &scan->param.product, isnull ? NULL : &x, head, extent);
}

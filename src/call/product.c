/*
 * product.c: scan_product(float8): the running product, correctly rounded also
 * after it has left the range of doubles (op/product.h).
 *
 * The other types multiply as numeric, in fold.c.  As there, an exclusive scan takes
 * a row's factor only when the next row shows it.
 */
#include "postgres.h"

#include "call/running.h"
#include "error.h"
#include "op/product.h"

typedef struct RunningProduct
{
	bool		   started;
	WindowConstant exclusive;
	bool		   any;		/* a factor has been applied since the head */
	bool		   waiting; /* exclusive: `factor` is the row's before */
	double		   factor;
	uint64		  *exact; /* the memory of product.exact */
	Product		   product;
} RunningProduct;

static void
product_apply_row(WindowCall *call, RunningProduct *running, double x)
{
	Product	  *product = &running->product;
	ScanStatus status;

	while ((status = product_step(product, x)) == SCAN_NEEDS_ROOM)
		if (product->pending)
			running_grow_exact(call, &product->exact, 1, &running->exact);
		else
			running_grow_rows(call, &product->rows, &product->room, 1);
	if (status != SCAN_OK)
		scan_raise(status);
	running->any = true;
}

PG_FUNCTION_INFO_V1(scan_product_float8);
Datum
scan_product_float8(PG_FUNCTION_ARGS)
{
	WindowCall	   *call = window_call(fcinfo);
	RunningProduct *running = (RunningProduct *) window_state(call, sizeof(RunningProduct));
	bool			exclusive = window_extent(call, &running->exclusive, 2) == SCAN_EXCLUSIVE;
	bool			isnull;
	double			x;

	if (!running->started || window_flag(call, 1))
	{
		product_start(&running->product);
		running->any = running->waiting = false;
	}
	running->started = true;
	x = DatumGetFloat8(window_arg(call, 0, &isnull));
	if (exclusive)
	{
		if (running->waiting)
			product_apply_row(call, running, running->factor);
		running->waiting = !isnull;
		running->factor = x;
		PG_RETURN_FLOAT8(running->product.y);
	}
	if (!isnull)
		product_apply_row(call, running, x);
	if (!running->any)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(running->product.y);
}

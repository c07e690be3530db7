/*
 * cost.c: scan_cost: what the units that go out of a stock have cost when they came in.
 *
 * A row comes in where its quantity is above 0, at its price a unit, and goes out where it is below 0.  First in, first
 * out and last in, first out take from the lots of number/lots.h, exactly.  The average is the value of the stock over
 * its quantity, at core's numeric division.  A cost is subtracted from the value as it is returned, and the last unit
 * takes all that is left, so that here, too, costs and the value that is left add up to what came in.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "call/entry.h"
#include "functions/window/argument.h"
#include "number/decimal.h"
#include "number/lots.h"

typedef enum CostMethod
{
	COST_UNKNOWN = 0,
	COST_FIFO,
	COST_LIFO,
	COST_AVERAGE,
} CostMethod;

/* The state of a partition: the stock. */
typedef struct Stock
{
	WindowConstant method_name;
	CostMethod	   method;
	Lots		   lots; /* fifo, lifo */

	/* average; not present: there is nothing in stock */
	RetainedDatum quantity, value;
} Stock;

static CostMethod
method_of(Datum name)
{
	static const char *const names[] = {[COST_FIFO] = "fifo", [COST_LIFO] = "lifo", [COST_AVERAGE] = "average"};
	char					*word = TextDatumGetCString(name);

	for (int method = COST_FIFO; method <= COST_AVERAGE; method++)
		if (strcmp(word, names[method]) == 0)
			return (CostMethod) method;
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("argument \"method\" must be 'fifo', 'lifo' or 'average': \"%s\"", word),
		 errhint(
			 "'fifo' means first in, first out. 'lifo' means last in, first out. 'average' means the average price.")));
}

/* Returns -1, 0 or 1.  Raises an error if a number is not finite. */
static int
numeric_sign_checked(Datum value, const char *name)
{
	DecimalParts parts = decimal_head(value);

	if (parts.special != DECIMAL_NUMBER)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"%s\" must be finite", name),
						errhint("Write NULL for an unknown number: rows whose \"%s\" is NULL are skipped.", name)));
	return parts.n == 0 ? 0 : parts.negative ? -1 : 1;
}

static void
raise_missing(WindowCall *call, Datum out, Datum missing)
{
	Datum there = DirectFunctionCall2(numeric_sub, out, missing);

	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"quantity\" takes out more than the stock has: %s is missing",
						   window_arg_text(call, 0, missing, false)),
					errdetail("The row takes out %s, and the stock has %s.", window_arg_text(call, 0, out, false),
							  window_arg_text(call, 0, there, false)),
					errhint("Let the window's ORDER BY put rows that add to the stock before rows that take from it. "
							"If there was stock before the first row, add a row for it.")));
}

/* ---- the average ---- */

static void
retain_numeric(WindowCall *call, RetainedDatum *retained, Datum value)
{
	retained_set(retained, &call->type[0], value, false, call->memory);
}

static void
average_put(WindowCall *call, Stock *stock, Datum quantity, Datum price)
{
	Datum value = DirectFunctionCall2(numeric_mul, quantity, price);

	if (stock->quantity.present)
	{
		quantity = DirectFunctionCall2(numeric_add, stock->quantity.value, quantity);
		value = DirectFunctionCall2(numeric_add, stock->value.value, value);
	}
	retain_numeric(call, &stock->quantity, quantity);
	retain_numeric(call, &stock->value, value);
}

/* Returns quantity times the average price, with the digits of that price. */
static Datum
average_cost(const Stock *stock, Datum quantity)
{
	Datum price = DirectFunctionCall2(numeric_div, stock->value.value, stock->quantity.value);
	Datum scale = DirectFunctionCall1(numeric_scale, price);

	return DirectFunctionCall2(numeric_round, DirectFunctionCall2(numeric_mul, quantity, price), scale);
}

static Datum
average_take(WindowCall *call, Stock *stock, Datum quantity)
{
	Datum left, cost;
	int	  sign;

	if (!stock->quantity.present)
		raise_missing(call, quantity, quantity);
	left = DirectFunctionCall2(numeric_sub, stock->quantity.value, quantity);
	sign = numeric_sign_checked(left, "quantity");
	if (sign < 0)
		raise_missing(call, quantity, DirectFunctionCall1(numeric_uminus, left));
	if (sign == 0)
	{
		cost = DirectFunctionCall1(numeric_uplus, stock->value.value);
		retained_clear(&stock->quantity);
		retained_clear(&stock->value);
		return cost;
	}
	cost = average_cost(stock, quantity);
	retain_numeric(call, &stock->quantity, left);
	retain_numeric(call, &stock->value, DirectFunctionCall2(numeric_sub, stock->value.value, cost));
	return cost;
}

/* ---- a row ---- */

static void
stock_clear(Stock *stock)
{
	lots_clear(&stock->lots);
	retained_clear(&stock->quantity);
	retained_clear(&stock->value);
}

static void
stock_put(WindowCall *call, Stock *stock, Datum quantity, Datum price)
{
	if (stock->method == COST_AVERAGE)
		average_put(call, stock, quantity, price);
	else
		lots_put(&stock->lots, quantity, price);
}

static Datum
stock_take(WindowCall *call, Stock *stock, Datum quantity)
{
	Datum cost, missing;

	if (stock->method == COST_AVERAGE)
		return average_take(call, stock, quantity);
	if (!lots_take(&stock->lots, quantity, stock->method == COST_LIFO, &cost, &missing))
		raise_missing(call, quantity, missing);
	return cost;
}

/* f(quantity, price, method, reset) */
PG_FUNCTION_INFO_V1(scan_cost_numeric);
Datum
scan_cost_numeric(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Stock	   *stock = (Stock *) window_state(call, sizeof(Stock));
	Datum		method = window_constant_not_null(call, &stock->method_name, 2, "method");
	bool		no_quantity, no_price;
	Datum		quantity, price;
	int			sign;

	if (unlikely(stock->method == COST_UNKNOWN))
		stock->method = method_of(method);
	stock->lots.lot.memory = call->memory;
	if (window_flag(call, 3))
		stock_clear(stock);
	quantity = window_arg(call, 0, &no_quantity);
	price = window_arg(call, 1, &no_price);
	if (no_quantity)
		PG_RETURN_NULL();
	sign = numeric_sign_checked(quantity, "quantity");
	if (sign < 0)
		PG_RETURN_DATUM(stock_take(call, stock, DirectFunctionCall1(numeric_uminus, quantity)));
	if (sign > 0 && !no_price)
	{
		(void) numeric_sign_checked(price, "price");
		stock_put(call, stock, quantity, price);
	}
	PG_RETURN_NULL();
}

/*
 * Forms with a scan_amount, whose values are those of numeric (functions/window/argument_types.c): literals without a
 * type.
 */
SCAN_ENTRY(scan_cost_amounts, scan_cost_numeric(fcinfo))
SCAN_ENTRY(scan_cost_quantity, scan_cost_numeric(fcinfo))
SCAN_ENTRY(scan_cost_price, scan_cost_numeric(fcinfo))

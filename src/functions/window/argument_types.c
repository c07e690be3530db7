/*
 * argument_types.c: types of arguments, which tell forms of a function apart.
 *
 * PostgreSQL chooses among the forms of a function by the types of a call's arguments alone, and a literal without a
 * type makes the choice hard: '1 day', NULL, and parameters of clients that name no type.  A second form can take such
 * calls away from the first one, or make them ambiguous.  The types here avoid that.  No table needs them, and no user
 * writes them:
 *
 *   scan_days    An int4: days between two dates.  It has the category of interval, whose preferred type is interval.
 *                So scan_session(date, 7) counts days, and '7 days' remains an interval.
 *   scan_rows    An int8: `max_gap` of scan_locf and scan_nocb, where it is a literal without a type.  Times and
 *                fractions are cast to it implicitly, only to raise an error that says how to give an age.
 *   scan_flag    A bool: `reset` of scan_nocb and scan_counter, where it is a literal without a type.  Without it, NULL
 *                would be `max_age` or `wraps_at` of another form, or make the call ambiguous.
 *   scan_adjust  A bool: `adjust` of scan_ema by time.  A bool is cast to it implicitly, but as the fourth argument it
 *                remains `reset`, as it was before there was `adjust`: PostgreSQL prefers the type without a cast, and
 *                for a literal without a type the preferred type of the category.
 *   scan_amount  A numeric: an argument of scan_cost, where it is a literal without a type.  Floats are cast to it
 *                implicitly, only to raise an error that says what to cast them to.
 *   scan_axis    An array of float8: `at` of array_scan_interpolate, where it is a literal without a type.  If
 *                `max_gap` is one, too, it is a scan_amount.
 *
 * All but scan_days and scan_adjust have the category of strings, which PostgreSQL prefers for a literal without a type
 * to all others.
 *
 * Rejected: forms with text, which would take typed texts, too, and read them again at each row.  Rejected: forms that
 * take double precision and raise the error.  PostgreSQL prefers double precision for integers, so scan_cost(2, 5)
 * would fail.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "call/entry.h"
#include "compat.h"

/* ---- text ---- */

#define TEXT(TYPE, IN, OUT)          \
	SCAN_ENTRY(scan_##TYPE##_in, IN) \
	SCAN_ENTRY(scan_##TYPE##_out, OUT)

TEXT(days, int4in(fcinfo), int4out(fcinfo))
TEXT(rows, int8in(fcinfo), int8out(fcinfo))
TEXT(flag, boolin(fcinfo), boolout(fcinfo))
TEXT(adjust, boolin(fcinfo), boolout(fcinfo))
TEXT(amount, OidInputFunctionCall(F_NUMERIC_IN, PG_GETARG_CSTRING(0), InvalidOid, -1), numeric_out(fcinfo))
TEXT(axis, OidInputFunctionCall(F_ARRAY_IN, PG_GETARG_CSTRING(0), FLOAT8OID, -1),
	 CStringGetDatum(OidOutputFunctionCall(F_ARRAY_OUT, PG_GETARG_DATUM(0))))

/* ---- casts ---- */

SCAN_ENTRY(scan_days_of_int2, Int32GetDatum(PG_GETARG_INT16(0)))

SCAN_REFUSAL(scan_rows_refused, ERRCODE_DATATYPE_MISMATCH,
			 errmsg("argument \"max_gap\" must be a number of rows, not of type %s",
					format_type_be(get_fn_expr_argtype(fcinfo->flinfo, 0))),
			 errhint("To limit the age of a value, give \"at\" and \"max_age\", as in scan_locf(value, at, "
					 "max_age). Without a limit, leave out \"at\"."))

SCAN_REFUSAL(scan_amount_refused, ERRCODE_DATATYPE_MISMATCH,
			 errmsg("scan_cost takes numeric, not %s", format_type_be(get_fn_expr_argtype(fcinfo->flinfo, 0))),
			 errhint("Cast the argument: scan_cost(quantity::numeric, price::numeric). The costs are exact "
					 "sums of products, which floats cannot hold."))

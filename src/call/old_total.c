/*
 * old_total.c: what exact_sum went by in version 1.0 of the catalog, for databases where that is still in use.
 *
 * A new library is there before ALTER EXTENSION scan UPDATE is, and calls of the old catalog look their functions up in
 * it.  op/list.h does not have these: the newest catalog does not.  Since 1.1 exact_sum goes by exact.c.
 */
#include "postgres.h"

#include "fmgr.h"

#include "error.h"
#include "op/exact.h"

/* total.c */
extern Datum scan_total_accumulate_float8(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(scan_total_accumulate_float4);
Datum
scan_total_accumulate_float4(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(1))
		fcinfo->args[1].value = Float8GetDatum(PG_GETARG_FLOAT4(1));
	return scan_total_accumulate_float8(fcinfo);
}

PG_FUNCTION_INFO_V1(scan_total_final_float8);
Datum
scan_total_final_float8(PG_FUNCTION_ARGS)
{
	double	   y;
	ScanStatus status;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	status = exact_round((const ExactSum *) PG_GETARG_POINTER(0), &y);
	if (status != SCAN_OK)
		scan_raise(status);
	PG_RETURN_FLOAT8(y);
}

PG_FUNCTION_INFO_V1(scan_total_final_float4);
Datum
scan_total_final_float4(PG_FUNCTION_ARGS)
{
	float	   y;
	ScanStatus status;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	status = exact_round_float4((const ExactSum *) PG_GETARG_POINTER(0), &y);
	if (status != SCAN_OK)
		scan_raise(status);
	PG_RETURN_FLOAT4(y);
}

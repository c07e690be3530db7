/*
 * bound.c: scan_kept_bound(), which brings a value that a column is compared with to the type of the column.
 *
 *   at < date '2026-03-01'      the last timestamptz before that day, in the session's time zone
 *   account = 5000000000        no integer, so NULL
 *   second < 1767225600.5       the last integer before that number
 *
 * question_value.c puts its call in the place of a value of another type.  The nearest value is searched for with the
 * comparison of the operator family, so the result is core's for every value: beyond the column's type, infinite, and
 * at the ends of daylight saving time.
 *
 * Timestamps are not in the order of the instants that they are in a time zone.  Those that meet a comparison with a
 * timestamptz lie no further beyond the value that is found than two offsets of a zone differ: the bound is moved by
 * that, and lets other rows through, too.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "catalog/pg_opfamily_d.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "kept/kept.h"

/* More than two offsets of a zone differ: POSIX's may be 167 hours on both sides of UTC. */
#define MOST_APART (16 * USECS_PER_DAY)

/* True if the comparison of a number with a value is less than `least`. */
static bool
value_precedes(const Kept *kept, int64 number, Datum value, int least)
{
	Datum key;

	/* a date before the first one cannot be compared with a timestamp, and a number near the ends is no timestamp */
	if (kept->key->type == DATEOID && number < DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE)
		number = DATEVAL_NOBEGIN;
	if (kept->key->type == TIMESTAMPOID && !IS_VALID_TIMESTAMP(number))
		number = number < 0 ? PG_INT64_MIN : PG_INT64_MAX;
	key = kept->key->compare.fn_oid == F_NUMERIC_CMP ? DirectFunctionCall1(int8_numeric, Int64GetDatum(number))
													 : kept_key_value(kept, number);
	return DatumGetInt32(FunctionCall2(&kept->key->compare, key, value)) < least;
}

/*
 * Returns the value of the third argument's type that is equal to a value, or the last one that is less, or not
 * greater, or the first one that is greater, or not less; NULL if there is none.  The second argument is the strategy.
 */
PG_FUNCTION_INFO_V1(scan_kept_bound);
Datum
scan_kept_bound(PG_FUNCTION_ARGS)
{
	KeptColumn key = {.type = get_fn_expr_rettype(fcinfo->flinfo)};
	Kept	   kept = {.key = &key}; /* for its order of numbers */
	Oid		   family = lookup_type_cache(key.type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	Oid		   type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	/* no operator family has integers and numerics, which are compared as numerics */
	Oid	  function = family == INTEGER_BTREE_FAM_OID && type == NUMERICOID
						 ? F_NUMERIC_CMP
						 : get_opfamily_proc(family, key.type, type, BTORDER_PROC);
	Datum value = PG_GETARG_DATUM(0);
	int	  strategy = PG_GETARG_INT32(1);
	int	  least = strategy == BTLessEqualStrategyNumber || strategy == BTGreaterStrategyNumber;
	bool  is_upper = strategy <= BTLessEqualStrategyNumber, all_before;
	int64 low, high, middle, slack = key.type == TIMESTAMPOID && type == TIMESTAMPTZOID ? MOST_APART : 0;

	if ((family != INTEGER_BTREE_FAM_OID &&
		 family != lookup_type_cache(DATEOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf) ||
		!OidIsValid(function))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the value is not a bound of that type")));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	fmgr_info(function, &key.compare);
	low = kept_key_number(&kept, kept_key_value(&kept, PG_INT64_MIN));
	high = kept_key_number(&kept, kept_key_value(&kept, PG_INT64_MAX));
	while (low < high)
	{
		middle = (int64) ((uint64) low + ((uint64) high - (uint64) low) / 2);
		if (value_precedes(&kept, middle, value, least))
			low = middle + 1;
		else
			high = middle;
	}
	/* `low` is the first number that is not before, or the last of all if each of them is */
	all_before = value_precedes(&kept, low, value, least);
	if (is_upper ? !all_before && low == kept_key_number(&kept, kept_key_value(&kept, PG_INT64_MIN))
				 : all_before || (strategy == BTEqualStrategyNumber && !value_precedes(&kept, low, value, 1)))
		PG_RETURN_NULL();
	low -= is_upper && !all_before;
	if (slack > 0 && low != PG_INT64_MIN)
		low = is_upper ? Min(low, PG_INT64_MAX - slack) + slack : low - slack;
	return kept_key_value(&kept, low);
}

/*
 * compare.c: finds in the catalog what compares the values of a key.
 *
 * Whoever sorts or compares by a key makes a KeyOrder when a query starts, and prepares comparisons with it as often as
 * need be: for each sort of a partition, a range or a run, and for merges.  PrepareSortSupportFromOrderingOp() would
 * ask the catalog each time.  Core asks once, before it returns the first row; so a query that goes on after its
 * operator class has been dropped must not ask again.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_collation_d.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "sort/collation.h"
#include "sort/compare.h"

/* Looks up a function of the type's operator family; its memory is the current context's.  NULL: there is none. */
static FmgrInfo *
family_function(Oid family, Oid type, int16 number)
{
	Oid		  oid = get_opfamily_proc(family, type, type, number);
	FmgrInfo *function;

	if (!OidIsValid(oid))
		return NULL;
	function = (FmgrInfo *) palloc(sizeof(FmgrInfo));
	fmgr_info(oid, function);
	return function;
}

/* What is missing is not an error yet: rows that come in order are not compared, neither here nor in core. */
KeyOrder
key_order(Oid sort_operator, Oid collation, bool nulls_first)
{
	KeyOrder order = {.sort_operator = sort_operator, .collation = collation, .nulls_first = nulls_first};
	Oid		 family, type;

	if (compat_ordering_operator(sort_operator, &family, &type, &order.descending))
	{
		order.support = family_function(family, type, BTSORTSUPPORT_PROC);
		order.comparison = family_function(family, type, BTORDER_PROC);
	}
	order.known = type_info_of_comparison(order.comparison == NULL ? InvalidOid : order.comparison->fn_oid);
	if (order.known->order == ORDER_TEXT && collation_orders_bytes(collation))
		order.collation = C_COLLATION_OID;
	return order;
}

/* The comparator of a type that has no sort support: calls the comparison function. */
static int
call_comparison(Datum x, Datum y, SortSupport support)
{
	return DatumGetInt32(FunctionCall2Coll((FmgrInfo *) support->ssup_extra, support->ssup_collation, x, y));
}

void
compare_prepare(SortSupport support, const KeyOrder *order, int column, bool abbreviate)
{
	*support = (SortSupportData){.ssup_cxt = CurrentMemoryContext,
								 .ssup_collation = order->collation,
								 .ssup_reverse = order->descending,
								 .ssup_nulls_first = order->nulls_first,
								 .ssup_attno = column + 1,
								 .abbreviate = abbreviate};
	if (order->support != NULL)
		FunctionCall1(order->support, PointerGetDatum(support));
	if (support->comparator != NULL)
		return;
	if (order->comparison == NULL)
		elog(ERROR, "operator %u is not a valid ordering operator", order->sort_operator);
	support->comparator = call_comparison;
	support->ssup_extra = order->comparison;
}

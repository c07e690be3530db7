/*
 * compare.c: finds in the catalog what compares the values of a key.
 *
 * Whoever sorts or compares by a key makes a KeyOrder when a query starts, and prepares comparisons with it as often as
 * need be: for each sort of a partition, a range or a run, and for merges.  PrepareSortSupportFromOrderingOp() would
 * ask the catalog each time.  Core asks once, before it returns the first row; so a query that goes on after its
 * operator class has been dropped must not ask again.
 */
#include "postgres.h"

#include <langinfo.h>
#include <locale.h>
#ifdef HAVE_XLOCALE_H
#include <xlocale.h>
#endif

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "sort/order.h"

/* ---- collations ---- */

/* Returns the name of a locale of the C library in a row of the catalog; NULL: there is none. */
static char *
locale_name(int cache, Oid oid, int provider_attribute, int name_attribute)
{
	HeapTuple tuple = SearchSysCache1(cache, ObjectIdGetDatum(oid));
	char	 *name = NULL;
	bool	  isnull;
	Datum	  value;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	value = SysCacheGetAttr(cache, tuple, provider_attribute, &isnull);
	if (!isnull && DatumGetChar(value) == COLLPROVIDER_LIBC)
	{
		value = SysCacheGetAttr(cache, tuple, name_attribute, &isnull);
		if (!isnull)
			name = TextDatumGetCString(value);
	}
	ReleaseSysCache(tuple);
	return name;
}

#ifdef __GLIBC__
/* Asks glibc for the number of rules of a locale. */
static bool
locale_has_no_rules(const char *name)
{
	locale_t	locale = newlocale(LC_COLLATE_MASK, name, (locale_t) 0);
	const char *item;
	uint32		rules;

	if (locale == (locale_t) 0)
		return false;
	/* a number: what is returned is a union of a pointer and a word of 32 bits */
	item = nl_langinfo_l(_NL_COLLATE_NRULES, locale);
	memcpy(&rules, &item, sizeof(rules));
	freelocale(locale);
	return rules == 0;
}
#else
static bool
locale_has_no_rules(const char *name)
{
	return false;
}
#endif

/*
 * True if a collation is one of the C library whose order is that of the bytes, as under C.  False if it is C itself,
 * which core knows, and wherever this is not certain.
 *
 * Core knows C and POSIX by their names, and compares text under every other collation of the C library by strcoll.
 * But a locale such as C.UTF-8, in which many databases are created, may have no rules of collation at all: glibc's
 * strcoll is then strcmp.  Sorting two million short texts took twice as long by comparing them as by their bytes.
 *
 * Rejected: to know such locales by their names.  Before glibc 2.35 some systems had a C.UTF-8 of their own, which has
 * rules.
 */
static bool
collation_orders_bytes(Oid collation)
{
	char *name;
	bool  answer;

	if (!OidIsValid(collation) || collation == C_COLLATION_OID)
		return false;
	if (collation == DEFAULT_COLLATION_OID)
		name = locale_name(DATABASEOID, MyDatabaseId, Anum_pg_database_datlocprovider, Anum_pg_database_datcollate);
	else
		name = locale_name(COLLOID, collation, Anum_pg_collation_collprovider, Anum_pg_collation_collcollate);
	if (name == NULL)
		return false;
	answer = locale_has_no_rules(name);
	pfree(name);
	return answer;
}

/* ---- keys ---- */

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

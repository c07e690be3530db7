/*
 * collation.c: see collation.h.
 *
 * Core knows C and POSIX by their names, and compares text under every other collation of the C library by strcoll.
 * But a locale such as C.UTF-8, in which many databases are created, may have no rules of collation at all: glibc's
 * strcoll is then strcmp.  Sorting two million short texts took twice as long by comparing them as by their bytes.
 *
 * Rejected: to know such locales by their names.  Before glibc 2.35 some systems had a C.UTF-8 of their own, which has
 * rules.
 */
#include "postgres.h"

#include <langinfo.h>
#include <locale.h>
#ifdef HAVE_XLOCALE_H
#include <xlocale.h>
#endif

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "sort/collation.h"

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

bool
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

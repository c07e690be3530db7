/*
 * access_method.h: tells whether a table or an index is of a certain kind.
 *
 * plan/ asks about tables that are only planned, and input/ about indexes that core need not have opened: so the
 * catalog tells.
 */
#ifndef SCAN_NODE_ACCESS_METHOD_H
#define SCAN_NODE_ACCESS_METHOD_H

#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "utils/syscache.h"

/* True if a relation has an access method; false if the relation is gone. */
static inline bool
has_access_method(Oid relation, Oid method)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool	  has = HeapTupleIsValid(tuple) && ((Form_pg_class) GETSTRUCT(tuple))->relam == method;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return has;
}

#endif /* SCAN_NODE_ACCESS_METHOD_H */

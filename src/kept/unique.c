/*
 * unique.c: see unique.h.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/unique.h"

/* True if the columns of a unique index, none of which may be NULL, are among some columns of the table. */
static bool
index_is_among(Oid index, Relation table, const Bitmapset *columns)
{
	HeapTuple	  tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	Form_pg_index form;
	bool		  among;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	among = form->indisunique && form->indimmediate && form->indisvalid &&
			heap_attisnull(tuple, Anum_pg_index_indpred, NULL);
	for (int i = 0; i < form->indnkeyatts && among; i++)
	{
		AttrNumber attribute = form->indkey.values[i];

		among = attribute > 0 && bms_is_member(attribute, columns) &&
				compat_is_not_null(RelationGetDescr(table), attribute);
	}
	ReleaseSysCache(tuple);
	return among;
}

bool
kept_columns_are_unique(Oid relation, const Bitmapset *columns)
{
	Relation  table = table_open(relation, NoLock);
	List	 *indexes = RelationGetIndexList(table);
	bool	  unique = false;
	ListCell *cell;

	foreach (cell, indexes)
		unique = unique || index_is_among(lfirst_oid(cell), table, columns);
	list_free(indexes);
	table_close(table, NoLock);
	return unique;
}

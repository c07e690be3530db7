/*
 * unique.c: which columns of a table tell its rows apart.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"
#include "kept/planner.h"

/*
 * True if the columns of a unique index, none of which may be NULL, are among some columns of the table.  An index of
 * another operator class may hold two values that are equal for the kept scan, as one of citext by text_ops does.
 */
static bool
index_is_among(Oid oid, Relation table, const Bitmapset *columns)
{
	Relation	  index = index_open(oid, AccessShareLock);
	Form_pg_index form = index->rd_index;
	bool		  among = form->indisunique && form->indimmediate && form->indisvalid &&
				 heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);

	for (int i = 0; i < form->indnkeyatts && among; i++)
	{
		AttrNumber attribute = form->indkey.values[i];

		among = attribute > 0 && bms_is_member(attribute, columns) &&
				compat_is_not_null(RelationGetDescr(table), attribute) &&
				index->rd_opfamily[i] ==
					lookup_type_cache(TupleDescAttr(RelationGetDescr(table), attribute - 1)->atttypid,
									  TYPECACHE_BTREE_OPFAMILY)
						->btree_opf;
	}
	index_close(index, AccessShareLock);
	return among;
}

bool
kept_columns_are_unique(Oid relation, const Bitmapset *columns)
{
	Relation table = table_open(relation, NoLock);
	List	*indexes = RelationGetIndexList(table);
	bool	 unique = false;

	foreach_oid (index, indexes)
		unique = unique || index_is_among(index, table, columns);
	list_free(indexes);
	table_close(table, NoLock);
	return unique;
}

/*
 * tables.c: whether tree and log still are tables as scan_keep() makes them.
 *
 * Tree and log belong to the owner of the table.  The C code takes a value of a column for what the definition says: a
 * column of another type would be a pointer to nowhere.  Nobody can alter the columns of a materialized view, but those
 * of an unlogged table; so the columns are compared with the definition each time that it is read, which is after every
 * ALTER of one of them, and they are not used if anything differs.  Rows are inserted into indexes as core does into
 * those of its catalogs, without expressions and predicates.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/catalogs.h"

/* ---- system catalogs ---- */

KeptRows
kept_rows_begin(Oid catalog, Oid index, AttrNumber column, Oid value, Snapshot snapshot)
{
	KeptRows	rows = {.catalog = table_open(catalog, AccessShareLock)};
	ScanKeyData key;

	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value));
	rows.scan = systable_beginscan(rows.catalog, index, OidIsValid(index), snapshot, 1, &key);
	return rows;
}

void
kept_rows_end(const KeptRows *rows)
{
	systable_endscan(rows->scan);
	table_close(rows->catalog, AccessShareLock);
}

/* ---- indexes ---- */

Oid
kept_index(Oid relation, int columns)
{
	Relation rel = table_open(relation, AccessShareLock);
	Oid		 found = InvalidOid;

	foreach_oid (oid, RelationGetIndexList(rel))
	{
		Relation			index = index_open(oid, AccessShareLock);
		const Form_pg_index form = index->rd_index;
		bool fits = form->indisvalid && form->indnkeyatts == columns && RelationGetIndexPredicate(index) == NIL &&
					index->rd_rel->relam == BTREE_AM_OID;

		for (int i = 0; fits && i < columns; i++)
			fits = form->indkey.values[i] == i + 1 && index->rd_indoption[i] == 0;
		if (fits)
			found = oid;
		index_close(index, AccessShareLock);
	}
	table_close(rel, AccessShareLock);
	return found;
}

/* True if an index has the order in which nodes are looked up. */
static bool
index_is_intact(const Kept *kept, Oid index)
{
	Relation rel = index_open(index, AccessShareLock);
	bool	 intact = true;

	for (int i = 0; i < rel->rd_index->indnkeyatts; i++)
		intact = intact && (i < kept->partitions
								? rel->rd_opfamily[i] == kept->partition[i].family &&
									  rel->rd_indcollation[i] == kept->partition[i].collation
								: rel->rd_opfamily[i] ==
									  (rel->rd_opcintype[i] == OIDOID ? OID_BTREE_FAM_OID : INTEGER_BTREE_FAM_OID));
	index_close(rel, AccessShareLock);
	return intact;
}

/* True if rows can be inserted into all indexes of a table as core does it for its catalogs, and none is refused. */
static bool
indexes_are_plain(Relation table)
{
	bool plain = true;

	foreach_oid (oid, RelationGetIndexList(table))
	{
		Relation index = index_open(oid, AccessShareLock);

		plain = plain && !index->rd_index->indisunique && !index->rd_index->indisexclusion &&
				RelationGetIndexPredicate(index) == NIL && RelationGetIndexExpressions(index) == NIL;
		index_close(index, AccessShareLock);
	}
	return plain;
}

/* ---- columns ---- */

/* Returns the type of a column of the tree or the log, from 0 on; InvalidOid beyond the last one. */
static Oid
column_type(const Kept *kept, bool is_tree, int column)
{
	static const Oid of_tree[] = {INT2OID, INT8OID, OIDOID, BOOLOID, BOOLOID, INT8OID};
	static const Oid of_log[] = {INT8OID, OIDOID, BOOLOID, INT8OID};
	int				 fixed = is_tree ? lengthof(of_tree) : lengthof(of_log);

	if (column < kept->partitions)
		return kept->partition[column].type;
	column -= kept->partitions;
	if (column < fixed)
		return is_tree ? of_tree[column] : of_log[column];
	column -= fixed;
	return column < kept->aggregates ? kept->aggregate[column].state_type : InvalidOid;
}

static bool
columns_are_intact(const Kept *kept, bool is_tree, TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
		if (TupleDescAttr(desc, i)->attisdropped || TupleDescAttr(desc, i)->atttypid != column_type(kept, is_tree, i))
			return false;
	return !OidIsValid(column_type(kept, is_tree, desc->natts));
}

/* REFRESH ... WITH NO DATA has removed the rows of a materialized view that is not populated. */
static bool
is_kind_of_kept(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_MATVIEW
			   ? RelationIsPopulated(relation)
			   : relation->rd_rel->relkind == RELKIND_RELATION &&
					 relation->rd_rel->relpersistence == RELPERSISTENCE_UNLOGGED;
}

/* Finds the index of the tree or the log; true if the table is there and as scan_keep() makes it. */
static bool
find_table(const Kept *kept, bool is_tree, Oid *index)
{
	Relation table = try_relation_open(is_tree ? kept->tree : kept->log, AccessShareLock);
	bool	 intact;

	*index = InvalidOid;
	if (table == NULL)
		return false;
	intact = is_kind_of_kept(table) && table->rd_rel->relam == HEAP_TABLE_AM_OID &&
			 columns_are_intact(kept, is_tree, RelationGetDescr(table)) && indexes_are_plain(table);
	if (intact)
		*index = kept_index(RelationGetRelid(table), kept->partitions + (!is_tree ? 1 : kept->is_partitioned ? 3 : 2));
	relation_close(table, AccessShareLock);
	return OidIsValid(*index) && index_is_intact(kept, *index);
}

bool
kept_find_tables(Kept *kept)
{
	bool tree = find_table(kept, true, &kept->tree_index), log = find_table(kept, false, &kept->log_index);

	kept->intact = tree && log;
	return kept->intact;
}

/* ---- owners ---- */

Oid
kept_owner(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid		  owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

bool
kept_has_one_owner(const Kept *kept)
{
	return kept_owner(kept->view) == kept->owner && kept_owner(kept->tree) == kept->owner &&
		   kept_owner(kept->log) == kept->owner;
}

/* ---- persistence ---- */

bool
kept_has_persistence(const Kept *kept)
{
	char persistence = get_rel_persistence(kept->table);

	return get_rel_persistence(kept->tree) == persistence && get_rel_persistence(kept->log) == persistence;
}

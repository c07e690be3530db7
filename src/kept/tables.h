/*
 * tables.h: whether tree and log still are tables as scan_keep() makes them.
 */
#ifndef SCAN_KEPT_TABLES_H
#define SCAN_KEPT_TABLES_H

#include "postgres.h"

#include "access/genam.h"

#include "kept/kept.h"

/* The rows of a system catalog that have an oid in a column. */
typedef struct KeptRows
{
	Relation	catalog;
	SysScanDesc scan; /* for systable_getnext() */
} KeptRows;

/*
 * Begins to read such rows as a snapshot sees them; NULL: the newest snapshot.  The column is the first one of the
 * index; InvalidOid: there is no such index.
 */
extern KeptRows kept_rows_begin(Oid catalog, Oid index, AttrNumber column, Oid value, Snapshot snapshot);
extern void		kept_rows_end(const KeptRows *rows);

/* Returns the btree index of a relation on exactly its first columns, in core's order; InvalidOid if there is none. */
extern Oid kept_index(Oid relation, int columns);

/*
 * Finds the indexes of tree and log.  Returns true, and sets `intact`, if both tables have the columns, types and
 * indexes that the C code relies on.
 */
extern bool kept_find_tables(Kept *kept);

/* Returns the owner of a relation, InvalidOid if there is none. */
extern Oid kept_owner(Oid relation);

/* True if tree, log and view have the owner of the table. */
extern bool kept_has_one_owner(const Kept *kept);

#endif /* SCAN_KEPT_TABLES_H */

/*
 * tables.h: whether tree and log still are tables as scan_keep() makes them.
 */
#ifndef SCAN_KEPT_TABLES_H
#define SCAN_KEPT_TABLES_H

#include "kept/kept.h"

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

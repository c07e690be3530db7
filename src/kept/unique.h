/*
 * unique.h: which columns of a table tell its rows apart.
 */
#ifndef SCAN_KEPT_UNIQUE_H
#define SCAN_KEPT_UNIQUE_H

#include "nodes/bitmapset.h"

/* True if no two rows of a table are equal in some columns, by a unique index.  The table is locked. */
extern bool kept_columns_are_unique(Oid relation, const Bitmapset *columns);

#endif /* SCAN_KEPT_UNIQUE_H */

/*
 * catalog.h: the catalog of kept scans, and what a session knows of it.
 *
 * A kept scan is known by the oid of its tree.  A kept scan that a dump has brought has no row in the catalog: it is
 * stale until scan_kept_check() adopts it.
 */
#ifndef SCAN_KEPT_CATALOG_H
#define SCAN_KEPT_CATALOG_H

#include "kept/rights.h"

/*
 * Return a kept scan, for a function of the extension that was called.  It lives until the transaction ends.  NULL:
 * there is none, or its view was dropped.  kept_of_trigger(): the one that a trigger of a table has the name of, if it
 * has a row in the catalog.
 */
extern Kept *kept_if_any(const FmgrInfo *caller, Oid tree);
extern Kept *kept_of_trigger(const FmgrInfo *caller, Oid table, const char *name);

/* The same, and an error if there is none. */
extern Kept *kept_of_tree(const FmgrInfo *caller, Oid tree);

/*
 * Returns the kept scan of a name that may have a schema; without one, it is looked for in the search_path, and then in
 * all schemas.  Raises an error if there is none, or several.
 */
extern Kept *kept_by_name(const FmgrInfo *caller, text *name);

/* Inserts the row of a kept scan.  Older snapshots than this transaction do not use it. */
extern void kept_catalog_insert(const FmgrInfo *caller, Kept *kept);

/* Removes the rows of kept scans whose views were dropped, so that their names are free. */
extern void kept_catalog_clean(const FmgrInfo *caller);

/* Notes that a compaction has ended now, with an error or NULL, and whether the table has outgrown the shape. */
extern void kept_catalog_note(const FmgrInfo *caller, Oid tree, bool outgrown, const char *error);

/* Lets a kept scan be stale until scan_kept_check().  Only inserts, so that no writer waits for another. */
extern void kept_catalog_spoil(const FmgrInfo *caller, const Kept *kept);

/* Deletes the row of a kept scan, if it has one. */
extern void kept_catalog_delete(const FmgrInfo *caller, const Kept *kept);

/*
 * Reads a kept scan by the oid of its tree, into memory of its own: by the catalog's row, or by the names of what a
 * dump has brought.  Returns NULL if there is none.
 */
extern Kept *kept_catalog_read(const FmgrInfo *caller, Oid tree);

/* Finds the kept scans of a name, of a table or InvalidOid: of any.  Returns how many there are, and sets one's tree.
 */
extern int kept_catalog_find(const FmgrInfo *caller, Oid table, const char *name, Oid *tree);

#endif /* SCAN_KEPT_CATALOG_H */

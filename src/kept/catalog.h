/*
 * catalog.h: the catalog of kept scans, and what a session knows of it.
 */
#ifndef SCAN_KEPT_CATALOG_H
#define SCAN_KEPT_CATALOG_H

#include "kept/kept.h"

/*
 * Returns a kept scan by its name, for a function of the extension that was called; raises an error if there is none.
 * It lives until the transaction ends.
 */
extern Kept *kept_by_name(const FmgrInfo *caller, const char *name);

/* The same, but NULL if there is none, or its view was dropped. */
extern Kept *kept_if_any(const FmgrInfo *caller, const char *name);

/* Inserts the row of a kept scan.  Older snapshots than this transaction do not use it. */
extern void kept_catalog_insert(const FmgrInfo *caller, const Kept *kept);

/* Raises an error if there is a kept scan of the name; removes the row of one whose objects were dropped. */
extern void kept_catalog_make_room(const FmgrInfo *caller, const char *name);

/* Replaces the row, in the same way. */
extern void kept_catalog_update(const FmgrInfo *caller, const Kept *kept);

/* Lets a kept scan be stale until scan_kept_check().  Only inserts, so that no writer waits for another. */
extern void kept_catalog_spoil(const FmgrInfo *caller, const Kept *kept);

extern void kept_catalog_delete(const FmgrInfo *caller, const Kept *kept);

/* Raises an error unless the user is a member of the owner of the table, and the owner sees all of its rows. */
extern void kept_require_owner(const Kept *kept);

/*
 * Becomes another role, as core does before it computes the expressions of an index: the expressions of a definition
 * may call functions that anybody has written.  kept_become_again() undoes that; an error does, too.
 */
typedef struct KeptUser
{
	Oid role;
	int context;
} KeptUser;

extern KeptUser kept_become(Oid role);
extern void		kept_become_again(KeptUser user);

#endif /* SCAN_KEPT_CATALOG_H */

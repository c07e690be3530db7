/*
 * objects.h: the relations and functions of a kept scan.
 */
#ifndef SCAN_KEPT_OBJECTS_H
#define SCAN_KEPT_OBJECTS_H

#include "kept/kept.h"

/* The caller of these functions has become the owner of the table, and has called SPI_connect(). */

/* Creates the view, with the text of a definition. */
extern void kept_view_create(const Kept *kept, const char *definition);

/* Creates tree, log and functions; replace: functions of these names are replaced by the new ones. */
extern void kept_objects_create(const FmgrInfo *caller, Kept *kept, bool replace);

/* Lets all of them go with the view, and the view with the extension.  A dump loses these dependencies. */
extern void kept_objects_depend(const FmgrInfo *caller, const Kept *kept);

/* Drops triggers, tree and log, as far as they are there; and the functions, or leaves those to be replaced. */
extern void kept_objects_drop(const FmgrInfo *caller, const Kept *kept, bool functions_too);

/* Returns a relation that was just created, by its suffix; raises an error if it is not in the schema of the table. */
extern Oid kept_object(const Kept *kept, const char *suffix);

#endif /* SCAN_KEPT_OBJECTS_H */

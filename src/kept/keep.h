/*
 * keep.h: the objects of a kept scan that scan_keep() makes.
 */
#ifndef SCAN_KEPT_KEEP_H
#define SCAN_KEPT_KEEP_H

#include "kept/kept.h"

/* Returns the oids of the functions of a kept scan.  The caller has called SPI_connect(). */
extern List *kept_functions(const FmgrInfo *caller, const Kept *kept);

/* Makes the objects depend on each other and on the extension, of which a dump loses a part. */
extern void kept_depend(const FmgrInfo *caller, const Kept *kept);

#endif /* SCAN_KEPT_KEEP_H */

/*
 * keep.h: the objects of a kept scan that scan_keep() makes.
 */
#ifndef SCAN_KEPT_KEEP_H
#define SCAN_KEPT_KEEP_H

#include "kept/kept.h"

/*
 * Makes the objects of a kept scan again, by the definition that its view has.  If the table has a new owner, all of
 * them are new; else the view and the oids of the functions stay.  The caller has the table locked against readers, and
 * has called SPI_connect().
 */
extern void kept_make_again(const FmgrInfo *caller, Kept *kept);

/* Makes triggers, tree and dependencies of a kept scan that a dump has brought; locked in the same way. */
extern void kept_adopt(const FmgrInfo *caller, Kept *kept);

#endif /* SCAN_KEPT_KEEP_H */

/*
 * triggers.h: the triggers on the table of a kept scan.
 */
#ifndef SCAN_KEPT_TRIGGERS_H
#define SCAN_KEPT_TRIGGERS_H

#include "commands/trigger.h"

#include "kept/kept.h"

/*
 * Creates the triggers that are not there, or not as they should be; and drops all of them, whatever their names are
 * now.  Only a trigger that is dropped needs a lock that readers wait for.  The caller has called SPI_connect().
 */
extern void kept_triggers_create(const FmgrInfo *caller, const Kept *kept);
extern void kept_triggers_drop(const FmgrInfo *caller, const Kept *kept);

/* True if a call of the trigger function is one that has to log. */
extern bool kept_trigger_logs(const Kept *kept, const TriggerData *data);

/* Returns the triggers as a snapshot sees them, NULL: as they are now.  The text differs after any ALTER of one. */
extern char *kept_trigger_stamps(const Kept *kept, Snapshot snapshot);

#endif /* SCAN_KEPT_TRIGGERS_H */

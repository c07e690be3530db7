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

/* The trigger function (log.c), and its name. */
#define KEPT_LOG_FUNCTION "scan_kept_log"
extern PGDLLEXPORT Datum scan_kept_log(PG_FUNCTION_ARGS);

/* True if a call of the trigger function is one that has to log. */
extern bool kept_trigger_logs(const Kept *kept, const TriggerData *data);

/*
 * Returns the triggers and the rule of the view as a snapshot sees them, NULL: as they are now.  The text differs after
 * any change of one of them.
 */
extern char *kept_stamps(const Kept *kept, Snapshot snapshot);

/* True if the rule of the view was made by this transaction: another change by it would have the same stamp. */
extern bool kept_rule_is_new(const Kept *kept);

#endif /* SCAN_KEPT_TRIGGERS_H */

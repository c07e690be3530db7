/*
 * triggers.h: the triggers on the table of a kept scan.
 */
#ifndef SCAN_KEPT_TRIGGERS_H
#define SCAN_KEPT_TRIGGERS_H

#include "commands/trigger.h"

#include "kept/kept.h"

/*
 * Creates and enables the triggers, as far as they are not as they should be; and drops all of them, whatever their
 * names are now.  The caller has the table locked against writers and, if any have to go, against readers.
 */
extern void kept_triggers_create(const FmgrInfo *caller, const Kept *kept);
extern void kept_triggers_drop(const FmgrInfo *caller, Oid table, const char *name);

/* True if some triggers were altered, so that they have to be dropped and made again. */
extern bool kept_triggers_have_to_go(const FmgrInfo *caller, const Kept *kept);

/*
 * Returns a copy of the first row of a system catalog that has an oid in a column, which is the first one of the index,
 * as a snapshot sees it; NULL: the newest snapshot.  Returns NULL if there is none.
 */
extern HeapTuple kept_system_row(Oid catalog, Oid index, AttrNumber column, Oid value, Snapshot snapshot);

/* Returns an entry for each row trigger that logs, of all tables. */
extern List *kept_trigger_entries(const FmgrInfo *caller);

/* True if a table has a trigger for a kept scan of a name. */
extern bool kept_has_trigger(const FmgrInfo *caller, Oid table, const char *name);

/* The trigger function (log.c), and its name. */
#define KEPT_LOG_FUNCTION "scan_kept_log"
extern PGDLLEXPORT Datum scan_kept_log(PG_FUNCTION_ARGS);

/* True if a call of the trigger function is one that has to log. */
extern bool kept_trigger_logs(const Kept *kept, const TriggerData *data);

/*
 * Returns the owner, and the triggers, the rule of the view and the expressions of generated columns as a snapshot sees
 * them, NULL: as they are now.  The text differs after any change of one of them.
 */
extern char *kept_stamps(const Kept *kept, Snapshot snapshot);

/* Returns the owner that stamps name. */
extern Oid kept_stamped_owner(const char *stamps);

/* Returns what stamps say of the rule of the view, NULL if there are none. */
extern const char *kept_rule_stamp(const char *stamps);

/* True if the rule of the view was made by this transaction: another change by it would have the same stamp. */
extern bool kept_rule_is_new(const Kept *kept);

#endif /* SCAN_KEPT_TRIGGERS_H */

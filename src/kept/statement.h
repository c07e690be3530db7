/*
 * statement.h: which tables the running statements of this session change.
 *
 * Between the first row that a statement changes and its end, when the triggers of kept scans write their deltas, a
 * function that it calls may see the rows without the deltas.  So read.c asks here, and then reads the table alone.
 */
#ifndef SCAN_KEPT_STATEMENT_H
#define SCAN_KEPT_STATEMENT_H

#include "postgres.h"

#include "utils/snapshot.h"

/* Begins to follow the statements of this backend; called when the library is loaded. */
extern void statement_init(void);

/* True if a running statement changes the table, or may: one that began before the library was loaded. */
extern bool statement_changes(Oid table);

/* Notes that the current command writes a delta. */
extern void statement_logs(void);

/*
 * True if the snapshot was taken before the transaction's last delta was written.  A cursor that was opened while a
 * statement ran may see the statement's rows without their deltas, even after the statement.
 */
extern bool statement_logged_after(Snapshot snapshot);

#endif /* SCAN_KEPT_STATEMENT_H */

/*
 * explain.h: what EXPLAIN says of kept scans: which ones a query reads, and why it does not read the others.
 *
 * Whoever looks at a query makes notes while an EXPLAIN has it planned; else notes cost nothing.
 */
#ifndef SCAN_KEPT_EXPLAIN_H
#define SCAN_KEPT_EXPLAIN_H

#include "nodes/plannodes.h"

#include "kept/kept.h"

/* True if notes are printed, so that it is worth while to find out a reason. */
extern bool kept_notes_wanted(void);

/* Notes that a query level reads a kept scan, or why it does not. */
extern void kept_note(const Kept *kept, const char *reason);

/* Between the two calls a query is planned.  Only the first one of an EXPLAIN has notes, not those of its functions. */
extern void kept_notes_begin(void);
extern void kept_notes_end(const PlannedStmt *statement);

/* Returns how many notes there are; and gives the later ones, of kept scans that are read, a reason why they are not.
 */
extern int	kept_notes_number(void);
extern void kept_notes_revoke(int first, const char *reason);

/* Counts what was read, for EXPLAIN (ANALYZE). */
extern void kept_count(const Kept *kept, int64 nodes, int64 deltas, int64 rows);

extern void kept_explain_init(void);

#endif /* SCAN_KEPT_EXPLAIN_H */

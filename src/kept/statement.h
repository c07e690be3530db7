/*
 * statement.h: which tables the running statements of this session change.
 *
 * Between the first row that a statement changes and its end, when its deltas are written, a function that it calls may
 * see the rows without the deltas.  So read.c asks here, and then reads the table alone.
 */
#ifndef SCAN_KEPT_STATEMENT_H
#define SCAN_KEPT_STATEMENT_H

#include "postgres.h"

#include "utils/snapshot.h"

/* What a statement has changed, as one row trigger has seen it: the head of a set of deltas (log.c). */
typedef struct StatementChanges
{
	Oid						 trigger;
	Oid						 table;
	Oid						 log;
	SubTransactionId		 subtransaction;
	SubTransactionId		 superseded; /* by what this subtransaction did, if it is valid */
	bool					 waits;		 /* for the end of the transaction, not for that of a statement */
	MemoryContext			 memory;
	void					*set;
	struct StatementChanges *next;
} StatementChanges;

/* Writes changes, at the end of their statement or transaction. */
typedef void (*StatementWrite)(StatementChanges *changes);

/* Begins to follow the statements of this backend; called when the library is loaded. */
extern void statement_init(StatementWrite write);

/* Returns the changes of the running statement that a row trigger adds to; at its first call they are all zeros. */
extern StatementChanges *statement_changes_of(Oid trigger);

/* Changes of this log that wait are not to be written: TRUNCATE has removed their rows, or a new tree has them. */
extern void statement_supersede(Oid log);

/*
 * Writes what this subtransaction has changed and what waits for the transaction's end.  The changes of the
 * subtransactions around it wait on: deltas that are written here are undone with this one.
 */
extern void statement_write_waiting(void);

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

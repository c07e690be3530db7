/*
 * definition.h: reads the query that defines a kept scan.
 */
#ifndef SCAN_KEPT_DEFINITION_H
#define SCAN_KEPT_DEFINITION_H

#include "kept/kept.h"

/* Reads a definition, in the current context.  Raises an error that says what cannot be kept. */
extern Kept *kept_of_query(Query *query);

/* Prepares the expressions of a definition for the executor. */
extern void kept_prepare(Kept *kept);

/*
 * What may change later: whose functions it calls, inheritance, generated columns, NOT NULL.  One raises an error if it
 * stands in the way of a kept scan, the other returns what does, or NULL.
 */
extern void	 kept_check_table(const Kept *kept);
extern char *kept_table_objection(const Kept *kept);

/* True if no row of a table can be NULL in a column. */
extern bool kept_column_is_not_null(Oid table, AttrNumber attribute);

#endif /* SCAN_KEPT_DEFINITION_H */

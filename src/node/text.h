/*
 * text.h: what EXPLAIN prints of a plan: names that the catalog may have lost since, frame clauses, and calls.
 */
#ifndef SCAN_NODE_TEXT_H
#define SCAN_NODE_TEXT_H

#include "postgres.h"

#include "commands/explain.h"
#include "nodes/nodes.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"

#include "compat.h"

/* Printed in place of something that is no longer in the catalog. */
#define NAME_OF_WHAT_IS_GONE "???"

/* Returns the name of a function, or NAME_OF_WHAT_IS_GONE. */
extern char *name_of_function(Oid function);

/*
 * Returns an expression as deparse_expression() prints it, with the names of tables before columns if `qualified`; or
 * NAME_OF_WHAT_IS_GONE if the expression names something that is gone.
 */
extern char *text_of_expression(const Node *expr, List *context, bool qualified);

/* Returns a column of a node's own row (custom_scan_tlist) as text, for EXPLAIN. */
extern char *text_of_column(const CustomScan *scan, AttrNumber attno, List *context, const ExplainState *es);

/*
 * Returns the frame clause for `options` (FRAMEOPTION_...), palloc'd.  `start` and `end` are the printed offsets of the
 * bounds; NULL where the bound has no offset, or the offset is not known, which prints as "offset".
 */
extern char *frame_text(int options, const char *start, const char *end);

/* ---- deparse.c: makes the functions of a PrefixScan printable for EXPLAIN ---- */

/* Replaces the WindowFuncs in the PrefixScans of a planned statement, in place, by calls that EXPLAIN can print. */
extern void prefix_scan_deparse(PlannedStmt *statement);

/* Does the same for one PrefixScan when it starts, unless it has been done. */
extern void prefix_scan_deparse_late(CustomScan *scan);

#endif /* SCAN_NODE_TEXT_H */

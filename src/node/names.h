/*
 * names.h: prints what a plan names and the catalog may have lost since.
 */
#ifndef SCAN_NODE_NAMES_H
#define SCAN_NODE_NAMES_H

#include "postgres.h"

#include "nodes/nodes.h"
#include "nodes/pg_list.h"

/* Printed in place of something that is no longer in the catalog. */
#define NAME_OF_WHAT_IS_GONE "???"

/* Returns the name of a function, or NAME_OF_WHAT_IS_GONE. */
extern char *name_of_function(Oid function);

/*
 * Returns an expression as deparse_expression() prints it, with the names of tables before columns if `qualified`; or
 * NAME_OF_WHAT_IS_GONE if the expression names something that is gone.
 */
extern char *text_of_expression(const Node *expr, List *context, bool qualified);

#endif /* SCAN_NODE_NAMES_H */

/*
 * trusted.h: whose code a definition runs.
 *
 * The expressions of a definition are evaluated in every session that writes or reads the table, and by maintenance.
 * So they may call only what a superuser answers for.
 */
#ifndef SCAN_KEPT_TRUSTED_H
#define SCAN_KEPT_TRUSTED_H

#include "kept/kept.h"

/*
 * Returns what a definition uses that neither is pinned nor belongs to a superuser, as "function f(integer)"; NULL if
 * there is nothing.  *own: true if it uses anything that is not pinned.
 */
extern char *kept_untrusted(const Kept *kept, const Query *query, bool *own);

/* True if the role may EXECUTE all aggregates and functions that the definition calls. */
extern bool kept_may_execute(const Kept *kept, Oid role);

/* True if the role may EXECUTE all functions in an expression of a query that are not pinned. */
extern bool kept_may_execute_node(Node *node, Oid role);

#endif /* SCAN_KEPT_TRUSTED_H */

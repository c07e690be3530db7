/*
 * calls.h: the calls of functions that read a kept scan, as the rewrites of queries make them.
 *
 * A plan may be used under another search_path, so a function is found in the schema of the extension.
 */
#ifndef SCAN_KEPT_CALLS_H
#define SCAN_KEPT_CALLS_H

#include "kept/question_value.h"

/* Returns a function of the extension by its name and types, InvalidOid if the extension lacks it. */
extern Oid kept_function(const KeptQuestion *q, const char *name, int types, const Oid *type);

extern Const *kept_tree_constant(const Kept *kept);

/*
 * The location of the calls that the rewriting of a query makes.  No call that a user writes has it, and no function
 * and no EXPLAIN can show or set it; so the function that is called knows that the executor has checked the user's
 * privileges on the table, as in the query that was rewritten.
 */
#define KEPT_PLANNED_LOCATION (-2)

/* True if a call is one of these. */
extern bool kept_call_is_planned(const FmgrInfo *function);

/* Returns a call of scan_kept_part() with its bounds and values, NULL if the extension lacks it. */
extern Expr *kept_call_of_part(const KeptQuestion *q, const char *bounds, List *values);

/* The same of scan_kept_groups(). */
extern Expr *kept_call_of_groups(const KeptQuestion *q, const char *bounds, List *values);

/*
 * Returns the entry of the range table for such a call: its columns are the aggregates, after those of the partition if
 * the call returns groups.
 */
extern RangeTblEntry *kept_entry_of_call(const KeptQuestion *q, Expr *call, bool has_groups);

#endif /* SCAN_KEPT_CALLS_H */

/*
 * explain_more.h: prints more about a query in EXPLAIN than its plan.
 *
 * Core calls no hook between the plan of a query and the end of its output; PostgreSQL 18 has one.  But before the end
 * it ends the executor, and there explain_more.c calls those who are registered: node/plan/explain_declined.c and
 * kept/explain.c.
 */
#ifndef SCAN_LIBRARY_EXPLAIN_MORE_H
#define SCAN_LIBRARY_EXPLAIN_MORE_H

#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"

/* Somebody who has more to print. */
typedef struct ExplainMore
{
	/*
	 * Called when EXPLAIN begins with a query, before it is planned.  EXPLAIN may be nested, in a function that EXPLAIN
	 * ANALYZE runs: what is known of the outer query has to be returned.  The memory is that of EXPLAIN.
	 */
	void *(*begin)(ExplainState *es);
	/* Called when a query ends, which with ANALYZE may be one that the explained query runs. */
	void (*print)(const QueryDesc *query);
	/* Called when EXPLAIN has ended, with what `begin` has returned; after an error, too. */
	void (*end)(void *outer);
} ExplainMore;

/* `more` is static.  EXPLAIN EXECUTE does not pass here: a cached plan is not planned. */
extern void explain_more_register(const ExplainMore *more);

/*
 * The function of the extension that has a query explained and wants advice besides, in the JSON that it reads;
 * InvalidOid: there is none.  The function resets it, after an error, too.
 */
extern Oid explain_more_adviser;

#endif /* SCAN_LIBRARY_EXPLAIN_MORE_H */

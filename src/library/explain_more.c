/*
 * explain_more.c: see explain_more.h.
 */
#include "postgres.h"

#include "compat.h"
#include "library/explain_more.h"

#define MOST_PRINTERS 2

static const ExplainMore *printer[MOST_PRINTERS];
static int				  printers;

static ExplainOneQuery_hook_type next_explain;
static ExecutorEnd_hook_type	 next_end;

static void
print_and_end(QueryDesc *query)
{
	for (int p = 0; p < printers; p++)
		printer[p]->print(query);
	next_end(query);
}

Oid explain_more_adviser;

static void
explain_query(Query *query, int options, IntoClause *into, ExplainState *es, const char *text, ParamListInfo parameters,
			  QueryEnvironment *environment)
{
	void *outer[MOST_PRINTERS];

	for (int p = 0; p < printers; p++)
		outer[p] = printer[p]->begin(es);
	PG_TRY();
	{
		next_explain(query, options, into, es, text, parameters, environment);
	}
	PG_FINALLY();
	{
		for (int p = 0; p < printers; p++)
			printer[p]->end(outer[p]);
	}
	PG_END_TRY();
}

void
explain_more_register(const ExplainMore *more)
{
	Assert(printers < MOST_PRINTERS);
	if (printers == 0)
	{
		next_explain = ExplainOneQuery_hook != NULL ? ExplainOneQuery_hook : compat_explain_query;
		ExplainOneQuery_hook = explain_query;
		next_end = ExecutorEnd_hook != NULL ? ExecutorEnd_hook : standard_ExecutorEnd;
		ExecutorEnd_hook = print_and_end;
	}
	printer[printers++] = more;
}

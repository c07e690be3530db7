/*
 * explain.c: scan_explain(query), what becomes of each window of a query.
 *
 * All there is to say stands in EXPLAIN (VERBOSE) already: this has the query explained, and makes a row of each
 * PrefixScan in the plan and of each window that was left to WindowAgg.  The query is planned and not run.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "nodes/execnodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define COLUMNS 7

/* The rows, of what EXPLAIN says in JSON; a PrefixScan that is aware of others runs in each process of the Gather
 * above. */
static const char rows_of_plan[] =
	"WITH RECURSIVE node (plan, workers, place) AS ("
	"  SELECT statement -> 'Plan', 0, ARRAY[n] FROM json_array_elements($1) WITH ORDINALITY AS s (statement, n)"
	"  UNION ALL "
	"  SELECT child, coalesce((plan ->> 'Workers Planned')::int, workers), place || n"
	"  FROM node, json_array_elements(plan -> 'Plans') WITH ORDINALITY AS c (child, n)), "
	"ours AS ("
	"  SELECT (SELECT string_agg(f, ', ') FROM json_array_elements_text(plan -> 'Functions') AS f) AS functions,"
	"    concat_ws(' ', 'PARTITION BY ' || (SELECT string_agg(k, ', ') FROM json_array_elements_text(plan -> "
	"'Partition By') AS k),"
	"      'ORDER BY ' || (SELECT string_agg(k, ', ') FROM json_array_elements_text(plan -> 'Order By') AS k), plan "
	"->> 'Frame') AS over,"
	"    plan ->> 'Device' AS device, workers + 1 AS processes, plan ->> 'In One Process' AS reason, plan ->> 'Hint' "
	"AS hint, place"
	"  FROM node WHERE plan ->> 'Custom Plan Provider' = 'PrefixScan') "
	"SELECT functions, over, runs_in, device, processes, reason, hint FROM ("
	"  SELECT functions, over, 'PrefixScan' AS runs_in, device, processes, reason, hint, place FROM ours"
	"  UNION ALL "
	"  SELECT (SELECT string_agg(f, ', ') FROM json_array_elements_text(w -> 'Functions') AS f), w ->> 'Window Name',"
	"    'WindowAgg', 'cpu', 1, concat_ws(': ', w ->> 'Function', w ->> 'Reason'), w ->> 'Hint', NULL::bigint[]"
	"  FROM json_array_elements($1) AS statement, json_array_elements(statement -> 'Not in PrefixScan') AS w) AS t "
	"ORDER BY place DESC";

/* A place in an error is one in the query, not in the statement that calls us. */
static void
place_in_query(void *query)
{
	int place = geterrposition();

	if (place > 0)
	{
		errposition(0);
		internalerrposition(place);
		internalerrquery((const char *) query);
	}
}

/* One statement, or an error: what follows it would be run, not explained. */
static void
check_statement(char *query)
{
	ErrorContextCallback callback = {.previous = error_context_stack, .callback = place_in_query, .arg = query};
	int					 statements;

	error_context_stack = &callback;
	statements = list_length(pg_parse_query(query));
	error_context_stack = callback.previous;
	if (statements != 1)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("argument \"query\" must be one statement"),
						errhint("Leave out what comes after the semicolon, or ask for each by itself.")));
}

/* What EXPLAIN says of the query, in the memory of SPI. */
static Datum
explain(const char *query)
{
	bool isnull;

	if (SPI_execute(psprintf("EXPLAIN (VERBOSE, COSTS off, FORMAT json) %s", query), false, 0) != SPI_OK_UTILITY ||
		SPI_processed != 1)
		elog(ERROR, "could not explain the query");
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
}

PG_FUNCTION_INFO_V1(scan_explain_text);
Datum
scan_explain_text(PG_FUNCTION_ARGS)
{
	char		  *query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	ReturnSetInfo *set = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			   type = JSONOID;
	Datum		   plan;

	InitMaterializedSRF(fcinfo, 0);
	check_statement(query);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = explain(query);
	if (SPI_execute_with_args(rows_of_plan, 1, &type, &plan, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the plan");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Datum value[COLUMNS];
		bool  isnull[COLUMNS];

		for (int c = 0; c < COLUMNS; c++)
			value[c] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, c + 1, &isnull[c]);
		tuplestore_putvalues(set->setResult, set->setDesc, value, isnull);
	}
	SPI_finish();
	return (Datum) 0;
}

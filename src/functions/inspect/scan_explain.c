/*
 * scan_explain.c: scan_explain(query), which says for each window of a query where it runs.
 *
 * EXPLAIN (VERBOSE) says all of that already.  This function has the query explained and returns a row for each
 * PrefixScan and IndexSkip in the plan, for each window that was left to WindowAgg, and for each kept scan of a table
 * of the query.  The query is planned and not run.
 *
 * The plan is read here, in C. Rejected: reading it by a query.  That query would resolve its operators and functions
 * by the caller's search_path, since the explained query has to.  An exact match in a schema where others may create
 * objects beats a polymorphic or variadic function of pg_catalog, so others' code would run with the caller's
 * privileges.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "error.h"
#include "library/explain_more.h"

/* the nodes' names in the JSON output of EXPLAIN */
#define NODE_NAME "PrefixScan"
#define SKIP_NAME "IndexSkip"

/* The columns of the result. */
typedef enum ExplainColumn
{
	COLUMN_FUNCTIONS = 0,
	COLUMN_OVER,
	COLUMN_RUNS_IN,
	COLUMN_DEVICE,
	COLUMN_PROCESSES,
	COLUMN_REASON,
	COLUMN_HINT,
	COLUMNS
} ExplainColumn;

/* ---- fields of a JSON object ---- */

static bool
json_field(JsonbContainer *object, const char *name, JsonbValue *value)
{
	return getKeyJsonValueFromContainer(object, name, strlen(name), value) != NULL;
}

/* Returns a field that is text, palloc'd, or NULL if there is none. */
static char *
text_field(JsonbContainer *object, const char *name)
{
	JsonbValue value;

	if (!json_field(object, name, &value) || value.type != jbvString)
		return NULL;
	return pnstrdup(value.val.string.val, value.val.string.len);
}

static int
number_field(JsonbContainer *object, const char *name, int otherwise)
{
	JsonbValue value;

	if (!json_field(object, name, &value) || value.type != jbvNumeric)
		return otherwise;
	return DatumGetInt32(DirectFunctionCall1(numeric_int4, NumericGetDatum(value.val.numeric)));
}

/* Returns a field that is an array, or NULL if there is none. */
static JsonbContainer *
array_field(JsonbContainer *object, const char *name)
{
	JsonbValue value;

	if (!json_field(object, name, &value) || value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
		return NULL;
	return value.val.binary.data;
}

/* Returns an element of an array that is an object, or NULL if it is not an object. */
static JsonbContainer *
object_element(JsonbContainer *array, uint32 i)
{
	const JsonbValue *value = getIthJsonbValueFromContainer(array, i);

	if (value == NULL || value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		return NULL;
	return value->val.binary.data;
}

/*
 * Appends `title` and the strings of `array`, separated by commas, to `words`, after a space if `words` is not empty.
 * Appends nothing if `array` is NULL or empty.
 */
static void
append_list(StringInfo words, const char *title, JsonbContainer *array)
{
	for (uint32 i = 0; array != NULL && i < JsonContainerSize(array); i++)
	{
		const JsonbValue *value = getIthJsonbValueFromContainer(array, i);

		if (i > 0)
			appendStringInfoString(words, ", ");
		else
			appendStringInfo(words, "%s%s", words->len > 0 ? " " : "", title);
		if (value->type == jbvString)
			appendBinaryStringInfo(words, value->val.string.val, value->val.string.len);
	}
}

/* ---- rows of the result ---- */

/* Returns a row of `text`; an empty text is NULL, except for a window that has no clauses. */
static void
put_row(ReturnSetInfo *set, int processes, const char *const text[COLUMNS])
{
	Datum value[COLUMNS] = {[COLUMN_PROCESSES] = Int32GetDatum(processes)};
	bool  isnull[COLUMNS] = {false};

	for (int column = 0; column < COLUMNS; column++)
	{
		if (column == COLUMN_PROCESSES)
			continue;
		isnull[column] = text[column] == NULL || (*text[column] == '\0' && column != COLUMN_OVER);
		if (!isnull[column])
			value[column] = CStringGetTextDatum(text[column]);
	}
	tuplestore_putvalues(set->setResult, set->setDesc, value, isnull);
}

/* Returns the names of the functions, in the order of the JSON array. */
static const char *
names_of_functions(JsonbContainer *object)
{
	StringInfo words = makeStringInfo();

	append_list(words, "", array_field(object, "Functions"));
	return words->data;
}

/* Returns two hints as one text, each of which may be NULL. */
static const char *
join_hints(const char *first, const char *second)
{
	if (first == NULL || second == NULL)
		return first != NULL ? first : second;
	return psprintf("%s %s", first, second);
}

/* Returns a row for a PrefixScan, which runs in `processes` processes. */
static void
put_prefix_scan(ReturnSetInfo *set, JsonbContainer *plan, int processes)
{
	const char *frame = text_field(plan, "Frame");
	StringInfo	words = makeStringInfo();

	append_list(words, "PARTITION BY ", array_field(plan, "Partition By"));
	append_list(words, "ORDER BY ", array_field(plan, "Order By"));
	if (frame != NULL)
		appendStringInfo(words, "%s%s", words->len > 0 ? " " : "", frame);
	put_row(set, processes,
			(const char *const[COLUMNS]){
				[COLUMN_FUNCTIONS] = names_of_functions(plan),
				[COLUMN_OVER] = words->data,
				[COLUMN_RUNS_IN] = NODE_NAME,
				[COLUMN_DEVICE] = text_field(plan, "Device"),
				[COLUMN_REASON] = text_field(plan, "In One Process"),
				[COLUMN_HINT] = join_hints(text_field(plan, "Hint"), text_field(plan, "Frame Hint")),
			});
}

/* Returns a row for an IndexSkip, which finds the first rows of each group for DISTINCT or for the window above. */
static void
put_index_skip(ReturnSetInfo *set, JsonbContainer *plan, int processes)
{
	StringInfo words = makeStringInfo();

	append_list(words, "PARTITION BY ", array_field(plan, "Group Key"));
	put_row(set, processes,
			(const char *const[COLUMNS]){
				[COLUMN_OVER] = words->data,
				[COLUMN_RUNS_IN] = SKIP_NAME,
				[COLUMN_DEVICE] = "cpu",
			});
}

/* Returns a row for a window that was left to WindowAgg. */
static void
put_declined(ReturnSetInfo *set, JsonbContainer *window)
{
	const char *function = text_field(window, "Function");
	const char *over = text_field(window, "Over");
	const char *reason = text_field(window, "Reason");
	StringInfo	words = makeStringInfo();

	appendStringInfo(words, "%s%s%s", function != NULL ? function : "", function != NULL && reason != NULL ? ": " : "",
					 reason != NULL ? reason : "");
	put_row(set, 1,
			(const char *const[COLUMNS]){
				[COLUMN_FUNCTIONS] = names_of_functions(window),
				[COLUMN_OVER] = over != NULL ? over : "",
				[COLUMN_RUNS_IN] = "WindowAgg",
				[COLUMN_DEVICE] = "cpu",
				[COLUMN_REASON] = words->data,
				[COLUMN_HINT] = text_field(window, "Hint"),
			});
}

/* Returns a row for a kept scan of a table of the query: that the query starts from it, or why it does not. */
static void
put_kept_scan(ReturnSetInfo *set, JsonbContainer *kept)
{
	const char *used = text_field(kept, "Starts From"), *unused = text_field(kept, "Not Used");
	const char *reason = text_field(kept, "Reason");

	put_row(
		set, 1,
		(const char *const[COLUMNS]){
			[COLUMN_RUNS_IN] = used != NULL ? psprintf("kept scan %s", used) : "table",
			[COLUMN_DEVICE] = "cpu",
			[COLUMN_REASON] = reason == NULL || unused == NULL ? NULL : psprintf("kept scan %s: %s", unused, reason),
			[COLUMN_HINT] = text_field(kept, "Advice"),
		});
}

/*
 * Returns a row for each PrefixScan and IndexSkip of a plan, the nodes that run first before those above them.  A
 * PrefixScan below a Gather runs in each of the Gather's processes.  Below an IndexSkip are index scans, and the plan
 * that runs only if the IndexSkip gives up, so no window of the query is there.
 */
static void
explain_put_plan(ReturnSetInfo *set, JsonbContainer *plan, int workers)
{
	const char	   *provider = text_field(plan, "Custom Plan Provider");
	bool			skips = provider != NULL && strcmp(provider, SKIP_NAME) == 0;
	JsonbContainer *children = skips ? NULL : array_field(plan, "Plans");

	check_stack_depth();
	workers = number_field(plan, "Workers Planned", workers);
	for (uint32 n = children == NULL ? 0 : JsonContainerSize(children); n > 0; n--)
	{
		JsonbContainer *child = object_element(children, n - 1);

		if (child != NULL)
			explain_put_plan(set, child, workers);
	}
	if (provider != NULL && strcmp(provider, NODE_NAME) == 0)
		put_prefix_scan(set, plan, workers + 1);
	if (skips)
		put_index_skip(set, plan, workers + 1);
}

/* Has each object of an array put a row. */
static void
put_objects(ReturnSetInfo *set, JsonbContainer *objects, void (*put)(ReturnSetInfo *set, JsonbContainer *object))
{
	for (uint32 i = 0; objects != NULL && i < JsonContainerSize(objects); i++)
	{
		JsonbContainer *object = object_element(objects, i);

		if (object != NULL)
			put(set, object);
	}
}

/* Returns the rows for one statement: kept scans, then the windows left to WindowAgg, then the plan's. */
static void
put_statement(ReturnSetInfo *set, JsonbContainer *statement)
{
	JsonbValue plan;

	put_objects(set, array_field(statement, "Kept Scans"), put_kept_scan);
	put_objects(set, array_field(statement, "Not in PrefixScan"), put_declined);
	if (json_field(statement, "Plan", &plan) && plan.type == jbvBinary && JsonContainerIsObject(plan.val.binary.data))
		explain_put_plan(set, plan.val.binary.data, 0);
}

/* ---- the query ---- */

/* Raises an error unless the query is one statement: a second one would be run, not explained. */
static void
check_statement(char *query)
{
	ErrorContextCallback callback = {.previous = error_context_stack, .callback = scan_error_in_query, .arg = query};
	int					 statements;

	error_context_stack = &callback;
	statements = list_length(pg_parse_query(query));
	error_context_stack = callback.previous;
	if (statements == 0)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("argument \"query\" has no statement"),
						errhint("Give the text of a query, as in scan_explain('SELECT ...').")));
	if (statements != 1)
		ereport(
			ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR), errmsg("argument \"query\" must be one statement"),
			 errhint(
				 "Leave out everything after the first semicolon, or call scan_explain() once for each statement.")));
}

/* Returns the output of EXPLAIN, an array of statements, in SPI's memory.  The function is scan_explain(). */
static JsonbContainer *
run_explain(const char *query, Oid function)
{
	Oid	  outer = explain_more_adviser; /* a function that is folded may have called this one */
	Datum plan;
	char *text;

	explain_more_adviser = function;
	PG_TRY();
	{
		if (SPI_execute(psprintf("EXPLAIN (VERBOSE, COSTS off, FORMAT json) %s", query), false, 0) != SPI_OK_UTILITY ||
			SPI_processed != 1)
			elog(ERROR, "could not explain the query");
	}
	PG_FINALLY();
	{
		explain_more_adviser = outer;
	}
	PG_END_TRY();
	text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	plan = DirectFunctionCall1(jsonb_in, CStringGetDatum(text));
	return &DatumGetJsonbP(plan)->root;
}

PG_FUNCTION_INFO_V1(scan_explain_text);
Datum
scan_explain_text(PG_FUNCTION_ARGS)
{
	char		   *query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	ReturnSetInfo  *set = (ReturnSetInfo *) fcinfo->resultinfo;
	JsonbContainer *statements;

	InitMaterializedSRF(fcinfo, 0);
	check_statement(query);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	statements = run_explain(query, fcinfo->flinfo->fn_oid);
	put_objects(set, statements, put_statement);
	SPI_finish();
	return (Datum) 0;
}

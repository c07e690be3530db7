/*
 * sql.c: the SQL that kept scans run, of names that mean the same under any search_path.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_operator.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "error.h"
#include "kept/catalogs.h"

void
kept_sql(const char *command)
{
	int result = SPI_execute(command, false, 0);

	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", command, SPI_result_code_string(result));
}

static void
run_command(void *command)
{
	kept_sql((const char *) command);
}

void
kept_sql_apart(const char *command)
{
	ErrorData *error = scan_subtransaction(run_command, (void *) command);

	if (error != NULL)
		ReThrowError(error);
}

void
kept_drop(Oid class, Oid object)
{
	ObjectAddress address;

	ObjectAddressSet(address, class, object);
	performDeletion(&address, DROP_RESTRICT, 0);
	CommandCounterIncrement();
}

char *
kept_relation_name(Oid relation)
{
	char *name = get_rel_name(relation);

	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relation)));
	return name;
}

char *
kept_schema_name(Oid schema)
{
	char *name = get_namespace_name(schema);

	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_SCHEMA), errmsg("schema with OID %u does not exist", schema)));
	return name;
}

char *
kept_sql_relation(Oid relation)
{
	return quote_qualified_identifier(kept_schema_name(get_rel_namespace(relation)), kept_relation_name(relation));
}

char *
kept_sql_type(Oid type, int32 typmod)
{
	return format_type_extended(type, typmod, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* ---- rows of the table ---- */

/* Appends "r.column OPERATOR(schema.op) $number", by an operator of the column's order. */
static void
append_compare(StringInfo sql, const KeptColumn *column, int strategy, int number)
{
	Oid operator= get_opfamily_member(column->family, column->opclass_type, column->opclass_type, (int16) strategy);
	HeapTuple		 tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	Form_pg_operator form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", operator);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	appendStringInfo(sql, "r.%s OPERATOR(%s.%s) $%d", quote_identifier(column->name),
					 quote_identifier(kept_schema_name(form->oprnamespace)), NameStr(form->oprname), number);
	ReleaseSysCache(tuple);
}

/* Appends the condition that a row comes before a bound, whose keys are the parameters from `first` on. */
static void
append_before(StringInfo sql, const Kept *kept, int keys, int first, bool with_peers)
{
	for (int k = 0; k < keys; k++)
	{
		appendStringInfoChar(sql, '(');
		append_compare(sql, &kept->key[k],
					   with_peers && k + 1 == keys ? BTLessEqualStrategyNumber : BTLessStrategyNumber, first + k);
		if (k + 1 < keys)
		{
			appendStringInfoString(sql, " OR ");
			append_compare(sql, &kept->key[k], BTEqualStrategyNumber, first + k);
			appendStringInfoString(sql, " AND ");
		}
	}
	for (int k = 0; k < keys; k++)
		appendStringInfoChar(sql, ')');
}

static void
append_condition(StringInfo sql, const Kept *kept, const KeptQuery *query)
{
	int n = 1;

	appendStringInfoString(sql, " WHERE ");
	for (int p = 0; p < kept->partitions; p++, n++)
	{
		if (query->partition[p].isnull)
			appendStringInfo(sql, "r.%s IS NULL AND r.%s IS NOT DISTINCT FROM NULL",
							 quote_identifier(kept->partition[p].name), quote_identifier(kept->partition[p].name));
		else
			append_compare(sql, &kept->partition[p], BTEqualStrategyNumber, n);
		appendStringInfoString(sql, " AND ");
	}
	if (query->whole)
	{
		appendStringInfoString(sql, "true");
		return;
	}
	append_compare(sql, &kept->key[0], BTGreaterEqualStrategyNumber, n);
	appendStringInfoString(sql, " AND ");
	append_compare(sql, &kept->key[0], BTLessEqualStrategyNumber, n + 1);
	if (query->keys > 0)
	{
		appendStringInfoString(sql, " AND ");
		append_before(sql, kept, query->keys, n + 2, query->with_peers);
	}
}

static void
append_order(StringInfo sql, const Kept *kept, const KeptQuery *query)
{
	int keys = query->order == KEPT_BY_FIRST_KEY ? 1 : kept->keys;

	if (query->order == KEPT_ANY_ORDER)
		return;
	appendStringInfoString(sql, " ORDER BY ");
	for (int p = 0; query->partition == NULL && p < kept->partitions; p++)
		appendStringInfo(sql, "r.%s, ", quote_identifier(kept->partition[p].name));
	for (int k = 0; k < keys; k++)
		appendStringInfo(sql, "%sr.%s%s", k > 0 ? ", " : "", quote_identifier(kept->key[k].name),
						 query->order == KEPT_NEWEST_FIRST ? " DESC" : "");
}

/* Returns the numbers of the columns that a query reads. */
static List *
query_columns(const Kept *kept, TupleDesc desc, bool all)
{
	List *columns = NIL;

	all |= bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, kept->columns);
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped &&
			(all || bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, kept->columns)))
			columns = lappend_int(columns, i);
	return columns;
}

static char *
query_text(const Kept *kept, TupleDesc desc, const KeptQuery *query)
{
	StringInfo	sql = makeStringInfo();
	const char *comma = "";

	appendStringInfoString(sql, "SELECT ");
	foreach_int (number, query_columns(kept, desc, query->all_columns))
	{
		appendStringInfo(sql, "%sr.%s", comma, quote_identifier(NameStr(TupleDescAttr(desc, number)->attname)));
		comma = ", ";
	}
	if (OidIsValid(query->leaf))
		appendStringInfo(sql, " FROM ONLY %s AS r", kept_sql_relation(query->leaf));
	else
		appendStringInfo(sql, " FROM %s AS r", kept_sql_relation(kept->table));
	if (query->partition != NULL)
		append_condition(sql, kept, query);
	append_order(sql, kept, query);
	if (query->limit > 0)
		appendStringInfo(sql, " LIMIT " INT64_FORMAT, query->limit);
	return sql->data;
}

/* A plan that a session keeps: the same one serves all queries of the same form. */
struct KeptPlan
{
	KeptPlan  *next;
	char	  *from;  /* the leaf's name in the query */
	Bitmapset *nulls; /* columns of PARTITION BY that are NULL */
	KeptQuery  query; /* its values are parameters, and do not count */
	SPIPlanPtr plan;
};

static Bitmapset *
null_partitions(const Kept *kept, const KeptQuery *query)
{
	Bitmapset *nulls = NULL;

	for (int p = 0; p < kept->partitions; p++)
		if (query->partition[p].isnull)
			nulls = bms_add_member(nulls, p);
	return nulls;
}

/* True if two queries over a part of a partition have the same text and privileges. */
static bool
has_text_of(const KeptQuery *a, const KeptQuery *b)
{
	return a->leaf == b->leaf && a->keys == b->keys && a->order == b->order && a->limit == b->limit &&
		   a->all_columns == b->all_columns && a->whole == b->whole && a->with_peers == b->with_peers &&
		   a->as_user == b->as_user;
}

/* Returns the plan of a query over a part of a partition. */
static SPIPlanPtr
query_plan(Kept *kept, TupleDesc desc, const KeptQuery *query, ParamListInfo parameters)
{
	Oid		   type[FUNC_MAX_ARGS];
	Bitmapset *nulls = null_partitions(kept, query);
	/* a leaf may be renamed, and another table may have the name then */
	const char	 *from = OidIsValid(query->leaf) && kept->is_partitioned ? kept_sql_relation(query->leaf) : "";
	KeptPlan	 *known;
	MemoryContext old;

	for (known = kept->plans; known != NULL; known = known->next)
		if (bms_equal(known->nulls, nulls) && has_text_of(&known->query, query) && strcmp(known->from, from) == 0)
			return known->plan;
	old = MemoryContextSwitchTo(kept->memory);
	known = (KeptPlan *) palloc(sizeof(KeptPlan));
	*known = (KeptPlan){.next = kept->plans, .from = pstrdup(from), .nulls = bms_copy(nulls), .query = *query};
	MemoryContextSwitchTo(old);
	for (int n = 0; n < parameters->numParams; n++)
		type[n] = parameters->params[n].ptype;
	known->plan = SPI_prepare(query_text(kept, desc, query), parameters->numParams, type);
	if (known->plan == NULL || SPI_keepplan(known->plan) != 0)
		elog(ERROR, "could not plan a query of kept scan \"%s\"", NameStr(kept->name));
	kept->plans = known;
	return known->plan;
}

void
kept_plans_free(Kept *kept)
{
	for (KeptPlan *plan = kept->plans; plan != NULL; plan = plan->next)
		(void) SPI_freeplan(plan->plan);
	kept->plans = NULL;
}

/* Returns the parameters of a query over a part of a partition. */
static ParamListInfo
query_parameters(const Kept *kept, const KeptQuery *query)
{
	ParamListInfo	 parameters = makeParamList(kept->partitions + (query->whole ? 0 : 2 + query->keys));
	ParamExternData *next = parameters->params;

	for (int p = 0; p < kept->partitions; p++)
		*next++ = (ParamExternData){query->partition[p].value, query->partition[p].isnull, PARAM_FLAG_CONST,
									kept->partition[p].type};
	if (query->whole)
		return parameters;
	*next++ = (ParamExternData){kept_key_value(kept, query->from), false, PARAM_FLAG_CONST, kept->key[0].type};
	*next++ = (ParamExternData){kept_key_value(kept, query->to), false, PARAM_FLAG_CONST, kept->key[0].type};
	for (int k = 0; k < query->keys; k++)
		*next++ = (ParamExternData){query->bound[k], false, PARAM_FLAG_CONST, kept->key[k].type};
	return parameters;
}

/* Passes rows on as they come from the executor, each as a row of the table. */
typedef struct RowReceiver
{
	DestReceiver	destination;
	TupleTableSlot *slot;	 /* of the table */
	int				columns; /* of the query's result */
	const int	   *column;	 /* their indexes in `slot` */
	KeptTakeRow		take;
	void		   *to;
	MemoryContext	memory; /* of one row */
	int64			passed;
} RowReceiver;

static bool
receive_row(TupleTableSlot *result, DestReceiver *destination)
{
	RowReceiver	 *receiver = (RowReceiver *) destination;
	MemoryContext old = MemoryContextSwitchTo(receiver->memory);
	bool		  more;

	slot_getallattrs(result);
	ExecClearTuple(receiver->slot);
	for (int c = 0; c < receiver->columns; c++)
	{
		receiver->slot->tts_values[receiver->column[c]] = result->tts_values[c];
		receiver->slot->tts_isnull[receiver->column[c]] = result->tts_isnull[c];
	}
	ExecStoreVirtualTuple(receiver->slot);
	receiver->passed++;
	more = receiver->take(receiver->to, receiver->slot);
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->memory);
	return more;
}

static void
receive_begin(DestReceiver *destination, int operation, TupleDesc desc)
{
}

static void
receive_nothing(DestReceiver *destination)
{
}

/*
 * Runs a query, whose rows go to the receiver.  While a partition is being detached, its plan is not kept: another
 * snapshot may have other partitions.
 */
static void
run_query(Kept *kept, TupleDesc desc, const KeptQuery *query, RowReceiver *receiver)
{
	SPIExecuteOptions options = {.read_only = true, .must_return_tuples = true, .dest = &receiver->destination};
	bool			  passes = kept->is_partitioned && (kept->leaves == NULL || kept->expired);
	int				  result;

	if (query->partition != NULL)
		options.params = query_parameters(kept, query);
	if (query->partition == NULL || (passes && !OidIsValid(query->leaf)))
		result = SPI_execute_extended(query_text(kept, desc, query), &options);
	else
		result = SPI_execute_plan_extended(query_plan(kept, desc, query, options.params), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "could not read the rows of kept scan \"%s\": %s", NameStr(kept->name),
			 SPI_result_code_string(result));
}

/* True if no value of the first key's type is in the interval of a query. */
static bool
is_beyond_type(const Kept *kept, const KeptQuery *query)
{
	return query->partition != NULL && !query->whole &&
		   (kept_key_number(kept, kept_key_value(kept, query->from)) < query->from ||
			kept_key_number(kept, kept_key_value(kept, query->to)) > query->to);
}

int64
kept_sql_rows(Kept *kept, const KeptQuery *query, KeptTakeRow take, void *to)
{
	/* SPI takes a command whose rows go to DestNone for a utility command */
	RowReceiver receiver = {
		.destination = {receive_row, receive_begin, receive_nothing, receive_nothing, DestTuplestore},
		.take = take,
		.to = to};
	Relation  table;
	TupleDesc desc;
	List	 *columns;
	int		 *column;

	if (is_beyond_type(kept, query))
		return 0;
	table = table_open(kept->table, AccessShareLock);
	desc = RelationGetDescr(table);
	columns = query_columns(kept, desc, query->all_columns);
	receiver.column = column = (int *) palloc(Max(list_length(columns), 1) * sizeof(int));
	foreach_int (number, columns)
		column[receiver.columns++] = number;
	receiver.slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	memset(receiver.slot->tts_isnull, true, desc->natts * sizeof(bool));
	receiver.memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a row", ALLOCSET_SMALL_SIZES);
	run_query(kept, desc, query, &receiver);
	MemoryContextDelete(receiver.memory);
	ExecDropSingleTupleTableSlot(receiver.slot);
	table_close(table, AccessShareLock);
	return receiver.passed;
}

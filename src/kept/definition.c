/*
 * definition.c: reads the query that defines a kept scan, and says what cannot be kept.
 *
 * The query is that of a view (kept.h), so it is analyzed already, and renamed columns need no care.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

static void refuse(const char *what, const char *hint) __attribute__((noreturn));

static void
refuse(const char *what, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("cannot keep %s", what),
					hint == NULL ? 0 : errhint("%s", hint)));
}

/* ---- the table ---- */

/* Returns why the rows of the table may be other ones than those that the triggers see, or NULL. */
static char *
table_objection(const Kept *kept)
{
	Relation  table = table_open(kept->table, AccessShareLock);
	TupleDesc desc = RelationGetDescr(table);
	char	 *objection = NULL;

	if (table->rd_rel->relhassubclass && !kept->is_partitioned)
		objection = "other tables inherit from it";
	/* rows of leaves may have another order of columns */
	if (kept->is_partitioned && bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, kept->columns))
		objection = "the definition has whole rows of a partitioned table";
	for (int a = FirstLowInvalidHeapAttributeNumber + 1; a < 0; a++)
		if (bms_is_member(a - FirstLowInvalidHeapAttributeNumber, kept->columns))
			objection = "the definition has one of its system columns";
	for (int i = 0; i < desc->natts; i++)
		if (compat_is_virtual(TupleDescAttr(desc, i)) &&
			bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, kept->generated))
			objection = psprintf("column \"%s\" is generated and not stored", NameStr(TupleDescAttr(desc, i)->attname));
	table_close(table, AccessShareLock);
	return objection;
}

/* Raises an error if a table can never be that of a kept scan. */
static void
check_table(Oid relation)
{
	Relation	table = table_open(relation, AccessShareLock);
	char		kind = table->rd_rel->relkind, persistence = table->rd_rel->relpersistence;
	const char *name = RelationGetRelationName(table);

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		refuse(psprintf("a scan of \"%s\": it is not a table", name), NULL);
	if (persistence == RELPERSISTENCE_TEMP)
		refuse(psprintf("a scan of \"%s\": the table is temporary", name), NULL);
	if (IsCatalogRelationOid(relation))
		refuse(psprintf("a scan of \"%s\": it is a system catalog", name), NULL);
	table_close(table, AccessShareLock);
}

/* Returns the only table of the query. */
static Oid
table_of_query(const Query *query)
{
	const RangeTblEntry *entry;
	const RangeTblRef	*from;

	if (query->commandType != CMD_SELECT || query->hasSubLinks || query->cteList != NIL || query->setOperations != NULL)
		refuse("this query", "The definition is a SELECT of window aggregates of one table, without subqueries.");
	if (query->hasAggs && !query->hasWindowFuncs)
		refuse(
			"an aggregate without OVER",
			"Keep a running total, as sum(amount) OVER (PARTITION BY account ORDER BY at, id). Queries with GROUP BY "
			"read it as well.");
	if (query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL ||
		query->distinctClause != NIL || query->sortClause != NIL || query->limitCount != NULL ||
		query->limitOffset != NULL || query->rowMarks != NIL || query->hasAggs || query->hasTargetSRFs)
		refuse("a query with GROUP BY, DISTINCT, ORDER BY, LIMIT or a locking clause",
			   "Write these clauses into the queries that read the kept scan.");
	from = list_length(query->jointree->fromlist) == 1 ? (const RangeTblRef *) linitial(query->jointree->fromlist)
													   : NULL;
	if (from == NULL || !IsA(from, RangeTblRef))
		refuse(query->jointree->fromlist == NIL ? "a query without a table" : "a join",
			   "The definition reads one table.");
	entry = rt_fetch(from->rtindex, query->rtable);
	if (entry->rtekind != RTE_RELATION || entry->tablesample != NULL)
		refuse("this query", "The definition reads one table.");
	if (entry->relkind == RELKIND_PARTITIONED_TABLE && !entry->inh)
		refuse("a scan of ONLY a partitioned table", "It has no rows of its own.");
	check_table(entry->relid);
	return entry->relid;
}

/* ---- expressions ---- */

/* Returns an expression as the executor evaluates it. */
static Expr *
prepare_expression(Expr *expression)
{
	return expression == NULL ? NULL : expression_planner(expression);
}

/*
 * Folding constants evaluates functions, so nobody does it to list, explain or drop a kept scan.  Functions that are
 * not pinned are evaluated with the owner's rights and no more.
 */
void
kept_prepare(Kept *kept)
{
	MemoryContext old;
	KeptUser	  user = {.is_set = false};

	if (kept->prepared)
		return;
	old = MemoryContextSwitchTo(kept->memory);
	if (kept->own_code)
		user = kept_become(kept->owner);
	for (int a = 0; a < kept->aggregates; a++)
	{
		ListCell *cell;

		kept->aggregate[a].filter = prepare_expression(kept->aggregate[a].filter);
		foreach (cell, kept->aggregate[a].arguments)
			lfirst(cell) = prepare_expression(lfirst(cell));
	}
	kept->where = kept->where == NIL ? NIL : make_ands_implicit(prepare_expression(make_ands_explicit(kept->where)));
	kept->prepared = true;
	kept_become_again(user);
	MemoryContextSwitchTo(old);
}

/* Returns an expression over columns of the table; raises an error if its value may change. */
static Expr *
immutable_expression(Node *node, int varno, const char *what)
{
	if (contain_mutable_functions(node))
		refuse(psprintf("%s: it calls a function that is not IMMUTABLE", what), NULL);
	if (contain_subplans(node) || contain_window_function(node) || contain_agg_clause(node))
		refuse(psprintf("%s: it is not an expression over columns of one row", what), NULL);
	node = (Node *) copyObject(node);
	if (varno != 1)
		ChangeVarNodes(node, varno, 1, 0);
	return (Expr *) node;
}

/* Reads a column of PARTITION BY or ORDER BY. */
static void
read_column(KeptColumn *column, const SortGroupClause *clause, const Query *query, Oid relation, const char *where)
{
	const Var *var = (const Var *) get_sortgroupclause_expr((SortGroupClause *) clause, query->targetList);
	Oid		   opclass;

	if (!IsA(var, Var) || var->varattno <= 0)
		refuse(psprintf("a scan whose %s is an expression", where), "Use columns of the table.");
	*column = (KeptColumn){.attribute = var->varattno,
						   .name = get_attname(relation, var->varattno, false),
						   .type = var->vartype,
						   .typmod = var->vartypmod,
						   .collation = var->varcollid};
	get_typlenbyvalalign(column->type, &column->length, &column->by_value, &column->align);
	opclass = GetDefaultOpClass(column->type, BTREE_AM_OID);
	if (!OidIsValid(opclass))
		refuse(psprintf("a scan by column \"%s\": its type has no order", column->name), NULL);
	column->family = get_opclass_family(opclass);
	column->opclass_type = get_opclass_input_type(opclass);
	if (get_opfamily_member(column->family, column->opclass_type, column->opclass_type, BTEqualStrategyNumber) !=
			clause->eqop &&
		!op_in_opfamily(clause->eqop, column->family))
		refuse(
			psprintf("a scan by column \"%s\": its %s uses another operator than the type's own", column->name, where),
			NULL);
	if (OidIsValid(column->collation) && !get_collation_isdeterministic(column->collation))
		refuse(psprintf("a scan by column \"%s\": its collation is not deterministic", column->name), NULL);
	fmgr_info_cxt(get_opfamily_proc(column->family, column->opclass_type, column->opclass_type, BTORDER_PROC),
				  &column->compare, CurrentMemoryContext);
}

/* ---- the window ---- */

bool
kept_column_is_not_null(Oid table, AttrNumber attribute)
{
	Relation relation = table_open(table, AccessShareLock);
	bool	 not_null = compat_is_not_null(RelationGetDescr(relation), attribute);

	table_close(relation, AccessShareLock);
	return not_null;
}

#define FRAME_TO_HERE (FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_CURRENT_ROW)

static void
read_key(KeptColumn *key, const SortGroupClause *clause, const Query *query, Oid relation, bool first)
{
	read_column(key, clause, query, relation, "ORDER BY");
	if (get_op_opfamily_strategy(clause->sortop, key->family) != BTLessStrategyNumber)
		refuse(psprintf("a scan that is ordered by \"%s\" DESC or USING", key->name),
			   "Order the definition ascending; queries may show its rows in any order.");
	if (first && key->type != INT2OID && key->type != INT4OID && key->type != INT8OID && key->type != DATEOID &&
		key->type != TIMESTAMPOID && key->type != TIMESTAMPTZOID)
		refuse(psprintf("a scan ordered first by \"%s\", of type %s", key->name, format_type_be(key->type)),
			   "The first column of ORDER BY is a smallint, integer, bigint, date, timestamp or timestamptz.");
}

static void
read_window(Kept *kept, const Query *query)
{
	const WindowClause *window;

	if (list_length(query->windowClause) != 1)
		refuse("a query without a window, or with several",
			   "Give all aggregates one window: OVER w ... WINDOW w AS (...).");
	window = (const WindowClause *) linitial(query->windowClause);
	if ((window->frameOptions & FRAME_TO_HERE) != FRAME_TO_HERE || (window->frameOptions & FRAMEOPTION_EXCLUSION) != 0)
		refuse("a frame that does not go from the first row of the partition to the current row", NULL);
	if (window->orderClause == NIL)
		refuse("a window without ORDER BY", NULL);
	kept->partitions = list_length(window->partitionClause);
	kept->partition = (KeptColumn *) palloc0(Max(kept->partitions, 1) * sizeof(KeptColumn));
	foreach_node (SortGroupClause, clause, window->partitionClause)
		read_column(&kept->partition[foreach_current_index(clause)], clause, query, kept->table, "PARTITION BY");
	kept->keys = list_length(window->orderClause);
	kept->key = (KeptColumn *) palloc0(kept->keys * sizeof(KeptColumn));
	foreach_node (SortGroupClause, clause, window->orderClause)
		read_key(&kept->key[foreach_current_index(clause)], clause, query, kept->table,
				 foreach_current_index(clause) == 0);
}

/* ---- aggregates ---- */

static void
read_aggregate(KeptAggregate *aggregate, const TargetEntry *entry, int varno)
{
	const WindowFunc *call = (const WindowFunc *) entry->expr;
	const char		 *what, *reason = NULL, *hint = NULL;
	List			 *arguments;

	if (!IsA(call, WindowFunc))
		refuse(psprintf("column \"%s\"", entry->resname),
			   "Every column of the definition is an aggregate over its window.");
	*aggregate = (KeptAggregate){.name = pstrdup(entry->resname),
								 .named = call->winfnoid,
								 .function = call->winfnoid,
								 .called = call->winagg ? call->winfnoid : InvalidOid,
								 .result_type = call->wintype,
								 .collation = call->inputcollid};
	what = psprintf("%s in column \"%s\"", format_procedure(call->winfnoid), entry->resname);
	arguments = kept_aggregate_read(aggregate, call, &reason, &hint);
	if (reason != NULL)
		refuse(reason[0] == '\0' ? what : psprintf("%s: %s", what, reason), hint);
	get_typlenbyval(aggregate->state_type, &aggregate->state_length, &aggregate->state_by_value);
	foreach_ptr (Node, argument, arguments)
		aggregate->arguments = lappend(aggregate->arguments, immutable_expression(argument, varno, what));
	aggregate->argument_type = arguments == NIL ? InvalidOid : exprType(linitial(arguments));
	if (call->aggfilter != NULL)
		aggregate->filter = immutable_expression((Node *) call->aggfilter, varno, what);
	/* scan_count counts where its argument is true */
	if (!call->winagg && aggregate->operation == &kept_count)
	{
		aggregate->filter = (Expr *) linitial(aggregate->arguments);
		aggregate->arguments = NIL;
	}
}

static void
read_aggregates(Kept *kept, const Query *query, int varno)
{
	kept->aggregate = (KeptAggregate *) palloc0(list_length(query->targetList) * sizeof(KeptAggregate));
	foreach_node (TargetEntry, entry, query->targetList)
		if (!entry->resjunk)
		{
			KeptAggregate *aggregate = &kept->aggregate[kept->aggregates++];

			read_aggregate(aggregate, entry, varno);
			kept->extremes |= aggregate->operation == &kept_extreme;
		}
}

/* Raises an error if the table is, for now, none of which a scan can be kept. */
void
kept_check_table(Kept *kept)
{
	const char *objection = table_objection(kept);

	if (objection == NULL)
		objection = kept_leaves_objection(kept);

	if (kept->untrusted != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot keep a scan that uses %s, which does not belong to a superuser", kept->untrusted),
				 errdetail("Whoever writes or reads the table would run it."),
				 errhint("Let a stored generated column of the table compute the value, and keep a scan of that "
						 "column.")));

	if (objection != NULL)
		refuse(psprintf("a scan of \"%s\": %s", kept_relation_name(kept->table), objection), NULL);
	for (int k = 0; k < kept->keys; k++)
		if (!kept_column_is_not_null(kept->table, kept->key[k].attribute))
			refuse(psprintf("a scan ordered by \"%s\": the column may be NULL", kept->key[k].name),
				   psprintf("ALTER TABLE ... ALTER COLUMN %s SET NOT NULL.", quote_identifier(kept->key[k].name)));
}

char *
kept_table_objection(const Kept *kept)
{
	char *objection = table_objection(kept);

	if (objection != NULL)
		return psprintf("of its table: %s", objection);
	for (int k = 0; k < kept->keys; k++)
		if (!kept_column_is_not_null(kept->table, kept->key[k].attribute))
			return psprintf("column \"%s\" may be NULL", kept->key[k].name);
	return NULL;
}

/* Returns the generated ones of the columns that the definition reads. */
static Bitmapset *
generated_columns(const Kept *kept)
{
	Relation   table = table_open(kept->table, AccessShareLock);
	Bitmapset *generated = NULL;

	for (int i = 0; i < RelationGetDescr(table)->natts; i++)
		if (TupleDescAttr(RelationGetDescr(table), i)->attgenerated != '\0')
			generated = bms_add_member(generated, i + 1 - FirstLowInvalidHeapAttributeNumber);
	table_close(table, AccessShareLock);
	/* a row as a whole has all of them */
	return bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, kept->columns)
			   ? generated
			   : bms_int_members(generated, kept->columns);
}

Kept *
kept_of_query(Query *query)
{
	Kept *kept = (Kept *) palloc(sizeof(Kept));
	int	  varno;

	*kept = (Kept){.memory = CurrentMemoryContext, .table = table_of_query(query), .finest = PG_INT64_MAX};
	varno = ((RangeTblRef *) linitial(query->jointree->fromlist))->rtindex;
	read_window(kept, query);
	read_aggregates(kept, query, varno);
	if (kept->partitions + 3 > INDEX_MAX_KEYS || kept->keys > INDEX_MAX_KEYS || kept->aggregates > KEPT_MOST_AGGREGATES)
		refuse("a scan of so many columns",
			   psprintf("At most %d columns of PARTITION BY, %d of ORDER BY and %d aggregates.", INDEX_MAX_KEYS - 3,
						INDEX_MAX_KEYS, KEPT_MOST_AGGREGATES));
	if (query->jointree->quals != NULL)
		kept->where = list_make1(immutable_expression(query->jointree->quals, varno, "the condition of WHERE"));
	pull_varattnos((Node *) query->targetList, varno, &kept->columns);
	pull_varattnos(query->jointree->quals, varno, &kept->columns);
	kept->generated = generated_columns(kept);
	kept->calendar = kept->key[0].type == TIMESTAMPOID || kept->key[0].type == TIMESTAMPTZOID;
	kept->owner = kept_owner(kept->table);
	kept->is_partitioned = get_rel_relkind(kept->table) == RELKIND_PARTITIONED_TABLE;
	kept->untrusted = kept_untrusted(kept, query, &kept->own_code);
	return kept;
}

void
kept_set_grain(Kept *kept, const Interval *grain)
{
	/* no width divides all months, so a grain of more than a day is one of days */
	double days = Min(30.0 * grain->month + grain->day + (double) grain->time / USECS_PER_DAY, 1);

	if (!kept->calendar && kept->key[0].type != DATEOID)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a kept scan ordered by \"%s\" has no grain", kept->key[0].name),
						errdetail("The first column of ORDER BY would have to be a date, timestamp or timestamptz.")));
	if (days <= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the grain of a kept scan must be positive")));
	kept->grain = grain;
	kept->finest = kept->calendar ? (int64) rint(days * USECS_PER_DAY) : 1;
}

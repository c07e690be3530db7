/*
 * rewrite.c: lets plain aggregate queries read a kept scan.
 *
 *   SELECT sum(amount), count(*) FROM payment WHERE account = 7 AND at < '2026-01-01'
 *
 * A query level is rewritten before it is planned if it reads one table of which a scan is kept, has the conditions of
 * that scan's definition, a value for each column of its partition and bounds of the first key, and no others; and if
 * each of its aggregates is one of the definition's.  The table's place in FROM is taken by a call of scan_kept_part(),
 * and the aggregates become the columns of its only row:
 *
 *   SELECT total, entries FROM scan_kept_part('payment_kept', '-)', 7, '2026-01-01') AS r(total, entries)
 *
 * The function decides when it is called whether tree and log may be used, and reads the table if not.  So a plan never
 * has to be made anew for that.  The table stays in the range table: its privileges are checked, it is locked, and a
 * change of it makes cached plans invalid, as in the plain query.
 *
 * Rejected: a plan node of our own.  Cursors, correlated subqueries and recheck of updated rows treat a function as
 * they treat any other.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "guc.h"
#include "kept/arguments.h"
#include "kept/catalog.h"
#include "kept/question.h"
#include "kept/rewrite.h"
#include "kept/sql.h"
#include "kept/triggers.h"

static planner_hook_type previous_hook;

/* ---- the kept scan ---- */

/* Returns the only table of a query level that may be answered by a kept scan, NULL if it is another one. */
static const RangeTblEntry *
table_of_level(KeptQuestion *q)
{
	const Query			*query = q->query;
	const RangeTblRef	*from;
	const RangeTblEntry *entry;

	if (query->commandType != CMD_SELECT || !query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs ||
		query->hasSubLinks || query->groupClause != NIL || query->groupingSets != NIL || query->setOperations != NULL ||
		query->rowMarks != NIL || list_length(query->jointree->fromlist) != 1)
		return NULL;
	from = (const RangeTblRef *) linitial(query->jointree->fromlist);
	if (!IsA(from, RangeTblRef))
		return NULL;
	entry = rt_fetch(from->rtindex, query->rtable);
	/* the function checks the privileges of the user: those of a view's owner, or policies, do not apply to it */
	if (entry->rtekind != RTE_RELATION || entry->relkind != RELKIND_RELATION || entry->tablesample != NULL ||
		entry->securityQuals != NIL || OidIsValid(compat_check_as_user(query, entry)))
		return NULL;
	q->varno = from->rtindex;
	return entry;
}

/* Returns how many rows the largest partition of a kept scan has, by statistics; -1 if there are none. */
static double
largest_partition(const Kept *kept, Relation table)
{
	double rows = table->rd_rel->reltuples;

	for (int p = 0; p < kept->partitions && rows >= 0; p++)
	{
		HeapTuple	 tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(kept->table),
											 Int16GetDatum(kept->partition[p].attribute), BoolGetDatum(false));
		AttStatsSlot slot;
		double		 part, distinct;

		if (!HeapTupleIsValid(tuple))
			return -1;
		distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
		part = distinct > 0 ? 1 / distinct : distinct < 0 ? -1 / (distinct * Max(table->rd_rel->reltuples, 1)) : 1;
		if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid, ATTSTATSSLOT_NUMBERS))
		{
			part = slot.nnumbers > 0 ? Max(part, slot.numbers[0]) : part;
			free_attstatsslot(&slot);
		}
		ReleaseSysCache(tuple);
		rows *= part;
	}
	return rows;
}

/*
 * True if a trigger is one of a kept scan; q->caller: its function.  fmgr_info() loads the library of a function, so
 * another trigger's function must not come to it: that library may be missing, and a query of the table does not need
 * it.
 */
static bool
is_trigger_of_kept(KeptQuestion *q, const Trigger *trigger)
{
	const char *name;

	if (TRIGGER_FOR_ROW(trigger->tgtype) || !TRIGGER_FOR_DELETE(trigger->tgtype) || trigger->tgnargs != 1)
		return false;
	name = get_func_name(trigger->tgfoid);
	if (name == NULL || strcmp(name, KEPT_LOG_FUNCTION) != 0)
		return false;
	fmgr_info(trigger->tgfoid, &q->caller);
	return q->caller.fn_addr == scan_kept_log;
}

/* Finds a kept scan of a table that answers the query. */
static bool
find_kept(KeptQuestion *q, Relation table)
{
	const TriggerDesc *triggers = table->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		const Kept	  *kept;
		double		   rows;

		if (!is_trigger_of_kept(q, trigger))
			continue;
		kept = kept_if_any(&q->caller, trigger->tgargs[0]);
		if (kept == NULL || kept->table != RelationGetRelid(table) || kept->stale != NULL || !kept_may_read(kept))
			continue;
		rows = largest_partition(kept, table);
		if (rows >= 0 && rows <= KEPT_LEAF_ROWS)
			continue;
		q->kept = kept;
		if (kept_question_has_answer(q))
			return true;
	}
	return false;
}

/* ---- the rewritten query ---- */

static Node *
replace_aggregates(Node *node, void *question)
{
	KeptQuestion *q = (KeptQuestion *) question;

	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
	{
		const Aggref *call = (const Aggref *) node;

		return (Node *) makeVar(list_length(q->query->rtable), (AttrNumber) (kept_question_aggregate(q, call) + 1),
								call->aggtype, -1, call->aggcollid, 0);
	}
	return expression_tree_mutator(node, replace_aggregates, question);
}

static Const *
text_constant(const char *text)
{
	return makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(text), false, false);
}

static Expr *
call_of_part(const KeptQuestion *q)
{
	const Kept *kept = q->kept;
	char	   *schema = kept_schema_name(get_func_namespace(q->caller.fn_oid));
	Oid			type[3] = {NAMEOID, TEXTOID, ANYOID};
	int			types = kept->partitions > 0 || q->from != NULL || q->to != NULL ? 3 : 2;
	Oid function = LookupFuncName(list_make2(makeString(schema), makeString("scan_kept_part")), types, type, true);
	NameData *name = (NameData *) palloc0(sizeof(NameData));
	char	  bounds[3] = {q->from == NULL	   ? '-'
						   : q->from_inclusive ? '['
											   : '(',
					   q->to == NULL	 ? '-'
						   : q->to_inclusive ? ']'
											 : ')',
					  '\0'};
	List *arguments;

	if (!OidIsValid(function))
		return NULL;
	namestrcpy(name, NameStr(kept->name));
	arguments = list_make2(makeConst(NAMEOID, -1, C_COLLATION_OID, NAMEDATALEN, NameGetDatum(name), false, false),
						   text_constant(bounds));
	for (int p = 0; p < kept->partitions; p++)
		arguments = lappend(arguments, q->partition[p]);
	if (q->from != NULL)
		arguments = lappend(arguments, q->from);
	if (q->to != NULL)
		arguments = lappend(arguments, q->to);
	return (Expr *) makeFuncExpr(function, RECORDOID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Returns the entry of the range table whose only row has the aggregates. */
static RangeTblEntry *
entry_of_part(const KeptQuestion *q, Expr *call)
{
	RangeTblEntry	 *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	const Kept		 *kept = q->kept;

	function->funcexpr = (Node *) call;
	function->funccolcount = kept->aggregates;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];

		function->funccolnames = lappend(function->funccolnames, makeString(pstrdup(aggregate->name)));
		function->funccoltypes = lappend_oid(function->funccoltypes, aggregate->result_type);
		function->funccoltypmods = lappend_int(function->funccoltypmods, -1);
		function->funccolcollations = lappend_oid(function->funccolcollations,
												  get_typcollation(aggregate->result_type));
	}
	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->alias = makeAlias(NameStr(kept->name), NIL);
	entry->eref = makeAlias(NameStr(kept->name), (List *) copyObject(function->funccolnames));
	entry->inFromCl = true;
	return entry;
}

/* Rewrites a query level if a kept scan answers it.  Returns whether it did. */
static bool
rewrite_level(Query *query)
{
	KeptQuestion		 q = {.query = query};
	const RangeTblEntry *entry = table_of_level(&q);
	Relation			 table;
	bool				 found;
	Expr				*call;

	if (entry == NULL)
		return false;
	/* whoever plans a query has a lock on its tables */
	table = table_open(entry->relid, NoLock);
	found = find_kept(&q, table);
	table_close(table, NoLock);
	call = found ? call_of_part(&q) : NULL;
	if (call == NULL)
		return false;
	query->rtable = lappend(query->rtable, entry_of_part(&q, call));
	query->targetList = (List *) replace_aggregates((Node *) query->targetList, &q);
	query->jointree->quals = replace_aggregates(query->havingQual, &q);
	query->havingQual = NULL;
	((RangeTblRef *) linitial(query->jointree->fromlist))->rtindex = list_length(query->rtable);
	query->hasAggs = false;
	return true;
}

static bool
rewrite_levels(Node *node, void *rewritten)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		*(bool *) rewritten |= rewrite_level((Query *) node);
		return query_tree_walker((Query *) node, rewrite_levels, rewritten, 0);
	}
	return expression_tree_walker(node, rewrite_levels, rewritten);
}

/*
 * A parallel worker that plans a query, for a function that is PARALLEL SAFE, does not know which tables the statement
 * of its leader changes (statement.h).  A user who may read the query's columns may not read all of the definition's,
 * so that a plan with a kept scan is good only for the role that it was made for.
 */
static PlannedStmt *
rewrite_and_plan(COMPAT_PLANNER_PARAMETERS)
{
	bool		 rewritten = false;
	PlannedStmt *statement;

	if (guc_kept != KEPT_OFF && !IsInParallelMode())
		(void) rewrite_levels((Node *) parse, &rewritten);
	statement = previous_hook ? previous_hook(COMPAT_PLANNER_ARGUMENTS(options))
							  : standard_planner(COMPAT_PLANNER_ARGUMENTS(options));
	statement->dependsOnRole |= rewritten;
	return statement;
}

void
kept_rewrite_init(void)
{
	previous_hook = planner_hook;
	planner_hook = rewrite_and_plan;
}

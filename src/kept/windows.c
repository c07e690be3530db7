/*
 * windows.c: lets queries with running windows begin from a kept scan.
 *
 * A query level with a window reads whole partitions, though the level above shows only some of the rows:
 *
 *   SELECT * FROM (SELECT id, at, sum(amount) OVER (PARTITION BY account ORDER BY at, id) FROM payment) AS s
 *   WHERE account = 7 AND at >= '2026-11-01'
 *
 * Three forms are rewritten.  The rows that are shown, their values and their order stay the same.
 *
 *   from a bound of the first key on (above):    the bound is asked of the table, too
 *   the last rows (ORDER BY at DESC LIMIT 20):   the table gives the last 20 rows, with all rows of the oldest one's
 *                                                first key
 *   rows by a unique column (WHERE id = 5):      the window goes, and scan_kept_part() is called for each row
 *
 * In the first two, each aggregate over the window becomes a column of scan_kept_running() over the same window, which
 * goes on from the state before the first row that it gets.  So core plans and runs the query as it does any other; and
 * the table's own indexes find the rows.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "kept/calls.h"
#include "kept/explain.h"
#include "kept/lookup.h"
#include "kept/window_level.h"
#include "kept/windows.h"

/* ---- the functions over the window ---- */

typedef struct Replacement
{
	const WindowLevel *level;
	Oid				   running; /* scan_kept_running(); InvalidOid: the values come from an entry of the range table */
	Oid				   field;	/* scan_kept_field(), which takes a value out of its result */
	Index			   entry;
} Replacement;

/* Returns the call whose result is a record of all aggregates, as they are over the window of another call. */
static Expr *
call_of_running(const Replacement *replacement, const WindowFunc *call)
{
	const WindowLevel *level = replacement->level;
	const Kept		  *kept = level->q.kept;
	WindowFunc		  *running = makeNode(WindowFunc);
	Relation		   table = table_open(kept->table, NoLock);
	int				   column = -1;

	running->winfnoid = replacement->running;
	running->wintype = RECORDOID;
	running->winref = call->winref;
	running->location = -1;
	running->args = list_make3(
		kept_name_constant(kept),
		makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum((int64) level->wanted), false, true),
		makeBoolConst(window_level_by_rows(level, call), false));
	while ((column = bms_next_member(kept->columns, column)) >= 0)
	{
		AttrNumber		  attribute = (AttrNumber) (column + FirstLowInvalidHeapAttributeNumber);
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(table), attribute - 1);

		running->args = lappend(
			running->args, makeVar(level->q.varno, attribute, form->atttypid, form->atttypmod, form->attcollation, 0));
	}
	table_close(table, NoLock);
	return (Expr *) running;
}

/*
 * Returns the value of an aggregate in such a record.  Rejected: a FieldSelect, which core cannot print if the record
 * is of no type with a name.
 */
static Expr *
call_of_field(const Replacement *replacement, const WindowFunc *call, AttrNumber number)
{
	return (Expr *) makeFuncExpr(
		replacement->field, call->wintype,
		list_make3(call_of_running(replacement, call),
				   makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(number), false, true),
				   makeNullConst(call->wintype, -1, call->wincollid)),
		call->wincollid, InvalidOid, COERCE_EXPLICIT_CALL);
}

static Node *
replace_window_functions(Node *node, void *to)
{
	const Replacement *replacement = (Replacement *) to;
	const WindowFunc  *call = (const WindowFunc *) node;
	AttrNumber		   number;

	if (node == NULL)
		return NULL;
	if (!IsA(node, WindowFunc))
		return expression_tree_mutator(node, replace_window_functions, to);
	number = (AttrNumber) (window_level_aggregate(replacement->level, call) + 1);
	if (OidIsValid(replacement->running))
		return (Node *) call_of_field(replacement, call, number);
	return (Node *) makeVar(replacement->entry, number, call->wintype, -1, call->wincollid, 0);
}

/* Lets the windows of a level go on from the state before their first row.  False: the extension lacks a function. */
static bool
continue_windows(const WindowLevel *level, Query *query)
{
	Replacement replacement = {.level = level};
	Oid			running[] = {NAMEOID, INT8OID, BOOLOID, ANYOID}, field[] = {RECORDOID, INT4OID, ANYELEMENTOID};

	replacement.running = kept_function(&level->q, "scan_kept_running", lengthof(running), running);
	replacement.field = kept_function(&level->q, "scan_kept_field", lengthof(field), field);
	if (!OidIsValid(replacement.running) || !OidIsValid(replacement.field))
		return false;
	query->targetList = (List *) replace_window_functions((Node *) query->targetList, &replacement);
	return true;
}

/* ---- from a bound on ---- */

static bool
rewrite_bound(const WindowLevel *level, Query *query)
{
	if (!continue_windows(level, query))
		return false;
	query->jointree->quals = (Node *) make_ands_explicit(
		list_concat(make_ands_implicit((Expr *) query->jointree->quals), level->bounds));
	return true;
}

/* ---- the last rows ---- */

/* Returns a number of rows as the level of the table computes it: no larger than what can be added to another one. */
static Expr *
number_of_rows(Node *number, int levels)
{
	MinMaxExpr *least = makeNode(MinMaxExpr);

	number = (Node *) copyObject(number);
	IncrementVarSublevelsUp(number, levels, 1);
	least->minmaxtype = INT8OID;
	least->op = IS_LEAST;
	least->args = list_make2(
		number, makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(PG_INT64_MAX / 4), false, true));
	least->location = -1;
	return (Expr *) least;
}

/* Returns how many rows the table has to give: LIMIT and OFFSET of the highest level together. */
static Node *
rows_to_give(const WindowLevel *level)
{
	const Query *query = window_level_top(level);
	int			 levels = level->aboves + 1;
	Expr		*rows = number_of_rows(query->limitCount, levels);

	if (query->limitOffset == NULL)
		return (Node *) rows;
	return (Node *) makeFuncExpr(F_INT8PL, INT8OID, list_make2(rows, number_of_rows(query->limitOffset, levels)),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Returns all columns of the table, in their order, as the target list of a query that has the table as its entry 1. */
static List *
columns_of_table(Oid relation)
{
	Relation table = table_open(relation, NoLock);
	List	*columns = NIL;

	for (int i = 0; i < RelationGetDescr(table)->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(table), i);
		Expr			 *column = form->attisdropped
									   ? (Expr *) makeNullConst(INT4OID, -1, InvalidOid)
									   : (Expr *) makeVar(1, i + 1, form->atttypid, form->atttypmod, form->attcollation, 0);

		columns = lappend(columns,
						  makeTargetEntry(column, (AttrNumber) (i + 1), pstrdup(NameStr(form->attname)), false));
	}
	table_close(table, NoLock);
	return columns;
}

/* Returns an operator of the first key's order. */
static Oid
operator_of_key(const KeptColumn *key, int16 strategy)
{
	Oid operator= get_opfamily_member(key->family, key->opclass_type, key->opclass_type, strategy);

	if (!OidIsValid(operator))
		elog(ERROR, "operator family %u has no operator %d", key->family, strategy);
	return operator;
}

/* Returns ORDER BY the first key DESC, of a query with the table's columns. */
static List *
newest_first(const Kept *kept, List *columns)
{
	const KeptColumn *key = &kept->key[0];
	SortGroupClause	 *clause = makeNode(SortGroupClause);

	clause->tleSortGroupRef = list_nth_node(TargetEntry, columns, key->attribute - 1)->ressortgroupref = 1;
	clause->eqop = operator_of_key(key, BTEqualStrategyNumber);
	clause->sortop = operator_of_key(key, BTGreaterStrategyNumber);
	compat_set_descending(clause);
	clause->nulls_first = true;
	clause->hashable = true;
	return list_make1(clause);
}

/* Returns the query that gives the last rows of the table, which is an entry of the level's range table. */
static Query *
query_of_last(const WindowLevel *level)
{
	const KeptQuestion *q = &level->q;
	RangeTblEntry	   *table = copyObject(rt_fetch(q->varno, q->query->rtable));
	Query			   *last = makeNode(Query);
	RangeTblRef		   *from = makeNode(RangeTblRef);
	List			   *conditions = list_concat(make_ands_implicit((Expr *) copyObject(q->query->jointree->quals)),
												 level->conditions);

	compat_copy_privileges(table, q->query, last);
	IncrementVarSublevelsUp((Node *) conditions, 1, 1);
	ChangeVarNodes((Node *) conditions, q->varno, 1, 0);
	from->rtindex = 1;
	last->commandType = CMD_SELECT;
	last->canSetTag = true;
	last->rtable = list_make1(table);
	last->jointree = makeFromExpr(list_make1(from), conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions));
	last->targetList = columns_of_table(q->kept->table);
	last->sortClause = newest_first(q->kept, last->targetList);
	last->limitCount = rows_to_give(level);
	last->limitOption = LIMIT_OPTION_WITH_TIES;
	return last;
}

/* True if a query level speaks of rows of the table as a whole, or of their system columns. */
static bool
reads_whole_rows(const WindowLevel *level)
{
	Bitmapset *columns = NULL;

	pull_varattnos((Node *) level->q.query->targetList, level->q.varno, &columns);
	return bms_num_members(columns) > 0 && bms_next_member(columns, -1) <= -FirstLowInvalidHeapAttributeNumber;
}

/* True if LIMIT or OFFSET is something that may be computed twice. */
static bool
limits_are_values(const Query *query)
{
	List *limits = list_make2(query->limitCount, query->limitOffset);

	return !contain_volatile_functions((Node *) limits) && !contain_subplans((Node *) limits);
}

/* Rewrites a level of which the last rows are shown. */
static bool
rewrite_last(const WindowLevel *level, Query *query)
{
	RangeTblEntry *entry;
	Query		  *last;

	if (!window_level_shows_last(level) || !limits_are_values(window_level_top(level)) || reads_whole_rows(level))
		return false;
	last = query_of_last(level);
	if (!continue_windows(level, query))
		return false;
	ChangeVarNodes((Node *) query, level->q.varno, list_length(query->rtable) + 1, 0);
	query->jointree->quals = NULL;
	entry = makeNode(RangeTblEntry);
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = last;
	entry->inFromCl = true;
	entry->alias = copyObject(rt_fetch(level->q.varno, query->rtable)->alias);
	entry->eref = copyObject(rt_fetch(level->q.varno, query->rtable)->eref);
	query->rtable = lappend(query->rtable, entry);
	return true;
}

/* ---- rows by a unique column ---- */

static bool
rewrite_rows(WindowLevel *level, Query *query)
{
	KeptQuestion *q = &level->q;
	const Kept	 *kept = q->kept;
	Replacement	  replacement = {.level = level, .entry = list_length(query->rtable) + 1};
	List		 *values = NIL;
	Expr		 *call;
	RangeTblRef	 *from = makeNode(RangeTblRef);

	for (int i = 0; i < kept->partitions + level->keys; i++)
	{
		const KeptColumn *column = i < kept->partitions ? &kept->partition[i] : &kept->key[i - kept->partitions];

		values = lappend(values,
						 makeVar(q->varno, column->attribute, column->type, column->typmod, column->collation, 0));
	}
	call = kept_call_of_part(q, "-]=", values);
	if (call == NULL)
		return false;
	query->targetList = (List *) replace_window_functions((Node *) query->targetList, &replacement);
	query->rtable = lappend(query->rtable, kept_entry_of_call(q, call, false));
	from->rtindex = replacement.entry;
	query->jointree->fromlist = lappend(query->jointree->fromlist, from);
	query->windowClause = NIL;
	query->hasWindowFuncs = false;
	return true;
}

/* ---- the levels of a query ---- */

/* The levels above one, from the nearest to the highest. */
typedef struct Chain
{
	LevelAbove			level;
	int					length;
	const struct Chain *next;
} Chain;

typedef struct Rewriting
{
	bool last; /* only what shows the last rows; else only the other forms */
	bool more; /* others were seen */
	bool done;
} Rewriting;

/* Rewrites a level with windows, which is an entry of the level above, if there is one. */
static bool
rewrite_window(Rewriting *rewriting, Query *query, const Chain *above)
{
	WindowLevel level = {.q = {.query = query}};
	bool		limited = query->limitCount != NULL || query->limitOffset != NULL, done;

	for (; above != NULL && level.aboves < MOST_LEVELS_ABOVE; above = above->next)
		level.above[level.aboves++] = above->level;
	if (!window_level_read(&level))
		return false;
	if (rewriting->last)
	{
		done = (level.aboves == 0 || !limited) && rewrite_last(&level, query);
		rewriting->more |= !done && level.aboves > 0;
	}
	else
		done = (level.by_row && kept_finds_rows(&level) && rewrite_rows(&level, query)) ||
			   (!limited && level.has_from && rewrite_bound(&level, query));
	if (done || !rewriting->last)
		kept_note(level.q.kept, done ? NULL : "no condition or LIMIT above the window shows few of the rows");
	return done;
}

/* Returns the common table expression that only an entry of the range table names, and that core makes a subquery of.
 */
static CommonTableExpr *
expression_of_entry(const Query *query, const RangeTblEntry *entry)
{
	ListCell *cell;

	if (entry->rtekind != RTE_CTE || entry->ctelevelsup != 0 || entry->self_reference)
		return NULL;
	foreach (cell, query->cteList)
	{
		CommonTableExpr *expression = lfirst_node(CommonTableExpr, cell);
		const Query		*its = (const Query *) expression->ctequery;

		if (strcmp(expression->ctename, entry->ctename) == 0)
			return expression->cterefcount == 1 && expression->ctematerialized != CTEMaterializeAlways &&
						   !expression->cterecursive && its->commandType == CMD_SELECT && its->rowMarks == NIL &&
						   !contain_volatile_functions((Node *) its)
					   ? expression
					   : NULL;
	}
	return NULL;
}

/* Makes an entry the subquery that core would make of it. */
static void
inline_expression(RangeTblEntry *entry, CommonTableExpr *expression)
{
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = (Query *) expression->ctequery;
	expression->ctequery = copyObject(expression->ctequery);
	expression->cterefcount = 0;
	entry->ctename = NULL;
	entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
}

/* True if a level only chooses rows of those below, and computes columns: conditions and LIMIT above hold below, too.
 */
static bool
is_transparent(const Query *query)
{
	return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs && !query->hasTargetSRFs &&
		   query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
		   query->distinctClause == NIL && query->setOperations == NULL && query->limitCount == NULL &&
		   query->limitOffset == NULL && query->rowMarks == NIL &&
		   !contain_volatile_functions((Node *) query->targetList);
}

/* Rewrites the levels with windows that are entries of a level, or of transparent levels below it. */
static void
rewrite_entries(Rewriting *rewriting, Query *query, const Chain *above)
{
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		RangeTblEntry	*entry = lfirst_node(RangeTblEntry, cell);
		CommonTableExpr *expression = expression_of_entry(query, entry);
		Chain			 chain = {.level = {query, foreach_current_index(cell) + 1}, .next = above};
		Query			*below = expression != NULL ? (Query *) expression->ctequery : entry->subquery;

		chain.length = above == NULL ? 1 : above->length + 1;
		if ((entry->rtekind != RTE_SUBQUERY && expression == NULL) || entry->security_barrier)
			continue;
		if (is_transparent(below) && expression == NULL && chain.length < MOST_LEVELS_ABOVE)
			rewrite_entries(rewriting, below, &chain);
		else if (rewrite_window(rewriting, below, &chain))
		{
			rewriting->done = true;
			if (expression != NULL)
				inline_expression(entry, expression);
		}
	}
}

static bool
rewrite_windows(Node *node, void *to)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	  *query = (Query *) node;
		Rewriting *rewriting = (Rewriting *) to;

		rewrite_entries(rewriting, query, NULL);
		if (query->hasWindowFuncs && query->limitCount != NULL && rewriting->last)
			rewriting->done |= rewrite_window(rewriting, query, NULL);
		return query_tree_walker(query, rewrite_windows, to, 0);
	}
	return expression_tree_walker(node, rewrite_windows, to);
}

bool
kept_rewrite_last(Query *query, bool *more)
{
	Rewriting rewriting = {.last = true};

	(void) rewrite_windows((Node *) query, &rewriting);
	*more = rewriting.more;
	return rewriting.done;
}

bool
kept_rewrite_windows(Query *query)
{
	Rewriting rewriting = {.last = false};

	(void) rewrite_windows((Node *) query, &rewriting);
	return rewriting.done;
}

/*
 * window_forms.c: the forms in which a level with windows reads a kept scan.
 *
 * Each function rewrites the level, whose query is `query`, or leaves it as it is and returns false: the level does not
 * have what the form needs, or the extension lacks a function, because it was not updated.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "kept/planner.h"

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
	running->location = KEPT_PLANNED_LOCATION;
	running->args = list_make3(
		kept_tree_constant(kept),
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

	if (node == NULL || !IsA(node, WindowFunc))
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
	Oid			running[] = {REGCLASSOID, INT8OID, BOOLOID, ANYOID}, field[] = {RECORDOID, INT4OID, ANYELEMENTOID};

	replacement.running = kept_function(&level->q, "scan_kept_running", lengthof(running), running);
	replacement.field = kept_function(&level->q, "scan_kept_field", lengthof(field), field);
	if (!OidIsValid(replacement.running) || !OidIsValid(replacement.field))
		return false;
	query->targetList = (List *) replace_window_functions((Node *) query->targetList, &replacement);
	return true;
}

/* ---- from a bound on ---- */

bool
kept_rewrite_bound(const WindowLevel *level, Query *query)
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
	return get_opfamily_member(key->family, key->opclass_type, key->opclass_type, strategy);
}

/* Returns ORDER BY the first key, of a query with the table's columns. */
static List *
order_by_key(const Kept *kept, List *columns, bool descending)
{
	const KeptColumn *key = &kept->key[0];
	SortGroupClause	 *clause = makeNode(SortGroupClause);

	clause->tleSortGroupRef = list_nth_node(TargetEntry, columns, key->attribute - 1)->ressortgroupref = 1;
	clause->eqop = operator_of_key(key, BTEqualStrategyNumber);
	clause->sortop = operator_of_key(key, descending ? BTGreaterStrategyNumber : BTLessStrategyNumber);
	if (descending)
		compat_set_descending(clause);
	clause->nulls_first = descending;
	clause->hashable = true;
	return list_make1(clause);
}

/* Returns a query of the table, in the order of the first key, with conditions of the level. */
static Query *
query_of_table(const WindowLevel *level, List *conditions, bool descending)
{
	const KeptQuestion *q = &level->q;
	RangeTblEntry	   *table = copyObject(rt_fetch(q->varno, q->query->rtable));
	Query			   *query = makeNode(Query);

	conditions = list_concat(make_ands_implicit((Expr *) copyObject(q->query->jointree->quals)),
							 copyObject(conditions));
	compat_copy_privileges(table, q->query, query);
	IncrementVarSublevelsUp((Node *) conditions, 1, 1);
	ChangeVarNodes((Node *) conditions, q->varno, 1, 0);
	query->commandType = CMD_SELECT;
	query->rtable = list_make1(table);
	query->jointree = makeFromExpr(list_make1(kept_reference(1)),
								   conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions));
	query->targetList = columns_of_table(q->kept->table);
	query->sortClause = order_by_key(q->kept, query->targetList, descending);
	return query;
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

bool
kept_rewrite_last_rows(const WindowLevel *level, Query *query)
{
	RangeTblEntry *entry;
	Query		  *last;

	if (!window_level_shows_last(level) || !limits_are_values(window_level_top(level)) || reads_whole_rows(level))
		return false;
	last = query_of_table(level, level->conditions, true);
	last->limitCount = rows_to_give(level);
	last->limitOption = LIMIT_OPTION_WITH_TIES;
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

/* Returns the condition that the first key is not below, or not above, the least or the greatest one of some rows. */
static Expr *
bound_of_rows(const WindowLevel *level, Node *lookup, bool greatest)
{
	const KeptColumn *key = &level->q.kept->key[0];
	Query			 *query = query_of_table(level, list_make1(lookup), greatest);
	SubLink			 *link = makeNode(SubLink);

	query->targetList = list_make1(list_nth(query->targetList, key->attribute - 1));
	linitial_node(TargetEntry, query->targetList)->resno = 1;
	query->limitCount = (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(1), false, true);
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) query;
	link->location = -1;
	return make_opclause(operator_of_key(key, greatest ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber),
						 BOOLOID, false,
						 (Expr *) makeVar(level->q.varno, key->attribute, key->type, key->typmod, key->collation, 0),
						 (Expr *) link, InvalidOid, key->collation);
}

bool
kept_rewrite_span(const WindowLevel *level, Query *query)
{
	Node *lookup = kept_lookup(level);

	/* the bounds would be computed anew for each row */
	if (lookup == NULL || kept_question_has_outer(lookup, NULL) ||
		kept_question_has_outer(query->jointree->quals, NULL) || !continue_windows(level, query))
		return false;
	query->jointree->quals = (Node *) make_ands_explicit(
		list_concat(make_ands_implicit((Expr *) query->jointree->quals),
					list_make2(bound_of_rows(level, lookup, false), bound_of_rows(level, lookup, true))));
	query->hasSubLinks = true;
	return true;
}

bool
kept_rewrite_rows(WindowLevel *level, Query *query)
{
	KeptQuestion *q = &level->q;
	Replacement	  replacement = {.level = level, .entry = list_length(query->rtable) + 1};
	List		 *values = NIL;
	Expr		 *call;

	for (int i = 0; i < q->kept->partitions + level->keys; i++)
	{
		const KeptColumn *column = window_level_column(q->kept, i);

		values = lappend(values,
						 makeVar(q->varno, column->attribute, column->type, column->typmod, column->collation, 0));
	}
	call = kept_call(q, "scan_kept_part", false, "-]=", values);
	if (call == NULL)
		return false;
	query->targetList = (List *) replace_window_functions((Node *) query->targetList, &replacement);
	query->rtable = lappend(query->rtable, kept_entry_of_call(q, call));
	query->jointree->fromlist = lappend(query->jointree->fromlist, kept_reference(replacement.entry));
	query->windowClause = NIL;
	query->hasWindowFuncs = false;
	return true;
}

/*
 * advise.c: the call of scan_keep() that would serve a query level.
 *
 * scan_explain() has a query explained, and totals.c asks here about each level that no kept scan answers.  A
 * definition is put together from what the level asks for:
 *
 *   aggregates      as they stand
 *   ORDER BY        the first column of time outside of aggregates, or of integers that are compared or divided
 *   WHERE, FILTER   conditions without parameters that are not about that column, and do not ask for a value with =
 *   PARTITION BY    all other columns outside of aggregates
 *
 * Then the level is asked whether a kept scan with this definition has its answer, by the rules for one that is there
 * (question.c, question_cells.c).  So no call is shown that would not serve.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "error.h"
#include "kept/catalogs.h"
#include "kept/planner.h"
#include "kept/reading.h"
#include "library/explain_more.h"

/* A table with fewer rows needs no grain: its rows are read soon. */
#define ROWS_FOR_GRAIN 100000
/* So many bytes of the table's name are in that of the kept scan. */
#define MOST_OF_NAME 30

typedef struct Advice
{
	KeptQuestion *q;
	KeptHasAnswer serves;
	AttrNumber	  time, number; /* candidates for the first key, 0: none yet */
	AttrNumber	  key;
	List		 *columns; /* of the partition */
	List		 *calls;   /* of aggregates */
	List		 *where;
	bool		  fails; /* an aggregate is not of the table alone */
	const char	 *definition;
	const char	 *grain;
	bool		  found;
} Advice;

/* True if a node is a column of the table. */
static bool
is_own(const Advice *advice, const Node *node)
{
	const Var *column = (const Var *) node;

	return IsA(column, Var) && column->varlevelsup == 0 && column->varno == advice->q->varno && column->varattno > 0;
}

/* True for `a = b` and `a = ANY (b)`. */
static bool
is_equality(Node *node)
{
	List *operands;
	Oid collation, operator= kept_question_operator(node, &operands, &collation);

	return OidIsValid(operator) && op_mergejoinable(operator, exprType((Node *) linitial(operands)));
}

/* True if an expression is about the table alone. */
static bool
is_of_table(const Advice *advice, Node *node)
{
	return bms_is_subset(pull_varnos(NULL, node), bms_make_singleton(advice->q->varno)) &&
		   !kept_question_has_outer(node, NULL) && !contain_subplans(node);
}

/* True for sum(CASE ...) and the like. */
static bool
is_of_case(const Aggref *call)
{
	return call->args != NIL && IsA(linitial_node(TargetEntry, call->args)->expr, CaseExpr);
}

/* Looks for the first key outside of the arguments of aggregates.  A walker. */
static bool
find_key(Node *node, void *to)
{
	Advice	  *advice = (Advice *) to;
	const Var *column = (const Var *) node;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref))
		return find_key((Node *) ((Aggref *) node)->aggfilter, to) ||
			   (is_of_case((Aggref *) node) && find_key((Node *) ((Aggref *) node)->args, to));
	if (is_own(advice, node) && advice->time == 0 &&
		(column->vartype == DATEOID || column->vartype == TIMESTAMPOID || column->vartype == TIMESTAMPTZOID))
		advice->time = column->varattno;
	if (IsA(node, OpExpr) && !is_equality(node))
		foreach_ptr (Var, operand, ((OpExpr *) node)->args)
			if (is_own(advice, (Node *) operand) && advice->number == 0 &&
				(operand->vartype == INT2OID || operand->vartype == INT4OID || operand->vartype == INT8OID))
				advice->number = operand->varattno;
	return expression_tree_walker(node, find_key, to);
}

/* True if an expression has the first key, or what is known only when the query runs.  A walker. */
static bool
has_key(Node *node, void *to)
{
	const Advice *advice = (const Advice *) to;

	return node != NULL && ((is_own(advice, node) && ((Var *) node)->varattno == advice->key) || IsA(node, Param) ||
							IsA(node, SubLink) || expression_tree_walker(node, has_key, to));
}

/* Notes aggregates, and the columns outside of their arguments.  A walker. */
static bool
collect(Node *node, void *to)
{
	Advice *advice = (Advice *) to;

	if (node == NULL || IsA(node, Query))
		return false;
	/* a definition has no CASE of the key, but one of other columns, as it stands */
	if (IsA(node, Aggref) && is_of_case((Aggref *) node) && has_key((Node *) ((Aggref *) node)->args, to))
	{
		Node *other = kept_question_without_case(node, advice->q);

		if (other != node)
			return collect(other, to);
	}
	if (IsA(node, Aggref))
	{
		advice->calls = list_append_unique(advice->calls, node);
		advice->fails |= !is_of_table(advice, (Node *) ((Aggref *) node)->args);
	}
	if (is_own(advice, node) && ((Var *) node)->varattno != advice->key)
		advice->columns = list_append_unique_int(advice->columns, ((Var *) node)->varattno);
	return !IsA(node, Aggref) && expression_tree_walker(node, collect, to);
}

/* Returns the conditions that become the definition's; the columns of the others are noted. */
static List *
split_conditions(Advice *advice, Node *quals)
{
	List *own = NIL;

	foreach_ptr (Node, condition, kept_question_conditions(advice->q->query, quals))
		if (is_of_table(advice, condition) && contain_var_clause(condition) && !has_key(condition, advice) &&
			!is_equality(condition))
			own = lappend(own, condition);
		else
			(void) collect(condition, advice);
	return own;
}

/* Takes the conditions of FROM. */
static bool
take_from(Node *node, void *to)
{
	Advice *advice = (Advice *) to;

	if (node != NULL && IsA(node, FromExpr))
		advice->where = list_concat(advice->where, split_conditions(advice, ((FromExpr *) node)->quals));
	else if (node != NULL && IsA(node, JoinExpr))
		(void) collect(((JoinExpr *) node)->quals, advice);
	return expression_tree_walker(node, take_from, to);
}

/* ---- the text ---- */

/* Returns a definition.  The columns of conditions of FILTER that are not the definition's are noted. */
static char *
definition_of(Advice *advice, Oid table)
{
	StringInfo	text = makeStringInfo();
	const char *name = quote_identifier(get_rel_name(table));
	List	   *own_calls = NIL;

	foreach_node (Aggref, call, advice->calls)
	{
		Aggref *own = (Aggref *) copyObject(call);
		List   *filter = split_conditions(advice, (Node *) own->aggfilter);

		own->aggfilter = filter == NIL ? NULL : make_ands_explicit(filter);
		/* each kept scan has count(*); FILTER may have been all that two calls differ in */
		if (list_member(own_calls, own) || (own->aggfnoid == F_COUNT_ && filter == NIL && own_calls != NIL))
			continue;
		own_calls = lappend(own_calls, own);
		appendStringInfo(
			text, "%s%s OVER w AS %s", text->len == 0 ? "SELECT " : ", ", kept_question_text(advice->q, table, own),
			quote_identifier(psprintf("%s_%d", get_func_name(call->aggfnoid), foreach_current_index(call) + 1)));
	}
	appendStringInfo(text, " FROM %s",
					 RelationIsVisible(table)
						 ? name
						 : psprintf("%s.%s", quote_identifier(get_namespace_name(get_rel_namespace(table))), name));
	if (advice->where != NIL)
		appendStringInfo(text, " WHERE %s", kept_question_text(advice->q, table, make_ands_explicit(advice->where)));
	appendStringInfoString(text, " WINDOW w AS (");
	foreach_int (column, advice->columns)
		appendStringInfo(text, "%s%s", foreach_current_index(column) == 0 ? "PARTITION BY " : ", ",
						 quote_identifier(get_attname(table, (AttrNumber) column, false)));
	appendStringInfo(text, "%sORDER BY %s)", advice->columns == NIL ? "" : " ",
					 quote_identifier(get_attname(table, advice->key, false)));
	return text->data;
}

/* ---- the question ---- */

/* Asks whether a kept scan with the definition has the answer.  An error says that there can be none. */
static void
ask_level(void *to)
{
	Advice	*advice = (Advice *) to;
	RawStmt *statement;
	Kept	*kept;
	Interval day = {.day = 1};

	/* twice, since columns of FILTER belong to the partition, too, and are known only then */
	for (int i = 0; i < 2; i++)
		advice->definition = definition_of(advice, rt_fetch(advice->q->varno, advice->q->query->rtable)->relid);
	statement = linitial_node(RawStmt, raw_parser(advice->definition, RAW_PARSE_DEFAULT));
	kept = kept_of_query(parse_analyze_fixedparams(statement, advice->definition, NULL, 0, NULL));
	kept_check_table(kept);
	kept_prepare(kept);
	advice->q->caller.fn_oid = explain_more_adviser;
	advice->found = kept_find_supposed(advice->q, kept, advice->serves);
	if (advice->found || advice->q->rows < ROWS_FOR_GRAIN || advice->time == 0)
		return;
	kept_set_grain(kept, &day);
	advice->grain = ", '1 day'";
	advice->found = kept_find_supposed(advice->q, kept, advice->serves);
}

/* Returns a name that no relation has, which is short enough for a kept scan. */
static char *
free_name(Oid table)
{
	const char *name = get_rel_name(table);
	int			length = pg_mbcliplen(name, (int) strlen(name), MOST_OF_NAME);

	return ChooseRelationName(pnstrdup(name, length), NULL, "kept", get_rel_namespace(table), false);
}

/* Notes the call that would serve the level by one of its tables.  False: there is none. */
static bool
advise_table(KeptQuestion *q, KeptHasAnswer serves)
{
	Advice	   advice = {.q = q, .serves = serves, .grain = ""};
	Query	   query = *q->query;
	Oid		   table = rt_fetch(q->varno, query.rtable)->relid;
	ErrorData *error;

	compat_flatten_groups(&query);
	(void) find_key((Node *) query.jointree, &advice);
	(void) find_key((Node *) query.targetList, &advice);
	advice.key = advice.time != 0 ? advice.time : advice.number;
	if (advice.key == 0)
		return false;
	(void) take_from((Node *) query.jointree, &advice);
	(void) collect((Node *) query.targetList, &advice);
	(void) collect(query.havingQual, &advice);
	if (advice.calls == NIL || advice.fails)
		return false;
	error = scan_subtransaction(ask_level, &advice);
	if (error != NULL && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	if (advice.found)
		kept_note(&(Kept){.table = InvalidOid},
				  psprintf("SELECT scan_keep(%s, %s%s);", quote_literal_cstr(free_name(table)),
						   quote_literal_cstr(advice.definition), advice.grain));
	return advice.found;
}

void
kept_advise(KeptQuestion *q, KeptHasAnswer serves)
{
	foreach_node (RangeTblEntry, entry, kept_advice_wanted() ? q->query->rtable : NIL)
	{
		q->varno = foreach_current_index(entry) + 1;
		if (kept_is_table(entry) && entry->securityQuals == NIL && advise_table(q, serves))
			return;
	}
}

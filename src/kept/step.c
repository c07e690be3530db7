/*
 * step.c: the steps of a query: expressions of the first key that have one value in whole intervals of it.
 *
 *   date_trunc('day', at AT TIME ZONE 'Europe/Berlin')
 *
 * A step has movers, innermost first, and then a function that lets a grid through.  What stands around a step has one
 * value there, too, whatever it is.  A step becomes letters and values of the call of scan_kept_cells(), which looks up
 * where the intervals end (calendar.c): nothing of a zone is in the plan.
 *
 * Functions are told by their oids: only those of core are known.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* A function that shifts a time, or is a step. */
typedef struct TimeFunction
{
	Oid			function;
	const char *letters; /* of the session's zone, if it is used, and of the function itself */
	int			time;	 /* which argument the time is */
	int			value;	 /* which argument the value is; -1: it has none, and as a step it is a day */
} TimeFunction;

static const TimeFunction movers[] = {
	{F_TIMEZONE_TEXT_TIMESTAMPTZ, "z", 1, 0}, {F_TIMEZONE_TEXT_TIMESTAMP, "Z", 1, 0},
	{F_TIMESTAMP_TIMESTAMPTZ, "l", 0, -1},	  {F_TIMESTAMPTZ_TIMESTAMP, "u", 0, -1},
	{F_TIMESTAMPTZ_DATE, "u", 0, -1},		  {F_TIMESTAMP_DATE, "", 0, -1},
	{F_TIMESTAMP_PL_INTERVAL, "+", 0, 1},	  {F_TIMESTAMP_MI_INTERVAL, "-", 0, 1},
	{F_TIMESTAMPTZ_PL_INTERVAL, "P", 0, 1},	  {F_TIMESTAMPTZ_MI_INTERVAL, "M", 0, 1},
	{F_DATE_PL_INTERVAL, "+", 0, 1},		  {F_DATE_MI_INTERVAL, "-", 0, 1},
};

static const TimeFunction steps[] = {
	{F_DATE_TRUNC_TEXT_TIMESTAMP, "t", 1, 0},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, "lt", 1, 0},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, "zt", 1, 0},
	{F_EXTRACT_TEXT_TIMESTAMP, "t", 1, 0},
	{F_EXTRACT_TEXT_TIMESTAMPTZ, "lt", 1, 0},
	{F_EXTRACT_TEXT_DATE, "t", 1, 0},
	{F_DATE_PART_TEXT_TIMESTAMP, "t", 1, 0},
	{F_DATE_PART_TEXT_TIMESTAMPTZ, "lt", 1, 0},
	{F_DATE_PART_TEXT_DATE, "t", 1, 0},
	{F_DATE_TIMESTAMP, "t", 0, -1},
	{F_DATE_TIMESTAMPTZ, "lt", 0, -1},
	{F_TO_CHAR_TIMESTAMP_TEXT, "f", 0, 1},
	{F_TO_CHAR_TIMESTAMPTZ_TEXT, "lf", 0, 1},
	{F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, "b", 1, 0},
	{F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, "b", 1, 0},
	{F_INT2DIV, "/", 0, 1},
	{F_INT24DIV, "/", 0, 1},
	{F_INT28DIV, "/", 0, 1},
	{F_INT4DIV, "/", 0, 1},
	{F_INT42DIV, "/", 0, 1},
	{F_INT48DIV, "/", 0, 1},
	{F_INT8DIV, "/", 0, 1},
	{F_INT82DIV, "/", 0, 1},
	{F_INT84DIV, "/", 0, 1},
};

/* A step that is being read. */
typedef struct Reading
{
	const KeptQuestion *q;
	StringInfo			letters;
	List			   *values;
	double				width; /* of an interval, in numbers of the key or in microseconds; as far as it is known */
} Reading;

/* Returns the function of a call or of an operator, and its arguments; InvalidOid: the node is neither. */
static Oid
function_of(Node *node, List **arguments)
{
	*arguments = IsA(node, FuncExpr) ? ((FuncExpr *) node)->args : IsA(node, OpExpr) ? ((OpExpr *) node)->args : NIL;
	return IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid
		   : IsA(node, OpExpr) ? get_opcode(((OpExpr *) node)->opno)
							   : InvalidOid;
}

/* Returns which function of a list a node calls, NULL if none; and the arguments. */
static const TimeFunction *
find_function(const TimeFunction *list, int n, Node *node, List **arguments)
{
	Oid function = function_of(node, arguments);

	for (int i = 0; i < n && OidIsValid(function); i++)
		if (list[i].function == function)
			return &list[i];
	return NULL;
}

/* Takes a value that is computed once. */
static bool
take_value(Reading *reading, Node *value)
{
	reading->values = lappend(reading->values, value);
	return kept_question_is_value(value);
}

/* True for an interval with months, which are no fixed shift: each key would be a cell of its own. */
static bool
has_months(Node *node)
{
	const Const *constant = (const Const *) node;

	return IsA(node, Const) && constant->consttype == INTERVALOID && !constant->constisnull &&
		   DatumGetIntervalP(constant->constvalue)->month != 0;
}

/* Takes the movers of an expression: what is between it and the first key. */
static bool
take_movers(Reading *reading, Node *node)
{
	List			   *arguments;
	const TimeFunction *mover = find_function(movers, lengthof(movers), node, &arguments);

	if (mover == NULL)
		return kept_question_is_column(reading->q, node, &reading->q->kept->key[0]);
	if (!take_movers(reading, (Node *) list_nth(arguments, mover->time)))
		return false;
	appendStringInfoString(reading->letters, mover->letters);
	return mover->value < 0 || (!has_months((Node *) list_nth(arguments, mover->value)) &&
								take_value(reading, (Node *) list_nth(arguments, mover->value)));
}

/* Takes a unit of date_trunc() and its like, letter 't', or a format, 'f'.  One that is known has to have a grid. */
static bool
take_unit(Reading *reading, char letter, Node *unit)
{
	const Const *constant = (const Const *) unit;

	reading->width = USECS_PER_HOUR;
	if (!IsA(unit, Const) || constant->constisnull)
		return take_value(reading, unit);
	reading->width = kept_unit_length(letter, TextDatumGetCString(constant->constvalue));
	return reading->width > 0 && take_value(reading, unit);
}

/* Takes the stride of date_bin(), or the number that an integer, or a time in seconds, is divided by. */
static bool
take_width(Reading *reading, Node *value)
{
	const Const *constant = (const Const *) eval_const_expressions(NULL, value);

	if (IsA(constant, Const) && !constant->constisnull)
	{
		if (constant->consttype == INTERVALOID)
			reading->width = (double) DatumGetIntervalP(constant->constvalue)->day * USECS_PER_DAY +
							 DatumGetIntervalP(constant->constvalue)->time;
		else if (constant->consttype == NUMERICOID)
			reading->width = USECS_PER_SEC *
							 DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
		else
			reading->width = constant->consttype == INT8OID	  ? (double) DatumGetInt64(constant->constvalue)
							 : constant->consttype == INT4OID ? DatumGetInt32(constant->constvalue)
															  : DatumGetInt16(constant->constvalue);
	}
	return take_value(reading, value);
}

/* Returns the unit of steps that have none. */
static Node *
day_constant(void)
{
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum("day"), false, false);
}

/* Takes a call of a step. */
static bool
take_function(Reading *reading, Node *node)
{
	List			   *arguments;
	const TimeFunction *step = find_function(steps, lengthof(steps), node, &arguments);
	char				letter;
	Node			   *value;

	if (step == NULL || !take_movers(reading, (Node *) list_nth(arguments, step->time)))
		return false;
	appendStringInfoString(reading->letters, step->letters);
	letter = step->letters[strlen(step->letters) - 1];
	value = step->value < 0 ? day_constant() : (Node *) list_nth(arguments, step->value);
	if (step->letters[0] == 'z' && !take_value(reading, (Node *) lthird(arguments)))
		return false;
	if (letter == 't' || letter == 'f')
		return take_unit(reading, letter, value);
	return take_width(reading, value) && (letter != 'b' || take_value(reading, (Node *) lthird(arguments)));
}

/* True if an expression has one value in each day of a time. */
static bool
is_of_days(Node *node, Node *time)
{
	List			   *arguments;
	const TimeFunction *step = find_function(steps, lengthof(steps), node, &arguments);
	const Const		   *unit = step == NULL ? NULL : (const Const *) list_nth(arguments, Max(step->value, 0));

	if (kept_question_is_value(node))
		return true;
	if (step != NULL && step->letters[0] == 't' && equal(list_nth(arguments, step->time), time))
		return IsA(unit, Const) && !unit->constisnull &&
			   kept_unit_length('t', TextDatumGetCString(unit->constvalue)) >= USECS_PER_DAY;
	foreach_ptr (Node, argument, arguments)
		if (!is_of_days(argument, time))
			return false;
	return arguments != NIL;
}

/*
 * Takes date_trunc('day', time - interval '1 day' * n) with a whole number n that follows from the day of the time: so
 * the first day of a week is computed that begins on any day of it.
 */
static bool
take_first_day(Reading *reading, Node *node)
{
	List		   *arguments, *difference = NIL, *days = NIL, *number = NIL;
	const Const	   *unit, *day;
	const Interval *length;

	if (function_of(node, &arguments) != F_DATE_TRUNC_TEXT_TIMESTAMP ||
		function_of((Node *) lsecond(arguments), &difference) != F_TIMESTAMP_MI_INTERVAL ||
		function_of((Node *) lsecond(difference), &days) != F_INTERVAL_MUL ||
		function_of((Node *) lsecond(days), &number) != F_FLOAT8_INT4 ||
		!is_of_days((Node *) linitial(number), (Node *) linitial(difference)))
		return false;
	unit = (const Const *) linitial(arguments);
	day = (const Const *) linitial(days);
	if (!IsA(unit, Const) || unit->constisnull || !IsA(day, Const) || day->constisnull ||
		kept_unit_length('t', TextDatumGetCString(unit->constvalue)) < USECS_PER_DAY)
		return false;
	length = DatumGetIntervalP(day->constvalue);
	if (length->month != 0 || length->time != 0 || !take_movers(reading, (Node *) linitial(difference)))
		return false;
	appendStringInfoChar(reading->letters, 't');
	return take_unit(reading, 't', day_constant());
}

/* Takes floor(extract(epoch FROM time) / c). */
static bool
take_quotient(Reading *reading, Node *node)
{
	List		*floor, *quotient = NIL, *epoch = NIL;
	const Const *unit;
	Oid			 function = InvalidOid;

	if (function_of(node, &floor) == F_FLOOR_NUMERIC &&
		function_of((Node *) linitial(floor), &quotient) == F_NUMERIC_DIV)
		function = function_of((Node *) linitial(quotient), &epoch);
	if (function != F_EXTRACT_TEXT_TIMESTAMP && function != F_EXTRACT_TEXT_TIMESTAMPTZ &&
		function != F_EXTRACT_TEXT_DATE)
		return false;
	unit = (const Const *) linitial(epoch);
	if (!IsA(unit, Const) || unit->constisnull || pg_strcasecmp(TextDatumGetCString(unit->constvalue), "epoch") != 0 ||
		!take_movers(reading, (Node *) lsecond(epoch)))
		return false;
	appendStringInfoChar(reading->letters, 'e');
	return take_width(reading, (Node *) lsecond(quotient));
}

/* Takes a key of few values, a date or an integer: each of them is a cell. */
static bool
take_key(Reading *reading, Node *node)
{
	Oid	   type = reading->q->kept->key[0].type;
	Const *one = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(1), false, true);

	if (!IsA(node, Var) || type == TIMESTAMPOID || type == TIMESTAMPTZOID || !take_movers(reading, node))
		return false;
	appendStringInfoChar(reading->letters, type == DATEOID ? 't' : '/');
	return type == DATEOID ? take_unit(reading, 't', day_constant()) : take_width(reading, (Node *) one);
}

/*
 * Takes a comparison of the key, or of the key with movers, with a value.  A timestamp that is compared with a
 * timestamptz is an instant of the session's zone, as if it were cast.
 */
static bool
take_comparison(Reading *reading, Node *node)
{
	const KeptColumn *key = &reading->q->kept->key[0];
	List			 *operands;
	Node			 *value;
	int				  strategy = kept_question_comparison(reading->q, node, key, &value);

	if (strategy > 0)
	{
		appendStringInfoChar(reading->letters, 'c');
		reading->values = list_make1(kept_question_value(reading->q, key, value, strategy));
		return linitial(reading->values) != NULL;
	}
	if (!IsA(node, OpExpr) || get_op_opfamily_strategy(((OpExpr *) node)->opno, key->family) == 0)
		return false;
	operands = ((OpExpr *) node)->args;
	for (int i = 0; i < 2; i++)
	{
		Node *moved = (Node *) list_nth(operands, i);
		bool  is_cast = exprType(moved) == TIMESTAMPOID && exprType(list_nth(operands, 1 - i)) == TIMESTAMPTZOID;

		reading->values = NIL;
		resetStringInfo(reading->letters);
		if ((is_cast || (!IsA(moved, Var) && exprType(moved) == exprType(list_nth(operands, 1 - i)))) &&
			take_movers(reading, moved))
		{
			appendStringInfoString(reading->letters, is_cast ? "uc" : "c");
			return take_value(reading, (Node *) list_nth(operands, 1 - i));
		}
	}
	return false;
}

bool
kept_step_take(KeptQuestion *q, Node *node)
{
	static bool (*const take[])(Reading * reading, Node * node) = {take_key, take_function, take_first_day,
																   take_quotient, take_comparison};

	if (list_member(q->step_nodes, node))
		return true;
	for (int i = 0; i < lengthof(take); i++)
	{
		Reading reading = {.q = q, .letters = makeStringInfo()};

		if (take[i](&reading, node))
		{
			q->steps = psprintf("%s%s", q->steps, reading.letters->data);
			q->step_values = list_concat(q->step_values, reading.values);
			q->step_nodes = lappend(q->step_nodes, node);
			q->edges += reading.width > 0 ? 1 / reading.width : 0;
			return true;
		}
	}
	return false;
}

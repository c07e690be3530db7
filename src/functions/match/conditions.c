/*
 * conditions.c: the conditions of scan_match, the arguments after the pattern, as one mask for each row.
 *
 * match.c reads the rows of a stretch by it.
 *
 * The conditions are declared VARIADIC "any", so that each is an argument of its own.  Rejected: VARIADIC boolean[]. An
 * array would be made for each row; and PostgreSQL prints a window call of such a function without the word VARIADIC,
 * so that a view of it could not be restored from a dump.  With "any", an array that was passed as VARIADIC is one
 * argument, and the call that is printed means the same.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "functions/match/automaton.h"

#define CONDITION 1 /* the argument that is the first condition */

/* ---- the conditions ---- */

static bool
is_array_of_conditions(const WindowCall *call)
{
	return call->fcinfo->nargs == CONDITION + 1 && call->type[CONDITION].oid == BOOLARRAYOID;
}

/* Raises an error if an argument is no condition.  A NULL has no type. */
static void
check_condition(WindowCall *call, int arg)
{
	Oid	 type = get_fn_expr_argtype(call->fcinfo->flinfo, arg);
	bool isnull = false;

	if (type == UNKNOWNOID)
		(void) window_arg(call, arg, &isnull);
	if (isnull || getBaseType(type) == BOOLOID)
		return;
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("condition %d of the pattern must be boolean, not %s", arg, format_type_be(type)),
					errhint("The arguments after the pattern are conditions: scan_match('a b+', x < y, y > z).")));
}

static void
raise_no_condition(const PatternStates *states, int letter, int conditions)
{
	char what[80];

	snprintf(what, sizeof(what), "\"%c\" is condition %d, and the call passes %d", 'a' + states->letter[letter],
			 states->letter[letter] + 1, conditions);
	pattern_raise(states->place[letter], what, "The letters name the conditions in their order: a is the first one.");
}

void
conditions_check(WindowCall *call, const PatternStates *states)
{
	int conditions = call->fcinfo->nargs - CONDITION;

	if (conditions > PATTERN_LETTERS)
		ereport(ERROR, (errcode(ERRCODE_TOO_MANY_ARGUMENTS),
						errmsg("a pattern may have %d conditions, not %d", PATTERN_LETTERS, conditions),
						errhint("Only conditions that a letter of the pattern names are needed.")));
	if (is_array_of_conditions(call))
		return;
	for (int arg = CONDITION; arg < call->fcinfo->nargs; arg++)
		check_condition(call, arg);
	for (int letter = 0; letter < states->letters; letter++)
		if (states->letter[letter] >= conditions)
			raise_no_condition(states, letter, conditions);
}

/* Returns the conditions of a row that came as an array. */
static uint32
mask_of_array(const PatternStates *states, Datum conditions)
{
	ArrayType *array = DatumGetArrayTypeP(conditions);
	bool	   has_nulls = ARR_HASNULL(array);
	uint32	   mask = 0;
	Datum	  *values;
	bool	  *nulls;
	int		   n;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the conditions of a pattern must be an array of one dimension, not %d", ARR_NDIM(array)),
				 errhint("Pass each condition as an argument.")));
	deconstruct_array(array, BOOLOID, sizeof(bool), true, TYPALIGN_CHAR, &values, &nulls, &n);
	for (int i = 0; i < states->letters; i++)
	{
		int letter = states->letter[i];

		if (letter >= n)
			raise_no_condition(states, i, n);
		if (!(has_nulls && nulls[letter]) && DatumGetBool(values[letter]))
			mask |= (uint32) 1 << i;
	}
	return mask;
}

void
conditions_find_columns(WindowCall *call, const PatternStates *states, int64 row, ConditionColumns *columns)
{
	ScanCallContext *source = call->source;

	columns->known = source != NULL && states->letters > 0 && !is_array_of_conditions(call);
	for (int i = 0; i < states->letters && columns->known; i++)
	{
		columns->column[i] = source->ahead_column(source->ahead_rows, CONDITION + states->letter[i], row, &columns->at,
												  &columns->rows);
		columns->known = columns->column[i] != NULL && columns->column[i]->format == COLUMN_BYTE;
	}
}

bool
conditions_read(WindowCall *call, const PatternStates *states, int64 row, uint32 *mask)
{
	bool  isnull, is_out = false;
	Datum value;

	*mask = 0;
	if (is_array_of_conditions(call))
	{
		value = window_ahead(call, CONDITION, row, false, &isnull, &is_out);
		if (!is_out && !isnull)
			*mask = mask_of_array(states, value);
		return !is_out;
	}
	for (int i = 0; i < states->letters; i++)
	{
		value = window_ahead(call, CONDITION + states->letter[i], row, false, &isnull, &is_out);
		if (is_out)
			return false;
		if (!isnull && DatumGetBool(value))
			*mask |= (uint32) 1 << i;
	}
	if (states->letters == 0)
		(void) window_ahead(call, 0, row, false, &isnull, &is_out);
	return !is_out;
}

/*
 * functions.c: scan_kept_part(), the aggregates of a kept scan over a part of a partition.
 *
 * objects.c makes typed SQL functions around it, whose arguments are a value for each column of PARTITION BY, and
 * bounds; and rewritten queries call it.  A reader needs SELECT on the columns of the table that the definition reads,
 * and no more.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* True if the user has SELECT on the columns of the table that the definition reads. */
static bool
may_read(const Kept *kept)
{
	Oid user = GetUserId();
	int column = -1;

	if (pg_class_aclcheck(kept->table, user, ACL_SELECT) == ACLCHECK_OK)
		return true;
	while ((column = bms_next_member(kept->columns, column)) >= 0)
	{
		AttrNumber attribute = (AttrNumber) (column + FirstLowInvalidHeapAttributeNumber);

		if (attribute == 0 || pg_attribute_aclcheck(kept->table, attribute, user, ACL_SELECT) != ACLCHECK_OK)
			return false;
	}
	return true;
}

/* Returns the argument for a column, whose type it has to have. */
static NullableDatum
column_argument(FunctionCallInfo fcinfo, int i, const KeptColumn *column)
{
	if (i >= PG_NARGS() || get_fn_expr_argtype(fcinfo->flinfo, i) != column->type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("argument %d has to be of type %s, as column \"%s\"",
																   i + 1, format_type_be(column->type), column->name)));
	return fcinfo->args[i];
}

void
kept_partition_arguments(FunctionCallInfo fcinfo, int i, const Kept *kept, NullableDatum *partition)
{
	for (int p = 0; p < kept->partitions; p++)
		partition[p] = column_argument(fcinfo, i + p, &kept->partition[p]);
}

Kept *
kept_to_read(const FmgrInfo *caller, NullableDatum tree, bool *as_user)
{
	Kept *kept;

	if (tree.isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a kept scan must not be NULL")));
	kept = kept_of_tree(caller, DatumGetObjectId(tree.value));
	*as_user = false;
	if (kept_call_is_planned(caller))
		return kept;
	if (!may_read(kept))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, kept_relation_name(kept->table));
	if (!kept_may_execute(kept, GetUserId()))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied for a function of kept scan \"%s\"", NameStr(kept->name))));
	*as_user = check_enable_rls(kept->table, InvalidOid, true) == RLS_ENABLED;
	return kept;
}

void
kept_check_result(const Kept *kept, TupleDesc desc, int columns, const Oid *type, bool states)
{
	if (desc == NULL || desc->natts < columns || desc->natts > columns + kept->aggregates)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the result of kept scan \"%s\" has %d columns",
																   NameStr(kept->name), columns + kept->aggregates)));
	for (int c = 0; c < desc->natts; c++)
	{
		Oid is = c < columns ? type[c]
				 : states	 ? kept->aggregate[c - columns].state_type
							 : kept->aggregate[c - columns].result_type;

		if (TupleDescAttr(desc, c)->atttypid != is)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of the result of kept scan \"%s\" is of type %s", c + 1, NameStr(kept->name),
							OidIsValid(is) ? format_type_be(is) : "no column of the table"),
					 c >= columns
						 ? 0
						 : errhint("The table was altered. Make the kept scan again: scan_unkeep(), scan_keep().")));
	}
}

static Datum
return_record(FunctionCallInfo fcinfo, const Kept *kept, KeptState *state)
{
	TupleDesc desc;
	Datum	 *value = (Datum *) palloc0(kept->aggregates * sizeof(Datum));
	bool	 *isnull = (bool *) palloc0(kept->aggregates * sizeof(bool));

	kept_check_result(kept, get_call_result_type(fcinfo, NULL, &desc) == TYPEFUNC_COMPOSITE ? desc : NULL, 0, NULL,
					  false);
	kept_state_results(kept, state, value, isnull);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), value, isnull));
}

/* ---- what the functions of a kept scan and rewritten queries (totals.c, windows.c) call ---- */

/*
 * The second argument of these functions says what the others are.  The first two letters are the bounds of the first
 * key: '[', '(' or '-' and ']', ')' or '-', where '-' stands for no bound.  A third letter, '=', lets a NULL of the
 * partition stand for the rows that are NULL in its column; else values are compared with =, so NULL has no rows.
 * '*', of scan_kept_cells(), says that a list of values follows for each column of the partition, NULL: all of them;
 * '-' that there are none.  Its further letters are steps (calendar.c).
 */
static const char *
bounds_argument(FunctionCallInfo fcinfo, const Kept *kept, const char *third)
{
	const char *bound = PG_ARGISNULL(1) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(1));
	Size		length = strlen(bound);

	if (length < 2 || strchr("[(-", bound[0]) == NULL || strchr("])-", bound[1]) == NULL ||
		(length > 2 && strchr(third, bound[2]) == NULL))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("wrong bounds for kept scan \"%s\"", NameStr(kept->name))));
	return bound;
}

/* Raises an error: a call has too few arguments, or too many. */
static void
refuse_arguments(const Kept *kept)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("wrong number of arguments for kept scan \"%s\"", NameStr(kept->name))));
}

/*
 * Sets the bounds of a part, which are the arguments from *i on, and *i to the next one.  The upper bound may have so
 * many keys: then it is a row comparison, with peers if it is ']'.  False: no row lies between them.
 */
static bool
part_bounds(FunctionCallInfo fcinfo, int *i, const Kept *kept, const char *bound, int keys, KeptPart *part, Datum *to)
{
	int64 least = kept_key_number(kept, kept_key_value(kept, PG_INT64_MIN));
	int64 greatest = kept_key_number(kept, kept_key_value(kept, PG_INT64_MAX));
	bool  nothing = false;

	part->from = PG_INT64_MIN;
	part->to_end = true;
	part->to = to;
	if (bound[0] != '-')
	{
		NullableDatum from = column_argument(fcinfo, (*i)++, &kept->key[0]);

		part->from = from.isnull ? 0 : kept_key_number(kept, from.value);
		nothing |= from.isnull || (bound[0] == '(' && part->from == greatest);
		part->from += bound[0] == '(' && !nothing;
		if (part->from == least)
			part->from = PG_INT64_MIN;
	}
	if (bound[1] != '-')
	{
		NullableDatum last = column_argument(fcinfo, (*i)++, &kept->key[0]);
		int64		  number = last.isnull ? 0 : kept_key_number(kept, last.value);

		nothing |= last.isnull;
		part->keys = 1;
		to[0] = last.value;
		while (*i < PG_NARGS() && part->keys < keys)
		{
			last = column_argument(fcinfo, (*i)++, &kept->key[part->keys]);
			nothing |= last.isnull;
			to[part->keys++] = last.value;
		}
		part->with_peers = bound[1] == ']' && part->keys > 1;
		part->to_end = bound[1] == ']' && part->keys == 1 && number == greatest;
		if (bound[1] == ']' && part->keys == 1 && !part->to_end)
			to[0] = kept_key_value(kept, number + 1);
	}
	return !nothing;
}

bool
kept_cells_arguments(FunctionCallInfo fcinfo, const Kept *kept, KeptPart *part, Datum *to, int *lists)
{
	const char	 *bound = bounds_argument(fcinfo, kept, "*-");
	KeptCalendar *calendar;
	int			  next = 4; /* after what the planner estimates */
	bool		  any;

	*lists = bound[2] == '*' ? next : 0;
	for (int p = 0; p<kept->partitions && * lists> 0; p++, next++)
		if (next >= PG_NARGS() || (!PG_ARGISNULL(next) && get_element_type(get_fn_expr_argtype(fcinfo->flinfo, next)) !=
															  kept->partition[p].type))
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("argument %d has to be an array of values of column \"%s\"", next + 1,
								   kept->partition[p].name)));
	any = part_bounds(fcinfo, &next, kept, bound, 1, part, to);
	calendar = kept_calendar_create(kept, fcinfo, bound[2] == '\0' ? "" : bound + 3, next);
	if (calendar == NULL)
		refuse_arguments(kept);
	part->cells = kept_cells_create(kept, calendar);
	return any;
}

PG_FUNCTION_INFO_V1(scan_kept_part);
Datum
scan_kept_part(PG_FUNCTION_ARGS)
{
	KeptPart	  part = {0};
	Kept		 *kept = kept_to_read(fcinfo->flinfo, fcinfo->args[0], &part.as_user);
	const char	 *bound = bounds_argument(fcinfo, kept, "=");
	int			  next = 2 + kept->partitions;
	NullableDatum partition[INDEX_MAX_KEYS];
	Datum		  to[INDEX_MAX_KEYS];
	KeptState	 *state = kept_state_create(kept);
	bool		  nothing;

	kept_partition_arguments(fcinfo, 2, kept, partition);
	nothing = !part_bounds(fcinfo, &next, kept, bound, kept->keys, &part, to);
	if (next != PG_NARGS())
		refuse_arguments(kept);
	for (int p = 0; p < kept->partitions; p++)
		nothing |= partition[p].isnull && bound[2] != '=';
	if (!nothing)
	{
		part.partition = partition;
		SPI_connect();
		kept_read(kept, &part, state);
		SPI_finish();
	}
	return return_record(fcinfo, kept, state);
}

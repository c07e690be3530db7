/*
 * functions.c: the functions that the reading functions of a kept scan call: scan_kept_before, _between and _total.
 *
 * keep.c makes typed SQL functions around them, whose arguments are the name, a value for each column of PARTITION BY,
 * and a bound.  A reader needs SELECT on the columns of the table that the definition reads, and no more.
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

#include "compat.h"
#include "kept/arguments.h"
#include "kept/catalog.h"
#include "kept/read.h"
#include "kept/sql.h"

bool
kept_may_read(const Kept *kept)
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

NullableDatum
kept_column_argument(FunctionCallInfo fcinfo, int i, const KeptColumn *column)
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
		partition[p] = kept_column_argument(fcinfo, i + p, &kept->partition[p]);
}

Kept *
kept_argument(FunctionCallInfo fcinfo)
{
	Kept *kept;

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the name of a kept scan must not be NULL")));
	kept = kept_by_name(fcinfo->flinfo, NameStr(*PG_GETARG_NAME(0)));
	if (!kept_may_read(kept))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, kept_relation_name(kept->table));
	return kept;
}

static Datum
return_record(FunctionCallInfo fcinfo, const Kept *kept, KeptState *state)
{
	TupleDesc desc;
	Datum	 *value = (Datum *) palloc0(kept->aggregates * sizeof(Datum));
	bool	 *isnull = (bool *) palloc0(kept->aggregates * sizeof(bool));

	/* CREATE OR REPLACE VIEW may have added aggregates, behind those that the function was made for */
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE || desc->natts > kept->aggregates)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the result of kept scan \"%s\" has %d columns",
																   NameStr(kept->name), kept->aggregates)));
	for (int a = 0; a < desc->natts; a++)
		if (TupleDescAttr(desc, a)->atttypid != kept->aggregate[a].result_type)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("column \"%s\" of kept scan \"%s\" is of type %s", kept->aggregate[a].name,
								   NameStr(kept->name), format_type_be(kept->aggregate[a].result_type))));
	kept_state_results(kept, state, value, isnull);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), value, isnull));
}

typedef enum ReadKind
{
	READ_BEFORE,
	READ_BETWEEN,
	READ_TOTAL
} ReadKind;

static Datum
kept_read_arguments(FunctionCallInfo fcinfo, ReadKind kind)
{
	Kept		 *kept = kept_argument(fcinfo);
	KeptPart	  part = {.from = PG_INT64_MIN, .to_end = kind == READ_TOTAL};
	NullableDatum partition[INDEX_MAX_KEYS], bound;
	Datum		  to[INDEX_MAX_KEYS];
	KeptState	 *state;
	int			  i = 1;
	bool		  nothing = false;

	kept_partition_arguments(fcinfo, i, kept, partition);
	i += kept->partitions;
	part.partition = partition;
	part.to = to;
	if (kind == READ_BETWEEN)
	{
		bound = kept_column_argument(fcinfo, i++, &kept->key[0]);
		nothing = bound.isnull;
		part.from = bound.isnull ? 0 : kept_key_number(kept, bound.value);
	}
	while (kind != READ_TOTAL && i < PG_NARGS() && part.keys < (kind == READ_BETWEEN ? 1 : kept->keys))
	{
		bound = kept_column_argument(fcinfo, i++, &kept->key[part.keys]);
		nothing |= bound.isnull;
		to[part.keys++] = bound.value;
	}
	if (i != PG_NARGS() || (kind != READ_TOTAL && part.keys == 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("wrong number of arguments for kept scan \"%s\"", NameStr(kept->name))));
	state = kept_state_create(kept);
	if (!nothing)
	{
		SPI_connect();
		kept_read(kept, &part, state);
		SPI_finish();
	}
	return return_record(fcinfo, kept, state);
}

PG_FUNCTION_INFO_V1(scan_kept_before);
Datum
scan_kept_before(PG_FUNCTION_ARGS)
{
	return kept_read_arguments(fcinfo, READ_BEFORE);
}

PG_FUNCTION_INFO_V1(scan_kept_between);
Datum
scan_kept_between(PG_FUNCTION_ARGS)
{
	return kept_read_arguments(fcinfo, READ_BETWEEN);
}

PG_FUNCTION_INFO_V1(scan_kept_total);
Datum
scan_kept_total(PG_FUNCTION_ARGS)
{
	return kept_read_arguments(fcinfo, READ_TOTAL);
}

/*
 * What a query that was rewritten calls (rewrite.c): the bounds of the first key are '[', '(' or '-' and ']', ')' or
 * '-', where '-' stands for no bound.  Every value is compared with =, so NULL has no rows.
 */
static bool
part_arguments(FunctionCallInfo fcinfo, const Kept *kept, KeptPart *part, NullableDatum *partition, Datum *to)
{
	text	   *bounds = PG_GETARG_TEXT_PP(1);
	const char *bound = VARDATA_ANY(bounds);
	int			i = 2;
	int64		least = kept_key_number(kept, kept_key_value(kept, PG_INT64_MIN));
	int64		greatest = kept_key_number(kept, kept_key_value(kept, PG_INT64_MAX));
	bool		nothing = false;

	if (VARSIZE_ANY_EXHDR(bounds) != 2 || strchr("[(-", bound[0]) == NULL || strchr("])-", bound[1]) == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("wrong bounds for kept scan \"%s\"", NameStr(kept->name))));
	kept_partition_arguments(fcinfo, i, kept, partition);
	for (int p = 0; p < kept->partitions; p++)
		nothing |= partition[p].isnull;
	i += kept->partitions;
	*part = (KeptPart){.partition = partition, .from = PG_INT64_MIN, .to_end = true, .to = to};
	if (bound[0] != '-')
	{
		NullableDatum from = kept_column_argument(fcinfo, i++, &kept->key[0]);

		part->from = from.isnull ? 0 : kept_key_number(kept, from.value);
		nothing |= from.isnull || (bound[0] == '(' && part->from == greatest);
		part->from += bound[0] == '(' && !nothing;
		if (part->from == least)
			part->from = PG_INT64_MIN;
	}
	if (bound[1] != '-')
	{
		NullableDatum last = kept_column_argument(fcinfo, i++, &kept->key[0]);
		int64		  number = last.isnull ? 0 : kept_key_number(kept, last.value);

		nothing |= last.isnull;
		part->to_end = bound[1] == ']' && number == greatest;
		part->keys = 1;
		to[0] = kept_key_value(kept, number + (bound[1] == ']' && !part->to_end));
	}
	if (i != PG_NARGS())
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("wrong number of arguments for kept scan \"%s\"", NameStr(kept->name))));
	return !nothing;
}

PG_FUNCTION_INFO_V1(scan_kept_part);
Datum
scan_kept_part(PG_FUNCTION_ARGS)
{
	Kept		 *kept = kept_argument(fcinfo);
	KeptPart	  part;
	NullableDatum partition[INDEX_MAX_KEYS];
	Datum		  to[1];
	KeptState	 *state;

	if (PG_ARGISNULL(1))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the bounds must not be NULL")));
	state = kept_state_create(kept);
	if (part_arguments(fcinfo, kept, &part, partition, to))
	{
		SPI_connect();
		kept_read(kept, &part, state);
		SPI_finish();
	}
	return return_record(fcinfo, kept, state);
}

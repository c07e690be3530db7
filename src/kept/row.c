/*
 * row.c: the expressions of a definition over a row of the table: its WHERE, and FILTER and arguments of each
 * aggregate.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

static ExprState *
prepare(const Expr *expression)
{
	return expression == NULL ? NULL : ExecInitExpr((Expr *) expression, NULL);
}

KeptRow *
kept_row_create(Kept *kept)
{
	KeptRow *row = (KeptRow *) palloc(sizeof(KeptRow));

	kept_prepare(kept);
	*row = (KeptRow){.kept = kept,
					 .econtext = CreateStandaloneExprContext(),
					 .where = kept->where == NIL ? NULL : ExecInitQual(kept->where, NULL),
					 .argument = (ExprState ***) palloc0(kept->aggregates * sizeof(ExprState **)),
					 .filter = (ExprState **) palloc0(kept->aggregates * sizeof(ExprState *))};
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];

		row->filter[a] = prepare(aggregate->filter);
		row->argument[a] = (ExprState **) palloc0(Max(list_length(aggregate->arguments), 1) * sizeof(ExprState *));
		foreach_ptr (const Expr, argument, aggregate->arguments)
			row->argument[a][foreach_current_index(argument)] = prepare(argument);
	}
	return row;
}

bool
kept_row_set(KeptRow *row, TupleTableSlot *slot)
{
	ResetExprContext(row->econtext);
	row->slot = slot;
	row->econtext->ecxt_scantuple = slot;
	return row->where == NULL || ExecQual(row->where, row->econtext);
}

void
kept_row_partition(const Kept *kept, TupleTableSlot *slot, NullableDatum *partition)
{
	for (int p = 0; p < kept->partitions; p++)
		partition[p].value = slot_getattr(slot, kept->partition[p].attribute, &partition[p].isnull);
}

int64
kept_row_number(const Kept *kept, TupleTableSlot *slot)
{
	bool  isnull;
	Datum value = slot_getattr(slot, kept->key[0].attribute, &isnull);

	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NOT_NULL_VIOLATION),
						errmsg("column \"%s\" of a kept scan must not be NULL", kept->key[0].name)));
	return kept_key_number(kept, value);
}

void
kept_row_free(KeptRow *row)
{
	FreeExprContext(row->econtext, true);
}

bool
kept_row_passes(KeptRow *row, int a)
{
	bool isnull = false;

	return row->filter[a] == NULL ||
		   (DatumGetBool(ExecEvalExprSwitchContext(row->filter[a], row->econtext, &isnull)) && !isnull);
}

int
kept_row_arguments(KeptRow *row, int a, NullableDatum *argument)
{
	int n = list_length(row->kept->aggregate[a].arguments);

	for (int i = 0; i < n; i++)
		argument[i].value = ExecEvalExprSwitchContext(row->argument[a][i], row->econtext, &argument[i].isnull);
	return n;
}

/*
 * cells.c: scan_kept_cells(), the states of a kept scan's aggregates in the cells of a query.
 *
 * totals.c puts its call in the place of a table in a query that aggregates the table.  A cell is the rows of one
 * partition whose first keys lie in one interval (calendar.c), in which every expression of the query that is not in an
 * aggregate has one value.  The result has a row for each cell with rows: the values of the partition, two keys of the
 * interval, the number of rows, and the states, which scan_kept_merge() adds up in the query's groups (merge.c).
 *
 * The partitions are those of the nodes and of the log's rows, or those that lists name, and each one's part is read in
 * one walk for all of its cells (read.c).  Where tree and log may not be used, or partitions have so few rows that
 * nodes do not help, all rows of the table are read in the order of the partitions.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "kept/reading.h"

/* Partitions with fewer rows on average are not read one by one. */
#define FEW_ROWS KEPT_LEAF_ROWS

/* The values of a column of the partition that are wanted, in order. */
typedef struct WantedValues
{
	bool   all;
	int	   n;
	Datum *value;
} WantedValues;

/* So many partitions that lists name are looked for one by one. */
#define MOST_NAMED 10000

typedef struct Call
{
	Kept		  *kept;
	ReturnSetInfo *info;
	KeptPart	   part; /* of each partition */
	MemoryContext  memory;
	bool		   listed; /* there are lists */
	WantedValues   wanted[INDEX_MAX_KEYS];
	int64		   n, room;
	NullableDatum *partition;	   /* kept->partitions values each, in order */
	int64		   rows;		   /* in the nodes at the top */
	int64		   returned, read; /* cells, and rows of the table, for EXPLAIN */
	Datum		  *value;		   /* of a result */
	bool		  *isnull;
	/* where all rows are read: */
	KeptRow		 *row;
	MemoryContext partition_memory; /* of the partition at hand */
} Call;

/* ---- partitions ---- */

static int
compare_for_sort(const void *a, const void *b, void *kept)
{
	CHECK_FOR_INTERRUPTS();
	return kept_partition_compare((const Kept *) kept, (const NullableDatum *) a, (const NullableDatum *) b);
}

static int
compare_wanted(const void *a, const void *b, void *column)
{
	return kept_column_compare((const KeptColumn *) column, *(const Datum *) a, *(const Datum *) b);
}

/* True if the lists have the values of a partition. */
static bool
is_wanted(const Call *call, const NullableDatum *partition)
{
	for (int p = 0; p < call->kept->partitions && call->listed; p++)
	{
		const WantedValues *wanted = &call->wanted[p];

		if (!wanted->all &&
			(partition[p].isnull || bsearch_arg(&partition[p].value, wanted->value, wanted->n, sizeof(Datum),
												compare_wanted, &call->kept->partition[p]) == NULL))
			return false;
	}
	return true;
}

/* Adds a partition, unless it is the one that was added last. */
static void
add_partition(Call *call, const NullableDatum *partition)
{
	int			  columns = call->kept->partitions;
	MemoryContext old;

	if (call->n > 0 && kept_partition_compare(call->kept, call->partition + (call->n - 1) * columns, partition) == 0)
		return;
	old = MemoryContextSwitchTo(call->memory);
	call->partition = (NullableDatum *) kept_grow(call->partition, call->n, &call->room,
												  columns * sizeof(NullableDatum));
	memcpy(call->partition + call->n++ * columns, kept_partition_copy(call->memory, call->kept, partition),
		   columns * sizeof(NullableDatum));
	MemoryContextSwitchTo(old);
}

/* Adds the partitions of the tree or of the log. */
static void
add_partitions(Call *call, bool is_tree)
{
	KeptRelation	relation = kept_relation_open(call->kept, is_tree, AccessShareLock, false);
	NullableDatum	partition[INDEX_MAX_KEYS] = {{0}};
	KeptScan	   *scan;
	const KeptNode *node;
	int				columns = 0; /* the first ones, of which the lists have one value each */

	for (; columns < call->kept->partitions && call->wanted[columns].n == 1; columns++)
		partition[columns].value = call->wanted[columns].value[0];
	scan = kept_scan_begin_prefix(&relation, partition, columns, GetActiveSnapshot());
	while ((node = kept_scan_next(scan)) != NULL)
	{
		kept_node_partition(call->kept, node, partition);
		if (!is_wanted(call, partition))
			continue;
		add_partition(call, partition);
		if (is_tree && node->level == call->kept->top)
			call->rows += node->rows;
	}
	kept_scan_end(scan);
	kept_relation_close(&relation, AccessShareLock);
}

/* Adds the partition of a row.  A KeptTakeRow. */
static bool
take_partition(void *to, TupleTableSlot *slot)
{
	Call		 *call = (Call *) to;
	NullableDatum partition[INDEX_MAX_KEYS];

	kept_row_partition(call->kept, slot, partition);
	if (is_wanted(call, partition))
		add_partition(call, partition);
	return true;
}

/* Adds the partitions of the leaves that are read by their rows.  False: the definition has expired. */
static bool
add_partitions_of_rows(Call *call)
{
	const KeptPart *part = &call->part;
	int64			to = part->to_end ? PG_INT64_MAX : kept_key_number(call->kept, part->to[0]);
	KeptLeavesRead	leaves;
	KeptUser		user;

	if (!kept_leaves_to_read(call->kept, GetActiveSnapshot(), part->from, to, &leaves))
		return false;
	user = kept_become_to_read(call->kept);
	SPI_connect();
	for (int i = 0; i < leaves.by_rows; i++)
	{
		KeptQuery query = {.leaf = leaves.row_leaf[i]->table, .order = KEPT_BY_FIRST_KEY};

		call->read += kept_sql_rows(call->kept, &query, take_partition, call);
	}
	SPI_finish();
	kept_become_again(user);
	return true;
}

/* Takes the lists, which are the arguments from i on. */
static void
take_lists(Call *call, FunctionCallInfo fcinfo, int i)
{
	call->listed = true;
	for (int p = 0; p < call->kept->partitions; p++)
	{
		const KeptColumn *column = &call->kept->partition[p];
		WantedValues	 *wanted = &call->wanted[p];
		ArrayType		 *array;
		bool			 *isnull;
		int				  n, kept = 0;

		wanted->all = PG_ARGISNULL(i + p);
		if (wanted->all)
			continue;
		array = PG_GETARG_ARRAYTYPE_P(i + p);
		deconstruct_array(array, ARR_ELEMTYPE(array), column->length, column->by_value, column->align, &wanted->value,
						  &isnull, &n);
		for (int e = 0; e < n; e++)
			if (!isnull[e])
				wanted->value[kept++] = wanted->value[e];
		wanted->n = kept;
		qsort_arg(wanted->value, kept, sizeof(Datum), compare_wanted, (void *) column);
	}
}

/* Returns how many partitions the lists name; -1: very many, or not all columns have a list. */
static int64
named_partitions(const Call *call)
{
	int64 n = 1;

	for (int p = 0; p < call->kept->partitions; p++)
	{
		if (!call->listed || call->wanted[p].all)
			return -1;
		n *= call->wanted[p].n;
		if (n > MOST_NAMED)
			return -1;
	}
	return n;
}

/* Adds the partitions that the lists name. */
static void
add_named(Call *call, int64 n)
{
	NullableDatum partition[INDEX_MAX_KEYS] = {{0}};

	for (int64 i = 0; i < n; i++)
	{
		int64 rest = i;

		for (int p = call->kept->partitions - 1; p >= 0; p--)
		{
			partition[p].value = call->wanted[p].value[rest % call->wanted[p].n];
			rest /= call->wanted[p].n;
		}
		add_partition(call, partition);
	}
}

/* Brings the partitions into their order, and lets each be there once. */
static void
settle_partitions(Call *call)
{
	Size size = call->kept->partitions * sizeof(NullableDatum);

	qsort_arg(call->partition, call->n, size, compare_for_sort, call->kept);
	call->n = qunique_arg(call->partition, call->n, size, compare_for_sort, call->kept);
}

/* ---- results ---- */

/* Returns a cell of the partition that `call` is at.  A KeptVisitCell. */
static bool
put_cell(void *to, const KeptCell *cell)
{
	Call	   *call = (Call *) to;
	const Kept *kept = call->kept;
	int			columns = kept->partitions;

	if (cell->state->rows == 0)
		return true;
	for (int p = 0; p < columns; p++)
	{
		const KeptColumn *column = &kept->partition[p];

		call->value[p] = call->part.partition[p].value;
		call->isnull[p] = call->part.partition[p].isnull;
		/* a list may name 1, which is equal to the column's 1.00 */
		if (column->type == NUMERICOID && column->typmod >= 0 && !call->isnull[p])
			call->value[p] = DirectFunctionCall2(numeric, call->value[p], Int32GetDatum(column->typmod));
	}
	call->value[columns] = kept_key_value(kept, cell->number);
	call->value[columns + 1] = kept_key_value(kept, cell->last);
	call->value[columns + 2] = Int64GetDatum(cell->state->rows);
	kept_state_save(kept, cell->state, call->value + columns + KEPT_CELL_COLUMNS,
					call->isnull + columns + KEPT_CELL_COLUMNS);
	tuplestore_putvalues(call->info->setResult, call->info->setDesc, call->value, call->isnull);
	call->returned++;
	return true;
}

/* Returns the cells of a partition that have rows, and forgets them. */
static void
put_cells(Call *call)
{
	(void) kept_cells_visit(call->part.cells, put_cell, call);
	kept_cells_clear(call->part.cells);
}

/* Reads the partitions one by one. */
static void
read_partitions(Call *call)
{
	for (int64 i = 0; i < call->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		call->part.partition = call->partition + i * call->kept->partitions;
		SPI_connect();
		kept_read(call->kept, &call->part, NULL);
		SPI_finish();
		put_cells(call);
	}
}

/* ---- all rows, in the order of the partitions ---- */

/* True if a row's first key lies in the part. */
static bool
is_in_part(const Call *call, int64 number)
{
	return number >= call->part.from && (call->part.to_end || number < kept_key_number(call->kept, call->part.to[0]));
}

static bool
take_cell_row(void *to, TupleTableSlot *slot)
{
	Call		 *call = (Call *) to;
	NullableDatum partition[INDEX_MAX_KEYS];
	int64		  number;

	if (!kept_row_set(call->row, slot))
		return true;
	number = kept_row_number(call->kept, slot);
	if (!is_in_part(call, number))
		return true;
	kept_row_partition(call->kept, slot, partition);
	if (!is_wanted(call, partition))
		return true;
	if (call->part.partition != NULL && kept_partition_compare(call->kept, call->part.partition, partition) != 0)
	{
		put_cells(call);
		call->part.partition = NULL;
	}
	if (call->part.partition == NULL)
	{
		MemoryContextReset(call->partition_memory);
		call->part.partition = kept_partition_copy(call->partition_memory, call->kept, partition);
	}
	kept_state_take(kept_cells_state(call->part.cells, number, number), call->row, false, NULL);
	return true;
}

static void
read_rows(Call *call)
{
	KeptQuery query = {.order = KEPT_IN_ORDER, .as_user = call->part.as_user};
	KeptUser  user = query.as_user ? (KeptUser){.is_set = false} : kept_become_to_read(call->kept);

	kept_require_trusted(call->kept);
	call->row = kept_row_create(call->kept);
	SPI_connect();
	call->read = kept_sql_rows(call->kept, &query, take_cell_row, call);
	SPI_finish();
	kept_become_again(user);
	if (call->part.partition != NULL)
		put_cells(call);
	kept_row_free(call->row);
}

/* ---- the function ---- */

static void
check_result(const Call *call)
{
	const Kept *kept = call->kept;
	TupleDesc	desc = call->info->setDesc;
	Oid			type[INDEX_MAX_KEYS + KEPT_CELL_COLUMNS];
	int			columns = kept->partitions + KEPT_CELL_COLUMNS;

	for (int p = 0; p < kept->partitions; p++)
		type[p] = kept->partition[p].type;
	type[kept->partitions] = kept->key[0].type;
	type[kept->partitions + 1] = kept->key[0].type;
	type[kept->partitions + 2] = INT8OID;
	/* only the functions of a kept scan may have been made for fewer aggregates; the rewrite names all of them */
	kept_check_result(kept, desc->natts < columns + kept->aggregates ? NULL : desc, columns, type, true);
}

/* Finds the partitions by tree and log.  False: they have so few rows that the table is read instead, or it has to be.
 */
static bool
find_partitions(Call *call)
{
	int64 named = named_partitions(call);

	if (named >= 0)
		add_named(call, named);
	else
	{
		add_partitions(call, true);
		add_partitions(call, false);
		if (call->kept->is_partitioned && !add_partitions_of_rows(call))
			return false;
	}
	settle_partitions(call);
	return named >= 0 || call->listed || call->kept->grain != NULL || call->rows >= call->n * FEW_ROWS;
}

PG_FUNCTION_INFO_V1(scan_kept_cells);
Datum
scan_kept_cells(PG_FUNCTION_ARGS)
{
	Call  call = {.info = (ReturnSetInfo *) fcinfo->resultinfo, .memory = CurrentMemoryContext};
	Kept *kept = call.kept = kept_to_read(fcinfo->flinfo, fcinfo->args[0], &call.part.as_user);
	Datum to[INDEX_MAX_KEYS];
	int	  lists;
	bool  by_tree;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	check_result(&call);
	if (!kept_cells_arguments(fcinfo, kept, &call.part, to, &lists))
		return (Datum) 0;
	call.value = (Datum *) palloc(call.info->setDesc->natts * sizeof(Datum));
	call.isnull = (bool *) palloc0(call.info->setDesc->natts * sizeof(bool));
	call.partition_memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a partition", ALLOCSET_SMALL_SIZES);
	if (lists > 0)
		take_lists(&call, fcinfo, lists);
	by_tree = !call.part.as_user && kept_lock_to_read(kept, GetActiveSnapshot());
	if (by_tree)
	{
		by_tree = find_partitions(&call);
		kept_unlock_read(kept);
	}
	if (by_tree)
		read_partitions(&call);
	else
		read_rows(&call);
	kept_note_read(kept, call.returned, 0, 0, call.read);
	return (Datum) 0;
}

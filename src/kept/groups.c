/*
 * groups.c: scan_kept_groups(), the aggregates of a kept scan over each partition, or those of some lists.
 *
 * totals.c puts its call in the place of a table in a query with GROUP BY.  The partitions are those of the nodes and
 * of the log's rows, and each one's part is read as for a single one (read.c).  A partition without rows in the part
 * has no result.
 *
 * Where tree and log may not be used, or partitions have so few rows that nodes do not help, all rows of the table are
 * read in the order of the partitions.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
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

typedef struct Groups
{
	Kept		  *kept;
	ReturnSetInfo *info;
	KeptPart	   part; /* of each partition */
	MemoryContext  memory;
	bool		   listed; /* there are lists */
	WantedValues   wanted[INDEX_MAX_KEYS];
	int64		   n;
	int64		   room;
	NullableDatum *partition; /* kept->partitions values each, in order */
	int64		   rows;	  /* in the nodes at the top */
	/* of the partition that is read row by row */
	KeptRow		  *row;
	KeptState	  *state;
	MemoryContext  state_memory;
	bool		   begun;
	NullableDatum *current;
} Groups;

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
is_wanted(const Groups *groups, const NullableDatum *partition)
{
	for (int p = 0; p < groups->kept->partitions && groups->listed; p++)
	{
		const WantedValues *wanted = &groups->wanted[p];

		if (!wanted->all &&
			(partition[p].isnull || bsearch_arg(&partition[p].value, wanted->value, wanted->n, sizeof(Datum),
												compare_wanted, &groups->kept->partition[p]) == NULL))
			return false;
	}
	return true;
}

/* Adds a partition, unless it is the one that was added last. */
static void
add_partition(Groups *groups, const NullableDatum *partition)
{
	int			  columns = groups->kept->partitions;
	MemoryContext old;

	if (groups->n > 0 &&
		kept_partition_compare(groups->kept, groups->partition + (groups->n - 1) * columns, partition) == 0)
		return;
	old = MemoryContextSwitchTo(groups->memory);
	groups->partition = (NullableDatum *) kept_grow(groups->partition, groups->n, &groups->room,
													columns * sizeof(NullableDatum));
	memcpy(groups->partition + groups->n++ * columns, kept_partition_copy(groups->memory, groups->kept, partition),
		   columns * sizeof(NullableDatum));
	MemoryContextSwitchTo(old);
}

/* Adds the partitions of the tree or of the log. */
static void
add_partitions(Groups *groups, bool is_tree)
{
	KeptRelation	relation = kept_relation_open(groups->kept, is_tree, AccessShareLock, false);
	KeptScan	   *scan = kept_scan_begin_all(&relation, GetActiveSnapshot());
	const KeptNode *node;
	NullableDatum	partition[INDEX_MAX_KEYS];

	while ((node = kept_scan_next(scan)) != NULL)
	{
		kept_node_partition(groups->kept, node, partition);
		if (!is_wanted(groups, partition))
			continue;
		add_partition(groups, partition);
		if (is_tree && node->level == groups->kept->top)
			groups->rows += node->rows;
	}
	kept_scan_end(scan);
	kept_relation_close(&relation, AccessShareLock);
}

/* Takes the lists, which are the arguments from i on. */
static void
take_lists(Groups *groups, FunctionCallInfo fcinfo, int i)
{
	groups->listed = true;
	for (int p = 0; p < groups->kept->partitions; p++)
	{
		const KeptColumn *column = &groups->kept->partition[p];
		WantedValues	 *wanted = &groups->wanted[p];
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
named_partitions(const Groups *groups)
{
	int64 n = 1;

	for (int p = 0; p < groups->kept->partitions; p++)
	{
		if (!groups->listed || groups->wanted[p].all)
			return -1;
		n *= groups->wanted[p].n;
		if (n > MOST_NAMED)
			return -1;
	}
	return n;
}

/* Adds the partitions that the lists name. */
static void
add_named(Groups *groups, int64 n)
{
	NullableDatum partition[INDEX_MAX_KEYS] = {{0}};

	for (int64 i = 0; i < n; i++)
	{
		int64 rest = i;

		for (int p = groups->kept->partitions - 1; p >= 0; p--)
		{
			partition[p].value = groups->wanted[p].value[rest % groups->wanted[p].n];
			rest /= groups->wanted[p].n;
		}
		add_partition(groups, partition);
	}
}

/* Brings the partitions into their order, and lets each be there once. */
static void
settle_partitions(Groups *groups)
{
	Size size = groups->kept->partitions * sizeof(NullableDatum);

	qsort_arg(groups->partition, groups->n, size, compare_for_sort, groups->kept);
	groups->n = qunique_arg(groups->partition, groups->n, size, compare_for_sort, groups->kept);
}

/* ---- results ---- */

static void
put_result(Groups *groups, const NullableDatum *partition, KeptState *state)
{
	const Kept *kept = groups->kept;
	int			columns = kept->partitions;
	Datum	   *value = (Datum *) palloc((columns + kept->aggregates) * sizeof(Datum));
	bool	   *isnull = (bool *) palloc((columns + kept->aggregates) * sizeof(bool));

	for (int p = 0; p < columns; p++)
	{
		value[p] = partition[p].value;
		isnull[p] = partition[p].isnull;
	}
	kept_state_results(kept, state, value + columns, isnull + columns);
	tuplestore_putvalues(groups->info->setResult, groups->info->setDesc, value, isnull);
}

/* Reads the partitions one by one. */
static void
read_partitions(Groups *groups)
{
	for (int64 i = 0; i < groups->n; i++)
	{
		const NullableDatum *partition = groups->partition + i * groups->kept->partitions;
		MemoryContext		 old = MemoryContextSwitchTo(groups->state_memory);
		KeptState			*state = kept_state_create(groups->kept);

		CHECK_FOR_INTERRUPTS();
		groups->part.partition = partition;
		SPI_connect();
		kept_read(groups->kept, &groups->part, state);
		SPI_finish();
		if (state->rows > 0)
			put_result(groups, partition, state);
		MemoryContextSwitchTo(old);
		MemoryContextReset(groups->state_memory);
	}
}

/* ---- all rows, in the order of the partitions ---- */

static void
finish_group(Groups *groups)
{
	if (groups->begun && groups->state->rows > 0)
		put_result(groups, groups->current, groups->state);
	MemoryContextReset(groups->state_memory);
	groups->begun = false;
}

/* True if a row's first key lies in the part. */
static bool
is_in_part(const Groups *groups, TupleTableSlot *slot)
{
	bool  isnull;
	Datum value = slot_getattr(slot, groups->kept->key[0].attribute, &isnull);
	int64 number;

	if (isnull)
		return groups->part.to_end && groups->part.from == PG_INT64_MIN;
	number = kept_key_number(groups->kept, value);
	return number >= groups->part.from &&
		   (groups->part.to_end || number < kept_key_number(groups->kept, groups->part.to[0]));
}

static bool
group_take_row(void *to, TupleTableSlot *slot)
{
	Groups		 *groups = (Groups *) to;
	NullableDatum partition[INDEX_MAX_KEYS];
	MemoryContext old;

	if (!kept_row_set(groups->row, slot) || !is_in_part(groups, slot))
		return true;
	kept_row_partition(groups->kept, slot, partition);
	if (!is_wanted(groups, partition))
		return true;
	if (groups->begun && kept_partition_compare(groups->kept, groups->current, partition) != 0)
		finish_group(groups);
	if (!groups->begun)
	{
		old = MemoryContextSwitchTo(groups->state_memory);
		groups->state = kept_state_create(groups->kept);
		groups->current = kept_partition_copy(groups->state_memory, groups->kept, partition);
		groups->begun = true;
		MemoryContextSwitchTo(old);
	}
	kept_state_take(groups->state, groups->row, false, NULL);
	return true;
}

static void
read_rows(Groups *groups)
{
	KeptQuery query = {.order = KEPT_IN_ORDER, .as_user = groups->part.as_user};
	KeptUser  user = query.as_user ? (KeptUser){.is_set = false} : kept_become_to_read(groups->kept);

	kept_require_trusted(groups->kept);
	groups->row = kept_row_create(groups->kept);
	SPI_connect();
	(void) kept_sql_rows(groups->kept, &query, group_take_row, groups);
	SPI_finish();
	kept_become_again(user);
	finish_group(groups);
	kept_row_free(groups->row);
}

/* ---- the function ---- */

static void
check_result(const Groups *groups)
{
	const Kept *kept = groups->kept;
	TupleDesc	desc = groups->info->setDesc;
	Oid			type[INDEX_MAX_KEYS];

	for (int p = 0; p < kept->partitions; p++)
		type[p] = kept->partition[p].type;
	/* only the functions of a kept scan may have been made for fewer aggregates; the rewrite names all of them */
	kept_check_result(kept, desc->natts < kept->partitions + kept->aggregates ? NULL : desc, kept->partitions, type);
}

/* Finds the partitions by tree and log.  Returns false if they have so few rows that the table is read instead. */
static bool
find_partitions(Groups *groups)
{
	int64 named = named_partitions(groups);

	if (named >= 0)
		add_named(groups, named);
	else
	{
		add_partitions(groups, true);
		add_partitions(groups, false);
	}
	settle_partitions(groups);
	return groups->listed || groups->rows >= groups->n * FEW_ROWS;
}

PG_FUNCTION_INFO_V1(scan_kept_groups);
Datum
scan_kept_groups(PG_FUNCTION_ARGS)
{
	Groups groups = {.info = (ReturnSetInfo *) fcinfo->resultinfo, .memory = CurrentMemoryContext};
	Kept  *kept = groups.kept = kept_to_read(fcinfo->flinfo, fcinfo->args[0], &groups.part.as_user);
	Datum  to[INDEX_MAX_KEYS];
	int	   lists;
	bool   by_tree;

	if (kept->partitions == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("kept scan \"%s\" has no partitions", NameStr(kept->name))));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	check_result(&groups);
	groups.state_memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a partition", ALLOCSET_SMALL_SIZES);
	if (!kept_group_arguments(fcinfo, kept, &groups.part, to, &lists))
		return (Datum) 0;
	if (lists > 0)
		take_lists(&groups, fcinfo, lists);
	by_tree = !groups.part.as_user && kept_lock_to_read(kept, GetActiveSnapshot());
	if (by_tree)
	{
		by_tree = find_partitions(&groups);
		kept_unlock_read(kept);
	}
	if (by_tree)
		read_partitions(&groups);
	else
		read_rows(&groups);
	return (Datum) 0;
}

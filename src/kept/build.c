/*
 * build.c: builds the whole tree of a kept scan.
 *
 * Rows come from a sort; builder.c makes the nodes of one partition.  The sort may use as much memory as that of CREATE
 * INDEX.  Rejected: an index scan, where rows that lie in another order are each read from a page of their own.  The
 * planner chose it for a table larger than memory.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

typedef struct Building
{
	const Kept		   *kept;
	const KeptRelation *tree;
	KeptVisitNode		visit;
	void			   *to;
	KeptRow			   *row;
	MemoryContext		memory;
	NullableDatum	   *partition; /* of `builder`; NULL: none */
	KeptBuilder		   *builder;
	int64				rows;
} Building;

static void
build_end_partition(Building *b)
{
	if (b->partition != NULL)
		b->rows += kept_build_finish(b->builder);
	b->partition = NULL;
	MemoryContextReset(b->memory);
}

static void
build_begin_partition(Building *b, const NullableDatum *partition)
{
	MemoryContext old = MemoryContextSwitchTo(b->memory);

	b->partition = kept_partition_copy(b->memory, b->kept, partition);
	b->builder = kept_build_begin(b->tree, b->partition, b->kept->top, true, b->visit, b->to);
	MemoryContextSwitchTo(old);
}

static bool
build_row(void *to, TupleTableSlot *slot)
{
	Building	 *b = (Building *) to;
	NullableDatum partition[INDEX_MAX_KEYS];

	if (!kept_row_set(b->row, slot))
		return true;
	kept_row_partition(b->kept, slot, partition);
	if (b->partition != NULL && kept_partition_compare(b->kept, b->partition, partition) != 0)
		build_end_partition(b);
	if (b->partition == NULL)
		build_begin_partition(b, partition);
	kept_build_row(b->builder, b->row);
	return true;
}

static void
set_until_end(const char *parameter, const char *value)
{
	(void) set_config_option(parameter, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

int64
kept_build_leaf(Kept *kept, const KeptRelation *tree, Oid leaf, KeptVisitNode visit, void *to)
{
	Building b = {
		.kept = kept,
		.tree = tree,
		.visit = visit,
		.to = to,
		.row = kept_row_create(kept),
		.memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a partition", ALLOCSET_DEFAULT_SIZES)};
	KeptQuery query = {.leaf = leaf, .order = KEPT_BY_FIRST_KEY};
	int		  nest = NewGUCNestLevel();

	set_until_end("work_mem", GetConfigOption("maintenance_work_mem", false, false));
	set_until_end("enable_indexscan", "off");
	(void) kept_sql_rows(kept, &query, build_row, &b);
	AtEOXact_GUC(true, nest);
	build_end_partition(&b);
	kept_row_free(b.row);
	MemoryContextDelete(b.memory);
	return b.rows;
}

/* Builds the nodes of a leaf that kept_leaf_begin() has locked.  Returns how many rows are kept. */
static int64
build_leaf(Kept *kept, const KeptRelation *tree, const KeptLeaf *leaf)
{
	int64 rows;

	/* an older snapshot of this transaction sees the table's rows, and none of the nodes */
	statement_logs();
	PushActiveSnapshot(GetLatestSnapshot());
	rows = kept_build_leaf(kept, tree, leaf->table, NULL, NULL);
	PopActiveSnapshot();
	if (kept->is_partitioned)
		kept_leaf_adopt(kept, leaf, tree->leaf);
	return rows;
}

/* Builds the nodes of all leaves, or of one, or of the first small one.  Sets how many; returns how many rows are kept.
 */
static int64
build_leaves(Kept *kept, Oid only, bool wait, int *built)
{
	const KeptLeaves *leaves = kept_leaves(kept);
	KeptRelation	  tree = kept_relation_open(kept, true, RowExclusiveLock, true);
	int64			  rows = 0;

	*built = 0;
	for (int i = 0; i < leaves->n && (wait || *built == 0); i++)
		if ((!OidIsValid(only) || leaves->leaf[i].table == only) &&
			kept_leaf_begin(kept, &leaves->leaf[i], wait, &tree.leaf))
		{
			rows += build_leaf(kept, &tree, &leaves->leaf[i]);
			(*built)++;
		}
	kept_relation_close(&tree, RowExclusiveLock);
	CommandCounterIncrement();
	return rows;
}

int64
kept_build(Kept *kept)
{
	int built;

	statement_supersede(kept->log);
	return build_leaves(kept, InvalidOid, true, &built);
}

bool
kept_adopt_leaves(Kept *kept, Oid only, bool wait)
{
	int		 built;
	KeptUser user;

	if (!kept->is_partitioned)
		return false;
	user = kept_become(kept->owner);
	(void) build_leaves(kept, only, wait, &built);
	kept_become_again(user);
	return built > 0;
}

/*
 * check.c: scan_kept_check(), which compares the tree of a kept scan with its table, and makes it usable again.
 *
 * Writers wait meanwhile.  The log is folded into the tree first.  Then all rows are read in order, and the state of
 * each interval on each level is compared with the node there.  Rows and nodes are merged, as both come in order.  If
 * anything differs, or the table has outgrown the intervals, log and tree are emptied and built anew.  A kept scan that
 * was restored from a dump, whose relations or triggers were altered, or whose table has a new owner, is usable
 * afterwards; whatever a former owner has made is made again, since that owner's grants are on it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "error.h"
#include "kept/catalogs.h"
#include "kept/store.h"

/* The nodes of a level in the interval of the highest level whose rows are read. */
typedef struct LevelScan
{
	KeptScan	   *scan; /* NULL: not begun */
	const KeptNode *node; /* that comes next; NULL: none */
} LevelScan;

typedef struct Checking
{
	Kept		 *kept;
	KeptRelation  tree;
	Snapshot	  snapshot;
	LevelScan	  level[KEPT_MOST_LEVELS];
	MemoryContext memory; /* reset after each node */
	int64		  nodes;  /* that agree with the rows */
	int64		  differences;
} Checking;

/* ---- comparing ---- */

static void
begin_level(Checking *checking, const NullableDatum *partition, int level, int64 bucket)
{
	LevelScan  *scan = &checking->level[level];
	const Kept *kept = checking->kept;
	int64		root = kept_bucket_above(kept, level, bucket, kept->top);

	scan->scan = kept_scan_begin(&checking->tree, partition, level, bucket,
								 kept_bucket(kept, kept_interval_end(kept, kept->top, root), level),
								 checking->snapshot);
	scan->node = kept_scan_next(scan->scan);
}

/*
 * Returns the node of an interval, NULL if there is none.  Intervals of a level come in order, so one scan of each
 * level finds all its nodes in an interval of the highest level.
 */
static const KeptNode *
node_of_interval(Checking *checking, const NullableDatum *partition, int level, int64 bucket)
{
	LevelScan	 *scan = &checking->level[level];
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(checking));

	if (scan->scan == NULL)
		begin_level(checking, partition, level, bucket);
	while (scan->node != NULL && scan->node->bucket < bucket)
		scan->node = kept_scan_next(scan->scan);
	MemoryContextSwitchTo(old);
	return scan->node != NULL && scan->node->bucket == bucket ? scan->node : NULL;
}

static void
end_levels(Checking *checking)
{
	for (int l = 0; l <= checking->kept->top; l++)
		if (checking->level[l].scan != NULL)
			kept_scan_end(checking->level[l].scan);
	memset(checking->level, 0, sizeof(checking->level));
}

/* Compares the state of an interval with its node.  A KeptVisitNode. */
static void
visit_node(void *to, const NullableDatum *partition, int level, int64 bucket, KeptState *state)
{
	Checking	   *checking = (Checking *) to;
	const Kept	   *kept = checking->kept;
	MemoryContext	old = MemoryContextSwitchTo(checking->memory);
	const KeptNode *node = node_of_interval(checking, partition, level, bucket), *parent = NULL;

	/* a node that is not split has no children */
	if (node == NULL && level < kept->top)
		parent = node_of_interval(checking, partition, level + 1, kept_bucket_above(kept, level, bucket, level + 1));
	if (node != NULL && kept_state_same(kept, state, node))
		checking->nodes++;
	else if (node != NULL || level == kept->top || (parent != NULL && parent->split))
		checking->differences++;
	if (level == kept->top)
		end_levels(checking);
	MemoryContextSwitchTo(old);
	MemoryContextReset(checking->memory);
}

static int64
count_nodes(Checking *checking)
{
	KeptScan	   *scan = kept_scan_begin_prefix(&checking->tree, NULL, 0, checking->snapshot);
	const KeptNode *node;
	int64			nodes = 0;

	while ((node = kept_scan_next(scan)) != NULL)
		nodes += node->rows != 0;
	kept_scan_end(scan);
	return nodes;
}

/* Returns how many nodes differ from the rows of the table. */
static int64
compare_all(Kept *kept)
{
	Checking		 *checking = (Checking *) palloc(sizeof(Checking));
	const KeptLeaves *leaves = kept_leaves(kept);
	int64			  nodes;

	*checking = (Checking){
		.kept = kept,
		.snapshot = GetActiveSnapshot(),
		.memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a node compared", ALLOCSET_SMALL_SIZES),
		.tree = kept_relation_open(kept, true, AccessShareLock, false)};
	for (int i = 0; i < leaves->n; i++)
	{
		checking->tree.leaf = leaves->leaf[i].number;
		if (leaves->leaf[i].is_adopted)
			(void) kept_build_leaf(kept, &checking->tree, leaves->leaf[i].table, visit_node, checking);
	}
	checking->tree.leaf = InvalidOid;
	nodes = count_nodes(checking);
	kept_relation_close(&checking->tree, AccessShareLock);
	MemoryContextDelete(checking->memory);
	/* nodes of intervals without rows */
	return checking->differences + Max(nodes - checking->nodes, 0);
}

/* ---- all of it ---- */

typedef struct CompactAndCompare
{
	Kept *kept;
	int64 differences;
} CompactAndCompare;

static void
compact_and_compare(void *to)
{
	CompactAndCompare *call = (CompactAndCompare *) to;
	bool			   more;

	(void) kept_compact(call->kept, 0, &more);
	(void) kept_adopt_leaves(call->kept, InvalidOid, true);
	PushActiveSnapshot(GetLatestSnapshot());
	call->differences = compare_all(call->kept);
	PopActiveSnapshot();
}

/* Folds the log into the tree and compares.  Returns how many nodes differ; 1 if that could not be said. */
static int64
count_differences(Kept *kept)
{
	CompactAndCompare call = {.kept = kept};
	ErrorData		 *error = scan_subtransaction(compact_and_compare, &call);

	/* the tree itself says that it is wrong; anything else is an error of this call */
	if (error != NULL && error->sqlerrcode != ERRCODE_DATA_CORRUPTED)
		ReThrowError(error);
	return error != NULL ? 1 : call.differences;
}

/* ---- the objects ---- */

static void
make_triggers(const FmgrInfo *caller, const Kept *kept)
{
	KeptUser user = kept_become(kept->owner);

	kept_triggers_create(caller, kept);
	CommandCounterIncrement();
	kept_become_again(user);
}

/* True if an object has to be made again, or the triggers: then nobody may read the table meanwhile. */
static bool
has_wrong_objects(const FmgrInfo *caller, const Kept *kept)
{
	return !kept->adopted || !kept->intact || !kept_has_one_owner(kept) || !kept_has_persistence(kept) ||
		   kept_triggers_have_to_go(caller, kept);
}

/*
 * Locks the table against writers and DDL, and tree and log against compactions.  Returns the kept scan as it is then.
 *
 * Where triggers have to be dropped, the strongest lock comes first: a transaction that has read the table and goes on
 * to write it would close a circle with a lock that grows.  And nobody waits for the tree with the table locked, since
 * a transaction that has called scan_kept_compact() has the tree until its end, and may want to write.
 */
static Kept *
lock_kept(const FmgrInfo *caller, Kept *kept)
{
	for (;;)
	{
		Oid		 table = kept->table, tree = kept->tree;
		bool	 alone = has_wrong_objects(caller, kept);
		LOCKMODE mode = alone ? AccessExclusiveLock : ShareRowExclusiveLock;

		LockRelationOid(table, mode);
		kept = kept_of_tree(caller, tree);
		if (kept->table == table)
			(void) kept_leaves_lock(kept, mode, true);
		if (kept->table == table && alone)
			return kept;
		if (kept->table == table && !has_wrong_objects(caller, kept))
		{
			LockRelationOid(kept->log, ShareUpdateExclusiveLock);
			if (ConditionalLockRelationOid(tree, ShareUpdateExclusiveLock))
				return kept_of_tree(caller, tree);
			UnlockRelationOid(kept->log, ShareUpdateExclusiveLock);
		}
		if (kept->table == table)
			kept_leaves_unlock(kept, mode);
		UnlockRelationOid(table, mode);
		/* wait for a compaction, if it was one */
		LockRelationOid(tree, ShareUpdateExclusiveLock);
		UnlockRelationOid(tree, ShareUpdateExclusiveLock);
	}
}

/* Raises an error if the definition may not be the one that scan_keep() was told, or changes under our hands. */
static void
check_definition(Kept *kept)
{
	const char *made_by;

	kept_check_table(kept);
	if (kept->source != kept->table)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the definition of kept scan \"%s\" is of another table now", NameStr(kept->name)),
						errhint("Make it again: scan_unkeep(), scan_keep().")));
	/* another change by this transaction would have the same stamp */
	if (kept_rule_is_new(kept))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("this transaction has changed the definition of kept scan \"%s\"", NameStr(kept->name)),
						errhint("Call scan_kept_check() in another transaction.")));
	made_by = kept_rule_stamp(kept->stamps);
	if (kept_owner(kept->view) != kept->owner &&
		(made_by == NULL || strcmp(made_by, kept_rule_stamp(kept_stamps(kept, NULL))) != 0))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a former owner has changed the definition of kept scan \"%s\"", NameStr(kept->name)),
						errhint("Make it again: scan_unkeep(), scan_keep().")));
}

/* Compares tree and table, and builds the tree anew if they differ.  Returns how many nodes do. */
static int64
compare_and_build(const FmgrInfo *caller, Kept *kept)
{
	KeptUser user = kept_become(kept->owner);
	bool	 fits = kept_shape_fits(kept);
	int64	 differences = kept->format == KEPT_FORMAT ? count_differences(kept) : 1;

	if (differences > 0 || !fits)
		kept_rebuild(kept, true);
	kept_become_again(user);
	kept_catalog_insert(caller, kept);
	kept_catalog_note(caller, kept->tree, false, NULL);
	return differences;
}

PG_FUNCTION_INFO_V1(scan_kept_check_name);
Datum
scan_kept_check_name(PG_FUNCTION_ARGS)
{
	Kept *kept = kept_by_name(fcinfo->flinfo, PG_GETARG_TEXT_PP(0));
	int64 differences = 0;

	PreventCommandIfReadOnly("scan_kept_check()");
	kept_require_owner(kept);
	if (IsolationUsesXactSnapshot())
		ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
						errmsg("scan_kept_check() cannot run in a transaction with one snapshot"),
						errhint("Use BEGIN ISOLATION LEVEL READ COMMITTED, or no transaction block.")));
	kept = lock_kept(fcinfo->flinfo, kept);
	kept_require_owner(kept);
	check_definition(kept);
	kept_require_unused(kept->table, "scan_kept_check()");
	SPI_connect();
	if (!kept->intact || !kept_has_one_owner(kept) || !kept_has_persistence(kept))
		kept_make_again(fcinfo->flinfo, kept);
	else if (!kept->adopted)
		kept_adopt(fcinfo->flinfo, kept);
	else
	{
		statement_write_waiting();
		make_triggers(fcinfo->flinfo, kept);
		differences = compare_and_build(fcinfo->flinfo, kept);
	}
	SPI_finish();
	PG_RETURN_INT64(differences);
}

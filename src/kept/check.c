/*
 * check.c: scan_kept_check(), which compares the tree of a kept scan with its table, and makes it usable again.
 *
 * Writers wait meanwhile.  The log is folded into the tree first.  Then all rows are read in order, and the state of
 * each interval on each level is compared with the node there.  Rows and nodes are merged, as both come in order.  If
 * anything differs, log and tree are emptied and built anew.  In either case the triggers are taken as they are now: a
 * kept scan that was restored from a dump, or whose triggers were disabled for a while, is usable afterwards.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/build.h"
#include "kept/catalog.h"
#include "kept/compact.h"
#include "kept/definition.h"
#include "kept/keep.h"
#include "kept/sql.h"
#include "kept/tables.h"
#include "kept/tree.h"
#include "kept/triggers.h"

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
	LevelScan	  level[64 / KEPT_RADIX_BITS + 1];
	MemoryContext memory; /* reset after each node */
	int64		  nodes;  /* that agree with the rows */
	int64		  differences;
} Checking;

/* ---- comparing ---- */

static void
begin_level(Checking *checking, const NullableDatum *partition, int level, int64 bucket)
{
	LevelScan *scan = &checking->level[level];
	int		   below = KEPT_RADIX_BITS * (checking->kept->top - level);
	int64	   first = (int64) ((uint64) (bucket >> below) << below);

	scan->scan = kept_scan_begin(&checking->tree, partition, level, first, first + ((int64) 1 << below) - 1,
								 checking->snapshot);
	scan->node = kept_scan_next(scan->scan);
}

/*
 * Returns the node of an interval, NULL if there is none.  Intervals of a level come in order, so one scan of each
 * level finds all its nodes in an interval of the highest level.
 */
static const KeptNode *
find_node(Checking *checking, const NullableDatum *partition, int level, int64 bucket)
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
	const KeptNode *node = find_node(checking, partition, level, bucket), *parent = NULL;

	/* a node that is not split has no children */
	if (node == NULL && level < kept->top)
		parent = find_node(checking, partition, level + 1, bucket >> KEPT_RADIX_BITS);
	if (node != NULL && kept_state_same(kept, state, node->rows, node->stale, node->value, node->isnull))
		checking->nodes++;
	else if (node != NULL || level == kept->top || (parent != NULL && parent->split))
		checking->differences++;
	if (level == kept->top)
		end_levels(checking);
	MemoryContextSwitchTo(old);
	MemoryContextReset(checking->memory);
}

static int64
count_nodes(const Checking *checking)
{
	KeptScan	   *scan = kept_scan_begin_all(&checking->tree, checking->snapshot);
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
	Checking *checking = (Checking *) palloc0(sizeof(Checking));
	int64	  nodes;

	checking->kept = kept;
	checking->snapshot = GetActiveSnapshot();
	checking->memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a node compared", ALLOCSET_SMALL_SIZES);
	checking->tree = kept_relation_open(kept, true, AccessShareLock, false);
	(void) kept_build_all(kept, &checking->tree, visit_node, checking);
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

	(void) kept_compact(call->kept);
	PushActiveSnapshot(GetLatestSnapshot());
	call->differences = compare_all(call->kept);
	PopActiveSnapshot();
}

/* Folds the log into the tree and compares.  Returns how many nodes differ; 1 if that could not be said. */
static int64
count_differences(Kept *kept)
{
	CompactAndCompare call = {.kept = kept};
	ErrorData		 *error = kept_subtransaction(compact_and_compare, &call);

	/* the tree itself says that it is wrong; anything else is an error of this call */
	if (error != NULL && error->sqlerrcode != ERRCODE_DATA_CORRUPTED)
		ReThrowError(error);
	return error != NULL ? 1 : call.differences;
}

/* Lets tree and log be as persistent as the table. */
static void
match_persistence(const Kept *kept)
{
	const char *change = get_rel_persistence(kept->table) == RELPERSISTENCE_UNLOGGED ? "UNLOGGED" : "LOGGED";

	if (get_rel_persistence(kept->table) != get_rel_persistence(kept->tree))
		kept_sql(psprintf("ALTER TABLE %s SET %s", kept_sql_relation(kept->tree), change));
	if (get_rel_persistence(kept->table) != get_rel_persistence(kept->log))
		kept_sql(psprintf("ALTER TABLE %s SET %s", kept_sql_relation(kept->log), change));
}

/* Makes the view again if this transaction has made it, so that a later change by this transaction is noticed. */
static void
match_view(const Kept *kept)
{
	bool  isnull;
	char *definition;

	if (!kept_rule_is_new(kept))
		return;
	if (SPI_execute(psprintf("SELECT pg_catalog.pg_get_viewdef(%u)", kept->view), true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read the definition of kept scan \"%s\"", NameStr(kept->name));
	definition = TextDatumGetCString(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	kept_sql_apart(psprintf("CREATE OR REPLACE VIEW %s AS %s", kept_sql_relation(kept->view), definition));
}

/* Gives what scan_keep() has made to the owner of the table. */
static void
match_owner(const FmgrInfo *caller, const Kept *kept)
{
	const char *owner = quote_identifier(GetUserNameFromId(kept_owner(kept->table), false));
	Oid			relation[] = {kept->view, kept->tree, kept->log};
	ListCell   *cell;

	if (kept_has_one_owner(kept))
		return;
	for (int i = 0; i < lengthof(relation); i++)
		kept_sql(psprintf("ALTER TABLE %s OWNER TO %s", kept_sql_relation(relation[i]), owner));
	foreach (cell, kept_functions(caller, kept))
		kept_sql(psprintf("ALTER FUNCTION %s OWNER TO %s",
						  format_procedure_extended(lfirst_oid(cell), FORMAT_PROC_FORCE_QUALIFY), owner));
}

/* Locks table, log and tree against writers, compactions and DDL.  Returns the kept scan as it is then. */
static Kept *
lock_kept(const FmgrInfo *caller, const Kept *known)
{
	Kept *kept;

	LockRelationOid(known->table, ShareRowExclusiveLock);
	LockRelationOid(known->log, ShareUpdateExclusiveLock);
	LockRelationOid(known->tree, ShareUpdateExclusiveLock);
	kept = kept_by_name(caller, NameStr(known->name));
	if (!kept->intact)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a table or an index of kept scan \"%s\" was dropped or altered", NameStr(kept->name)),
						errhint("Make it again: scan_unkeep(), scan_keep().")));
	return kept;
}

PG_FUNCTION_INFO_V1(scan_kept_check_name);
Datum
scan_kept_check_name(PG_FUNCTION_ARGS)
{
	Kept	*kept = kept_by_name(fcinfo->flinfo, NameStr(*PG_GETARG_NAME(0)));
	int64	 differences;
	KeptUser user;

	PreventCommandIfReadOnly("scan_kept_check()");
	kept_require_owner(kept);
	if (IsolationUsesXactSnapshot())
		ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
						errmsg("scan_kept_check() cannot run in a transaction with one snapshot"),
						errhint("Use BEGIN ISOLATION LEVEL READ COMMITTED, or no transaction block.")));
	kept = lock_kept(fcinfo->flinfo, kept);
	SPI_connect();
	kept_check_table(kept);
	match_owner(fcinfo->flinfo, kept);
	match_persistence(kept);
	match_view(kept);
	kept_triggers_create(fcinfo->flinfo, kept);
	kept_depend(fcinfo->flinfo, kept);
	CommandCounterIncrement();
	/* as they have just been made */
	kept = kept_by_name(fcinfo->flinfo, NameStr(*PG_GETARG_NAME(0)));
	user = kept_become(kept_owner(kept->table));
	differences = kept->format == KEPT_FORMAT ? count_differences(kept) : 1;
	if (differences > 0)
	{
		kept_truncate(kept);
		kept_build(kept);
	}
	kept_become_again(user);
	kept_catalog_update(fcinfo->flinfo, kept);
	SPI_finish();
	PG_RETURN_INT64(differences);
}

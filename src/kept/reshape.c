/*
 * reshape.c: builds the tree of a kept scan anew, with other intervals.
 *
 * A migration makes a kept scan of an empty table, and nobody knows then how dense its rows will be.  The intervals
 * that are chosen are large, so a reader would read most of the table for each bound.  The worker that compacts the log
 * finds an interval with thousands of rows, and builds the tree anew while the table is still small.  A large table is
 * left to scan_kept_check(), which the view scan_kept then asks for.
 *
 * Writers must not write deltas of the old intervals meanwhile, so the table is locked against them, if nobody writes
 * it; the lock is not waited for.  Old nodes and deltas are deleted, not truncated: readers need not wait, and older
 * snapshots read the table, since they do not see the build.
 *
 * scan_kept_check() truncates a large tree, but only if nobody reads it: a reader that was waited for may want to write
 * the table, which is locked.
 */
#include "postgres.h"

#include "access/xact.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

/* The build takes a quarter of a second for so many rows. */
#define MOST_ROWS 300000

/* Deletes all rows of the tree or of the log.  Returns how many rows of the table the roots have. */
static int64
delete_all(Kept *kept, bool is_tree, bool for_real)
{
	KeptRelation	relation = kept_relation_open(kept, is_tree, RowExclusiveLock, false);
	KeptScan	   *scan = kept_scan_begin_prefix(&relation, NULL, 0, GetActiveSnapshot());
	const KeptNode *node;
	int64			rows = 0;

	while ((node = kept_scan_next(scan)) != NULL)
	{
		rows += is_tree && node->level == kept->top ? node->rows : 0;
		if (for_real)
			kept_node_delete(&relation, &node->place);
	}
	kept_scan_end(scan);
	kept_relation_close(&relation, NoLock);
	return rows;
}

/* Empties log and tree at once, if nobody reads them. */
static bool
truncate_unread(const Kept *kept)
{
	if (!ConditionalLockRelationOid(kept->tree, AccessExclusiveLock))
		return false;
	if (ConditionalLockRelationOid(kept->log, AccessExclusiveLock))
	{
		kept_truncate(kept);
		return true;
	}
	UnlockRelationOid(kept->tree, AccessExclusiveLock);
	return false;
}

void
kept_rebuild(Kept *kept, bool readers_may_wait)
{
	/* in this order: an error in the first must not leave the session with another shape than the catalog has */
	if (kept->is_partitioned)
		(void) kept_leaves_forget(kept, true);
	if (!readers_may_wait || !truncate_unread(kept))
	{
		PushActiveSnapshot(GetLatestSnapshot());
		(void) delete_all(kept, true, true);
		(void) delete_all(kept, false, true);
		PopActiveSnapshot();
		CommandCounterIncrement();
	}
	kept_choose_shape(kept);
	(void) kept_build(kept);
}

void
kept_reshape(const FmgrInfo *caller, Kept *kept)
{
	KeptUser user;

	if (!ConditionalLockRelationOid(kept->table, ShareRowExclusiveLock))
		return;
	/* whoever had the lock before may have disabled a trigger, and the new row would say that nothing is missing */
	kept = kept_of_tree(caller, kept->tree);
	if (kept->unusable != NULL || !kept_leaves_lock(kept, ShareRowExclusiveLock, false))
		return;
	user = kept_become(kept->owner);
	PushActiveSnapshot(GetLatestSnapshot());
	if (delete_all(kept, true, false) <= MOST_ROWS)
	{
		/* the shape that the tree has stays until it is built anew, even if another one were chosen now */
		if (!kept_shape_fits(kept))
			kept_rebuild(kept, false);
		kept->shaped = GetCurrentTimestamp();
		kept->outgrown = false;
		kept_become_again(user);
		kept_catalog_insert(caller, kept);
		kept_catalog_note(caller, kept->tree, false, NULL);
	}
	else
		kept_become_again(user);
	PopActiveSnapshot();
}

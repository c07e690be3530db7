/*
 * snapshot.c: whether a reader may use tree and log of a kept scan in a snapshot, and the locks under which that stays
 * so.
 *
 * README.md has the five questions that are asked, and what follows: a reader that may not use them reads the rows of
 * the table.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/reading.h"

/*
 * True if the snapshot sees the storage that the table has now.  A snapshot that is older than a rewrite, such as that
 * of ALTER TABLE or TRUNCATE, sees no rows of the new storage, whatever the tree has.
 */
static bool
storage_is_visible(const Kept *kept, Snapshot snapshot)
{
	Relation  table = table_open(kept->table, AccessShareLock);
	HeapTuple row = kept_system_row(RelationRelationId, ClassOidIndexId, Anum_pg_class_oid, kept->table, snapshot);
	bool	  visible = row != NULL && ((Form_pg_class) GETSTRUCT(row))->relfilenode == table->rd_rel->relfilenode;

	table_close(table, AccessShareLock);
	return visible;
}

/*
 * True if tree and log may be used: nothing has changed since the definition was read, the snapshot sees the build, it
 * was not taken while a statement changed the table, and before it no trigger was changed and the table not rewritten.
 * A parallel worker does not know which tables the statement of its leader changes.
 */
static bool
may_use_tree(Kept *kept, Snapshot snapshot)
{
	return kept->unusable == NULL && !kept->expired && !IsParallelWorker() &&
		   kept_build_is_visible(kept->built, snapshot) && !statement_changes(kept->table) &&
		   !statement_logged_after(snapshot) && strcmp(kept_stamps(kept, snapshot), kept->stamps) == 0 &&
		   storage_is_visible(kept, snapshot) && kept_leaves_objection(kept) == NULL;
}

void
kept_unlock_read(const Kept *kept)
{
	UnlockRelationOid(kept->tree, AccessShareLock);
	UnlockRelationOid(kept->log, AccessShareLock);
}

bool
kept_lock_to_read(Kept *kept, Snapshot snapshot)
{
	LockRelationOid(kept->table, AccessShareLock);
	if (kept->unusable != NULL || kept->expired)
		return false;
	LockRelationOid(kept->tree, AccessShareLock);
	LockRelationOid(kept->log, AccessShareLock);
	if (may_use_tree(kept, snapshot))
		return true;
	kept_unlock_read(kept);
	return false;
}

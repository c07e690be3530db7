/*
 * compact_procedure.c: scan_kept_compact(), the procedure, which compacts a kept scan in one transaction or in several.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "kept/catalogs.h"
#include "kept/store.h"

#define PAUSE 20000 /* microseconds until another try to get locks */

/* Returns how many deltas the log may have at most, by its size. */
static int64
most_deltas(const Kept *kept)
{
	Relation log = table_open(kept->log, AccessShareLock);
	int64	 deltas = (int64) RelationGetNumberOfBlocks(log) * MaxHeapTuplesPerPage;

	table_close(log, AccessShareLock);
	return deltas;
}

/* Returns the kept scan if the user may compact it, and it can be compacted; locked. */
static Kept *
kept_to_compact(const FmgrInfo *caller, Oid tree)
{
	Kept *kept = kept_of_tree(caller, tree);

	kept_require_owner(kept);
	if (IsolationUsesXactSnapshot())
		ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
						errmsg("scan_kept_compact() cannot run in a transaction with one snapshot")));
	if (kept->unusable != NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("cannot compact kept scan \"%s\": %s", NameStr(kept->name), kept->unusable),
						errhint("%s", kept_remedy(caller, kept, false))));
	kept_compact_lock(kept);
	/* altered before the lock was there */
	return kept->expired ? kept_to_compact(caller, tree) : kept;
}

/* Commits, and returns the kept scan anew: the transaction's end has freed it, and it may have changed. */
static Kept *
next_transaction(const FmgrInfo *caller, Oid tree)
{
	SPI_commit();
	EnsurePortalSnapshotExists();
	return kept_to_compact(caller, tree);
}

/*
 * The same, with a leaf that is to be adopted locked against writers.  The others are not waited for while it is: who
 * has the table or the tree may be about to write the leaf.
 */
static Kept *
next_with_leaf(const FmgrInfo *caller, Oid tree, Oid leaf)
{
	SPI_commit();
	EnsurePortalSnapshotExists();
	for (;;)
	{
		const Kept *kept = kept_of_tree(caller, tree);

		CHECK_FOR_INTERRUPTS();
		LockRelationOid(leaf, ShareRowExclusiveLock);
		if (ConditionalLockRelationOid(kept->table, AccessShareLock))
		{
			if (ConditionalLockRelationOid(tree, ShareUpdateExclusiveLock))
				return kept_to_compact(caller, tree);
			UnlockRelationOid(kept->table, AccessShareLock);
		}
		UnlockRelationOid(leaf, ShareRowExclusiveLock);
		pg_usleep(PAUSE);
	}
}

/*
 * As many transactions as it takes, if the call is the client's own statement.  Other sessions may write as fast as
 * this one folds, so it ends when it has folded as many deltas as there can have been at its start.
 */
PG_FUNCTION_INFO_V1(scan_kept_compact_name);
Datum
scan_kept_compact_name(PG_FUNCTION_ARGS)
{
	bool in_parts = fcinfo->context != NULL && IsA(fcinfo->context, CallContext) &&
					!((const CallContext *) fcinfo->context)->atomic;
	Oid	  tree;
	Kept *kept;
	int64 left;
	bool  more;

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the name of a kept scan must not be NULL")));
	PreventCommandIfReadOnly("scan_kept_compact()");
	PreventCommandDuringRecovery("scan_kept_compact()");
	tree = kept_by_name(fcinfo->flinfo, PG_GETARG_TEXT_PP(0))->tree;
	SPI_connect_ext(in_parts ? SPI_OPT_NONATOMIC : 0);
	kept = kept_to_compact(fcinfo->flinfo, tree);
	left = most_deltas(kept);
	left -= kept_compact(kept, in_parts ? guc_debug_kept_deltas : 0, &more);
	while (more && left > 0)
	{
		kept = next_transaction(fcinfo->flinfo, tree);
		left -= kept_compact(kept, guc_debug_kept_deltas, &more);
	}
	while (!in_parts && kept_adopt_leaves(kept, InvalidOid, false))
		;
	for (Oid leaf = kept_leaf_to_adopt(kept, InvalidOid); in_parts && OidIsValid(leaf);
		 leaf = kept_leaf_to_adopt(kept, leaf))
	{
		kept = next_with_leaf(fcinfo->flinfo, tree, leaf);
		(void) kept_adopt_leaves(kept, leaf, true);
	}
	kept_catalog_note(fcinfo->flinfo, tree, kept->outgrown, NULL);
	SPI_finish();
	PG_RETURN_VOID();
}

/*
 * compact.c: folds the log of a kept scan into its tree.
 *
 * The rows of the log that one snapshot sees are added to the nodes above them, partition by partition, and deleted.  A
 * node that has grown beyond KEPT_LEAF_ROWS, or is wider than the grain, is split: its children are built from the rows
 * of the table in the same snapshot, which has no row of the log any more that is not in the node.  So each snapshot
 * sees either the old nodes and the rows of the log, or the new nodes.  Nodes that have become stale (state.c) are
 * computed from these rows, too.
 *
 * One compaction runs at a time: it locks the tree in a mode that conflicts with itself and with nothing that readers
 * and writers do.
 *
 * A transaction that takes long keeps vacuum from removing rows everywhere, and whoever wants to vacuum or alter the
 * tree waits for it.  So a call outside of a transaction block, and the worker (worker.c), fold some of the rows,
 * commit, and go on with those that are left.  The rows come by partition and bucket, so the rest of a partition may be
 * left for the next transaction.  Until then the nodes above the rest are not split: the table already has the rest's
 * rows.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/reading.h"

/* After so many rows of the table that were read in order to split nodes, a transaction begins no further partition. */
#define MOST_SPLIT_ROWS 100000

/* A transaction that has locked so many leaves takes no further delta. */
#define MOST_LEAVES 64

/* Room for nodes that most partitions do not need more of. */
#define NODES 16

#define ALL_LEVELS (-1) /* for visit_nodes() */

/*
 * Where the last compaction of this session has left off.  A compaction in several transactions would else read all
 * that they have deleted again and again, at least once, and each time as long as another session has an older
 * snapshot.  It misses the rows of the log that have come before that place since, and those of partitions with NULLs,
 * so a compaction from the start of the log follows.
 *
 * Rejected: to go on with the bucket.  The rows of a partition that came before it would not be in its nodes, which
 * could not be split then.
 */
static struct
{
	Oid			   log; /* InvalidOid: there is no such place */
	NullableDatum *partition;
	MemoryContext  memory; /* of `partition` */
} rest;

/* A node that has to be written. */
typedef struct NodeKey
{
	int64 bucket, level;
	Oid	  leaf; /* its number */
} NodeKey;

typedef struct NodeEntry
{
	NodeKey			key;
	Oid				table; /* the leaf */
	bool			there; /* at `place` */
	bool			split;
	ItemPointerData place;
	KeptState	   *state;
	char			status;
} NodeEntry;

#define SH_PREFIX nodes
#define SH_ELEMENT_TYPE NodeEntry
#define SH_KEY_TYPE NodeKey
#define SH_KEY key
#define SH_HASH_KEY(table, k) \
	(uint32) hash_combine64(hash_combine64((uint64) (k).level, (uint64) (k).leaf), (uint64) (k).bucket)
#define SH_EQUAL(table, a, b) ((a).bucket == (b).bucket && (a).level == (b).level && (a).leaf == (b).leaf)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "common/hashfn.h"
#include "lib/simplehash.h"

typedef struct Compaction
{
	Kept			 *kept;
	MemoryContext	  memory;
	List			 *locked; /* leaves: ours, and those that others have locked */
	List			 *busy;
	const KeptLeaves *leaves;
	KeptRelation	  tree, log;
	Snapshot		  snapshot;
	MemoryContext	  partition_memory; /* reset after each partition */
	NullableDatum	 *partition;		/* of which `nodes` are; NULL: none */
	nodes_hash		 *nodes;
	MemoryContext	  step; /* reset after each delta */
	int64			  deltas;
	int64			  rows; /* of the table, read in order to split and to refold nodes */
	int64			  most; /* deltas to fold; 0: all */
	int64			  last; /* the last delta's bucket */
	bool			  more; /* deltas are left ... */
	bool			  cut;	/* ... also of the partition at hand, from this bucket on: */
	int64			  cut_at;
} Compaction;

/* ---- nodes ---- */

typedef struct Adding
{
	const Kept *kept;
	KeptState  *state;
	NodeEntry  *entry; /* to which the place of the node goes, or NULL */
} Adding;

/* Adds a node of the tree to a state. */
static void
add_node(void *to, const KeptNode *node)
{
	const Adding *adding = (const Adding *) to;

	kept_state_add(adding->kept, adding->state, node);
	if (adding->entry != NULL)
	{
		adding->entry->there = true;
		adding->entry->split = node->split;
		adding->entry->place = node->place;
	}
}

/*
 * Returns a node as the compaction's snapshot sees it, empty if the tree does not have it.  No other session writes
 * nodes: kept_compact_lock() has the tree.
 */
static NodeEntry *
find_node(Compaction *c, const KeptLeaf *leaf, int level, int64 bucket)
{
	NodeKey	   key = {.bucket = bucket, .level = level, .leaf = leaf->number};
	bool	   found;
	NodeEntry *entry = nodes_insert(c->nodes, key, &found);

	if (!found)
	{
		Adding adding = {.kept = c->kept, .state = kept_state_alloc(c->partition_memory, c->kept), .entry = entry};

		entry->there = entry->split = false;
		entry->state = adding.state;
		entry->table = leaf->table;
		c->tree.leaf = leaf->number;
		kept_nodes(&c->tree, c->partition, level, bucket, bucket, c->snapshot, add_node, &adding);
	}
	return entry;
}

/* Adds a delta of a leaf to the nodes above it. */
static void
add_delta(Compaction *c, const KeptLeaf *leaf, const KeptNode *delta)
{
	const Kept *kept = c->kept;
	int64		number = kept_interval_start(kept, 0, delta->bucket);

	for (int level = kept->top; level >= 0; level--)
	{
		NodeEntry *entry = find_node(c, leaf, level, kept_bucket(kept, number, level));

		kept_state_add(kept, entry->state, delta);
		if (!entry->split)
			break;
	}
}

/* True if deltas of a node's interval are left for later: the table has rows that the node does not have yet. */
static bool
is_incomplete(const Compaction *c, const NodeKey *node)
{
	return c->cut && node->bucket >= kept_bucket_above(c->kept, 0, c->cut_at, (int) node->level);
}

/* ---- stale nodes ---- */

/* Returns the rows of a node as a query. */
static KeptQuery
node_query(const Compaction *c, const NodeEntry *entry, KeptOrder order)
{
	int level = (int) entry->key.level;

	return (KeptQuery){.leaf = entry->table,
					   .partition = c->partition,
					   .from = kept_interval_start(c->kept, level, entry->key.bucket),
					   .to = kept_interval_end(c->kept, level, entry->key.bucket),
					   .order = order};
}

/* Raises an error: a node does not agree with the rows of the table. */
static void
refuse_node(const Compaction *c, int64 node, int64 table)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("kept scan \"%s\" does not agree with its table", NameStr(c->kept->name)),
					node == table ? 0
								  : errdetail("A node has " INT64_FORMAT " rows, and the table has " INT64_FORMAT ".",
											  node, table),
					errhint("Run scan_kept_check('%s').", NameStr(c->kept->name))));
}

/*
 * Computes the state of a stale node anew, in the compaction's snapshot: from the rows of the table or, of a split
 * node, from its children.  Raises an error if anything but what was stale differs from what the node had.
 */
static void
refold_node(Compaction *c, NodeEntry *entry)
{
	Adding refolding = {.kept = c->kept, .state = kept_state_alloc(c->partition_memory, c->kept)};
	int	   children = entry->split ? kept_children(c->kept, (int) entry->key.level) : 0;

	if (!entry->split)
	{
		KeptQuery query = node_query(c, entry, KEPT_ANY_ORDER);
		KeptRow	 *row = kept_row_create(c->kept);

		kept_read_rows(c->kept, &query, row, refolding.state);
		kept_row_free(row);
		c->rows += refolding.state->rows;
	}
	for (int i = 0; i < children; i++)
	{
		NodeKey key = {
			.bucket = entry->key.bucket * children + i, .level = entry->key.level - 1, .leaf = entry->key.leaf};
		const NodeEntry *changed = nodes_lookup(c->nodes, key);

		if (changed != NULL)
			kept_state_add_state(c->kept, refolding.state, changed->state);
		else
			kept_nodes(&c->tree, c->partition, (int) key.level, key.bucket, key.bucket, c->snapshot, add_node,
					   &refolding);
	}
	/* the other aggregates have been right all the time */
	if (!kept_states_agree(c->kept, entry->state, refolding.state))
		refuse_node(c, entry->state->rows, refolding.state->rows);
	entry->state = refolding.state;
}

/*
 * Computes a stale node anew, after its children.  A node with a tie stays stale, and so does one that has to be read
 * from rows of which some are not in it yet.
 */
static void
refold_if_stale(Compaction *c, NodeEntry *entry)
{
	if (kept_state_is_stale(c->kept, entry->state) && (entry->split || !is_incomplete(c, &entry->key)))
		refold_node(c, entry);
}

/* Visits the nodes of a level that are in memory, or those of all levels, each with memory of its own. */
static void
visit_nodes(Compaction *c, int level, void (*visit)(Compaction *c, NodeEntry *entry))
{
	nodes_iterator scan;
	NodeEntry	  *entry;

	nodes_start_iterate(c->nodes, &scan);
	while ((entry = nodes_iterate(c->nodes, &scan)) != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(c->step);

		CHECK_FOR_INTERRUPTS();
		c->tree.leaf = entry->key.leaf;
		if (level == ALL_LEVELS || entry->key.level == level)
			visit(c, entry);
		MemoryContextSwitchTo(old);
		MemoryContextReset(c->step);
	}
}

/* ---- splitting ---- */

typedef struct Splitting
{
	KeptBuilder *builder;
	KeptRow		*row;
} Splitting;

static bool
split_row(void *to, TupleTableSlot *slot)
{
	const Splitting *splitting = (const Splitting *) to;

	if (kept_row_set(splitting->row, slot))
		kept_build_row(splitting->builder, splitting->row);
	return true;
}

/*
 * Inserts the nodes below a node, from the rows of the table.  They are read in the compaction's snapshot, which is the
 * active one, so they are the rows that the node has now: is_incomplete() is false for it.  Writers are not locked out,
 * since the snapshot does not see what they write; DDL is, by kept_compact_lock().  Raises an error if the node has
 * another number of rows.
 */
static void
split_node(Compaction *c, const NodeEntry *entry)
{
	KeptQuery query = node_query(c, entry, KEPT_BY_FIRST_KEY);
	Splitting splitting = {
		.builder = kept_build_begin(&c->tree, c->partition, (int) entry->key.level, false, NULL, NULL),
		.row = kept_row_create(c->kept)};
	int64 rows;

	kept_sql_rows(c->kept, &query, split_row, &splitting);
	kept_row_free(splitting.row);
	rows = kept_build_finish(splitting.builder);
	c->rows += rows;
	if (rows != entry->state->rows)
		refuse_node(c, entry->state->rows, rows);
}

/* Writes or deletes a node of the partition, after its deltas were added, and splits it if it has grown. */
static void
write_node(Compaction *c, NodeEntry *entry)
{
	if (!entry->split && kept_node_is_split(c->kept, (int) entry->key.level, entry->state->rows) &&
		!is_incomplete(c, &entry->key))
	{
		split_node(c, entry);
		entry->split = true;
	}
	c->kept->outgrown |= kept_interval_is_outgrown(c->kept, (int) entry->key.level, entry->state->rows);
	if (entry->split || !kept_state_is_empty(c->kept, entry->state))
		kept_node_put(&c->tree, c->partition, (int) entry->key.level, entry->key.bucket, entry->split, entry->state,
					  entry->there ? &entry->place : NULL);
	else if (entry->there)
		kept_node_delete(&c->tree, &entry->place);
}

/* ---- partitions ---- */

static void
compact_end_partition(Compaction *c)
{
	if (c->partition == NULL)
		return;
	for (int level = 0; c->kept->extremes && level <= c->kept->top; level++)
		visit_nodes(c, level, refold_if_stale);
	visit_nodes(c, ALL_LEVELS, write_node);
	c->partition = NULL;
	MemoryContextReset(c->partition_memory);
}

static void
compact_begin_partition(Compaction *c, const NullableDatum *partition)
{
	c->partition = kept_partition_copy(c->partition_memory, c->kept, partition);
	c->nodes = nodes_create(c->partition_memory, NODES, NULL);
}

/*
 * True if a delta is to be left for another transaction.  All deltas of a bucket are folded together, so that no state
 * ever has more rows removed than added.
 */
static bool
compact_is_enough(const Compaction *c, const KeptNode *delta, bool same_partition)
{
	if (c->most == 0 || c->deltas == 0 || (same_partition && delta->bucket == c->last))
		return false;
	return c->deltas >= c->most || list_length(c->locked) >= MOST_LEAVES ||
		   (!same_partition && c->rows >= MOST_SPLIT_ROWS);
}

/* Returns the leaf of a delta; NULL: it was detached, dropped or emptied.  `again`: it may have been since. */
static const KeptLeaf *
leaf_of_delta(Compaction *c, const KeptNode *delta, bool again)
{
	MemoryContext old = MemoryContextSwitchTo(c->memory);

	if (again || c->leaves == NULL)
		c->leaves = kept_leaves(c->kept);
	MemoryContextSwitchTo(old);
	return kept_leaf_numbered(c->leaves, delta->leaf);
}

/*
 * Locks a leaf against DDL.  False: somebody has it, so that its deltas are left for another compaction, all of them.
 * *is_new: it was not locked yet.  Only the leaves at hand are locked: a table may have more than a server has locks.
 */
static bool
lock_leaf(Compaction *c, Oid table, bool *is_new)
{
	MemoryContext old;
	bool		  locked;

	*is_new = c->kept->is_partitioned && !list_member_oid(c->locked, table);
	if (!*is_new)
		return true;
	if (list_member_oid(c->busy, table))
		return false;
	locked = ConditionalLockRelationOid(table, AccessShareLock);
	old = MemoryContextSwitchTo(c->memory);
	if (locked)
		c->locked = lappend_oid(c->locked, table);
	else
		c->busy = lappend_oid(c->busy, table);
	MemoryContextSwitchTo(old);
	return locked;
}

/* The next compaction of this session, if it is of the same log, begins with a partition. */
static void
set_rest(const Compaction *c, const NullableDatum *partition)
{
	bool known = c->kept->partitions > 0;

	for (int p = 0; p < c->kept->partitions; p++)
		known &= !partition[p].isnull;
	if (!known)
		return;
	if (rest.memory == NULL)
		rest.memory = AllocSetContextCreate(TopMemoryContext, "kept scan: rest of a log", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(rest.memory);
	rest.partition = kept_partition_copy(rest.memory, c->kept, partition);
	rest.log = c->kept->log;
}

static bool
compact_take_delta(Compaction *c, const KeptNode *delta)
{
	NullableDatum	partition[INDEX_MAX_KEYS];
	const KeptLeaf *leaf = leaf_of_delta(c, delta, false);
	bool			same, is_new = false;
	MemoryContext	old;

	if (leaf != NULL && !lock_leaf(c, leaf->table, &is_new))
		return true;
	if (is_new)
		leaf = leaf_of_delta(c, delta, true);
	kept_node_partition(c->kept, delta, partition);
	same = c->partition != NULL && kept_partition_compare(c->kept, c->partition, partition) == 0;
	if (!same)
		compact_end_partition(c);
	if (compact_is_enough(c, delta, same))
	{
		c->more = true;
		c->cut = same;
		c->cut_at = delta->bucket;
		set_rest(c, partition);
		return false;
	}
	if (!same)
		compact_begin_partition(c, partition);
	old = MemoryContextSwitchTo(c->step);
	if (leaf != NULL)
		add_delta(c, leaf, delta);
	kept_node_delete(&c->log, &delta->place);
	c->deltas++;
	c->last = delta->bucket;
	MemoryContextSwitchTo(old);
	MemoryContextReset(c->step);
	return true;
}

void
kept_compact_lock(const Kept *kept)
{
	/* in the order in which scan_unkeep() locks log and tree */
	LockRelationOid(kept->table, AccessShareLock);
	LockRelationOid(kept->log, RowExclusiveLock);
	LockRelationOid(kept->tree, ShareUpdateExclusiveLock);
}

/* Deletes the nodes of leaves that are none any more, or have begun another life.  The log has no rows of them. */
static void
delete_nodes_of_others(Compaction *c)
{
	const KeptLeaves *leaves = kept_leaves(c->kept);
	KeptScan		 *scan;
	const KeptNode	 *node;

	/* with the nodes that were written just now */
	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	c->tree.leaf = InvalidOid;
	scan = kept_scan_begin_prefix(&c->tree, NULL, 0, GetActiveSnapshot());
	while ((node = kept_scan_next(scan)) != NULL)
		if (kept_leaf_numbered(leaves, node->leaf) == NULL)
			kept_node_delete(&c->tree, &node->place);
	kept_scan_end(scan);
	PopActiveSnapshot();
}

int64
kept_compact(Kept *kept, int64 most, bool *more)
{
	Compaction		c = {.kept = kept,
						 .most = most,
						 .memory = CurrentMemoryContext,
						 .partition_memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a partition",
																   ALLOCSET_DEFAULT_SIZES),
						 .step = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a delta", ALLOCSET_DEFAULT_SIZES)};
	bool			is_rest = most != 0 && rest.log == kept->log;
	KeptScan	   *scan;
	const KeptNode *delta;
	KeptUser		user;

	kept_compact_lock(kept);
	/* rows whose deltas wait for the end of the transaction are not in the log */
	statement_write_waiting();
	*more = false;
	if (statement_waits(kept->table))
		return 0;
	/* splitting and refolding compute the expressions of the definition */
	user = kept_become(kept->owner);
	c.tree = kept_relation_open(kept, true, RowExclusiveLock, true);
	c.log = kept_relation_open(kept, false, RowExclusiveLock, true);
	PushActiveSnapshot(GetLatestSnapshot());
	c.snapshot = GetActiveSnapshot();
	scan = is_rest ? kept_scan_begin_from(&c.log, rest.partition, c.snapshot)
				   : kept_scan_begin_prefix(&c.log, NULL, 0, c.snapshot);
	rest.log = InvalidOid;
	while ((delta = kept_scan_next(scan)) != NULL && compact_take_delta(&c, delta))
		;
	kept_scan_end(scan);
	compact_end_partition(&c);
	if (kept->is_partitioned && !c.more && !is_rest && kept_leaves_forget(kept, false) > 0)
		delete_nodes_of_others(&c);
	PopActiveSnapshot();
	kept_relation_close(&c.log, NoLock);
	kept_relation_close(&c.tree, NoLock);
	MemoryContextDelete(c.partition_memory);
	MemoryContextDelete(c.step);
	kept_become_again(user);
	CommandCounterIncrement();
	*more = c.more || is_rest;
	return c.deltas;
}

/*
 * leaves.c: the leaf partitions of the table of a kept scan, and which of them it has adopted.
 *
 * Nodes and deltas have the number of the leaf whose rows they are of.  A leaf gets its number when it is adopted: its
 * nodes are built while nobody writes it, and from then on the trigger, which core has cloned from that of the
 * partitioned table, logs what changes.  So a leaf that is detached or dropped takes its nodes along, since nobody asks
 * for its number any more, and a compaction deletes them.  The rows of a leaf that is not adopted are read.
 *
 * The catalog scan_kept_leaf has a row for each adoption.  It counts as long as the leaf has the storage and the
 * trigger that it had then.  TRUNCATE and a rewrite give a table other storage, and a partition that was detached and
 * attached again, or whose trigger was disabled for a while, has another row of the trigger.  A number is never given
 * twice, so what was logged for a former life of a leaf is nobody's.
 *
 * A table that is not partitioned is its own leaf, of number 0, so that readers need not tell the two apart.
 *
 * A session keeps what it knows of the leaves with the definition (known.c), and looks at a leaf again when a message
 * of the relation cache names it.  Rejected: to look at a thousand leaves for each query.
 *
 * TRUNCATE in the transaction that has made the storage of a table keeps this storage.  So such a leaf is not adopted
 * before another transaction.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/xid8.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

/* Writers of a leaf wait while it is adopted: a quarter of a second for so many pages. */
#define MOST_PAGES 4096

/* the columns of the catalog, in their order */
enum
{
	LEAF_TREE = 1,
	LEAF_TABLE,
	LEAF_NUMBER,
	LEAF_STORAGE,
	LEAF_BUILT,
	LEAF_STAMPS,
	LEAF_COLUMNS = LEAF_STAMPS
};

/* ---- the leaves that there are ---- */

typedef struct Collecting
{
	const Kept *kept;
	int			n;
	int64		room;
	KeptLeaf   *leaf;
	List	   *above;
	TupleDesc	desc;		/* of the table */
	bool		is_passing; /* another snapshot may have other partitions: one is being detached */
} Collecting;

/* Narrows the keys that a partition may have by its bounds, if its table is partitioned by ranges of the first key. */
static void
narrow(const Kept *kept, Relation parent, const PartitionBoundInfoData *bounds, int partition, KeptLeaf *leaf)
{
	PartitionKey key = RelationGetPartitionKey(parent);
	const char	*name = get_attname(RelationGetRelid(parent), key->partattrs[0], true);

	if (key->strategy != PARTITION_STRATEGY_RANGE || name == NULL || strcmp(name, kept->key[0].name) != 0 ||
		key->partopfamily[0] != kept->key[0].family || bounds == NULL)
		return;
	for (int b = 0; b < bounds->ndatums; b++)
	{
		if (bounds->indexes[b] != partition)
			continue;
		if (b > 0 && bounds->kind[b - 1][0] == PARTITION_RANGE_DATUM_VALUE)
			leaf->from = Max(leaf->from, kept_key_number(kept, bounds->datums[b - 1][0]));
		/* of several columns, the others may go on beyond the first one's bound */
		if (bounds->kind[b][0] == PARTITION_RANGE_DATUM_VALUE)
			leaf->to = Min(leaf->to, kept_key_number(kept, bounds->datums[b][0]) - (key->partnatts == 1));
	}
}

static void
collect_partitions(Collecting *c, Oid table, int64 from, int64 to)
{
	Relation	  parent = table_open(table, AccessShareLock);
	PartitionDesc partitions = RelationGetPartitionDesc(parent, true);

	if (c->desc == NULL)
		c->desc = CreateTupleDescCopy(RelationGetDescr(parent));
	c->is_passing |= partitions->detached_exist;
	c->above = lappend_oid(c->above, table);
	for (int i = 0; i < partitions->nparts; i++)
	{
		KeptLeaf leaf = {.table = partitions->oids[i], .from = from, .to = to};

		CHECK_FOR_INTERRUPTS();
		narrow(c->kept, parent, partitions->boundinfo, i, &leaf);
		if (partitions->is_leaf[i])
		{
			c->leaf = (KeptLeaf *) kept_grow(c->leaf, c->n, &c->room, sizeof(KeptLeaf));
			c->leaf[c->n++] = leaf;
		}
		else
			collect_partitions(c, leaf.table, leaf.from, leaf.to);
	}
	table_close(parent, NoLock);
}

static int
compare_tables(const void *a, const void *b)
{
	return oid_cmp(&((const KeptLeaf *) a)->table, &((const KeptLeaf *) b)->table);
}

static int
compare_leaf_numbers(const void *a, const void *b)
{
	return oid_cmp(&(*(KeptLeaf *const *) a)->number, &(*(KeptLeaf *const *) b)->number);
}

/* Returns the leaves, of which nothing else is known yet; kept with the definition unless another snapshot differs. */
static KeptLeaves *
collect_leaves(Kept *kept)
{
	Collecting	  c = {.kept = kept};
	MemoryContext old;
	KeptLeaves	 *leaves;

	if (kept->is_partitioned)
		collect_partitions(&c, kept->table, PG_INT64_MIN, PG_INT64_MAX);
	old = MemoryContextSwitchTo(c.is_passing ? CurrentMemoryContext : kept->memory);
	leaves = (KeptLeaves *) palloc0(sizeof(KeptLeaves));
	leaves->n = kept->is_partitioned ? c.n : 1;
	leaves->leaf = (KeptLeaf *) palloc(Max(leaves->n, 1) * sizeof(KeptLeaf));
	leaves->by_number = (KeptLeaf **) palloc(Max(leaves->n, 1) * sizeof(KeptLeaf *));
	leaves->above = list_copy(c.above);
	leaves->are_known = !kept->is_partitioned;
	if (kept->is_partitioned)
	{
		leaves->desc = CreateTupleDescCopy(c.desc);
		memcpy(leaves->leaf, c.leaf, c.n * sizeof(KeptLeaf));
	}
	else
		leaves->leaf[0] = (KeptLeaf){
			.table = kept->table, .from = PG_INT64_MIN, .to = PG_INT64_MAX, .is_known = true, .is_adopted = true};
	qsort(leaves->leaf, leaves->n, sizeof(KeptLeaf), compare_tables);
	for (int i = 0; i < leaves->n; i++)
		leaves->by_number[i] = &leaves->leaf[i];
	if (!c.is_passing)
		kept->leaves = leaves;
	MemoryContextSwitchTo(old);
	return leaves;
}

KeptLeaf *
kept_leaf_of_table(const KeptLeaves *leaves, Oid table)
{
	KeptLeaf wanted = {.table = table};

	return leaves->n == 0 ? NULL
						  : (KeptLeaf *) bsearch(&wanted, leaves->leaf, leaves->n, sizeof(KeptLeaf), compare_tables);
}

KeptLeaf *
kept_leaf_numbered(const KeptLeaves *leaves, Oid number)
{
	KeptLeaf		 wanted = {.number = number};
	const KeptLeaf	*key = &wanted;
	KeptLeaf *const *found = leaves->n == 0 ? NULL
											: (KeptLeaf *const *) bsearch(&key, leaves->by_number, leaves->n,
																		  sizeof(KeptLeaf *), compare_leaf_numbers);

	return found != NULL && (*found)->is_adopted ? *found : NULL;
}

void
kept_leaf_changes(Kept *kept, Oid table)
{
	KeptLeaves *leaves = kept->is_partitioned ? kept->leaves : NULL;

	for (int i = 0; leaves != NULL && i < leaves->n; i++)
		if (leaves->leaf[i].table == table || !OidIsValid(table))
		{
			leaves->are_known = leaves->leaf[i].is_known = false;
			leaves->messages++;
		}
}

/* ---- what the catalogs have of them ---- */

/* Takes what the catalogs of PostgreSQL have of a leaf, and returns its storage. */
static Oid
look_at_table(const Kept *kept, KeptLeaf *leaf)
{
	HeapTuple	  tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(leaf->table));
	Form_pg_class form;
	const char	 *objection = NULL;
	Oid			  storage;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	form = (Form_pg_class) GETSTRUCT(tuple);
	if (form->relkind != RELKIND_RELATION)
		objection = "is a foreign table";
	else if (form->relowner != kept->owner)
		objection = "has another owner";
	else if (form->relrowsecurity)
		objection = "has row security of its own";
	else if (pg_class_aclcheck(leaf->table, kept->owner, ACL_SELECT) != ACLCHECK_OK)
		objection = "may not be read by its owner";
	else if (compat_schema_aclcheck(form->relnamespace, kept->owner) != ACLCHECK_OK)
		objection = "is in a schema that the owner may not use";
	leaf->rows = Max(form->reltuples, 0);
	leaf->objection = objection == NULL ? NULL : psprintf("partition \"%s\" %s", NameStr(form->relname), objection);
	storage = form->relfilenode;
	ReleaseSysCache(tuple);
	return storage;
}

/* Takes from scan_kept_leaf which of the leaves are adopted, whose storage is given if nobody has looked at them yet.
 */
static void
look_at_adoptions(const Kept *kept, const KeptLeaves *leaves, const Oid *storage)
{
	KeptRows rows = kept_rows_begin(kept->leaf_catalog, kept_index(kept->leaf_catalog, 1), LEAF_TREE, kept->tree, NULL);
	HeapTuple row;

	while ((row = systable_getnext(rows.scan)) != NULL)
	{
		Datum		value[LEAF_COLUMNS];
		bool		isnull[LEAF_COLUMNS], is_new;
		KeptLeaf   *leaf;
		const char *stamps;

		heap_deform_tuple(row, RelationGetDescr(rows.catalog), value, isnull);
		leaf = kept_leaf_of_table(leaves, DatumGetObjectId(value[LEAF_TABLE - 1]));
		if (leaf == NULL || !OidIsValid(storage[leaf - leaves->leaf]) ||
			storage[leaf - leaves->leaf] != DatumGetObjectId(value[LEAF_STORAGE - 1]))
			continue;
		stamps = kept_leaf_stamps(kept, leaf->table, &is_new);
		if (stamps == NULL || strcmp(stamps, TextDatumGetCString(value[LEAF_STAMPS - 1])) != 0)
			continue;
		leaf->is_adopted = true;
		leaf->number = DatumGetObjectId(value[LEAF_NUMBER - 1]);
		leaf->built = DatumGetFullTransactionId(value[LEAF_BUILT - 1]);
	}
	kept_rows_end(&rows);
}

/*
 * Takes what the catalogs have of the leaves that a message has named since, or that nobody has looked at yet.  An
 * error in between, or a message, lets the next call look at them again.
 */
static void
look_at_leaves(const Kept *kept, KeptLeaves *leaves)
{
	MemoryContext old = CurrentMemoryContext;
	uint64		  before = leaves->messages;
	Oid			 *storage;

	if (leaves->are_known)
		return;
	storage = (Oid *) palloc0(Max(leaves->n, 1) * sizeof(Oid));
	MemoryContextSwitchTo(GetMemoryChunkContext(leaves));
	leaves->rows = 0;
	leaves->objection = NULL;
	for (int i = 0; i < leaves->n; i++)
	{
		KeptLeaf *leaf = &leaves->leaf[i];

		if (!leaf->is_known)
		{
			leaf->is_adopted = false;
			leaf->number = InvalidOid;
			storage[i] = look_at_table(kept, leaf);
		}
		leaves->rows += leaf->rows;
		if (leaf->objection != NULL)
			leaves->objection = leaf->objection;
	}
	MemoryContextSwitchTo(old);
	/* scan_keep() looks at the leaves before there is a tree */
	if (OidIsValid(kept->tree))
		look_at_adoptions(kept, leaves, storage);
	qsort(leaves->by_number, leaves->n, sizeof(KeptLeaf *), compare_leaf_numbers);
	leaves->are_known = before == leaves->messages;
	for (int i = 0; i < leaves->n; i++)
		leaves->leaf[i].is_known |= leaves->are_known;
}

const KeptLeaves *
kept_leaves(Kept *kept)
{
	KeptLeaves *leaves = kept->leaves == NULL ? collect_leaves(kept) : kept->leaves;

	look_at_leaves(kept, leaves);
	return leaves;
}

const char *
kept_leaves_objection(Kept *kept)
{
	return kept_leaves(kept)->objection;
}

/* ---- locks and readers ---- */

bool
kept_build_is_visible(FullTransactionId built, Snapshot snapshot)
{
	TransactionId xid = XidFromFullTransactionId(built);
	uint64		  age = U64FromFullTransactionId(ReadNextFullTransactionId()) - U64FromFullTransactionId(built);

	return age > (UINT64CONST(1) << 31) || TransactionIdIsCurrentTransactionId(xid) ||
		   !XidInMVCCSnapshot(xid, snapshot);
}

bool
kept_leaves_lock(Kept *kept, LOCKMODE mode, bool wait)
{
	const KeptLeaves *leaves = kept_leaves(kept);

	for (int i = 0; i < leaves->n && kept->is_partitioned; i++)
		if (wait)
			LockRelationOid(leaves->leaf[i].table, mode);
		else if (!ConditionalLockRelationOid(leaves->leaf[i].table, mode))
			return false;
	return true;
}

void
kept_leaves_unlock(Kept *kept, LOCKMODE mode)
{
	const KeptLeaves *leaves = kept_leaves(kept);

	for (int i = 0; i < leaves->n && kept->is_partitioned; i++)
		UnlockRelationOid(leaves->leaf[i].table, mode);
}

Oid
kept_leaf_to_adopt(Kept *kept, Oid after)
{
	const KeptLeaves *leaves = kept_leaves(kept);

	for (int i = 0; i < leaves->n; i++)
		if (leaves->leaf[i].table > after && !leaves->leaf[i].is_adopted)
			return leaves->leaf[i].table;
	return InvalidOid;
}

static bool
may_have(const KeptLeaf *leaf, int64 from, int64 to)
{
	return leaf->to >= from && leaf->from <= to;
}

bool
kept_leaves_to_read(Kept *kept, Snapshot snapshot, int64 from, int64 to, KeptLeavesRead *read)
{
	const KeptLeaves *leaves = kept_leaves(kept);
	Size			  size = Max(leaves->n, 1) * sizeof(KeptLeaf *);

	*read = (KeptLeavesRead){.number = (Oid *) palloc(Max(leaves->n, 1) * sizeof(Oid)),
							 .leaf = (const KeptLeaf **) palloc(size),
							 .row_leaf = (const KeptLeaf **) palloc(size)};
	for (int i = 0; i < leaves->n && kept->is_partitioned; i++)
		if (may_have(&leaves->leaf[i], from, to))
			LockRelationOid(leaves->leaf[i].table, AccessShareLock);
	/* with what was committed before the locks were there; that may be other partitions */
	if (kept->expired)
		return false;
	leaves = kept_leaves(kept);
	for (int i = 0; i < leaves->n; i++)
	{
		const KeptLeaf *leaf = leaves->by_number[i];

		if (!may_have(leaf, from, to))
			continue;
		if (!kept->is_partitioned || (leaf->is_adopted && kept_build_is_visible(leaf->built, snapshot)))
		{
			read->number[read->n] = leaf->number;
			read->leaf[read->n++] = leaf;
		}
		else
			read->row_leaf[read->by_rows++] = leaf;
	}
	return true;
}

/* ---- adoption ---- */

bool
kept_leaf_is_small(Relation leaf)
{
	return RelationGetNumberOfBlocks(leaf) <= MOST_PAGES;
}

/* True if a leaf, which is locked against writers, may be adopted now. */
static bool
may_be_adopted(const Kept *kept, Oid table, bool wait)
{
	Relation relation = table_open(table, NoLock);
	bool	 is_new_trigger, may;

	/* a statement of this session that writes the leaf has not logged what it has changed */
	may = relation->rd_rel->relkind == RELKIND_RELATION && relation->rd_refcnt == 1 &&
		  !AfterTriggerPendingOnRel(table) && !statement_waits(kept->table) && !compat_has_new_storage(relation) &&
		  relation->rd_rel->relpersistence == get_rel_persistence(kept->tree) && (wait || kept_leaf_is_small(relation));
	table_close(relation, NoLock);
	/* another change of the trigger by this transaction would have the same stamp */
	return may && kept_leaf_stamps(kept, table, &is_new_trigger) != NULL && !is_new_trigger;
}

bool
kept_leaf_begin(Kept *kept, const KeptLeaf *leaf, bool wait, Oid *number)
{
	const KeptLeaf *now;

	*number = InvalidOid;
	if (!kept->is_partitioned)
		return true;
	if (leaf->is_adopted)
		return false;
	if (wait)
		LockRelationOid(leaf->table, ShareRowExclusiveLock);
	else if (!ConditionalLockRelationOid(leaf->table, ShareRowExclusiveLock))
		return false;
	/* with what was committed before the lock was there */
	now = kept_leaf_of_table(kept_leaves(kept), leaf->table);
	if (now == NULL || now->is_adopted || now->objection != NULL || !may_be_adopted(kept, leaf->table, wait))
	{
		UnlockRelationOid(leaf->table, ShareRowExclusiveLock);
		return false;
	}
	*number = GetNewObjectId();
	return true;
}

void
kept_leaf_adopt(Kept *kept, const KeptLeaf *leaf, Oid number)
{
	Relation catalog = table_open(kept->leaf_catalog, RowExclusiveLock);
	Relation table = table_open(leaf->table, NoLock);
	bool	 is_new;
	Datum	 value[LEAF_COLUMNS] = {[LEAF_TREE - 1] = ObjectIdGetDatum(kept->tree),
									[LEAF_TABLE - 1] = ObjectIdGetDatum(leaf->table),
									[LEAF_NUMBER - 1] = ObjectIdGetDatum(number),
									[LEAF_STORAGE - 1] = ObjectIdGetDatum(table->rd_rel->relfilenode),
									[LEAF_BUILT - 1] = FullTransactionIdGetDatum(GetCurrentFullTransactionId()),
									[LEAF_STAMPS - 1] = CStringGetTextDatum(kept_leaf_stamps(kept, leaf->table, &is_new))};
	bool	 isnull[LEAF_COLUMNS] = {false};

	CatalogTupleInsert(catalog, heap_form_tuple(RelationGetDescr(catalog), value, isnull));
	CacheInvalidateRelcache(table);
	table_close(table, NoLock);
	table_close(catalog, NoLock);
	CommandCounterIncrement();
}

int64
kept_leaves_forget(Kept *kept, bool all)
{
	const KeptLeaves *leaves = kept_leaves(kept);
	KeptRows rows = kept_rows_begin(kept->leaf_catalog, kept_index(kept->leaf_catalog, 1), LEAF_TREE, kept->tree, NULL);
	HeapTuple row;
	int64	  forgotten = 0;

	while ((row = systable_getnext(rows.scan)) != NULL)
	{
		bool isnull;
		Oid	 number = DatumGetObjectId(heap_getattr(row, LEAF_NUMBER, RelationGetDescr(rows.catalog), &isnull));

		if (!all && kept_leaf_numbered(leaves, number) != NULL)
			continue;
		CatalogTupleDelete(rows.catalog, &row->t_self);
		forgotten++;
	}
	kept_rows_end(&rows);
	/* the message also comes if the transaction is undone, which is when the rows are there again */
	if (all)
		CacheInvalidateRelcacheByRelid(kept->table);
	CommandCounterIncrement();
	if (all)
		kept_leaf_changes(kept, InvalidOid);
	return forgotten;
}

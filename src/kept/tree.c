/*
 * tree.c: the nodes of a kept scan's tree and the rows of its log, read and written.
 *
 * A node of level l has the state of all rows of a partition whose first key lies in one interval of that level
 * (interval.c).  Its children, of level l - 1, are there only if it is split; then all rows of its interval are in
 * them. A row of the log has what one statement changed in an interval of level 0.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "commands/tablecmds.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "pgstat.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/store.h"

/* Columns of the tree: partition, level, bucket, leaf, split, stale, rows, states; the log has no level and no split.
 */
#define TREE_FIXED 6
#define MOST_COLUMNS 200

StaticAssertDecl(MOST_COLUMNS > INDEX_MAX_KEYS + TREE_FIXED, "a node has the columns of its partition");

KeptRelation
kept_relation_open(const Kept *kept, bool is_tree, LOCKMODE lock, bool for_writing)
{
	KeptRelation relation = {.kept = kept, .is_tree = is_tree};

	relation.relation = table_open(is_tree ? kept->tree : kept->log, lock);
	if (OidIsValid(is_tree ? kept->tree_index : kept->log_index))
		relation.index = index_open(is_tree ? kept->tree_index : kept->log_index, AccessShareLock);
	if (for_writing)
		relation.indexes = CatalogOpenIndexes(relation.relation);
	return relation;
}

void
kept_relation_close(KeptRelation *relation, LOCKMODE lock)
{
	if (relation->indexes != NULL)
		CatalogCloseIndexes(relation->indexes);
	if (relation->index != NULL)
		index_close(relation->index, AccessShareLock);
	table_close(relation->relation, lock);
}

/* ---- reading ---- */

/* Sets scan keys for the first columns of a partition. */
static void
partition_scan_keys(const Kept *kept, const NullableDatum *partition, int columns, ScanKey key)
{
	for (int p = 0; p < columns; p++)
	{
		const KeptColumn *column = &kept->partition[p];
		Oid				  operator= get_opfamily_member(column->family, column->opclass_type, column->opclass_type,
														BTEqualStrategyNumber);

		ScanKeyEntryInitialize(&key[p], partition[p].isnull ? SK_ISNULL | SK_SEARCHNULL : 0, (AttrNumber) (p + 1),
							   partition[p].isnull ? InvalidStrategy : BTEqualStrategyNumber, InvalidOid,
							   column->collation, get_opcode(operator), partition[p].value);
	}
}

struct KeptScan
{
	const KeptRelation *relation;
	SysScanDesc			scan;
	KeptNode			node;
	Datum				value[MOST_COLUMNS];
	bool				isnull[MOST_COLUMNS];
};

static KeptScan *
scan_begin(const KeptRelation *relation, Snapshot snapshot, int keys, ScanKey key)
{
	KeptScan *scan = (KeptScan *) palloc(sizeof(KeptScan));

	scan->relation = relation;
	scan->scan = systable_beginscan_ordered(relation->relation, relation->index, snapshot, keys, key);
	return scan;
}

KeptScan *
kept_scan_begin(const KeptRelation *relation, const NullableDatum *partition, int level, int64 first, int64 last,
				Snapshot snapshot)
{
	ScanKeyData key[INDEX_MAX_KEYS];
	int			n = relation->kept->partitions;

	partition_scan_keys(relation->kept, partition, n, key);
	if (relation->is_tree)
	{
		ScanKeyInit(&key[n], (AttrNumber) (n + 1), BTEqualStrategyNumber, F_INT2EQ, Int16GetDatum((int16) level));
		n++;
	}
	ScanKeyInit(&key[n], (AttrNumber) (n + 1), BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(first));
	ScanKeyInit(&key[n + 1], (AttrNumber) (n + 1), BTLessEqualStrategyNumber, F_INT8LE, Int64GetDatum(last));
	ScanKeyInit(&key[n + 2], (AttrNumber) (n + 2), BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation->leaf));
	return scan_begin(relation, snapshot, n + (relation->is_tree && OidIsValid(relation->leaf) ? 3 : 2), key);
}

KeptScan *
kept_scan_begin_prefix(const KeptRelation *relation, const NullableDatum *partition, int columns, Snapshot snapshot)
{
	ScanKeyData key[INDEX_MAX_KEYS];

	partition_scan_keys(relation->kept, partition, columns, key);
	return scan_begin(relation, snapshot, columns, key);
}

/* A comparison of rows, whose members have to live as long as the scan. */
KeptScan *
kept_scan_begin_from(const KeptRelation *log, const NullableDatum *partition, Snapshot snapshot)
{
	int			n = log->kept->partitions;
	ScanKey		member = (ScanKey) palloc((n + 1) * sizeof(ScanKeyData));
	ScanKeyData key = {.sk_flags = SK_ROW_HEADER,
					   .sk_attno = 1,
					   .sk_strategy = BTGreaterEqualStrategyNumber,
					   .sk_argument = PointerGetDatum(member)};

	for (int p = 0; p < n; p++)
		ScanKeyEntryInitialize(&member[p], SK_ROW_MEMBER, (AttrNumber) (p + 1), BTGreaterEqualStrategyNumber,
							   InvalidOid, log->kept->partition[p].collation, log->kept->partition[p].compare.fn_oid,
							   partition[p].value);
	ScanKeyEntryInitialize(&member[n], SK_ROW_MEMBER | SK_ROW_END, (AttrNumber) (n + 1), BTGreaterEqualStrategyNumber,
						   InvalidOid, InvalidOid, F_BTINT8CMP, Int64GetDatum(PG_INT64_MIN));
	return scan_begin(log, snapshot, 1, &key);
}

const KeptNode *
kept_scan_next(KeptScan *scan)
{
	bool is_tree = scan->relation->is_tree;
	/* the columns behind those of the partition; a row of the log has neither a level nor `split` */
	int		  level = scan->relation->kept->partitions, bucket = level + is_tree, stale = bucket + 2 + is_tree;
	Datum	 *value = scan->value;
	HeapTuple tuple = systable_getnext_ordered(scan->scan, ForwardScanDirection);

	CHECK_FOR_INTERRUPTS();
	if (tuple == NULL)
		return NULL;
	heap_deform_tuple(tuple, RelationGetDescr(scan->relation->relation), value, scan->isnull);
	scan->node = (KeptNode){.place = tuple->t_self,
							.partition = value,
							.partition_isnull = scan->isnull,
							.level = is_tree ? DatumGetInt16(value[level]) : 0,
							.bucket = DatumGetInt64(value[bucket]),
							.leaf = DatumGetObjectId(value[bucket + 1]),
							.split = is_tree && DatumGetBool(value[bucket + 2]),
							.stale = DatumGetBool(value[stale]),
							.rows = DatumGetInt64(value[stale + 1]),
							.value = value + stale + 2,
							.isnull = scan->isnull + stale + 2};
	return &scan->node;
}

void
kept_scan_end(KeptScan *scan)
{
	systable_endscan_ordered(scan->scan);
	pfree(scan);
}

/* ---- partitions ---- */

void
kept_node_partition(const Kept *kept, const KeptNode *node, NullableDatum *partition)
{
	for (int p = 0; p < kept->partitions; p++)
		partition[p] = (NullableDatum){.value = node->partition[p], .isnull = node->partition_isnull[p]};
}

int
kept_partition_compare(const Kept *kept, const NullableDatum *a, const NullableDatum *b)
{
	for (int p = 0; p < kept->partitions; p++)
	{
		int order = kept_values_compare(&kept->partition[p], a[p], b[p]);

		if (order != 0)
			return order;
	}
	return 0;
}

NullableDatum *
kept_partition_copy(MemoryContext memory, const Kept *kept, const NullableDatum *partition)
{
	MemoryContext  old = MemoryContextSwitchTo(memory);
	NullableDatum *copy = (NullableDatum *) palloc(Max(kept->partitions, 1) * sizeof(NullableDatum));

	for (int p = 0; p < kept->partitions; p++)
	{
		copy[p] = partition[p];
		if (!copy[p].isnull)
			copy[p].value = datumCopy(copy[p].value, kept->partition[p].by_value, kept->partition[p].length);
	}
	MemoryContextSwitchTo(old);
	return copy;
}

void
kept_nodes(const KeptRelation *relation, const NullableDatum *partition, int level, int64 first, int64 last,
		   Snapshot snapshot, KeptTakeNode take, void *to)
{
	KeptScan	   *scan = kept_scan_begin(relation, partition, level, first, last, snapshot);
	const KeptNode *node;

	while ((node = kept_scan_next(scan)) != NULL)
		take(to, node);
	kept_scan_end(scan);
}

/* ---- writing ---- */

/*
 * Inserts a row as core inserts into its catalogs, but logical decoding is not told of it: what a subscriber keeps of
 * its table is its own.  All indexes are on plain columns (tables.c).
 */
static void
insert_row(const KeptRelation *relation, HeapTuple tuple, const Datum *value, const bool *isnull)
{
	const ResultRelInfo *indexes = relation->indexes;

	heap_insert(relation->relation, tuple, GetCurrentCommandId(true), HEAP_INSERT_NO_LOGICAL, NULL);
	for (int i = 0; i < indexes->ri_NumIndices; i++)
	{
		IndexInfo *info = indexes->ri_IndexRelationInfo[i];
		Datum	   key[INDEX_MAX_KEYS];
		bool	   key_isnull[INDEX_MAX_KEYS];

		if (!info->ii_ReadyForInserts)
			continue;
		for (int k = 0; k < info->ii_NumIndexAttrs; k++)
		{
			key[k] = value[info->ii_IndexAttrNumbers[k] - 1];
			key_isnull[k] = isnull[info->ii_IndexAttrNumbers[k] - 1];
		}
		(void) index_insert(indexes->ri_IndexRelationDescs[i], key, key_isnull, &tuple->t_self, relation->relation,
							UNIQUE_CHECK_NO, false, info);
	}
}

void
kept_node_put(const KeptRelation *relation, const NullableDatum *partition, int level, int64 bucket, bool split,
			  KeptState *state, const ItemPointerData *replaced)
{
	const Kept *kept = relation->kept;
	Datum		value[MOST_COLUMNS];
	bool		isnull[MOST_COLUMNS] = {false};
	int			at = kept->partitions;
	HeapTuple	tuple;

	for (int p = 0; p < kept->partitions; p++)
	{
		value[p] = partition[p].value;
		isnull[p] = partition[p].isnull;
	}
	if (relation->is_tree)
		value[at++] = Int16GetDatum((int16) level);
	value[at++] = Int64GetDatum(bucket);
	value[at++] = ObjectIdGetDatum(relation->leaf);
	if (relation->is_tree)
		value[at++] = BoolGetDatum(split);
	value[at++] = BoolGetDatum(kept_state_is_stale(kept, state));
	value[at++] = Int64GetDatum(state->rows);
	kept_state_save(kept, state, value + at, isnull + at);
	tuple = heap_form_tuple(RelationGetDescr(relation->relation), value, isnull);
	if (replaced == NULL)
		insert_row(relation, tuple, value, isnull);
	else
		CatalogTupleUpdateWithInfo(relation->relation, (ItemPointer) replaced, tuple, relation->indexes);
	heap_freetuple(tuple);
}

void
kept_node_delete(const KeptRelation *relation, const ItemPointerData *place)
{
	CatalogTupleDelete(relation->relation, (ItemPointer) place);
}

/* Gives a relation new, empty storage, as TRUNCATE does. */
static void
empty_relation(Oid relation)
{
	Relation	  rel = table_open(relation, AccessExclusiveLock);
	Oid			  toast = rel->rd_rel->reltoastrelid;
	ReindexParams parameters = {0};

	CheckTableNotInUse(rel, "TRUNCATE");
	compat_set_new_storage(rel);
	if (OidIsValid(toast))
	{
		Relation toast_rel = table_open(toast, AccessExclusiveLock);

		compat_set_new_storage(toast_rel);
		table_close(toast_rel, NoLock);
	}
	pgstat_count_truncate(rel);
	table_close(rel, NoLock);
	compat_reindex_relation(relation, &parameters);
}

/*
 * Whoever may truncate the table may not know of log and tree, so nobody's privileges are asked for.  Both are unsafe
 * for older snapshots in the way in which the table is.
 */
void
kept_truncate(const Kept *kept)
{
	empty_relation(kept->log);
	empty_relation(kept->tree);
	CommandCounterIncrement();
}

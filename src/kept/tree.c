/*
 * tree.c: see tree.h.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/index.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/catalog.h"
#include "kept/sql.h"
#include "kept/tables.h"
#include "kept/tree.h"

/* Columns of the tree: partition, level, bucket, split, stale, rows, states; the log has no level and no split. */
#define TREE_FIXED 5
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

/* Sets scan keys for a partition; returns how many. */
static int
partition_scan_keys(const Kept *kept, const NullableDatum *partition, ScanKey key)
{
	for (int p = 0; p < kept->partitions; p++)
	{
		const KeptColumn *column = &kept->partition[p];
		Oid				  operator= get_opfamily_member(column->family, column->opclass_type, column->opclass_type,
														BTEqualStrategyNumber);

		ScanKeyEntryInitialize(&key[p], partition[p].isnull ? SK_ISNULL | SK_SEARCHNULL : 0, (AttrNumber) (p + 1),
							   partition[p].isnull ? InvalidStrategy : BTEqualStrategyNumber, InvalidOid,
							   column->collation, get_opcode(operator), partition[p].value);
	}
	return kept->partitions;
}

static void
pass_node(const KeptRelation *relation, HeapTuple tuple, KeptTakeNode take, void *to)
{
	const Kept *kept = relation->kept;
	Datum		value[MOST_COLUMNS];
	bool		isnull[MOST_COLUMNS];
	int			at = kept->partitions;
	KeptNode	node = {.place = tuple->t_self, .partition = value, .partition_isnull = isnull};

	heap_deform_tuple(tuple, RelationGetDescr(relation->relation), value, isnull);
	if (relation->is_tree)
		node.level = DatumGetInt16(value[at++]);
	node.bucket = DatumGetInt64(value[at++]);
	if (relation->is_tree)
		node.split = DatumGetBool(value[at++]);
	node.stale = DatumGetBool(value[at++]);
	node.rows = DatumGetInt64(value[at++]);
	node.value = value + at;
	node.isnull = isnull + at;
	take(to, &node);
}

void
kept_nodes(const KeptRelation *relation, const NullableDatum *partition, int level, int64 first, int64 last,
		   Snapshot snapshot, KeptTakeNode take, void *to)
{
	const Kept *kept = relation->kept;
	ScanKeyData key[INDEX_MAX_KEYS];
	int			n = 0;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (partition != NULL)
	{
		n = partition_scan_keys(kept, partition, key);
		if (relation->is_tree)
		{
			ScanKeyInit(&key[n], (AttrNumber) (n + 1), BTEqualStrategyNumber, F_INT2EQ, Int16GetDatum((int16) level));
			n++;
		}
		ScanKeyInit(&key[n], (AttrNumber) (n + 1), BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(first));
		ScanKeyInit(&key[n + 1], (AttrNumber) (n + 1), BTLessEqualStrategyNumber, F_INT8LE, Int64GetDatum(last));
		n += 2;
	}
	scan = systable_beginscan_ordered(relation->relation, relation->index, snapshot, n, key);
	while ((tuple = systable_getnext_ordered(scan, ForwardScanDirection)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		pass_node(relation, tuple, take, to);
	}
	systable_endscan_ordered(scan);
}

typedef struct Passing
{
	KeptTakeDelta take;
	void		 *to;
	bool		  more;
} Passing;

static void
pass_delta(void *to, const KeptNode *delta)
{
	Passing *passing = (Passing *) to;

	passing->more = passing->take(passing->to, delta);
}

void
kept_deltas(const KeptRelation *log, Snapshot snapshot, KeptTakeDelta take, void *to)
{
	Passing		passing = {.take = take, .to = to, .more = true};
	SysScanDesc scan = systable_beginscan_ordered(log->relation, log->index, snapshot, 0, NULL);
	HeapTuple	tuple;

	while (passing.more && (tuple = systable_getnext_ordered(scan, ForwardScanDirection)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		pass_node(log, tuple, pass_delta, &passing);
	}
	systable_endscan_ordered(scan);
}

/* ---- writing ---- */

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
	if (relation->is_tree)
		value[at++] = BoolGetDatum(split);
	value[at++] = BoolGetDatum(kept_state_is_stale(kept, state));
	value[at++] = Int64GetDatum(state->rows);
	kept_state_save(kept, state, value + at, isnull + at);
	tuple = heap_form_tuple(RelationGetDescr(relation->relation), value, isnull);
	if (replaced == NULL)
		CatalogTupleInsertWithInfo(relation->relation, tuple, relation->indexes);
	else
		CatalogTupleUpdateWithInfo(relation->relation, (ItemPointer) replaced, tuple, relation->indexes);
	heap_freetuple(tuple);
}

void
kept_node_delete(const KeptRelation *relation, const ItemPointerData *place)
{
	CatalogTupleDelete(relation->relation, (ItemPointer) place);
}

/*
 * Empties log and tree as their owner: whoever may truncate the table may not know of them.  Both are unsafe for older
 * snapshots in the way in which the table is.
 */
void
kept_truncate(const Kept *kept)
{
	KeptUser user = kept_become(kept_owner(kept->tree));

	SPI_connect();
	kept_sql(psprintf("TRUNCATE %s, %s", kept_sql_relation(kept->tree), kept_sql_relation(kept->log)));
	SPI_finish();
	kept_become_again(user);
}

/*
 * log.c: scan_kept_log(), the trigger that writes what a statement has changed into the log of a kept scan.
 *
 * One delta for each partition and interval of level 0 that the statement's rows lie in.  The trigger only inserts, so
 * no writer waits for another.  It needs no privileges on the log: whoever may change the table may change what is kept
 * of it.  The delta has the command's own (sub)transaction, so it is visible wherever the rows are.
 */
#include "postgres.h"

#include "access/table.h"
#include "commands/trigger.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "kept/catalog.h"
#include "kept/statement.h"
#include "kept/tree.h"
#include "kept/triggers.h"
#include "kept/worker.h"

/* The rows of one partition and interval. */
typedef struct DeltaKey
{
	const Kept	  *kept;
	int64		   bucket;
	NullableDatum *partition;
} DeltaKey;

typedef struct Delta
{
	DeltaKey   key;
	KeptState *state;
	char	   status;
} Delta;

/*
 * Partitions are told apart by their bytes: equal ones that differ in their bytes, as 1.0 and 1.00 do, get two deltas,
 * which the index of the log finds together.
 */
static uint32
delta_hash(const DeltaKey *key)
{
	uint32 hash = (uint32) hash_combine64(0, (uint64) key->bucket);

	for (int p = 0; p < key->kept->partitions; p++)
		if (!key->partition[p].isnull)
			hash = hash_combine(hash, datum_image_hash(key->partition[p].value, key->kept->partition[p].by_value,
													   key->kept->partition[p].length));
	return hash;
}

static bool
delta_equal(const DeltaKey *a, const DeltaKey *b)
{
	if (a->bucket != b->bucket)
		return false;
	for (int p = 0; p < a->kept->partitions; p++)
	{
		const KeptColumn *column = &a->kept->partition[p];

		if (a->partition[p].isnull != b->partition[p].isnull ||
			(!a->partition[p].isnull &&
			 !datum_image_eq(a->partition[p].value, b->partition[p].value, column->by_value, column->length)))
			return false;
	}
	return true;
}

#define SH_PREFIX deltas
#define SH_ELEMENT_TYPE Delta
#define SH_KEY_TYPE DeltaKey
#define SH_KEY key
#define SH_HASH_KEY(table, k) delta_hash(&k)
#define SH_EQUAL(table, a, b) delta_equal(&a, &b)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

typedef struct DeltaSet
{
	const Kept	  *kept;
	deltas_hash	  *hash;
	KeptRow		  *row;
	MemoryContext  memory;
	NullableDatum *partition; /* of the row at hand */
} DeltaSet;

static DeltaSet
delta_set_create(const Kept *kept)
{
	DeltaSet set = {.kept = kept, .memory = CurrentMemoryContext};

	set.hash = deltas_create(CurrentMemoryContext, 4, NULL);
	set.row = kept_row_create(kept);
	set.partition = (NullableDatum *) palloc(Max(kept->partitions, 1) * sizeof(NullableDatum));
	return set;
}

/* Copies the partition of a delta that is new. */
static NullableDatum *
copy_partition(const Kept *kept, const NullableDatum *partition)
{
	NullableDatum *copy = (NullableDatum *) palloc(Max(kept->partitions, 1) * sizeof(NullableDatum));

	for (int p = 0; p < kept->partitions; p++)
	{
		copy[p] = partition[p];
		if (!partition[p].isnull)
			copy[p].value = datumCopy(partition[p].value, kept->partition[p].by_value, kept->partition[p].length);
	}
	return copy;
}

static void
delta_set_take(DeltaSet *set, TupleTableSlot *slot, bool leaves)
{
	const Kept *kept = set->kept;
	DeltaKey	key = {.kept = kept, .partition = set->partition};
	Delta	   *delta;
	bool		isnull, found;
	int64		number;

	if (!kept_row_set(set->row, slot))
		return;
	for (int p = 0; p < kept->partitions; p++)
		key.partition[p].value = slot_getattr(slot, kept->partition[p].attribute, &key.partition[p].isnull);
	number = kept_key_number(kept, slot_getattr(slot, kept->key[0].attribute, &isnull));
	/* NOT NULL was dropped; the kept scan is not used */
	if (isnull)
		return;
	key.bucket = kept_bucket(kept, number, 0);
	delta = deltas_insert(set->hash, key, &found);
	if (!found)
	{
		MemoryContext old = MemoryContextSwitchTo(set->memory);

		delta->key.partition = copy_partition(kept, key.partition);
		delta->state = kept_state_create(kept);
		MemoryContextSwitchTo(old);
	}
	kept_state_take(delta->state, set->row, leaves);
}

static void
delta_set_take_all(DeltaSet *set, Tuplestorestate *rows, TupleDesc desc, bool leave)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);

	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		delta_set_take(set, slot, leave);
	}
	ExecDropSingleTupleTableSlot(slot);
}

static void
delta_set_take_one(DeltaSet *set, HeapTuple tuple, TupleDesc desc, bool leaves)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsHeapTuple);

	ExecStoreHeapTuple(tuple, slot, false);
	delta_set_take(set, slot, leaves);
	ExecDropSingleTupleTableSlot(slot);
}

/* Inserts the deltas that change anything.  Returns how many there are. */
static int64
delta_set_write(DeltaSet *set)
{
	KeptRelation	log = kept_relation_open(set->kept, false, RowExclusiveLock, true);
	deltas_iterator scan;
	Delta		   *delta;
	int64			written = 0;

	statement_logs();
	deltas_start_iterate(set->hash, &scan);
	while ((delta = deltas_iterate(set->hash, &scan)) != NULL)
		if (!kept_state_is_empty(set->kept, delta->state))
		{
			kept_node_put(&log, delta->key.partition, 0, delta->key.bucket, false, delta->state, NULL);
			written++;
		}
	kept_relation_close(&log, NoLock);
	kept_row_free(set->row);
	return written;
}

/* Returns how many deltas were inserted. */
static int64
log_rows(const Kept *kept, const TriggerData *data)
{
	TupleDesc desc = RelationGetDescr(data->tg_relation);
	DeltaSet  set = delta_set_create(kept);

	if (TRIGGER_FIRED_FOR_STATEMENT(data->tg_event))
	{
		if (data->tg_newtable != NULL)
			delta_set_take_all(&set, data->tg_newtable, desc, false);
		if (data->tg_oldtable != NULL)
			delta_set_take_all(&set, data->tg_oldtable, desc, true);
	}
	else if (TRIGGER_FIRED_BY_UPDATE(data->tg_event))
	{
		delta_set_take_one(&set, data->tg_newtuple, desc, false);
		delta_set_take_one(&set, data->tg_trigtuple, desc, true);
	}
	else
		delta_set_take_one(&set, data->tg_trigtuple, desc, TRIGGER_FIRED_BY_DELETE(data->tg_event));
	return delta_set_write(&set);
}

/*
 * Returns the kept scan with its log locked, so that nobody alters it; one whose tables were altered already, as it is;
 * or NULL.  The lock conflicts with no writer.
 */
static Kept *
kept_with_log(const FmgrInfo *caller, const char *name)
{
	Kept *kept;

	while ((kept = kept_if_any(caller, name)) != NULL && kept->intact)
	{
		LockRelationOid(kept->log, RowExclusiveLock);
		if (!kept->expired)
			break;
	}
	return kept;
}

PG_FUNCTION_INFO_V1(scan_kept_log);
Datum
scan_kept_log(PG_FUNCTION_ARGS)
{
	const TriggerData *data = (const TriggerData *) fcinfo->context;
	const Kept		  *kept;
	MemoryContext	   memory, old;

	if (!CALLED_AS_TRIGGER(fcinfo) || data->tg_trigger->tgnargs != 1)
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("scan_kept_log() is called by the triggers that scan_keep() creates")));
	kept = kept_with_log(fcinfo->flinfo, data->tg_trigger->tgargs[0]);
	/* a dump brings the triggers, and rows of the table, before the catalog's row; scan_kept_check() follows anyway */
	if (kept == NULL)
		PG_RETURN_POINTER(NULL);
	if (kept->table != RelationGetRelid(data->tg_relation))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("trigger \"%s\" is not on the table of kept scan \"%s\"", data->tg_trigger->tgname,
							   NameStr(kept->name))));
	if (!kept_trigger_logs(kept, data))
		PG_RETURN_POINTER(NULL);
	/* the rows of a child are in the transition tables, too */
	if (!kept->intact || data->tg_relation->rd_rel->relhassubclass)
		kept_catalog_spoil(fcinfo->flinfo, kept);
	if (!kept->intact)
		PG_RETURN_POINTER(NULL);
	if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event))
	{
		kept_truncate(kept);
		PG_RETURN_POINTER(NULL);
	}
	memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a statement", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(memory);
	kept_worker_note(fcinfo->flinfo, kept, log_rows(kept, data));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
	PG_RETURN_POINTER(NULL);
}

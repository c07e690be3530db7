/*
 * log.c: scan_kept_log(), the trigger that writes what a statement has changed into the log of a kept scan.
 *
 * The row trigger adds each row to a set of deltas, one for each partition and interval of level 0 that the statement's
 * rows lie in.  The set is written when the statement ends (statement.c), or has outgrown work_mem: two deltas of an
 * interval do no harm.  Writing only inserts, so no writer waits for another.  It needs no privileges on the log:
 * whoever may change the table may change what is kept of it.  The delta has the command's own (sub)transaction, so it
 * is visible wherever the rows are.
 *
 * A partitioned table has a set for each leaf, whose trigger is a clone of the table's (leaves.c).
 *
 * Log and indexes are open from the first row to the writing of the set, so no function that an expression calls can
 * alter them; and whether the definition has changed meanwhile is looked at before anything is written.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "access/tupconvert.h"
#include "commands/trigger.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/hooks.h"
#include "kept/store.h"

/* Bytes of deltas that each of the sets of a statement may have. */
#define LEAST_MEMORY ((Size) 65536)

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
	FmgrInfo			caller; /* the trigger function */
	Kept			   *kept;
	bool				logs; /* the trigger is the one that logs, and the leaf is adopted */
	Oid					leaf; /* its number */
	Size				most; /* bytes of deltas that wait */
	KeptRow			   *row;  /* that enters */
	KeptRow			   *old;  /* that leaves; made for the first one */
	TupleConversionMap *map;  /* to the columns of the table; NULL: the leaf's are the same */
	TupleTableSlot	   *mapped[2];
	KeptRelation		log;	/* open if `owner` is set */
	ResourceOwner		owner;	/* of the open log */
	MemoryContext		memory; /* of the deltas: emptied when they are written */
	deltas_hash		   *hash;
	NullableDatum	   *partition; /* of the row at hand */
	int64				written;
} DeltaSet;

static void
delta_set_clear(DeltaSet *set)
{
	MemoryContextReset(set->memory);
	set->hash = deltas_create(set->memory, 4, NULL);
}

/* Takes the leaf whose rows are logged.  What changes in one that is not adopted is not. */
static void
delta_set_take_leaf(DeltaSet *set, Relation table)
{
	const KeptLeaves *leaves = kept_leaves(set->kept);
	const KeptLeaf	 *leaf = kept_leaf_of_table(leaves, RelationGetRelid(table));

	set->logs = leaf != NULL && leaf->is_adopted;
	if (leaf == NULL)
		return;
	set->leaf = leaf->number;
	if (!leaf->is_adopted && kept_leaf_is_small(table))
		kept_worker_note(&set->caller, set->kept, 0, true);
	set->map = convert_tuples_by_name(RelationGetDescr(table), leaves->desc);
	for (int i = 0; i < lengthof(set->mapped) && set->map != NULL; i++)
		set->mapped[i] = MakeSingleTupleTableSlot(leaves->desc, &TTSOpsVirtual);
}

/* Makes the set of a statement, or of a transaction's rest. */
static DeltaSet *
delta_set_create(const FmgrInfo *caller, Kept *kept, const TriggerData *data, StatementChanges *changes)
{
	MemoryContext old = MemoryContextSwitchTo(changes->memory);
	DeltaSet	 *set = (DeltaSet *) palloc(sizeof(DeltaSet));

	/* the sets of a thousand leaves share the memory */
	*set = (DeltaSet){.caller = {.fn_oid = caller->fn_oid},
					  .kept = kept,
					  .logs = kept->intact && kept->untrusted == NULL && kept_trigger_logs(kept, data),
					  .most = Max(work_mem * (Size) 1024 / changes->place, LEAST_MEMORY)};
	if (set->logs && kept->is_partitioned)
		delta_set_take_leaf(set, data->tg_relation);
	if (set->logs)
	{
		set->row = kept_row_create(kept);
		set->partition = (NullableDatum *) palloc(Max(kept->partitions, 1) * sizeof(NullableDatum));
		set->memory = AllocSetContextCreate(changes->memory, "kept scan: deltas", ALLOCSET_DEFAULT_SIZES);
		delta_set_clear(set);
		if (!changes->waits)
		{
			set->log = kept_relation_open(kept, false, RowExclusiveLock, true);
			set->owner = CurrentResourceOwner;
		}
	}
	changes->table = kept->table;
	changes->log = kept->log;
	changes->set = set;
	MemoryContextSwitchTo(old);
	return set;
}

/* Sets the expressions to a row, and returns the state of the delta that the row changes: NULL if there is none. */
static KeptState *
delta_set_state(DeltaSet *set, KeptRow *row, TupleTableSlot *slot)
{
	const Kept *kept = set->kept;
	DeltaKey	key = {.kept = kept, .partition = set->partition};
	Delta	   *delta;
	bool		isnull, found;
	int64		number;

	if (!kept_row_set(row, slot))
		return NULL;
	kept_row_partition(kept, slot, key.partition);
	number = kept_key_number(kept, slot_getattr(slot, kept->key[0].attribute, &isnull));
	/* NOT NULL was dropped; the kept scan is not used */
	if (isnull)
		return NULL;
	key.bucket = kept_bucket(kept, number, 0);
	delta = deltas_insert(set->hash, key, &found);
	if (!found)
	{
		delta->key.partition = kept_partition_copy(set->memory, kept, key.partition);
		delta->state = kept_state_alloc(set->memory, kept);
	}
	return delta->state;
}

/* Adds the rows of an event, either of which may be NULL. */
static void
delta_set_take(DeltaSet *set, TupleTableSlot *enters, TupleTableSlot *leaves)
{
	KeptState *entered = NULL, *left = NULL;

	if (enters != NULL)
		entered = delta_set_state(set, set->row, enters);
	if (leaves != NULL && set->old == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(MemoryContextGetParent(set->memory));

		set->old = kept_row_create(set->kept);
		MemoryContextSwitchTo(old);
	}
	if (leaves != NULL)
		left = delta_set_state(set, set->old, leaves);
	if (entered != NULL)
		kept_state_take(entered, set->row, false, entered == left ? set->old : NULL);
	if (left != NULL)
		kept_state_take(left, set->old, true, entered == left ? set->row : NULL);
}

/* True if the kept scan is still the one that the deltas are for. */
static bool
delta_set_is_current(const DeltaSet *set)
{
	const Kept *kept = set->kept;
	const Kept *now;

	if (!kept->expired)
		return true;
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(kept->log)))
		return false;
	now = kept_of_trigger(&set->caller, kept->table, NameStr(kept->name));
	return now != NULL && now->log == kept->log && now->intact && now->aggregates == kept->aggregates &&
		   now->partitions == kept->partitions && now->smallest == kept->smallest;
}

/*
 * Opens the log if it is not.  Changes that wait for the end of the transaction keep the lock of their table.  So this
 * transaction is the one that has altered the kept scan since: it was dropped, or built anew from the rows.  Then
 * nothing is missing, and false is returned.
 */
static bool
delta_set_open_log(DeltaSet *set)
{
	if (set->owner == NULL && !delta_set_is_current(set))
		return false;
	if (set->owner == NULL)
		set->log = kept_relation_open(set->kept, false, RowExclusiveLock, true);
	if (!delta_set_is_current(set))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("kept scan \"%s\" was altered while a statement changed its table", NameStr(set->kept->name))));
	return true;
}

static void
delta_set_close_log(DeltaSet *set)
{
	ResourceOwner now = CurrentResourceOwner;

	if (set->owner != NULL)
		CurrentResourceOwner = set->owner;
	kept_relation_close(&set->log, NoLock);
	CurrentResourceOwner = now;
	set->owner = NULL;
}

/* Inserts the deltas that change anything. */
static void
delta_set_write(DeltaSet *set)
{
	deltas_iterator scan;
	Delta		   *delta;
	MemoryContext	old;

	if (!delta_set_open_log(set))
	{
		delta_set_clear(set);
		return;
	}
	statement_logs();
	set->log.leaf = set->leaf;
	old = MemoryContextSwitchTo(set->row->econtext->ecxt_per_tuple_memory);
	deltas_start_iterate(set->hash, &scan);
	while ((delta = deltas_iterate(set->hash, &scan)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (kept_state_is_empty(set->kept, delta->state))
			continue;
		kept_node_put(&set->log, delta->key.partition, 0, delta->key.bucket, false, delta->state, NULL);
		set->written++;
		ResetExprContext(set->row->econtext);
	}
	if (set->owner == NULL)
		delta_set_close_log(set);
	MemoryContextSwitchTo(old);
	delta_set_clear(set);
}

/* Writes the set of a statement at its end. */
static void
write_changes(StatementChanges *changes)
{
	DeltaSet *set = (DeltaSet *) changes->set;

	if (set == NULL || !set->logs)
		return;
	delta_set_write(set);
	if (set->owner != NULL)
		delta_set_close_log(set);
	kept_row_free(set->row);
	if (set->old != NULL)
		kept_row_free(set->old);
	kept_worker_note(&set->caller, set->kept, set->written, false);
}

void
kept_log_init(void)
{
	statement_init(write_changes);
}

/* True if none of the columns that the definition reads has other bytes in one row than in the other one. */
static bool
has_same_columns(const Kept *kept, TupleTableSlot *before, TupleTableSlot *after)
{
	int column = -1;

	while ((column = bms_next_member(kept->columns, column)) >= 0)
	{
		int				  attribute = column + FirstLowInvalidHeapAttributeNumber;
		bool			  isnull, other_isnull;
		Datum			  value, other;
		Form_pg_attribute form;

		if (attribute <= 0)
			return false;
		form = TupleDescAttr(before->tts_tupleDescriptor, attribute - 1);
		value = slot_getattr(before, attribute, &isnull);
		other = slot_getattr(after, attribute, &other_isnull);
		if (isnull != other_isnull || (!isnull && !datum_image_eq(value, other, form->attbyval, form->attlen)))
			return false;
	}
	return true;
}

/* Returns a row of the leaf as one of the table. */
static TupleTableSlot *
row_of_table(const DeltaSet *set, int i, TupleTableSlot *slot)
{
	return set->map == NULL ? slot : execute_attr_map_slot(set->map->attrMap, slot, set->mapped[i]);
}

/* Adds what a row trigger is called for to the set. */
static void
delta_set_take_event(DeltaSet *set, const TriggerData *data)
{
	KeptUser		user = {.is_set = false};
	TupleTableSlot *slot = row_of_table(set, 0, data->tg_trigslot);
	TupleTableSlot *after = TRIGGER_FIRED_BY_UPDATE(data->tg_event) ? row_of_table(set, 1, data->tg_newslot) : NULL;

	if (after != NULL && has_same_columns(set->kept, slot, after))
		return;
	if (set->kept->own_code)
		user = kept_become_to_read(set->kept);
	if (TRIGGER_FIRED_BY_INSERT(data->tg_event))
		delta_set_take(set, slot, NULL);
	else
		delta_set_take(set, after, slot);
	kept_become_again(user);
	if (MemoryContextMemAllocated(set->memory, true) > set->most)
		delta_set_write(set);
}

/*
 * Returns the kept scan of a trigger.  A table that was copied by a dump has the triggers of the original: its rows are
 * nobody's concern until scan_kept_check() or scan_keep() makes it one of a kept scan.
 */
static Kept *
kept_to_log(const FmgrInfo *caller, const TriggerData *data)
{
	Oid	  table = kept_trigger_origin(data->tg_trigger, RelationGetRelid(data->tg_relation));
	Kept *kept = OidIsValid(table) ? kept_of_trigger(caller, table, data->tg_trigger->tgargs[0]) : NULL;

	/* what is not logged now is missing, even if the cause goes away */
	if (kept != NULL && (!kept->intact || kept->untrusted != NULL))
		kept_catalog_spoil(caller, kept);
	return kept;
}

PG_FUNCTION_INFO_V1(scan_kept_log);
Datum
scan_kept_log(PG_FUNCTION_ARGS)
{
	const TriggerData *data = (const TriggerData *) fcinfo->context;
	StatementChanges  *changes;
	Kept			  *kept;

	if (!CALLED_AS_TRIGGER(fcinfo) || data->tg_trigger->tgnargs != 1)
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("scan_kept_log() is called by the triggers that scan_keep() creates")));
	if (!TRIGGER_FIRED_FOR_ROW(data->tg_event))
	{
		kept = kept_to_log(fcinfo->flinfo, data);
		if (kept != NULL && kept->intact && TRIGGER_FIRED_BY_TRUNCATE(data->tg_event) && kept_trigger_logs(kept, data))
		{
			statement_supersede(kept->log);
			kept_truncate(kept);
		}
		PG_RETURN_POINTER(NULL);
	}
	changes = statement_changes_of(data->tg_trigger->tgoid);
	if (changes->set == NULL)
	{
		kept = kept_to_log(fcinfo->flinfo, data);
		if (kept == NULL)
			PG_RETURN_POINTER(NULL);
		(void) delta_set_create(fcinfo->flinfo, kept, data, changes);
	}
	if (((DeltaSet *) changes->set)->logs)
		delta_set_take_event((DeltaSet *) changes->set, data);
	PG_RETURN_POINTER(NULL);
}

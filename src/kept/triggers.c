/*
 * triggers.c: the triggers on the table of a kept scan, and how a change of them is noticed.
 *
 * A row trigger, scan_kept_log() in log.c, logs every change, whatever makes it: COPY, MERGE, a foreign key's action, a
 * statement that a row limit stops, a worker of logical replication.  Statement triggers with transition tables were
 * rejected after they had been in use: core queues them when a statement has come to its end, so SPI_execute() with a
 * row limit fired none; the workers of logical replication fire none; and rows of inheritance children are in the
 * transition tables.  TRUNCATE has to empty log and tree.  Both triggers fire whatever session_replication_role is.
 *
 * A trigger that was disabled, or dropped and made again, has missed changes.  Any ALTER of a trigger makes a new row
 * of pg_trigger, with another xmin; vacuum does not change it.  So oid, xmin and state of the triggers, as one text,
 * are in the stamps of a kept scan; and so are the rule of the view, of which CREATE OR REPLACE VIEW makes a new row,
 * the expressions of generated columns that the definition reads, and the owner of the table.  The triggers and the
 * view are created in subtransactions, so that a change later in the same transaction has another xmin, too.  Rejected:
 * the number of the command.  It is lost on a standby and in recovery.  A dump and pg_upgrade make new triggers and
 * rules: until scan_kept_check() only the table is read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_trigger.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "error.h"
#include "kept/catalogs.h"

static const struct
{
	const char *suffix;
	int16		type; /* tgtype of pg_trigger */
} kept_trigger[] = {
	{"rows", TRIGGER_TYPE_ROW | TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE},
	{"truncate", TRIGGER_TYPE_TRUNCATE},
};

#define NAME_PREFIX "scan_kept_"

static char *
trigger_name(const Kept *kept, int i)
{
	return psprintf(NAME_PREFIX "%s_%s", NameStr(kept->name), kept_trigger[i].suffix);
}

/* Returns which of our triggers has a name, -1 if none has. */
static int
trigger_number(const Kept *kept, const char *name)
{
	for (int i = 0; i < lengthof(kept_trigger); i++)
		if (strcmp(name, trigger_name(kept, i)) == 0)
			return i;
	return -1;
}

/* ---- creating and dropping ---- */

static Oid
log_function(const FmgrInfo *caller)
{
	return kept_extension_function(caller->fn_oid, KEPT_LOG_FUNCTION, 0, NULL);
}

/* By the table's oid: a name could be that of another table by now. */
static void
create_trigger(const FmgrInfo *caller, const Kept *kept, int i)
{
	CreateTrigStmt *statement = makeNode(CreateTrigStmt);

	statement->trigname = trigger_name(kept, i);
	statement->args = list_make1(makeString(pstrdup(NameStr(kept->name))));
	statement->row = (kept_trigger[i].type & TRIGGER_TYPE_ROW) != 0;
	statement->timing = TRIGGER_TYPE_AFTER;
	statement->events = kept_trigger[i].type & TRIGGER_TYPE_EVENT_MASK;
	(void) CreateTriggerFiringOn(statement, NULL, kept->table, InvalidOid, InvalidOid, InvalidOid, log_function(caller),
								 InvalidOid, NULL, false, false, TRIGGER_FIRES_ALWAYS);
}

/* Returns the value of a trigger's only argument, "" if it has none or several. */
static const char *
trigger_argument(Relation triggers, HeapTuple tuple)
{
	bool   isnull;
	bytea *arguments = DatumGetByteaPP(fastgetattr(tuple, Anum_pg_trigger_tgargs, RelationGetDescr(triggers), &isnull));

	return ((Form_pg_trigger) GETSTRUCT(tuple))->tgnargs == 1
			   ? pnstrdup(VARDATA_ANY(arguments), VARSIZE_ANY_EXHDR(arguments))
			   : "";
}

static bool
has_no_value(Relation triggers, HeapTuple tuple, AttrNumber column)
{
	return heap_attisnull(tuple, column, RelationGetDescr(triggers));
}

/*
 * True if a trigger is as create_trigger() makes it, but for whether it is enabled, and another transaction has done
 * so.
 */
static bool
is_intact(Relation triggers, HeapTuple tuple, int i)
{
	const FormData_pg_trigger *form = (Form_pg_trigger) GETSTRUCT(tuple);

	return form->tgtype == kept_trigger[i].type && !form->tgdeferrable && !form->tgisinternal &&
		   form->tgattr.dim1 == 0 && has_no_value(triggers, tuple, Anum_pg_trigger_tgqual) &&
		   has_no_value(triggers, tuple, Anum_pg_trigger_tgoldtable) &&
		   has_no_value(triggers, tuple, Anum_pg_trigger_tgnewtable) &&
		   !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
}

typedef struct OwnTriggers
{
	Bitmapset *intact;	/* numbers of those that are as they should be, ... */
	Bitmapset *enabled; /* ... and of those among them that always fire */
	List	  *others;	/* oids of the others, whatever their names are */
} OwnTriggers;

/* Finds the triggers of a table that call the function of the log for a kept scan of a name. */
static OwnTriggers
find_triggers(const FmgrInfo *caller, Oid table, const Kept *kept, const char *name)
{
	KeptRows rows = kept_rows_begin(TriggerRelationId, TriggerRelidNameIndexId, Anum_pg_trigger_tgrelid, table, NULL);
	Oid		 function = log_function(caller);
	OwnTriggers found = {0};
	HeapTuple	tuple;

	while ((tuple = systable_getnext(rows.scan)) != NULL)
	{
		const FormData_pg_trigger *form = (Form_pg_trigger) GETSTRUCT(tuple);
		int						   i;

		if (form->tgfoid != function || strcmp(trigger_argument(rows.catalog, tuple), name) != 0)
			continue;
		i = kept == NULL ? -1 : trigger_number(kept, NameStr(form->tgname));
		if (i >= 0 && is_intact(rows.catalog, tuple, i))
		{
			found.intact = bms_add_member(found.intact, i);
			if (form->tgenabled == TRIGGER_FIRES_ALWAYS)
				found.enabled = bms_add_member(found.enabled, i);
		}
		else
			found.others = lappend_oid(found.others, form->oid);
	}
	kept_rows_end(&rows);
	return found;
}

List *
kept_trigger_entries(const FmgrInfo *caller)
{
	KeptRows  rows = kept_rows_begin(TriggerRelationId, InvalidOid, Anum_pg_trigger_tgfoid, log_function(caller), NULL);
	HeapTuple tuple;
	List	 *entries = NIL;

	while ((tuple = systable_getnext(rows.scan)) != NULL)
	{
		const FormData_pg_trigger *form = (Form_pg_trigger) GETSTRUCT(tuple);
		KeptEntry				  *entry;

		/* a clone is of the kept scan of a partitioned table */
		if (!TRIGGER_FOR_ROW(form->tgtype) || form->tgnargs != 1 || OidIsValid(form->tgparentid))
			continue;
		entry = (KeptEntry *) palloc0(sizeof(KeptEntry));
		namestrcpy(&entry->name, trigger_argument(rows.catalog, tuple));
		entry->table = form->tgrelid;
		entries = lappend(entries, entry);
	}
	kept_rows_end(&rows);
	return entries;
}

bool
kept_has_trigger(const FmgrInfo *caller, Oid table, const char *name)
{
	return find_triggers(caller, table, NULL, name).others != NIL;
}

bool
kept_triggers_have_to_go(const FmgrInfo *caller, const Kept *kept)
{
	return find_triggers(caller, kept->table, kept, NameStr(kept->name)).others != NIL;
}

static void
drop_all(List *triggers)
{
	foreach_oid (trigger, triggers)
		kept_drop(TriggerRelationId, trigger);
}

void
kept_triggers_drop(const FmgrInfo *caller, Oid table, const char *name)
{
	drop_all(find_triggers(caller, table, NULL, name).others);
}

typedef struct CreateTriggers
{
	const FmgrInfo *caller;
	const Kept	   *kept;
	OwnTriggers		found;
} CreateTriggers;

/*
 * Core has cloned the row trigger for each partition, but enabling that of the table need not enable the clones.  Those
 * of partitions that have partitions fire for nothing; a leaf that is attached to one has its clone as it is there.
 */
static void
enable_clones(const Kept *kept)
{
	foreach_oid (table, find_all_inheritors(kept->table, ShareRowExclusiveLock, NULL))
	{
		Relation leaf = table_open(table, NoLock);
		bool	 is_new;

		if (table != kept->table && kept_leaf_stamps(kept, table, &is_new) == NULL)
			compat_enable_trigger(leaf, trigger_name(kept, 0), TRIGGER_FIRES_ALWAYS);
		table_close(leaf, NoLock);
	}
}

static void
create_triggers(void *to)
{
	const CreateTriggers *call = (CreateTriggers *) to;
	Relation			  table = table_open(call->kept->table, ShareRowExclusiveLock);

	for (int i = 0; i < lengthof(kept_trigger); i++)
		if (!bms_is_member(i, call->found.intact))
			create_trigger(call->caller, call->kept, i);
		else if (!bms_is_member(i, call->found.enabled))
			compat_enable_trigger(table, trigger_name(call->kept, i), TRIGGER_FIRES_ALWAYS);
	table_close(table, NoLock);
	CommandCounterIncrement();
	if (call->kept->is_partitioned)
		enable_clones(call->kept);
	unconstify(Kept *, call->kept)->triggers_made = GetCurrentTransactionId();
}

void
kept_triggers_create(const FmgrInfo *caller, const Kept *kept)
{
	CreateTriggers call = {
		.caller = caller, .kept = kept, .found = find_triggers(caller, kept->table, kept, NameStr(kept->name))};
	ErrorData *error;

	drop_all(call.found.others);
	error = scan_subtransaction(create_triggers, &call);
	if (error != NULL)
		ReThrowError(error);
}

/* ---- what they are ---- */

bool
kept_trigger_logs(const Kept *kept, const TriggerData *data)
{
	int i = trigger_number(kept, data->tg_trigger->tgname);

	/* whatever triggers a user makes or alters, a change is logged once */
	return TRIGGER_FIRED_AFTER(data->tg_event) && i >= 0 &&
		   (TRIGGER_FIRED_FOR_ROW(data->tg_event) != 0) == ((kept_trigger[i].type & TRIGGER_TYPE_ROW) != 0);
}

HeapTuple
kept_system_row(Oid catalog, Oid index, AttrNumber column, Oid value, Snapshot snapshot)
{
	KeptRows  rows = kept_rows_begin(catalog, index, column, value, snapshot);
	HeapTuple row = systable_getnext(rows.scan);

	row = HeapTupleIsValid(row) ? heap_copytuple(row) : NULL;
	kept_rows_end(&rows);
	return row;
}

/* Returns the rule of the view, which is the definition, as a snapshot sees it: a copy, or NULL. */
static HeapTuple
rule_of_view(const Kept *kept, Snapshot snapshot)
{
	return kept_system_row(RewriteRelationId, RewriteRelRulenameIndexId, Anum_pg_rewrite_ev_class, kept->view,
						   snapshot);
}

bool
kept_rule_is_new(const Kept *kept)
{
	HeapTuple rule = rule_of_view(kept, NULL);

	return rule == NULL || TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(rule->t_data));
}

/* Appends the expressions of generated columns: SET EXPRESSION computes all rows anew, and fires no trigger. */
static void
append_generated(StringInfo stamps, const Kept *kept, Snapshot snapshot)
{
	KeptRows  rows = kept_rows_begin(AttrDefaultRelationId, AttrDefaultIndexId, Anum_pg_attrdef_adrelid, kept->table,
									 snapshot);
	HeapTuple tuple;

	while ((tuple = systable_getnext(rows.scan)) != NULL)
	{
		Form_pg_attrdef form = (Form_pg_attrdef) GETSTRUCT(tuple);

		if (bms_is_member(form->adnum - FirstLowInvalidHeapAttributeNumber, kept->generated))
			appendStringInfo(stamps, "%u:%u ", form->oid, HeapTupleHeaderGetRawXmin(tuple->t_data));
	}
	kept_rows_end(&rows);
}

/*
 * Appends the triggers of a kept scan that a table has, and sets the transaction that has made or altered the last one.
 * Returns whether none of them misses changes.
 */
static bool
append_triggers(StringInfo stamps, const Kept *kept, Oid table, Snapshot snapshot, TransactionId *made)
{
	KeptRows  rows = kept_rows_begin(TriggerRelationId, TriggerRelidNameIndexId, Anum_pg_trigger_tgrelid, table,
									 snapshot);
	HeapTuple tuple;
	bool	  log_all = true;

	*made = InvalidTransactionId;
	while ((tuple = systable_getnext(rows.scan)) != NULL)
	{
		Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);

		if (strncmp(NameStr(form->tgname), NAME_PREFIX, strlen(NAME_PREFIX)) != 0 ||
			trigger_number(kept, NameStr(form->tgname)) < 0)
			continue;
		*made = HeapTupleHeaderGetRawXmin(tuple->t_data);
		appendStringInfo(stamps, "%u:%u:%c ", form->oid, *made, form->tgenabled);
		log_all = log_all && form->tgenabled == TRIGGER_FIRES_ALWAYS;
	}
	kept_rows_end(&rows);
	return log_all;
}

char *
kept_leaf_stamps(const Kept *kept, Oid leaf, bool *is_new)
{
	StringInfo	  stamps = makeStringInfo();
	TransactionId made;
	bool		  log_all = append_triggers(stamps, kept, leaf, NULL, &made);

	*is_new = TransactionIdIsCurrentTransactionId(made) && made != kept->triggers_made;
	return log_all && stamps->len > 0 ? stamps->data : NULL;
}

Oid
kept_trigger_origin(const Trigger *trigger, Oid leaf)
{
	Oid origin = trigger->tgisclone ? trigger->tgoid : InvalidOid, table = leaf;

	while (OidIsValid(origin))
	{
		HeapTuple		row = kept_system_row(TriggerRelationId, TriggerOidIndexId, Anum_pg_trigger_oid, origin, NULL);
		Form_pg_trigger form = row == NULL ? NULL : (Form_pg_trigger) GETSTRUCT(row);

		table = form == NULL ? InvalidOid : form->tgrelid;
		origin = form == NULL ? InvalidOid : form->tgparentid;
	}
	return table;
}

char *
kept_stamps(const Kept *kept, Snapshot snapshot)
{
	StringInfo	  stamps = makeStringInfo();
	TransactionId made;
	HeapTuple	  rule;

	appendStringInfo(stamps, "%u ", kept->owner);
	(void) append_triggers(stamps, kept, kept->table, snapshot, &made);
	if (kept->generated != NULL)
		append_generated(stamps, kept, snapshot);
	rule = rule_of_view(kept, snapshot);
	if (rule != NULL)
		appendStringInfo(stamps, "%u:%u", ((Form_pg_rewrite) GETSTRUCT(rule))->oid,
						 HeapTupleHeaderGetRawXmin(rule->t_data));
	return stamps->data;
}

/* The first word of the stamps. */
Oid
kept_stamped_owner(const char *stamps)
{
	return (Oid) strtoul(stamps, NULL, 10);
}

/* The last word of the stamps. */
const char *
kept_rule_stamp(const char *stamps)
{
	return stamps == NULL ? NULL : strrchr(stamps, ' ');
}

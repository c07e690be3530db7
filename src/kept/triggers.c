/*
 * triggers.c: the triggers on the table of a kept scan, and how a change of them is noticed.
 *
 * The statement triggers fire for ordinary sessions, the row trigger where session_replication_role is replica: the
 * workers of logical replication fire no statement triggers.  TRUNCATE has to empty log and tree in either case.
 *
 * A trigger that was disabled, or dropped and made again, has missed changes.  Any ALTER of a trigger makes a new row
 * of pg_trigger, with another xmin; vacuum does not change it.  So oid, xmin and state of all triggers, as one text,
 * are in the stamps of a kept scan; and so is the rule of the view, of which CREATE OR REPLACE VIEW makes a new row.
 * The triggers and the view are created in subtransactions, so that a change later in the same transaction has another
 * xmin, too.  Rejected: the number of the command.  It is lost on a standby and in recovery.  A dump and pg_upgrade
 * make new triggers and rules: until scan_kept_check() only the table is read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_trigger.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/sql.h"
#include "kept/triggers.h"

typedef struct KeptTrigger
{
	const char *suffix;
	const char *event;
	const char *each;
	const char *enable; /* as ALTER TABLE has it; NULL: a trigger is created so */
	int16		type;	/* tgtype of pg_trigger */
	char		enabled;
} KeptTrigger;

static const KeptTrigger kept_trigger[] = {
	{"insert", "INSERT", "REFERENCING NEW TABLE AS scan_new FOR EACH STATEMENT", NULL, TRIGGER_TYPE_INSERT,
	 TRIGGER_FIRES_ON_ORIGIN},
	{"update", "UPDATE", "REFERENCING OLD TABLE AS scan_old NEW TABLE AS scan_new FOR EACH STATEMENT", NULL,
	 TRIGGER_TYPE_UPDATE, TRIGGER_FIRES_ON_ORIGIN},
	{"delete", "DELETE", "REFERENCING OLD TABLE AS scan_old FOR EACH STATEMENT", NULL, TRIGGER_TYPE_DELETE,
	 TRIGGER_FIRES_ON_ORIGIN},
	{"truncate", "TRUNCATE", "FOR EACH STATEMENT", "ALWAYS", TRIGGER_TYPE_TRUNCATE, TRIGGER_FIRES_ALWAYS},
	{"replica", "INSERT OR UPDATE OR DELETE", "FOR EACH ROW", "REPLICA",
	 TRIGGER_TYPE_ROW | TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE, TRIGGER_FIRES_ON_REPLICA},
	/* does nothing; a table with such a trigger can become neither a partition nor a child */
	{"alone", "DELETE", "REFERENCING OLD TABLE AS scan_old FOR EACH ROW", "REPLICA",
	 TRIGGER_TYPE_ROW | TRIGGER_TYPE_DELETE, TRIGGER_FIRES_ON_REPLICA},
};

enum
{
	KEPT_TRIGGER_TRUNCATE = 3,
	KEPT_TRIGGER_REPLICA,
	KEPT_TRIGGER_ALONE
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
	size_t prefix = strlen(NAME_PREFIX), length = strlen(NameStr(kept->name));

	if (strncmp(name, NAME_PREFIX, prefix) != 0 || strncmp(name + prefix, NameStr(kept->name), length) != 0 ||
		name[prefix + length] != '_')
		return -1;
	for (int i = 0; i < lengthof(kept_trigger); i++)
		if (strcmp(name + prefix + length + 1, kept_trigger[i].suffix) == 0)
			return i;
	return -1;
}

/* ---- creating and dropping ---- */

static Oid
log_function(const FmgrInfo *caller)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(KEPT_LOG_FUNCTION),
						   PointerGetDatum(buildoidvector(NULL, 0)),
						   ObjectIdGetDatum(get_func_namespace(caller->fn_oid)));
}

static void
create_trigger(const FmgrInfo *caller, const Kept *kept, int i)
{
	const char *table = kept_sql_relation(kept->table);
	const char *name = quote_identifier(trigger_name(kept, i));

	kept_sql(psprintf("CREATE TRIGGER %s AFTER %s ON %s %s EXECUTE FUNCTION %s.%s(%s)", name, kept_trigger[i].event,
					  table, kept_trigger[i].each,
					  quote_identifier(kept_schema_name(get_func_namespace(caller->fn_oid))), KEPT_LOG_FUNCTION,
					  quote_literal_cstr(NameStr(kept->name))));
	if (kept_trigger[i].enable != NULL)
		kept_sql(psprintf("ALTER TABLE %s ENABLE %s TRIGGER %s", table, kept_trigger[i].enable, name));
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
 * Returns which of our triggers one is, if it is as create_trigger() makes it and another transaction has done so; else
 * -1.
 */
static int
intact_trigger(const Kept *kept, Relation triggers, HeapTuple tuple)
{
	const FormData_pg_trigger *form = (Form_pg_trigger) GETSTRUCT(tuple);
	int						   i = trigger_number(kept, NameStr(form->tgname));
	const KeptTrigger		  *trigger = &kept_trigger[Max(i, 0)];
	bool intact = i >= 0 && form->tgtype == trigger->type && form->tgenabled == trigger->enabled &&
				  !form->tgdeferrable && !form->tgisinternal && form->tgattr.dim1 == 0 &&
				  has_no_value(triggers, tuple, Anum_pg_trigger_tgqual) &&
				  has_no_value(triggers, tuple, Anum_pg_trigger_tgoldtable) == (strstr(trigger->each, "OLD") == NULL) &&
				  has_no_value(triggers, tuple, Anum_pg_trigger_tgnewtable) == (strstr(trigger->each, "NEW") == NULL) &&
				  !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));

	return intact ? i : -1;
}

/* Drops the triggers of a kept scan, whatever their names are; those that are as they should be only if told. */
static Bitmapset *
drop_triggers(const FmgrInfo *caller, const Kept *kept, bool intact_too)
{
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	Oid			function = log_function(caller);
	Bitmapset  *intact = NULL;
	List	   *others = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	ListCell   *cell;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(kept->table));
	scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, NULL, 1, &key);
	while ((tuple = systable_getnext(scan)) != NULL)
	{
		const FormData_pg_trigger *form = (Form_pg_trigger) GETSTRUCT(tuple);
		int						   i = intact_too ? -1 : intact_trigger(kept, triggers, tuple);

		if (form->tgfoid != function || strcmp(trigger_argument(triggers, tuple), NameStr(kept->name)) != 0)
			continue;
		if (i >= 0)
			intact = bms_add_member(intact, i);
		else
			others = lappend(others, pstrdup(NameStr(form->tgname)));
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	foreach (cell, others)
		kept_sql(psprintf("DROP TRIGGER %s ON %s", quote_identifier((const char *) lfirst(cell)),
						  kept_sql_relation(kept->table)));
	return intact;
}

typedef struct CreateTriggers
{
	const FmgrInfo	*caller;
	const Kept		*kept;
	const Bitmapset *intact;
} CreateTriggers;

static void
create_triggers(void *to)
{
	const CreateTriggers *call = (CreateTriggers *) to;

	for (int i = 0; i < lengthof(kept_trigger); i++)
		if (!bms_is_member(i, call->intact))
			create_trigger(call->caller, call->kept, i);
}

void
kept_triggers_create(const FmgrInfo *caller, const Kept *kept)
{
	CreateTriggers call = {.caller = caller, .kept = kept, .intact = drop_triggers(caller, kept, false)};
	ErrorData	  *error = kept_subtransaction(create_triggers, &call);

	if (error != NULL)
		ReThrowError(error);
}

void
kept_triggers_drop(const FmgrInfo *caller, const Kept *kept)
{
	(void) drop_triggers(caller, kept, true);
}

/* ---- what they are ---- */

bool
kept_trigger_logs(const Kept *kept, const TriggerData *data)
{
	int	 i = trigger_number(kept, data->tg_trigger->tgname);
	bool is_replica = SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;

	if (!TRIGGER_FIRED_AFTER(data->tg_event) || i == KEPT_TRIGGER_ALONE)
		return false;
	if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event))
		return i == KEPT_TRIGGER_TRUNCATE;
	/* whatever a trigger's state was altered to, a change is logged once */
	if (TRIGGER_FIRED_FOR_ROW(data->tg_event))
		return is_replica && i == KEPT_TRIGGER_REPLICA;
	return !is_replica && i >= 0 && i < KEPT_TRIGGER_TRUNCATE;
}

/* Returns the rule of the view, which is the definition, as a snapshot sees it: a copy, or NULL. */
static HeapTuple
rule_of_view(const Kept *kept, Snapshot snapshot)
{
	Relation	rules = table_open(RewriteRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	rule;

	ScanKeyInit(&key, Anum_pg_rewrite_ev_class, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(kept->view));
	scan = systable_beginscan(rules, RewriteRelRulenameIndexId, true, snapshot, 1, &key);
	rule = systable_getnext(scan);
	rule = HeapTupleIsValid(rule) ? heap_copytuple(rule) : NULL;
	systable_endscan(scan);
	table_close(rules, AccessShareLock);
	return rule;
}

bool
kept_rule_is_new(const Kept *kept)
{
	HeapTuple rule = rule_of_view(kept, NULL);

	return rule == NULL || TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(rule->t_data));
}

char *
kept_stamps(const Kept *kept, Snapshot snapshot)
{
	Relation	   triggers = table_open(TriggerRelationId, AccessShareLock);
	StringInfoData stamps;
	ScanKeyData	   key;
	SysScanDesc	   scan;
	HeapTuple	   tuple, rule;

	initStringInfo(&stamps);
	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(kept->table));
	scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, snapshot, 1, &key);
	while ((tuple = systable_getnext(scan)) != NULL)
	{
		Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);

		if (trigger_number(kept, NameStr(form->tgname)) >= 0)
			appendStringInfo(&stamps, "%u:%u:%c ", form->oid, HeapTupleHeaderGetRawXmin(tuple->t_data),
							 form->tgenabled);
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	rule = rule_of_view(kept, snapshot);
	if (rule != NULL)
		appendStringInfo(&stamps, "%u:%u", ((Form_pg_rewrite) GETSTRUCT(rule))->oid,
						 HeapTupleHeaderGetRawXmin(rule->t_data));
	return stamps.data;
}

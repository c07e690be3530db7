/*
 * triggers.c: the triggers on the table of a kept scan, and how a change of them is noticed.
 *
 * The statement triggers fire for ordinary sessions, the row trigger where session_replication_role is replica: the
 * workers of logical replication fire no statement triggers.  TRUNCATE has to empty log and tree in either case.
 *
 * A trigger that was disabled, or dropped and made again, has missed changes.  Any ALTER of a trigger makes a new row
 * of pg_trigger, with another xmin; vacuum does not change it.  So oid, xmin and state of all triggers, as one text,
 * are the stamps of a kept scan.  The triggers are created in a subtransaction, so that an ALTER later in the same
 * transaction has another xmin, too.  A dump and pg_upgrade make new triggers: until scan_kept_check() only the table
 * is read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
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

#define LOG_FUNCTION "scan_kept_log"

enum
{
	KEPT_TRIGGER_TRUNCATE = 3,
	KEPT_TRIGGER_REPLICA,
	KEPT_TRIGGER_ALONE
};

static char *
trigger_name(const Kept *kept, int i)
{
	return psprintf("scan_kept_%s_%s", NameStr(kept->name), kept_trigger[i].suffix);
}

/* ---- creating and dropping ---- */

static Oid
log_function(const FmgrInfo *caller)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(LOG_FUNCTION),
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
					  quote_identifier(kept_schema_name(get_func_namespace(caller->fn_oid))), LOG_FUNCTION,
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

	for (int i = 0; i < lengthof(kept_trigger); i++)
	{
		const char *each = kept_trigger[i].each;

		if (strcmp(NameStr(form->tgname), trigger_name(kept, i)) == 0)
			return form->tgtype == kept_trigger[i].type && form->tgenabled == kept_trigger[i].enabled &&
						   !form->tgdeferrable && !form->tgisinternal && form->tgattr.dim1 == 0 &&
						   has_no_value(triggers, tuple, Anum_pg_trigger_tgqual) &&
						   has_no_value(triggers, tuple, Anum_pg_trigger_tgoldtable) == (strstr(each, "OLD") == NULL) &&
						   has_no_value(triggers, tuple, Anum_pg_trigger_tgnewtable) == (strstr(each, "NEW") == NULL) &&
						   !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data))
					   ? i
					   : -1;
	}
	return -1;
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
	const char *name = data->tg_trigger->tgname;
	bool		is_replica = SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;

	if (!TRIGGER_FIRED_AFTER(data->tg_event) || strcmp(name, trigger_name(kept, KEPT_TRIGGER_ALONE)) == 0)
		return false;
	if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event))
		return strcmp(name, trigger_name(kept, KEPT_TRIGGER_TRUNCATE)) == 0;
	/* whatever a trigger's state was altered to, a change is logged once */
	if (TRIGGER_FIRED_FOR_ROW(data->tg_event))
		return is_replica && strcmp(name, trigger_name(kept, KEPT_TRIGGER_REPLICA)) == 0;
	for (int i = 0; i < KEPT_TRIGGER_TRUNCATE; i++)
		if (strcmp(name, trigger_name(kept, i)) == 0)
			return !is_replica;
	return false;
}

char *
kept_trigger_stamps(const Kept *kept, Snapshot snapshot)
{
	Relation	   triggers = table_open(TriggerRelationId, AccessShareLock);
	StringInfoData stamps;

	initStringInfo(&stamps);
	for (int i = 0; i < lengthof(kept_trigger); i++)
	{
		ScanKeyData key[2];
		SysScanDesc scan;
		HeapTuple	tuple;
		NameData	name;

		namestrcpy(&name, trigger_name(kept, i));
		ScanKeyInit(&key[0], Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(kept->table));
		ScanKeyInit(&key[1], Anum_pg_trigger_tgname, BTEqualStrategyNumber, F_NAMEEQ, NameGetDatum(&name));
		scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, snapshot, 2, key);
		tuple = systable_getnext(scan);
		if (tuple != NULL)
		{
			Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);

			appendStringInfo(&stamps, "%u:%u:%c ", form->oid, HeapTupleHeaderGetRawXmin(tuple->t_data),
							 form->tgenabled);
		}
		systable_endscan(scan);
	}
	table_close(triggers, AccessShareLock);
	return stamps.data;
}

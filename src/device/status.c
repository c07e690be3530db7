/*
 * status.c: scan_status(), which shows users the state of the device.  It always returns one row.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "device/shared.h"

static const char *const state_names[] = {"off", "starting", "ready", "absent", "waiting", "down"};

/* The columns of the result row, in order. */
typedef struct Row
{
	Datum value[16];
	bool  isnull[16];
	int	  columns;
} Row;

/* Adds a text column; NULL or empty text: NULL. */
static void
status_put_text(Row *row, const char *text)
{
	row->isnull[row->columns] = text == NULL || text[0] == '\0';
	row->value[row->columns] = row->isnull[row->columns] ? (Datum) 0 : CStringGetTextDatum(text);
	row->columns++;
}

static void
put_number(Row *row, Datum value, bool isnull)
{
	row->value[row->columns] = value;
	row->isnull[row->columns] = isnull;
	row->columns++;
}

static int32
free_slots(void)
{
	int32 n = 0;

	for (uint32 i = 0; i < worker_slots; i++)
		n += wire_word_state(wire_word(worker_slot(i))) == WIRE_FREE;
	return n;
}

static int64
read_counter(pg_atomic_uint64 *value)
{
	return (int64) pg_atomic_read_u64(value);
}

/* Returns the names of the lines in quarantine, a text[]. */
static Datum
quarantined_lines(void)
{
	char *name[JOB_LINES];
	Datum value[JOB_LINES];
	int	  n = quarantine_names(name);

	for (int i = 0; i < n; i++)
		value[i] = CStringGetTextDatum(name[i]);
	return PointerGetDatum(construct_array(value, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The column of scan_status that scan_status() of version 1.2 does not have. */
PG_FUNCTION_INFO_V1(scan_refusals);
Datum
scan_refusals(PG_FUNCTION_ARGS)
{
	if (worker_shared == NULL)
		PG_RETURN_NULL();
	PG_RETURN_INT64(read_counter(&worker_shared->refusals));
}

PG_FUNCTION_INFO_V1(scan_status);
Datum
scan_status(PG_FUNCTION_ARGS)
{
	Row			row = {.columns = 0};
	TupleDesc	description;
	DeviceState state = DEVICE_OFF;
	ScanGpuInfo info;
	int64		restarts = 0;
	char		reason[WIRE_REASON] = "";

	if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (worker_shared == NULL)
	{
		status_put_text(&row, state_names[DEVICE_OFF]);
		status_put_text(&row, worker_off_reason());
		for (int i = 0; i < 14; i++)
			put_number(&row, (Datum) 0, true);
	}
	else
	{
		LWLockAcquire(worker_shared->lock, LW_SHARED);
		state = worker_shared->state;
		info = worker_shared->info;
		restarts = worker_shared->restarts;
		strlcpy(reason, worker_shared->reason, sizeof(reason));
		LWLockRelease(worker_shared->lock);
		status_put_text(&row, state_names[state]);
		status_put_text(&row, reason);
		status_put_text(&row, state == DEVICE_READY ? info.name : NULL);
		status_put_text(&row, state == DEVICE_READY ? info.driver : NULL);
		status_put_text(&row, guc_gpu_library);
		put_number(&row, Int64GetDatum(info.memory), state != DEVICE_READY);
		put_number(&row, Int32GetDatum(worker_slots), false);
		put_number(&row, Int32GetDatum(free_slots()), false);
		put_number(&row, Int64GetDatum(read_counter(&worker_shared->jobs)), false);
		put_number(&row, Int64GetDatum(read_counter(&worker_shared->rows)), false);
		put_number(&row, Int64GetDatum(read_counter(&worker_shared->bytes)), false);
		put_number(&row, Int64GetDatum(read_counter(&worker_shared->fallbacks)), false);
		put_number(&row, Int64GetDatum(restarts), false);
		put_number(&row, quarantined_lines(), false);
		status_put_text(&row, state == DEVICE_READY ? info.runtime : NULL);
		put_number(&row, BoolGetDatum(info.pinned != 0), state != DEVICE_READY);
	}
	/* an older catalog has only the first columns, since new ones are added at the end */
	if (row.columns < description->natts)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the library has %d columns of scan_status, not %d", row.columns, description->natts),
						errhint("The library is older than the extension in this database. Install the library of the "
								"extension's version, and connect again.")));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), row.value, row.isnull)));
}

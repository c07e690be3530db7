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

#define COLUMNS 16

/* Returns a text column; NULL or empty text: NULL. */
static NullableDatum
text_column(const char *text)
{
	return text == NULL || text[0] == '\0' ? (NullableDatum){.isnull = true}
										   : (NullableDatum){.value = CStringGetTextDatum(text)};
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
server_count(ServerCount count)
{
	return (int64) pg_atomic_read_u64(&worker_shared->count[count]);
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
	PG_RETURN_INT64(server_count(SERVER_REFUSALS));
}

/* Fills in the columns, in order, where the server has a device. */
static void
fill_columns(NullableDatum *column)
{
	ScanGpuInfo info;
	DeviceState state;
	int64		restarts;
	char		reason[WIRE_REASON];
	bool		ready;

	LWLockAcquire(worker_shared->lock, LW_SHARED);
	state = worker_shared->state;
	info = worker_shared->info;
	restarts = worker_shared->restarts;
	strlcpy(reason, worker_shared->reason, sizeof(reason));
	LWLockRelease(worker_shared->lock);
	ready = state == DEVICE_READY;
	memcpy(column,
		   (const NullableDatum[COLUMNS]){
			   text_column(state_names[state]),
			   text_column(reason),
			   text_column(ready ? info.name : NULL),
			   text_column(ready ? info.driver : NULL),
			   text_column(guc_gpu_library),
			   {Int64GetDatum(info.memory), !ready},
			   {Int32GetDatum(worker_slots)},
			   {Int32GetDatum(free_slots())},
			   {Int64GetDatum(server_count(SERVER_JOBS))},
			   {Int64GetDatum(server_count(SERVER_ROWS))},
			   {Int64GetDatum(server_count(SERVER_BYTES))},
			   {Int64GetDatum(server_count(SERVER_FALLBACKS))},
			   {Int64GetDatum(restarts)},
			   {quarantined_lines()},
			   text_column(ready ? info.runtime : NULL),
			   {BoolGetDatum(info.pinned != 0), !ready},
		   },
		   COLUMNS * sizeof(NullableDatum));
}

PG_FUNCTION_INFO_V1(scan_status);
Datum
scan_status(PG_FUNCTION_ARGS)
{
	TupleDesc	  description;
	NullableDatum column[COLUMNS];
	Datum		  value[COLUMNS];
	bool		  isnull[COLUMNS];

	if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	/* an older catalog has only the first columns, since new ones are added at the end */
	if (description->natts > COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the library has %d columns of scan_status, not %d", COLUMNS, description->natts),
						errhint("The library is older than the extension in this database. Install the library of the "
								"extension's version, and connect again.")));
	if (worker_shared != NULL)
		fill_columns(column);
	for (int i = 0; i < COLUMNS; i++)
	{
		if (worker_shared == NULL)
			column[i] = text_column(i == 0 ? state_names[DEVICE_OFF] : i == 1 ? worker_off_reason() : NULL);
		value[i] = column[i].value;
		isnull[i] = column[i].isnull;
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), value, isnull)));
}

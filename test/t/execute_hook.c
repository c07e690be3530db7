/*
 * execute_hook.c: a library that counts how often core and scan tell the object_access_hook that a function will be
 * called.
 *
 * permissions.t compiles and loads it.  An extension such as sepgsql has the hook refuse a function or write to an
 * audit log, so the calls must not depend on the node that runs a window.  hook_reset() forgets the calls so far;
 * hook_calls() returns them as an array of the functions' OIDs, one for each call, in the order of the calls.  A
 * parallel worker, whose calls nobody can ask for, writes them to the server's log.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

#define MOST 10000

static Oid call[MOST];
static int calls;

static object_access_hook_type previous;

static void
note_execute(ObjectAccessType access, Oid class_id, Oid object, int sub, void *argument)
{
	if (previous)
		previous(access, class_id, object, sub, argument);
	if (access != OAT_FUNCTION_EXECUTE)
		return;
	if (calls < MOST)
		call[calls++] = object;
	if (IsParallelWorker())
		elog(LOG, "hook: process %d function %u", MyProcPid, object);
}

PG_FUNCTION_INFO_V1(hook_reset);
PGDLLEXPORT Datum
hook_reset(PG_FUNCTION_ARGS)
{
	calls = 0;
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(hook_calls);
PGDLLEXPORT Datum
hook_calls(PG_FUNCTION_ARGS)
{
	Datum *oid = (Datum *) palloc(MOST * sizeof(Datum));

	for (int i = 0; i < calls; i++)
		oid[i] = ObjectIdGetDatum(call[i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(oid, calls, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

void
_PG_init(void)
{
	previous = object_access_hook;
	object_access_hook = note_execute;
}

/*
 * session.c: scan_session(at, gap, reset), which numbers the sessions of a partition from 1.  A new session begins
 * where `at` is more than `gap` after the last `at` that was not NULL.
 *
 * One loop serves all types; an AtType (at.h) says how each type compares.
 */
#include "postgres.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/window/at.h"

typedef struct Session
{
	WindowConstant gap;
	RetainedDatum  previous; /* the last `at`; present: the segment had one */
	int64		   number;
} Session;

static Datum
session_call(FunctionCallInfo fcinfo, const AtType *kind)
{
	WindowCall	 *call = window_call(fcinfo);
	Session		 *session = (Session *) window_state(call, sizeof(Session));
	NullableDatum gap = at_limit(
		call, kind, &session->gap, 1, "gap",
		"\"gap\" is the longest step within a session: the later value minus the earlier value.");
	const RetainedType *type = at_retained_type(call, kind, 0);
	bool				isnull;
	Datum				at;

	if (gap.isnull)
		scan_raise_null("gap");
	window_keeps(call, 0, &session->previous, type);
	window_keeps_bytes(call, &session->number, sizeof(session->number));
	if (window_flag(call, 2))
		retained_clear(&session->previous);

	at = at_arg(call, kind, 0, &isnull);
	if (!isnull)
	{
		if (!session->previous.present)
			session->number = 1;
		else if (kind->apart(session->previous.value, at, gap.value))
			session->number++;
		retained_set(&session->previous, type, at, false, call->memory);
	}
	if (!session->previous.present)
		PG_RETURN_NULL();
	PG_RETURN_INT64(session->number);
}

/* ---- the entry points ---- */

#define SESSION(TYPE) SCAN_ENTRY(scan_session_##TYPE, session_call(fcinfo, &at_##TYPE))

SESSION(int2)
SESSION(int4)
SESSION(int8)
SESSION(float8)
SESSION(numeric)
SESSION(date)
SESSION(days)
SESSION(timestamp)
SESSION(timestamptz)

/*
 * session.c: scan_session(at, gap, reset), which numbers the sessions of a partition from 1.  A new session begins
 * where `at` is more than `gap` after the last `at` that was not NULL.
 *
 * One loop serves all types; an AtType (at.h) says how each type compares.
 */
#include "postgres.h"

#include "compat.h"
#include "functions/window/at.h"

typedef struct Session
{
	WindowConstant gap;
	bool		   checked;
	RetainedDatum  previous; /* the last `at`; present: the segment had one */
	int64		   number;
} Session;

static Datum
session_call(FunctionCallInfo fcinfo, const AtType *kind)
{
	WindowCall		   *call = window_call(fcinfo);
	Session			   *session_call = (Session *) window_state(call, sizeof(Session));
	Datum				gap = window_constant_not_null(call, &session_call->gap, 1, "gap");
	const RetainedType *type = at_retained_type(call, kind, 0);
	bool				isnull;
	Datum				at;

	if (!session_call->checked && kind->negative(gap))
		at_raise_negative(kind, "gap", gap,
						  "\"gap\" is the longest step within a session: the later value minus the earlier value.");
	session_call->checked = true;
	window_keeps(call, 0, &session_call->previous, type);
	window_keeps_bytes(call, &session_call->number, sizeof(session_call->number));
	if (window_flag(call, 2))
		retained_clear(&session_call->previous);

	at = at_arg(call, kind, 0, &isnull);
	if (!isnull)
	{
		if (!session_call->previous.present)
			session_call->number = 1;
		else if (kind->apart(session_call->previous.value, at, gap))
			session_call->number++;
		retained_set(&session_call->previous, type, at, false, call->memory);
	}
	if (!session_call->previous.present)
		PG_RETURN_NULL();
	PG_RETURN_INT64(session_call->number);
}

/* ---- the entry points ---- */

#define SESSION(TYPE)                            \
	PG_FUNCTION_INFO_V1(scan_session_##TYPE);    \
	Datum scan_session_##TYPE(PG_FUNCTION_ARGS)  \
	{                                            \
		return session_call(fcinfo, &at_##TYPE); \
	}

SESSION(int2)
SESSION(int4)
SESSION(int8)
SESSION(float8)
SESSION(numeric)
SESSION(date)
SESSION(days)
SESSION(timestamp)
SESSION(timestamptz)

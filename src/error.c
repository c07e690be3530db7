/*
 * error.c: see error.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/float.h"
#include "utils/resowner.h"

#include "error.h"

/* Callers raise the errors of the other statuses, since the message names a value. */
void
scan_raise(ScanStatus status)
{
	if (status == SCAN_INT8_OUT_OF_RANGE)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("bigint out of range")));
	if (status == SCAN_FLOAT_OVERFLOW)
		float_overflow_error();
	if (status == SCAN_INTERVAL_OUT_OF_RANGE)
		ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("interval out of range")));
	elog(ERROR, "scan: unexpected status %d", (int) status);
}

void
scan_raise_null(const char *argument)
{
	ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"%s\" must not be NULL", argument),
					errhint("Give \"%s\" a value, or leave the argument out if it has a default.", argument)));
}

void
scan_raise_null_bit(int64_t row)
{
	ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"bit\" must not be NULL"),
					errdetail("Argument \"bit\" is NULL at row " INT64_FORMAT " of the partition.", (int64) row),
					errhint("Write coalesce(bit, false) or coalesce(bit, true) to treat NULL as false or as true.")));
}

void
scan_error_in_query(void *query)
{
	int place = geterrposition();

	if (place > 0)
	{
		errposition(0);
		internalerrposition(place);
		internalerrquery((const char *) query);
	}
}

ErrorData *
scan_subtransaction(void (*run)(void *), void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		run(argument);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

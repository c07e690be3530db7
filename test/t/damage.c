/*
 * damage.c: functions for tests of kept scans.
 *
 * damage() adds a number to an integer column of all rows of a relation that no SQL command can write, such as the
 * tree. run_limited() runs a command and takes only some rows of it, as SPI_execute() lets every procedural language
 * do.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

static Datum
changed(Oid type, Datum value, int64 by)
{
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) (DatumGetInt16(value) + by));
		case INT4OID:
			return Int32GetDatum((int32) (DatumGetInt32(value) + by));
		default:
			return Int64GetDatum(DatumGetInt64(value) + by);
	}
}

/* damage(relation regclass, column text, by bigint): returns the number of rows. */
PG_FUNCTION_INFO_V1(damage);
Datum
damage(PG_FUNCTION_ARGS)
{
	Relation   relation = table_open(PG_GETARG_OID(0), RowExclusiveLock);
	TupleDesc  desc = RelationGetDescr(relation);
	AttrNumber column = get_attnum(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)));
	Snapshot   snapshot = RegisterSnapshot(GetLatestSnapshot());
#if PG_VERSION_NUM >= 190000
	TableScanDesc scan = table_beginscan(relation, snapshot, 0, NULL, SO_NONE);
#else
	TableScanDesc scan = table_beginscan(relation, snapshot, 0, NULL);
#endif
	HeapTuple tuple;
	int64	  rows = 0;

	while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL)
	{
		Datum	 *value = (Datum *) palloc(desc->natts * sizeof(Datum));
		bool	 *isnull = (bool *) palloc(desc->natts * sizeof(bool));
		HeapTuple copy;

		heap_deform_tuple(tuple, desc, value, isnull);
		if (isnull[column - 1])
			continue;
		value[column - 1] = changed(TupleDescAttr(desc, column - 1)->atttypid, value[column - 1], PG_GETARG_INT64(2));
		copy = heap_form_tuple(desc, value, isnull);
		CatalogTupleUpdate(relation, &tuple->t_self, copy);
		rows++;
	}
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	CacheInvalidateRelcache(relation);
	table_close(relation, NoLock);
	PG_RETURN_INT64(rows);
}

/* run_limited(command text, rows bigint): returns the number of rows that came. */
PG_FUNCTION_INFO_V1(run_limited);
Datum
run_limited(PG_FUNCTION_ARGS)
{
	int64 rows;

	SPI_connect();
	if (SPI_execute(text_to_cstring(PG_GETARG_TEXT_PP(0)), false, PG_GETARG_INT64(1)) < 0)
		elog(ERROR, "SPI_execute failed");
	rows = (int64) SPI_processed;
	SPI_finish();
	PG_RETURN_INT64(rows);
}

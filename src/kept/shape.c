/*
 * shape.c: the size of the smallest intervals of a kept scan, and how many levels of larger ones are above them.
 *
 * A few thousand pages of the table are looked at.  They tell how many rows the largest partition has, and how the keys
 * of all rows are spread; those of the largest partition are taken to be spread in the same way.  A guess is enough:
 * where rows are denser the tree goes down to the smallest intervals, and where they are sparser it is split less.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

#define SAMPLE_PAGES 3000.0 /* of the table that are looked at */
#define BUCKET_ROWS 64		/* rows of the largest partition that an interval of level 0 should have */

/* Runs a query of one row; false: its first column is NULL. */
static bool
read_one_row(const char *query)
{
	bool isnull;

	if (SPI_execute(query, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not run \"%s\"", query);
	(void) SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	return !isnull;
}

static Datum
column_of_one_row(int column)
{
	bool isnull;

	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);
}

/* Returns which part of the table's pages, in percent, is looked at. */
static double
sample_percent(Kept *kept)
{
	const KeptLeaves *leaves = kept_leaves(kept);
	double			  pages = 0;

	for (int i = 0; i < leaves->n; i++)
	{
		Relation table = table_open(leaves->leaf[i].table, AccessShareLock);

		pages += RelationGetNumberOfBlocks(table);
		table_close(table, AccessShareLock);
	}
	return Min(100.0, 100.0 * SAMPLE_PAGES / Max(pages, 1));
}

static void
append_sample(StringInfo sql, const Kept *kept, double percent)
{
	appendStringInfo(sql, " FROM %s AS r TABLESAMPLE pg_catalog.system (%g) REPEATABLE (0)",
					 kept_sql_relation(kept->table), percent);
}

/* Returns how many rows the largest partition has. */
static int64
largest_partition(const Kept *kept, double percent)
{
	StringInfo sql = makeStringInfo();
	double	   rows;

	appendStringInfoString(sql, "SELECT pg_catalog.max(n) FROM (SELECT pg_catalog.count(*) AS n");
	append_sample(sql, kept, percent);
	for (int p = 0; p < kept->partitions; p++)
		appendStringInfo(sql, "%s r.%s", p == 0 ? " GROUP BY" : ",", quote_identifier(kept->partition[p].name));
	appendStringInfoString(sql, ") AS s");
	rows = read_one_row(sql->data) ? (double) DatumGetInt64(column_of_one_row(1)) : 0;
	SPI_freetuptable(SPI_tuptable);
	return (int64) (rows * 100.0 / percent);
}

/*
 * Returns how many keys lie between the first and the last row, but for a twentieth of the rows at either end: an
 * infinite key, or one of the year 1, says nothing of the others.
 */
static uint64
key_span(const Kept *kept, double percent)
{
	StringInfo sql = makeStringInfo();
	uint64	   span = 0;

	for (int end = 0; end < 2; end++)
		appendStringInfo(sql, "%s pg_catalog.percentile_disc(%s) WITHIN GROUP (ORDER BY r.%s)", end ? "," : "SELECT",
						 end ? "0.95" : "0.05", quote_identifier(kept->key[0].name));
	append_sample(sql, kept, percent);
	if (read_one_row(sql->data))
		span = (uint64) kept_key_number(kept, column_of_one_row(2)) -
			   (uint64) kept_key_number(kept, column_of_one_row(1));
	SPI_freetuptable(SPI_tuptable);
	return span + span / 9;
}

void
kept_choose_shape(Kept *kept)
{
	double percent = sample_percent(kept);
	int64  rows = largest_partition(kept, percent);
	uint64 span = rows > BUCKET_ROWS ? key_span(kept, percent) : 0;
	int	   widths = kept->calendar ? KEPT_CALENDAR_WIDTHS : KEPT_MOST_LEVELS;
	/* nobody knows how dense the rows of an empty table will be: an hour, or 64 numbers */
	double keys = kept->calendar ? (double) USECS_PER_HOUR : 64;

	if (rows > BUCKET_ROWS)
		keys = (double) span / (double) (rows / BUCKET_ROWS);
	/*
	 * The width that is nearest, by ratio.  Rejected: the widest one with at most so many keys.  Intervals of a sixth
	 * are more deltas, and no more nodes: leaves have four times BUCKET_ROWS.
	 */
	kept->smallest = 0;
	while (kept->smallest < widths - 1 && kept_width(kept, 1) <= kept->finest &&
		   (double) kept_width(kept, 0) * (double) kept_width(kept, 1) < keys * keys)
		kept->smallest++;
	/*
	 * An interval of the highest level has sixteen times the keys that there are now, and at least a million intervals
	 * of level 0.  Later keys make further roots, a few for each partition; each level above would be a node more to
	 * read and to write.
	 */
	kept->top = 0;
	while (kept->smallest + kept->top < widths - 1 && ((uint64) kept_width(kept, kept->top) / 16 < span ||
													   kept_width(kept, kept->top) >> 20 < kept_width(kept, 0)))
		kept->top++;
	kept->shaped = GetCurrentTimestamp();
	kept->outgrown = false;
}

/*
 * The intervals may be about four times too large or too small, by one width: then a reader reads a few hundred rows
 * more.
 */
#define MOST_WIDTHS_OFF 1

bool
kept_shape_fits(const Kept *kept)
{
	Kept now = *kept;

	kept_choose_shape(&now);
	return abs(now.smallest - kept->smallest) <= MOST_WIDTHS_OFF;
}

/*
 * first_table.h: finds the first row of each of very many partitions, by numbers.
 *
 * first_rows.c asks it where one key of PARTITION BY is passed by value, and the first key of ORDER BY, if there is
 * one, has numbers that compare as its values do.  An entry has the partition's key, the number of its first row so
 * far, and the row's position.  Three entries lie in a cache line.  So a row costs one cache miss, which is fetched
 * ahead together with those of the other rows of a batch.
 *
 * partition_table.h is for all other keys.  Its entries lie across cache lines, and it reads the rows where they lie.
 * For a million partitions of ten million rows it took 1.3 times as long as a sort of all rows, and this table 0.9.
 */
#ifndef SCAN_NODE_INPUT_FIRST_TABLE_H
#define SCAN_NODE_INPUT_FIRST_TABLE_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"

typedef struct FirstTable FirstTable;

/* Rows of a batch that are stored, and where: in place of another row, or behind the last one. */
typedef struct FirstChoice
{
	int64	n;
	uint32 *which; /* rows of the batch; one may take the place of one before it */
	uint32 *at;	   /* their positions among the rows that are held */
} FirstChoice;

/* True if the table can be used with such keys. */
extern bool first_table_suits(const WindowKeys *keys);

/* Creates a table, in memory of its own below `parent`.  window_keys_prepare() must have been called. */
extern FirstTable *first_table_create(const WindowKeys *keys, MemoryContext parent);

/* Empties the table.  When it is used again it has room for so many partitions, and takes first_table_bytes(). */
extern void first_table_reset(FirstTable *table, int64 partitions);
extern Size first_table_bytes(int64 partitions);

/* Returns the bytes that the table takes now, and the number of partitions in it. */
extern Size	 first_table_size(const FirstTable *table);
extern int64 first_table_partitions(const FirstTable *table);

/* Readies the table to look up the rows of a batch, of which the keys are there. */
extern void first_table_begin_batch(FirstTable *table, const Rows *batch);

/*
 * Looks up the rows of the batch from row `from` on, while the rows that are held are in `rows`.  Chooses those that
 * begin a partition, or that come before the row of their partition.  Returns the first row that has not been looked
 * up.  The chosen rows must be stored before the next call.
 */
extern int64 first_table_choose(FirstTable *table, const Rows *rows, int64 from, FirstChoice *choice);

#endif /* SCAN_NODE_INPUT_FIRST_TABLE_H */

/*
 * sorted.h: sorts input that is not in window order.
 */
#ifndef SCAN_NODE_INPUT_SORTED_H
#define SCAN_NODE_INPUT_SORTED_H

#include "postgres.h"

#include "node/input/block_reader.h"

/* Creates a Rows without rows, laid out to be sorted, in reader->memory. */
extern Rows *sorted_rows(BlockReader *reader);

/*
 * Where several processes read the child: repartitions the rows that this process reads, by partition.  Returns when
 * all processes have repartitioned theirs.
 */
extern void sorted_repartition(BlockReader *reader);

/* Pulls and sorts the input, or the batch that was taken.  Afterwards reader->all or reader->runs has its rows. */
extern void sorted_input(BlockReader *reader);

/* Appends at most `limit` of the next rows of the runs; returns how many; 0: there are no more. */
extern int64 sorted_pull(BlockReader *reader, Rows *rows, int64 limit);

/* Frees the sorted rows and the runs. */
extern void sorted_rewind(BlockReader *reader);

#endif /* SCAN_NODE_INPUT_SORTED_H */

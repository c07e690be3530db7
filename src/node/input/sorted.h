/*
 * sorted.h: input that is not in window order.
 */
#ifndef SCAN_NODE_INPUT_SORTED_H
#define SCAN_NODE_INPUT_SORTED_H

#include "postgres.h"

#include "node/input/reader.h"

/* No rows yet, laid out to be sorted. */
extern Rows *sorted_rows(BlockReader *reader);

/* Finds the comparisons of the keys, once. */
extern void sorted_prepare_comparisons(BlockReader *reader);

/* Where several processes read the child: repartitions its rows out, and waits for the others to do so. */
extern void sorted_repartition(BlockReader *reader);

/* Pulls and sorts the whole input, or a batch of it; afterwards either reader->all or reader->runs has it. */
extern void sorted_input(BlockReader *reader);

/* The next rows of the runs, as pull_rows. */
extern int64 sorted_pull(BlockReader *reader, Rows *rows, int64 limit);

/* Lets go of the input. */
extern void sorted_rewind(BlockReader *reader);

#endif /* SCAN_NODE_INPUT_SORTED_H */

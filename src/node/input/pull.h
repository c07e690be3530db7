/*
 * pull.h: gets rows of the child and lays them down in columns.
 */
#ifndef SCAN_NODE_INPUT_PULL_H
#define SCAN_NODE_INPUT_PULL_H

#include "postgres.h"

#include "node/input/block_reader.h"

/* Finds the shortest way to the child's rows.  reader->column must be filled in. */
extern void pull_begin(BlockReader *reader);

/* Appends at most `limit` of the child's next rows, fewer if they are large; returns how many; 0: there are no more. */
extern int64 pull_rows(BlockReader *reader, Rows *rows, int64 limit);

#endif /* SCAN_NODE_INPUT_PULL_H */

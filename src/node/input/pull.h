/*
 * pull.h: rows of the child, laid down in columns.
 */
#ifndef SCAN_NODE_INPUT_PULL_H
#define SCAN_NODE_INPUT_PULL_H

#include "postgres.h"

#include "node/input/reader.h"

/* Finds the shortest way to the child's rows, of which the columns are known. */
extern void pull_begin(BlockReader *reader);

/* Appends the child's next rows, at most `most` of them, or fewer where they are large; 0: there are no more. */
extern int64 pull_rows(BlockReader *reader, Rows *rows, int64 limit);

#endif /* SCAN_NODE_INPUT_PULL_H */

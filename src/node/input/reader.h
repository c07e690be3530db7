/*
 * reader.h: reads the input of PrefixScan and returns it in blocks of rows in window order.
 *
 * exec/ calls it; exec/begin.c fills in what is fixed.  Three layers do the rest: pull.c gets rows, sorted.c sorts them
 * if needed, reader.c makes blocks of them.  evaluate/ sees only the Block.
 */
#ifndef SCAN_NODE_INPUT_READER_H
#define SCAN_NODE_INPUT_READER_H

#include "postgres.h"

#include "node/input/block_reader.h"

/* Makes the next block reader->block; false: there is none. */
extern bool reader_next(BlockReader *reader);

/* Asks for blocks of `rows` rows from the next one on; blocks have fewer where memory is short. */
extern void reader_prefer_rows(BlockReader *reader, int64 rows);

/* Forgets all rows and begins again, with a child that has been rescanned. */
extern void reader_rewind(BlockReader *reader);

/* Closes the files and frees the sorted rows. */
extern void reader_end(BlockReader *reader);

#endif /* SCAN_NODE_INPUT_READER_H */

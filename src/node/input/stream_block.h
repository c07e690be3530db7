/*
 * stream_block.h: fills blocks with rows of input that streams.
 */
#ifndef SCAN_NODE_INPUT_STREAM_BLOCK_H
#define SCAN_NODE_INPUT_STREAM_BLOCK_H

#include "postgres.h"

#include "node/input/block_reader.h"

/*
 * Begins the next block, as reader->block: with the rows of the last block that functions look back at or frames reach,
 * and the rows that were read after the last block's end.
 */
extern Block *stream_next_block(BlockReader *reader);

/* Appends at most n more rows to a block, with their boundaries; false: there are none. */
extern bool stream_more_rows(BlockReader *reader, Block *block, int64 n);

/* True if a block's rows take as much memory as one unit may take. */
extern bool stream_block_is_full(const BlockReader *reader, const Block *block);

/*
 * Has the functions accumulate the unit that begins with reader->block; returns how many rows the unit has.  Its rows
 * are removed from the block, and stream_more_rows() reads them again.  `careful`: of the rows after the unit, only the
 * next one is read.
 */
extern int64 stream_accumulate_unit(BlockReader *reader, Lookahead unit, bool careful);

/* Forgets all rows, and closes the files that they are read from. */
extern void stream_rewind(BlockReader *reader);

#endif /* SCAN_NODE_INPUT_STREAM_BLOCK_H */

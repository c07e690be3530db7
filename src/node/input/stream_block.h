/*
 * stream_block.h: blocks of input that streams.
 */
#ifndef SCAN_NODE_INPUT_STREAM_BLOCK_H
#define SCAN_NODE_INPUT_STREAM_BLOCK_H

#include "postgres.h"

#include "node/input/reader.h"

/* Makes the next block the reader's: it has the rows that functions look back at, and those that are there already. */
extern Block *stream_next_block(BlockReader *reader);

/* Appends at most n more rows to a block, and marks them; false: there are none. */
extern bool stream_more_rows(BlockReader *reader, Block *block, int64 n);

/* Whether a block has as many rows as may be held of one unit. */
extern bool stream_block_is_full(const BlockReader *reader, const Block *block);

/*
 * Has all rows of the unit that begins with the reader's block looked at, and comes back to its
 * first one, which is not in the block any more; returns how many they are.  `careful`: no row
 * after the unit is read but the next one.
 */
extern int64 stream_accumulate_unit(BlockReader *reader, Lookahead unit, bool careful);

/* Forgets all rows. */
extern void stream_rewind(BlockReader *reader);

#endif /* SCAN_NODE_INPUT_STREAM_BLOCK_H */

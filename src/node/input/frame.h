/*
 * frame.h: computes sliding frames: which rows a function looks at for each row of a block.
 *
 * exec/begin.c fills in what is fixed, the reader has the frames of a block computed, and evaluate/ reads them.  A
 * frame that begins with its partition and ends with the row, its last peer or the partition does not slide, and needs
 * nothing from here.
 */
#ifndef SCAN_NODE_INPUT_FRAME_H
#define SCAN_NODE_INPUT_FRAME_H

#include "postgres.h"

#include "node/input/blocks.h"

/* Computes the offsets, before the first row is read.  Raises core's errors for an offset that is NULL or negative. */
extern void frame_start(Frame *frame, ExprContext *econtext);

/*
 * Returns how many rows every frame has, partition's ends aside, if that is one number: for ROWS between two offsets or
 * the current row.  Else returns 0.  The offsets must be known.
 */
extern int64 frame_rows(const Frame *frame);

/*
 * Computes the frames of input->block's rows up to row n - 1, and reads more rows where frames reach them.  Returns n,
 * or, with `may_end`, an earlier row where the block must end: the bounds of this row may raise an error, which must
 * not come up before the rows before it have been emitted.
 */
extern int64 frame_block(BlockInput *input, int64 n, bool may_end);

/* True if the bounds of the block's rows up to row n - 1 may raise an error: the block should be one that may end. */
extern bool frame_may_fail(const Frame *frame, const Block *block, int64 n);

#endif /* SCAN_NODE_INPUT_FRAME_H */

/*
 * overlap.h: finds the rows of a range, and before it, that the next range of the window order needs.
 */
#ifndef SCAN_NODE_INPUT_OVERLAP_H
#define SCAN_NODE_INPUT_OVERLAP_H

#include "postgres.h"

#include "node/input/block_reader.h"

/* Positions in reader->order. */
typedef struct Overlap
{
	int64 shown;  /* the first row that is left to the next range, since it looks ahead at rows there */
	int64 needed; /* the first row that rows from `shown` on look back at; negative: it may come before position 0 */
} Overlap;

/* Finds the overlap of the rows from reader->next on; `last`: no range with rows comes after them. */
extern Overlap overlap_find(BlockReader *reader, bool last);

#endif /* SCAN_NODE_INPUT_OVERLAP_H */

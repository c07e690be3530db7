/*
 * overlap.h: what the next range of a window's order needs of the rows of a range, and those before it.
 */
#ifndef SCAN_NODE_INPUT_OVERLAP_H
#define SCAN_NODE_INPUT_OVERLAP_H

#include "postgres.h"

#include "node/input/reader.h"

/* Places in the order of the rows that are there. */
typedef struct Overlap
{
	int64 shown; /* the first row that is left to the next range, which has what it looks ahead at */
	int64
		needed; /* the first row that those from there on look back at; negative: it comes before all that are there */
} Overlap;

/* That of the rows from reader->next on, which are a range, or the last one of all. */
extern Overlap overlap_find(BlockReader *reader, bool last);

#endif /* SCAN_NODE_INPUT_OVERLAP_H */

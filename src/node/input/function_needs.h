/*
 * function_needs.h: what the functions of a window ask of the input, all of them together.
 *
 * exec/begin.c fills it in.  Blocks have to hold that much around their rows, and ranges hand that much over.
 */
#ifndef SCAN_NODE_INPUT_FUNCTION_NEEDS_H
#define SCAN_NODE_INPUT_FUNCTION_NEEDS_H

#include "postgres.h"

#include "column/block.h"

typedef struct FunctionNeeds
{
	bool  whole[LOOKAHEAD_PARTITION + 1]; /* for each unit: some function has to know it whole */
	int64 before;						  /* the most rows that a function looks back at */
	int64 after;						  /* the most rows that a function looks ahead at */
	Size  result_bytes;					  /* of all functions' results for one row */
} FunctionNeeds;

#endif /* SCAN_NODE_INPUT_FUNCTION_NEEDS_H */

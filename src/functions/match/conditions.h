/*
 * conditions.h: the conditions of scan_match, the arguments after the pattern, as one mask for each row.
 *
 * match.c reads the rows of a stretch by it.
 */
#ifndef SCAN_FUNCTIONS_MATCH_CONDITIONS_H
#define SCAN_FUNCTIONS_MATCH_CONDITIONS_H

#include "functions/match/states.h"
#include "functions/window/argument.h"

/* Raises an error if the conditions do not fit the pattern. */
extern void conditions_check(WindowCall *call, const PatternStates *states);

/*
 * Reads the conditions of a row of the partition: bit i is true if the row satisfies PatternStates.letter[i].  NULL is
 * false.  Returns false if there is no such row.
 */
extern bool conditions_read(WindowCall *call, const PatternStates *states, int64 row, uint32 *mask);

/* The columns of the conditions, where PrefixScan has them: it need not be asked for each value then. */
typedef struct ConditionColumns
{
	bool		  known;
	const Column *column[PATTERN_LETTERS]; /* of each of PatternStates.letter */
	int64		  at;					   /* the place of the row that was asked for */
	int64		  rows;					   /* from there to the partition's end */
} ConditionColumns;

/* Finds the columns from a row of the partition on. */
extern void conditions_find_columns(WindowCall *call, const PatternStates *states, int64 row,
									ConditionColumns *columns);

/* Returns the conditions of the row that lies `i` rows after the one that was asked for.  A NULL has zero bytes. */
static inline uint32
conditions_of_columns(const PatternStates *states, const ConditionColumns *columns, int64 i)
{
	uint32 mask = 0;

	for (int letter = 0; letter < states->letters; letter++)
	{
		const Column *column = columns->column[letter];

		mask |= (uint32) (*(const bool *) (column->value + (columns->at + i) * column->stride)) << letter;
	}
	return mask;
}

#endif /* SCAN_FUNCTIONS_MATCH_CONDITIONS_H */

/*
 * states.h: the states of a pattern, and in which order each of them prefers the next ones.
 *
 * match.c goes from state to state, and state_sets.c makes sets of states.
 */
#ifndef SCAN_FUNCTIONS_MATCH_STATES_H
#define SCAN_FUNCTIONS_MATCH_STATES_H

#include "functions/match/pattern.h"

/* The first states; the others are one for each letter of the program: a row was taken for it. */
enum
{
	STATE_FIRST_ROW = 0, /* no row was taken, and none of the partition lies before */
	STATE_NO_ROW = 1,	 /* no row was taken */
	STATE_LETTERS = 2,
};

#define STATE_ACCEPT (-1) /* in PatternState.next: the match ends before the next row */
#define STATE_NONE (-2)

typedef struct PatternState
{
	int letter; /* of the row that was taken: a number of PatternStates.letter; of STATE_FIRST_ROW and STATE_NO_ROW:
				   none */
	int	 n;
	int *next;	  /* the states after one more row, the preferred one first.  STATE_ACCEPT may be the last one. */
	bool accepts; /* STATE_ACCEPT is in `next` */
	bool accepts_at_end; /* the match may end here if no row lies ahead */
} PatternState;

typedef struct PatternStates
{
	PatternState *state;
	int			  n;
	int			  letters;				   /* letters that the pattern has */
	int			  letter[PATTERN_LETTERS]; /* these letters: 0 for a */
	int			  place[PATTERN_LETTERS];  /* where the pattern first has each of them */
} PatternStates;

/* Makes the states of a pattern, in the current memory context. */
extern PatternStates *pattern_states(const char *text);

#endif /* SCAN_FUNCTIONS_MATCH_STATES_H */

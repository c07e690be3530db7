/*
 * state_sets.h: sets of states of a pattern, from row to row.
 *
 * match.c asks row after row which states are possible, forward and backward.  A set and the conditions of a row say
 * which set is next, so sets are numbered and the answers are kept: most rows cost a look at a table, as in a finite
 * automaton, whose states these sets are.  Of the sets that a pattern may have (two to the power of its states), only
 * those are made that rows lead to.
 */
#ifndef SCAN_FUNCTIONS_MATCH_STATE_SETS_H
#define SCAN_FUNCTIONS_MATCH_STATE_SETS_H

#include "functions/match/states.h"

typedef struct StateSets StateSets; /* one direction */

/* The set without states, in both directions. */
#define SET_EMPTY 0

/* Creates the sets of a direction in the current memory context, which also has the states. */
extern StateSets *forward_sets(const PatternStates *states);
extern StateSets *backward_sets(const PatternStates *states);

/*
 * Returns the next set, of a row whose conditions are `mask`: bit i is PatternStates.letter[i].
 *
 * Forward: the states that are possible after the row, if those of `set` were possible before it, and a match may also
 * begin with the row.  Backward: the states that are possible after the row, if after the next row those of `set` are
 * possible, and lead to the match's end.
 */
extern int sets_next(StateSets *sets, int set, uint32 mask);

/* Returns a set of one state.  PatternStates.n stands for the partition's end: backward, the row after the last one. */
extern int sets_of_state(StateSets *sets, int state);

extern bool set_has(const StateSets *sets, int set, int state);

/* Forward: true if a state of the set can take another row, or is none but at the partition's end. */
extern bool set_goes_on(const StateSets *sets, int set);

/*
 * The number of sets, and a way to make it small again: all are forgotten but SET_EMPTY and one, whose new number is
 * returned.
 */
extern int sets_count(const StateSets *sets);
extern int sets_forget(StateSets *sets, int keep);

/* A set as words, to be kept where sets are forgotten, and back. */
extern int	sets_words(const StateSets *sets);
extern void set_save(const StateSets *sets, int set, uint64 *words);
extern int	set_restore(StateSets *sets, const uint64 *words);

#endif /* SCAN_FUNCTIONS_MATCH_STATE_SETS_H */

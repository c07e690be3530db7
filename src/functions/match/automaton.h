/*
 * automaton.h: the parts of scan_match: a pattern, its states, sets of these, and the conditions of rows.
 *
 * match.c calls all of them.
 */
#ifndef SCAN_FUNCTIONS_MATCH_AUTOMATON_H
#define SCAN_FUNCTIONS_MATCH_AUTOMATON_H

#include "postgres.h"

#include "functions/window/argument.h"

/* ---- pattern.c: a pattern as a program ---- */

#define PATTERN_LETTERS 26 /* a to z */

/* The most instructions, rows that a letter stands for, and levels of parentheses that a pattern may have. */
#define PATTERN_MOST_STEPS 10000
#define PATTERN_MOST_LETTERS 1000
#define PATTERN_MOST_DEPTH 100

typedef enum StepKind
{
	STEP_LETTER, /* takes one row that satisfies the letter's condition */
	STEP_FORK,	 /* goes on at `first`, or else at `second` */
	STEP_JUMP,	 /* goes on at `first` */
	STEP_ENTER,	 /* begins an iteration that must take a row */
	STEP_LEAVE,	 /* ends it */
	STEP_START,	 /* goes on where no row of the partition lies before */
	STEP_END,	 /* goes on where no row of the partition lies ahead */
	STEP_ACCEPT, /* the pattern is matched */
} StepKind;

/* An instruction.  Where nothing else is said, the program goes on at the next one. */
typedef struct PatternStep
{
	StepKind kind;
	int		 letter; /* STEP_LETTER: 0 for a */
	int		 first, second;
	int		 depth; /* STEP_ENTER, STEP_LEAVE: how many others are open around this one */
} PatternStep;

typedef struct PatternProgram
{
	PatternStep *step;
	int			 n;
	int			 letters;				 /* steps of kind STEP_LETTER */
	int			 depth;					 /* the most STEP_ENTER that are open at once */
	int			 place[PATTERN_LETTERS]; /* where the pattern first has a letter, in characters from 1; 0: nowhere */
} PatternProgram;

/* Reads a pattern.  The program lives in the current memory context.  Raises an error that says where a mistake is. */
extern PatternProgram *pattern_read(const char *text);

/* Raises the error that something is wrong at a place of a pattern, in characters from 1. */
extern void pattern_raise(int place, const char *what, const char *hint) __attribute__((noreturn));

/* ---- states.c: the states of a pattern, and in which order each of them prefers the next ones ---- */

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

/* ---- state_sets.c: sets of states of a pattern, from row to row ---- */

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

/* If there are many sets, forgets all but SET_EMPTY and `keep`.  Returns the number that `keep` has then. */
extern int sets_forget(StateSets *sets, int keep);

/* A set as words, to be kept where sets are forgotten, and back. */
extern int	sets_words(const StateSets *sets);
extern void set_save(const StateSets *sets, int set, uint64 *words);
extern int	set_restore(StateSets *sets, const uint64 *words);

/* ---- conditions.c: the conditions, the arguments after the pattern, as one mask for each row ---- */

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

#endif /* SCAN_FUNCTIONS_MATCH_AUTOMATON_H */

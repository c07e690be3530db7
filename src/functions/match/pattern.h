/*
 * pattern.h: a pattern of scan_match as a program.
 *
 * pattern.c reads the text, and states.c makes states of the program.
 */
#ifndef SCAN_FUNCTIONS_MATCH_PATTERN_H
#define SCAN_FUNCTIONS_MATCH_PATTERN_H

#include "postgres.h"

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
	int		 first;
	int		 second;
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

#endif /* SCAN_FUNCTIONS_MATCH_PATTERN_H */

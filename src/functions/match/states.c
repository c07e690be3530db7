/*
 * states.c: makes states of the program of a pattern.
 *
 * A state is a letter of the program that has taken a row.  The states after it are the letters that the program can
 * reach without a row, in the order in which a machine that goes back would try them; a letter that is reached twice
 * counts where it is reached first, since what follows is the same.  What comes after the end of the program would
 * never be tried, so the list ends there.  (These are the positions of Glushkov's automaton, with an order.)
 *
 * STEP_ENTER and STEP_LEAVE forbid an iteration without a row.  A way without rows that enters an iteration must not
 * leave it.  Iterations lie in each other, so a way need only know the outermost one that it has entered: it cannot
 * leave that, and so none around it either.  So there are as many ways through a step as there are levels, not one for
 * each path.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "functions/match/automaton.h"

/* Follows all ways from a step that take no row. */
typedef struct WayFinder
{
	const PatternProgram *program;
	const int			 *state_of; /* the state of each step of kind STEP_LETTER */
	bool				  is_first; /* no row of the partition lies before */
	bool				  is_end;	/* none lies ahead: letters lead nowhere */
	int					  round;
	int					 *visited; /* the round in which a step was visited on a level: [step][level] */
	int					 *listed;  /* the round in which a state was listed */
	int					 *next;	   /* the states found */
	int					  n;
	bool				  accepts;
} WayFinder;

static void
list_letter(WayFinder *finder, int state)
{
	if (finder->is_end || finder->listed[state] == finder->round)
		return;
	finder->listed[state] = finder->round;
	finder->next[finder->n++] = state;
}

/* `entered`: the level of the outermost iteration that this way has entered; program->depth: it has entered none. */
static void
follow_ways(WayFinder *finder, int at, int entered)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	while (!finder->accepts)
	{
		const PatternStep *step = &finder->program->step[at];
		int				  *visited = &finder->visited[at * (finder->program->depth + 1) + entered];

		if (*visited == finder->round)
			return;
		*visited = finder->round;
		at++;
		switch (step->kind)
		{
			case STEP_LETTER:
				list_letter(finder, finder->state_of[at - 1]);
				return;
			case STEP_FORK:
				follow_ways(finder, step->first, entered);
				at = step->second;
				break;
			case STEP_JUMP:
				at = step->first;
				break;
			case STEP_ENTER:
				entered = Min(entered, step->depth);
				break;
			case STEP_LEAVE:
				if (step->depth >= entered)
					return;
				break;
			case STEP_START:
				if (!finder->is_first)
					return;
				break;
			case STEP_END:
				if (!finder->is_end)
					return;
				break;
			case STEP_ACCEPT:
				finder->accepts = true;
				return;
		}
	}
}

static void
find_ways(WayFinder *finder, int from, bool is_first, bool is_end)
{
	finder->round++;
	finder->is_first = is_first;
	finder->is_end = is_end;
	finder->n = 0;
	finder->accepts = false;
	follow_ways(finder, from, finder->program->depth);
}

static void
state_set_ways(PatternState *state, WayFinder *finder, int from, bool is_first)
{
	find_ways(finder, from, is_first, true);
	state->accepts_at_end = finder->accepts;
	find_ways(finder, from, is_first, false);
	state->accepts = finder->accepts;
	state->n = finder->n + (finder->accepts ? 1 : 0);
	state->next = (int *) palloc(Max(state->n, 1) * sizeof(int));
	memcpy(state->next, finder->next, finder->n * sizeof(int));
	if (finder->accepts)
		state->next[finder->n] = STATE_ACCEPT;
}

/* Numbers the letters that the pattern has; returns the number of each letter. */
static void
number_letters(PatternStates *states, const PatternProgram *program, int number[PATTERN_LETTERS])
{
	for (int letter = 0; letter < PATTERN_LETTERS; letter++)
	{
		number[letter] = states->letters;
		if (program->place[letter] == 0)
			continue;
		states->letter[states->letters] = letter;
		states->place[states->letters++] = program->place[letter];
	}
}

PatternStates *
pattern_states(const char *text)
{
	MemoryContext	result = CurrentMemoryContext;
	MemoryContext	scratch = AllocSetContextCreate(result, "scan pattern", ALLOCSET_DEFAULT_SIZES);
	PatternStates  *states = (PatternStates *) palloc0(sizeof(PatternStates));
	WayFinder		finder;
	PatternProgram *program;
	int			   *state_of, number[PATTERN_LETTERS];

	MemoryContextSwitchTo(scratch);
	program = pattern_read(text);
	number_letters(states, program, number);
	states->n = STATE_LETTERS + program->letters;
	state_of = (int *) palloc0(program->n * sizeof(int));
	for (int i = 0, state = STATE_LETTERS; i < program->n; i++)
		if (program->step[i].kind == STEP_LETTER)
			state_of[i] = state++;
	finder = (WayFinder){.program = program,
						 .state_of = state_of,
						 .visited = (int *) palloc0(program->n * (program->depth + 1) * sizeof(int)),
						 .listed = (int *) palloc0(states->n * sizeof(int)),
						 .next = (int *) palloc(states->n * sizeof(int))};

	MemoryContextSwitchTo(result);
	states->state = (PatternState *) palloc0(states->n * sizeof(PatternState));
	state_set_ways(&states->state[STATE_FIRST_ROW], &finder, 0, true);
	state_set_ways(&states->state[STATE_NO_ROW], &finder, 0, false);
	for (int i = 0; i < program->n; i++)
		if (program->step[i].kind == STEP_LETTER)
		{
			PatternState *state = &states->state[state_of[i]];

			state->letter = number[program->step[i].letter];
			state_set_ways(state, &finder, i + 1, false);
		}
	MemoryContextDelete(scratch);
	return states;
}

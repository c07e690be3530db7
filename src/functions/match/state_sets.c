/*
 * state_sets.c: sets of states of a pattern, from row to row.
 *
 * match.c asks row after row which states are possible, forward and backward.  A set and the conditions of a row say
 * which set is next, so sets are numbered and the answers are kept: most rows cost a look at a table, as in a finite
 * automaton, whose states these sets are.  Of the sets that a pattern may have (two to the power of its states), only
 * those are made that rows lead to.
 *
 * A set is a row of bits, one for each state and one for the partition's end.  Both directions compute the next set in
 * one way: the states that `base` has, or that one of the set's states leads to, as far as the row satisfies the
 * conditions of their letters.  Forward, a state leads to the states after it, and the base is those after a beginning.
 * Backward, it leads to the states before it, and the base is the states in which the match may end.
 *
 * Conditions that no letter names are not in a row's mask.  A pattern of up to DIRECT_LETTERS letters has a column of
 * the table for each mask; with more letters, columns are given to masks as they come, and taken away when there are
 * too many.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "functions/match/automaton.h"

#define DIRECT_LETTERS 8
#define COLUMNS (1 << DIRECT_LETTERS)
#define UNKNOWN (-1)

#define WORD_BITS 64

#define MOST_SETS 4096 /* above this number, sets are forgotten where they can be */

/* The column of a mask. */
typedef struct MaskColumn
{
	uint32 mask;
	int32  column;
	char   status;
} MaskColumn;

#define SH_PREFIX mask_columns
#define SH_ELEMENT_TYPE MaskColumn
#define SH_KEY_TYPE uint32
#define SH_KEY mask
#define SH_HASH_KEY(table, key) murmurhash32(key)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* A set in the hash table of all sets, by its number. */
typedef struct SetEntry
{
	int32 set;
	char  status;
} SetEntry;

static uint32 hash_of_set(const StateSets *sets, int set);
static bool	  same_set(const StateSets *sets, int a, int b);

#define SH_PREFIX set_numbers
#define SH_ELEMENT_TYPE SetEntry
#define SH_KEY_TYPE int32
#define SH_KEY set
#define SH_HASH_KEY(table, key) hash_of_set((const StateSets *) (table)->private_data, key)
#define SH_EQUAL(table, a, b) same_set((const StateSets *) (table)->private_data, a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct StateSets
{
	int				  words;	 /* of a set */
	uint64			 *base;		 /* a set */
	uint64			 *leads_to;	 /* a set for each state, and for the partition's end */
	uint64			 *of_letter; /* a set for each letter of the pattern: its states */
	uint64			 *goes_on;	 /* forward: the states of set_goes_on() */
	int				  letters;
	uint64			 *set;	/* n sets, and room for one more */
	int32			 *next; /* n times `columns`; UNKNOWN */
	int				  n, room, columns;
	set_numbers_hash *numbers;

	/* more than DIRECT_LETTERS letters */
	mask_columns_hash *column_of;
	uint32			   last_mask; /* the last one that was asked for */
	int32			   last_column;
};

/* ---- bits ---- */

static inline bool
has_bit(const uint64 *words, int bit)
{
	return words[bit / WORD_BITS] >> (bit % WORD_BITS) & 1;
}

static inline void
set_bit(uint64 *words, int bit)
{
	words[bit / WORD_BITS] |= UINT64CONST(1) << (bit % WORD_BITS);
}

static inline uint64 *
words_of(const StateSets *sets, int set)
{
	return sets->set + (Size) set * sets->words;
}

static uint32
hash_of_set(const StateSets *sets, int set)
{
	return hash_bytes((const unsigned char *) words_of(sets, set), sets->words * sizeof(uint64));
}

static bool
same_set(const StateSets *sets, int a, int b)
{
	return memcmp(words_of(sets, a), words_of(sets, b), sets->words * sizeof(uint64)) == 0;
}

/* ---- the numbers of sets ---- */

static void
sets_grow(StateSets *sets)
{
	sets->room *= 2;
	sets->set = (uint64 *) repalloc_huge(sets->set, ((Size) sets->room + 1) * sets->words * sizeof(uint64));
	sets->next = (int32 *) repalloc_huge(sets->next, (Size) sets->room * sets->columns * sizeof(int32));
}

/* Returns the place of a set that is to be numbered. */
static uint64 *
new_set(StateSets *sets)
{
	if (sets->n == sets->room)
		sets_grow(sets);
	return words_of(sets, sets->n);
}

/* Returns the number of the set in new_set(): that of an equal one if there is one. */
static int
number_new_set(StateSets *sets)
{
	bool	  found;
	SetEntry *entry = set_numbers_insert(sets->numbers, sets->n, &found);

	if (found)
		return entry->set;
	for (int i = 0; i < sets->columns; i++)
		sets->next[(Size) sets->n * sets->columns + i] = UNKNOWN;
	return sets->n++;
}

static void
add_empty_set(StateSets *sets)
{
	memset(new_set(sets), 0, sets->words * sizeof(uint64));
	(void) number_new_set(sets);
}

int
sets_of_state(StateSets *sets, int state)
{
	uint64 *words = new_set(sets);

	memset(words, 0, sets->words * sizeof(uint64));
	set_bit(words, state);
	return number_new_set(sets);
}

bool
set_has(const StateSets *sets, int set, int state)
{
	return has_bit(words_of(sets, set), state);
}

int
sets_words(const StateSets *sets)
{
	return sets->words;
}

void
set_save(const StateSets *sets, int set, uint64 *words)
{
	memcpy(words, words_of(sets, set), sets->words * sizeof(uint64));
}

int
set_restore(StateSets *sets, const uint64 *words)
{
	memcpy(new_set(sets), words, sets->words * sizeof(uint64));
	return number_new_set(sets);
}

int
sets_forget(StateSets *sets, int keep)
{
	uint64 *words;
	int		kept;

	if (sets->n <= MOST_SETS)
		return keep;
	words = (uint64 *) palloc(sets->words * sizeof(uint64));
	set_save(sets, keep, words);
	set_numbers_reset(sets->numbers);
	sets->n = 0;
	add_empty_set(sets);
	kept = set_restore(sets, words);
	pfree(words);
	return kept;
}

bool
set_goes_on(const StateSets *sets, int set)
{
	const uint64 *words = words_of(sets, set);

	for (int i = 0; i < sets->words; i++)
		if (words[i] & sets->goes_on[i])
			return true;
	return false;
}

/* ---- columns ---- */

/* Returns the column of a mask of more than DIRECT_LETTERS letters. */
static int
column_of_mask(StateSets *sets, uint32 mask)
{
	bool		found;
	MaskColumn *entry;

	if (mask == sets->last_mask && sets->last_column != UNKNOWN)
		return sets->last_column;
	if (sets->column_of->members == COLUMNS)
	{
		mask_columns_reset(sets->column_of);
		for (Size i = 0; i < (Size) sets->n * sets->columns; i++)
			sets->next[i] = UNKNOWN;
	}
	entry = mask_columns_insert(sets->column_of, mask, &found);
	if (!found)
		entry->column = sets->column_of->members - 1;
	sets->last_mask = mask;
	sets->last_column = entry->column;
	return entry->column;
}

/* ---- the next set ---- */

static int
compute_next(StateSets *sets, int set, uint32 mask)
{
	uint64		 *next = new_set(sets); /* first, since it may move the sets */
	const uint64 *words = words_of(sets, set);

	memcpy(next, sets->base, sets->words * sizeof(uint64));
	for (int w = 0; w < sets->words; w++)
		for (uint64 left = words[w]; left != 0; left &= left - 1)
		{
			const uint64 *more = sets->leads_to + (Size) (w * WORD_BITS + pg_rightmost_one_pos64(left)) * sets->words;

			for (int i = 0; i < sets->words; i++)
				next[i] |= more[i];
		}
	for (int i = 0; i < sets->words; i++)
	{
		uint64 allowed = 0;

		for (int letter = 0; letter < sets->letters; letter++)
			if (mask >> letter & 1)
				allowed |= sets->of_letter[letter * sets->words + i];
		next[i] &= allowed;
	}
	return number_new_set(sets);
}

int
sets_next(StateSets *sets, int set, uint32 mask)
{
	int	   column = sets->column_of == NULL ? (int) mask : column_of_mask(sets, mask);
	int32 *known = &sets->next[(Size) set * sets->columns + column];
	int	   next = *known;

	if (likely(next != UNKNOWN))
		return next;
	next = compute_next(sets, set, mask);
	/* the table may have moved */
	sets->next[(Size) set * sets->columns + column] = next;
	return next;
}

/* ---- the two directions ---- */

/* Makes the sets of a direction, with the states to which each state leads in it. */
static StateSets *
sets_create(const PatternStates *states, bool forward)
{
	StateSets *sets = (StateSets *) palloc(sizeof(StateSets));

	*sets = (StateSets){.words = (states->n + WORD_BITS) / WORD_BITS,
						.letters = states->letters,
						.room = 16,
						.columns = states->letters <= DIRECT_LETTERS ? 1 << states->letters : COLUMNS,
						.last_column = UNKNOWN};
	sets->set = (uint64 *) palloc((sets->room + 1) * sets->words * sizeof(uint64));
	sets->next = (int32 *) palloc(sets->room * sets->columns * sizeof(int32));
	sets->numbers = set_numbers_create(CurrentMemoryContext, 64, sets);
	if (states->letters > DIRECT_LETTERS)
		sets->column_of = mask_columns_create(CurrentMemoryContext, COLUMNS, NULL);
	sets->leads_to = (uint64 *) palloc0((states->n + 1) * (Size) sets->words * sizeof(uint64));
	sets->of_letter = (uint64 *) palloc0(Max(states->letters, 1) * sets->words * sizeof(uint64));
	for (int i = STATE_LETTERS; i < states->n; i++)
		set_bit(sets->of_letter + states->state[i].letter * sets->words, i);
	for (int i = 0; i < states->n; i++)
		for (int k = 0; k < states->state[i].n; k++)
		{
			int next = states->state[i].next[k];

			if (next != STATE_ACCEPT)
				set_bit(sets->leads_to + (forward ? i : next) * sets->words, forward ? next : i);
		}
	add_empty_set(sets);
	return sets;
}

StateSets *
forward_sets(const PatternStates *states)
{
	StateSets *sets = sets_create(states, true);

	sets->base = sets->leads_to + STATE_NO_ROW * sets->words;
	sets->goes_on = (uint64 *) palloc0(sets->words * sizeof(uint64));
	for (int i = 0; i < states->n; i++)
	{
		const PatternState *state = &states->state[i];

		if (state->n > (state->accepts ? 1 : 0) || (state->accepts_at_end && !state->accepts))
			set_bit(sets->goes_on, i);
	}
	return sets;
}

StateSets *
backward_sets(const PatternStates *states)
{
	StateSets *sets = sets_create(states, false);

	sets->base = (uint64 *) palloc0(sets->words * sizeof(uint64));
	for (int i = 0; i < states->n; i++)
	{
		if (states->state[i].accepts_at_end)
			set_bit(sets->leads_to + states->n * sets->words, i);
		if (states->state[i].accepts)
			set_bit(sets->base, i);
	}
	return sets;
}

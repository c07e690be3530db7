/*
 * match.c: scan_match(pattern, conditions), which numbers the matches of a pattern over rows, and
 * scan_match_variable(pattern, conditions), which tells the letter that a row was matched with.
 *
 * The matches are those of SQL's row patterns with AFTER MATCH SKIP PAST LAST ROW: the leftmost one first, each the
 * preferred one of those that begin at its row, the next one after its last row.  Which of two ways is preferred is
 * what a machine says that tries the ways in their order and goes back where one fails.  Its time can be exponential in
 * the rows.  Here it is linear, whatever the pattern:
 *
 *   1. Forward: rows are read until no match that is under way can go on.  What such a stretch has is settled.
 *   2. Backward over the stretch: the states from which the match's end can be reached, at each row (state_sets.c).
 *   3. Forward again: from a state, the first of the next ones that is among those.  It never fails, so nothing is
 *      tried twice.  (Frisch and Cardelli, Greedy Regular Expression Matching, 2004.)
 *
 * A stretch may be as long as the partition.  Of each of its rows, the conditions are kept, in 4 bytes.  The sets of
 * step 2 are kept for a batch of rows only: a long stretch goes backward twice, and the first time only the set where
 * each batch begins is kept.
 *
 * Rejected: matching a stretch from its first row while it is read, with a list of the ways under way.  Where a match
 * ends before the rows that were read for it, these rows are read again, which makes a pattern such as `a (b* c)?`
 * quadratic.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "column/memory.h"
#include "column/stretch.h"
#include "compat.h"
#include "functions/match/automaton.h"

#define BATCH_ROWS 8192
#define MANY_ROWS 1024
#define FIRST_ROOM 64	  /* rows of a stretch for which there is room at first */
#define MATCH_BEGINS 0x80 /* in MatchDetail.label: the row is the first one of its match */
#define NO_LETTER 0		  /* in MatchDetail.label: no match has the row; else 1 for a */

/* What a call has made of the pattern, and room for a stretch and a batch.  WindowCall.detail points to it. */
typedef struct MatchDetail
{
	MemoryContext  memory; /* of the pattern's states; NULL: no pattern was read */
	char		  *pattern;
	PatternStates *states;
	StateSets	  *forward, *backward;

	Pool   *pool;
	uint32 *mask; /* the conditions of the stretch's rows */
	int64	room; /* rows */

	int32 set[BATCH_ROWS];	 /* the states from which the match's end can be reached, after each row of the batch */
	uint8 label[BATCH_ROWS]; /* 1 for a; MATCH_BEGINS */
} MatchDetail;

/* The state of a partition. */
typedef struct Match
{
	WindowConstant pattern;
	bool		   checked; /* the conditions fit the pattern */

	int64	first;	 /* the stretch's first row, as a row of the partition */
	int64	rows;	 /* its rows */
	bool	is_last; /* the partition ends with it */
	uint64 *saved;	 /* the set after the first row of each batch, if there are several */
	int64	saved_room;

	int64 batch;	  /* the batch that is in MatchDetail: its first row, as a row of the stretch */
	int64 batch_rows; /* 0: none */
	int64 i;		  /* the current row, as one of the batch */
	int	  state;	  /* after its last row */

	int64 number; /* of the last match that has begun */
} Match;

/* ---- the pattern ---- */

static MatchDetail *
match_detail(WindowCall *call)
{
	MemoryContext memory = call->fcinfo->flinfo->fn_mcxt;

	if (unlikely(call->detail == NULL))
	{
		MatchDetail *detail = (MatchDetail *) MemoryContextAllocZero(memory, sizeof(MatchDetail));

		detail->pool = pool_create(memory);
		pool_may_spill(detail->pool);
		call->detail = detail;
	}
	return (MatchDetail *) call->detail;
}

/* Makes the states of a pattern, unless the last one read was the same. */
static void
use_pattern(WindowCall *call, MatchDetail *detail, Datum pattern)
{
	char		 *written = TextDatumGetCString(pattern);
	MemoryContext old;

	if (detail->pattern != NULL && strcmp(written, detail->pattern) == 0)
		return;
	detail->pattern = NULL;
	if (detail->memory == NULL)
		detail->memory = AllocSetContextCreate(call->fcinfo->flinfo->fn_mcxt, "scan_match pattern",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(detail->memory);
	old = MemoryContextSwitchTo(detail->memory);
	detail->states = pattern_states(written);
	detail->forward = forward_sets(detail->states);
	detail->backward = backward_sets(detail->states);
	detail->pattern = pstrdup(written);
	MemoryContextSwitchTo(old);
}

/* ---- forward: the stretch ---- */

/* Reads the conditions of the row after the stretch's last one; returns false if the partition has no such row. */
static bool
read_row(WindowCall *call, Match *match, MatchDetail *detail, const ConditionColumns *columns)
{
	if (match->rows == detail->room)
	{
		detail->room = Max(FIRST_ROOM, 2 * detail->room);
		detail->mask = (uint32 *) pool_resize(detail->pool, detail->mask, detail->room * sizeof(uint32));
	}
	if (columns->known && match->rows == columns->rows)
		return false;
	if (columns->known)
		detail->mask[match->rows] = conditions_of_columns(detail->states, columns, match->rows);
	else if (!conditions_read(call, detail->states, match->first + match->rows, &detail->mask[match->rows]))
		return false;
	match->rows++;
	return true;
}

/*
 * Reads rows, from the one after the stretch before on, until no match that is under way can go on.  Where the
 * conditions are columns, they cannot fail, and reading ahead costs nothing: a stretch has MANY_ROWS rows at least
 * then.
 */
static void
read_stretch(WindowCall *call, Match *match, MatchDetail *detail)
{
	StateSets		*sets = detail->forward;
	int				 set = match->first == 0 ? sets_of_state(sets, STATE_FIRST_ROW) : SET_EMPTY;
	ConditionColumns columns;

	conditions_find_columns(call, detail->states, match->first, &columns);
	match->is_last = false;
	match->rows = 0;
	do
	{
		if (!read_row(call, match, detail, &columns))
		{
			match->is_last = true;
			return;
		}
		set = sets_next(sets, set, detail->mask[match->rows - 1]);
		set = sets_forget(sets, set);
		stretch_row(match->rows);
	} while ((columns.known && match->rows < MANY_ROWS) || (set != SET_EMPTY && set_goes_on(sets, set)));
}

/* ---- backward: where the match's end can be reached ---- */

/* Goes backward over rows `from` to `end` - 1 of the stretch; `set` belongs to row `end`.  Returns the one of `from`.
 */
static int
go_backward(MatchDetail *detail, int set, int64 from, int64 end, int32 *kept)
{
	StateSets *sets = detail->backward;

	CHECK_FOR_INTERRUPTS();
	for (int64 i = end - 1; i >= from; i--)
	{
		set = sets_next(sets, set, detail->mask[i]);
		if (kept != NULL)
			kept[i - from] = set;
	}
	return set;
}

/* Returns the set of the row after the stretch. */
static int
set_after_stretch(const Match *match, MatchDetail *detail)
{
	return match->is_last ? sets_of_state(detail->backward, detail->states->n) : SET_EMPTY;
}

/* Goes backward over a stretch of several batches, and saves the set of each batch's first row. */
static void
save_batches(Match *match, MatchDetail *detail, MemoryContext memory)
{
	StateSets *sets = detail->backward;
	int		   words = sets_words(sets);
	int64	   batches = (match->rows + BATCH_ROWS - 1) / BATCH_ROWS;
	int		   set = set_after_stretch(match, detail);

	if (match->saved_room < batches)
	{
		match->saved_room = batches;
		match->saved = (uint64 *) memory_renew(memory, match->saved, batches * words * sizeof(uint64));
	}
	for (int64 batch = batches - 1; batch > 0; batch--)
	{
		int64 from = batch * BATCH_ROWS;

		set = sets_forget(sets, set);
		set = go_backward(detail, set, from, Min(from + BATCH_ROWS, match->rows), NULL);
		set_save(sets, set, match->saved + batch * words);
		stretch_pause(BATCH_ROWS);
	}
}

/* ---- forward again: the preferred match ---- */

/* Returns the preferred one of the states after `state` from which the match's end can be reached, or STATE_NONE. */
static int
preferred_state(const MatchDetail *detail, int state, int set)
{
	const PatternState *from = &detail->states->state[state];

	for (int k = 0; k < from->n; k++)
		if (from->next[k] == STATE_ACCEPT || set_has(detail->backward, set, from->next[k]))
			return from->next[k];
	return STATE_NONE;
}

/* Returns the state after a row; sets its label. */
static int
label_row(MatchDetail *detail, int state, int set, bool is_first, uint8 *label)
{
	int next = state < STATE_LETTERS ? STATE_ACCEPT : preferred_state(detail, state, set);

	*label = 0;
	if (next < 0)
	{
		/* a match has ended before the row, or there was none; a match without rows is none */
		next = preferred_state(detail, is_first ? STATE_FIRST_ROW : STATE_NO_ROW, set);
		if (next < 0)
			return STATE_NO_ROW;
		*label = MATCH_BEGINS;
	}
	*label |= detail->states->letter[detail->states->state[next].letter] + 1;
	return next;
}

/* Finds the labels of the batch that begins with a row of the stretch. */
static void
label_batch(Match *match, MatchDetail *detail, int64 from)
{
	StateSets *sets = detail->backward;
	int64	   end = Min(from + BATCH_ROWS, match->rows);
	int		   set;

	if (end == match->rows)
		set = set_after_stretch(match, detail);
	else
		set = set_restore(sets, match->saved + end / BATCH_ROWS * sets_words(sets));
	set = sets_forget(sets, set);
	(void) go_backward(detail, set, from, end, detail->set);
	for (int64 i = from; i < end; i++)
		match->state = label_row(detail, match->state, detail->set[i - from], match->first + i == 0,
								 &detail->label[i - from]);
	match->batch = from;
	match->batch_rows = end - from;
}

/* Goes on to the batch that has the partition's row. */
static void
go_to_batch(WindowCall *call, Match *match, MatchDetail *detail, int64 row)
{
	int64 from = row - match->first;

	if (from == match->rows)
	{
		match->first = row;
		match->state = STATE_NO_ROW;
		read_stretch(call, match, detail);
		from = 0;
		if (match->rows > BATCH_ROWS)
			save_batches(match, detail, call->memory);
	}
	label_batch(match, detail, from);
}

/* ---- a row ---- */

/* Finds the batch that has the current row, and checks the arguments at the partition's first row. */
static Match *
find_row(WindowCall *call, MatchDetail *detail)
{
	Match *match = (Match *) window_state(call, sizeof(Match));
	Datum  pattern = window_constant_not_null(call, &match->pattern, 0, "pattern");
	int64  row = window_position(call);

	if (unlikely(!match->checked))
	{
		use_pattern(call, detail, pattern);
		conditions_check(call, detail->states);
		match->checked = true;
	}
	match->i = row - match->first - match->batch;
	if (match->i == match->batch_rows)
	{
		go_to_batch(call, match, detail, row);
		match->i = 0;
	}
	if (call->source != NULL)
		call->source->settled = call->stable[0] ? match->batch_rows - match->i - 1 : 0;
	return match;
}

/* Returns the letter of the current row, and the number of its match in *number; NO_LETTER if no match has the row. */
static int
match_row(FunctionCallInfo fcinfo, int64 *number)
{
	WindowCall	*call = window_call(fcinfo);
	MatchDetail *detail = match_detail(call);
	Match		*match;
	uint8		 label;

	if (call->source != NULL && call->source->settled > 0)
	{
		match = (Match *) call->source->state;
		match->i++;
		call->source->settled--;
	}
	else
		match = find_row(call, detail);
	label = detail->label[match->i];
	if (label & MATCH_BEGINS)
		match->number++;
	*number = match->number;
	return label & ~MATCH_BEGINS;
}

PG_FUNCTION_INFO_V1(scan_match_any);
Datum
scan_match_any(PG_FUNCTION_ARGS)
{
	int64 number;

	if (match_row(fcinfo, &number) == NO_LETTER)
		PG_RETURN_NULL();
	PG_RETURN_INT64(number);
}

PG_FUNCTION_INFO_V1(scan_match_variable_any);
Datum
scan_match_variable_any(PG_FUNCTION_ARGS)
{
	int64 number;
	int	  letter = match_row(fcinfo, &number);
	char  name;

	if (letter == NO_LETTER)
		PG_RETURN_NULL();
	name = (char) ('a' + letter - 1);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(&name, 1));
}

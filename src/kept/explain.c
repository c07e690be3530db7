/*
 * explain.c: what EXPLAIN says of kept scans: which ones a query reads, and why it does not read the others.
 *
 * Whoever looks at a query makes notes while an EXPLAIN has it planned; else notes cost nothing.
 *
 *   Starts From: payment_kept (365 cells, 371 nodes, 12 deltas, 41 rows)
 *   Kept Scan Not Used: payment_kept: the definition lacks the condition (v < 50)
 *
 * The numbers come with ANALYZE; the reasons with VERBOSE, which scan_explain() asks for, too.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kept/reading.h"
#include "library/explain_more.h"

typedef struct Note
{
	NameData kept;
	char	*reason; /* NULL: it is read */
	int64	 cells, nodes, deltas, rows;
	int		 leaves, by_rows; /* of a partitioned table, at most */
} Note;

/* What is known of the EXPLAIN that is under way. */
typedef struct Explaining
{
	ExplainState	  *es; /* NULL: there is none */
	MemoryContext	   memory;
	int				   depth;	  /* of planner calls */
	const PlannedStmt *statement; /* what was planned; NULL: not yet */
	List			  *notes;
} Explaining;

static Explaining current;

/* ---- notes ---- */

bool
kept_notes_wanted(void)
{
	return current.es != NULL && current.depth == 1 && current.statement == NULL;
}

bool
kept_advice_wanted(void)
{
	return OidIsValid(explain_more_adviser) && kept_notes_wanted() && current.es->format == EXPLAIN_FORMAT_JSON;
}

void
kept_note(const Kept *kept, const char *reason)
{
	MemoryContext old;
	Note		 *note = NULL;

	if (!kept_notes_wanted())
		return;
	old = MemoryContextSwitchTo(current.memory);
	foreach_ptr (Note, other, current.notes)
		if (namestrcmp(&other->kept, NameStr(kept->name)) == 0 && (reason == NULL) == (other->reason == NULL) &&
			(reason == NULL || strcmp(reason, other->reason) == 0))
			note = other;
	if (note == NULL)
	{
		note = (Note *) palloc(sizeof(Note));
		*note = (Note){.kept = kept->name, .reason = reason == NULL ? NULL : pstrdup(reason)};
		current.notes = lappend(current.notes, note);
	}
	MemoryContextSwitchTo(old);
}

void
kept_notes_begin(void)
{
	current.depth++;
}

/* An error leaves the depth as it is, until the EXPLAIN ends. */
void
kept_notes_end(const PlannedStmt *statement)
{
	if (kept_notes_wanted())
		current.statement = statement;
	current.depth--;
}

int
kept_notes_number(void)
{
	return list_length(current.notes);
}

void
kept_notes_revoke(int first, const char *reason)
{
	for (int n = first; kept_notes_wanted() && n < list_length(current.notes); n++)
	{
		Note *note = (Note *) list_nth(current.notes, n);

		if (note->reason == NULL)
			note->reason = MemoryContextStrdup(current.memory, reason);
	}
}

/* Returns what was noted of a kept scan that the running query reads; NULL if nothing is counted. */
static Note *
note_of_read(const Kept *kept)
{
	foreach_ptr (Note, note, current.es != NULL && current.statement != NULL ? current.notes : NIL)
		if (note->reason == NULL && namestrcmp(&note->kept, NameStr(kept->name)) == 0)
			return note;
	return NULL;
}

void
kept_note_read(const Kept *kept, int64 cells, int64 nodes, int64 deltas, int64 rows)
{
	Note *note = note_of_read(kept);

	if (note == NULL)
		return;
	note->cells += cells;
	note->nodes += nodes;
	note->deltas += deltas;
	note->rows += rows;
}

void
kept_note_leaves(const Kept *kept, int leaves, int by_rows)
{
	Note *note = kept->is_partitioned ? note_of_read(kept) : NULL;

	if (note == NULL)
		return;
	note->leaves = Max(note->leaves, leaves);
	note->by_rows = Max(note->by_rows, by_rows);
}

/* Returns how many leaves were read, as text. */
static const char *
leaves_of_note(const Note *note)
{
	if (note->leaves == 0)
		return "";
	return note->by_rows == 0 ? psprintf("%d leaves, ", note->leaves)
							  : psprintf("%d leaves, %d of them by rows, ", note->leaves, note->by_rows);
}

/* ---- the output ---- */

static void
print_note(const Note *note, ExplainState *es)
{
	const char *name = NameStr(note->kept);

	if (note->reason != NULL && !es->verbose)
		return;
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainOpenGroup("Kept Scan", NULL, true, es);
		/* advice has no name */
		if (name[0] == '\0')
			ExplainPropertyText("Advice", note->reason, es);
		else
			ExplainPropertyText(note->reason == NULL ? "Starts From" : "Not Used", name, es);
		if (note->reason != NULL && name[0] != '\0')
			ExplainPropertyText("Reason", note->reason, es);
		else if (es->analyze)
		{
			ExplainPropertyInteger("Cells", NULL, note->cells, es);
			if (note->leaves > 0)
			{
				ExplainPropertyInteger("Leaves", NULL, note->leaves, es);
				ExplainPropertyInteger("Leaves by Rows", NULL, note->by_rows, es);
			}
			ExplainPropertyInteger("Nodes", NULL, note->nodes, es);
			ExplainPropertyInteger("Deltas", NULL, note->deltas, es);
			ExplainPropertyInteger("Rows", NULL, note->rows, es);
		}
		ExplainCloseGroup("Kept Scan", NULL, true, es);
	}
	else if (note->reason != NULL)
		appendStringInfo(es->str, "Kept Scan Not Used: %s: %s\n", quote_identifier(name), note->reason);
	else if (es->analyze)
		appendStringInfo(
			es->str, "Starts From: %s (%s%s" INT64_FORMAT " nodes, " INT64_FORMAT " deltas, " INT64_FORMAT " rows)\n",
			quote_identifier(name), note->cells == 0 ? "" : psprintf(INT64_FORMAT " cells, ", note->cells),
			leaves_of_note(note), note->nodes, note->deltas, note->rows);
	else
		appendStringInfo(es->str, "Starts From: %s\n", quote_identifier(name));
}

static void
print_notes(const QueryDesc *query)
{
	if (current.es == NULL || current.notes == NIL || query->plannedstmt != current.statement)
		return;
	ExplainOpenGroup("Kept Scans", "Kept Scans", false, current.es);
	foreach_ptr (const Note, note, current.notes)
		print_note(note, current.es);
	ExplainCloseGroup("Kept Scans", "Kept Scans", false, current.es);
	current.es = NULL;
}

static void *
notes_explain_begin(ExplainState *es)
{
	Explaining *outer = (Explaining *) palloc(sizeof(Explaining));

	*outer = current;
	current = (Explaining){.es = es, .memory = CurrentMemoryContext};
	return outer;
}

static void
notes_explain_end(void *outer)
{
	current = *(Explaining *) outer;
}

void
kept_explain_init(void)
{
	static const ExplainMore more = {notes_explain_begin, print_notes, notes_explain_end};

	explain_more_register(&more);
}

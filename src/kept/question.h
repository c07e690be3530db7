/*
 * question.h: whether a kept scan has the answer to what a query level asks.
 *
 * find.c finds the table of a level and its kept scans; the rewrites (totals.c, windows.c) ask here about each of them.
 */
#ifndef SCAN_KEPT_QUESTION_H
#define SCAN_KEPT_QUESTION_H

#include "kept/question_column.h"

/*
 * True if the kept scan q->kept has the answer, with GROUP BY by the columns of the partition; sets the values and
 * lists of the partition and the bounds.
 */
extern bool kept_question_has_answer(KeptQuestion *q);

/* Begins a question anew, for the kept scan q->kept. */
extern void kept_question_begin(KeptQuestion *q);

/* Takes a condition that a column of the partition is equal to a value, which becomes its value in q->partition. */
extern bool kept_question_take_value(KeptQuestion *q, Node *condition);

/*
 * True if GROUP BY or PARTITION BY has the columns of the kept scan's partition, except for some that have a value.  If
 * a value of each column is shown, it has to be that of all rows.
 */
extern bool kept_question_has_partitions(const KeptQuestion *q, const List *clauses, bool shown);

/* Returns which aggregate of the definition a call is, -1 if none. */
extern int kept_question_aggregate(const KeptQuestion *q, const Aggref *call);

/* The same for a call over a window that is an aggregate. */
extern int kept_question_window_aggregate(const KeptQuestion *q, const WindowFunc *call);

/* Notes a condition that the definition has; false: it has no such condition. */
extern bool kept_question_defines(KeptQuestion *q, Node *condition);

/* True if the query has all conditions of the definition. */
extern bool kept_question_has_definition(KeptQuestion *q);

#endif /* SCAN_KEPT_QUESTION_H */

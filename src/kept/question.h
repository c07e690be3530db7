/*
 * question.h: whether a kept scan has the answer to what a query level asks.
 *
 * find.c finds the table of a level and its kept scans; the rewrites (totals.c, windows.c) ask here about each of them.
 */
#ifndef SCAN_KEPT_QUESTION_H
#define SCAN_KEPT_QUESTION_H

#include "kept/question_value.h"

/* True if the kept scan q->kept has the answer; sets the values of the partition and the bounds. */
extern bool kept_question_has_answer(KeptQuestion *q);

/* The same for a level with GROUP BY, by the columns of the partition. */
extern bool kept_question_has_groups(KeptQuestion *q);

/* Returns which column of the partition an expression is, -1 if it is none. */
extern int kept_question_partition(const KeptQuestion *q, Node *node);

/* True if equal values of a column have the same bytes. */
extern bool kept_question_is_exact(const KeptColumn *column);

/*
 * True if an expression may tell rows of one partition apart by the columns of PARTITION BY: 1.0 and 1.00 are equal, so
 * they are one partition, but scale() is not the same of both.  A walker, whose second argument is the question.
 */
extern bool kept_question_tells_apart(Node *node, void *question);

/* Returns the operator of `a OP b` or `a OP ANY (b)`, and its operands and collation; InvalidOid: it is neither. */
extern Oid kept_question_operator(Node *node, List **operands, Oid *collation);

/* True if an expression has the same value in all rows of a partition. */
extern bool kept_question_is_of_partition(const KeptQuestion *q, Node *node);

/* Returns which aggregate of the definition a call is, -1 if none. */
extern int kept_question_aggregate(const KeptQuestion *q, const Aggref *call);

/* The same for a call over a window that is an aggregate. */
extern int kept_question_window_aggregate(const KeptQuestion *q, const WindowFunc *call);

/* Notes a condition that the definition has; false: it has no such condition. */
extern bool kept_question_defines(KeptQuestion *q, Node *condition);

/* True if the query has all conditions of the definition. */
extern bool kept_question_has_definition(KeptQuestion *q);

/* True if an expression is a column of the kept scan. */
extern bool kept_question_is_column(const KeptQuestion *q, Node *node, const KeptColumn *column);

/*
 * Reads a comparison of a column with a value that is computed once.  Returns its strategy, as that of a btree in which
 * the column is on the left, and the value, as one of the column's type or NULL if it cannot be that; 0 if it is
 * another condition.
 */
extern int kept_question_comparison(const KeptQuestion *q, Node *condition, const KeptColumn *column, Expr **value);

#endif /* SCAN_KEPT_QUESTION_H */

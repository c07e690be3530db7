/*
 * question.h: what a query level asks of a kept scan, and whether the kept scan has the answer.
 *
 * rewrite.c finds the table of a level and its kept scans, and asks here about each of them.
 */
#ifndef SCAN_KEPT_QUESTION_H
#define SCAN_KEPT_QUESTION_H

#include "nodes/primnodes.h"

#include "kept/kept.h"

/* A query level, and what of a kept scan it asks for. */
typedef struct KeptQuestion
{
	Query	   *query;
	int			varno;
	FmgrInfo	caller; /* the trigger function of the kept scan, whose schema is the extension's */
	const Kept *kept;
	double		largest_partition, average_partition; /* rows, by statistics; -1: nobody knows */
	Expr	  **partition;							  /* the value of each column; NULL: none yet */
	Expr	   *from, *to;							  /* bounds of the first key, NULL: none */
	bool		from_inclusive, to_inclusive;
	Expr	   *list;		/* of GROUP BY: an array of the partitions that are asked for; NULL: all of them */
	List	   *remain;		/* of GROUP BY: conditions that are left to ask of the partitions */
	char	   *reason;		/* why the kept scan has no answer, if an EXPLAIN asks */
	uint64		conditions; /* of the definition that the query has, as bits */
} KeptQuestion;

/* ---- question_value.c ---- */

/* Returns an expression over the table in the form in which definitions have theirs. */
extern Node *kept_question_normal(const KeptQuestion *q, Node *node);

/* True if an expression has the same value in all rows of the table and may be computed once, and first. */
extern bool kept_question_is_value(Node *node);

/* Returns a value as one of the column's type, NULL if it may have none. */
extern Expr *kept_question_value(const KeptColumn *column, Node *value);

/*
 * Notes why a kept scan has no answer, and returns false.  `what` may have a %s, for the expression or for its name;
 * the first reason counts.
 */
extern bool kept_question_fails(KeptQuestion *q, const char *what, Node *node);

/* ---- question.c ---- */

/* True if the kept scan q->kept has the answer; sets the values of the partition and the bounds. */
extern bool kept_question_has_answer(KeptQuestion *q);

/* The same for a level with GROUP BY, by the columns of the partition. */
extern bool kept_question_has_groups(KeptQuestion *q);

/* Returns which column of the partition an expression is, -1 if it is none. */
extern int kept_question_partition(const KeptQuestion *q, Node *node);

/* True if an expression has no columns but those of the partition, and no value of its own in each row. */
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

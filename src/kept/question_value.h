/*
 * question_value.h: what a query level asks of a kept scan; its expressions as values, and as text for EXPLAIN.
 */
#ifndef SCAN_KEPT_QUESTION_VALUE_H
#define SCAN_KEPT_QUESTION_VALUE_H

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
	Expr	  **list;	/* of GROUP BY: an array of the values of each column that are asked for; NULL: all of them */
	List	   *remain; /* of GROUP BY: conditions that are left to ask of the partitions */
	char	   *reason; /* why the kept scan has no answer, if an EXPLAIN asks */
	Bitmapset  *conditions; /* of the definition that the query has */
} KeptQuestion;

/* Returns an expression over the table in the form in which it is compared with a definition's. */
extern Node *kept_question_normal(const KeptQuestion *q, Node *node);

/* True if an expression of a definition, or a list of some, is an expression of that form. */
extern bool kept_question_is_same(const void *of_definition, const Node *normal);

/* Returns the conditions of a WHERE or an ON of the query, all of which have to be met. */
extern List *kept_question_conditions(const Query *query, Node *quals);

/* True if an expression has the same value in all rows of the table and may be computed once, and first. */
extern bool kept_question_is_value(Node *node);

/* True if an expression has a column of a query level above.  A walker, whose second argument is not used. */
extern bool kept_question_has_outer(Node *node, void *unused);

/*
 * Notes why a kept scan has no answer, and returns false.  `what` may have a %s, for the expression or for its name;
 * the first reason counts.
 */
extern bool kept_question_fails(KeptQuestion *q, const char *what, Node *node);

#endif /* SCAN_KEPT_QUESTION_VALUE_H */

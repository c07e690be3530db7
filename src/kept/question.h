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
	Expr	  **partition; /* the value of each column; NULL: none yet */
	Expr	   *from, *to; /* bounds of the first key, NULL: none */
	bool		from_inclusive, to_inclusive;
	int			conditions; /* of the definition that the query has */
} KeptQuestion;

/* True if the kept scan q->kept has the answer; sets the values of the partition and the bounds. */
extern bool kept_question_has_answer(KeptQuestion *q);

/* Returns which aggregate of the definition a call is, -1 if none. */
extern int kept_question_aggregate(const KeptQuestion *q, const Aggref *call);

#endif /* SCAN_KEPT_QUESTION_H */

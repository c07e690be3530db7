/*
 * loops.h: the loops of which arithmetic.c makes expressions.
 */
#ifndef SCAN_NODE_REDUCE_LOOPS_H
#define SCAN_NODE_REDUCE_LOOPS_H

#include "postgres.h"

typedef struct Step Step;

/* Computes a step of its operands for n rows.  Returns false if core might raise an error. */
typedef bool (*StepLoop)(const Step *step, const Step *left, const Step *right, int64 n);

struct Step
{
	StepLoop loop;		  /* NULL: the step is a column or a constant */
	int		 left, right; /* its operands: numbers of earlier steps; equal if there is one */
	/* for each row: core does not compute the step there, so that it raises no error */
	const bool *out;
	int			column; /* of the rows; -1: a constant, whose values are set once */
	Datum	   *value;
	bool	   *isnull;
};

/* Returns the loop of one of core's functions; NULL: there is none. */
extern StepLoop loop_of_function(Oid function);

/* COALESCE of two values. */
extern bool loop_coalesce(const Step *step, const Step *left, const Step *right, int64 n);

/* NULLIF: `right` tells where the value is left out. */
extern bool loop_nullif(const Step *step, const Step *left, const Step *right, int64 n);

/* CASE: the value on the left, but where the step is out the one on the right. */
extern bool loop_case(const Step *step, const Step *left, const Step *right, int64 n);

extern bool loop_is_null(const Step *step, const Step *left, const Step *right, int64 n);
extern bool loop_is_not_null(const Step *step, const Step *left, const Step *right, int64 n);

/* AND, OR and NOT.  Core does not look at the right side of AND and OR at all rows, which no loop here knows. */
extern bool loop_and(const Step *step, const Step *left, const Step *right, int64 n);
extern bool loop_or(const Step *step, const Step *left, const Step *right, int64 n);
extern bool loop_not(const Step *step, const Step *left, const Step *right, int64 n);

/* The branches of CASE and COALESCE: each loop sets `isnull` at the rows at which the steps of a branch are out. */
extern bool loop_out_unless_true(const Step *step, const Step *left, const Step *right, int64 n);
extern bool loop_out_if_true(const Step *step, const Step *left, const Step *right, int64 n);
extern bool loop_out_unless_null(const Step *step, const Step *left, const Step *right, int64 n);

#endif /* SCAN_NODE_REDUCE_LOOPS_H */

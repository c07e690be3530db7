/*
 * question_column.h: the columns of a kept scan in the expressions of a query level, and what is asked of them.
 *
 * Values of a column of PARTITION BY may be equal and look different.  An answer of a kept scan is that of a partition,
 * so a query must not ask about the look.
 */
#ifndef SCAN_KEPT_QUESTION_COLUMN_H
#define SCAN_KEPT_QUESTION_COLUMN_H

#include "kept/question_value.h"

/* True if an expression is a column of the kept scan. */
extern bool kept_question_is_column(const KeptQuestion *q, Node *node, const KeptColumn *column);

/* Returns which column of the partition an expression is, -1 if it is none. */
extern int kept_question_partition(const KeptQuestion *q, Node *node);

/* True if equal values of a column have the same bytes. */
extern bool kept_question_is_exact(const KeptColumn *column);

/* True if an operator is the = of a column's type, and means the same under a collation as under the column's. */
extern bool kept_question_equals(const KeptColumn *column, Oid operator, Oid collation);

/* Returns the operator of `a OP b` or `a OP ANY (b)`, and its operands and collation; InvalidOid: it is neither. */
extern Oid kept_question_operator(Node *node, List **operands, Oid *collation);

/*
 * Reads a comparison of a column with a value that is computed once.  Returns its strategy, as that of a btree in which
 * the column is on the left, and the value, which may be of another type; 0 if it is another condition.
 */
extern int kept_question_comparison(const KeptQuestion *q, Node *condition, const KeptColumn *column, Node **value);

/*
 * True if an expression may tell rows of one partition apart by the columns of PARTITION BY: 1.0 and 1.00 are equal, so
 * they are one partition, but scale() is not the same of both.  A walker, whose second argument is the question.
 */
extern bool kept_question_tells_apart(Node *node, void *question);

/* True if an expression has the same value in all rows of a partition. */
extern bool kept_question_is_of_partition(const KeptQuestion *q, Node *node);

/*
 * Returns a value that a column is compared with as one of the column's type, NULL if there is none.  The strategy is
 * that of the comparison; of another type than the column's, the value is the nearest one for which it holds (bound.c).
 */
extern Expr *kept_question_value(const KeptQuestion *q, const KeptColumn *column, Node *value, int strategy);

/* Returns an array, or an array of one value, as an array of a column's type, NULL if it cannot be that. */
extern Expr *kept_question_array(const KeptColumn *column, Expr *value);

#endif /* SCAN_KEPT_QUESTION_COLUMN_H */

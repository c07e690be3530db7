/*
 * arithmetic.h: expressions over numbers and times, computed by loops over many rows.
 */
#ifndef SCAN_NODE_REDUCE_ARITHMETIC_H
#define SCAN_NODE_REDUCE_ARITHMETIC_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "column/rows.h"

/* Rows that are filtered and added up at a time: their columns stay in the processor's cache. */
#define REDUCE_ROWS 1024

typedef struct Arithmetic Arithmetic;

/* Returns the column of the rows for a Var, and adds it if it is new. */
typedef int (*ColumnOfVar)(void *context, const Var *var);

/*
 * Returns an expression as loops; NULL if there are no loops for one of its parts.  The user is known to have the
 * permission to call its functions.
 */
extern Arithmetic *arithmetic_of(const Expr *expr, ColumnOfVar column_of, void *context);

/*
 * Computes the expression for n rows from row `from` on, at most REDUCE_ROWS, and stores the values in column `to` of
 * `results`, from row `at` on, for which there is room.  Returns false if core might raise an error at one of these
 * rows; then the values are undefined.
 */
extern bool arithmetic_run(Arithmetic *arithmetic, const Rows *rows, int64 from, int64 n, Rows *results, int to,
						   int64 at);

/*
 * Computes a condition for n such rows, and sets keep[i] to false for those that do not meet it.  Rows that are not
 * kept already are rows at which core does not compute it.  Returns false if core might raise an error; then `keep` is
 * as it was.
 */
extern bool arithmetic_filter(Arithmetic *arithmetic, const Rows *rows, int64 from, int64 n, bool *keep);

#endif /* SCAN_NODE_REDUCE_ARITHMETIC_H */

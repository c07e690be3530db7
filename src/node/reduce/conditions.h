/*
 * conditions.h: conditions on the columns of rows, evaluated over many rows at a time.
 */
#ifndef SCAN_NODE_REDUCE_CONDITIONS_H
#define SCAN_NODE_REDUCE_CONDITIONS_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "column/late_arguments.h"
#include "column/rows.h"
#include "column/type.h"
#include "node/reduce/arithmetic.h"

/* How a condition is evaluated. */
typedef enum ConditionKind
{
	CONDITION_COMPARE, /* a column is compared with a value that is the same for all rows */
	CONDITION_COLUMNS, /* two columns are compared */
	CONDITION_NULL,	   /* a column is NULL */
	CONDITION_NOT_NULL,
	CONDITION_EXPRESSION, /* anything else: by loops, or by the executor, row by row */
} ConditionKind;

typedef enum CompareOp
{
	COMPARE_NONE = 0,
	COMPARE_LESS,
	COMPARE_LESS_EQUAL,
	COMPARE_EQUAL,
	COMPARE_GREATER_EQUAL,
	COMPARE_GREATER,
	COMPARE_NOT_EQUAL,
} CompareOp;

/* A condition as it is planned: columns are attributes of the child. */
typedef struct Condition
{
	ConditionKind kind;
	AttrNumber	  attno; /* of the column, unless it is an expression */
	TypeOrder	  order; /* of its type: ORDER_NUMERIC, an order of numbers, or ORDER_UNKNOWN for intervals */
	CompareOp	  op;
	Oid			  function;	   /* of the operator, which core would ask the user's permission for */
	AttrNumber	  other;	   /* CONDITION_COLUMNS: of the right side */
	TypeOrder	  other_order; /* of the right side */
	int16		  length;	   /* bytes of its values */
	Expr		 *expr;		   /* CONDITION_COMPARE: the right side; CONDITION_EXPRESSION: the condition */

	/* set by the node */
	int			column; /* of the rows */
	int			other_column;
	ExprState  *state; /* of `expr` */
	Arithmetic *loop;  /* the same as loops; NULL: there are none */
	bool		known; /* the members below are the right side's */
	bool		isnull;
	uint64		number; /* in the order of the values (sort/bit_pack.h) */
	Datum		value;	/* of a numeric or an interval, instead of a number */
} Condition;

/*
 * Returns the condition that an expression over a row is.  Columns are Vars of any table or of the node's own row.
 */
extern Condition condition_of(Expr *expr);

/* Has a condition ask for its value again, for another scan. */
extern void condition_forget(Condition *condition);

/*
 * Sets keep[i] to false for the rows `from` to `end` - 1 that do not meet a condition, as core does: the executor
 * computes expressions.
 */
extern void condition_apply(Condition *condition, LateRow *late, const Rows *rows, int64 from, int64 end, bool *keep);

#endif /* SCAN_NODE_REDUCE_CONDITIONS_H */

/*
 * change.h: runs of values that are not distinct: the monoids behind scan_change.
 *
 * binding.h binds them to the types whose equality is that of their numbers.  NULL is a value here, which is not
 * distinct from NULL: the lines are flagged SCAN_NULL_IS_VALUE, and a NULL comes as a NULL pointer.  Two pieces of a
 * column join if each knows its first and its last value: where the pieces meet, two runs are one if the values are not
 * distinct.
 *
 * Rejected: a column of flags, made before the scan, and scan_count over them.  It would be written and read once more,
 * and a job's first row would need the value of the row before the job.
 */
#ifndef SCAN_OP_CHANGE_H
#define SCAN_OP_CHANGE_H

#include "op/monoid.h"

/*
 * Members have no padding between them.  The value of a NULL is 0.  Values are passed by value: a pointer that is NULL
 * for an SQL NULL keeps a compiler from holding accumulators in registers.
 */
#define CHANGE_MONOID(M, T, SAME)                               \
	typedef struct M##_acc                                      \
	{                                                           \
		int64_t runs;                                           \
		T		first, last;                                    \
		int32_t first_null, last_null;                          \
	} M##_acc;                                                  \
	SCAN_FN void M##_lift(bool null, T x, M##_acc *a)           \
	{                                                           \
		a->runs = 1;                                            \
		a->first = a->last = x;                                 \
		a->first_null = a->last_null = null;                    \
	}                                                           \
	/* a := a with one more value */                            \
	SCAN_FN void M##_take(M##_acc *a, bool null, T x)           \
	{                                                           \
		a->runs += !(a->last_null == null && SAME(a->last, x)); \
		a->last = x;                                            \
		a->last_null = null;                                    \
	}                                                           \
	SCAN_FN void M##_join(M##_acc *left, const M##_acc *right)  \
	{                                                           \
		M##_take(left, right->first_null, right->first);        \
		left->runs += right->runs - 1;                          \
		left->last = right->last;                               \
		left->last_null = right->last_null;                     \
	}                                                           \
	PLAIN_COPY(M)

#define SAME_INTEGER(a, b) ((a) == (b))

/* PostgreSQL's equality of floats: NaN is equal to NaN, -0 to 0. */
#define SAME_FLOAT(a, b) ((a) == (b) || (isnan(a) && isnan(b)))

CHANGE_MONOID(change, int64_t, SAME_INTEGER)
CHANGE_MONOID(float_change, double, SAME_FLOAT)

#endif /* SCAN_OP_CHANGE_H */

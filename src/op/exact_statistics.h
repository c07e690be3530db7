/*
 * exact_statistics.h: the states of the exact aggregates, and the aggregates that are made of them.
 *
 * A state is what an aggregate has of the rows that went in, as integers: it takes a row in, takes one out, joins
 * another state, and loses nothing, in any order.  EXACT_STATES has a line for each kind of state.  All else that there
 * is to say of a kind stands in its file.  Of the kind PAIRS, that is op/pairs.h with these lists:
 *
 *   EXACT_PARTS_OF_PAIRS(NUMBERS, SUM)  what the state consists of, in the order of a message (number/exact_state.h):
 *      NUMBERS(member, n, HOLD)           n int64 or doubles, from a member of ExactState on; of the holds
 *                                           MOMENTS   the counts of Moments, which tell how many values there are
 *                                           COUNT     a number that is negative only if the state is a difference
 *                                           SPECIALS  three of them, as Specials
 *                                           UNIT      the unit of the sums: equal states may differ in it
 *                                           OTHERS    any numbers
 *      SUM(member, limbs)                 a LongSum, of at most so many limbs
 *   EXACT_SOUND_OF_PAIRS(c)             true if the numbers of `c`, which come from any bytes, can be computed with
 *   EXACT_JOIN_OF_PAIRS(X)              X(name, kind, content, joined): the function exact_ with that name, which joins
 *                                       the state `other`, of the Datum `value`, to `c`; `joined` is false if both have
 *                                       too many values
 *   EXACT_GROUPS_OF_PAIRS(X)            X(group, kind, content, sums, T) for each set of aggregates whose rows make the
 *                                       same state: the C type of the state, for how many sums a new one has room, and
 *                                       the type of the results: Float4, Float8 or Int64
 *
 * and for each of its groups, such as POSITIONS
 *
 *   EXACT_TAKINGS_OF_POSITIONS(X, D)    X(D, name, arguments, first, second, taken) for each way in of a row:
 *                                       the functions exact_add_ and exact_remove_ with that name, the number of their
 *                                       arguments and the types of these.  `taken` adds the row to `c`, with the
 *                                       ScanMemory `memory`, or removes it if `leaves`.  It reads its arguments, from 0
 *                                       on, by EXACT_ARGUMENT(T, n), and by EXACT_SQUARES which sums of squares are
 *                                       needed; who expands the list defines both.
 *   EXACT_OF_POSITIONS(X, D)            X(D, name, kind, squares, answer) for each statistic: the function exact_final_
 *                                       with that name, and a MovingKind.  `answer` computes the statistic of `c` into
 *                                       `y`, and returns its ScanStatus; `squares`: which sums of squares it reads.
 *
 * A state of zero bytes has no rows.  Made of these lists, without a line of code for one of them, are
 *
 *   number/exact_state*.c             the type exact_state in a Datum and in a message, whether states are equal
 *   functions/aggregate/exact.c       the functions that SQL calls: for groups in several processes, for sliding
 *                                     frames of WindowAgg, and for kept scans, which can keep each of these aggregates
 *   list.h, aggregate/moving_kind.h   each way in with each statistic of its group: by them the plan node recognises
 *                                     the aggregates
 *   aggregate/exact_ops.c             the operation of the plan node and of array_moving_*, which calls no function
 *
 * test/guide adds a state.  Macros with lines, not a file that is included: a line of one list is combined with each
 * line of another.
 */
#ifndef SCAN_OP_EXACT_STATISTICS_H
#define SCAN_OP_EXACT_STATISTICS_H

#include "op/moments.h"
#include "op/pairs.h"
#include "op/powers.h"
#include "op/time_area.h"

/*
 * X(D, kind, content, member, from): the C type of the state, its name in ExactState, and what it is made from, as
 * errors say.  The kinds are numbered in this order, and the number is in stored states: a new kind is the last one.
 * Version 1.1 knew values only.
 */
/* clang-format off */
#define EXACT_STATES(X, D) \
	X(D, VALUES, Moments, moments, "values") \
	X(D, PAIRS, Pairs, pairs, "pairs of values") \
	X(D, TIMES, TimeArea, area, "values over time") \
	X(D, POWERS, Powers, powers, "powers of values")
/* clang-format on */

/* All groups. */
#define EXACT_GROUPS(X) EXACT_STATES(EXACT_GROUPS_IN, X)
#define EXACT_GROUPS_IN(X, KIND, ...) EXACT_GROUPS_OF_##KIND(X)

#endif /* SCAN_OP_EXACT_STATISTICS_H */

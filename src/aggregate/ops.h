/*
 * ops.h: the operations that aggregate.c chooses from.
 */
#ifndef SCAN_AGGREGATE_OPS_H
#define SCAN_AGGREGATE_OPS_H

#include "aggregate/aggregate_op.h"

/* PostgreSQL's aggregates that op/list.h has: number_ops.c, numeric_ops.c, refold.c */
#define SCAN_STOCK(oid, function, type, values, line) extern const AggregateOp aggregate_op_##function##_##type;
#include "op/list.h"

/* exact_sum of smallint and integer: number_ops.c */
extern const AggregateOp aggregate_op_exact_sum_int2;
extern const AggregateOp aggregate_op_exact_sum_int4;

/* Any aggregate, by its own functions: call.c */
extern const AggregateOp aggregate_op_call;

/* The first value in call.sort_operator's order, and moving_arg_min and its like, over sliding frames:
 * monotonic_queue.c */
extern const AggregateOp aggregate_op_extreme;
extern bool				 aggregate_is_extreme(const Aggregate *aggregate);

/* the aggregates exact_* of floats, over sliding frames: exact_ops.c */
extern const AggregateOp aggregate_op_exact;

/* time_average, over sliding frames without EXCLUDE, by a constant method: time_ops.c */
extern const AggregateOp aggregate_op_time_average;
extern bool				 aggregate_is_time_average(const Aggregate *aggregate);

/* moving_median, moving_percentile_*, moving_mode and moving_count_distinct, over sliding frames: order_statistics.c */
extern const AggregateOp aggregate_op_order_statistic;
extern bool				 aggregate_is_order_statistic(const Aggregate *aggregate);

#endif /* SCAN_AGGREGATE_OPS_H */

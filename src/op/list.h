/*
 * list.h: the one table of all scans, with a line for each function and type, and of all aggregates that the plan node
 * has operations for.
 *
 * It is included many times, each time with other macros: the CPU loops (src/cpu/ops.c), the SQL entry points
 * (src/functions/), the plan node (src/node/), the CUDA kernels and the laws (test/law/) all come out of it.  An
 * including file defines the macros it wants.  The others are empty, and all of them are undefined at the end.
 * test/t/catalog.t proves that the scripts in sql/ say the same.  A function that no C code finds by a line, such as
 * the output function of a type, stands in the scripts alone.
 *
 *   SCAN_ROW(function, type, arguments, result, flags, call)
 *       scan_FUNCTION(ARGUMENTS) returns RESULT, by the binding FUNCTION_TYPE of
 *       binding.h: it runs in batches and in windows.  `call` is the entry of
 *       src/functions/window/entry.c that reads such arguments.
 *   SCAN_KERNEL(function, type, flags)
 *       A binding that runs in batches, and that SQL reaches through a SCAN_CALL or a
 *       SCAN_STOCK line.
 *   SCAN_ORDERED(function, type, second, flags)
 *       A binding of in_sequence.h: as SCAN_KERNEL, for scans whose rows must be taken in
 *       order.  `second` bytes of a row's values are in a second column.
 *   SCAN_FRAMED(function, type)
 *       A fold of frame.h: each row's answer is made of the values of its own frame.  Frames are
 *       in the second column.  They run as jobs of run/run.h alone.
 *   SCAN_CALL(function, type, arguments, result, rows)
 *       scan_FUNCTION(ARGUMENTS) with an entry point of its own in src/functions/, for
 *       example because the accumulator is a Datum (numeric, any type) or because it reads rows
 *       ahead.  `rows` says which rows it reads.  `streams`: only its own row, as the functions
 *       of SCAN_ROW do, so PrefixScan may call it.  `goes_on`: the same, and the function saves
 *       its state, so that another process can continue.  `goes_on_if_short`: it saves its state
 *       if its second argument is a small constant (SCAN_LAG_SAVED).  `looks_ahead`: also later
 *       rows of its partition (node/evaluate/ahead_function.c).  `compacts`, `splits`: its whole partition;
 *       PrefixScan has a loop for each (node/evaluate/compaction.c).
 *   SCAN_ARRAY(function, type, arguments, result, call, line)
 *       array_scan_FUNCTION(ARGUMENTS): scan_FUNCTION of the same type, over an array's
 *       elements.  `call` is the record of src/functions/array/array_scan.c that describes such
 *       arguments.  `line` is the binding by which it runs as a job; `none` if the accumulator
 *       is a Datum or if the binding depends on the type of the call.
 *   SCAN_ARRAY_MOVING(function, type, arguments, result, aggregate, kind)
 *       array_moving_FUNCTION(ARGUMENTS): for each element, what an aggregate returns for a frame
 *       of rows.  `aggregate` is one of PostgreSQL's, by its name in fmgroids.h, or InvalidOid:
 *       then `kind` is the MovingKind of one of ours (aggregate/moving_kind.h).
 *   SCAN_MOVING(transition, inverse, final, kind)
 *       An aggregate of the extension over sliding frames.  The C functions are those of its
 *       moving-aggregate mode, ours or core's; `kind` is its MovingKind (aggregate/moving_kind.h).
 *       An aggregate of the functions of a SCAN_STOCK line has none: it is that stock aggregate
 *       (node/aggregate_info.c).
 *   SCAN_STOCK_WINDOW(oid, kind)
 *       A window function of PostgreSQL, by its name in fmgroids.h; `kind` is the plan node's
 *       WindowFunctionKind (node/window_function.h).
 *   SCAN_STOCK(oid, function, type, values, line)
 *       An aggregate of PostgreSQL that aggregate_op_FUNCTION_TYPE evaluates
 *       (aggregate/internal.h).  `values` says which values it takes without an error: `all`, or only
 *       `some`, because a total may be out of range.  `line` is the binding whose results are
 *       the aggregate's to the bit, or determine them, so that a job may scan by it; `none`
 *       for floats, which add left to right (aggregate/refold.c has their SCAN_FRAMED lines), and
 *       numerics, which have no fixed size.
 *
 * Types are spelled as in pg_type.  No include guard: this is data.
 */
#ifndef SCAN_ROW
#define SCAN_ROW(function, type, arguments, result, flags, call)
#endif
#ifndef SCAN_KERNEL
#define SCAN_KERNEL(function, type, flags)
#endif
#ifndef SCAN_ORDERED
#define SCAN_ORDERED(function, type, second, flags)
#endif
#ifndef SCAN_FRAMED
#define SCAN_FRAMED(function, type)
#endif
#ifndef SCAN_CALL
#define SCAN_CALL(function, type, arguments, result, rows)
#endif
#ifndef SCAN_ARRAY
#define SCAN_ARRAY(function, type, arguments, result, call, line)
#endif
#ifndef SCAN_ARRAY_MOVING
#define SCAN_ARRAY_MOVING(function, type, arguments, result, aggregate, kind)
#endif
#ifndef SCAN_MOVING
#define SCAN_MOVING(transition, inverse, final, kind)
#define SCAN_EXACT_LINES(X)
#elif defined(EXACT_GROUPS)
#define SCAN_EXACT_LINES(X) EXACT_GROUPS(X)
#else
#error "include op/exact_statistics.h, whose groups are lines of SCAN_MOVING, before this file"
#endif
#ifndef SCAN_STOCK_WINDOW
#define SCAN_STOCK_WINDOW(oid, kind)
#endif
#ifndef SCAN_STOCK
#define SCAN_STOCK(oid, function, type, values, line)
#endif

/* clang-format off */

/* totals */
SCAN_ROW(sum, int2,     (int2,bool,bool),     int8,     SCAN_BEFORE, window_value)
SCAN_ROW(sum, int4,     (int4,bool,bool),     int8,     SCAN_BEFORE, window_value)
SCAN_ROW(sum, int8,     (int8,bool,bool),     int8,     SCAN_BEFORE, window_value)
SCAN_ROW(sum, float4,   (float4,bool,bool),   float4,   0, window_value)
SCAN_ROW(sum, float8,   (float8,bool,bool),   float8,   SCAN_TILED, window_value)
SCAN_KERNEL(wide_sum, int8, 0)
SCAN_CALL(sum, total,   (float8,scan_total,bool,bool), float8, goes_on)
SCAN_CALL(sum, total_int8,    (int8,scan_total,bool,bool),    float8, streams)
SCAN_CALL(sum, total_numeric, (numeric,scan_total,bool,bool), float8, streams)
SCAN_CALL(sum, numeric, (numeric,bool,bool),  numeric, goes_on)
SCAN_CALL(sum, number,  (numeric,numeric,bool,bool), numeric, streams)
SCAN_ROW(sum, interval, (interval,bool,bool), interval, 0, window_value)
SCAN_CALL(product, int2,    (int2,bool,bool),    numeric, goes_on)
SCAN_CALL(product, int4,    (int4,bool,bool),    numeric, goes_on)
SCAN_CALL(product, int8,    (int8,bool,bool),    numeric, goes_on)
SCAN_ORDERED(product, float8, 0, 0)
SCAN_CALL(product, float8,  (float8,bool,bool),  float8, streams)
SCAN_CALL(product, numeric, (numeric,bool,bool), numeric, goes_on)
SCAN_ROW(count, bool, (bool,bool,bool), int8, SCAN_NULL_IS_ZERO, window_value)
SCAN_ROW(counter, int2,     (int2,bool),      int8,     0, window_value)
SCAN_ROW(counter, int4,     (int4,bool),      int8,     0, window_value)
SCAN_ROW(counter, int8,     (int8,bool),      int8,     0, window_value)
SCAN_ROW(counter, float8,   (float8,bool),    float8,   0, window_value)
SCAN_CALL(counter, numeric, (numeric,bool),   numeric,  goes_on)
SCAN_CALL(counter, flag_int2,     (int2,scan_flag),       int8,    goes_on)
SCAN_CALL(counter, flag_int4,     (int4,scan_flag),       int8,    goes_on)
SCAN_CALL(counter, flag_int8,     (int8,scan_flag),       int8,    goes_on)
SCAN_CALL(counter, flag_float8,   (float8,scan_flag),     float8,  goes_on)
SCAN_CALL(counter, flag_numeric,  (numeric,scan_flag),    numeric, goes_on)
SCAN_CALL(counter, wraps_int2,    (int2,int8,bool),       int8,    goes_on)
SCAN_CALL(counter, wraps_int4,    (int4,int8,bool),       int8,    goes_on)
SCAN_CALL(counter, wraps_int8,    (int8,int8,bool),       int8,    goes_on)
SCAN_CALL(counter, wraps_float8,  (float8,float8,bool),   float8,  goes_on)
SCAN_CALL(counter, wraps_numeric, (numeric,numeric,bool), numeric, goes_on)

/* extremes */
SCAN_KERNEL(min, int2,   0)
SCAN_KERNEL(min, int4,   0)
SCAN_KERNEL(min, int8,   0)
SCAN_KERNEL(min, float4, 0)
SCAN_KERNEL(min, float8, 0)
SCAN_CALL(min, any, (anyelement,bool,bool), anyelement, goes_on)
SCAN_KERNEL(max, int2,   0)
SCAN_KERNEL(max, int4,   0)
SCAN_KERNEL(max, int8,   0)
SCAN_KERNEL(max, float4, 0)
SCAN_KERNEL(max, float8, 0)
SCAN_CALL(max, any, (anyelement,bool,bool), anyelement, goes_on)

/* logic */
SCAN_ROW(bool_and, bool, (bool,bool,bool), bool, 0, window_value)
SCAN_ROW(bool_or,  bool, (bool,bool,bool), bool, 0, window_value)
SCAN_ROW(bit_and, int2, (int2,bool,bool), int2, 0, window_value)
SCAN_ROW(bit_and, int4, (int4,bool,bool), int4, 0, window_value)
SCAN_ROW(bit_and, int8, (int8,bool,bool), int8, 0, window_value)
SCAN_CALL(bit_and, bit, (bit,bool,bool),  bit, goes_on)
SCAN_ROW(bit_or,  int2, (int2,bool,bool), int2, 0, window_value)
SCAN_ROW(bit_or,  int4, (int4,bool,bool), int4, 0, window_value)
SCAN_ROW(bit_or,  int8, (int8,bool,bool), int8, 0, window_value)
SCAN_CALL(bit_or, bit,  (bit,bool,bool),  bit, goes_on)
SCAN_ROW(bit_xor, int2, (int2,bool,bool), int2, 0, window_value)
SCAN_ROW(bit_xor, int4, (int4,bool,bool), int4, 0, window_value)
SCAN_ROW(bit_xor, int8, (int8,bool,bool), int8, 0, window_value)
SCAN_CALL(bit_xor, bit, (bit,bool,bool),  bit, goes_on)

/* fill, compaction, split */
SCAN_CALL(locf, any, (anyelement,int8,bool), anyelement, goes_on)
SCAN_CALL(locf, literal, (anyelement,scan_rows,bool), anyelement, goes_on)
SCAN_CALL(locf, int8,        (anyelement,int8,int8,bool),            anyelement, goes_on)
SCAN_CALL(locf, float8,      (anyelement,float8,float8,bool),        anyelement, goes_on)
SCAN_CALL(locf, numeric,     (anyelement,numeric,numeric,bool),      anyelement, goes_on)
SCAN_CALL(locf, date,        (anyelement,date,interval,bool),        anyelement, goes_on)
SCAN_CALL(locf, days,        (anyelement,date,scan_days,bool),       anyelement, goes_on)
SCAN_CALL(locf, timestamp,   (anyelement,timestamp,interval,bool),   anyelement, goes_on)
SCAN_CALL(locf, timestamptz, (anyelement,timestamptz,interval,bool), anyelement, goes_on)
SCAN_CALL(nocb, any, (anyelement,int8,bool), anyelement, looks_ahead)
SCAN_CALL(nocb, literal, (anyelement,scan_rows,bool), anyelement, looks_ahead)
SCAN_CALL(nocb, literals,  (anyelement,scan_rows,scan_flag), anyelement, looks_ahead)
SCAN_CALL(nocb, flag_int2, (anyelement,int2,scan_flag),      anyelement, looks_ahead)
SCAN_CALL(nocb, flag_int4, (anyelement,int4,scan_flag),      anyelement, looks_ahead)
SCAN_CALL(nocb, flag_int8, (anyelement,int8,scan_flag),      anyelement, looks_ahead)
SCAN_CALL(nocb, int8,        (anyelement,int8,int8,bool),            anyelement, looks_ahead)
SCAN_CALL(nocb, float8,      (anyelement,float8,float8,bool),        anyelement, looks_ahead)
SCAN_CALL(nocb, numeric,     (anyelement,numeric,numeric,bool),      anyelement, looks_ahead)
SCAN_CALL(nocb, date,        (anyelement,date,interval,bool),        anyelement, looks_ahead)
SCAN_CALL(nocb, days,        (anyelement,date,scan_days,bool),       anyelement, looks_ahead)
SCAN_CALL(nocb, timestamp,   (anyelement,timestamp,interval,bool),   anyelement, looks_ahead)
SCAN_CALL(nocb, timestamptz, (anyelement,timestamptz,interval,bool), anyelement, looks_ahead)
SCAN_CALL(interpolate, without_at,  (float8),                            float8, streams)
SCAN_CALL(lag,  any, (anyelement,int8,bool), anyelement, goes_on_if_short)
SCAN_CALL(lead, any, (anyelement,int8,bool), anyelement, looks_ahead)
SCAN_CALL(interpolate, int8,        (float8,int8,int8,bool),            float8, looks_ahead)
SCAN_CALL(interpolate, float8,      (float8,float8,float8,bool),        float8, looks_ahead)
SCAN_CALL(interpolate, numeric,     (float8,numeric,numeric,bool),      float8, looks_ahead)
SCAN_CALL(interpolate, date,        (float8,date,interval,bool),        float8, looks_ahead)
SCAN_CALL(interpolate, days,        (float8,date,scan_days,bool),       float8, looks_ahead)
SCAN_CALL(interpolate, timestamp,   (float8,timestamp,interval,bool),   float8, looks_ahead)
SCAN_CALL(interpolate, timestamptz, (float8,timestamptz,interval,bool), float8, looks_ahead)
SCAN_ROW(compact_index, bool, (bool), int8, SCAN_NULL_IS_ZERO | SCAN_SPARSE | SCAN_BEFORE, window_value)
SCAN_CALL(compact, any, (anyelement,bool), anyelement, compacts)
SCAN_CALL(split_index, bool, (bool), int8, splits)

/* clamps, sessions and automata */
SCAN_ROW(clamped_sum, int2, (int2,int8,int8,int8,bool), int8, 0, window_clamped)
SCAN_ROW(clamped_sum, int4, (int4,int8,int8,int8,bool), int8, 0, window_clamped)
SCAN_ROW(clamped_sum, int8, (int8,int8,int8,int8,bool), int8, 0, window_clamped)
SCAN_ORDERED(clamped_sum, float8, 0, 0)
SCAN_CALL(clamped_sum, float8,  (float8,float8,float8,float8,bool),      float8, goes_on)
SCAN_CALL(clamped_sum, numeric, (numeric,numeric,numeric,numeric,bool), numeric, goes_on)
SCAN_ORDERED(bin, int2,   0, 0)
SCAN_ORDERED(bin, int4,   0, 0)
SCAN_ORDERED(bin, int8,   0, 0)
SCAN_ORDERED(bin, float8, 0, 0)
SCAN_CALL(bin, int2,            (int2,int8,bool,bool),       int8, goes_on)
SCAN_CALL(bin, int4,            (int4,int8,bool,bool),       int8, goes_on)
SCAN_CALL(bin, int8,            (int8,int8,bool,bool),       int8, goes_on)
SCAN_CALL(bin, float8,          (float8,float8,bool,bool),   int8, goes_on)
SCAN_CALL(bin, numeric,         (numeric,numeric,bool,bool), int8, goes_on)
SCAN_CALL(session, int2,        (int2,int8,bool),            int8, goes_on)
SCAN_CALL(session, int4,        (int4,int8,bool),            int8, goes_on)
SCAN_CALL(session, int8,        (int8,int8,bool),            int8, goes_on)
SCAN_CALL(session, float8,      (float8,float8,bool),        int8, goes_on)
SCAN_CALL(session, numeric,     (numeric,numeric,bool),      int8, goes_on)
SCAN_CALL(session, date,        (date,interval,bool),        int8, goes_on)
SCAN_CALL(session, days,        (date,scan_days,bool),       int8, goes_on)
SCAN_CALL(session, timestamp,   (timestamp,interval,bool),   int8, goes_on)
SCAN_CALL(session, timestamptz, (timestamptz,interval,bool), int8, goes_on)
SCAN_KERNEL(change, bool,   SCAN_NULL_IS_VALUE)
SCAN_KERNEL(change, int2,   SCAN_NULL_IS_VALUE)
SCAN_KERNEL(change, int4,   SCAN_NULL_IS_VALUE)
SCAN_KERNEL(change, int8,   SCAN_NULL_IS_VALUE)
SCAN_KERNEL(change, float4, SCAN_NULL_IS_VALUE)
SCAN_KERNEL(change, float8, SCAN_NULL_IS_VALUE)
SCAN_CALL(change, any, (anyelement,bool), int8, goes_on)
SCAN_CALL(state, int4, (int4,_int4,int4,bool), int4, goes_on)
SCAN_CALL(match, any, (text,any), int8, looks_ahead)
SCAN_CALL(match_variable, any, (text,any), text, looks_ahead)
SCAN_ROW(carry, bool, (bool,bool,bool,bool), bool, 0, window_carry)
SCAN_CALL(matrix_product, float8, (_float8,bool), _float8, streams)
SCAN_CALL(fold, any, (anyelement,regprocedure,bool,bool), anyelement, streams)
SCAN_CALL(fold, init, (anycompatible,regprocedure,anyelement,bool,bool), anyelement, streams)
SCAN_CALL(cost, numeric, (numeric,numeric,text,bool), numeric, streams)
SCAN_CALL(cost, amounts,  (scan_amount,scan_amount,text,bool), numeric, streams)
SCAN_CALL(cost, quantity, (scan_amount,numeric,text,bool),     numeric, streams)
SCAN_CALL(cost, price,    (numeric,scan_amount,text,bool),     numeric, streams)

/* recurrences */
SCAN_ORDERED(recurrence, float8, 8, SCAN_TILED)
SCAN_CALL(recurrence, float8,  (float8,float8,float8,bool),    float8, goes_on)
SCAN_CALL(recurrence, numeric, (numeric,numeric,numeric,bool), numeric, goes_on)
SCAN_ORDERED(recurrence, vector, 8, SCAN_VECTOR | SCAN_TILED)
SCAN_CALL(recurrence, vector,  (_float8,float8,_float8,bool),  float8, goes_on)
SCAN_ORDERED(filter, float8, 0, 0)
SCAN_CALL(filter, float8,  (float8,_float8,_float8,bool),      float8, streams)
SCAN_ORDERED(ema, float8, 0, SCAN_TILED)
SCAN_CALL(ema, float8,     (float8,float8,bool,bool),          float8, goes_on)
SCAN_ORDERED(ema, by_time, 8, 0)
SCAN_CALL(ema, by_time,    (float8,timestamptz,interval,bool), float8, goes_on)
SCAN_CALL(ema, without_alpha, (float8,money,float8,bool,bool), float8, streams)
SCAN_CALL(ema, date,       (float8,date,interval,bool),        float8, goes_on)
SCAN_CALL(ema, timestamp,  (float8,timestamp,interval,bool),   float8, goes_on)
SCAN_CALL(ema, by_int8,    (float8,int8,float8,bool),          float8, goes_on)
SCAN_CALL(ema, by_float8,  (float8,float8,float8,bool),        float8, goes_on)
SCAN_CALL(ema, by_numeric, (float8,numeric,float8,bool),       float8, goes_on)
SCAN_CALL(ema, adjusted_timestamptz, (float8,timestamptz,interval,scan_adjust,bool), float8, goes_on)
SCAN_CALL(ema, adjusted_date,        (float8,date,interval,scan_adjust,bool),        float8, goes_on)
SCAN_CALL(ema, adjusted_timestamp,   (float8,timestamp,interval,scan_adjust,bool),   float8, goes_on)
SCAN_CALL(ema, adjusted_int8,        (float8,int8,float8,scan_adjust,bool),          float8, goes_on)
SCAN_CALL(ema, adjusted_float8,      (float8,float8,float8,scan_adjust,bool),        float8, goes_on)
SCAN_CALL(ema, adjusted_numeric,     (float8,numeric,float8,scan_adjust,bool),       float8, goes_on)
SCAN_CALL(ema_var, float8,    (float8,float8,bool,bool,bool),        float8, goes_on)
SCAN_CALL(ema_stddev, float8, (float8,float8,bool,bool,bool),        float8, goes_on)
SCAN_CALL(ema_covar, float8,  (float8,float8,float8,bool,bool,bool), float8, goes_on)
SCAN_CALL(ema_corr, float8,   (float8,float8,float8,bool,bool),      float8, goes_on)
SCAN_CALL(integral, int8,        (float8,int8,text,bool),        float8, goes_on)
SCAN_CALL(integral, float8,      (float8,float8,text,bool),      float8, goes_on)
SCAN_CALL(integral, numeric,     (float8,numeric,text,bool),     float8, goes_on)
SCAN_CALL(integral, date,        (float8,date,text,bool),        float8, goes_on)
SCAN_CALL(integral, timestamp,   (float8,timestamp,text,bool),   float8, goes_on)
SCAN_CALL(integral, timestamptz, (float8,timestamptz,text,bool), float8, goes_on)
SCAN_CALL(time_average, timestamptz, (exact_state,timestamptz,timestamptz), float8, looks_ahead)
SCAN_CALL(time_average, timestamp,   (exact_state,timestamp,timestamp),     float8, looks_ahead)
SCAN_CALL(time_average, date,        (exact_state,date,date),               float8, looks_ahead)
SCAN_CALL(time_average, int8,        (exact_state,int8,int8),               float8, looks_ahead)
SCAN_CALL(time_average, float8,      (exact_state,float8,float8),           float8, looks_ahead)

/* aggregates over sliding frames */
SCAN_FRAMED(frame_sum, float8)
SCAN_FRAMED(frame_sum, float4)
SCAN_FRAMED(frame_squares, float8)
SCAN_MOVING(int2_accum,                   int2_accum_inv,      numeric_poly_sum,                     SUM_INT2)
SCAN_MOVING(int4_accum,                   int4_accum_inv,      numeric_poly_sum,                     SUM_INT4)
/* each way of exact_statistics.h by which a row goes in, with each statistic of its group */
#define SCAN_EXACT(taking, name, kind, squares, answer) \
	SCAN_MOVING(exact_add_##taking, exact_remove_##taking, exact_final_##name, EXACT_##kind)
#define SCAN_EXACT_GROUP(G, ...) EXACT_TAKINGS_OF_##G(SCAN_EXACT_TAKING, G)
#define SCAN_EXACT_TAKING(G, taking, ...) EXACT_OF_##G(SCAN_EXACT, taking)
SCAN_EXACT_LINES(SCAN_EXACT_GROUP)
#undef SCAN_EXACT
#undef SCAN_EXACT_GROUP
#undef SCAN_EXACT_TAKING
#undef SCAN_EXACT_LINES

/* averages over time */
SCAN_MOVING(time_average_enter_timestamptz,time_average_leave_timestamptz,time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_timestamp,  time_average_leave_timestamp,  time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_date,       time_average_leave_date,       time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_int8,       time_average_leave_int8,       time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_float8,     time_average_leave_float8,     time_average_moving_final, TIME_AVERAGE)

/* aggregates over any frame, by the order of the values */
SCAN_MOVING(moving_arg_min_enter,         moving_arg_leave,    moving_arg_final,                     ARG_MIN)
SCAN_MOVING(moving_arg_max_enter,         moving_arg_leave,    moving_arg_final,                     ARG_MAX)
SCAN_MOVING(moving_last_enter,            moving_arg_leave,    moving_arg_final,                     LAST)
SCAN_MOVING(moving_accumulate,            moving_remove,       moving_percentile_cont_final_float8,  PERCENTILE_CONT)
SCAN_MOVING(moving_accumulate,            moving_remove,       moving_percentile_cont_final_interval, PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_cont_final_float8,  PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_cont_final_interval, PERCENTILE_CONT)
SCAN_MOVING(moving_accumulate,            moving_remove,       moving_median_final_numeric,          PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_cont_final_numeric, PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_disc_final,         PERCENTILE_DISC)
SCAN_MOVING(moving_group_accumulate,      moving_group_remove, moving_mode_final,                    MODE)
SCAN_MOVING(moving_group_accumulate,      moving_group_remove, moving_count_distinct_final,          COUNT_DISTINCT)
SCAN_MOVING(moving_rank_accumulate,       moving_remove,       moving_rank_final,                    RANK)
SCAN_MOVING(moving_rank_accumulate,       moving_remove,       moving_percent_rank_final,            PERCENT_RANK)

/* arrays */
SCAN_ARRAY(sum, int2, (_int2,_bool,bool), _int8, array_values, sum_int2)
SCAN_ARRAY(sum, int4, (_int4,_bool,bool), _int8, array_values, sum_int4)
SCAN_ARRAY(sum, int8, (_int8,_bool,bool), _int8, array_values, sum_int8)
SCAN_ARRAY(sum, float4, (_float4,_bool,bool), _float4, array_values, sum_float4)
SCAN_ARRAY(sum, float8, (_float8,_bool,bool), _float8, array_values, sum_float8)
SCAN_ARRAY(sum, numeric, (_numeric,_bool,bool), _numeric, array_values, none)
SCAN_ARRAY(sum, interval, (_interval,_bool,bool), _interval, array_values, sum_interval)
SCAN_ARRAY(product, int2, (_int2,_bool,bool), _numeric, array_values, none)
SCAN_ARRAY(product, int4, (_int4,_bool,bool), _numeric, array_values, none)
SCAN_ARRAY(product, int8, (_int8,_bool,bool), _numeric, array_values, none)
SCAN_ARRAY(product, float8, (_float8,_bool,bool), _float8, array_product, product_float8)
SCAN_ARRAY(product, numeric, (_numeric,_bool,bool), _numeric, array_values, none)
SCAN_ARRAY(count, bool, (_bool,_bool,bool), _int8, array_values, count_bool)
SCAN_ARRAY(counter, int2, (_int2,_bool), _int8, array_reset, counter_int2)
SCAN_ARRAY(counter, int4, (_int4,_bool), _int8, array_reset, counter_int4)
SCAN_ARRAY(counter, int8, (_int8,_bool), _int8, array_reset, counter_int8)
SCAN_ARRAY(counter, float8, (_float8,_bool), _float8, array_reset, counter_float8)
SCAN_ARRAY(counter, numeric, (_numeric,_bool), _numeric, array_reset, none)
SCAN_ARRAY(min, any, (anyarray,_bool,bool), anyarray, array_min, none)
SCAN_ARRAY(max, any, (anyarray,_bool,bool), anyarray, array_max, none)
SCAN_ARRAY(bool_and, bool, (_bool,_bool,bool), _bool, array_values, bool_and_bool)
SCAN_ARRAY(bool_or, bool, (_bool,_bool,bool), _bool, array_values, bool_or_bool)
SCAN_ARRAY(bit_and, int2, (_int2,_bool,bool), _int2, array_values, bit_and_int2)
SCAN_ARRAY(bit_and, int4, (_int4,_bool,bool), _int4, array_values, bit_and_int4)
SCAN_ARRAY(bit_and, int8, (_int8,_bool,bool), _int8, array_values, bit_and_int8)
SCAN_ARRAY(bit_and, bit, (_bit,_bool,bool), _bit, array_values, none)
SCAN_ARRAY(bit_or, int2, (_int2,_bool,bool), _int2, array_values, bit_or_int2)
SCAN_ARRAY(bit_or, int4, (_int4,_bool,bool), _int4, array_values, bit_or_int4)
SCAN_ARRAY(bit_or, int8, (_int8,_bool,bool), _int8, array_values, bit_or_int8)
SCAN_ARRAY(bit_or, bit, (_bit,_bool,bool), _bit, array_values, none)
SCAN_ARRAY(bit_xor, int2, (_int2,_bool,bool), _int2, array_values, bit_xor_int2)
SCAN_ARRAY(bit_xor, int4, (_int4,_bool,bool), _int4, array_values, bit_xor_int4)
SCAN_ARRAY(bit_xor, int8, (_int8,_bool,bool), _int8, array_values, bit_xor_int8)
SCAN_ARRAY(bit_xor, bit, (_bit,_bool,bool), _bit, array_values, none)
SCAN_ARRAY(locf, any,         (anyarray,int8,_bool),                   anyarray, array_filled, none)
SCAN_ARRAY(locf, int8,        (anyarray,_int8,int8,_bool),            anyarray, array_filled_at, none)
SCAN_ARRAY(locf, float8,      (anyarray,_float8,float8,_bool),        anyarray, array_filled_at, none)
SCAN_ARRAY(locf, numeric,     (anyarray,_numeric,numeric,_bool),      anyarray, array_filled_at, none)
SCAN_ARRAY(locf, date,        (anyarray,_date,interval,_bool),        anyarray, array_filled_at, none)
SCAN_ARRAY(locf, days,        (anyarray,_date,scan_days,_bool),       anyarray, array_filled_at, none)
SCAN_ARRAY(locf, timestamp,   (anyarray,_timestamp,interval,_bool),   anyarray, array_filled_at, none)
SCAN_ARRAY(locf, timestamptz, (anyarray,_timestamptz,interval,_bool), anyarray, array_filled_at, none)
SCAN_ARRAY(nocb, any,         (anyarray,int8,_bool),                   anyarray, array_filled, none)
SCAN_ARRAY(nocb, int8,        (anyarray,_int8,int8,_bool),            anyarray, array_filled_at, none)
SCAN_ARRAY(nocb, float8,      (anyarray,_float8,float8,_bool),        anyarray, array_filled_at, none)
SCAN_ARRAY(nocb, numeric,     (anyarray,_numeric,numeric,_bool),      anyarray, array_filled_at, none)
SCAN_ARRAY(nocb, date,        (anyarray,_date,interval,_bool),        anyarray, array_filled_at, none)
SCAN_ARRAY(nocb, days,        (anyarray,_date,scan_days,_bool),       anyarray, array_filled_at, none)
SCAN_ARRAY(nocb, timestamp,   (anyarray,_timestamp,interval,_bool),   anyarray, array_filled_at, none)
SCAN_ARRAY(nocb, timestamptz, (anyarray,_timestamptz,interval,_bool), anyarray, array_filled_at, none)
SCAN_ARRAY(interpolate, float8, (_float8,_float8,float8,_bool), _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, int2,        (_float8,_int2,numeric,_bool),         _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, int4,        (_float8,_int4,numeric,_bool),         _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, integers,    (_float8,_int8,numeric,_bool),         _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, numeric,     (_float8,_numeric,numeric,_bool),      _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, date,        (_float8,_date,interval,_bool),        _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, days,        (_float8,_date,scan_days,_bool),       _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, timestamp,   (_float8,_timestamp,interval,_bool),   _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, timestamptz, (_float8,_timestamptz,interval,_bool), _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, literal,     (_float8,scan_axis,float8,_bool),        _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, literal_numeric, (_float8,scan_axis,numeric,_bool),   _float8, array_filled_at, none)
SCAN_ARRAY(interpolate, literals,    (_float8,scan_axis,scan_amount,_bool),   _float8, array_filled_at, none)
SCAN_ARRAY(clamped_sum, int2, (_int2,int8,int8,int8,_bool), _int8, array_clamped, clamped_sum_int2)
SCAN_ARRAY(clamped_sum, int4, (_int4,int8,int8,int8,_bool), _int8, array_clamped, clamped_sum_int4)
SCAN_ARRAY(clamped_sum, int8, (_int8,int8,int8,int8,_bool), _int8, array_clamped, clamped_sum_int8)
SCAN_ARRAY(clamped_sum, float8, (_float8,float8,float8,float8,_bool), _float8, array_clamped_float, clamped_sum_float8)
SCAN_ARRAY(clamped_sum, numeric, (_numeric,numeric,numeric,numeric,_bool), _numeric, array_clamped, none)
SCAN_ARRAY(session, int2,        (_int2,int8,_bool),            _int8, array_session, none)
SCAN_ARRAY(session, int4,        (_int4,int8,_bool),            _int8, array_session, none)
SCAN_ARRAY(session, int8,        (_int8,int8,_bool),            _int8, array_session, none)
SCAN_ARRAY(session, float8,      (_float8,float8,_bool),        _int8, array_session, none)
SCAN_ARRAY(session, numeric,     (_numeric,numeric,_bool),      _int8, array_session, none)
SCAN_ARRAY(session, date,        (_date,interval,_bool),        _int8, array_session, none)
SCAN_ARRAY(session, days,        (_date,scan_days,_bool),       _int8, array_session, none)
SCAN_ARRAY(session, timestamp,   (_timestamp,interval,_bool),   _int8, array_session, none)
SCAN_ARRAY(session, timestamptz, (_timestamptz,interval,_bool), _int8, array_session, none)
SCAN_ARRAY(change, any, (anyarray,_bool), _int8, array_change, none)
SCAN_ARRAY(recurrence, float8, (_float8,_float8,float8,_bool), _float8, array_recurrence, recurrence_float8)
SCAN_ARRAY(recurrence, numeric, (_numeric,_numeric,numeric,_bool), _numeric, array_recurrence, none)
SCAN_ARRAY(ema_var, float8,    (_float8,float8,bool,bool,_bool),         _float8, array_ema_spread, none)
SCAN_ARRAY(ema_stddev, float8, (_float8,float8,bool,bool,_bool),         _float8, array_ema_spread, none)
SCAN_ARRAY(ema_covar, float8,  (_float8,_float8,float8,bool,bool,_bool), _float8, array_ema_covar, none)
SCAN_ARRAY(ema_corr, float8,   (_float8,_float8,float8,bool,_bool),      _float8, array_ema_corr, none)

/* moving windows over arrays */
SCAN_ARRAY_MOVING(sum, int2,    (_int2,int4,int4),    _int8,    F_SUM_INT2,    NONE)
SCAN_ARRAY_MOVING(sum, int4,    (_int4,int4,int4),    _int8,    F_SUM_INT4,    NONE)
SCAN_ARRAY_MOVING(sum, int8,    (_int8,int4,int4),    _numeric, F_SUM_INT8,    NONE)
SCAN_ARRAY_MOVING(sum, float4,  (_float4,int4,int4),  _float4,  InvalidOid,    EXACT_SUM_FLOAT4)
SCAN_ARRAY_MOVING(sum, float8,  (_float8,int4,int4),  _float8,  InvalidOid,    EXACT_SUM)
SCAN_ARRAY_MOVING(sum, numeric, (_numeric,int4,int4), _numeric, F_SUM_NUMERIC, NONE)
SCAN_ARRAY_MOVING(avg, int2,    (_int2,int4,int4),    _numeric, F_AVG_INT2,    NONE)
SCAN_ARRAY_MOVING(avg, int4,    (_int4,int4,int4),    _numeric, F_AVG_INT4,    NONE)
SCAN_ARRAY_MOVING(avg, int8,    (_int8,int4,int4),    _numeric, F_AVG_INT8,    NONE)
SCAN_ARRAY_MOVING(avg, float8,  (_float8,int4,int4),  _float8,  InvalidOid,    EXACT_AVG)
SCAN_ARRAY_MOVING(avg, numeric, (_numeric,int4,int4), _numeric, F_AVG_NUMERIC, NONE)
SCAN_ARRAY_MOVING(min, any, (anyarray,int4,int4), anyarray, InvalidOid, LEAST)
SCAN_ARRAY_MOVING(max, any, (anyarray,int4,int4), anyarray, InvalidOid, GREATEST)
SCAN_ARRAY_MOVING(median, float8,   (_float8,int4,int4),   _float8,   InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, interval, (_interval,int4,int4), _interval, InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, int2,     (_int2,int4,int4),     _numeric,  InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, int4,     (_int4,int4,int4),     _numeric,  InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, int8,     (_int8,int4,int4),     _numeric,  InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, numeric,  (_numeric,int4,int4),  _numeric,  InvalidOid, PERCENTILE_CONT)

/* PostgreSQL's window functions */
SCAN_STOCK_WINDOW(F_ROW_NUMBER,            ROW_NUMBER)
SCAN_STOCK_WINDOW(F_RANK_,                 RANK)
SCAN_STOCK_WINDOW(F_DENSE_RANK_,           DENSE_RANK)
SCAN_STOCK_WINDOW(F_PERCENT_RANK_,         PERCENT_RANK)
SCAN_STOCK_WINDOW(F_CUME_DIST_,            CUME_DIST)
SCAN_STOCK_WINDOW(F_NTILE,                 NTILE)
SCAN_STOCK_WINDOW(F_LAG_ANYELEMENT,        LAG)
SCAN_STOCK_WINDOW(F_LAG_ANYELEMENT_INT4,   LAG)
SCAN_STOCK_WINDOW(F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE, LAG)
SCAN_STOCK_WINDOW(F_LEAD_ANYELEMENT,       LEAD)
SCAN_STOCK_WINDOW(F_LEAD_ANYELEMENT_INT4,  LEAD)
SCAN_STOCK_WINDOW(F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE, LEAD)
SCAN_STOCK_WINDOW(F_FIRST_VALUE,           FIRST_VALUE)
SCAN_STOCK_WINDOW(F_LAST_VALUE,            LAST_VALUE)
SCAN_STOCK_WINDOW(F_NTH_VALUE,             NTH_VALUE)

/* PostgreSQL's aggregates: dates are int4, times and timestamps int8; infinities are the type's end values */
SCAN_STOCK(F_COUNT_,       count, any,     all, count_bool)
SCAN_STOCK(F_COUNT_ANY,    count, any,     all, count_bool)
SCAN_STOCK(F_SUM_INT2,     sum, int2,      all, sum_int2)
SCAN_STOCK(F_SUM_INT4,     sum, int4,      all, sum_int4)
SCAN_STOCK(F_SUM_INT8,     sum, int8,      all, wide_sum_int8)
SCAN_STOCK(F_SUM_FLOAT4,   sum, float4,    some, none)
SCAN_STOCK(F_SUM_FLOAT8,   sum, float8,    some, none)
SCAN_STOCK(F_SUM_NUMERIC,  sum, numeric,   some, none)
SCAN_STOCK(F_SUM_INTERVAL, sum, interval,  some, none)
SCAN_STOCK(F_AVG_INT2,     avg, int2,      all, sum_int2)
SCAN_STOCK(F_AVG_INT4,     avg, int4,      all, sum_int4)
SCAN_STOCK(F_AVG_INT8,     avg, int8,      all, wide_sum_int8)
SCAN_STOCK(F_AVG_FLOAT4,   avg, float4,    some, none)
SCAN_STOCK(F_AVG_FLOAT8,   avg, float8,    some, none)
SCAN_STOCK(F_AVG_NUMERIC,  avg, numeric,   some, none)
SCAN_STOCK(F_VAR_POP_FLOAT4,       var_pop, float4, some, none)
SCAN_STOCK(F_VAR_POP_FLOAT8,       var_pop, float8, some, none)
SCAN_STOCK(F_VAR_SAMP_FLOAT4,      var_samp, float4, some, none)
SCAN_STOCK(F_VAR_SAMP_FLOAT8,      var_samp, float8, some, none)
SCAN_STOCK(F_VARIANCE_FLOAT4,      var_samp, float4, some, none)
SCAN_STOCK(F_VARIANCE_FLOAT8,      var_samp, float8, some, none)
SCAN_STOCK(F_STDDEV_POP_FLOAT4,    stddev_pop, float4, some, none)
SCAN_STOCK(F_STDDEV_POP_FLOAT8,    stddev_pop, float8, some, none)
SCAN_STOCK(F_STDDEV_SAMP_FLOAT4,   stddev_samp, float4, some, none)
SCAN_STOCK(F_STDDEV_SAMP_FLOAT8,   stddev_samp, float8, some, none)
SCAN_STOCK(F_STDDEV_FLOAT4,        stddev_samp, float4, some, none)
SCAN_STOCK(F_STDDEV_FLOAT8,        stddev_samp, float8, some, none)
SCAN_STOCK(F_MAX_INT2,     max, int2,      all, max_int2)
SCAN_STOCK(F_MAX_INT4,     max, int4,      all, max_int4)
SCAN_STOCK(F_MAX_INT8,     max, int8,      all, max_int8)
SCAN_STOCK(F_MAX_FLOAT4,   max, float4,    all, max_float4)
SCAN_STOCK(F_MAX_FLOAT8,   max, float8,    all, max_float8)
SCAN_STOCK(F_MAX_DATE,     max, int4,      all, max_int4)
SCAN_STOCK(F_MAX_TIME,     max, int8,      all, max_int8)
SCAN_STOCK(F_MAX_TIMESTAMP,   max, int8,   all, max_int8)
SCAN_STOCK(F_MAX_TIMESTAMPTZ, max, int8,   all, max_int8)
SCAN_STOCK(F_MAX_MONEY,    max, int8,      all, max_int8)
SCAN_STOCK(F_MAX_NUMERIC,  max, numeric,   all, none)
SCAN_STOCK(F_MAX_INTERVAL, max, interval,  all, none)
SCAN_STOCK(F_MIN_INT2,     min, int2,      all, min_int2)
SCAN_STOCK(F_MIN_INT4,     min, int4,      all, min_int4)
SCAN_STOCK(F_MIN_INT8,     min, int8,      all, min_int8)
SCAN_STOCK(F_MIN_FLOAT4,   min, float4,    all, min_float4)
SCAN_STOCK(F_MIN_FLOAT8,   min, float8,    all, min_float8)
SCAN_STOCK(F_MIN_DATE,     min, int4,      all, min_int4)
SCAN_STOCK(F_MIN_TIME,     min, int8,      all, min_int8)
SCAN_STOCK(F_MIN_TIMESTAMP,   min, int8,   all, min_int8)
SCAN_STOCK(F_MIN_TIMESTAMPTZ, min, int8,   all, min_int8)
SCAN_STOCK(F_MIN_MONEY,    min, int8,      all, min_int8)
SCAN_STOCK(F_MIN_NUMERIC,  min, numeric,   all, none)
SCAN_STOCK(F_MIN_INTERVAL, min, interval,  all, none)
SCAN_STOCK(F_BIT_AND_INT2, bit_and, int2,  all, bit_and_int2)
SCAN_STOCK(F_BIT_AND_INT4, bit_and, int4,  all, bit_and_int4)
SCAN_STOCK(F_BIT_AND_INT8, bit_and, int8,  all, bit_and_int8)
SCAN_STOCK(F_BIT_OR_INT2,  bit_or, int2,   all, bit_or_int2)
SCAN_STOCK(F_BIT_OR_INT4,  bit_or, int4,   all, bit_or_int4)
SCAN_STOCK(F_BIT_OR_INT8,  bit_or, int8,   all, bit_or_int8)
SCAN_STOCK(F_BIT_XOR_INT2, bit_xor, int2,  all, bit_xor_int2)
SCAN_STOCK(F_BIT_XOR_INT4, bit_xor, int4,  all, bit_xor_int4)
SCAN_STOCK(F_BIT_XOR_INT8, bit_xor, int8,  all, bit_xor_int8)
SCAN_STOCK(F_BOOL_AND,     bool_and, bool, all, bool_and_bool)
SCAN_STOCK(F_EVERY,        bool_and, bool, all, bool_and_bool)
SCAN_STOCK(F_BOOL_OR,      bool_or, bool,  all, bool_or_bool)

/* clang-format on */

#undef SCAN_ROW
#undef SCAN_KERNEL
#undef SCAN_ORDERED
#undef SCAN_FRAMED
#undef SCAN_CALL
#undef SCAN_ARRAY
#undef SCAN_ARRAY_MOVING
#undef SCAN_MOVING
#undef SCAN_STOCK_WINDOW
#undef SCAN_STOCK

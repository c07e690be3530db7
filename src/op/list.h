/*
 * list.h: the one table of all functions, with a line for each function and type.
 *
 * It is included many times, each time with other macros: the CPU loops (src/cpu/ops.c), the SQL
 * entry points (src/functions/), the plan node (src/node/), the GPU's kernels (gpu/), the laws
 * (test/law/) and the proof that the scripts in sql/ say the same (test/t/catalog.t) all come out of
 * it.  An including file defines the macros it wants.  The others are empty, and all of them are
 * undefined at the end.
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
 *   SCAN_CALL(function, type, arguments, result, rows)
 *       scan_FUNCTION(ARGUMENTS) with an entry point of its own in src/functions/, for
 *       example because the accumulator is a Datum (numeric, any type) or because it reads rows
 *       ahead.  `rows` says which rows it reads.  `streams`: only its own row, as the functions
 *       of SCAN_ROW do, so PrefixScan may call it.  `goes_on`: the same, and the function saves
 *       its state, so that another process can continue.  `looks_ahead`: also later ones of its
 *       partition (node/evaluate/ahead_function.c).  `compacts`, `splits`: its whole partition;
 *       PrefixScan has a loop for each (node/evaluate/compaction.c).
 *   SCAN_ARRAY(function, type, arguments, result, call, line)
 *       array_scan_FUNCTION(ARGUMENTS): scan_FUNCTION of the same type, over an array's
 *       elements.  `call` is the entry of src/functions/array/array_scan.c that reads such
 *       arguments.  `line` is the binding by which it runs as a job; `none` if the accumulator
 *       is a Datum or if the binding depends on the type of the call.
 *   SCAN_ARRAY_MOVING(function, type, arguments, result, aggregate, kind)
 *       array_moving_FUNCTION(ARGUMENTS): for each element, what an aggregate returns for a frame
 *       of rows.  `aggregate` is one of PostgreSQL's, by its name in fmgroids.h, or InvalidOid:
 *       then `kind` is the MovingKind of one of ours (aggregate/moving_kind.h), or NONE for the
 *       extreme that FUNCTION names.
 *   SCAN_PLAIN(function, type, arguments, result)
 *       FUNCTION(ARGUMENTS), not a window function: permutations of arrays, the applications
 *       and the functions of src/functions/inspect/.  A `record` is a row of a set.
 *   SCAN_SUPPORT(name, arguments, result)
 *       A C function that has the same name in SQL, behind types, casts, operators and
 *       aggregates.
 *   SCAN_AGGREGATE(name, arguments, result)
 *       An aggregate.
 *   SCAN_MOVING(transition, inverse, final, kind)
 *       An aggregate of the extension over sliding frames.  The C functions are those of its
 *       moving-aggregate mode, ours or core's; `kind` is its MovingKind (aggregate/moving_kind.h).
 *       An aggregate of the functions of a SCAN_STOCK line has none: it is that stock aggregate
 *       (node/aggregate_info.c).
 *   SCAN_STOCK_WINDOW(oid, kind)
 *       A window function of PostgreSQL, by its name in fmgroids.h; `kind` is the plan node's
 *       WindowFunctionKind (node/function_info.h).
 *   SCAN_STOCK(oid, function, type, values, line)
 *       An aggregate of PostgreSQL that aggregate_op_FUNCTION_TYPE evaluates
 *       (aggregate/ops.h).  `values` says which values it takes without an error: `all`, or only
 *       `some`, because a total may be out of range.  `line` is the binding whose answers are
 *       the aggregate's to the bit, or determine them, so that a device may scan by it; `none`
 *       for floats, which add left to right, and numerics, which have no fixed size.
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
#ifndef SCAN_CALL
#define SCAN_CALL(function, type, arguments, result, rows)
#endif
#ifndef SCAN_ARRAY
#define SCAN_ARRAY(function, type, arguments, result, call, line)
#endif
#ifndef SCAN_ARRAY_MOVING
#define SCAN_ARRAY_MOVING(function, type, arguments, result, aggregate, kind)
#endif
#ifndef SCAN_PLAIN
#define SCAN_PLAIN(function, type, arguments, result)
#endif
#ifndef SCAN_SUPPORT
#define SCAN_SUPPORT(name, arguments, result)
#endif
#ifndef SCAN_AGGREGATE
#define SCAN_AGGREGATE(name, arguments, result)
#endif
#ifndef SCAN_MOVING
#define SCAN_MOVING(transition, inverse, final, kind)
#endif
#ifndef SCAN_STOCK_WINDOW
#define SCAN_STOCK_WINDOW(oid, kind)
#endif
#ifndef SCAN_STOCK
#define SCAN_STOCK(oid, function, type, values, line)
#endif

/* clang-format off */

/* planner */
SCAN_SUPPORT(scan_support, (internal), internal)

/* the view scan_status */
SCAN_SUPPORT(scan_status, (), record)

/* the view scan_rates */
SCAN_SUPPORT(scan_rates, (), record)

/* the type scan_total */
SCAN_SUPPORT(scan_total_in,   (cstring),    scan_total)
SCAN_SUPPORT(scan_total_out,  (scan_total), cstring)
SCAN_SUPPORT(scan_total_recv, (internal),   scan_total)
SCAN_SUPPORT(scan_total_send, (scan_total), bytea)
SCAN_SUPPORT(scan_total_of_float8,  (float8),     scan_total)
SCAN_SUPPORT(scan_total_to_float8,  (scan_total), float8)
SCAN_SUPPORT(scan_total_to_numeric, (scan_total), numeric)
SCAN_SUPPORT(scan_total_add, (scan_total,scan_total), scan_total)
SCAN_SUPPORT(scan_total_eq,  (scan_total,scan_total), bool)
SCAN_SUPPORT(scan_total_ne,  (scan_total,scan_total), bool)
SCAN_SUPPORT(scan_total_hash,          (scan_total),      int4)
SCAN_SUPPORT(scan_total_hash_extended, (scan_total,int8), int8)

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
SCAN_CALL(locf, int8,        (anyelement,int8,int8,bool),            anyelement, goes_on)
SCAN_CALL(locf, float8,      (anyelement,float8,float8,bool),        anyelement, goes_on)
SCAN_CALL(locf, numeric,     (anyelement,numeric,numeric,bool),      anyelement, goes_on)
SCAN_CALL(locf, date,        (anyelement,date,interval,bool),        anyelement, goes_on)
SCAN_CALL(locf, timestamp,   (anyelement,timestamp,interval,bool),   anyelement, goes_on)
SCAN_CALL(locf, timestamptz, (anyelement,timestamptz,interval,bool), anyelement, goes_on)
SCAN_CALL(nocb, any, (anyelement,int8,bool), anyelement, looks_ahead)
SCAN_CALL(interpolate, int8,        (float8,int8,int8,bool),            float8, looks_ahead)
SCAN_CALL(interpolate, float8,      (float8,float8,float8,bool),        float8, looks_ahead)
SCAN_CALL(interpolate, numeric,     (float8,numeric,numeric,bool),      float8, looks_ahead)
SCAN_CALL(interpolate, date,        (float8,date,interval,bool),        float8, looks_ahead)
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
SCAN_ROW(carry, bool, (bool,bool,bool,bool), bool, 0, window_carry)
SCAN_CALL(matrix_product, float8, (_float8,bool), _float8, streams)
SCAN_CALL(fold, any, (anyelement,regprocedure,bool,bool), anyelement, streams)
SCAN_CALL(fold, init, (anycompatible,regprocedure,anyelement,bool,bool), anyelement, streams)
SCAN_CALL(cost, numeric, (numeric,numeric,text,bool), numeric, streams)

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
SCAN_CALL(integral, int8,        (float8,int8,text,bool),        float8, goes_on)
SCAN_CALL(integral, float8,      (float8,float8,text,bool),      float8, goes_on)
SCAN_CALL(integral, numeric,     (float8,numeric,text,bool),     float8, goes_on)
SCAN_CALL(integral, date,        (float8,date,text,bool),        float8, goes_on)
SCAN_CALL(integral, timestamp,   (float8,timestamp,text,bool),   float8, goes_on)
SCAN_CALL(integral, timestamptz, (float8,timestamptz,text,bool), float8, goes_on)

/* aggregates */
SCAN_SUPPORT(total_state_in,   (cstring),     total_state)
SCAN_SUPPORT(total_state_out,  (total_state), cstring)
SCAN_SUPPORT(total_state_recv, (internal),    total_state)
SCAN_SUPPORT(total_state_send, (total_state), bytea)
SCAN_SUPPORT(total_add_float8, (total_state,float8),      total_state)
SCAN_SUPPORT(total_add_total,  (total_state,scan_total),  total_state)
SCAN_SUPPORT(total_combine,    (total_state,total_state), total_state)
SCAN_SUPPORT(total_final,      (total_state),             scan_total)
SCAN_AGGREGATE(scan_total, (float8), scan_total)
SCAN_AGGREGATE(scan_total, (scan_total), scan_total)
SCAN_SUPPORT(total_add_int8,    (total_state,int8),    total_state)
SCAN_SUPPORT(total_add_numeric, (total_state,numeric), total_state)
SCAN_AGGREGATE(scan_total, (int8),    scan_total)
SCAN_AGGREGATE(scan_total, (numeric), scan_total)
SCAN_SUPPORT(exact_state_in,   (cstring),     exact_state)
SCAN_SUPPORT(exact_state_out,  (exact_state), cstring)
SCAN_SUPPORT(exact_state_recv, (internal),    exact_state)
SCAN_SUPPORT(exact_state_send, (exact_state), bytea)
SCAN_SUPPORT(exact_add_float8,    (exact_state,float8), exact_state)
SCAN_SUPPORT(exact_add_float4,    (exact_state,float4), exact_state)
SCAN_SUPPORT(exact_add_square,    (exact_state,float8), exact_state)
SCAN_SUPPORT(exact_remove_float8, (exact_state,float8), exact_state)
SCAN_SUPPORT(exact_remove_float4, (exact_state,float4), exact_state)
SCAN_SUPPORT(exact_remove_square, (exact_state,float8), exact_state)
SCAN_SUPPORT(exact_combine, (exact_state,exact_state), exact_state)
SCAN_SUPPORT(exact_final_sum_float8,  (exact_state), float8)
SCAN_SUPPORT(exact_final_sum_float4,  (exact_state), float4)
SCAN_SUPPORT(exact_final_avg,         (exact_state), float8)
SCAN_SUPPORT(exact_final_var_pop,     (exact_state), float8)
SCAN_SUPPORT(exact_final_var_samp,    (exact_state), float8)
SCAN_SUPPORT(exact_final_stddev_pop,  (exact_state), float8)
SCAN_SUPPORT(exact_final_stddev_samp, (exact_state), float8)
SCAN_SUPPORT(exact_add_pair,      (exact_state,float8,float8), exact_state)
SCAN_SUPPORT(exact_remove_pair,   (exact_state,float8,float8), exact_state)
SCAN_SUPPORT(exact_add_pair_int8,    (exact_state,int8,int8), exact_state)
SCAN_SUPPORT(exact_remove_pair_int8, (exact_state,int8,int8), exact_state)
SCAN_SUPPORT(exact_add_pair_numeric, (exact_state,numeric,numeric), exact_state)
SCAN_SUPPORT(exact_combine_pairs, (exact_state,exact_state),   exact_state)
SCAN_SUPPORT(exact_final_covar_pop,      (exact_state), float8)
SCAN_SUPPORT(exact_final_covar_samp,     (exact_state), float8)
SCAN_SUPPORT(exact_final_corr,           (exact_state), float8)
SCAN_SUPPORT(exact_final_regr_slope,     (exact_state), float8)
SCAN_SUPPORT(exact_final_regr_intercept, (exact_state), float8)
SCAN_SUPPORT(exact_final_regr_r2,        (exact_state), float8)
SCAN_AGGREGATE(exact_sum, (float8), float8)
SCAN_AGGREGATE(exact_sum, (float4), float4)
SCAN_AGGREGATE(exact_avg, (float8), float8)
SCAN_AGGREGATE(exact_var_pop,     (float8), float8)
SCAN_AGGREGATE(exact_var_samp,    (float8), float8)
SCAN_AGGREGATE(exact_stddev_pop,  (float8), float8)
SCAN_AGGREGATE(exact_stddev_samp, (float8), float8)
/* made of core's functions */
SCAN_AGGREGATE(exact_sum, (int2), numeric)
SCAN_AGGREGATE(exact_sum, (int4), numeric)
SCAN_AGGREGATE(exact_sum, (int8), numeric)
SCAN_AGGREGATE(exact_sum, (numeric), numeric)
SCAN_AGGREGATE(exact_avg, (int2), numeric)
SCAN_AGGREGATE(exact_avg, (int4), numeric)
SCAN_AGGREGATE(exact_avg, (int8), numeric)
SCAN_AGGREGATE(exact_avg, (numeric), numeric)
SCAN_AGGREGATE(exact_var_pop, (int2), numeric)
SCAN_AGGREGATE(exact_var_pop, (int4), numeric)
SCAN_AGGREGATE(exact_var_pop, (int8), numeric)
SCAN_AGGREGATE(exact_var_pop, (numeric), numeric)
SCAN_AGGREGATE(exact_var_samp, (int2), numeric)
SCAN_AGGREGATE(exact_var_samp, (int4), numeric)
SCAN_AGGREGATE(exact_var_samp, (int8), numeric)
SCAN_AGGREGATE(exact_var_samp, (numeric), numeric)
SCAN_AGGREGATE(exact_stddev_pop, (int2), numeric)
SCAN_AGGREGATE(exact_stddev_pop, (int4), numeric)
SCAN_AGGREGATE(exact_stddev_pop, (int8), numeric)
SCAN_AGGREGATE(exact_stddev_pop, (numeric), numeric)
SCAN_AGGREGATE(exact_stddev_samp, (int2), numeric)
SCAN_AGGREGATE(exact_stddev_samp, (int4), numeric)
SCAN_AGGREGATE(exact_stddev_samp, (int8), numeric)
SCAN_AGGREGATE(exact_stddev_samp, (numeric), numeric)
SCAN_AGGREGATE(exact_covar_pop,      (float8,float8), float8)
SCAN_AGGREGATE(exact_covar_samp,     (float8,float8), float8)
SCAN_AGGREGATE(exact_corr,           (float8,float8), float8)
SCAN_AGGREGATE(exact_regr_slope,     (float8,float8), float8)
SCAN_AGGREGATE(exact_regr_intercept, (float8,float8), float8)
SCAN_AGGREGATE(exact_regr_r2,        (float8,float8), float8)
SCAN_AGGREGATE(exact_covar_pop,      (int8,int8), float8)
SCAN_AGGREGATE(exact_covar_samp,     (int8,int8), float8)
SCAN_AGGREGATE(exact_corr,           (int8,int8), float8)
SCAN_AGGREGATE(exact_regr_slope,     (int8,int8), float8)
SCAN_AGGREGATE(exact_regr_intercept, (int8,int8), float8)
SCAN_AGGREGATE(exact_regr_r2,        (int8,int8), float8)
SCAN_AGGREGATE(exact_covar_pop,      (numeric,numeric), float8)
SCAN_AGGREGATE(exact_covar_samp,     (numeric,numeric), float8)
SCAN_AGGREGATE(exact_corr,           (numeric,numeric), float8)
SCAN_AGGREGATE(exact_regr_slope,     (numeric,numeric), float8)
SCAN_AGGREGATE(exact_regr_intercept, (numeric,numeric), float8)
SCAN_AGGREGATE(exact_regr_r2,        (numeric,numeric), float8)
SCAN_MOVING(exact_add_float8,             exact_remove_float8, exact_final_sum_float8,               EXACT_SUM)
SCAN_MOVING(exact_add_float4,             exact_remove_float4, exact_final_sum_float4,               EXACT_SUM)
SCAN_MOVING(exact_add_float8,             exact_remove_float8, exact_final_avg,                      EXACT_AVG)
SCAN_MOVING(exact_add_square,             exact_remove_square, exact_final_var_pop,                  EXACT_VAR_POP)
SCAN_MOVING(exact_add_square,             exact_remove_square, exact_final_var_samp,                 EXACT_VAR_SAMP)
SCAN_MOVING(exact_add_square,             exact_remove_square, exact_final_stddev_pop,               EXACT_STDDEV_POP)
SCAN_MOVING(exact_add_square,             exact_remove_square, exact_final_stddev_samp,              EXACT_STDDEV_SAMP)
SCAN_MOVING(int2_accum,                   int2_accum_inv,      numeric_poly_sum,                     SUM_INT2)
SCAN_MOVING(int4_accum,                   int4_accum_inv,      numeric_poly_sum,                     SUM_INT4)
SCAN_MOVING(exact_add_pair,               exact_remove_pair,   exact_final_covar_pop,                EXACT_COVAR_POP)
SCAN_MOVING(exact_add_pair,               exact_remove_pair,   exact_final_covar_samp,               EXACT_COVAR_SAMP)
SCAN_MOVING(exact_add_pair,               exact_remove_pair,   exact_final_corr,                     EXACT_CORR)
SCAN_MOVING(exact_add_pair,               exact_remove_pair,   exact_final_regr_slope,               EXACT_REGR_SLOPE)
SCAN_MOVING(exact_add_pair,               exact_remove_pair,   exact_final_regr_intercept,           EXACT_REGR_INTERCEPT)
SCAN_MOVING(exact_add_pair,               exact_remove_pair,   exact_final_regr_r2,                  EXACT_REGR_R2)
SCAN_MOVING(exact_add_pair_int8,          exact_remove_pair_int8, exact_final_covar_pop,            EXACT_COVAR_POP)
SCAN_MOVING(exact_add_pair_int8,          exact_remove_pair_int8, exact_final_covar_samp,           EXACT_COVAR_SAMP)
SCAN_MOVING(exact_add_pair_int8,          exact_remove_pair_int8, exact_final_corr,                 EXACT_CORR)
SCAN_MOVING(exact_add_pair_int8,          exact_remove_pair_int8, exact_final_regr_slope,           EXACT_REGR_SLOPE)
SCAN_MOVING(exact_add_pair_int8,          exact_remove_pair_int8, exact_final_regr_intercept,       EXACT_REGR_INTERCEPT)
SCAN_MOVING(exact_add_pair_int8,          exact_remove_pair_int8, exact_final_regr_r2,              EXACT_REGR_R2)

/* averages over time */
SCAN_SUPPORT(time_average_add_timestamptz,   (exact_state,float8,timestamptz), exact_state)
SCAN_SUPPORT(time_average_add_timestamptz,   (exact_state,float8,timestamptz,text), exact_state)
SCAN_SUPPORT(time_average_add_timestamp,     (exact_state,float8,timestamp), exact_state)
SCAN_SUPPORT(time_average_add_timestamp,     (exact_state,float8,timestamp,text), exact_state)
SCAN_SUPPORT(time_average_add_date,          (exact_state,float8,date), exact_state)
SCAN_SUPPORT(time_average_add_date,          (exact_state,float8,date,text), exact_state)
SCAN_SUPPORT(time_average_add_int8,          (exact_state,float8,int8), exact_state)
SCAN_SUPPORT(time_average_add_int8,          (exact_state,float8,int8,text), exact_state)
SCAN_SUPPORT(time_average_add_float8,        (exact_state,float8,float8), exact_state)
SCAN_SUPPORT(time_average_add_float8,        (exact_state,float8,float8,text), exact_state)
SCAN_SUPPORT(time_average_enter_timestamptz, (internal,float8,timestamptz), internal)
SCAN_SUPPORT(time_average_enter_timestamptz, (internal,float8,timestamptz,text), internal)
SCAN_SUPPORT(time_average_enter_timestamp,   (internal,float8,timestamp), internal)
SCAN_SUPPORT(time_average_enter_timestamp,   (internal,float8,timestamp,text), internal)
SCAN_SUPPORT(time_average_enter_date,        (internal,float8,date), internal)
SCAN_SUPPORT(time_average_enter_date,        (internal,float8,date,text), internal)
SCAN_SUPPORT(time_average_enter_int8,        (internal,float8,int8), internal)
SCAN_SUPPORT(time_average_enter_int8,        (internal,float8,int8,text), internal)
SCAN_SUPPORT(time_average_enter_float8,      (internal,float8,float8), internal)
SCAN_SUPPORT(time_average_enter_float8,      (internal,float8,float8,text), internal)
SCAN_SUPPORT(time_average_leave_timestamptz, (internal,float8,timestamptz), internal)
SCAN_SUPPORT(time_average_leave_timestamptz, (internal,float8,timestamptz,text), internal)
SCAN_SUPPORT(time_average_leave_timestamp,   (internal,float8,timestamp), internal)
SCAN_SUPPORT(time_average_leave_timestamp,   (internal,float8,timestamp,text), internal)
SCAN_SUPPORT(time_average_leave_date,        (internal,float8,date), internal)
SCAN_SUPPORT(time_average_leave_date,        (internal,float8,date,text), internal)
SCAN_SUPPORT(time_average_leave_int8,        (internal,float8,int8), internal)
SCAN_SUPPORT(time_average_leave_int8,        (internal,float8,int8,text), internal)
SCAN_SUPPORT(time_average_leave_float8,      (internal,float8,float8), internal)
SCAN_SUPPORT(time_average_leave_float8,      (internal,float8,float8,text), internal)
SCAN_SUPPORT(time_average_combine,      (exact_state,exact_state), exact_state)
SCAN_SUPPORT(time_average_final,        (exact_state), float8)
SCAN_SUPPORT(time_average_moving_final, (internal), float8)
SCAN_AGGREGATE(time_average, (float8,timestamptz), float8)
SCAN_AGGREGATE(time_average, (float8,timestamptz,text), float8)
SCAN_AGGREGATE(time_average, (float8,timestamp), float8)
SCAN_AGGREGATE(time_average, (float8,timestamp,text), float8)
SCAN_AGGREGATE(time_average, (float8,date), float8)
SCAN_AGGREGATE(time_average, (float8,date,text), float8)
SCAN_AGGREGATE(time_average, (float8,int8), float8)
SCAN_AGGREGATE(time_average, (float8,int8,text), float8)
SCAN_AGGREGATE(time_average, (float8,float8), float8)
SCAN_AGGREGATE(time_average, (float8,float8,text), float8)
SCAN_MOVING(time_average_enter_timestamptz,time_average_leave_timestamptz,time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_timestamp,  time_average_leave_timestamp,  time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_date,       time_average_leave_date,       time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_int8,       time_average_leave_int8,       time_average_moving_final, TIME_AVERAGE)
SCAN_MOVING(time_average_enter_float8,     time_average_leave_float8,     time_average_moving_final, TIME_AVERAGE)

/* aggregates over any frame, by the order of the values */
SCAN_SUPPORT(moving_accumulate,            (internal,anyelement),        internal)
SCAN_SUPPORT(moving_percentile_accumulate, (internal,anyelement,float8), internal)
SCAN_SUPPORT(moving_group_accumulate,      (internal,anyelement),        internal)
SCAN_SUPPORT(moving_remove,                (internal,anyelement),        internal)
SCAN_SUPPORT(moving_remove,                (internal,anyelement,float8), internal)
SCAN_SUPPORT(moving_group_remove,          (internal,anyelement),        internal)
SCAN_SUPPORT(moving_percentile_cont_final_float8,   (internal), float8)
SCAN_SUPPORT(moving_percentile_cont_final_interval, (internal), interval)
SCAN_SUPPORT(moving_median_final_numeric,          (internal), numeric)
SCAN_SUPPORT(moving_percentile_cont_final_numeric, (internal), numeric)
SCAN_SUPPORT(moving_percentile_disc_final, (internal,anyelement,float8), anyelement)
SCAN_SUPPORT(moving_mode_final,            (internal,anyelement),        anyelement)
SCAN_SUPPORT(moving_count_distinct_final,  (internal), int8)
SCAN_AGGREGATE(moving_median,          (float8),            float8)
SCAN_AGGREGATE(moving_median,          (interval),          interval)
SCAN_AGGREGATE(moving_median,          (int2),              numeric)
SCAN_AGGREGATE(moving_median,          (int4),              numeric)
SCAN_AGGREGATE(moving_median,          (int8),              numeric)
SCAN_AGGREGATE(moving_median,          (numeric),           numeric)
SCAN_AGGREGATE(moving_percentile_cont, (float8,float8),     float8)
SCAN_AGGREGATE(moving_percentile_cont, (interval,float8),   interval)
SCAN_AGGREGATE(moving_percentile_cont, (int2,float8),       numeric)
SCAN_AGGREGATE(moving_percentile_cont, (int4,float8),       numeric)
SCAN_AGGREGATE(moving_percentile_cont, (int8,float8),       numeric)
SCAN_AGGREGATE(moving_percentile_cont, (numeric,float8),    numeric)
SCAN_AGGREGATE(moving_percentile_disc, (anyelement,float8), anyelement)
SCAN_AGGREGATE(moving_mode,            (anyelement),        anyelement)
SCAN_AGGREGATE(moving_count_distinct,  (anyelement),        int8)
SCAN_MOVING(moving_accumulate,            moving_remove,       moving_percentile_cont_final_float8,  PERCENTILE_CONT)
SCAN_MOVING(moving_accumulate,            moving_remove,       moving_percentile_cont_final_interval, PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_cont_final_float8,  PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_cont_final_interval, PERCENTILE_CONT)
SCAN_MOVING(moving_accumulate,            moving_remove,       moving_median_final_numeric,          PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_cont_final_numeric, PERCENTILE_CONT)
SCAN_MOVING(moving_percentile_accumulate, moving_remove,       moving_percentile_disc_final,         PERCENTILE_DISC)
SCAN_MOVING(moving_group_accumulate,      moving_group_remove, moving_mode_final,                    MODE)
SCAN_MOVING(moving_group_accumulate,      moving_group_remove, moving_count_distinct_final,          COUNT_DISTINCT)

/* affine maps */
SCAN_SUPPORT(affine_compose, (affine_map,affine_map), affine_map)
SCAN_SUPPORT(affine_apply,   (affine_map,float8), float8)
SCAN_SUPPORT(affine_accumulate, (internal,float8,float8), internal)
SCAN_SUPPORT(affine_final,      (internal), affine_map)
SCAN_SUPPORT(affine_then,       (affine_map,affine_map), affine_map)
SCAN_AGGREGATE(affine, (float8,float8), affine_map)
SCAN_AGGREGATE(affine, (affine_map), affine_map)

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
SCAN_ARRAY(interpolate, float8, (_float8,_float8,float8,_bool), _float8, array_interpolate, none)
SCAN_ARRAY(clamped_sum, int2, (_int2,int8,int8,int8,_bool), _int8, array_clamped, clamped_sum_int2)
SCAN_ARRAY(clamped_sum, int4, (_int4,int8,int8,int8,_bool), _int8, array_clamped, clamped_sum_int4)
SCAN_ARRAY(clamped_sum, int8, (_int8,int8,int8,int8,_bool), _int8, array_clamped, clamped_sum_int8)
SCAN_ARRAY(clamped_sum, float8, (_float8,float8,float8,float8,_bool), _float8, array_clamped_float, clamped_sum_float8)
SCAN_ARRAY(clamped_sum, numeric, (_numeric,numeric,numeric,numeric,_bool), _numeric, array_clamped, none)
SCAN_ARRAY(change, any, (anyarray,_bool), _int8, array_change, none)
SCAN_ARRAY(recurrence, float8, (_float8,_float8,float8,_bool), _float8, array_recurrence, recurrence_float8)
SCAN_ARRAY(recurrence, numeric, (_numeric,_numeric,numeric,_bool), _numeric, array_recurrence, none)

/* moving windows over arrays */
SCAN_ARRAY_MOVING(sum, int2,    (_int2,int4,int4),    _int8,    F_SUM_INT2,    NONE)
SCAN_ARRAY_MOVING(sum, int4,    (_int4,int4,int4),    _int8,    F_SUM_INT4,    NONE)
SCAN_ARRAY_MOVING(sum, int8,    (_int8,int4,int4),    _numeric, F_SUM_INT8,    NONE)
SCAN_ARRAY_MOVING(sum, float4,  (_float4,int4,int4),  _float4,  InvalidOid,    EXACT_SUM)
SCAN_ARRAY_MOVING(sum, float8,  (_float8,int4,int4),  _float8,  InvalidOid,    EXACT_SUM)
SCAN_ARRAY_MOVING(sum, numeric, (_numeric,int4,int4), _numeric, F_SUM_NUMERIC, NONE)
SCAN_ARRAY_MOVING(avg, int2,    (_int2,int4,int4),    _numeric, F_AVG_INT2,    NONE)
SCAN_ARRAY_MOVING(avg, int4,    (_int4,int4,int4),    _numeric, F_AVG_INT4,    NONE)
SCAN_ARRAY_MOVING(avg, int8,    (_int8,int4,int4),    _numeric, F_AVG_INT8,    NONE)
SCAN_ARRAY_MOVING(avg, float8,  (_float8,int4,int4),  _float8,  InvalidOid,    EXACT_AVG)
SCAN_ARRAY_MOVING(avg, numeric, (_numeric,int4,int4), _numeric, F_AVG_NUMERIC, NONE)
SCAN_ARRAY_MOVING(min, any, (anyarray,int4,int4), anyarray, InvalidOid, NONE)
SCAN_ARRAY_MOVING(max, any, (anyarray,int4,int4), anyarray, InvalidOid, NONE)
SCAN_ARRAY_MOVING(median, float8,   (_float8,int4,int4),   _float8,   InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, interval, (_interval,int4,int4), _interval, InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, int2,     (_int2,int4,int4),     _numeric,  InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, int4,     (_int4,int4,int4),     _numeric,  InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, int8,     (_int8,int4,int4),     _numeric,  InvalidOid, PERCENTILE_CONT)
SCAN_ARRAY_MOVING(median, numeric,  (_numeric,int4,int4),  _numeric,  InvalidOid, PERCENTILE_CONT)

/* arrays whose elements change places */
SCAN_PLAIN(array_compact, any, (anyarray,_bool), anyarray)
SCAN_PLAIN(array_split,   any, (anyarray,_bool), anyarray)
SCAN_PLAIN(array_radix_sort, int2, (_int2), _int2)
SCAN_PLAIN(array_radix_sort, int4, (_int4), _int4)
SCAN_PLAIN(array_radix_sort, int8, (_int8), _int8)

/* applications */
SCAN_PLAIN(csr_multiply, int4, (_int4,_int4,_float8,_float8), _float8)
SCAN_PLAIN(csr_multiply, int8, (_int8,_int4,_float8,_float8), _float8)
SCAN_PLAIN(tridiagonal_solve, float8, (_float8,_float8,_float8,_float8), _float8)
SCAN_PLAIN(bit_add, varbit, (varbit,varbit), varbit)

/* inspection */
SCAN_PLAIN(scan_network, text, (text,int4,int4), record)
SCAN_PLAIN(scan_trace, int8, (text,_int8), record)
SCAN_PLAIN(scan_explain, text, (text), record)

/* administration */
SCAN_PLAIN(scan_set_schema, name, (name), void)

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
#undef SCAN_CALL
#undef SCAN_ARRAY
#undef SCAN_ARRAY_MOVING
#undef SCAN_PLAIN
#undef SCAN_SUPPORT
#undef SCAN_AGGREGATE
#undef SCAN_MOVING
#undef SCAN_STOCK_WINDOW
#undef SCAN_STOCK

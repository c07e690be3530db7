/*
 * refold.c: stock sums, averages, variances and standard deviations of floats over sliding frames.
 *
 * The strategy of number_ops.c's sums and averages of floats, and of the variances, whose operations are made here.  To
 * the bit, the results are what core gets by adding a frame's values from left to right.  So each frame is added from
 * its first value on, but many frames at a time (cpu/lanes.h).  A result that is not finite, or whose sum of squares
 * might overflow, is computed again by the operation's add and final, which follow core's rules and may raise core's
 * error: when the row is asked for and not before.
 *
 * Where frames are long enough, a block's frames are a job (run/run.h), by a line of op/frame.h.  The
 * loops here take the rows that it does not answer, and all rows under EXCLUDE, whose frames are not one stretch.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "aggregate/internal.h"
#include "cpu/lanes.h"

/*
 * Returns how many rows from i on are added together: `most` or LANES rows whose runs have one length and begin one
 * value apart; LANES_APART rows with any runs; or one row, for which `run` means nothing.
 */
static int
rows_together(const Lanes *lanes, const Block *block, int64 i, int64 end, int most, Run *run)
{
	int	 rows = 0;
	bool beside = true;

	while (rows < Min(end - i, most) && runs_of_frame(lanes, block, i + rows, run + rows) <= 1 && run[rows].n > 0)
	{
		beside = beside && run[rows].n == run[0].n && run[rows].from == run[0].from + rows;
		if (!beside && rows >= LANES_APART)
			break;
		rows++;
	}
	if (rows >= LANES)
		return rows == most ? most : LANES;
	return rows < LANES_APART ? 1 : LANES_APART;
}

/* Stores the result of a row by core's rules, value by value. */
static void
result_by_steps(Aggregate *aggregate, const Block *block, int64 i)
{
	FramePart  part[FRAME_PARTS];
	int		   parts = frame_parts(&block->frame[i], i, part);
	Datum	   value = 0;
	ScanStatus status;

	aggregate->op->empty(aggregate);
	for (int p = 0; p < parts; p++)
		aggregate->op->add(aggregate, block, part[p].from, part[p].end);
	status = aggregate->op->final(aggregate, &value);
	result_put(&aggregate->f.result, i, value, status == SCAN_NULL);
}

/* ---- each kind of lane: its first value, its next values, and its result ---- */

#define LANES_OF_SUMS(TYPE, NAME, STRUCT, AS_DATUM)                                                          \
	static inline void begin_##NAME(STRUCT *total, int j, TYPE x)                                            \
	{                                                                                                        \
		frame_sum_##NAME##_acc acc;                                                                          \
                                                                                                             \
		frame_sum_##NAME##_start(&acc);                                                                      \
		frame_sum_##NAME##_first(&acc, x);                                                                   \
		total->sum[j] = acc.sum;                                                                             \
	}                                                                                                        \
	static inline void step_##NAME(STRUCT *total, int j, TYPE x, int64 before)                               \
	{                                                                                                        \
		total->sum[j] += x;                                                                                  \
	}                                                                                                        \
	static inline void take_##NAME(STRUCT *total, TYPE answer)                                               \
	{                                                                                                        \
		total->sum[0] = answer;                                                                              \
	}                                                                                                        \
	static inline int most_##NAME(int64 values)                                                              \
	{                                                                                                        \
		return lanes_are_wide(values) ? LANES_WIDE : LANES;                                                  \
	}                                                                                                        \
	static inline void add_beside_##NAME(const TYPE *x, int64 n, int64 before, int rows, STRUCT *total)      \
	{                                                                                                        \
		if (rows == LANES_WIDE)                                                                              \
			lanes_add_wide_##NAME(x, n, total);                                                              \
		else                                                                                                 \
			lanes_add_##NAME(x, n, before, total);                                                           \
	}                                                                                                        \
	static inline bool is_sure_##NAME(const STRUCT *total, int j, const Lanes *lanes, const LanesKind *kind) \
	{                                                                                                        \
		return isfinite(total->sum[j]) && (!kind->average || lanes->largest < LARGEST);                      \
	}                                                                                                        \
	static inline Datum result_##NAME(const STRUCT *total, int j, int64 count, const LanesKind *kind)        \
	{                                                                                                        \
		/* core's average adds to 0: a sum of zeros is +0, and no other sum differs */                       \
		return kind->average ? Float8GetDatum((0.0 + (double) total->sum[j]) / (double) count)               \
							 : AS_DATUM(total->sum[j]);                                                      \
	}

LANES_OF_SUMS(double, float8, LanesFloat8, Float8GetDatum)
LANES_OF_SUMS(float, float4, LanesFloat4, Float4GetDatum)

static inline void
begin_moments(LanesMoments *total, int j, double x)
{
	frame_squares_float8_acc acc;

	frame_squares_float8_start(&acc);
	frame_squares_float8_first(&acc, x);
	total->sum[j] = acc.sum;
	total->squares[j] = acc.squares;
}

static inline void
step_moments(LanesMoments *total, int j, double x, int64 before)
{
	double apart;

	FRAME_SQUARES_STEP(total->sum[j], total->squares[j], x, (double) before + 1.0, apart);
}

static inline void
take_moments(LanesMoments *total, double answer)
{
	total->sum[0] = 0;
	total->squares[0] = answer;
}

/* The division of a variance's step takes most of its time, and is no faster in wider vectors. */
static inline int
most_moments(int64 values)
{
	return LANES;
}

static inline void
add_beside_moments(const double *x, int64 n, int64 before, int rows, LanesMoments *total)
{
	lanes_add_moments(x, n, before, total);
}

static inline bool
is_sure_moments(const LanesMoments *total, int j, const Lanes *lanes, const LanesKind *kind)
{
	return isfinite(total->sum[j]) && isfinite(total->squares[j]) && lanes->largest < LARGEST;
}

static inline Datum
result_moments(const LanesMoments *total, int j, int64 count, const LanesKind *kind)
{
	double variance = total->squares[j] / ((double) count - kind->subtract);

	return Float8GetDatum(kind->root ? sqrt(variance) : variance);
}

/* ---- loops over the lanes ---- */

/* The template for values of TYPE in the lanes STRUCT of cpu/lanes.h. */
#define LANES_OF(TYPE, NAME, STRUCT)                                                                                  \
	/* Adds each run's values after its first to its lane.  LANES_APART rows lie anywhere, others side by side. */    \
	static void add_runs_##NAME(const TYPE *x, const Run *run, int rows, STRUCT *total)                               \
	{                                                                                                                 \
		bool  apart = rows == LANES_APART;                                                                            \
		int64 n = run[0].n;                                                                                           \
                                                                                                                      \
		for (int j = 1; j < LANES_APART && apart; j++)                                                                \
			n = Min(n, run[j].n);                                                                                     \
		for (int64 i = 1; i < n; i += STRETCH_ROWS)                                                                   \
		{                                                                                                             \
			int64		stop = Min(n - i, STRETCH_ROWS);                                                              \
			const TYPE *at[LANES_APART];                                                                              \
                                                                                                                      \
			CHECK_FOR_INTERRUPTS();                                                                                   \
			for (int j = 0; j < LANES_APART && apart; j++)                                                            \
				at[j] = x + run[j].from + i;                                                                          \
			if (apart)                                                                                                \
				lanes_add_apart_##NAME(at, stop, i, total);                                                           \
			else                                                                                                      \
				add_beside_##NAME(x + run[0].from + i, stop, i, rows, total);                                         \
		}                                                                                                             \
		for (int j = 0; j < LANES_APART && apart; j++)                                                                \
			FOR_INTERRUPTIBLE (i, n, run[j].n)                                                                        \
				step_##NAME(total, j, x[run[j].from + i], i);                                                         \
	}                                                                                                                 \
                                                                                                                      \
	/* Adds up the frames of one or more rows from row i on; returns the number of rows. */                           \
	static int frames_##NAME(const Lanes *lanes, const Block *block, int64 i, int64 end, STRUCT *total, int64 *count) \
	{                                                                                                                 \
		const TYPE *x = (const TYPE *) lanes->value;                                                                  \
		Run			run[LANES_WIDE + FRAME_PARTS];                                                                    \
		int			rows = rows_together(lanes, block, i, end, most_##NAME(first_values(lanes, block, i)), run);      \
		int			parts;                                                                                            \
                                                                                                                      \
		for (int j = 0; j < rows && rows > 1; j++)                                                                    \
		{                                                                                                             \
			begin_##NAME(total, j, x[run[j].from]);                                                                   \
			count[j] = run[j].n;                                                                                      \
		}                                                                                                             \
		if (rows > 1)                                                                                                 \
		{                                                                                                             \
			add_runs_##NAME(x, run, rows, total);                                                                     \
			return rows;                                                                                              \
		}                                                                                                             \
		parts = runs_of_frame(lanes, block, i, run);                                                                  \
		count[0] = 0;                                                                                                 \
		for (int p = 0; p < parts; p++)                                                                               \
			FOR_INTERRUPTIBLE (v, run[p].from, run[p].from + run[p].n)                                                \
			{                                                                                                         \
				if (count[0] == 0)                                                                                    \
					begin_##NAME(total, 0, x[v]);                                                                     \
				else                                                                                                  \
					step_##NAME(total, 0, x[v], count[0]);                                                            \
				count[0]++;                                                                                           \
			}                                                                                                         \
		return 1;                                                                                                     \
	}                                                                                                                 \
                                                                                                                      \
	/* Copies the values of a block's frames; returns how many. */                                                    \
	static int64 read_##NAME(Aggregate *aggregate, const Block *block, TYPE (*from_datum)(Datum))                     \
	{                                                                                                                 \
		int64  from = block->frame[block->begin].head;                                                                \
		int64  to = block->frame[block->n - 1].tail;                                                                  \
		Lanes *lanes = lanes_of_rows(aggregate, from, to - from, sizeof(TYPE));                                       \
		int64  values = 0;                                                                                            \
                                                                                                                      \
		FOR_INTERRUPTIBLE (i, from, to)                                                                               \
		{                                                                                                             \
			Datum value;                                                                                              \
			TYPE  x;                                                                                                  \
                                                                                                                      \
			lanes->place[i - from] = values;                                                                          \
			if (!aggregate_value(aggregate, block, i, &value))                                                        \
				continue;                                                                                             \
			x = from_datum(value);                                                                                    \
			((TYPE *) lanes->value)[values++] = x;                                                                    \
			if (fabs((double) x) > lanes->largest) /* false for a NaN */                                              \
				lanes->largest = fabs((double) x);                                                                    \
		}                                                                                                             \
		lanes->place[to - from] = values;                                                                             \
		return values;                                                                                                \
	}                                                                                                                 \
                                                                                                                      \
	/* Fetches the result that the job has for row i. */                                                              \
	static inline void answered_##NAME(const Lanes *lanes, const Block *block, int64 i, STRUCT *total, int64 *count)  \
	{                                                                                                                 \
		count[0] = first_values(lanes, block, i);                                                                     \
		take_##NAME(total, ((const TYPE *) lanes->answer)[i - block->begin]);                                         \
	}                                                                                                                 \
                                                                                                                      \
	static int64 rows_##NAME(Aggregate *aggregate, const Block *block, int64 done, const LanesKind *kind,             \
							 TYPE (*from_datum)(Datum))                                                               \
	{                                                                                                                 \
		LoopTime time = {0};                                                                                          \
		Lanes	*lanes;                                                                                               \
		int64	 rows;                                                                                                \
                                                                                                                      \
		if (done == block->begin)                                                                                     \
		{                                                                                                             \
			int64 values = read_##NAME(aggregate, block, from_datum);                                                 \
                                                                                                                      \
			lanes_run_job(aggregate, (Lanes *) aggregate->sliding_state, block, values, kind);                        \
		}                                                                                                             \
		lanes = (Lanes *) aggregate->sliding_state;                                                                   \
		INSTR_TIME_SET_CURRENT(time.start);                                                                           \
		for (int64 i = done; i < block->n; i += rows)                                                                 \
		{                                                                                                             \
			STRUCT total;                                                                                             \
			int64  count[LANES_WIDE];                                                                                 \
                                                                                                                      \
			if (i < lanes->answered)                                                                                  \
			{                                                                                                         \
				rows = 1;                                                                                             \
				answered_##NAME(lanes, block, i, &total, count);                                                      \
			}                                                                                                         \
			else                                                                                                      \
				rows = frames_##NAME(lanes, block, i, block->n, &total, count);                                       \
			for (int j = 0; j < rows; j++)                                                                            \
			{                                                                                                         \
				bool  isnull = count[j] <= kind->subtract;                                                            \
				Datum value = isnull ? (Datum) 0 : result_##NAME(&total, j, count[j], kind);                          \
                                                                                                                      \
				if (count[j] > 0 && !is_sure_##NAME(&total, j, lanes, kind))                                          \
				{                                                                                                     \
					if (i + j > done)                                                                                 \
						return i + j; /* an error must be raised at this row */                                       \
					if (!isnull)                                                                                      \
					{                                                                                                 \
						result_by_steps(aggregate, block, i);                                                         \
						continue;                                                                                     \
					}                                                                                                 \
				}                                                                                                     \
				time.values += count[j];                                                                              \
				result_put(&aggregate->f.result, i + j, value, isnull);                                               \
			}                                                                                                         \
		}                                                                                                             \
		if (lanes->answered <= done)                                                                                  \
			loop_ends(&time, block->n - done, kind);                                                                  \
		return block->n;                                                                                              \
	}

LANES_OF(double, float8, LanesFloat8)
LANES_OF(float, float4, LanesFloat4)

/* ---- the aggregates ---- */

static double
float8_of_float4(Datum value)
{
	return DatumGetFloat4(value);
}

static double
float8_of_float8(Datum value)
{
	return DatumGetFloat8(value);
}

static float
float4_of_float4(Datum value)
{
	return DatumGetFloat4(value);
}

static const LanesKind sum_float4 = {.line = SCAN_OP_frame_sum_float4};
static const LanesKind sum_float8 = {.line = SCAN_OP_frame_sum_float8};
static const LanesKind average = {.line = SCAN_OP_frame_sum_float8, .average = true};

#define SUM(NAME, LANES, KIND, FROM_DATUM)                                    \
	int64 refold_##NAME(RowFunction *f, const Block *block, int64 done)       \
	{                                                                         \
		return rows_##LANES(aggregate_of(f), block, done, &KIND, FROM_DATUM); \
	}

SUM(sum_float4, float4, sum_float4, float4_of_float4)
SUM(sum_float8, float8, sum_float8, float8_of_float8)
SUM(avg_float4, float8, average, float8_of_float4)
SUM(avg_float8, float8, average, float8_of_float8)

/* ---- variances ---- */

/*
 * Variances over frames that do not slide are left to core's functions.  On a processor that multiplies and adds in one
 * instruction, the compiler may have used this instruction in core's functions, which changes the result's bits.  So
 * variances run here only on x86-64, where no compiler uses it unless asked.
 */
#if defined(__x86_64__) && !defined(__FMA__)

/* The state of a variance by core's functions, which result_by_steps() needs: core's array, in scratch memory. */
typedef struct VarianceState
{
	int64 count;
	Datum moments;
} VarianceState;

static void
variance_empty(Aggregate *aggregate)
{
	VarianceState *state = (VarianceState *) aggregate->f.state;
	Datum		   none[3] = {Float8GetDatum(0), Float8GetDatum(0), Float8GetDatum(0)};

	state->count = 0;
	state->moments = PointerGetDatum(
		construct_array(none, 3, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
variance_add(Aggregate *aggregate, const Block *block, int64 from, int64 end, PGFunction accum)
{
	VarianceState *state = (VarianceState *) aggregate->f.state;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value, before = state->moments;

		if (!aggregate_value(aggregate, block, i, &value))
			continue;
		state->moments = DirectFunctionCall2(accum, before, value);
		pfree(DatumGetPointer(before));
		state->count++;
	}
}

LANES_OF(double, moments, LanesMoments)

#define VARIANCE(NAME, TYPE, SUBTRACT, ROOT)                                                                      \
	static void add_##NAME##_##TYPE(Aggregate *aggregate, const Block *block, int64 from, int64 end)              \
	{                                                                                                             \
		variance_add(aggregate, block, from, end, TYPE##_accum);                                                  \
	}                                                                                                             \
	static ScanStatus final_##NAME##_##TYPE(Aggregate *aggregate, Datum *value)                                   \
	{                                                                                                             \
		const VarianceState *state = (const VarianceState *) aggregate->f.state;                                  \
                                                                                                                  \
		if (state->count <= SUBTRACT)                                                                             \
			return SCAN_NULL;                                                                                     \
		*value = DirectFunctionCall1(float8_##NAME, state->moments);                                              \
		return SCAN_OK;                                                                                           \
	}                                                                                                             \
	static int64 sliding_##NAME##_##TYPE(RowFunction *f, const Block *block, int64 done)                          \
	{                                                                                                             \
		static const LanesKind kind = {.line = SCAN_OP_frame_squares_float8, .subtract = SUBTRACT, .root = ROOT}; \
                                                                                                                  \
		return rows_moments(aggregate_of(f), block, done, &kind, float8_of_##TYPE);                               \
	}                                                                                                             \
	const AggregateOp aggregate_op_##NAME##_##TYPE = {.method = "lanes",                                          \
													  .traits = AGGREGATE_MAY_FAIL | AGGREGATE_READS_ALL,         \
													  .state_size = sizeof(VarianceState),                        \
													  .empty = variance_empty,                                    \
													  .add = add_##NAME##_##TYPE,                                 \
													  .final = final_##NAME##_##TYPE,                             \
													  .sliding = sliding_##NAME##_##TYPE};
#else
#define VARIANCE(NAME, TYPE, SUBTRACT, ROOT) const AggregateOp aggregate_op_##NAME##_##TYPE = {0};
#endif

VARIANCE(var_pop, float8, 0, false)
VARIANCE(var_pop, float4, 0, false)
VARIANCE(var_samp, float8, 1, false)
VARIANCE(var_samp, float4, 1, false)
VARIANCE(stddev_pop, float8, 0, true)
VARIANCE(stddev_pop, float4, 0, true)
VARIANCE(stddev_samp, float8, 1, true)
VARIANCE(stddev_samp, float4, 1, true)

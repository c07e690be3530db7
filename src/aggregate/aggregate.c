/*
 * aggregate.c: chooses the operation and the strategy of an aggregate.
 *
 * node/evaluate/aggregate_function.c and functions/array/array_moving.c call it.  The choice is made here and nowhere
 * else.
 */
#include "postgres.h"

#include <fenv.h>

#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/regproc.h"

#include "aggregate/aggregate_op.h"
#include "aggregate/internal.h"
#include "guc.h"

/* ---- the choice ---- */

static const struct
{
	Oid				   oid;
	const AggregateOp *op;
} stock_ops[] = {
#define SCAN_STOCK(oid, function, type, values, line) {oid, &aggregate_op_##function##_##type},
#include "op/list.h"
};

/* Returns the operation of a stock aggregate; NULL: op/list.h has none. */
static const AggregateOp *
stock_op(Oid oid)
{
	for (int i = 0; i < lengthof(stock_ops); i++)
		if (stock_ops[i].oid == oid)
			return stock_ops[i].op;
	return NULL;
}

/* Returns the operation of an aggregate that has one over any frame: a stock one, or a sum of integers of ours. */
static const AggregateOp *
op_over_any_frame(const AggregateCall *call)
{
	switch (call->moving)
	{
		case MOVING_SUM_INT2:
			return &aggregate_op_exact_sum_int2;
		case MOVING_SUM_INT4:
			return &aggregate_op_exact_sum_int4;
		default:
			return stock_op(call->oid);
	}
}

/* Returns the operation for sliding frames. */
static const AggregateOp *
sliding_op(const Aggregate *aggregate)
{
	const AggregateCall *call = &aggregate->call;
	const AggregateOp	*known = op_over_any_frame(call);

	/*
	 * The aggregate's own functions evaluate frames that no row leaves, though their end slides, since these need no
	 * strategy.  Only these read late arguments, as a strategy reads a row more than once, and before it is due.
	 */
	if (!(aggregate->f.needs & NEEDS_FRAME_START) || (guc_debug_strategy == STRATEGY_CALL && OidIsValid(call->oid)))
		return &aggregate_op_call;
	if (guc_debug_strategy == STRATEGY_QUEUE && aggregate_is_extreme(aggregate))
		return &aggregate_op_extreme;
	if (aggregate_is_exact(aggregate))
		return &aggregate_op_exact;
	if (aggregate_is_time_average(aggregate))
		return &aggregate_op_time_average;
	if (aggregate_is_order_statistic(aggregate))
		return &aggregate_op_order_statistic;
	if (known != NULL && known->sliding != NULL)
		return known;
	return !OidIsValid(call->oid) || aggregate_is_extreme(aggregate) ? &aggregate_op_extreme : &aggregate_op_call;
}

static const AggregateOp *
running_op(const Aggregate *aggregate)
{
	const AggregateOp *known = op_over_any_frame(&aggregate->call);

	/* an exact state goes to another process as the aggregate's own functions have it */
	if (aggregate_is_exact(aggregate) && !(aggregate->f.needs & NEEDS_SAVED_STATE))
		return &aggregate_op_exact;
	return known != NULL && known->running != NULL ? known : &aggregate_op_call;
}

/* The AccumulateRows of every aggregate. */
static void
aggregate_accumulate_rows(RowFunction *f, const Block *block, Lookahead unit, bool last)
{
	MemoryContext old = MemoryContextSwitchTo(f->scratch);

	running_add(aggregate_of(f), block, block->begin, block->n);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
}

/* The EvaluateRows of every aggregate. */
static int64
evaluate_in_scratch(RowFunction *f, const Block *block, int64 done)
{
	MemoryContext old = MemoryContextSwitchTo(f->scratch);

	if (aggregate_of(f)->op->traits & AGGREGATE_FLOAT_MODE)
		fesetenv(FE_DFL_ENV);
	done = aggregate_of(f)->strategy(f, block, done);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
	return done;
}

void
aggregate_start(Aggregate *aggregate)
{
	bool			   slides = (aggregate->f.needs & NEEDS_BOUNDS) != 0;
	const AggregateOp *op = slides ? sliding_op(aggregate) : running_op(aggregate);
	MemoryContext	   old = MemoryContextSwitchTo(aggregate->f.query);

	/* array_moving_* name no aggregate, but call the functions of some */
	if (OidIsValid(aggregate->call.called) || op == &aggregate_op_call)
		aggregate->components = aggregate_components(aggregate);
	/* a strategy that begins anew at each row would be slower than to take out the rows that leave */
	if ((aggregate->f.needs & NEEDS_ROW_BY_ROW) && (op->traits & AGGREGATE_READS_ALL) &&
		!(aggregate->f.needs & NEEDS_EXCLUSION) && OidIsValid(aggregate->components->inverse))
		op = &aggregate_op_call;
	/* the aggregate was one of ours when the plan was made, and has been changed since */
	if (aggregate->call.partial && op == &aggregate_op_call && OidIsValid(aggregate->components->final))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a function of aggregate %s was changed while the query began",
							   format_procedure(aggregate->call.called)),
						errhint("Run the query again.")));
	aggregate->op = op;
	/* typed loops leave late arguments to running.c */
	aggregate->strategy = slides ? op->sliding : aggregate->f.late_row != NULL ? running_rows : op->running;
	aggregate->f.method = op->method;
	if (slides && guc_debug_strategy == STRATEGY_ADD_REMOVE && op->add != NULL && op->remove == NULL)
	{
		aggregate->strategy = add_remove_rows;
		aggregate->f.method = "each frame anew";
	}
	aggregate->f.accumulate = aggregate_accumulate_rows;
	aggregate->f.carry_state = op->carry;
	aggregate->f.state = palloc0(op->state_size);
	aggregate->f.evaluate = evaluate_in_scratch;
	if (op->start != NULL)
		op->start(aggregate);
	if (aggregate->components != NULL)
		aggregate_check_strictness(aggregate->components, &aggregate->call);
	if (op == stock_op(aggregate->call.oid) && (!slides || aggregate->strategy == op->sliding))
		aggregate_scans_start(aggregate);
	MemoryContextSwitchTo(old);
}

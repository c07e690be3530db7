/*
 * parallel.c: a PrefixScan that several processes run: what they share, and when.
 *
 * Core calls these functions where a Gather above launches workers (execParallel.c).  Each process has a plan of its
 * own.  It shares with the others the repartitioning of the rows (exchange/exchange.h), and the parallel scan below,
 * which is the child's business.  If one process alone runs a parallel plan, there is no shared memory, and the node
 * runs as in a serial plan.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/lsyscache.h"

#include "guc.h"
#include "node/exec/state.h"
#include "node/planned_window.h"

/* Returns how many batches the rows of all processes should make, by the planner's estimates. */
static int
batches_wanted(const PrefixScanState *state, int processes)
{
	const Plan *child = state->reader.pull.child->plan;

	return repartition_batches_for(child->plan_rows * processes * (child->plan_width + 16), processes,
								   state->reader.sorts_ranges, guc_budget());
}

/* Returns how the values of the partition keys are hashed. */
static RepartitionKey *
repartition_keys(const PrefixScanState *state)
{
	const WindowKeys *window = &state->reader.keys;
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	const List		 *clauses = planned_list(scan, PRIVATE_KEYS);
	RepartitionKey	 *keys = (RepartitionKey *) palloc(Max(window->partition, 1) * sizeof(RepartitionKey));

	for (int k = 0; k < window->partition; k++)
	{
		Oid equal = list_nth_node(SortGroupClause, clauses, k)->eqop;
		Oid left, right;

		keys[k] = (RepartitionKey){.column = window->key[k].column,
								   .by_datum = window->key[k].by_datum,
								   .collation = window->key[k].order.collation};
		if (keys[k].by_datum)
			continue;
		if (!get_op_hash_functions(equal, &left, &right))
			elog(ERROR, "could not find a hash function for operator %u", equal);
		fmgr_info(left, &keys[k].hash);
	}
	return keys;
}

/* Makes the reader repartition its rows. */
static void
join_repartition(PrefixScanState *state, RepartitionShared *shared, Repartition *repartition)
{
	MemoryContext old = MemoryContextSwitchTo(state->reader.memory);

	state->shared = shared;
	shared_input_join(&state->reader.shared, repartition, state->reader.sorts_ranges ? NULL : repartition_keys(state));
	MemoryContextSwitchTo(old);
}

Size
prefix_scan_estimate_shared(CustomScanState *node, ParallelContext *context)
{
	int processes = context->nworkers + 1;

	return repartition_shared_size(processes, batches_wanted((PrefixScanState *) node, processes),
								   ((PrefixScanState *) node)->reader.sorts_ranges);
}

void
prefix_scan_create_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	PrefixScanState *state = (PrefixScanState *) node;

	/* without a DSM segment this process is alone, and files would outlive the query */
	if (context->seg == NULL)
		return;
	join_repartition(state, (RepartitionShared *) shared,
					 repartition_create(state->reader.memory, (RepartitionShared *) shared, context,
										batches_wanted(state, context->nworkers + 1), state->reader.sorts_ranges,
										guc_budget()));
}

void
prefix_scan_reset_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	if (((PrefixScanState *) node)->shared != NULL)
		repartition_reset(((PrefixScanState *) node)->reader.shared.repartition);
}

void
prefix_scan_join_shared(CustomScanState *node, shm_toc *toc, void *shared)
{
	PrefixScanState *state = (PrefixScanState *) node;

	join_repartition(state, (RepartitionShared *) shared,
					 repartition_attach(state->reader.memory, (RepartitionShared *) shared));
}

/* Called before the shared memory is released: keeps what EXPLAIN prints. */
void
prefix_scan_leave_shared(CustomScanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;

	if (state->shared == NULL)
		return;
	state->repartitioned = repartition_report(state->shared);
	shared_input_leave(&state->reader.shared);
	state->shared = NULL;
}

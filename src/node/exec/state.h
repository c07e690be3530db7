/*
 * state.h: the state of a running PrefixScan, and the functions of the files of exec/ that exec.c calls.
 */
#ifndef SCAN_NODE_EXEC_STATE_H
#define SCAN_NODE_EXEC_STATE_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "exchange/exchange.h"
#include "node/error_timing/error_timing.h"
#include "node/evaluate/function.h"
#include "node/input/block_reader.h"

/* An output column that needs no computing. */
typedef struct Output
{
	bool function; /* it is a function's result; else a column of the block's rows */
	int	 place;	   /* index of the function, or of the column of the block's rows */

	const Column *column; /* the current block's */
} Output;

typedef struct PrefixScanState
{
	CustomScanState		 css; /* must be first */
	BlockReader			 reader;
	int					 functions;
	NodeFunction		*function;
	LateRow				 late;
	EnteringRows		 entering;
	struct FusedResults *fused;			  /* results that the sort computes (fused_offer.c); NULL: never offered */
	int					 fused_functions; /* the most functions that took such results from a sort */

	/* columns of the child that pass through */
	int	 child_columns;
	int	 passthrough;		 /* their number */
	int *passthrough_attno;	 /* attribute in the child's tuple */
	int *passthrough_column; /* column of the block's rows */

	int		outputs;
	Output *output; /* NULL: there are conditions or expressions to evaluate */

	bool distinct; /* DISTINCT ON: no functions, and only the first row of each partition is emitted */

	int64 row;	 /* position in the block of the next row to emit */
	int64 ready; /* the rows of the block before this position have all their results */
	bool  at_end;

	struct RepartitionShared *shared;		 /* of the processes that run the node; NULL: only this one does */
	RepartitionReport		  repartitioned; /* what the processes did with the rows, for EXPLAIN */

	BlockInstrumentation instrument; /* reader.statistics.instrument points here with EXPLAIN ANALYZE */
} PrefixScanState;

static inline RowFunction *
function_at(const PrefixScanState *state, int i)
{
	return node_row_function(&state->function[i]);
}

/* True if all rows will be asked for.  All rows of several processes go to a Gather, whatever is above the Gather. */
static inline bool
all_are_asked_for(const PrefixScanState *state)
{
	return state->shared != NULL || (state->reader.read_ahead.demand == DEMAND_ALL && demand_by_caller_is_all());
}

/* begin.c: sets up the state from its plan, all but ExecProcNode. */
extern void prefix_scan_begin(PrefixScanState *state, EState *estate, int eflags, BlockSourceOf block_source_of,
							  UnitAccumulator units);

/* start_functions.c: starts the functions, unless the user may not call one of them or compare a key. */
extern void prefix_scan_start_functions(PrefixScanState *state, const CustomScan *scan);

/* fused_offer.c: a SortedOffer's functions; `functions` is the PrefixScanState */
extern struct FusedScans *prefix_scan_offer(void *functions, Size room);
extern Size				  prefix_scan_take(void *functions, bool there);

/* parallel.c: the CustomExecMethods by which several processes run the node */
extern Size prefix_scan_estimate_shared(CustomScanState *node, ParallelContext *context);
extern void prefix_scan_create_shared(CustomScanState *node, ParallelContext *context, void *shared);
extern void prefix_scan_reset_shared(CustomScanState *node, ParallelContext *context, void *shared);
extern void prefix_scan_join_shared(CustomScanState *node, shm_toc *toc, void *shared);
extern void prefix_scan_leave_shared(CustomScanState *node);

/* explain.c: the ExplainCustomScan method */
extern void prefix_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es);

/* ---- exec.c: PrefixScan in the executor ---- */

/* Creates the state of a plan that starts (CreateCustomScanState). */
extern Node *prefix_scan_create_state(CustomScan *scan);

/* A BlockSourceOf: of a PrefixScan that returns its columns as they are. */
extern const BlockSource *prefix_scan_block_source(PlanState *node);

#endif /* SCAN_NODE_EXEC_STATE_H */

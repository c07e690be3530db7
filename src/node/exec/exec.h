/*
 * exec.h: the state of a running PrefixScan.
 */
#ifndef SCAN_NODE_EXEC_EXEC_H
#define SCAN_NODE_EXEC_EXEC_H

#include "postgres.h"

#include "exchange/repartition.h"
#include "node/evaluate/function.h"
#include "node/input/reader.h"

/* An output that is a column as it is. */
typedef struct Output
{
	bool function;
	int	 place; /* of the functions, or of the block's rows' columns */

	const Column *column; /* the block's */
} Output;

typedef struct PrefixScanState
{
	CustomScanState css; /* must be first */
	BlockReader		reader;
	int				functions;
	NodeFunction   *function;
	DeferredRow		deferred;
	struct Answers *answers;  /* that come with the sort; NULL: it was never asked for them */
	int				answered; /* functions that have them, at most */

	/* columns of the child that go up */
	int	 child_columns;
	int	 passthrough;
	int *passthrough_attno;	 /* in the child's row */
	int *passthrough_column; /* in the block's rows */

	int		outputs;
	Output *output; /* NULL: conditions or expressions are left to ExecScan */

	int64 row;	 /* the next of the block */
	int64 ready; /* up to here its rows have all their results */
	bool  at_end;

	struct RepartitionShared *shared;		 /* where several processes run the node; NULL: there is but this one */
	RepartitionReport		  repartitioned; /* what came of it */

	BlockInstrumentation instrument; /* reader.instrument, if anybody asks */
} PrefixScanState;

/* begin.c: sets the state up, but for the function that gives the rows. */
extern void prefix_scan_begin(PrefixScanState *state, EState *estate, int eflags);

/* answers.c: the reader's BlockOffer and BlockTake */
extern struct SortedScans *prefix_scan_offer(void *looker, Size room);
extern Size				   prefix_scan_take(void *looker, bool there);

/* exec.c: what a plan is made into when it starts */
extern Node *prefix_scan_create_state(CustomScan *scan);

/* parallel.c: the node in several processes: CustomExecMethods */
extern Size prefix_scan_estimate_shared(CustomScanState *node, ParallelContext *context);
extern void prefix_scan_create_shared(CustomScanState *node, ParallelContext *context, void *shared);
extern void prefix_scan_reset_shared(CustomScanState *node, ParallelContext *context, void *shared);
extern void prefix_scan_join_shared(CustomScanState *node, shm_toc *toc, void *shared);
extern void prefix_scan_leave_shared(CustomScanState *node);

/* explain.c */
extern void prefix_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif /* SCAN_NODE_EXEC_EXEC_H */

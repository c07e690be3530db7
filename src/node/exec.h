/*
 * exec.h: the state of PrefixScan while it runs.
 */
#ifndef SCAN_NODE_EXEC_H
#define SCAN_NODE_EXEC_H

#include "postgres.h"

#include "node/block.h"
#include "node/function.h"

/* An output that is a column as it is. */
typedef struct Output
{
	bool function;
	int	 place; /* of the functions, or of the block's rows' columns */

	/* the block's */
	const Datum *value;
	const bool	*isnull;
} Output;

typedef struct PrefixScanState
{
	CustomScanState css; /* must be first */
	BlockReader		reader;
	int				functions;
	NodeFunction   *function;
	LateRow			late;

	/* columns of the child that go up */
	int	 child_columns;
	int	 carried;
	int *carried_attno;	 /* in the child's row */
	int *carried_column; /* in the block's rows */

	int		outputs;
	Output *output; /* NULL: conditions or expressions are left to ExecScan */

	int64 row;	 /* the next of the block */
	int64 ready; /* rows of it that have all their answers */
	bool  at_end;

	Watch watch; /* reader.watch, if anybody asks */
} PrefixScanState;

/* begin.c: sets the state up, but for the function that gives the rows. */
extern void prefix_scan_begin(PrefixScanState *state, EState *estate, int eflags);

/* A PrefixScan that runs; NULL: another node. */
extern PrefixScanState *prefix_scan_state(PlanState *node);

/*
 * How many rows from state->row on have all their answers, which `output` says where to
 * find; 0: there are no more.  Whoever takes some moves state->row on.
 */
extern int64 prefix_scan_ready(PrefixScanState *state);

#endif /* SCAN_NODE_EXEC_H */

/*
 * state.h: the state of a running IndexSkip, which exec.c keeps and explain.c prints.
 */
#ifndef SCAN_NODE_SKIP_STATE_H
#define SCAN_NODE_SKIP_STATE_H

#include "postgres.h"

#include "commands/explain.h"
#include "fmgr.h"
#include "nodes/execnodes.h"

#include "compat.h"
#include "node/skip/description.h"

/* A column of the children, with its value in the last row that began a group, or peers if ranks are counted. */
typedef struct SkipKey
{
	AttrNumber attno;
	bool	   by_value;
	int16	   length;
	Oid		   collation;
	FmgrInfo   equal;
	int		   parameter; /* executor parameter that has the value in the children's conditions; -1: none */

	bool  isnull;
	Datum value; /* in IndexSkipState.values */
} SkipKey;

typedef struct IndexSkipState
{
	CustomScanState css; /* must be first */
	TopRows			top;
	int				levels; /* columns of the groups */
	int				keys;	/* with the columns of the order, if ranks are counted */
	SkipKey		   *key;
	int				children; /* that read an index */
	PlanState	  **child;
	SkipStep	   *step;		 /* of each child */
	PlanState	   *child_anew;	 /* starts anew; NULL: there is none */
	MemoryContext	values;		 /* the keys' */
	MemoryContext	parameters;	 /* those of the child that is read */
	MemoryContext	comparisons; /* reset after each */

	int	  at;		   /* the child that has the next row */
	bool  in_group;	   /* the keys have values */
	bool  leave_group; /* no more rows of the group are wanted */
	bool  at_end;
	int64 groups; /* so far */
	int64 rows;	  /* of the group so far */
	int64 rank;
	int64 dense_rank;

	/* whether the node reads on to the next group, where groups have few rows, or goes down the index */
	int	  read_on;		/* rows that are read in the time of a descent */
	int	  to_read;		/* rows of the group that are still read before the node goes down */
	bool  reads_on;		/* the group before had few rows */
	int64 next_try;		/* else: the group whose rows the node reads on, to see how many there are */
	int64 groups_apart; /* from that group to the next one to be tried */

	/* when the node starts anew */
	int64 most_descents; /* 0: never */
	int64 scan_descents; /* since the node's last rescan */
	int64 scan_rows;	 /* rows that were not wanted, since then */
	bool  anew;			 /* child_anew is read */
	bool  anew_was_read; /* in this scan of the node or in one before */
	int64 groups_done;	 /* groups that were returned before child_anew began */

	/* for EXPLAIN ANALYZE */
	int64 descents; /* children taken up, but for child 0 */
	int64 left_out; /* rows read that were not wanted */
	int64 started_anew;
} IndexSkipState;

/* children.c: starts the children */
extern void index_skip_begin_children(IndexSkipState *state, const CustomScan *scan, EState *estate, int eflags);

/* explain.c: the ExplainCustomScan method */
extern void index_skip_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif /* SCAN_NODE_SKIP_STATE_H */

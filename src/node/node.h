/*
 * node.h: PrefixScan, the plan node that takes the place of WindowAgg and of the
 * sort below it: what its files share.
 *
 * Path of a query: plan.c finds WindowAgg paths that the node can answer byte for
 * byte and offers a cheaper one; exec.c pulls rows into blocks of columns in window
 * order (block.c); each function of the window answers a block (function.c,
 * aggregate.c, rank.c); exec.c emits the rows.
 */
#ifndef SCAN_NODE_NODE_H
#define SCAN_NODE_NODE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#define PREFIX_SCAN_NAME "PrefixScan"

/* What a function of a window is to the node. */
typedef enum NodeFunctionKind
{
	FUNCTION_NONE = 0, /* WindowAgg's */
	FUNCTION_ROW_NUMBER,
	FUNCTION_RANK,
	FUNCTION_DENSE_RANK,
	FUNCTION_PERCENT_RANK,
	FUNCTION_CUME_DIST,
	FUNCTION_NTILE,
	FUNCTION_LAG,
	FUNCTION_LEAD,
	FUNCTION_FIRST_VALUE,
	FUNCTION_LAST_VALUE,
	FUNCTION_NTH_VALUE,
	FUNCTION_AGGREGATE,
	FUNCTION_SCAN, /* one of ours: call/ */
} NodeFunctionKind;

/* How many rows behind a row have to be there before its answer can be had. */
typedef enum NodeNeed
{
	NEED_ROW = 0,	/* none */
	NEED_PEERS,		/* the rest of its peer group */
	NEED_PARTITION, /* the rest of its partition */
} NodeNeed;

/* function.c: what the node makes of a function under a window's frame. */
extern NodeFunctionKind node_function_kind(const WindowFunc *wfunc);
extern bool				node_function_is_framed(NodeFunctionKind kind);
extern NodeNeed			node_function_need(const WindowFunc *wfunc, int frame_options);

/* Whether some row may make it raise an error. */
extern bool node_function_may_fail(const WindowFunc *wfunc);

/* A built-in aggregate that takes any values there are. */
extern bool node_aggregate_is_safe(Oid oid);

/*
 * CustomScan.custom_private: a list of lists, in this order.  The functions' answers are
 * the last columns of custom_scan_tlist; their arguments and then their filter, if any,
 * follow each other in custom_exprs.
 */
enum
{
	PRIVATE_NUMBERS = 0, /* PrivateNumber */
	PRIVATE_KEY_COLUMNS, /* of the child: PARTITION BY, then ORDER BY */
	PRIVATE_KEY_EQUALS,	 /* operators */
	PRIVATE_KEY_SORTS,	 /* operators */
	PRIVATE_KEY_COLLATIONS,
	PRIVATE_KEY_NULLS_FIRST,
	PRIVATE_FUNCTIONS, /* WindowFunc */
};

typedef enum PrivateNumber
{
	NUMBER_FRAME_OPTIONS = 0,
	NUMBER_CHILD_COLUMNS,
	NUMBER_PARTITION_KEYS,
	NUMBER_SORTS,	 /* 1: the input is not in window order */
	NUMBER_FALLIBLE, /* 1: computing another row of the input may fail or show */
} PrivateNumber;

static inline int
private_number(const CustomScan *scan, PrivateNumber which)
{
	return list_nth_int((const List *) list_nth(scan->custom_private, PRIVATE_NUMBERS), which);
}

/* plan.c */
extern void node_plan_init(void);

/* cost.c: sets rows and costs of a path of the node over another */
extern void prefix_scan_cost(PlannerInfo *root, Path *path, List *functions, const Path *child, bool sorts);

/* Whether the peer groups or partitions that have to be held whole are likely to fit in scan.work_mem. */
extern bool prefix_scan_units_fit(PlannerInfo *root, const WindowClause *window, List *functions, const Path *child);

/* exec.c */
extern Node *prefix_scan_create_state(CustomScan *scan);

/* label.c: has EXPLAIN print the functions of a planned statement's PrefixScans. */
extern void prefix_scan_label(PlannedStmt *statement);

/* The same of one that starts, if it has not been done. */
extern void prefix_scan_label_late(CustomScan *scan);

/* explain.c */
extern void explain_init(void);
extern void prefix_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es);

#endif /* SCAN_NODE_NODE_H */

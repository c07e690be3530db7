/*
 * parallel_blocker.c: tells whether several processes may run a window, and if not, why.
 *
 * parallel_paths.c asks when it looks for a path, create_plan.c when a plan without a parallel path is made, for
 * EXPLAIN (VERBOSE).  Several processes compute rows that may never be asked for.  Unless all rows are certainly asked
 * for (error_timing/error_timing.h), an error at such a row would be one that WindowAgg does not raise.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "guc.h"
#include "library/library.h"
#include "node/error_timing/error_timing.h"
#include "node/plan/planning.h"
#include "node/plan_walker.h"
#include "node/window_function.h"

/* With fewer partitions for each process than this, rows are not repartitioned evenly. */
#define PARTITIONS_EACH 8

/*
 * Rows that are equal in all keys may take 1/RANGE_PART of scan.work_mem, with ROW_OVERHEAD bytes a row beside its
 * values.
 */
#define RANGE_PART 8
#define ROW_OVERHEAD 32

/* Returns expressions with NULLs in place of the window functions, which are added to the list *context. */
static Node *
without_windows(Node *node, void *context)
{
	List **inside = (List **) context;

	if (node == NULL)
		return NULL;
	if (IsA(node, WindowFunc))
	{
		WindowFunc *wfunc = (WindowFunc *) node;

		*inside = lappend(*inside, wfunc);
		return (Node *) makeNullConst(wfunc->wintype, -1, wfunc->wincollid);
	}
	return expression_tree_mutator(node, without_windows, context);
}

bool
walk_window_levels(Query *query, bool (*walker)(Node *, void *), void *context)
{
	if (query->hasWindowFuncs || query->hasSubLinks)
		return query_tree_walker(query, walker, context, QTW_IGNORE_JOINALIASES);
	return range_table_walker(query->rtable, walker, context, QTW_IGNORE_JOINALIASES) ||
		   walker((Node *) query->cteList, context);
}

/* True if a window function is not safe in any process of a parallel plan: a scan_fold, by its op. */
static bool
folds_unsafely(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return walk_window_levels((Query *) node, folds_unsafely, context);
	if (IsA(node, WindowFunc) && !((const WindowFunc *) node)->winagg &&
		window_function_parallel((const WindowFunc *) node) == PROPARALLEL_UNSAFE)
		return true;
	return expression_tree_walker(node, folds_unsafely, context);
}

int
parallel_safe_options(Query *query, int options)
{
	bool parallel = options & CURSOR_OPT_PARALLEL_OK;

	return parallel && folds_unsafely((Node *) query, NULL) ? options & ~CURSOR_OPT_PARALLEL_OK : options;
}

/* ---- plans that must not run in parallel, as they were made ----
 *
 * The statement whose planning loads the library (a session's first one) was planned without our hook, so its parallel
 * plan may call scan_fold with an unsafe op.  Such a plan runs, but in one process and outside of parallel mode, as
 * core runs a parallel plan when there are no workers.  A plan with PrefixScan runs so, too, once the library has been
 * replaced: new workers would load another build of it.
 */

static ExecutorStart_hook_type next_start; /* the hook of another library, or what core does without one */

/*
 * Sets *serially if the node must not run in several processes: it calls scan_fold with an unsafe op, or it is a
 * PrefixScan and the library was replaced.  A PlanVisitor.
 */
static void
must_be_serial(Plan *plan, void *serially)
{
	const CustomScan *scan = planned_node(plan, &prefix_scan_methods);
	List			 *offsets;
	List *functions = scan != NULL ? planned_functions(scan, &offsets) : IsA(plan, WindowAgg) ? plan->targetlist : NIL;

	if (folds_unsafely((Node *) functions, NULL) || (scan != NULL && library_is_replaced()))
		*(bool *) serially = true;
}

static void
start_serially(QueryDesc *query, int eflags)
{
	bool serially = false;

	if (query->plannedstmt->parallelModeNeeded)
		walk_statement(query->plannedstmt, must_be_serial, &serially);
	if (serially)
		query->plannedstmt->parallelModeNeeded = false;
	next_start(query, eflags);
}

void
parallel_blocker_init(void)
{
	next_start = ExecutorStart_hook != NULL ? ExecutorStart_hook : standard_ExecutorStart;
	ExecutorStart_hook = start_serially;
}

/* ---- whether a window may run in parallel ---- */

/* True if expressions are parallel safe, and so are the window functions in them. */
static bool
exprs_are_safe(QueryLevel *level, const List *exprs)
{
	List *inside = NIL;
	Node *rest = without_windows((Node *) exprs, &inside);

	if (!is_parallel_safe(level->root, rest))
		return false;
	foreach_node (WindowFunc, wfunc, inside)
	{
		if (level_function(level, wfunc)->parallel != PROPARALLEL_SAFE ||
			!is_parallel_safe(level->root, (Node *) wfunc->args) ||
			!is_parallel_safe(level->root, (Node *) wfunc->aggfilter))
			return false;
	}
	return true;
}

/* True if each key of the partition has a hash function. */
static bool
keys_are_hashed(const WindowClause *window)
{
	foreach_node (SortGroupClause, key, window->partitionClause)
	{
		Oid left, right;

		if (!key->hashable || !get_op_hash_functions(key->eqop, &left, &right))
			return false;
	}
	return true;
}

static bool
window_is_safe(QueryLevel *level, const ParallelSubject *subject)
{
	return exprs_are_safe(level, subject->exprs) && exprs_are_safe(level, subject->conditions) &&
		   is_parallel_safe(level->root, subject->window->startOffset) &&
		   is_parallel_safe(level->root, subject->window->endOffset);
}

/* True if a function, its arguments or its FILTER may raise an error at some row. */
static bool
functions_may_fail(const List *functions)
{
	foreach_ptr (const WindowFunctionInfo, info, functions)
		if (window_function_may_error_or_side_effect(info))
			return true;
	return false;
}

/* True if a bound of the frame may raise an error, and a function uses the frame. */
static bool
bounds_may_fail(const ParallelSubject *subject)
{
	return window_frame_may_error_or_side_effect(subject->window) &&
		   window_frame_is_sliding(subject->window, subject->functions);
}

/* True if a window has too few partitions to repartition them to the processes that read `input`. */
static bool
partitions_are_few(PlannerInfo *root, const WindowClause *window, const Path *input)
{
	double least = PARTITIONS_EACH * (input->parallel_workers + 1);

	return window->partitionClause == NIL || level_groups(root, window->partitionClause, input->rows, NULL) < least;
}

/* True if each process reads its rows in the order of the window: then rows need not be repartitioned. */
static bool
comes_in_order(PlannerInfo *root, const WindowClause *window, const Path *input)
{
	List *keys = list_concat_copy(window->partitionClause, window->orderClause);

	return input->pathkeys != NIL &&
		   pathkeys_contained_in(make_pathkeys_for_sortclauses(root, keys, root->processed_tlist), input->pathkeys);
}

/* Returns the part of the rows that have a key's most frequent value, NULL included; 0 without statistics. */
static double
largest_frequency(PlannerInfo *root, Node *key)
{
	VariableStatData data;
	Selectivity		 bucket;
	double			 frequency = 0;

	estimate_hash_bucket_stats(root, key, 1, &frequency, &bucket);
	examine_variable(root, key, 0, &data);
	if (HeapTupleIsValid(data.statsTuple))
		frequency = Max(frequency, ((Form_pg_statistic) GETSTRUCT(data.statsTuple))->stanullfrac);
	ReleaseVariableStats(data);
	return frequency;
}

/*
 * True if the largest group of rows that are equal in all keys is estimated to fit in memory: such rows are in one
 * range, and a range is one block in memory.  The estimate multiplies the frequencies of the keys' most frequent
 * values, as if keys were independent.  The average size of a group alone does not show that half of the rows are 0.
 */
static bool
ranges_are_small(PlannerInfo *root, const WindowClause *window, const Path *input)
{
	List  *keys = list_concat_copy(window->partitionClause, window->orderClause);
	double rows = input->rows * (input->parallel_workers + 1);
	double largest = rows;

	foreach_node (SortGroupClause, clause, keys)
	{
		double frequency = largest_frequency(root, get_sortgroupclause_expr(clause, root->processed_tlist));

		largest *= frequency > 0 ? frequency : 1 / level_groups(root, list_make1(clause), rows, NULL);
	}
	largest = Max(largest, rows / level_groups(root, keys, rows, NULL));
	return largest * (input->pathtarget->width + ROW_OVERHEAD) <= (double) guc_budget() / RANGE_PART;
}

/* True if a function can be computed in ranges of the order of its window. */
static bool
function_saves_state(const WindowFunctionInfo *info)
{
	if ((info->needs & NEEDS_FRAME) && (info->needs & NEEDS_BOUNDS))
		return !(info->needs & NEEDS_EARLIER_FRAMES);
	return !(info->needs & (NEEDS_EARLIER_ROWS | LOOKAHEAD_PARTITION)) &&
		   (!info->wfunc->winagg || aggregate_may_save_state(info->wfunc->winfnoid));
}

/*
 * True if all functions of a window can be computed in ranges: each range continues from the state of the one before,
 * or has the overlap.
 */
static bool
window_saves_state(const ParallelSubject *subject)
{
	if (subject->window->orderClause == NIL || subject->conditions != NIL)
		return false;
	foreach_ptr (const WindowFunctionInfo, info, subject->functions)
		if (!function_saves_state(info))
			return false;
	return true;
}

/* What parallel_blocker_of_window() was asked, and its answer. */
typedef struct AskedBlocker
{
	const WindowClause *window;
	const Path		   *input;
	WindowReason		reason;
	bool				range_partitioned;
} AskedBlocker;

static AskedBlocker *
find_asked(const QueryLevel *level, const WindowClause *window, const Path *input)
{
	foreach_ptr (AskedBlocker, asked, level->blockers)
	{
		if (asked->window == window && asked->input == input)
			return asked;
	}
	return NULL;
}

static WindowReason
blocker_of_window(QueryLevel *level, const ParallelSubject *subject, const Path *input, bool *range_partitioned)
{
	PlannerInfo *root = level->root;
	bool		 few = partitions_are_few(root, subject->window, input);
	bool		 divisible = (few || comes_in_order(root, subject->window, input)) && window_saves_state(subject);
	bool		 small = divisible && ranges_are_small(root, subject->window, input);

	*range_partitioned = small && overlap_is_bounded(root, subject->window, subject->functions, input);
	if (!window_is_safe(level, subject))
		return REASON_UNSAFE;
	if (!rows_are_wanted(level) && (functions_may_fail(subject->functions) || bounds_may_fail(subject) ||
									expression_may_error_or_side_effect((const Node *) subject->exprs) ||
									expression_may_error_or_side_effect((const Node *) subject->conditions)))
		return rows_are_limited(level) ? REASON_EARLY_LIMIT : REASON_EARLY;
	if (*range_partitioned)
		return REASON_NONE;
	if (subject->window->partitionClause == NIL)
		return divisible && !small ? REASON_TIES : REASON_WHOLE;
	return keys_are_hashed(subject->window) ? REASON_NONE : REASON_HASH;
}

/* The planner asks for each path that core has for the window, and once more when the plan is made. */
WindowReason
parallel_blocker_of_window(QueryLevel *level, const ParallelSubject *subject, const Path *input,
						   bool *range_partitioned)
{
	AskedBlocker *asked = find_asked(level, subject->window, input);

	if (asked == NULL)
	{
		asked = (AskedBlocker *) palloc(sizeof(AskedBlocker));
		*asked = (AskedBlocker){.window = subject->window, .input = input};
		asked->reason = blocker_of_window(level, subject, input, &asked->range_partitioned);
		level->blockers = lappend(level->blockers, asked);
	}
	*range_partitioned = asked->range_partitioned;
	return asked->reason;
}

static WindowReason
blocker_of_rows(PlannerInfo *root, const RelOptInfo *input_rel)
{
	if (max_parallel_workers_per_gather == 0)
		return REASON_WORKERS;
	if (!root->glob->parallelModeOK)
		return REASON_QUERY;
	if (!input_rel->consider_parallel || input_rel->partial_pathlist == NIL)
		return REASON_INPUT;
	if (query_level_reads_failing_subquery(root))
		return REASON_SUBQUERY;
	return library_is_replaced() ? REASON_REPLACED : REASON_NONE;
}

WindowReason
parallel_blocker_of_rows(QueryLevel *level, const RelOptInfo *input_rel)
{
	if (level->asked_of != input_rel)
		level->rows_blocker = blocker_of_rows(level->root, input_rel);
	level->asked_of = input_rel;
	return level->rows_blocker;
}

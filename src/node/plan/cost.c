/*
 * cost.c: estimates what a PrefixScan costs, in the planner's units.
 *
 * path.c asks for the cost of every path that is offered.  A unit of cost is not the same time everywhere.  In core's
 * plans it is about 5,300 ns: for example, core charges 0.0125 for a row in WindowAgg, which would be 66 ns, while
 * WindowAgg takes 140 ns and more.  In the node's inputs it is about 2,000 ns.  The node is charged on the scale of its
 * inputs.  So the choice between two inputs is right, and the choice between the node and WindowAgg errs on core's
 * side.  On the scale of the inputs, a row emitted with its function costs 0.0075, each other function 0.004, and a row
 * sorted 0.004 to 0.02, by the bits of its keys.  test/bench/cost.py compares the costs with times.
 *
 * Input that does not fit in scan.work_mem is sorted in parts: it is written to disk and read back once, and its rows
 * are compared while the parts are merged.  If the input is in order, the first row is emitted after the first block,
 * so a query that stops early is cheaper in core.  Input that is in order by the first keys is sorted in chunks, and
 * the first row is emitted after the first chunk.
 *
 * If the node drops rows as it reads them, since a condition on a rank wants the first ones of each partition, each row
 * is looked up among those that are kept.  That is charged as a sort of as many rows as are kept.  With it, PrefixScan
 * and IndexSkip cost the same at about 100 rows in a partition, where they take the same time; with 40 rows IndexSkip
 * takes 2.4 times as long, and with 400 PrefixScan does (250 to 100,000 partitions, all pages in memory).
 */
#include "postgres.h"

#include <math.h>

#include "access/amapi.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "column/type.h"
#include "compat.h"
#include "guc.h"
#include "node/plan/planning.h"
#include "node/planned_window.h"

/* Bytes of a row in a block beside its values: results, boundaries, and alignment. */
#define ROW_OVERHEAD 16

/* Bytes that a sort takes for each row beside its values, and for each key that has to be compared (sort/key.c). */
#define SORT_BYTES 9
#define SORT_BYTES_COMPARING 28
#define SORT_BYTES_COMPARED 8

/* Bytes of a value beside itself that is not passed by value: where it lies, and alignment. */
#define REFERENCE_BYTES 12

/* Bytes up to which a peer group, a partition, or the rows that lag and lead reach are held in memory. */
#define HELD (guc_budget() / 4)

/* Rows that lag and lead may reach, however little memory there is. */
#define OFFSET_LEAST 1024

/* The part of cpu_tuple_cost that a row takes less if it is read by the page. */
#define PAGES_SAVE 0.65

/*
 * The cost of finding a row's range by comparing keys, as a multiple of parallel_tuple_cost.  The range is found only
 * to send the row to another process, so a user who sets parallel_tuple_cost to 0 should not pay for it.
 */
#define COMPARED_RANGE 0.6

/* A row of a table that lies in no order costs as much as so many rows that lie in order. */
#define SCATTERED_TUPLES 10

/* But the node's path stays cheaper than core's over the same index, which pays for the same rows: by this part of it.
 */
#define CORE_PART 0.9

/* A key of variable length costs a sort as much as a key of this many bits: its values are compared byte by byte. */
#define COMPARED_BITS 300

#define LOG2(x) (log(x) / 0.693147180559945)

static double
path_bytes(const Path *child, double rows)
{
	return rows * (child->pathtarget->width + ROW_OVERHEAD);
}

/*
 * Returns the bits of a row's keys, by which rows are sorted: those of the types, as the range of values is unknown.
 * Of keys that have to be compared, the first one mostly decides.
 */
static double
window_key_bits(PlannerInfo *root, const WindowClause *window)
{
	double bits = 0, compared = COMPARED_BITS;

	foreach_node (SortGroupClause, clause, list_concat_copy(window->partitionClause, window->orderClause))
	{
		Node *key = get_sortgroupclause_expr(clause, root->processed_tlist);
		int16 length;
		bool  by_value;

		get_typlenbyval(exprType(key), &length, &by_value);
		bits += by_value ? 8 * length : compared;
		if (!by_value)
			compared = 0;
	}
	return bits;
}

/* Returns the bytes that a row takes while it is sorted, of which the values are those that the node reads. */
static double
sorted_row_bytes(PlannerInfo *root, const WindowClause *window, const Path *child)
{
	double bytes = child->pathtarget->width + SORT_BYTES;
	bool   compares = false;

	foreach_ptr (const Node, expr, child->pathtarget->exprs)
		bytes += get_typbyval(exprType(expr)) ? 0 : REFERENCE_BYTES;
	foreach_node (SortGroupClause, clause, list_concat_copy(window->partitionClause, window->orderClause))
	{
		Node *key = get_sortgroupclause_expr(clause, root->processed_tlist);

		if (!type_order_is_number(type_info(exprType(key))->order))
		{
			bytes += SORT_BYTES_COMPARED + (compares ? 0 : SORT_BYTES_COMPARING);
			compares = true;
		}
	}
	return bytes;
}

/*
 * Returns the cost of sorting all rows of a path, `together` at a time: by radix, in so many passes as the keys have
 * bytes.
 */
static Cost
sort_cost(PlannerInfo *root, const WindowClause *window, const Path *child, double together)
{
	double row_bytes = sorted_row_bytes(root, window, child);
	double bytes = together * row_bytes;
	double bits = window_key_bits(root, window);
	Cost   sort = child->rows * cpu_operator_cost * bits / 20 * LOG2(Max(together, 2)) / 20;
	Size   budget = guc_budget_of(list_length(root->parse->windowClause));

	if (bytes <= budget)
		return sort;
	/* each run is written and read in order, but several are read at a time */
	return sort + child->rows * cpu_operator_cost * bits / 90 * (1 + LOG2(bytes / budget)) +
		   2 * child->rows * row_bytes / BLCKSZ * (seq_page_cost * 0.75 + random_page_cost * 0.25);
}

/* True if a path returns columns of its table as they are stored, and constants. */
static bool
returns_stored_columns(const Path *path)
{
	foreach_ptr (const Node, expr, path->pathtarget->exprs)
		if (!IsA(expr, Const) && (!IsA(expr, Var) || ((const Var *) expr)->varattno <= 0))
			return false;
	return true;
}

/*
 * Returns how many rows of a path are read by the page and copied column by column.  Those of indexes do not count: by
 * the costs of core, an index with all columns is already taken where its order saves a sort, and for a scan of all
 * rows the table is better.
 */
static double
rows_by_page(const Path *path)
{
	double rows = 0;

	if (!returns_stored_columns(path))
		return 0;
	if (path_is_plain_scan(path))
		return path->parent->baserestrictinfo == NIL ? path->rows : 0;
	if (IsA(path, ProjectionPath))
		return rows_by_page(((const ProjectionPath *) path)->subpath);
	if (IsA(path, AppendPath))
		foreach_ptr (const Path, subpath, ((const AppendPath *) path)->subpaths)
			rows += rows_by_page(subpath);
	return rows;
}

/* True if a function's arguments are columns, and it has no FILTER. */
static bool
reads_columns(const WindowFunc *wfunc)
{
	foreach_ptr (Node, argument, wfunc->args)
		if (!IsA(argument, Var) && !IsA(argument, Const))
			return false;
	return wfunc->aggfilter == NULL;
}

/*
 * Returns by how much the node reads a path's rows cheaper than core, which has charged cpu_tuple_cost for each: those
 * of plain scans without conditions are read by the page (input/pages.c) if nothing is computed from them.
 */
static Cost
pages_saving(const List *functions, const Path *child)
{
	foreach_ptr (const WindowFunctionInfo, info, functions)
		if (!reads_columns(info->wfunc))
			return 0;
	return rows_by_page(child) * cpu_tuple_cost * PAGES_SAVE;
}

/* Adds the cost of the functions at every row. */
static void
add_functions(QualCost *cost, const List *functions)
{
	foreach_ptr (const WindowFunctionInfo, info, functions)
	{
		cost->startup += info->startup_cost;
		cost->per_tuple += info->cost_per_row;
	}
}

/*
 * Returns the cost of accumulating peer groups or partitions before their first row is emitted, if they are too large
 * to be held.  Writing them to a file is not charged, as it is not in core's cost of a WindowAgg.
 */
static Cost
look_cost(PlannerInfo *root, const WindowClause *window, const List *functions, const Path *child)
{
	int	   needs = 0;
	List  *keys = window->partitionClause;
	double bytes = path_bytes(child, child->rows);

	foreach_ptr (const WindowFunctionInfo, info, functions)
		needs |= info->needs;
	needs &= LOOKAHEAD_PEERS | LOOKAHEAD_PARTITION | NEEDS_ANY;
	if (needs == 0 || bytes <= HELD)
		return 0;
	if (needs == LOOKAHEAD_PEERS)
		keys = list_concat_copy(keys, window->orderClause);
	return bytes / level_groups(root, keys, child->rows, NULL) <= HELD ? 0 : child->rows * cpu_operator_cost;
}

/*
 * Returns the cost, beside core's, of reading a table's rows in the order of an index that they do not lie in.  Core
 * charges for each page once if it expects the cache to hold the table, but each row costs the processor a miss, and
 * often a system call.
 */
static Cost
scattered_cost(PlannerInfo *root, const Path *path)
{
	IndexPath			   *scan;
	amcostestimate_function estimate;
	Cost					startup, total;
	Selectivity				selectivity;
	double					correlation, pages;

	if (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	if (!IsA(path, IndexPath) || path->pathtype != T_IndexScan)
		return 0;
	scan = unconstify(IndexPath *, (const IndexPath *) path);
	estimate = (amcostestimate_function) scan->indexinfo->amcostestimate;
	estimate(root, scan, 1, &startup, &total, &selectivity, &correlation, &pages);
	return path->rows * (1 - correlation * correlation) * cpu_tuple_cost * SCATTERED_TUPLES;
}

/* Returns how many rows of a path are equal in the first `presorted` keys of a window. */
static double
rows_of_group(PlannerInfo *root, const WindowClause *window, const Path *child, int presorted)
{
	List  *keys = list_concat_copy(window->partitionClause, window->orderClause);
	double rows = Max(child->rows, 1);

	return rows / level_groups(root, list_truncate(keys, presorted), rows, NULL);
}

/* Returns how many rows a chunk has if its groups have `group` rows. */
static double
rows_of_chunk(PlannerInfo *root, const WindowClause *window, const Path *child, double group)
{
	double fit = guc_budget() / CHUNK_MEMORY_PART / sorted_row_bytes(root, window, child);

	return Min(Max(group, Min(CHUNK_MOST_ROWS, fit)), child->rows);
}

/*
 * Returns how many rows leave the node, in a process: those that meet a condition on a rank, if the number of
 * partitions is known.
 */
static double
rows_that_leave(PlannerInfo *root, PrefixScanPath *ours, const Path *child)
{
	const WindowClause *window = ours->window;
	TopRows top = ours->functions == NIL ? (TopRows){.limit = 1} : top_of_conditions(ours->functions, ours->conditions);
	double	processes = level_processes(child->parallel_workers);
	double	rows = child->rows * processes;
	bool	guessed = false;

	if (top.limit > 0 && !path_is_index_skip(child))
		rows = level_top_rows(root, window->orderClause, level_groups(root, window->partitionClause, rows, &guessed),
							  rows, top);
	/* DISTINCT ON returns a row of each group: as many as core has guessed */
	if (top.limit == 0 || (guessed && ours->functions != NIL))
		return child->rows;
	ours->counted = top.limit;
	return clamp_row_est(rows / processes);
}

void
prefix_scan_cost(PlannerInfo *root, PrefixScanPath *ours, const Path *child)
{
	Path	*path = &ours->custom.path;
	QualCost cost = path->pathtarget->cost;
	bool	 chunks = ours->presorted > 0;
	double	 group = chunks ? rows_of_group(root, ours->window, child, ours->presorted) : child->rows;
	double	 together = chunks ? rows_of_chunk(root, ours->window, child, group) : child->rows;
	double	 leave = rows_that_leave(root, ours, child);
	double	 computed = prefix_scan_top(ours, ours->functions).limit > 0 ? leave : child->rows;
	Cost	 sort = ours->sorts ? sort_cost(root, ours->window, child, together * computed / Max(child->rows, 1)) : 0;
	Cost	 saving = pages_saving(ours->functions, child);
	Cost	 run = child->total_cost - child->startup_cost - saving + child->rows * cpu_tuple_cost * 0.5 +
			   look_cost(root, ours->window, ours->functions, child);
	double first = (chunks ? Max(group, CHUNK_FIRST_ROWS) : BLOCK_FIRST_ROWS) / Max(child->rows, 1);

	path->rows = leave;
	compat_disabled_nodes(path, NULL, child);
	if (ours->sorts && !chunks)
		path->startup_cost = child->total_cost - saving + sort;
	else
		path->startup_cost = child->startup_cost + (run + sort) * Min(first, 1);
	path->total_cost = child->startup_cost + run + sort;
	add_functions(&cost, ours->functions);
	if (ours->functions != NIL)
		cost.per_tuple += Min((list_length(ours->functions) - 1) * cpu_operator_cost * 0.5, cpu_tuple_cost * 0.5);
	path->startup_cost += cost.startup;
	path->total_cost += cost.startup + cost.per_tuple * computed;
}

void
prefix_scan_scattered_cost(PlannerInfo *root, Path *path, const Path *child, Cost core)
{
	Cost extra = Min(scattered_cost(root, child), core * CORE_PART - path->total_cost);
	Cost run = path->total_cost - child->startup_cost;

	if (extra <= 0 || run <= 0)
		return;
	path->startup_cost += extra * (path->startup_cost - child->startup_cost) / run;
	path->total_cost += extra;
}

/* True if the first key of a window is passed by value: a row finds its range by a number then (input/splitters.c). */
static bool
first_key_is_number(PlannerInfo *root, const WindowClause *window)
{
	const List			  *clauses = window->partitionClause != NIL ? window->partitionClause : window->orderClause;
	const SortGroupClause *first = linitial_node(SortGroupClause, clauses);

	return get_typbyval(
		exprType(get_sortgroupclause_expr(unconstify(SortGroupClause *, first), root->processed_tlist)));
}

/*
 * For each row, hashing, copying, writing and reading take some 20 ns, and its bytes are charged on top.  The shared
 * memory, and the library in each worker, take as long as starting the worker itself.
 */
void
prefix_scan_add_repartition(PlannerInfo *root, PrefixScanPath *ours, const Path *child)
{
	Path  *path = &ours->custom.path;
	double rows = child->rows;
	Cost   cost = cpu_operator_cost;

	if (ours->range_partitioned && !first_key_is_number(root, ours->window))
		cost += parallel_tuple_cost * COMPARED_RANGE;
	/* a process drops rows before it sends the others: it may keep as many as there are in all processes */
	if (ours->counted > 0 && prefix_scan_top(ours, ours->functions).limit > 0)
		rows = Min(rows, path->rows * level_processes(child->parallel_workers));
	cost = parallel_setup_cost + rows * cost + path_bytes(child, rows) / BLCKSZ * seq_page_cost * 0.1;
	path->startup_cost += cost;
	path->total_cost += cost;
}

bool
prefix_scan_offsets_fit(const List *functions, const Path *child)
{
	int64 max_before = 0, max_after = 0;

	foreach_ptr (const WindowFunctionInfo, info, functions)
	{
		max_before = Max(max_before, info->before);
		max_after = Max(max_after, info->after);
	}
	max_before = Min(max_before, (int64) child->rows);
	max_after = Min(max_after, (int64) child->rows);
	return max_before + max_after <= OFFSET_LEAST || path_bytes(child, max_before + max_after) <= HELD;
}

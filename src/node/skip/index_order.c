/*
 * index_order.c: finds the indexes that have the rows of a table in the order of the groups.
 *
 * index_skip.c asks for a table, or for all partitions of one.  An index will do if its columns, read forward or
 * backward, are those of the groups in any order and direction, and then the order within a group.  Columns that the
 * query sets equal to a constant may stand anywhere between.  Core decides all this: its list of the index's pathkeys
 * (build_index_pathkeys) leaves such columns out, and its index path has the conditions of the query that the index can
 * check.
 *
 * That path is asked of core's create_index_paths() for a copy of the table that has the indexes of one order alone,
 * with their pathkeys as those that the query is interested in.  During the planning of the table itself core has made
 * no paths of orders that the query does not name, such as the one by (q, p) for PARTITION BY p, q.  The call is dear,
 * so it is made once for each order and table, only where the table has no such path yet, and not at all if it is
 * known before that the node costs more than a plan that is there.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_am_d.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "guc.h"
#include "node/level.h"
#include "node/skip/internal.h"

/* True if two pathkeys are about the same values, in whatever direction. */
static bool
same_column(const PathKey *a, const PathKey *b)
{
	return a->pk_eclass == b->pk_eclass && a->pk_opfamily == b->pk_opfamily;
}

static const PathKey *
find_column(const List *keys, const PathKey *key)
{
	foreach_node (PathKey, pathkey, keys)
		if (same_column(pathkey, key))
			return pathkey;
	return NULL;
}

/* ---- the request ---- */

/* The pathkeys of a request, in the order of its clauses. */
typedef struct RequestKeys
{
	const SkipRequest *request;
	List			  *each;	 /* for each clause a list of its pathkey, empty if the column is equal to a constant */
	List			  *groups;	 /* those of the groups, without repetitions */
	List			  *all;		 /* all of them, without repetitions */
	double			   expected; /* number of groups; set by skip_orders() */
} RequestKeys;

/* A column is ordered once, by whatever family of operators, as in make_pathkeys_for_sortclauses(). */
static List *
append_column(List *keys, List *key)
{
	if (key == NIL)
		return keys;
	foreach_node (PathKey, pathkey, keys)
		if (pathkey->pk_eclass == linitial_node(PathKey, key)->pk_eclass)
			return keys;
	return lappend(keys, linitial(key));
}

static RequestKeys
keys_of_request(PlannerInfo *root, const SkipRequest *request)
{
	RequestKeys keys = {.request = request};

	foreach_node (SortGroupClause, clause, request->clauses)
	{
		List *key = make_pathkeys_for_sortclauses(root, list_make1(clause), root->processed_tlist);

		keys.each = lappend(keys.each, key);
		keys.all = append_column(keys.all, key);
		if (foreach_current_index(clause) < request->groups)
			keys.groups = append_column(keys.groups, key);
	}
	return keys;
}

/* Returns the clause of the request that has a pathkey, in whatever direction; NULL if there is none. */
static SortGroupClause *
clause_of_key(const RequestKeys *keys, const PathKey *key)
{
	ListCell *clause, *its_key;

	forboth(clause, keys->request->clauses, its_key, keys->each)
	{
		if (find_column((const List *) lfirst(its_key), key) != NULL)
			return lfirst_node(SortGroupClause, clause);
	}
	return NULL;
}

/* ---- columns of an index ---- */

static Expr *
index_expr(const IndexOptInfo *index, int column)
{
	return list_nth_node(TargetEntry, index->indextlist, column)->expr;
}

/* True if no row that the query reads is NULL in a column of the index. */
static bool
is_never_null(PlannerInfo *root, const IndexOptInfo *index, int column)
{
	Expr *expr = index_expr(index, column);

	if (index->indexkeys[column] > 0 && compat_column_is_not_null(root, index->rel, index->indexkeys[column]))
		return true;
	return !type_is_rowtype(exprType((Node *) expr)) &&
		   predicate_implied_by(list_make1(skip_null_test(expr, IS_NOT_NULL)),
								extract_actual_clauses(index->rel->baserestrictinfo, false), false);
}

/* Returns the type of the request's column that has a pathkey. */
static Oid
type_of_key(PlannerInfo *root, const RequestKeys *keys, const PathKey *key)
{
	SortGroupClause *clause = clause_of_key(keys, key);

	return clause == NULL ? InvalidOid : exprType(get_sortgroupclause_expr(clause, root->processed_tlist));
}

/* True if a column of an index has the values of a pathkey. */
static bool
column_has_key(const IndexOptInfo *index, int column, PathKey *key)
{
	return index->sortopfamily[column] == key->pk_opfamily &&
		   index->indexcollations[column] == key->pk_eclass->ec_collation &&
		   find_ec_member_matching_expr(key->pk_eclass, index_expr(index, column), index->rel->relids) != NULL;
}

/*
 * True if a column's operators compare as the conditions of the steps do (steps.c).  CREATE OPERATOR CLASS does not
 * insist on an operator for each comparison.
 */
static bool
has_comparisons(const IndexOptInfo *index, int column)
{
	static const int16 strategies[] = {BTLessStrategyNumber, BTEqualStrategyNumber, BTGreaterStrategyNumber};

	for (int i = 0; i < lengthof(strategies); i++)
		if (!OidIsValid(get_opfamily_member(index->sortopfamily[column], index->opcintype[column],
											index->opcintype[column], strategies[i])))
			return false;
	return true;
}

/*
 * Finds which columns of an index have the levels.  Returns false if a column is of another type than the request's:
 * the values of one could not be compared with the other.  Returns false, too, if a column lacks an operator.
 */
static bool
find_levels(PlannerInfo *root, const RequestKeys *keys, const IndexOptInfo *index, const List *pathkeys, int *columns)
{
	int levels = list_length(keys->groups), level = 0;

	for (int column = 0; column < index->nkeycolumns && level < levels; column++)
	{
		PathKey *key = list_nth_node(PathKey, pathkeys, level);

		if (!column_has_key(index, column, key))
			continue;
		if (exprType((Node *) index_expr(index, column)) != type_of_key(root, keys, key) ||
			!has_comparisons(index, column))
			return false;
		columns[level++] = column;
	}
	return level == levels;
}

/* ---- orders ---- */

/* True if a pathkey of the index orders as the request's does: where NULLs come does not matter if there are none. */
static bool
orders_alike(PlannerInfo *root, const IndexOptInfo *index, PathKey *key, const PathKey *wanted)
{
	if (key == wanted)
		return true;
	if (!same_column(key, wanted) || compat_pathkey_descends(key) != compat_pathkey_descends(wanted))
		return false;
	for (int column = 0; column < index->nkeycolumns; column++)
		if (column_has_key(index, column, key))
			return is_never_null(root, index, column);
	return false;
}

/*
 * Returns the first pathkeys of an index, as many as the request has, if they are the groups' columns in any order and
 * direction, and then the order within a group; else NIL.
 */
static List *
wanted_order(PlannerInfo *root, const IndexOptInfo *index, const List *pathkeys, const RequestKeys *keys)
{
	int levels = list_length(keys->groups);

	if (list_length(pathkeys) < list_length(keys->all))
		return NIL;
	for (int i = 0; i < list_length(keys->all); i++)
	{
		PathKey *key = list_nth_node(PathKey, pathkeys, i);

		if (i < levels ? find_column(keys->groups, key) == NULL
					   : !orders_alike(root, index, key, list_nth_node(PathKey, keys->all, i)))
			return NIL;
	}
	return list_copy_head(pathkeys, list_length(keys->all));
}

/* ---- the indexes of a table ---- */

/* An index that has the request's order if it is read in a direction. */
typedef struct Candidate
{
	IndexOptInfo *index;
	ScanDirection direction;
	List		 *pathkeys;
	int			  column[SKIP_MAX_GROUP_COLUMNS]; /* of the index, for each level */
} Candidate;

/* True if the first column of an index can be a group's, or one that the query sets equal to a constant. */
static bool
first_column_will_do(const IndexOptInfo *index, const RequestKeys *keys)
{
	if (index->rel->baserestrictinfo != NIL)
		return true;
	foreach_node (PathKey, key, keys->groups)
		if (column_has_key(index, 0, key))
			return true;
	return false;
}

/*
 * True if the node can read an index, which may have the request's order; core has its own reasons not to read one.
 * Most indexes of a table are sorted out here, before pathkeys are built for them.
 */
static bool
may_have_order(const IndexOptInfo *index, const RequestKeys *keys)
{
	return index->relam == BTREE_AM_OID && index->sortopfamily != NULL && index->amhasgettuple &&
		   (index->indpred == NIL || index->predOK) && index->nkeycolumns >= list_length(keys->all) &&
		   first_column_will_do(index, keys);
}

/*
 * Adds an index to the candidates if it has the request's order in a direction.  Without an order within a group both
 * directions find the same rows, so only one is of use: the backward one if the query wants its rows in that order.
 */
static List *
add_candidate(PlannerInfo *root, List *candidates, IndexOptInfo *index, ScanDirection direction,
			  const RequestKeys *keys)
{
	List	  *pathkeys = wanted_order(root, index, build_index_pathkeys(root, index, direction), keys);
	Candidate *candidate = (Candidate *) palloc(sizeof(Candidate));

	*candidate = (Candidate){index, direction, pathkeys};
	if (pathkeys == NIL || !find_levels(root, keys, index, pathkeys, candidate->column) ||
		(direction == BackwardScanDirection && list_length(keys->all) == list_length(keys->groups) &&
		 (root->query_pathkeys == NIL || !pathkeys_contained_in(root->query_pathkeys, pathkeys))))
		return candidates;
	return lappend(candidates, candidate);
}

static List *
candidates_of_table(PlannerInfo *root, const RelOptInfo *table, const RequestKeys *keys)
{
	List *candidates = NIL;

	foreach_node (IndexOptInfo, index, table->indexlist)
	{
		if (!may_have_order(index, keys))
			continue;
		candidates = add_candidate(root, candidates, index, ForwardScanDirection, keys);
		candidates = add_candidate(root, candidates, index, BackwardScanDirection, keys);
	}
	return candidates;
}

/* Finds the cheapest of some paths of a table that reads a candidate in an order; false: none does. */
static bool
find_path(const List *paths, const RelOptInfo *table, const List *candidates, List *pathkeys, IndexOrder *leaf)
{
	leaf->path = NULL;
	foreach_ptr (IndexPath, path, paths)
	{
		if (!IsA(path, IndexPath) || path->path.param_info != NULL ||
			!pathkeys_contained_in(pathkeys, path->path.pathkeys) ||
			!equal(path->path.pathtarget->exprs, table->reltarget->exprs))
			continue;
		foreach_ptr (const Candidate, candidate, candidates)
		{
			if (candidate->index != path->indexinfo || candidate->direction != path->indexscandir ||
				compare_pathkeys(pathkeys, candidate->pathkeys) != PATHKEYS_EQUAL ||
				(leaf->path != NULL && path->path.total_cost >= leaf->path->path.total_cost))
				continue;
			leaf->path = path;
			memcpy(leaf->column, candidate->column, sizeof(leaf->column));
		}
	}
	return leaf->path != NULL;
}

/*
 * Has core make the paths of the candidates that have an order, and returns them.  Core also makes paths without the
 * order: an index condition with IN (...) on a later column reads the index once a value.
 *
 * Core cuts off what it finds useless of a path's order.  Up to 18 it looks at query_pathkeys for that, and 19 looks at
 * those that query_pathkeys is one of: sort_pathkeys and others.
 */
static List *
paths_anew(PlannerInfo *root, const RelOptInfo *table, const List *candidates, List *pathkeys)
{
	RelOptInfo scratch = *table;
	List	  *query_order = root->query_pathkeys, *sort_order = root->sort_pathkeys;

	scratch.indexlist = scratch.pathlist = scratch.partial_pathlist = scratch.joininfo = NIL;
	scratch.consider_parallel = false;
	foreach_ptr (const Candidate, candidate, candidates)
		if (compare_pathkeys(pathkeys, candidate->pathkeys) == PATHKEYS_EQUAL)
			scratch.indexlist = list_append_unique_ptr(scratch.indexlist, candidate->index);
	root->query_pathkeys = root->sort_pathkeys = pathkeys;
	create_index_paths(root, &scratch);
	root->query_pathkeys = query_order;
	root->sort_pathkeys = sort_order;
	return scratch.pathlist;
}

/*
 * Finds how a table is read in an order; false if core has no path for it.  If the query names the order, core has the
 * path already: for a table of 1,000 partitions, to make them anew takes half of the time of planning.
 */
static bool
find_leaf(PlannerInfo *root, const RelOptInfo *table, const List *candidates, const RequestKeys *keys, List *pathkeys,
		  IndexOrder *leaf)
{
	if (!find_path(table->pathlist, table, candidates, pathkeys, leaf) &&
		!find_path(paths_anew(root, table, candidates, pathkeys), table, candidates, pathkeys, leaf))
		return false;
	for (int level = 0; level < list_length(keys->groups); level++)
		leaf->may_be_null[level] = !is_never_null(root, leaf->path->indexinfo, leaf->column[level]);
	return true;
}

/* ---- the orders of all leaves ---- */

/* Returns an order of all leaves, or NULL. */
static SkipOrder *
order_of_leaves(PlannerInfo *root, const List *leaves, List *const *candidates, const RequestKeys *keys, List *pathkeys)
{
	SkipOrder *order = (SkipOrder *) palloc(sizeof(SkipOrder));

	*order = (SkipOrder){.pathkeys = pathkeys,
						 .levels = list_length(keys->groups),
						 .groups = keys->expected,
						 .leaves = list_length(leaves),
						 .leaf = (IndexOrder *) palloc(list_length(leaves) * sizeof(IndexOrder))};
	foreach_ptr (const RelOptInfo, table, leaves)
	{
		int i = foreach_current_index(table);

		CHECK_FOR_INTERRUPTS();
		if (!find_leaf(root, table, candidates[i], keys, pathkeys, &order->leaf[i]))
			return NULL;
	}
	foreach_node (PathKey, key, pathkeys)
		order->clauses = lappend(order->clauses, clause_of_key(keys, key));
	return order;
}

/* Returns how many groups the statistics of a table tell of; 0 if they tell nothing. */
static double
known_groups(PlannerInfo *root, const RelOptInfo *table, const Candidate *candidate, int levels)
{
	List  *columns = NIL;
	bool   guessed;
	double groups;

	for (int level = 0; level < levels; level++)
		columns = lappend(columns, index_expr(candidate->index, candidate->column[level]));
	groups = level_groups_by(root, columns, table->rows, &guessed);
	return guessed ? 0 : groups;
}

/*
 * Finds the candidates of each leaf.  Returns the number of groups; 0 if a leaf has none, if nothing is known of the
 * number, or if the descents to each group cost too much: that is known before all leaves are looked at.
 *
 * Autovacuum analyses the partitions of a table, but not the table itself.  Then the partition with the most groups
 * tells how many there are at least: groups may have rows in all partitions, or in one.  The cost is looked at before
 * the leaves 0, 1, 2, 4, 8 and so on.
 */
static double
find_candidates(PlannerInfo *root, const RelOptInfo *rel, const List *leaves, const RequestKeys *keys,
				List **candidates)
{
	const SkipRequest *request = keys->request;
	int				   levels = list_length(keys->groups);
	bool			   guessed;
	double guess = level_groups(root, list_copy_head(request->clauses, request->groups), rel->rows, &guessed);
	double groups = guessed ? 0 : guess;

	foreach_ptr (const RelOptInfo, table, leaves)
	{
		int i = foreach_current_index(table);

		/* the number may have grown; a look at all leaves before each of them would take too long */
		if (groups > 0 && (i & (i - 1)) == 0 && skip_will_be_too_dear(root, request, groups, levels, leaves))
			return 0;
		candidates[i] = candidates_of_table(root, table, keys);
		if (candidates[i] == NIL)
			return 0;
		if (guessed)
			groups = Max(groups, known_groups(root, table, (const Candidate *) linitial(candidates[i]), levels));
	}
	return groups == 0 && guc_index_skip == INDEX_SKIP_FORCE ? guess : groups;
}

List *
skip_orders(PlannerInfo *root, const RelOptInfo *rel, const List *leaves, const SkipRequest *request)
{
	RequestKeys keys = keys_of_request(root, request);
	List	  **candidates = (List **) palloc(list_length(leaves) * sizeof(List *));
	List	   *orders = NIL, *wanted = NIL;

	if (keys.groups != NIL && list_length(keys.groups) <= SKIP_MAX_GROUP_COLUMNS)
		keys.expected = find_candidates(root, rel, leaves, &keys, candidates);
	if (keys.expected == 0)
		return NIL;
	foreach_ptr (const Candidate, candidate, candidates[0])
		wanted = list_append_unique(wanted, candidate->pathkeys);
	foreach_ptr (List, pathkeys, wanted)
	{
		SkipOrder *order = order_of_leaves(root, leaves, candidates, &keys, pathkeys);

		if (order != NULL)
			orders = lappend(orders, order);
	}
	return orders;
}

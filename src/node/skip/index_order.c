/*
 * index_order.c: finds the indexes that have the rows of a table in the order of the groups.
 *
 * index_skip.c asks for each table, or for each partition of one.  An index will do if its columns, read forward or
 * backward, are those of the groups in any order and direction, and then the order within a group.  Columns that the
 * query sets equal to a constant may stand anywhere between.  Core decides all this: its list of the index's pathkeys
 * (build_index_pathkeys) leaves such columns out, and its index path has the conditions of the query that the index
 * can check.
 *
 * That path is asked of core's create_index_paths() for a copy of the table that has this index alone, with the
 * index's pathkeys as those that the query is interested in.  During the planning of the table itself core has made no
 * paths of orders that the query does not name, such as the one by (q, p) for PARTITION BY p, q.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_am_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "node/skip/planning.h"

/* True if two pathkeys are about the same values, in whatever direction. */
static bool
same_column(const PathKey *a, const PathKey *b)
{
	return a->pk_eclass == b->pk_eclass && a->pk_opfamily == b->pk_opfamily;
}

static const PathKey *
find_column(const List *keys, const PathKey *key)
{
	ListCell *cell;

	foreach (cell, keys)
		if (same_column(lfirst_node(PathKey, cell), key))
			return lfirst_node(PathKey, cell);
	return NULL;
}

/* ---- the request ---- */

/* The pathkeys of a request, in the order of its clauses. */
typedef struct RequestKeys
{
	const SkipRequest *request;
	List			  *each;   /* for each clause a list of its pathkey, empty if the column is equal to a constant */
	List			  *groups; /* those of the groups, without repetitions */
	List			  *all;	   /* all of them, without repetitions */
} RequestKeys;

/* A column is ordered once, by whatever family of operators, as in make_pathkeys_for_sortclauses(). */
static List *
append_column(List *keys, List *key)
{
	ListCell *cell;

	if (key == NIL)
		return keys;
	foreach (cell, keys)
		if (lfirst_node(PathKey, cell)->pk_eclass == linitial_node(PathKey, key)->pk_eclass)
			return keys;
	return lappend(keys, linitial(key));
}

static RequestKeys
keys_of_request(PlannerInfo *root, const SkipRequest *request)
{
	RequestKeys keys = {.request = request};
	ListCell   *cell;

	foreach (cell, request->clauses)
	{
		List *key = make_pathkeys_for_sortclauses(root, list_make1(lfirst(cell)), root->processed_tlist);

		keys.each = lappend(keys.each, key);
		keys.all = append_column(keys.all, key);
		if (foreach_current_index(cell) < request->groups)
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
	NullTest *test;

	if (index->indexkeys[column] > 0 && compat_column_is_not_null(root, index->rel, index->indexkeys[column]))
		return true;
	test = makeNode(NullTest);
	test->arg = index_expr(index, column);
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return !type_is_rowtype(exprType((Node *) test->arg)) &&
		   predicate_implied_by(list_make1(test), extract_actual_clauses(index->rel->baserestrictinfo, false), false);
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
 * Finds which columns of an index have the levels.  Returns false if a column is of another type than the request's:
 * the values of one could not be compared with the other.
 */
static bool
find_levels(PlannerInfo *root, const RequestKeys *keys, const IndexOptInfo *index, const List *pathkeys,
			IndexOrder *result)
{
	int levels = list_length(keys->groups), level = 0;

	for (int column = 0; column < index->nkeycolumns && level < levels; column++)
	{
		PathKey *key = list_nth_node(PathKey, pathkeys, level);

		if (!column_has_key(index, column, key))
			continue;
		if (exprType((Node *) index_expr(index, column)) != type_of_key(root, keys, key))
			return false;
		result->column[level] = column;
		result->may_be_null[level++] = !is_never_null(root, index, column);
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

/* Has core make the path of an index in an order; NULL if it does not. */
static IndexPath *
path_in_order(PlannerInfo *root, const RelOptInfo *table, IndexOptInfo *index, ScanDirection direction, List *pathkeys)
{
	RelOptInfo scratch = *table;
	List	  *interesting = root->query_pathkeys;
	ListCell  *cell;

	scratch.indexlist = list_make1(index);
	scratch.pathlist = scratch.partial_pathlist = scratch.joininfo = NIL;
	scratch.consider_parallel = false;
	root->query_pathkeys = pathkeys;
	create_index_paths(root, &scratch);
	root->query_pathkeys = interesting;
	foreach (cell, scratch.pathlist)
	{
		IndexPath *path = (IndexPath *) lfirst(cell);

		if (IsA(path, IndexPath) && path->indexscandir == direction && path->path.param_info == NULL &&
			pathkeys_contained_in(pathkeys, path->path.pathkeys))
			return path;
	}
	return NULL;
}

/* True if the first column of an index can be a group's, or one that the query sets equal to a constant. */
static bool
first_column_will_do(const IndexOptInfo *index, const RequestKeys *keys)
{
	ListCell *cell;

	if (index->rel->baserestrictinfo != NIL)
		return true;
	foreach (cell, keys->groups)
		if (column_has_key(index, 0, lfirst_node(PathKey, cell)))
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

/* Returns how an index has the request's order if it is read in a direction, or NULL. */
static SkipOrder *
order_of_index(PlannerInfo *root, const RelOptInfo *table, IndexOptInfo *index, ScanDirection direction,
			   const RequestKeys *keys)
{
	List	  *pathkeys = wanted_order(root, index, build_index_pathkeys(root, index, direction), keys);
	IndexOrder leaf;
	SkipOrder *order;
	ListCell  *cell;

	if (pathkeys == NIL || !find_levels(root, keys, index, pathkeys, &leaf))
		return NULL;
	leaf.path = path_in_order(root, table, index, direction, pathkeys);
	if (leaf.path == NULL)
		return NULL;
	order = (SkipOrder *) palloc(sizeof(SkipOrder));
	*order = (SkipOrder){.pathkeys = pathkeys, .levels = list_length(keys->groups), .leaves = 1};
	order->leaf = (IndexOrder *) palloc(sizeof(IndexOrder));
	*order->leaf = leaf;
	foreach (cell, pathkeys)
		order->clauses = lappend(order->clauses, clause_of_key(keys, lfirst_node(PathKey, cell)));
	return order;
}

List *
skip_orders_of_table(PlannerInfo *root, RelOptInfo *table, const SkipRequest *request)
{
	RequestKeys keys = keys_of_request(root, request);
	List	   *orders = NIL;
	ListCell   *cell;

	if (keys.groups == NIL || list_length(keys.groups) > SKIP_MAX_GROUP_COLUMNS)
		return NIL;
	foreach (cell, table->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);
		SkipOrder	 *order;

		if (!may_have_order(index, &keys))
			continue;
		order = order_of_index(root, table, index, ForwardScanDirection, &keys);
		if (order != NULL)
			orders = lappend(orders, order);
		order = order_of_index(root, table, index, BackwardScanDirection, &keys);
		if (order != NULL)
			orders = lappend(orders, order);
	}
	return orders;
}

bool
skip_order_of_partition(PlannerInfo *root, RelOptInfo *table, const SkipRequest *request, const SkipOrder *order,
						IndexOrder *result)
{
	List	 *orders = skip_orders_of_table(root, table, request);
	ListCell *cell;

	foreach (cell, orders)
	{
		const SkipOrder *another = (const SkipOrder *) lfirst(cell);

		if (compare_pathkeys(order->pathkeys, another->pathkeys) == PATHKEYS_EQUAL)
		{
			*result = *another->leaf;
			return true;
		}
	}
	return false;
}

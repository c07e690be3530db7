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

/* The pathkeys of a request: those of the groups, and all of them, in the order of the clauses. */
typedef struct RequestKeys
{
	List *groups;
	List *all;
} RequestKeys;

static RequestKeys
keys_of_request(PlannerInfo *root, const SkipRequest *request)
{
	RequestKeys keys;

	keys.groups = make_pathkeys_for_sortclauses(root, list_copy_head(request->clauses, request->groups),
												root->processed_tlist);
	keys.all = make_pathkeys_for_sortclauses(root, list_copy(request->clauses), root->processed_tlist);
	return keys;
}

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
type_of_key(PlannerInfo *root, const SkipRequest *request, const PathKey *key)
{
	ListCell *cell;

	foreach (cell, request->clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		List			*keys = make_pathkeys_for_sortclauses(root, list_make1(clause), root->processed_tlist);

		if (keys != NIL && same_column(linitial_node(PathKey, keys), key))
			return exprType(get_sortgroupclause_expr(clause, root->processed_tlist));
	}
	return InvalidOid;
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
find_levels(PlannerInfo *root, const SkipRequest *request, const IndexOptInfo *index, const List *pathkeys, int levels,
			IndexOrder *result)
{
	int level = 0;

	for (int column = 0; column < index->nkeycolumns && level < levels; column++)
	{
		PathKey *key = list_nth_node(PathKey, pathkeys, level);

		if (!column_has_key(index, column, key))
			continue;
		if (exprType((Node *) index_expr(index, column)) != type_of_key(root, request, key))
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

/* True if the node can read an index; core has its own reasons not to read one. */
static bool
is_usable(const IndexOptInfo *index)
{
	return index->relam == BTREE_AM_OID && index->sortopfamily != NULL && index->amhasgettuple &&
		   (index->indpred == NIL || index->predOK);
}

List *
skip_orders_of_table(PlannerInfo *root, RelOptInfo *table, const SkipRequest *request)
{
	static const ScanDirection directions[] = {ForwardScanDirection, BackwardScanDirection};

	RequestKeys keys = keys_of_request(root, request);
	int			levels = list_length(keys.groups);
	List	   *orders = NIL;
	ListCell   *cell;

	if (levels == 0 || levels > SKIP_MAX_GROUP_COLUMNS)
		return NIL;
	foreach (cell, table->indexlist)
		for (int d = 0; d < lengthof(directions); d++)
		{
			IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);
			List		 *pathkeys;
			IndexOrder	  leaf;
			SkipOrder	 *order;

			if (!is_usable(index))
				continue;
			pathkeys = wanted_order(root, index, build_index_pathkeys(root, index, directions[d]), &keys);
			if (pathkeys == NIL || !find_levels(root, request, index, pathkeys, levels, &leaf))
				continue;
			leaf.path = path_in_order(root, table, index, directions[d], pathkeys);
			if (leaf.path == NULL)
				continue;
			order = (SkipOrder *) palloc(sizeof(SkipOrder));
			*order = (SkipOrder){.pathkeys = pathkeys, .levels = levels, .leaves = 1};
			order->leaf = (IndexOrder *) palloc(sizeof(IndexOrder));
			*order->leaf = leaf;
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

/*
 * read.c: adds up the state of a part of a partition: nodes, rows of the log, and rows of the table.
 *
 * From the top of the tree down, a node whose interval lies in the part is added; a node that has a bound of the part
 * in it is looked into if it is split, and else its rows are read from the table.  There are at most two such nodes on
 * each level.  Rows of the log outside of what is read from the table are added, too.  All are read in the active
 * snapshot.
 *
 * A part may consist of cells (cells.c), each with a state of its own: then a node is added to the state of its cell,
 * and one that has an edge of a cell in it is treated like one with a bound.  One walk does for all cells.
 *
 * A stale node, and one in whose interval a stale row of the log lies, is treated like one that has a bound in it: so
 * what is read from the table are the smallest nodes that are stale.  Such rows of the log, and those whose interval
 * has a bound or an edge of a cell in it, are looked for first.
 *
 * The nodes of all leaves of a partitioned table are read in one walk, and each leaf's rows by a query of their own.  A
 * leaf has only keys between its bounds, so one that lies in the part, or in one cell, gives its nodes at the top.
 *
 * If the result is tied (state.c), all rows of the part are read again, in order.  Rejected: to store which value came
 * last.  Keys would have to be stored with it, and a tie is rare: 0 and -0 are the least or the greatest value.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "kept/reading.h"

/* An interval of the first key in a leaf whose rows are read, and the buckets of level 0 that it lies in. */
typedef struct Raw
{
	const KeptLeaf *leaf;
	int64			from;
	int64			to; /* inclusive */
	int64			first_bucket, last_bucket;
} Raw;

/* A bucket of level 0 in a leaf. */
typedef struct Place
{
	const KeptLeaf *leaf;
	int64			bucket;
} Place;

typedef struct Cover
{
	Kept		   *kept;
	const KeptPart *part;
	KeptLeavesRead	leaves;
	KeptRelation	tree;
	Snapshot		snapshot;
	KeptState	   *state;
	/* rows with a first key from `from` to `whole` are in the part; of those up to `some`, some are */
	int64		  from, whole, some;
	MemoryContext memory; /* reset after each node */
	KeptRow		 *row;
	int			  raws;
	int64		  raw_room;
	Raw			 *raw;	/* in order, once they are settled */
	int			  cuts; /* where rows of the log are stale, or have an end of the part or of a cell in them; in order */
	int64		  cut_room;
	Place		 *cut;
	int64		  nodes, deltas, rows; /* that were read, for EXPLAIN */
} Cover;

/* A split node that is looked into. */
typedef struct Split
{
	int64 bucket;
	Oid	  leaf; /* its number */
} Split;

/* Children of nodes, or the roots, as they are found. */
typedef struct Children
{
	Cover		*cover;
	int			 level, parents;
	const Split *parent; /* in order; NULL: these are the roots */
	int			 inside;
	int64		 room;
	Split		*split; /* those of them that are looked into */
} Children;

/* ---- intervals ---- */

static void
add_raw(Cover *cover, const KeptLeaf *leaf, int64 from, int64 to)
{
	const Kept *kept = cover->kept;
	Raw			raw = {.leaf = leaf,
					   .from = Max(from, cover->from),
					   .to = Min(to, cover->some),
					   .first_bucket = kept_bucket(kept, from, 0),
					   .last_bucket = kept_bucket(kept, to, 0)};

	if (raw.from > raw.to)
		return;
	cover->raw = (Raw *) kept_grow(cover->raw, cover->raws, &cover->raw_room, sizeof(Raw));
	cover->raw[cover->raws++] = raw;
}

static int
compare_raws(const void *a, const void *b)
{
	const Raw *left = (const Raw *) a, *right = (const Raw *) b;

	if (left->leaf != right->leaf)
		return left->leaf < right->leaf ? -1 : 1;
	return left->from < right->from ? -1 : left->from > right->from;
}

/* Sorts the intervals whose rows are read, and joins those of a leaf that overlap or follow each other. */
static void
settle_raws(Cover *cover)
{
	int n = 0;

	qsort(cover->raw, cover->raws, sizeof(Raw), compare_raws);
	for (int r = 0; r < cover->raws; r++)
	{
		const Raw *raw = &cover->raw[r];
		Raw		  *last = &cover->raw[Max(n - 1, 0)];

		if (n > 0 && raw->leaf == last->leaf &&
			(raw->first_bucket <= last->last_bucket || raw->first_bucket - 1 == last->last_bucket))
		{
			last->to = Max(last->to, raw->to);
			last->last_bucket = Max(last->last_bucket, raw->last_bucket);
		}
		else
			cover->raw[n++] = *raw;
	}
	cover->raws = n;
}

static int
compare_places(const void *a, const void *b)
{
	const Place *left = (const Place *) a, *right = (const Place *) b;

	if (left->leaf != right->leaf)
		return left->leaf < right->leaf ? -1 : 1;
	return left->bucket < right->bucket ? -1 : left->bucket > right->bucket;
}

/* True if a row of the log that is not added lies in an interval of a leaf. */
static bool
has_delta_cut(const Cover *cover, const KeptLeaf *leaf, int64 start, int64 end)
{
	Place first = {leaf, kept_bucket(cover->kept, start, 0)}, last = {leaf, kept_bucket(cover->kept, end, 0)};
	int	  low = 0, high = cover->cuts;

	while (low < high)
	{
		int middle = (low + high) / 2;

		if (compare_places(&cover->cut[middle], &first) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cover->cuts && compare_places(&cover->cut[low], &last) <= 0;
}

/* True if an interval belongs to more than one cell. */
static bool
has_cut(const Cover *cover, int64 start, int64 end)
{
	return cover->part->cells != NULL && !kept_cells_have_one(cover->part->cells, start, end);
}

/* True if all rows of an interval go to one state. */
static bool
cover_is_inside(const Cover *cover, int64 start, int64 end)
{
	return start >= cover->from && end <= cover->whole && !has_cut(cover, start, end);
}

/* Returns the state that rows go to whose first keys are in an interval. */
static KeptState *
cover_state(const Cover *cover, int64 first, int64 last)
{
	return cover->part->cells == NULL ? cover->state : kept_cells_state(cover->part->cells, first, last);
}

/* Returns the leaf of a node or a row of the log, NULL if it is not added; and the keys that its rows may have. */
static const KeptLeaf *
leaf_of_node(const Cover *cover, const KeptNode *node, int64 *start, int64 *end)
{
	const KeptLeavesRead *leaves = &cover->leaves;
	const Oid			 *number = leaves->n == 0
									   ? NULL
									   : (const Oid *) bsearch(&node->leaf, leaves->number, leaves->n, sizeof(Oid), oid_cmp);
	const KeptLeaf		 *leaf = number == NULL ? NULL : leaves->leaf[number - leaves->number];

	if (leaf == NULL)
		return NULL;
	*start = Max(kept_interval_start(cover->kept, node->level, node->bucket), leaf->from);
	*end = Min(kept_interval_end(cover->kept, node->level, node->bucket), leaf->to);
	return *end < cover->from || *start > cover->some ? NULL : leaf;
}

static void
cover_add(Cover *cover, const KeptNode *node, int64 start, int64 end, int64 *count)
{
	MemoryContext old = MemoryContextSwitchTo(cover->memory);

	kept_state_add(cover->kept, cover_state(cover, start, end), node);
	(*count)++;
	MemoryContextSwitchTo(old);
	MemoryContextReset(cover->memory);
}

static int
compare_splits(const void *a, const void *b)
{
	const Split *left = (const Split *) a, *right = (const Split *) b;

	if (left->bucket != right->bucket)
		return left->bucket < right->bucket ? -1 : 1;
	return oid_cmp(&left->leaf, &right->leaf);
}

/* True if a node is a root, or its parent is looked into.  The parents of other leaves may have been added. */
static bool
is_asked_for(const Children *children, const KeptNode *node)
{
	const Kept *kept = children->cover->kept;
	Split		parent = {.leaf = node->leaf};

	if (children->parent == NULL)
		return true;
	parent.bucket = kept_bucket_above(kept, node->level, node->bucket, node->level + 1);
	return bsearch(&parent, children->parent, children->parents, sizeof(Split), compare_splits) != NULL;
}

static void
cover_take_child(void *to, const KeptNode *node)
{
	Children	   *children = (Children *) to;
	Cover		   *cover = children->cover;
	int64			start, end;
	const KeptLeaf *leaf = is_asked_for(children, node) ? leaf_of_node(cover, node, &start, &end) : NULL;

	if (leaf == NULL)
		return;
	if (cover_is_inside(cover, start, end) && !node->stale && !has_delta_cut(cover, leaf, start, end))
		cover_add(cover, node, start, end, &cover->nodes);
	else if (node->split)
	{
		children->split = (Split *) kept_grow(children->split, children->inside, &children->room, sizeof(Split));
		children->split[children->inside++] = (Split){node->bucket, node->leaf};
	}
	else
		add_raw(cover, leaf, kept_interval_start(cover->kept, node->level, node->bucket),
				kept_interval_end(cover->kept, node->level, node->bucket));
}

/* Covers the nodes of a level from bucket `first` to `last` whose parents are looked into. */
static void
cover_level(Cover *cover, int level, int64 first, int64 last, const Split *parent, int parents)
{
	Children children = {.cover = cover, .level = level, .parent = parent, .parents = parents};

	/* a bound lies in one leaf, as a rule: the index leaves out the others */
	cover->tree.leaf = parents > 0 ? parent[0].leaf : InvalidOid;
	for (int i = 1; i < parents; i++)
		if (parent[i].leaf != parent[0].leaf)
			cover->tree.leaf = InvalidOid;
	kept_nodes(&cover->tree, cover->part->partition, level, first, last, cover->snapshot, cover_take_child, &children);
	/* the children of neighbours are read in one scan */
	for (int i = 0, next; i < children.inside; i = next)
	{
		int width = kept_children(cover->kept, level);

		for (next = i + 1; next < children.inside && children.split[next].bucket - 1 <= children.split[next - 1].bucket;
			 next++)
			;
		cover_level(cover, level - 1, children.split[i].bucket * width,
					(children.split[next - 1].bucket + 1) * width - 1, children.split + i, next - i);
	}
}

/* ---- the log ---- */

/* Notes where a row of the log cannot be added.  Its interval is read from the table, whether it has a node or not. */
static void
cover_take_cut(void *to, const KeptNode *node)
{
	Cover		   *cover = (Cover *) to;
	int64			start, end;
	const KeptLeaf *leaf = leaf_of_node(cover, node, &start, &end);

	if (leaf == NULL || (!node->stale && cover_is_inside(cover, start, end)))
		return;
	cover->cut = (Place *) kept_grow(cover->cut, cover->cuts, &cover->cut_room, sizeof(Place));
	cover->cut[cover->cuts++] = (Place){leaf, node->bucket};
	add_raw(cover, leaf, kept_interval_start(cover->kept, 0, node->bucket),
			kept_interval_end(cover->kept, 0, node->bucket));
}

/* Compares a bucket of a leaf with the buckets of an interval whose rows are read. */
static int
compare_to_raw(const void *key, const void *element)
{
	const Place *place = (const Place *) key;
	const Raw	*raw = (const Raw *) element;

	if (place->leaf != raw->leaf)
		return place->leaf < raw->leaf ? -1 : 1;
	return place->bucket < raw->first_bucket ? -1 : place->bucket > raw->last_bucket;
}

static void
cover_take_delta(void *to, const KeptNode *node)
{
	Cover		   *cover = (Cover *) to;
	int64			start, end;
	const KeptLeaf *leaf = leaf_of_node(cover, node, &start, &end);
	Place			place = {leaf, node->bucket};

	if (leaf != NULL &&
		(cover->raws == 0 || bsearch(&place, cover->raw, cover->raws, sizeof(Raw), compare_to_raw) == NULL))
		cover_add(cover, node, start, end, &cover->deltas);
}

/* Passes the rows of the log around the numbers from `first` to `last` to `take`. */
static void
cover_log(Cover *cover, const KeptRelation *log, int64 first, int64 last, KeptTakeNode take)
{
	kept_nodes(log, cover->part->partition, 0, kept_bucket(cover->kept, first, 0), kept_bucket(cover->kept, last, 0),
			   cover->snapshot, take, cover);
}

/* Looks for rows of the log that cannot be added: any may be stale or have an end of a cell in it, or those at bounds.
 */
static void
cover_find_cuts(Cover *cover, const KeptRelation *log)
{
	bool at_bounds = !cover->kept->extremes && cover->part->cells == NULL;

	if (!at_bounds)
		cover_log(cover, log, cover->from, cover->some, cover_take_cut);
	if (at_bounds && cover->from != PG_INT64_MIN)
		cover_log(cover, log, cover->from, cover->from, cover_take_cut);
	if (at_bounds && !cover->part->to_end)
		cover_log(cover, log, cover->some, cover->some, cover_take_cut);
	qsort(cover->cut, cover->cuts, sizeof(Place), compare_places);
}

/* ---- rows of the table ---- */

typedef struct RowsIntoState
{
	KeptRow	  *row;
	KeptState *state; /* of all rows, if `cells` is NULL */
	KeptCells *cells;
} RowsIntoState;

static bool
take_row(void *to, TupleTableSlot *slot)
{
	const RowsIntoState *rows = (RowsIntoState *) to;
	KeptState			*state = rows->state;

	if (!kept_row_set(rows->row, slot))
		return true;
	if (rows->cells != NULL)
	{
		int64 number = kept_row_number(rows->row->kept, slot);

		state = kept_cells_state(rows->cells, number, number);
	}
	kept_state_take(state, rows->row, false, NULL);
	return true;
}

int64
kept_read_rows(Kept *kept, const KeptQuery *query, KeptRow *row, KeptState *state)
{
	RowsIntoState rows = {.row = row, .state = state};

	return kept_sql_rows(kept, query, take_row, &rows);
}

/* Adds the rows of an interval of the first key, of a leaf or of the table, as far as they are in the part. */
static void
cover_rows(Cover *cover, Oid leaf, int64 from, int64 to, KeptOrder order)
{
	const KeptPart *part = cover->part;
	RowsIntoState	rows = {.row = cover->row, .state = cover->state, .cells = part->cells};
	KeptQuery		query = {
			  .leaf = leaf, .partition = part->partition, .from = from, .to = to, .order = order, .as_user = part->as_user};

	query.whole = part->to_end && from == PG_INT64_MIN && to == PG_INT64_MAX;
	if (!part->to_end && to >= kept_key_number(cover->kept, part->to[0]))
	{
		query.keys = part->keys;
		query.bound = part->to;
		query.with_peers = part->with_peers;
	}
	cover->rows += kept_sql_rows(cover->kept, &query, take_row, &rows);
}

/* ---- all of it ---- */

/* Adds the part by tree and log, and finds the intervals that are left to the table. */
static void
cover_tree(Cover *cover)
{
	Kept		*kept = cover->kept;
	KeptRelation log = kept_relation_open(kept, false, NoLock, false);

	cover->tree = kept_relation_open(kept, true, NoLock, false);
	for (int i = 0; i < cover->leaves.by_rows; i++)
		add_raw(cover, cover->leaves.row_leaf[i], cover->leaves.row_leaf[i]->from, cover->leaves.row_leaf[i]->to);
	cover_find_cuts(cover, &log);
	cover_level(cover, kept->top, kept_bucket(kept, PG_INT64_MIN, kept->top),
				kept_bucket(kept, PG_INT64_MAX, kept->top), NULL, 0);
	settle_raws(cover);
	cover_log(cover, &log, cover->from, cover->some, cover_take_delta);
	/* whoever empties them need not wait for this transaction */
	kept_relation_close(&cover->tree, AccessShareLock);
	kept_relation_close(&log, AccessShareLock);
}

/* True if the state of a cell is not tied.  A KeptVisitCell. */
static bool
is_not_tied(void *kept, const KeptCell *cell)
{
	return !kept_state_is_tied((const Kept *) kept, cell->state);
}

/* What a cell is compared with. */
typedef struct Comparing
{
	const Kept *kept;
	KeptCells  *other;
} Comparing;

/* True if a cell has the state that it has among the others.  A KeptVisitCell. */
static bool
is_same_cell(void *to, const KeptCell *cell)
{
	const Comparing *with = (Comparing *) to;

	return kept_states_agree(with->kept, cell->state, kept_cells_state(with->other, cell->number, cell->number));
}

/* Raises an error if what was added up by tree and log is not what the rows of the table give. */
static void
check_cover(const Cover *cover)
{
	const KeptPart *part = cover->part;
	KeptPart		rows_part = *part;
	Cover			rows = *cover;
	Comparing		with_rows = {.kept = cover->kept}, with_tree = {.kept = cover->kept, .other = part->cells};

	rows.part = &rows_part;
	rows.state = kept_state_create(cover->kept);
	if (part->cells != NULL)
		rows_part.cells = with_rows.other = kept_cells_like(part->cells);
	cover_rows(&rows, InvalidOid, cover->from, cover->some, KEPT_IN_ORDER);
	if (part->cells == NULL ? !kept_states_agree(cover->kept, cover->state, rows.state)
							: !kept_cells_visit(part->cells, is_same_cell, &with_rows) ||
								  !kept_cells_visit(rows_part.cells, is_same_cell, &with_tree))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("kept scan \"%s\" does not agree with its table", NameStr(cover->kept->name)),
						errhint("Run scan_kept_check('%s').", NameStr(cover->kept->name))));
}

void
kept_read(Kept *kept, const KeptPart *part, KeptState *state)
{
	Cover	 cover = {.kept = kept, .part = part, .state = state, .snapshot = GetActiveSnapshot(), .from = part->from};
	bool	 by_rows = false;
	KeptUser user;

	cover.whole = cover.some = PG_INT64_MAX;
	if (!part->to_end)
	{
		int64 bound = kept_key_number(kept, part->to[0]);

		if (part->keys == 1 && bound == PG_INT64_MIN)
			return;
		cover.some = part->keys > 1 ? bound : bound - 1;
		/* nothing comes before the least number, so no interval is in the part as a whole */
		by_rows |= bound == PG_INT64_MIN;
		cover.whole = bound == PG_INT64_MIN ? bound : bound - 1;
	}
	if (cover.from > cover.some)
		return;
	by_rows |= part->as_user || !kept_lock_to_read(kept, cover.snapshot);
	if (!by_rows && !kept_leaves_to_read(kept, cover.snapshot, cover.from, cover.some, &cover.leaves))
	{
		kept_unlock_read(kept);
		by_rows = true;
	}
	kept_require_trusted(kept);
	user = part->as_user ? (KeptUser){.is_set = false} : kept_become_to_read(kept);
	cover.memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a node read", ALLOCSET_SMALL_SIZES);
	cover.row = kept_row_create(kept);
	if (by_rows)
		cover_rows(&cover, InvalidOid, cover.from, cover.some, KEPT_ANY_ORDER);
	else
	{
		cover_tree(&cover);
		for (int r = 0; r < cover.raws; r++)
			cover_rows(&cover, cover.raw[r].leaf->table, cover.raw[r].from, cover.raw[r].to, KEPT_ANY_ORDER);
	}
	if (part->cells == NULL ? kept_state_is_tied(kept, state) : !kept_cells_visit(part->cells, is_not_tied, kept))
	{
		if (part->cells == NULL)
			kept_state_clear(kept, state);
		else
			kept_cells_clear(part->cells);
		cover_rows(&cover, InvalidOid, cover.from, cover.some, KEPT_IN_ORDER);
	}
	if (guc_kept == KEPT_CHECK && !by_rows)
		check_cover(&cover);
	kept_note_leaves(kept, cover.leaves.n + cover.leaves.by_rows, cover.leaves.by_rows);
	kept_note_read(kept, 0, cover.nodes, cover.deltas, cover.rows);
	kept_row_free(cover.row);
	kept_become_again(user);
	MemoryContextDelete(cover.memory);
}

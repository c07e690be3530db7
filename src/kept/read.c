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
 * has an edge of a cell in it, are looked for first.
 *
 * If the result is tied (state.c), all rows of the part are read again, in order.  Rejected: to store which value came
 * last.  Keys would have to be stored with it, and a tie is rare: 0 and -0 are the least or the greatest value.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "kept/reading.h"

/* An interval of the first key whose rows are read from the table, and the buckets of level 0 that it lies in. */
typedef struct Raw
{
	int64 from;
	int64 to; /* inclusive */
	int64 first_bucket, last_bucket;
} Raw;

typedef struct Cover
{
	Kept		   *kept;
	const KeptPart *part;
	KeptRelation	tree;
	Snapshot		snapshot;
	KeptState	   *state;
	/* rows with a first key from `from` to `whole` are in the part; of those up to `some`, some are */
	int64		  from, whole, some;
	MemoryContext memory; /* reset after each node */
	KeptRow		 *row;
	int			  raws;
	int64		  raw_room;
	Raw			 *raw;	  /* in order, once they are settled */
	int			  stales; /* buckets of level 0 with rows of the log and an edge of a cell, or a stale row, in order */
	int64		  stale_room;
	int64		 *stale;
	int64		  nodes, deltas, rows; /* that were read, for EXPLAIN */
} Cover;

/* Children of a node, or the roots, as they are found. */
typedef struct Children
{
	Cover *cover;
	int	   level;
	int64  next; /* the first bucket that was not looked at yet */
	int	   inside;
	int64  room;
	int64 *split; /* buckets of split nodes that are looked into */
} Children;

static void cover_level(Cover *cover, int level, int64 first, int64 last);

void *
kept_grow(void *array, int64 n, int64 *room, Size size)
{
	if (n < *room)
		return array;
	*room = Max(4, 2 * *room);
	return array == NULL ? palloc(*room * size) : repalloc_huge(array, *room * size);
}

/* ---- intervals ---- */

static void
add_raw(Cover *cover, int64 from, int64 to)
{
	const Kept *kept = cover->kept;
	Raw			raw = {.from = Max(from, cover->from),
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

	return left->from < right->from ? -1 : left->from > right->from;
}

/* Sorts the intervals that are read from the table, and joins those that overlap or follow each other. */
static void
settle_raws(Cover *cover)
{
	int n = 0;

	qsort(cover->raw, cover->raws, sizeof(Raw), compare_raws);
	for (int r = 0; r < cover->raws; r++)
	{
		const Raw *raw = &cover->raw[r];
		Raw		  *last = &cover->raw[Max(n - 1, 0)];

		if (n > 0 && (raw->first_bucket <= last->last_bucket || raw->first_bucket - 1 == last->last_bucket))
		{
			last->to = Max(last->to, raw->to);
			last->last_bucket = Max(last->last_bucket, raw->last_bucket);
		}
		else
			cover->raw[n++] = *raw;
	}
	cover->raws = n;
}

/* Returns the first stale bucket from `bucket` on, as an index. */
static int
first_stale(const Cover *cover, int64 bucket)
{
	int low = 0, high = cover->stales;

	while (low < high)
	{
		int middle = (low + high) / 2;

		if (cover->stale[middle] < bucket)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* True if a stale row of the log lies in an interval. */
static bool
has_stale(const Cover *cover, int64 start, int64 end)
{
	int s = first_stale(cover, kept_bucket(cover->kept, start, 0));

	return s < cover->stales && cover->stale[s] <= kept_bucket(cover->kept, end, 0);
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

static bool
cover_is_outside(const Cover *cover, int64 start, int64 end)
{
	return end < cover->from || start > cover->some;
}

/* Reads the bucket of level 0 that a bound lies in from the table, if it lies in an interval without nodes. */
static void
cover_bound(Cover *cover, int64 bound, int64 start, int64 end)
{
	int64 bucket = kept_bucket(cover->kept, bound, 0);
	int64 from = kept_interval_start(cover->kept, 0, bucket), to = kept_interval_end(cover->kept, 0, bucket);

	if (bound >= start && bound <= end && !cover_is_inside(cover, from, to))
		add_raw(cover, from, to);
}

/* Nodes from bucket `first` to `last` are not there: their rows, if any, are in the log. */
static void
cover_absent(Cover *cover, int level, int64 first, int64 last)
{
	int64 start, end;

	if (first > last)
		return;
	start = kept_interval_start(cover->kept, level, first);
	end = kept_interval_end(cover->kept, level, last);
	if (cover->from != PG_INT64_MIN)
		cover_bound(cover, cover->from, start, end);
	cover_bound(cover, cover->some, start, end);
	for (int s = first_stale(cover, kept_bucket(cover->kept, start, 0));
		 s < cover->stales && cover->stale[s] <= kept_bucket(cover->kept, end, 0); s++)
		add_raw(cover, kept_interval_start(cover->kept, 0, cover->stale[s]),
				kept_interval_end(cover->kept, 0, cover->stale[s]));
}

static void
cover_add(Cover *cover, const KeptNode *node, int64 *count)
{
	MemoryContext old = MemoryContextSwitchTo(cover->memory);
	KeptState	 *state = cover_state(cover, kept_interval_start(cover->kept, node->level, node->bucket),
									  kept_interval_end(cover->kept, node->level, node->bucket));

	kept_state_add(cover->kept, state, node);
	(*count)++;
	MemoryContextSwitchTo(old);
	MemoryContextReset(cover->memory);
}

static void
cover_take_child(void *to, const KeptNode *node)
{
	Children *children = (Children *) to;
	Cover	 *cover = children->cover;
	int64	  start = kept_interval_start(cover->kept, node->level, node->bucket);
	int64	  end = kept_interval_end(cover->kept, node->level, node->bucket);

	cover_absent(cover, children->level, children->next, node->bucket - 1);
	children->next = node->bucket + 1;
	if (cover_is_outside(cover, start, end))
		return;
	if (cover_is_inside(cover, start, end) && !node->stale && !has_stale(cover, start, end))
		cover_add(cover, node, &cover->nodes);
	else if (node->split)
	{
		children->split = (int64 *) kept_grow(children->split, children->inside, &children->room, sizeof(int64));
		children->split[children->inside++] = node->bucket;
	}
	else
		add_raw(cover, start, end);
}

/* Covers the intervals of a level from bucket `first` to `last`. */
static void
cover_level(Cover *cover, int level, int64 first, int64 last)
{
	Children children = {.cover = cover, .level = level, .next = first};

	kept_nodes(&cover->tree, cover->part->partition, level, first, last, cover->snapshot, cover_take_child, &children);
	cover_absent(cover, level, children.next, last);
	/* the children of neighbours are read in one scan */
	for (int i = 0, next; i < children.inside; i = next)
	{
		int width = kept_children(cover->kept, level);

		for (next = i + 1; next < children.inside && children.split[next] - 1 == children.split[next - 1]; next++)
			;
		cover_level(cover, level - 1, children.split[i] * width, (children.split[next - 1] + 1) * width - 1);
	}
}

/* ---- the log ---- */

static void
cover_take_stale(void *to, const KeptNode *node)
{
	Cover *cover = (Cover *) to;

	if ((!node->stale && !has_cut(cover, kept_interval_start(cover->kept, 0, node->bucket),
								  kept_interval_end(cover->kept, 0, node->bucket))) ||
		(cover->stales > 0 && cover->stale[cover->stales - 1] == node->bucket))
		return;
	cover->stale = (int64 *) kept_grow(cover->stale, cover->stales, &cover->stale_room, sizeof(int64));
	cover->stale[cover->stales++] = node->bucket;
}

/* Compares a bucket with the buckets of an interval that is read from the table. */
static int
compare_to_raw(const void *key, const void *element)
{
	int64	   bucket = *(const int64 *) key;
	const Raw *raw = (const Raw *) element;

	return bucket < raw->first_bucket ? -1 : bucket > raw->last_bucket;
}

/* True if a bucket of level 0 is read from the table. */
static bool
is_raw(const Cover *cover, int64 bucket)
{
	return cover->raws > 0 && bsearch(&bucket, cover->raw, cover->raws, sizeof(Raw), compare_to_raw) != NULL;
}

static void
cover_take_delta(void *to, const KeptNode *node)
{
	Cover *cover = (Cover *) to;

	if (!is_raw(cover, node->bucket))
		cover_add(cover, node, &cover->deltas);
}

static void
cover_log(Cover *cover, const KeptRelation *log, KeptTakeNode take)
{
	kept_nodes(log, cover->part->partition, 0, kept_bucket(cover->kept, cover->from, 0),
			   kept_bucket(cover->kept, cover->some, 0), cover->snapshot, take, cover);
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

/* Adds the rows of an interval of the first key, as far as they are in the part. */
static void
cover_rows(Cover *cover, int64 from, int64 to, KeptOrder order)
{
	const KeptPart *part = cover->part;
	RowsIntoState	rows = {.row = cover->row, .state = cover->state, .cells = part->cells};
	KeptQuery query = {.partition = part->partition, .from = from, .to = to, .order = order, .as_user = part->as_user};

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
	if (kept->extremes || cover->part->cells != NULL)
		cover_log(cover, &log, cover_take_stale);
	cover_level(cover, kept->top, kept_bucket(kept, PG_INT64_MIN, kept->top),
				kept_bucket(kept, PG_INT64_MAX, kept->top));
	settle_raws(cover);
	cover_log(cover, &log, cover_take_delta);
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
	cover_rows(&rows, cover->from, cover->some, KEPT_IN_ORDER);
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
	kept_require_trusted(kept);
	user = part->as_user ? (KeptUser){.is_set = false} : kept_become_to_read(kept);
	cover.memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a node read", ALLOCSET_SMALL_SIZES);
	cover.row = kept_row_create(kept);
	if (by_rows)
		cover_rows(&cover, cover.from, cover.some, KEPT_ANY_ORDER);
	else
	{
		cover_tree(&cover);
		for (int r = 0; r < cover.raws; r++)
			cover_rows(&cover, cover.raw[r].from, cover.raw[r].to, KEPT_ANY_ORDER);
	}
	if (part->cells == NULL ? kept_state_is_tied(kept, state) : !kept_cells_visit(part->cells, is_not_tied, kept))
	{
		if (part->cells == NULL)
			kept_state_clear(kept, state);
		else
			kept_cells_clear(part->cells);
		cover_rows(&cover, cover.from, cover.some, KEPT_IN_ORDER);
	}
	if (guc_kept == KEPT_CHECK && !by_rows)
		check_cover(&cover);
	kept_note_read(kept, 0, cover.nodes, cover.deltas, cover.rows);
	kept_row_free(cover.row);
	kept_become_again(user);
	MemoryContextDelete(cover.memory);
}

/*
 * builder.c: builds nodes from rows in order (tree.h).
 *
 * Each level has one open interval.  When a row lies beyond it, the interval is closed: its state is added to that of
 * its parent.  It is known then whether the node is split; so the children wait in memory, at most four a level, and
 * are inserted or forgotten.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "kept/tree.h"

/* A node that waits for its parent to be closed. */
typedef struct Waiting
{
	int64	   bucket;
	bool	   split;
	KeptState *state;
} Waiting;

typedef struct BuilderLevel
{
	bool	   open;
	int64	   bucket;
	KeptState *state;
	int		   children;
	Waiting	   child[KEPT_RADIX];
} BuilderLevel;

struct KeptBuilder
{
	const KeptRelation	*tree;
	const NullableDatum *partition;
	int					 top;
	bool				 with_top;
	KeptVisitNode		 visit; /* NULL: nodes are inserted */
	void				*to;
	int64				 rows;
	bool				 split; /* the last node of the top level that was closed */
	MemoryContext		 memory;
	MemoryContext		 step;
	KeptState		   **spare; /* states that are not used */
	int					 spares;
	BuilderLevel		 level[64 / KEPT_RADIX_BITS + 1];
};

KeptBuilder *
kept_build_begin(const KeptRelation *tree, const NullableDatum *partition, int level, bool with_top)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: nodes", ALLOCSET_DEFAULT_SIZES);
	KeptBuilder	 *builder = (KeptBuilder *) MemoryContextAllocZero(memory, sizeof(KeptBuilder));

	builder->tree = tree;
	builder->partition = partition;
	builder->top = level;
	builder->with_top = with_top;
	builder->memory = memory;
	builder->step = AllocSetContextCreate(memory, "kept scan: one node", ALLOCSET_SMALL_SIZES);
	builder->spare = (KeptState **) MemoryContextAlloc(memory, (KEPT_RADIX + 1) * lengthof(builder->level) *
																   sizeof(KeptState *));
	return builder;
}

static KeptState *
take_state(KeptBuilder *builder)
{
	MemoryContext old;
	KeptState	 *state;

	if (builder->spares > 0)
		return builder->spare[--builder->spares];
	old = MemoryContextSwitchTo(builder->memory);
	state = kept_state_create(builder->tree->kept);
	MemoryContextSwitchTo(old);
	return state;
}

static void
give_state(KeptBuilder *builder, KeptState *state)
{
	kept_state_clear(builder->tree->kept, state);
	builder->spare[builder->spares++] = state;
}

static void
insert_node(KeptBuilder *builder, int level, int64 bucket, bool split, KeptState *state)
{
	MemoryContext old = MemoryContextSwitchTo(builder->step);

	kept_node_put(builder->tree, builder->partition, level, bucket, split, state, NULL);
	MemoryContextSwitchTo(old);
	MemoryContextReset(builder->step);
}

/* Adds the state of a node to its parent's. */
static void
add_to_parent(KeptBuilder *builder, KeptState *parent, KeptState *state)
{
	MemoryContext old = MemoryContextSwitchTo(builder->step);

	kept_state_add_state(builder->tree->kept, parent, state);
	MemoryContextSwitchTo(old);
	MemoryContextReset(builder->step);
}

/* Closes the open interval of a level; the levels below are closed. */
static void
close_level(KeptBuilder *builder, int number)
{
	BuilderLevel *level = &builder->level[number];
	bool		  split = number > 0 && level->state->rows > KEPT_LEAF_ROWS;

	if (builder->visit != NULL)
		builder->visit(builder->to, builder->partition, number, level->bucket, level->state);
	for (int c = 0; c < level->children; c++)
	{
		if (split && builder->visit == NULL)
			insert_node(builder, number - 1, level->child[c].bucket, level->child[c].split, level->child[c].state);
		give_state(builder, level->child[c].state);
	}
	level->children = 0;
	level->open = false;
	if (number < builder->top)
	{
		BuilderLevel *parent = &builder->level[number + 1];

		add_to_parent(builder, parent->state, level->state);
		parent->child[parent->children++] = (Waiting){level->bucket, split, level->state};
		return;
	}
	builder->rows += level->state->rows;
	builder->split = split;
	if (builder->with_top && builder->visit == NULL)
		insert_node(builder, number, level->bucket, split, level->state);
	give_state(builder, level->state);
}

void
kept_build_visit(KeptBuilder *builder, KeptVisitNode visit, void *to)
{
	builder->visit = visit;
	builder->to = to;
}

void
kept_build_row(KeptBuilder *builder, int64 number, KeptRow *row)
{
	const Kept *kept = builder->tree->kept;

	for (int l = 0; l <= builder->top && builder->level[l].open; l++)
	{
		if (builder->level[l].bucket == kept_bucket(kept, number, l))
			break;
		close_level(builder, l);
	}
	for (int l = 0; l <= builder->top && !builder->level[l].open; l++)
	{
		builder->level[l].open = true;
		builder->level[l].bucket = kept_bucket(kept, number, l);
		builder->level[l].state = take_state(builder);
	}
	kept_state_take(builder->level[0].state, row, false);
}

int64
kept_build_finish(KeptBuilder *builder, bool *split)
{
	int64 rows;

	for (int l = 0; l <= builder->top && builder->level[l].open; l++)
		close_level(builder, l);
	rows = builder->rows;
	if (split != NULL)
		*split = builder->split;
	MemoryContextDelete(builder->memory);
	return rows;
}

/*
 * builder.c: builds nodes from rows in order (tree.c).
 *
 * Each level has one open interval.  When a row lies beyond it, the interval is closed: its state is added to that of
 * its parent.  It is known then whether the node is split; so the children wait in memory, at most
 * KEPT_MOST_CHILDREN a level, and are inserted or forgotten.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "kept/store.h"

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
	Waiting	   child[KEPT_MOST_CHILDREN];
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
	MemoryContext		 memory;
	MemoryContext		 step;
	BuilderLevel		 level[FLEXIBLE_ARRAY_MEMBER];
};

KeptBuilder *
kept_build_begin(const KeptRelation *tree, const NullableDatum *partition, int level, bool with_top,
				 KeptVisitNode visit, void *to)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: nodes", ALLOCSET_DEFAULT_SIZES);
	Size		  size = offsetof(KeptBuilder, level) + (level + 1) * sizeof(BuilderLevel);
	KeptBuilder	 *builder = (KeptBuilder *) MemoryContextAllocZero(memory, size);

	*builder = (KeptBuilder){.tree = tree,
							 .partition = partition,
							 .top = level,
							 .with_top = with_top,
							 .visit = visit,
							 .to = to,
							 .memory = memory,
							 .step = AllocSetContextCreate(memory, "kept scan: one node", ALLOCSET_SMALL_SIZES)};
	return builder;
}

/* Opens the interval of a level that has a key. */
static void
open_level(KeptBuilder *builder, int number, int64 bucket)
{
	BuilderLevel *level = &builder->level[number];

	level->open = true;
	level->bucket = bucket;
	if (level->state == NULL)
		level->state = kept_state_alloc(builder->memory, builder->tree->kept);
}

/* Closes the open interval of a level; the levels below are closed. */
static void
close_level(KeptBuilder *builder, int number)
{
	BuilderLevel *level = &builder->level[number], *parent = level + 1;
	KeptState	 *state = level->state;
	bool		  split = kept_node_is_split(builder->tree->kept, number, state->rows);
	MemoryContext old = MemoryContextSwitchTo(builder->step);

	unconstify(Kept *, builder->tree->kept)->outgrown |= kept_interval_is_outgrown(builder->tree->kept, number,
																				   state->rows);
	if (builder->visit != NULL)
		builder->visit(builder->to, builder->partition, number, level->bucket, level->state);
	for (int c = 0; c < level->children; c++)
	{
		if (split && builder->visit == NULL)
			kept_node_put(builder->tree, builder->partition, number - 1, level->child[c].bucket, level->child[c].split,
						  level->child[c].state, NULL);
		kept_state_clear(builder->tree->kept, level->child[c].state);
	}
	level->children = 0;
	level->open = false;
	if (number < builder->top)
	{
		kept_state_add_state(builder->tree->kept, parent->state, state);
		/* the next interval of this level takes the state that the child before had */
		level->state = parent->child[parent->children].state;
		parent->child[parent->children++] = (Waiting){level->bucket, split, state};
	}
	else
	{
		builder->rows += state->rows;
		if (builder->with_top && builder->visit == NULL)
			kept_node_put(builder->tree, builder->partition, number, level->bucket, split, state, NULL);
		kept_state_clear(builder->tree->kept, state);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(builder->step);
}

void
kept_build_row(KeptBuilder *builder, KeptRow *row)
{
	const Kept *kept = builder->tree->kept;
	bool		isnull;
	int64		number = kept_key_number(kept, slot_getattr(row->slot, kept->key[0].attribute, &isnull));

	for (int l = 0; l <= builder->top && builder->level[l].open; l++)
	{
		if (builder->level[l].bucket == kept_bucket(kept, number, l))
			break;
		close_level(builder, l);
	}
	for (int l = 0; l <= builder->top && !builder->level[l].open; l++)
		open_level(builder, l, kept_bucket(kept, number, l));
	kept_state_take(builder->level[0].state, row, false, NULL);
}

int64
kept_build_finish(KeptBuilder *builder)
{
	int64 rows;

	for (int l = 0; l <= builder->top && builder->level[l].open; l++)
		close_level(builder, l);
	rows = builder->rows;
	MemoryContextDelete(builder->memory);
	return rows;
}

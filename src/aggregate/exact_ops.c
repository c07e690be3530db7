/*
 * exact_ops.c: the aggregates of op/exact_statistics.h: exact_sum of floats, exact_corr and their like.
 *
 * The sums of op/moments.h, op/pairs.h and op/powers.h take values out as exactly as they take them in.  So a row goes
 * in once and out once (add_remove.c), whatever the frame is, and the result is rounded once per row.  For WindowAgg
 * the aggregates' own functions (functions/aggregate/exact.c) do the same; here no function is called.  Both are made
 * of the lists that op/exact_statistics.h explains.  A kind is a MovingKind (moving_kind.h).  aggregate.c chooses this
 * operation for moving frames, for frames that only grow, and for the groups of node/reduce, but not where another
 * process continues from the state.
 */
#include "postgres.h"

#include <fenv.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "aggregate/internal.h"
#include "column/memory.h"
#include "number/exact_state.h"

/* ---- what is returned: for each kind, the group of its state, and how the result comes of it ---- */

typedef enum ExactGroup
{
#define GROUP(G, ...) EXACT_GROUP_##G,
	EXACT_GROUPS(GROUP)
#undef GROUP
} ExactGroup;

typedef struct ExactStatistic
{
	ScanStatus (*answer)(const ExactState *state, Datum *value); /* NULL: the kind is none of these */
	ExactGroup	   group;
	ExactStateKind content;
	int			   squares; /* of pairs: which sums of squares the answer reads */
} ExactStatistic;

#define ANSWER(G, NAME, KIND, SQUARES, RESULT)                                  \
	static ScanStatus answer_##KIND(const ExactState *state, Datum *value)      \
	{                                                                           \
		const ExactContent_##G *c = (const ExactContent_##G *) &state->moments; \
		ExactResult_##G			y = 0;                                          \
		ScanStatus				status = RESULT;                                \
                                                                                \
		*value = exact_result_##G(y);                                           \
		return status;                                                          \
	}
#define ANSWERS(G, ...) EXACT_OF_##G(ANSWER, G)
EXACT_GROUPS(ANSWERS)

static const ExactStatistic exact_statistic[] = {
#define ROW(G, NAME, KIND, SQUARES, RESULT) \
	[MOVING_EXACT_##KIND] = {answer_##KIND, EXACT_GROUP_##G, EXACT_KIND(G), SQUARES},
#define ROWS(G, ...) EXACT_OF_##G(ROW, G)
	EXACT_GROUPS(ROWS)};

/* ---- how rows go in, and out ---- */

typedef struct ExactTaking
{
	ExactGroup group;
	Oid		   type[2]; /* of the arguments */
	void (*add)(Aggregate *aggregate, const Block *block, int64 from, int64 end);
	void (*remove)(Aggregate *aggregate, const Block *block, int64 from, int64 end);
} ExactTaking;

typedef struct ExactOp
{
	const ExactStatistic *statistic;
	const ExactTaking	 *taking;
	int					  squares; /* of pairs: which sums of squares are added up */
	ContextMemory		  memory;
	ExactState			  state; /* its limbs are in the memory */
} ExactOp;

/*
 * Fetches the arguments at row i.  Returns false if one is NULL or the FILTER rejects the row.  Core computes all
 * arguments of a row, also behind a NULL: one of them may raise an error.
 */
static pg_attribute_always_inline bool
fetch_arguments(const Aggregate *aggregate, const Block *block, int64 i, int arguments, Datum *argument)
{
	bool first_isnull, second_isnull = false;

	if (!row_filter(&aggregate->f, block, i))
		return false;
	argument[0] = row_argument(&aggregate->f, block, 0, i, &first_isnull);
	if (arguments > 1)
		argument[1] = row_argument(&aggregate->f, block, 1, i, &second_isnull);
	return !first_isnull && !second_isnull;
}

#define EXACT_ARGUMENT(T, N) DatumGet##T(argument[N])
#define EXACT_SQUARES op->squares

#define TAKE(G, NAME, ARGUMENTS, FIRST, SECOND, TAKEN)                                                       \
	static pg_attribute_always_inline void take_##NAME(Aggregate *aggregate, const Block *block, int64 from, \
													   int64 end, bool leaves)                               \
	{                                                                                                        \
		ExactOp			 *op = (ExactOp *) aggregate->f.state;                                               \
		ExactContent_##G *c = (ExactContent_##G *) &op->state.moments;                                       \
		ScanMemory		 *memory = &op->memory.memory;                                                       \
                                                                                                             \
		FOR_INTERRUPTIBLE (i, from, end)                                                                     \
		{                                                                                                    \
			Datum argument[2];                                                                               \
                                                                                                             \
			if (fetch_arguments(aggregate, block, i, ARGUMENTS, argument))                                   \
				TAKEN;                                                                                       \
		}                                                                                                    \
	}                                                                                                        \
	static void add_##NAME(Aggregate *aggregate, const Block *block, int64 from, int64 end)                  \
	{                                                                                                        \
		take_##NAME(aggregate, block, from, end, false);                                                     \
	}                                                                                                        \
	static void remove_##NAME(Aggregate *aggregate, const Block *block, int64 from, int64 end)               \
	{                                                                                                        \
		take_##NAME(aggregate, block, from, end, true);                                                      \
	}
#define TAKES(G, ...) EXACT_TAKINGS_OF_##G(TAKE, G)
EXACT_GROUPS(TAKES)

static const ExactTaking exact_taking[] = {
#define TAKING(GROUP, NAME, ARGUMENTS, FIRST, SECOND, TAKEN) \
	{EXACT_GROUP_##GROUP, {FIRST, SECOND}, add_##NAME, remove_##NAME},
#define TAKINGS(G, ...) EXACT_TAKINGS_OF_##G(TAKING, G)
	EXACT_GROUPS(TAKINGS)};

/* ---- the operation ---- */

bool
aggregate_kind_is_exact(MovingKind kind)
{
	return (size_t) kind < lengthof(exact_statistic) && exact_statistic[kind].answer != NULL;
}

bool
aggregate_is_exact(const Aggregate *aggregate)
{
	MovingKind kind = aggregate->call.moving;

	/* positions: rows leave at the frame's start alone */
	return aggregate_kind_is_exact(kind) &&
		   !(exact_statistic[kind].group == EXACT_GROUP_POSITIONS && (aggregate->f.needs & NEEDS_EXCLUSION));
}

/* Returns how rows of these arguments go into the state of a group.  A user's aggregate may be over a domain. */
static const ExactTaking *
taking_of_call(const AggregateCall *call, ExactGroup group)
{
	Oid first = getBaseType(call->type[0]);
	Oid second = call->arguments > 1 ? getBaseType(call->type[1]) : InvalidOid;

	for (const ExactTaking *taking = exact_taking; taking < exact_taking + lengthof(exact_taking); taking++)
		if (taking->group == group && taking->type[0] == first && taking->type[1] == second)
			return taking;
	/* a line of op/list.h has a kind without the arguments of its group */
	elog(ERROR, "aggregate of kind %d does not take type %u", (int) call->moving, call->type[0]);
}

static void
exact_start(Aggregate *aggregate)
{
	ExactOp *op = (ExactOp *) aggregate->f.state;

	*op = (ExactOp){.statistic = &exact_statistic[aggregate->call.moving]};
	op->state.kind = op->statistic->content;
	/* core takes the transition value of one aggregate for all that have the same transitions */
	op->squares = aggregate->call.partial ? PAIRS_X_SQUARES | PAIRS_Y_SQUARES : op->statistic->squares;
	op->taking = taking_of_call(&aggregate->call, op->statistic->group);
	context_memory(&op->memory, aggregate->f.query);
}

/* Empties the sums, and keeps their memory. */
static void
exact_empty(Aggregate *aggregate)
{
	ExactOp *op = (ExactOp *) aggregate->f.state;

	fesetenv(FE_DFL_ENV);
	for (const ExactStatePart *part = exact_state_part[op->statistic->content]; part->offset > 0; part++)
	{
		void	*at = exact_state_part_at(&op->state.moments, part);
		LongSum *sum = (LongSum *) at;

		if (part->numbers == 0)
			sum->first = sum->n = 0;
		else
			memset(at, 0, part->numbers * sizeof(int64));
	}
}

static void
exact_add(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	((const ExactOp *) aggregate->f.state)->taking->add(aggregate, block, from, end);
}

static bool
exact_remove(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	((const ExactOp *) aggregate->f.state)->taking->remove(aggregate, block, from, end);
	return true;
}

static ScanStatus
exact_final(Aggregate *aggregate, Datum *value)
{
	const ExactOp *op = (const ExactOp *) aggregate->f.state;

	return op->statistic->answer(&op->state, value);
}

ScanStatus
aggregate_exact_partial(Aggregate *aggregate, Datum *value)
{
	*value = exact_state_widen(&((const ExactOp *) aggregate->f.state)->state);
	return SCAN_OK;
}

/* The result is computed apart from its error. */
static bool
exact_is_safe(const Aggregate *aggregate)
{
	return true;
}

/* The sums are integers, but float4 and double are converted into each other: no denormal may be flushed to zero. */
const AggregateOp aggregate_op_exact = {.method = "exact sums",
										.traits = AGGREGATE_MAY_FAIL | AGGREGATE_REMOVES_ANY | AGGREGATE_FLOAT_MODE,
										.state_size = sizeof(ExactOp),
										.start = exact_start,
										.empty = exact_empty,
										.add = exact_add,
										.remove = exact_remove,
										.final = exact_final,
										.final_is_safe = exact_is_safe,
										.running = running_rows,
										.sliding = add_remove_rows};

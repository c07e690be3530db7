/*
 * ranges.c: the ranges of the groups that several processes of an IndexSkip take.
 *
 * exec.c asks for each row if it is in a range of this process.  Core calls the functions of the shared memory where a
 * Gather above launches workers.  If one process runs the plan alone, it reads all rows, without ranges.
 *
 * The ranges are taken from a counter that the processes share, so they come in the order of the index in each process.
 * A process whose next range is the one behind its last reads on.  A process that starts anew (skip.h) takes all ranges
 * that are left: core's plan has their rows, and it is run once.
 */
#include "postgres.h"

#include "port/atomics.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "library/build.h"
#include "library/library.h"
#include "node/skip/internal.h"

struct SkipShared
{
	uint64			 build; /* scan_build of the process that created it; must be first */
	pg_atomic_uint32 next;	/* the first range that no process has taken */

	/* for EXPLAIN ANALYZE: those of processes that have ended */
	pg_atomic_uint64 count_of[SKIP_COUNTS];
};

void
skip_ranges_begin(SkipRanges *ranges, const CustomScan *scan)
{
	const List *behind = planned_list(scan, SKIP_BEHIND_BOUND), *bounds = scan->custom_exprs;

	if (behind == NIL)
		return;
	*ranges = (SkipRanges){.collation = lsecond_oid(behind),
						   .nulls_first = planned_number(scan, SKIP_NUMBER_NULLS_FIRST) != 0,
						   .bound = (Datum *) palloc(list_length(bounds) * sizeof(Datum))};
	fmgr_info(get_opcode(linitial_oid(behind)), &ranges->behind);
	foreach_node (Const, constant, bounds)
		ranges->bound[ranges->n++] = constant->constvalue;
	ranges->n++;
}

/* Takes the next range; false: there is none. */
static bool
take_range(SkipRanges *ranges)
{
	uint32 next = pg_atomic_fetch_add_u32(&ranges->shared->next, 1);

	ranges->at = (int) Min(next, (uint32) ranges->n);
	return ranges->at < ranges->n;
}

/* True if a value of the first column is behind a range. */
static bool
is_behind_range(const SkipRanges *ranges, Datum value, bool isnull, int range)
{
	if (range == ranges->n - 1)
		return false;
	if (isnull)
		return !ranges->nulls_first;
	return DatumGetBool(
		FunctionCall2Coll(unconstify(FmgrInfo *, &ranges->behind), ranges->collation, value, ranges->bound[range]));
}

SkipRangeStep
skip_ranges_first(SkipRanges *ranges)
{
	if (!take_range(ranges))
		return SKIP_RANGES_END;
	return ranges->at == 0 ? SKIP_RANGE_HERE : SKIP_RANGE_ELSEWHERE;
}

SkipRangeStep
skip_ranges_step(SkipRanges *ranges, Datum value, bool isnull)
{
	while (is_behind_range(ranges, value, isnull, ranges->at))
	{
		int before = ranges->at;

		if (!take_range(ranges))
			return SKIP_RANGES_END;
		if (ranges->at != before + 1)
			return SKIP_RANGE_ELSEWHERE;
	}
	return SKIP_RANGE_HERE;
}

void
skip_ranges_anew(SkipRanges *ranges)
{
	ranges->rest = (int) pg_atomic_exchange_u32(&ranges->shared->next, (uint32) ranges->n);
	ranges->of_row = 0;
}

SkipRangeStep
skip_ranges_step_anew(SkipRanges *ranges, Datum value, bool isnull)
{
	while (is_behind_range(ranges, value, isnull, ranges->of_row))
		ranges->of_row++;
	if (ranges->of_row == ranges->at || ranges->of_row >= ranges->rest)
		return SKIP_RANGE_HERE;
	return ranges->of_row > ranges->at && ranges->rest >= ranges->n ? SKIP_RANGES_END : SKIP_RANGE_ELSEWHERE;
}

/* ---- shared memory ---- */

Size
index_skip_estimate_shared(CustomScanState *node, ParallelContext *context)
{
	return sizeof(SkipShared);
}

void
index_skip_create_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	SkipShared *shared = (SkipShared *) memory;

	shared->build = scan_build;
	pg_atomic_init_u32(&shared->next, 0);
	for (int i = 0; i < SKIP_COUNTS; i++)
		pg_atomic_init_u64(&shared->count_of[i], 0);
	((IndexSkipState *) node)->ranges.shared = shared;
}

void
index_skip_reset_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
	pg_atomic_write_u32(&((SkipShared *) memory)->next, 0);
}

void
index_skip_join_shared(CustomScanState *node, shm_toc *toc, void *memory)
{
	SkipShared *shared = (SkipShared *) memory;

	library_check_build(shared->build);
	((IndexSkipState *) node)->ranges.shared = shared;
}

/* Called before the shared memory is released: a worker leaves what EXPLAIN prints, and the leader takes it. */
void
index_skip_leave_shared(CustomScanState *node)
{
	IndexSkipState *state = (IndexSkipState *) node;
	SkipShared	   *shared = state->ranges.shared;

	if (shared == NULL)
		return;
	for (int i = 0; i < SKIP_COUNTS; i++)
		if (IsParallelWorker())
			pg_atomic_fetch_add_u64(&shared->count_of[i], state->count_of[i]);
		else
			state->count_of[i] += (int64) pg_atomic_exchange_u64(&shared->count_of[i], 0);
	state->ranges.shared = NULL;
}

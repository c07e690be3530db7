/*
 * exec.c: runs an IndexSkip.  README.md has a picture of the stages.
 *
 * The node reads the rows of a child up to the last one of a group that is wanted.  Then it sets the parameters to the
 * values of the group, and takes up the first child that can have the next row.  A child that has no more rows leaves
 * it to the next one, and so on: together they have all rows behind the group, in the order of the index.  A group that
 * has no more rows than are wanted is left without going down the index: the child's next row begins another.
 *
 * The counts are those of row_number(), rank() and dense_rank().  A row that ranks beyond the limit is not returned,
 * nor is any later row of its group.
 *
 * To go down the index takes as long as to read state->read_on rows.  So where groups have fewer rows, the node reads
 * on to the next group; it learns this from the first groups, and tries again now and then.  Whatever the groups are,
 * it takes no more than twice the time of the better of the two ways.  Both may be slower than core's plan: once the
 * descents have taken half of its cost, the last child runs that plan, and the node drops the groups it has returned.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "library/library.h"
#include "node/skip/internal.h"

/* At least each so many groups, the node tries whether reading on is faster. */
#define MOST_GROUPS_APART 64

CustomScanMethods index_skip_methods = {.CustomName = INDEX_SKIP_NAME};

/* ---- starting ---- */

static void
begin_keys(IndexSkipState *state, const CustomScan *scan)
{
	const List	   *columns = planned_list(scan, SKIP_KEYS);
	const List	   *parameters = planned_list(scan, SKIP_PARAMETERS);
	const TupleDesc row = ExecGetResultType(state->child[0]);

	state->top = (TopRows){.limit = planned_number(scan, SKIP_NUMBER_LIMIT),
						   .unit = (TopUnit) planned_number(scan, SKIP_NUMBER_UNIT)};
	state->levels = planned_number(scan, SKIP_NUMBER_LEVELS);
	state->read_on = planned_number(scan, SKIP_NUMBER_READ_ON);
	state->most_descents = planned_number(scan, SKIP_NUMBER_DESCENTS);
	state->keys = state->top.unit == TOP_ROWS ? state->levels : list_length(columns);
	state->key = (SkipKey *) palloc(state->keys * sizeof(SkipKey));
	for (int k = 0; k < state->keys; k++)
	{
		AttrNumber attno = (AttrNumber) list_nth_int(columns, k);

		state->key[k] = (SkipKey){.attno = attno,
								  .by_value = TupleDescAttr(row, attno - 1)->attbyval,
								  .length = TupleDescAttr(row, attno - 1)->attlen,
								  .collation = list_nth_oid(planned_list(scan, SKIP_COLLATIONS), k),
								  .parameter = k < state->levels ? list_nth_int(parameters, k) : -1};
		fmgr_info(get_opcode(list_nth_oid(planned_list(scan, SKIP_EQUALS), k)), &state->key[k].equal);
	}
	/* core's Unique asks so, from the last key to the first; a PrefixScan above asks as WindowAgg does */
	for (int k = state->levels - 1; k >= 0 && planned_number(scan, SKIP_NUMBER_ALONE); k--)
		check_execute(state->key[k].equal.fn_oid, GetUserId());
}

/* Before the first row of a scan. */
static void
begin_scan(IndexSkipState *state)
{
	state->at = 0;
	state->in_group = state->leave_group = state->at_end = state->anew = state->reads_on = false;
	state->in_range = false;
	state->groups = state->groups_before = state->scan_descents = state->scan_rows = 0;
	state->next_try = state->groups_apart = 1;
}

static void
begin_index_skip(CustomScanState *node, EState *estate, int eflags)
{
	IndexSkipState	 *state = (IndexSkipState *) node;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	index_skip_begin_children(state, scan, estate, eflags);
	begin_keys(state, scan);
	skip_ranges_begin(&state->ranges, scan);
	for (int i = 0; i < state->children; i++)
		if (state->step[i].kind == SKIP_BEHIND && state->step[i].level == 0)
			state->to_bound = i;
	begin_scan(state);
	state->values = AllocSetContextCreate(CurrentMemoryContext, "scan index skip", ALLOCSET_SMALL_SIZES);
	state->parameters = AllocSetContextCreate(CurrentMemoryContext, "scan index skip parameters", ALLOCSET_SMALL_SIZES);
	state->comparisons = AllocSetContextCreate(CurrentMemoryContext, "scan index skip comparisons",
											   ALLOCSET_SMALL_SIZES);
}

/* ---- groups ---- */

/* True if a row has the values of the last one in the keys from `from` to `to` - 1. */
static bool
has_values(IndexSkipState *state, TupleTableSlot *row, int from, int to)
{
	MemoryContext old = MemoryContextSwitchTo(state->comparisons);
	bool		  alike = true;

	/* the last columns differ most often */
	for (int k = to - 1; k >= from && alike; k--)
	{
		SkipKey *key = &state->key[k];
		bool	 isnull = row->tts_isnull[key->attno - 1];

		alike = isnull == key->isnull &&
				(isnull || DatumGetBool(FunctionCall2Coll(&key->equal, key->collation, key->value,
														  row->tts_values[key->attno - 1])));
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->comparisons);
	return alike;
}

/* Keeps the values of a row's keys. */
static void
keep_values(IndexSkipState *state, TupleTableSlot *row)
{
	MemoryContext old;

	MemoryContextReset(state->values);
	old = MemoryContextSwitchTo(state->values);
	for (int k = 0; k < state->keys; k++)
	{
		SkipKey *key = &state->key[k];

		key->isnull = row->tts_isnull[key->attno - 1];
		key->value = key->isnull ? (Datum) 0 : datumCopy(row->tts_values[key->attno - 1], key->by_value, key->length);
	}
	MemoryContextSwitchTo(old);
}

/* Counts a row; true if it is wanted. */
static bool
count_row(IndexSkipState *state, TupleTableSlot *row)
{
	bool group = !state->in_group || !has_values(state, row, 0, state->levels);
	bool peer = !group && has_values(state, row, state->levels, state->keys);

	if (group)
		state->groups++;
	if (group || (!peer && state->top.unit != TOP_ROWS))
		keep_values(state, row);
	state->in_group = true;
	return row_counter_next(&state->count, state->top.unit, group, !peer) <= state->top.limit;
}

/* ---- steps ---- */

/* True if a step leads to rows behind the last group. */
static bool
step_leads_on(const IndexSkipState *state, const SkipStep *step)
{
	Assert(step->kind != SKIP_ALL);
	if (step->kind == SKIP_BEHIND_ROW)
		return true;
	for (int level = 0; level < step->level; level++)
		if (state->key[level].isnull != ((step->nulls & (uint32) 1 << level) != 0))
			return false;
	return state->key[step->level].isnull == (step->kind == SKIP_FROM_NULLS);
}

/*
 * Leaves the child that is read: it begins anew, and lets go of the pages that it has pinned.  VACUUM waits for such
 * pages, and the query may go on for long.
 */
static void
leave_child(IndexSkipState *state)
{
	ExecReScan(state->anew ? state->child_anew : state->child[state->at]);
}

/*
 * Takes up the first child from `from` on that can have rows behind the last group; false: no child can.  Behind child
 * 0, which has all rows, there is nothing.
 */
static bool
take_child(IndexSkipState *state, int from)
{
	ParamExecData *parameters = state->css.ss.ps.state->es_param_exec_vals;
	MemoryContext  old;

	while (from < state->children && !step_leads_on(state, &state->step[from]))
		from++;
	if (from != state->at)
		leave_child(state);
	if (from == state->children)
		return false;
	/* copies: the index compares with the parameters while the child reads on, into other groups, too */
	MemoryContextReset(state->parameters);
	old = MemoryContextSwitchTo(state->parameters);
	for (int level = 0; level < state->levels; level++)
	{
		const SkipKey *key = &state->key[level];
		Datum		   value = key->isnull ? (Datum) 0 : datumCopy(key->value, key->by_value, key->length);

		parameters[key->parameter] = (ParamExecData){.value = value, .isnull = key->isnull};
	}
	MemoryContextSwitchTo(old);
	state->at = from;
	state->count_of[SKIP_DESCENTS]++;
	state->scan_descents++;
	ExecReScan(state->child[from]);
	return true;
}

/* ---- leaving a group ---- */

/* The group has had the rows that are wanted: decides how many more are read before the node goes down the index. */
static void
begin_to_leave(IndexSkipState *state)
{
	bool tries = !state->reads_on && state->groups >= state->next_try;

	state->leave_group = true;
	state->to_read = state->reads_on || tries ? state->read_on : 0;
	if (!tries)
		return;
	state->next_try = state->groups + state->groups_apart;
	state->groups_apart = Min(2 * state->groups_apart, MOST_GROUPS_APART);
}

/* A row of a group that is being left: reading on pays only if the next group begins soon. */
static void
read_past(IndexSkipState *state)
{
	if (state->to_read > 0 && --state->to_read == 0)
		state->reads_on = false;
}

/* The next group has begun while rows of the one before were read. */
static void
begin_group_after_reading(IndexSkipState *state)
{
	state->leave_group = false;
	state->reads_on = true;
	state->groups_apart = 1;
}

/* True if the descents, and the rows that were read between them, have taken half of the cost of the other plan. */
static bool
has_tried_enough(const IndexSkipState *state)
{
	return state->child_anew != NULL &&
		   state->scan_rows >= (state->most_descents - state->scan_descents) * state->read_on;
}

static void
start_anew(IndexSkipState *state)
{
	leave_child(state);
	state->anew = true;
	state->count_of[SKIP_STARTED_ANEW]++;
	state->groups_done = state->groups - state->groups_before;
	state->groups = 0;
	state->in_group = state->leave_group = false;
	if (state->ranges.shared != NULL)
		skip_ranges_anew(&state->ranges);
}

/* Goes on to the rows behind the group; false: there are none. */
static bool
leave_group(IndexSkipState *state)
{
	if (state->anew)
		return true;
	if (has_tried_enough(state))
	{
		start_anew(state);
		return true;
	}
	if (state->to_read > 0)
		return true;
	state->leave_group = false;
	return take_child(state, 1);
}

/* Returns the next row of the child that is read; NULL if no child has one. */
static TupleTableSlot *
fetch_child_row(IndexSkipState *state)
{
	TupleTableSlot *row = ExecProcNode(state->anew ? state->child_anew : state->child[state->at]);

	while (TupIsNull(row))
	{
		if (state->anew || state->at == 0 || !take_child(state, state->at + 1))
			return NULL;
		state->leave_group = false;
		row = ExecProcNode(state->child[state->at]);
	}
	slot_getallattrs(row);
	return row;
}

/* ---- ranges ---- */

/* Goes down the index to the first row of the range that was taken; false: there are no rows behind its bound. */
static bool
begin_range(IndexSkipState *state)
{
	const SkipRanges *ranges = &state->ranges;

	state->in_group = state->leave_group = false;
	for (int k = 0; k < state->levels; k++)
		state->key[k].isnull = k > 0;
	state->key[0].value = ranges->bound[ranges->at - 1];
	return take_child(state, state->to_bound);
}

/* Before the first row: takes a range, if there are any; false: none is left. */
static bool
begin_first_range(IndexSkipState *state)
{
	state->in_range = true;
	if (state->ranges.shared == NULL)
		return true;
	switch (skip_ranges_first(&state->ranges))
	{
		case SKIP_RANGE_HERE:
			return true;
		case SKIP_RANGE_ELSEWHERE:
			return begin_range(state);
		default:
			return false;
	}
}

/* Takes a row; ELSEWHERE: it is in no range of this process, which goes on at another one. */
static SkipRangeStep
place_row(IndexSkipState *state, TupleTableSlot *row)
{
	SkipRanges	 *ranges = &state->ranges;
	Datum		  value = row->tts_values[state->key[0].attno - 1];
	bool		  isnull = row->tts_isnull[state->key[0].attno - 1];
	int			  before = ranges->at;
	SkipRangeStep step;

	if (ranges->shared == NULL)
		return SKIP_RANGE_HERE;
	if (state->anew)
		return skip_ranges_step_anew(ranges, value, isnull);
	step = skip_ranges_step(ranges, value, isnull);
	if (ranges->at != before)
		state->groups_before = state->groups;
	if (step == SKIP_RANGE_ELSEWHERE && !begin_range(state))
		return SKIP_RANGES_END;
	return step;
}

/* Returns the next row that is wanted, in a child's slot; NULL at the end. */
static TupleTableSlot *
next_wanted(IndexSkipState *state)
{
	if (!state->in_range && !begin_first_range(state))
		return NULL;
	for (;;)
	{
		TupleTableSlot *row;
		SkipRangeStep	step;
		bool			wanted;

		CHECK_FOR_INTERRUPTS();
		if (state->leave_group && !leave_group(state))
			return NULL;
		row = fetch_child_row(state);
		step = row == NULL ? SKIP_RANGES_END : place_row(state, row);
		if (step == SKIP_RANGES_END)
		{
			if (row != NULL)
				leave_child(state);
			return NULL;
		}
		if (step == SKIP_RANGE_ELSEWHERE)
			continue;
		wanted = count_row(state, row);
		if (state->leave_group && state->count.rows == 1)
			begin_group_after_reading(state);
		if (state->anew && state->groups <= state->groups_done)
			continue;
		if (wanted)
		{
			if (state->top.unit == TOP_ROWS && state->count.rows == state->top.limit)
				begin_to_leave(state);
			return row;
		}
		state->count_of[SKIP_LEFT_OUT]++;
		state->scan_rows++;
		if (state->leave_group)
			read_past(state);
		else
			begin_to_leave(state);
	}
}

static TupleTableSlot *
exec_index_skip(CustomScanState *node)
{
	IndexSkipState *state = (IndexSkipState *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	TupleTableSlot *row = state->at_end ? NULL : next_wanted(state);

	ExecClearTuple(slot);
	if (row == NULL)
	{
		/* a cursor may ask again */
		state->at_end = true;
		return node->ss.ps.ps_ProjInfo == NULL ? slot : ExecClearTuple(node->ss.ps.ps_ProjInfo->pi_state.resultslot);
	}
	memcpy(slot->tts_values, row->tts_values, slot->tts_tupleDescriptor->natts * sizeof(Datum));
	memcpy(slot->tts_isnull, row->tts_isnull, slot->tts_tupleDescriptor->natts * sizeof(bool));
	ExecStoreVirtualTuple(slot);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(node->ss.ps.ps_ExprContext);
	node->ss.ps.ps_ExprContext->ecxt_scantuple = slot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
rescan_index_skip(CustomScanState *node)
{
	IndexSkipState *state = (IndexSkipState *) node;

	foreach_ptr (PlanState, child, node->custom_ps)
		if (node->ss.ps.chgParam != NULL)
			UpdateChangedParamSet(child, node->ss.ps.chgParam);
	leave_child(state);
	begin_scan(state);
}

static void
end_index_skip(CustomScanState *node)
{
	foreach_ptr (PlanState, child, node->custom_ps)
		ExecEndNode(child);
}

static const CustomExecMethods exec_methods = {.CustomName = INDEX_SKIP_NAME,
											   .BeginCustomScan = begin_index_skip,
											   .ExecCustomScan = exec_index_skip,
											   .EndCustomScan = end_index_skip,
											   .ReScanCustomScan = rescan_index_skip,
											   .EstimateDSMCustomScan = index_skip_estimate_shared,
											   .InitializeDSMCustomScan = index_skip_create_shared,
											   .ReInitializeDSMCustomScan = index_skip_reset_shared,
											   .InitializeWorkerCustomScan = index_skip_join_shared,
											   .ShutdownCustomScan = index_skip_leave_shared,
											   .ExplainCustomScan = index_skip_explain};

static Node *
create_state(CustomScan *scan)
{
	return planned_state(scan, sizeof(IndexSkipState), &exec_methods);
}

void
index_skip_init(void)
{
	index_skip_methods.CreateCustomScanState = create_state;
	RegisterCustomScanMethods(&index_skip_methods);
}

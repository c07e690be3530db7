/*
 * fused_offer.c: results that the job computes that sorts the rows.
 *
 * The reader calls prefix_scan_offer() before it sorts, and prefix_scan_take() afterwards.  The job that sorts all rows
 * may run the functions' scans, too.  Columns that only such functions read need not be gathered afterwards.  If not
 * all rows are asked for, the results may be computed in vain, so the functions are evaluated block by block.
 */
#include "postgres.h"

#include "node/evaluate/function.h"
#include "node/exec/state.h"
#include "node/input/blocks.h"
#include "run/run.h"

FusedScans *
prefix_scan_offer(void *functions, Size room)
{
	PrefixScanState	  *state = (PrefixScanState *) functions;
	const BlockReader *reader = &state->reader;
	MemoryContext	   old;

	if (!scan_may_be_offered() || !all_are_asked_for(state))
		return NULL;
	for (int i = 0; i < state->functions; i++)
		function_at(state, i)->frame_rows = reader->needs.flags & NEEDS_BOUNDS ? frame_rows(&reader->frame) : 0;
	if (state->fused == NULL)
	{
		old = MemoryContextSwitchTo(reader->memory);
		state->fused = fused_results_create(reader->pull.columns, state->functions);
		MemoryContextSwitchTo(old);
	}
	return fused_results_offer(state->fused, state->function, state->functions, reader->buffer[0].rows,
							   reader->sorted.all, reader->keys.partition > 0, room);
}

/* ---- columns that are not read any more ---- */

/* Notes the columns that a function still reads. */
static void
note_columns(const RowFunction *f, bool *seen)
{
	if (f->fused != NULL && !f->counts)
		return;
	for (int a = 0; a < f->arguments; a++)
		if (!argument_is_late(f, a))
			seen[f->argument[a]] = true;
	if (f->filter >= 0)
		seen[f->filter] = true;
}

static void
leave_columns(PrefixScanState *state)
{
	BlockReader *reader = &state->reader;
	bool		*seen = (bool *) palloc0(Max(reader->pull.columns, 1) * sizeof(bool));

	for (int c = 0; c < state->passthrough; c++)
		seen[state->passthrough_column[c]] = true;
	for (int i = 0; i < state->outputs; i++)
		if (!state->output[i].function)
			seen[state->output[i].place] = true;
	for (int c = 0; c < state->late.columns; c++)
		seen[state->late.column[c]] = true;
	for (int i = 0; i < state->functions; i++)
		note_columns(function_at(state, i), seen);
	for (int c = 0; c < reader->pull.columns; c++)
		reader->sorted.all->column[c].wanted = reader->sorted.all->column[c].wanted && seen[c];
	pfree(seen);
}

Size
prefix_scan_take(void *functions, bool there)
{
	PrefixScanState *state = (PrefixScanState *) functions;
	int				 taken;

	if (!there)
	{
		fused_results_forget(state->function, state->functions);
		return 0;
	}
	taken = fused_results_take(state->fused, state->function, state->functions, state->reader.sorted.all);
	state->fused_functions = Max(state->fused_functions, taken);
	if (taken > 0)
		leave_columns(state);
	return state->fused->bytes;
}

/*
 * frame_text.c: prints a frame clause.
 *
 * exec/explain.c prints the frame of a PrefixScan with it, and plan/over_text.c the frame of a window that was left
 * to WindowAgg.  Core has the same text in ruleutils.c (get_rule_windowspec), but only for a clause of a parsed query,
 * and in 18 for its own node; neither is exported.
 */
#include "postgres.h"

#include "nodes/parsenodes.h"

#include "node/frame_text.h"

static const char *
start_text(int options, const char *offset)
{
	if (options & FRAMEOPTION_START_UNBOUNDED_PRECEDING)
		return "UNBOUNDED PRECEDING";
	if (options & FRAMEOPTION_START_CURRENT_ROW)
		return "CURRENT ROW";
	return psprintf("%s %s", offset == NULL ? "offset" : offset,
					options & FRAMEOPTION_START_OFFSET_PRECEDING ? "PRECEDING" : "FOLLOWING");
}

static const char *
frame_end_text(int options, const char *offset)
{
	if (options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING)
		return "UNBOUNDED FOLLOWING";
	if (options & FRAMEOPTION_END_CURRENT_ROW)
		return "CURRENT ROW";
	return psprintf("%s %s", offset == NULL ? "offset" : offset,
					options & FRAMEOPTION_END_OFFSET_PRECEDING ? "PRECEDING" : "FOLLOWING");
}

char *
frame_text(int options, const char *start, const char *end)
{
	const char *unit = options & FRAMEOPTION_ROWS ? "ROWS" : options & FRAMEOPTION_RANGE ? "RANGE" : "GROUPS";
	const char *exclude = options & FRAMEOPTION_EXCLUDE_CURRENT_ROW ? " EXCLUDE CURRENT ROW"
						  : options & FRAMEOPTION_EXCLUDE_GROUP		? " EXCLUDE GROUP"
						  : options & FRAMEOPTION_EXCLUDE_TIES		? " EXCLUDE TIES"
																	: "";

	return psprintf("%s BETWEEN %s AND %s%s", unit, start_text(options, start), frame_end_text(options, end), exclude);
}

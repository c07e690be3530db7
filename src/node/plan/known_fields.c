/*
 * known_fields.c: finds out whether a window uses something of core that the node does not know.
 *
 * A later minor version, a release candidate or a fork of PostgreSQL may add a field to core's nodes that gives a
 * window another meaning.  The node would ignore the field, and return wrong rows.  So each node of a window is
 * compared, by core's equal(), with a node that has only the fields listed here.  equal() belongs to the server and
 * knows all fields of the server's version.  If the nodes differ, a field that is not listed here has a value, and
 * WindowAgg runs the window.  If a new field is not in use, it is zero, and the node runs the window as before.
 *
 * The fields that are lists or expressions are the same in both nodes, by their address, so equal() does not read them.
 *
 * test/package/core_changes.sh compares these fields, and those of nodes that are not compared here, with the headers
 * of new versions.
 */
#include "postgres.h"

#include "nodes/parsenodes.h"

#include "compat.h"
#include "node/plan/planning.h"

/* The fields that the node takes into account, and those that do not change a result. */
#define WINDOW_FIELDS(FIELD) \
	FIELD(name)              \
	FIELD(refname)           \
	FIELD(partitionClause)   \
	FIELD(orderClause)       \
	FIELD(frameOptions)      \
	FIELD(startOffset)       \
	FIELD(endOffset)         \
	FIELD(startInRangeFunc)  \
	FIELD(endInRangeFunc)    \
	FIELD(inRangeColl)       \
	FIELD(inRangeAsc)        \
	FIELD(inRangeNullsFirst) \
	FIELD(winref)            \
	FIELD(copiedOrder)       \
	COMPAT_WINDOW_FIELDS(FIELD)

#define FUNCTION_FIELDS(FIELD) \
	FIELD(winfnoid)            \
	FIELD(wintype)             \
	FIELD(wincollid)           \
	FIELD(inputcollid)         \
	FIELD(args)                \
	FIELD(aggfilter)           \
	FIELD(winref)              \
	FIELD(winstar)             \
	FIELD(winagg)              \
	FIELD(location)            \
	COMPAT_FUNCTION_FIELDS(FIELD)

#define KEY_FIELDS(FIELD)  \
	FIELD(tleSortGroupRef) \
	FIELD(eqop)            \
	FIELD(sortop)          \
	FIELD(nulls_first)     \
	FIELD(hashable)        \
	COMPAT_KEY_FIELDS(FIELD)

/* The bits of frameOptions in PostgreSQL 15 to 19.  equal() cannot find a new bit, because the field is known. */
#define FRAME_OPTIONS                                                                                              \
	(FRAMEOPTION_NONDEFAULT | FRAMEOPTION_RANGE | FRAMEOPTION_ROWS | FRAMEOPTION_GROUPS | FRAMEOPTION_BETWEEN |    \
	 FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_UNBOUNDED_PRECEDING |                                 \
	 FRAMEOPTION_START_UNBOUNDED_FOLLOWING | FRAMEOPTION_END_UNBOUNDED_FOLLOWING | FRAMEOPTION_START_CURRENT_ROW | \
	 FRAMEOPTION_END_CURRENT_ROW | FRAMEOPTION_START_OFFSET_PRECEDING | FRAMEOPTION_END_OFFSET_PRECEDING |         \
	 FRAMEOPTION_START_OFFSET_FOLLOWING | FRAMEOPTION_END_OFFSET_FOLLOWING | FRAMEOPTION_EXCLUDE_CURRENT_ROW |     \
	 FRAMEOPTION_EXCLUDE_GROUP | FRAMEOPTION_EXCLUDE_TIES)

#define COPIED(field) .field = original->field,

static bool
keys_are_known(const List *keys)
{
	foreach_node (SortGroupClause, original, keys)
	{
		const SortGroupClause known = {.type = T_SortGroupClause, KEY_FIELDS(COPIED)};

		if (!equal(&known, original))
			return false;
	}
	return true;
}

bool
window_is_known(const WindowClause *original)
{
	const WindowClause known = {.type = T_WindowClause, WINDOW_FIELDS(COPIED)};

	return equal(&known, original) && (original->frameOptions & ~FRAME_OPTIONS) == 0 &&
		   keys_are_known(original->partitionClause) && keys_are_known(original->orderClause);
}

bool
window_function_is_known(const WindowFunc *original)
{
	const WindowFunc known = {.xpr = {T_WindowFunc}, FUNCTION_FIELDS(COPIED)};

	return equal(&known, original);
}

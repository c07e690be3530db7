/*
 * description.h: the description of an IndexSkip, which create_plan.c writes into the plan and exec.c reads.
 *
 * The columns of the groups are numbered in the order of the index, from 0.  `Levels' are these numbers: the rows of
 * the index that have the group's values in the columns before a level lie side by side.
 *
 * Several processes divide the groups into ranges of the first column.  Range i begins behind bound i - 1, and its last
 * value is bound i.  The first range has no beginning, and the last one no end.
 */
#ifndef SCAN_NODE_SKIP_DESCRIPTION_H
#define SCAN_NODE_SKIP_DESCRIPTION_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "node/skip/skip.h"

/* What a child of the node reads, if the groups' columns of the last row are c[0], c[1], ... */
typedef enum SkipStepKind
{
	SKIP_ALL = 0,	 /* all rows: child 0 */
	SKIP_BEHIND_ROW, /* rows behind the values of all columns, none of which may be NULL */
	SKIP_BEHIND,	 /* equal before the level, behind the level's value, which is not NULL */
	SKIP_TO_NULLS,	 /* equal before the level, NULL there, where NULLs come last: behind a value that is not NULL */
	SKIP_FROM_NULLS, /* equal before the level, not NULL there, where NULLs come first: behind a NULL */
} SkipStepKind;

/* A child of the node.  Columns before the level are compared by = or IS NULL, so it matters which of them are NULL. */
typedef struct SkipStep
{
	SkipStepKind kind;
	int			 level;
	uint32		 nulls; /* bit i: column i, which is before the level, is NULL */
} SkipStep;

/* Columns of groups at most: a step has a bit for each of those before its level. */
#define SKIP_MAX_GROUP_COLUMNS 16

/* Children at most.  Each column that may be NULL doubles those of the levels behind it. */
#define SKIP_MAX_STEPS 24

/*
 * In the children's conditions, the value of column i is an external parameter of this number plus i, until the node
 * starts: core's planner refuses executor parameters that no core node sets.
 */
#define SKIP_VALUE_PARAMETER 1000000000

/*
 * CustomScan.custom_private: lists of ints or OIDs, in this order.  custom_exprs has the bounds of the ranges, Consts:
 * values of the first column, in the order of the index, each behind the one before.
 */
enum
{
	SKIP_BUILD = 0,	   /* scan_build: its upper, then its lower 32 bits */
	SKIP_NUMBERS,	   /* one int for each SkipNumber */
	SKIP_KEYS,		   /* columns of the children: the groups', in the order of the index, then those of the order */
	SKIP_EQUALS,	   /* their equality operators */
	SKIP_COLLATIONS,   /* and collations */
	SKIP_PARAMETERS,   /* executor parameter for each column of the groups */
	SKIP_STEPS,		   /* kind, level and nulls of each child */
	SKIP_BEHIND_BOUND, /* the operator that holds for a value behind a bound, and its collation; NIL: no ranges */
};

typedef enum SkipNumber
{
	SKIP_NUMBER_LIMIT = 0,	 /* TopRows.limit */
	SKIP_NUMBER_UNIT,		 /* TopRows.unit */
	SKIP_NUMBER_LEVELS,		 /* columns of the groups */
	SKIP_NUMBER_ALONE,		 /* SkipRequest.alone, and no child asks for the functions */
	SKIP_NUMBER_READ_ON,	 /* rows that are read in the time of a descent */
	SKIP_NUMBER_DESCENTS,	 /* so many cost half of the plan that starts anew; 0: there is no such child */
	SKIP_NUMBER_NULLS_FIRST, /* NULLs of the first column come first */
} SkipNumber;

/* The methods of a plan's node; exec.c sets CreateCustomScanState. */
extern CustomScanMethods index_skip_methods;

static inline const List *
skip_private(const CustomScan *scan, int which)
{
	return (const List *) list_nth(scan->custom_private, which);
}

#endif /* SCAN_NODE_SKIP_DESCRIPTION_H */

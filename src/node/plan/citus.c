/*
 * citus.c: keeps users away from a defect of Citus that our node sets off.
 *
 * verdict.c asks.  A query that Citus cannot send to the shards as a whole has steps.  Each step is planned by a call
 * of the planner inside that of the query, and is executed before the query.  When EXPLAIN ANALYZE or auto_explain
 * then prints a step whose rows came from shards, Citus 13.2 and later (ExtractAnalyzeStats in multi_explain.c) reads
 * every CustomScanState near the top as one of its own, and the server crashes.  So the windows of steps are left to
 * WindowAgg.  Windows of the query itself, and of the tasks on the shards, are not.
 *
 * Rejected: a layout of our state in which Citus reads harmless values.  It works, but depends on the members of two
 * structs of each version of Citus.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "compat.h"
#include "node/plan/planning.h"

#define FIRST_DEFECTIVE_MAJOR 13
#define FIRST_DEFECTIVE_MINOR 2

bool
citus_takes_nodes_for_its_own(void)
{
	const char *version = GetConfigOption("citus.version", true, false);
	char	   *rest;
	long		major, minor = 0;

	if (version == NULL)
		return false;
	major = strtol(version, &rest, 10);
	if (*rest == '.')
		minor = strtol(rest + 1, NULL, 10);
	/* a version that is no number is taken for a new one */
	return major == 0 || major > FIRST_DEFECTIVE_MAJOR ||
		   (major == FIRST_DEFECTIVE_MAJOR && minor >= FIRST_DEFECTIVE_MINOR);
}

/*
 * reason.c: what users are told why a window does not run in PrefixScan, or not in several processes.
 */
#include "postgres.h"

#include "node/reason.h"

/* What is said of a part of the window that is the reason. */
static const char *const of_part[] = {
	[REASON_FUNCTION] = "is not supported",
	[REASON_VOLATILE] = "is volatile",
	[REASON_SUBSELECT] = "has a subquery",
	[REASON_MAY_FAIL] = "may raise an error at a row that WindowAgg does not reach",
	[REASON_MAY_FAIL_LIMIT] = "may raise an error at a row that WindowAgg does not reach",
};

static const ReasonText texts[] = {
	[REASON_COST] = {"WindowAgg is estimated to cost less",
					 "SET scan.prefixscan = force to run the window in PrefixScan anyway."},
	[REASON_OFF] = {"scan.prefixscan is off", "SET scan.prefixscan = auto."},
	[REASON_FUNCTION] = {"the function is not supported",
						 "Window functions of other extensions always run in WindowAgg."},
	[REASON_UNKNOWN] = {"the window uses something of PostgreSQL that scan does not know",
						"A newer version of scan may know it."},
	[REASON_RANGE] = {"RANGE offsets of this type are not supported", "Order by a column of a built-in type."},
	[REASON_NULLS] = {"IGNORE NULLS is not supported here",
					  "PrefixScan runs lag, first_value, last_value and nth_value with IGNORE NULLS if the argument is "
					  "a column and the frame begins with the partition."},
	[REASON_VOLATILE] =
		{"an argument, FILTER or offset is volatile",
		 "Compute the argument or the FILTER condition in a subquery in FROM, and use a constant offset."},
	[REASON_SUBSELECT] =
		{"an argument, FILTER or offset has a subquery",
		 "Compute the argument or the FILTER condition in WITH ... AS MATERIALIZED, and use a constant offset."},
	[REASON_STOPS_EARLY] = {"WindowAgg stops at the first row that the query's condition leaves out",
							"No change is needed: WindowAgg reads the fewest rows here."},
	[REASON_MAY_FAIL] = {"PrefixScan reads rows ahead and might raise an error that WindowAgg does not raise",
						 "Leave out the expression that may raise an error, or store the rows below the window in a "
						 "table first."},
	[REASON_MAY_FAIL_LIMIT] = {"PrefixScan reads rows ahead and might raise an error that WindowAgg does not raise",
							   "Leave out the LIMIT, or the expression that may raise an error."},
	[REASON_MEMORY] = {"the rows that lag or lead reach may not fit in scan.work_mem", "Raise scan.work_mem."},
	[REASON_STEP] = {"Citus plans the window as a step of its own, and PrefixScan there would crash EXPLAIN ANALYZE of "
					 "this version of Citus",
					 "Add the distribution column to PARTITION BY, so that the shards run the window, or select from "
					 "the window without a subquery or WITH around it."},
	[REASON_GROUPING] = {"PostgreSQL before 18 takes a key for redundant that a grouping set makes NULL",
						 "Compute the grouping sets in WITH ... AS MATERIALIZED, or use PostgreSQL 18."},

	[REASON_WORKERS] = {"max_parallel_workers_per_gather is 0", "Set max_parallel_workers_per_gather to 1 or more."},
	[REASON_QUERY] = {"the query must not run in parallel",
					  "The query calls a function that is PARALLEL UNSAFE, changes a table, or belongs to a cursor."},
	[REASON_INPUT] = {"only one process can read the input",
					  "Several processes read a table that is at least as large as min_parallel_table_scan_size."},
	[REASON_UNSAFE] =
		{"a function or an expression is not parallel safe",
		 "If the function is safe to run in parallel, declare it so by ALTER FUNCTION ... PARALLEL SAFE."},
	[REASON_HASH] = {"a column of PARTITION BY has no hash function", "Partition by a type that has a hash function."},
	[REASON_WHOLE] = {"the window has no partitions that processes could share",
					  "Add PARTITION BY or use a shorter frame. For a RANGE frame, run ANALYZE on the table."},
	[REASON_TIES] = {"too many rows are equal in all columns of PARTITION BY and ORDER BY",
					 "Raise scan.work_mem so that these rows fit, or add a column to ORDER BY."},
	[REASON_EARLY] = {"a row that the query does not fetch may raise an error",
					  "Store the rows above the window in a table first, or aggregate them without GROUP BY."},
	[REASON_EARLY_LIMIT] = {"a row that the query does not fetch may raise an error", "Leave out the LIMIT."},
	[REASON_SUBQUERY] = {"a subquery whose result no row may read may raise an error",
						 "Compute the subquery first, and use its result as a parameter or from a table."},
	[REASON_REPLACED] = {"the library was replaced after the session began", "Connect again."},
	[REASON_PARALLEL_COST] =
		{"several processes are not expected to be faster",
		 "Sending every row through Gather would cost more than parallelism saves. Aggregate or filter the rows above "
		 "the window, or lower parallel_tuple_cost and parallel_setup_cost."},
};

ReasonText
reason_text(WindowReason reason)
{
	Assert(reason > REASON_NONE && reason < lengthof(texts));
	return texts[reason];
}

ReasonText
reason_text_of_part(WindowReason reason, int part)
{
	ReasonText	text = reason_text(reason);
	const char *what = reason < lengthof(of_part) ? of_part[reason] : NULL;

	if (part == PART_NONE || what == NULL)
		return text;
	if (part == PART_FRAME)
		text.sentence = psprintf("an offset of the frame %s", what);
	else if (part == PART_FILTER)
		text.sentence = psprintf("the FILTER %s", what);
	else
		text.sentence = psprintf("argument %d %s", part, what);
	return text;
}

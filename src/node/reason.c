/*
 * reason.c: what users are told why a window does not run in PrefixScan, or not in several processes.
 */
#include "postgres.h"

#include "node/reason.h"

static const ReasonText texts[] = {
	[REASON_COST] = {"WindowAgg is estimated to cost less", "SET scan.prefixscan = force to have it all the same."},
	[REASON_OFF] = {"scan.prefixscan is off", "SET scan.prefixscan = auto."},
	[REASON_FUNCTION] = {"the function or one of its arguments is not supported",
						 "The second argument of lag, lead and nth_value has to be a constant; window functions of "
						 "other extensions are always WindowAgg's."},
	[REASON_RANGE] = {"RANGE offsets of this type are not supported", "Order by a built-in type."},
	[REASON_NULLS] = {"IGNORE NULLS is not supported here",
					  "lag, first_value, last_value and nth_value are, of columns, over frames that begin with "
					  "their partition."},
	[REASON_VOLATILE] = {"an argument, FILTER or offset is volatile", "Compute it in a subquery below the window."},
	[REASON_SUBSELECT] = {"an argument, FILTER or offset has a subquery", "Compute it in a subquery below the window."},
	[REASON_STOPS_EARLY] = {"WindowAgg stops at the first row that the query's condition leaves out",
							"Nothing: it reads least."},
	[REASON_MAY_FAIL] = {"which errors come up may depend on which rows are asked for",
						 "Leave out the LIMIT, or what may fail in a row."},
	[REASON_MEMORY] = {"the rows that lag or lead reach may not fit in scan.work_mem", "Raise scan.work_mem."},
	[REASON_STEP] = {"it is a step of a distributed query, which EXPLAIN ANALYZE of this Citus could not show",
					 "Have the distribution column in PARTITION BY, for then the shards do it; or select from the "
					 "window without a subquery or WITH around it."},

	[REASON_WORKERS] = {"max_parallel_workers_per_gather is 0", "Set it to 1 or more."},
	[REASON_QUERY] = {"the query must not run in parallel",
					  "It has a function that is PARALLEL UNSAFE, changes a table, or belongs to a cursor."},
	[REASON_INPUT] = {"its input is read by one process",
					  "Tables from min_parallel_table_scan_size on are read by several."},
	[REASON_UNSAFE] = {"a function or an expression is not parallel safe",
					   "ALTER FUNCTION ... PARALLEL SAFE, if it is."},
	[REASON_HASH] = {"a partition's key has no hash function", "Partition by a type that has one."},
	[REASON_WHOLE] = {"it has no partitions that processes could share",
					  "A PARTITION BY, a shorter frame, or, for RANGE, an ANALYZE of the table."},
	[REASON_TIES] = {"too many rows are equal in all keys",
					 "Raise scan.work_mem, which has to hold them, or add a column to ORDER BY."},
	[REASON_EARLY] = {"a row that is not asked for may raise an error", "Leave out the LIMIT."},
	[REASON_REPLACED] = {"the library was replaced since the session began", "Connect again."},
	[REASON_PARALLEL_COST] = {"several are not expected to be faster",
							  "Rows that are counted, added up or filtered above the window do not all go up; "
							  "parallel_tuple_cost and parallel_setup_cost say what that costs."},
};

ReasonText
reason_text(WindowReason reason)
{
	Assert(reason > REASON_NONE && reason < lengthof(texts));
	return texts[reason];
}

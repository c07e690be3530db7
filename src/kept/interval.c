/*
 * interval.c: the intervals of the first key that the nodes of a kept scan's tree stand for.
 *
 * Those of one level have one width, and are counted by their buckets: bucket 0 begins at the number 0.  kept_bucket()
 * in kept.h, which is called for each row that is written, says which one a key lies in.
 */
#include "postgres.h"

#include "kept/store.h"

int64
kept_interval_start(const Kept *kept, int level, int64 bucket)
{
	return (int64) ((uint64) bucket << (kept->shift + 2 * level));
}

int64
kept_interval_end(const Kept *kept, int level, int64 bucket)
{
	return kept_interval_start(kept, level, bucket) + (int64) ((UINT64CONST(1) << (kept->shift + 2 * level)) - 1);
}

int
kept_children(const Kept *kept, int level)
{
	return 4;
}

/*
 * tile.h: the ways through a stretch of rows that are faster than row by row, for lines flagged
 * SCAN_TILED.
 */
#ifndef SCAN_CPU_TILE_H
#define SCAN_CPU_TILE_H

#include "cpu/cpu.h"

/* Returns the way that job->algorithm selects; never NULL. */
extern ScanRun scan_tiled_run(const ScanJob *job);

/* The ScanRun of lines without a faster way. */
static inline int64_t
scan_no_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y)
{
	(void) job, (void) acc, (void) i, (void) n, (void) y;
	return 0;
}

#endif /* SCAN_CPU_TILE_H */

/*
 * tile.h: the ways through a stretch of rows that do not go row by row: those of
 * the lines flagged SCAN_TILED.
 */
#ifndef SCAN_CPU_TILE_H
#define SCAN_CPU_TILE_H

#include "cpu/cpu.h"

/* The way that job->algorithm asks for; never NULL. */
extern ScanRun scan_tiled_run(const ScanJob *job);

/* No way: row by row it goes. */
static inline int64_t
scan_no_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y)
{
	(void) job, (void) acc, (void) i, (void) n, (void) y;
	return 0;
}

#endif /* SCAN_CPU_TILE_H */

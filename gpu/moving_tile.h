/*
 * moving_tile.h: tiles of rows, for minima and maxima over sliding frames.
 *
 * Two scans, one forward from each tile's first row and one backward from its last row, together contain the extreme of
 * any frame that is as long as a tile: van Herk (1992), Gil and Werman (1993).  Every device library cuts the rows of a
 * job by this rule (gpu.h), which the backend knows, too (src/device/fused_job.c).
 */
#ifndef SCAN_GPU_MOVING_TILE_H
#define SCAN_GPU_MOVING_TILE_H

#include "op/fn.h"

/* True if a tile begins at `row`, counted from 0 in its job.  Each tile but the last has `tile` rows; 0: no tiles. */
SCAN_FN bool
scan_tile_begins(uint32_t row, uint32_t tile)
{
	return tile != 0 && row % tile == 0;
}

#endif /* SCAN_GPU_MOVING_TILE_H */

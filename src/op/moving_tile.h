/*
 * moving_tile.h: tiles of rows, for extremes over frames that move.
 *
 * Two scans, one from each tile's first row on and one from its last row back, have the extreme of any frame that is
 * as long as a tile: van Herk (1992), Gil and Werman (1993).  Whoever runs the scans over sorted rows (a device, as
 * gpu.h says) cuts the rows of a job by the rule here, and whoever joins the answers (node/evaluate/moving_job.c) knows
 * by it where tiles begin.
 */
#ifndef SCAN_OP_MOVING_TILE_H
#define SCAN_OP_MOVING_TILE_H

#include "op/fn.h"

/* Whether a tile begins at a row of a job, counted from 0: each has `tile` rows, but for the last one; 0: there are
 * none. */
SCAN_FN bool
scan_tile_begins(uint32_t row, uint32_t tile)
{
	return tile != 0 && row % tile == 0;
}

#endif /* SCAN_OP_MOVING_TILE_H */

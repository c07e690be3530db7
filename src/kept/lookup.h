/*
 * lookup.h: whether a level above a window shows only a few rows, because it looks them up by a unique column.
 */
#ifndef SCAN_KEPT_LOOKUP_H
#define SCAN_KEPT_LOOKUP_H

#include "kept/window_level.h"

/* True if one of the conditions of the level above lets at most a few rows through. */
extern bool kept_finds_rows(const WindowLevel *level);

#endif /* SCAN_KEPT_LOOKUP_H */

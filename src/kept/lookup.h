/*
 * lookup.h: whether a level above a window shows only a few rows, because it looks them up by a unique column.
 */
#ifndef SCAN_KEPT_LOOKUP_H
#define SCAN_KEPT_LOOKUP_H

#include "kept/window_level.h"

/* Returns the condition of a level above that lets only the rows of some values through, NULL if there is none. */
extern Node *kept_lookup(const WindowLevel *level);

/* True if there is such a condition, or a join with a short list. */
extern bool kept_finds_rows(const WindowLevel *level);

#endif /* SCAN_KEPT_LOOKUP_H */

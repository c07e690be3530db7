/*
 * child_rows.h: the child of the node as a source of rows that filter.c filters.
 */
#ifndef SCAN_NODE_INPUT_CHILD_ROWS_H
#define SCAN_NODE_INPUT_CHILD_ROWS_H

#include "postgres.h"

#include "node/input/pull.h"
#include "node/input/row_source.h"
#include "node/input/window_keys.h"

/* The most rows that are appended at once, between two checks of the budget. */
#define CHILD_ROWS_MOST 4096

/* Returns the source of the child's rows, which looks at the keys first if they can be read so. */
extern RowSource child_rows(Pull *pull, const WindowKeys *keys);

#endif /* SCAN_NODE_INPUT_CHILD_ROWS_H */

/*
 * keys_first.h: reads the keys of a page's rows, and then the rows that are kept.
 *
 * For a caller that wants few rows, and knows which once it has seen some columns, the keys.
 */
#ifndef SCAN_NODE_INPUT_KEYS_FIRST_H
#define SCAN_NODE_INPUT_KEYS_FIRST_H

#include "postgres.h"

#include "node/input/pages.h"

/*
 * pages_may_look: true if the functions below may be called; is_key[c] says if column c of the rows is a key, and must
 * live as long as the reader.
 *
 * pages_look: appends at most `limit` rows, but fills in their keys only; returns their number.  0: as for
 * pages_pull().  -1: the next rows must be asked for by pages_pull().
 *
 * pages_take: appends those rows of the last pages_look() whose numbers, counted from 0, are in which[], with all
 * columns.  The same number may not occur twice.
 *
 * pages_ahead: fetches the rows of the next pages_look() into the processor's cache meanwhile, if the page has no more.
 */
extern bool	 pages_may_look(Pages *pages, const bool *is_key);
extern int64 pages_look(Pages *pages, Rows *rows, int64 limit);
extern void	 pages_take(Pages *pages, Rows *rows, const uint32 *which, int64 n);
extern void	 pages_ahead(Pages *pages);

#endif /* SCAN_NODE_INPUT_KEYS_FIRST_H */

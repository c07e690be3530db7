/*
 * row_source.h: where the rows come from that filter.c and first_rows.c filter.
 */
#ifndef SCAN_NODE_INPUT_ROW_SOURCE_H
#define SCAN_NODE_INPUT_ROW_SOURCE_H

#include "postgres.h"

#include "column/rows.h"

/* Where rows come from: appends some more of them; false: there are none. */
typedef struct RowSource
{
	bool (*append)(void *arg, Rows *rows);
	void *arg;
	int64 rows;		/* how many they are; 0: that is not known */
	bool  in_order; /* they come in the order of the window; only those of a range do */

	/*
	 * The keys first: as keys_first.h has it.  look: appends some rows, and fills in the columns of the window's keys
	 * only; -1: append() must be asked for the next ones.  NULL if the source cannot do it.
	 */
	int64 (*look)(void *arg, Rows *rows);
	void (*take)(void *arg, Rows *rows, const uint32 *which, int64 n);
	void (*ahead)(void *arg);
} RowSource;

#endif /* SCAN_NODE_INPUT_ROW_SOURCE_H */

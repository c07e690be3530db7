/*
 * first_rows.h: of each partition of input that is not in order, the rows that can be among its first.
 */
#ifndef SCAN_NODE_INPUT_FIRST_ROWS_H
#define SCAN_NODE_INPUT_FIRST_ROWS_H

#include "postgres.h"

#include "node/input/reader.h"

typedef struct Top Top;

/* For the rows of `reader`, of which reader->top says how many are wanted. */
extern Top *top_create(const BlockReader *reader);

extern void top_free(Top *top);

/*
 * Drops from n rows in order, and from their marks, those that are not wanted of their partition;
 * returns how many stay.
 */
extern int64 top_of_order(const TopRows *wanted, uint32 *order, uint8 *heads, uint8 *peers, int64 n);

/* How many rows to gather before they are sorted and the wanted ones kept. */
extern int64 top_due(const Top *top);

/*
 * Replaces *rows by copies of the first n of an order, with these marks, if that drops half of
 * them or more; returns whether it did.
 */
extern bool top_keep(Top *top, Rows **rows, const uint32 *order, const uint8 *heads, const uint8 *peers, int64 n);

/* Whether something is known by which rows to come are left out. */
extern bool top_filters(const Top *top);

/* Appends the rows of `batch` that are not known to come too late; returns how many were. */
extern int64 top_append(Top *top, Rows *rows, const Rows *batch);

/* Forgets the rows that were kept: they go elsewhere. */
extern void top_forget(Top *top);

#endif /* SCAN_NODE_INPUT_FIRST_ROWS_H */

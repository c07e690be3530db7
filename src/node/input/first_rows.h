/*
 * first_rows.h: keeps, of input that is not in order, the rows that can be among the first ones of their partition.
 */
#ifndef SCAN_NODE_INPUT_FIRST_ROWS_H
#define SCAN_NODE_INPUT_FIRST_ROWS_H

#include "postgres.h"

#include "node/input/block_reader.h"

typedef struct Top Top;

/*
 * Creates the state for the input of `reader`: reader->top says which rows are wanted, reader->compare is prepared.
 * The state is allocated in a context of its own below reader->memory.
 */
extern Top *top_create(const BlockReader *reader);

extern void top_free(Top *top);

/*
 * Drops the rows that are not wanted of their partition from an order of n rows and from its boundaries; returns how
 * many rows stay.
 */
extern int64 top_of_order(const TopRows *wanted, uint32 *order, uint8 *heads, uint8 *peers, int64 n);

/* Returns how many rows to gather before they are sorted and the wanted ones kept. */
extern int64 top_due(const Top *top);

/*
 * If n is at most half of the rows: replaces *rows by copies of the first n rows of the order, which has the boundaries
 * `heads` and `peers`, frees the old rows with all arrays of their pool, and returns true.  Else returns false.
 */
extern bool top_keep(Top *top, Rows **rows, const uint32 *order, const uint8 *heads, const uint8 *peers, int64 n);

/* True if the last wanted rows of some partitions are known, so that top_append() can leave rows out. */
extern bool top_filters(const Top *top);

/* Appends the rows of `batch` that may be wanted; returns how many they are.  Only if top_filters(). */
extern int64 top_append(Top *top, Rows *rows, const Rows *batch);

/* Forgets the last wanted rows of the partitions: the rows that were kept go elsewhere. */
extern void top_forget(Top *top);

#endif /* SCAN_NODE_INPUT_FIRST_ROWS_H */

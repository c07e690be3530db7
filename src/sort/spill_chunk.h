/*
 * spill_chunk.h: some rows as bytes, for a temporary file.
 */
#ifndef SCAN_SORT_SPILL_CHUNK_H
#define SCAN_SORT_SPILL_CHUNK_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "column/rows.h"

/* What the values of a chunk that are not in their Datums take, but for those of its last row. */
#define SPILL_CHUNK_BYTES (64 * 1024)

/* How many of n rows, at least one, fit in a chunk. */
extern int spill_chunk_rows(const Rows *rows, const uint32 *order, int n);

/* Appends n rows, in that order, to a chunk that is empty; columns that are constant are left out. */
extern void spill_chunk_write(StringInfo chunk, const Rows *rows, const uint32 *order, int n);

/* The n rows of a chunk, which take the place of those in `rows`; their values stay in the chunk. */
extern void spill_chunk_read(StringInfo chunk, Rows *rows, int n);

#endif /* SCAN_SORT_SPILL_CHUNK_H */

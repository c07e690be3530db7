/*
 * spill_chunk.h: some rows as bytes, for a temporary file.
 */
#ifndef SCAN_SORT_SPILL_CHUNK_H
#define SCAN_SORT_SPILL_CHUNK_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "column/rows.h"

/* Limit on the bytes of by-reference values in a chunk; the chunk's last row may exceed it. */
#define SPILL_CHUNK_BYTES (64 * 1024)

/* Returns how many of the n rows in `order`, at least one, fit in a chunk. */
extern int spill_chunk_rows(const Rows *rows, const uint32 *order, int n);

/* Appends n rows, in the order `order`, to an empty chunk.  Constant columns are left out. */
extern void spill_chunk_write(StringInfo chunk, const Rows *rows, const uint32 *order, int n);

/*
 * Replaces `rows` by the n rows of a chunk.  By-reference values stay in the chunk, which must live as long as
 * they are used.
 */
extern void spill_chunk_read(StringInfo chunk, Rows *rows, int n);

#endif /* SCAN_SORT_SPILL_CHUNK_H */

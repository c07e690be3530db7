/*
 * rows_serialize.h: rows as they lie, to go from one process to another.
 *
 * exchange/repartition.c repartitions rows to others with these.  Unlike a chunk of sort/spill_chunk.h, which holds the
 * values of a column one by one, this is the arrays themselves: whoever takes them has rows of the same
 * layout, of the same program.
 */
#ifndef SCAN_COLUMN_ROWS_SERIALIZE_H
#define SCAN_COLUMN_ROWS_SERIALIZE_H

#include "postgres.h"

#include "column/rows.h"

/* Appends n of the rows of others that are laid out alike, by their numbers. */
extern void rows_append_some(Rows *rows, const Rows *other, const uint32 *which, int64 n);

/* Is given bytes in order, or fills them in. */
typedef void (*RowsBytes)(void *file, void *bytes, Size size);

/* Has the rows written: so many bytes. */
extern Size rows_written_size(const Rows *rows);
extern void rows_write(const Rows *rows, RowsBytes write, void *file);

/* Appends rows that were written by rows_write. */
extern void rows_read(Rows *rows, RowsBytes read, void *file);

/* The same to memory, which has room for them, and from there. */
extern void rows_write_memory(const Rows *rows, char *to);
extern void rows_read_memory(Rows *rows, const char *from);

#endif /* SCAN_COLUMN_ROWS_SERIALIZE_H */

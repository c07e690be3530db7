/*
 * rows_serialize.h: the bytes of rows, to go from one process to another.
 *
 * exchange/repartition.c and exchange/batch.c repartition rows with these functions.  A chunk of
 * sort/spill_chunk.h holds the values of a column one by one; here the arrays are written as they are.  So the
 * reader's rows must have the same layout, and the reader must be the same program.
 */
#ifndef SCAN_COLUMN_ROWS_SERIALIZE_H
#define SCAN_COLUMN_ROWS_SERIALIZE_H

#include "postgres.h"

#include "column/rows.h"

/* Appends n rows of `other`, which has the same layout: the row numbers are in `which`. */
extern void rows_append_some(Rows *rows, const Rows *other, const uint32 *which, int64 n);

/* Writes `size` bytes to a file, or reads the next `size` bytes of it. */
typedef void (*RowsBytes)(void *file, void *bytes, Size size);

/* Returns the bytes that rows_write() writes. */
extern Size rows_written_size(const Rows *rows);
extern void rows_write(const Rows *rows, RowsBytes write, void *file);

/* Appends the rows that one rows_write() wrote. */
extern void rows_read(Rows *rows, RowsBytes read, void *file);

/* The same to and from memory, of rows_written_size() bytes. */
extern void rows_write_memory(const Rows *rows, char *to);
extern void rows_read_memory(Rows *rows, const char *from);

#endif /* SCAN_COLUMN_ROWS_SERIALIZE_H */

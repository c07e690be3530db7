/*
 * rows_serialize.h: the bytes of rows, in which they go to another process or to a temporary file.
 *
 * exchange/ passes rows to other processes so, and sort/row_file.c writes sorted runs, partitions beyond memory and
 * values that a function keeps.  The bytes are the arena, and then the arrays of the columns as they lie.  Offsets into
 * the arena count from its beginning, so nothing has to be changed in them, and the arena can be used where the bytes
 * lie.  Constant columns are left out.
 *
 * The reader's rows must have the same layout, and the reader must be the same program.  To write rows in another order
 * or layout, they are first appended to other rows (rows_append_some()), a few hundred at a time.  Rejected: values one
 * after the other, which is no shorter, and takes a copy of unknown length for each value.
 */
#ifndef SCAN_COLUMN_ROWS_SERIALIZE_H
#define SCAN_COLUMN_ROWS_SERIALIZE_H

#include "postgres.h"

#include "storage/buffile.h"

#include "column/rows.h"

/*
 * Appends n rows of `other`, whose numbers are in `which`.  `other` has the same columns, and the same layout unless
 * the layout of `rows` is ROWS_BY_COLUMN.
 */
extern void rows_append_some(Rows *rows, const Rows *other, const uint32 *which, int64 n);

/* Appends n rows of `other` from row `from` on.  `other` has the same columns and layout. */
extern void rows_append_range(Rows *rows, const Rows *other, int64 from, int64 n);

/*
 * Returns how many of the n rows in `which`, at least one, have by-reference values of together at most `limit` bytes;
 * the last row may exceed the limit.  *bytes: how many these are in an arena.
 */
extern int64 rows_within(const Rows *rows, const uint32 *which, int64 n, Size limit, Size *bytes);

/* True if the arena holds nothing but the values of these rows, which take `bytes` bytes. */
extern bool rows_fill_arena(const Rows *rows, Size bytes);

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

/*
 * Replaces `rows` by those that rows_write() wrote.  By-reference values stay in `bytes`, which is aligned as memory of
 * palloc() is, and must live as long as the values are used.
 */
extern void rows_read_in_place(Rows *rows, char *bytes);

/* ---- spill_file.c: bytes and rows in a temporary file of core's, a BufFile ---- */

/*
 * sort/row_file.c writes sorted runs so, node/input/spilled_ranges.c the ranges beyond memory, and exchange/batch.c
 * what does not fit in the memory that processes share.  An error of the disk has one wording, whoever meets it.
 */

extern void spill_write(BufFile *file, const void *bytes, Size size);
extern void spill_write_rows(BufFile *file, const Rows *rows);

/* Goes to a place as BufFileTell() returns it; 0, 0 is the beginning. */
extern void spill_seek(BufFile *file, int segment, off_t offset);

/* Reads `size` bytes.  Raises an error if the file has fewer. */
extern void spill_read(BufFile *file, void *bytes, Size size);

/* The same, but returns false if the file ends here. */
extern bool spill_read_or_end(BufFile *file, void *bytes, Size size);

/* Appends the rows that one spill_write_rows() wrote. */
extern void spill_read_rows(BufFile *file, Rows *rows);

#endif /* SCAN_COLUMN_ROWS_SERIALIZE_H */

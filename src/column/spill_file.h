/*
 * spill_file.h: bytes and rows in a temporary file of core's, a BufFile.
 *
 * sort/row_file.c writes sorted runs so, node/input/spilled_ranges.c the ranges beyond memory, and exchange/batch.c
 * what does not fit in the memory that processes share.  An error of the disk has one wording, whoever meets it.
 */
#ifndef SCAN_COLUMN_SPILL_FILE_H
#define SCAN_COLUMN_SPILL_FILE_H

#include "postgres.h"

#include "storage/buffile.h"

#include "column/rows.h"

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

#endif /* SCAN_COLUMN_SPILL_FILE_H */

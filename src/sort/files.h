/*
 * files.h: rows in temporary files.
 */
#ifndef SCAN_SORT_FILES_H
#define SCAN_SORT_FILES_H

#include "postgres.h"

#include "storage/buffile.h"

#include "column/rows.h"
#include "sort/order.h"

/* ---- row_file.c: rows in a temporary file, read in the order in which they were written ---- */

/*
 * runs.c has such a file for each sorted run.  The plan node has one for rows that it must read twice and that do not
 * fit in memory.
 */

/* Limit on the bytes of by-reference values in a chunk; the chunk's last row may exceed it. */
#define ROW_FILE_CHUNK_BYTES (64 * 1024)

typedef struct RowFile
{
	BufFile *file;

	/* for reading */
	Rows *rows;	 /* the current chunk's rows; their by-reference values lie in `chunk` */
	char *chunk; /* memory of `room` bytes */
	Size  room;
	int64 next; /* position in `rows` of the next row to return */
	bool  ended;
} RowFile;

/* Returns the most rows, with so many columns, that are written and read at once. */
extern int row_file_chunk_rows(int columns);

/* Creates the file.  It belongs to the current resource owner, which removes it after an error. */
extern void row_file_create(RowFile *file);

/*
 * Appends n rows: those in `order` from order[from] on or, if `order` is NULL, from row `from` on.  Returns the bytes
 * written.
 */
extern int64 row_file_write(RowFile *file, const Rows *rows, const uint32 *order, int64 from, int64 n);

/* Rewinds the file to its first row.  Rows with such columns are read, into memory below `parent`. */
extern void row_file_read(RowFile *file, MemoryContext parent, const RowColumn *column, int columns);

/* Reads the next chunk into file->rows.  Returns false if there is none. */
extern bool row_file_next(RowFile *file);

/*
 * Appends the next rows of the file to `rows`: at most `limit`, and it stops with the chunk in which their by-reference
 * values exceed `bytes` bytes.  Returns their number; 0: the file has ended.
 */
extern int64 row_file_pull(RowFile *file, Rows *rows, int64 limit, Size bytes);

extern void row_file_close(RowFile *file);

/* ---- runs.c: sorted runs of rows on disk, and their merge ---- */

/*
 * The plan node (node/input/sorted_input.c) writes as many rows at a time as it may keep in memory, sorted by key.c:
 * they become a run in a temporary file.  The runs are merged and returned as one stream.  Rows that are equal in all
 * keys keep the order in which they were written.
 */

typedef struct Runs Runs;

/*
 * Creates an empty set of runs, of rows with such columns; constant columns are not written.  The runs are merged by
 * the caller's keys, within `budget` bytes if that is possible.  Memory comes from a new context below `parent`.  The
 * files belong to the current resource owner, which removes them after an error.
 */
extern Runs *runs_create(MemoryContext parent, const RowColumn *column, int columns, SortSupport key, int keys,
						 Size budget);

/* Writes one more run: rows in an order, an ORDER_ROWS.  Rows with equal keys come behind those of earlier runs. */
extern void runs_write(Runs *runs, const Rows *rows, const SortOrder *order);

/*
 * Appends the next rows in order to `rows`: at most `limit`, and it stops once their by-reference values exceed `bytes`
 * bytes.  Returns their number; 0: there are no more.
 */
extern int64 runs_pull(Runs *runs, Rows *rows, int64 limit, Size bytes);

/* Returns the bytes written, merged runs included. */
extern int64 runs_written(const Runs *runs);

/* Closes the files, and frees the runs and all of their memory. */
extern void runs_free(Runs *runs);

#endif /* SCAN_SORT_FILES_H */

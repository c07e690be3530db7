/*
 * row_file.h: rows in a temporary file, to be read in the order in which they were written.
 *
 * runs.c has one for each sorted run, and the plan node one for rows that it has to see twice
 * and that do not fit in memory.
 */
#ifndef SCAN_SORT_ROW_FILE_H
#define SCAN_SORT_ROW_FILE_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "storage/buffile.h"

#include "column/rows.h"

typedef struct RowFile
{
	BufFile *file;

	/* reading */
	Rows		  *rows; /* the chunk at hand: its by-reference values lie in `chunk` */
	StringInfoData chunk;
	int64		   next; /* the first of its rows that was not taken */
	bool		   ended;
} RowFile;

/* How many rows with so many columns are written and read at once, at most. */
extern int row_file_chunk_rows(int columns);

/* The file belongs to the current resource owner, which removes it after an error. */
extern void row_file_create(RowFile *file);

/* Appends n of the rows, in that order, or, if it is NULL, as they lie from row `from` on; returns the bytes. */
extern int64 row_file_write(RowFile *file, const Rows *rows, const uint32 *order, int64 from, int64 n);

/* Goes to the first row; rows of such columns are read, in memory below `parent`. */
extern void row_file_read(RowFile *file, MemoryContext parent, const RowColumn *column, int columns);

/* The next chunk, in file->rows; false: there is none. */
extern bool row_file_next(RowFile *file);

/* Appends the next rows, at most `most`, or so many as have `bytes` beside their Datums; 0: there are none. */
extern int64 row_file_pull(RowFile *file, Rows *rows, int64 limit, Size bytes);

extern void row_file_close(RowFile *file);

#endif /* SCAN_SORT_ROW_FILE_H */

/*
 * file_map.h: memory that the operating system may write to disk.
 */
#ifndef SCAN_COLUMN_FILE_MAP_H
#define SCAN_COLUMN_FILE_MAP_H

#include "postgres.h"

/*
 * Returns `size` bytes, aligned to a cache line, mapped from a temporary file.  The operating system writes them out
 * when memory is short, and reads them back on access.  An error if the disk is full or temp_file_limit is reached.
 * The memory lives until file_unmap(), which may be called at any time, after an error too.
 */
extern void *file_map(Size size);
extern void	 file_unmap(void *at);

/* Bytes of all maps. */
extern Size file_map_total;

/* Sets about how many bytes of the maps may be in the process's memory from now on. */
extern void file_map_keep_at_most(Size bytes);

/*
 * Called by a loop that has read `rows` more rows (stretch.h).  When the rows since the last time are about as
 * many as may be in memory, the pages of all maps leave the process; they stay in the system's page cache, or
 * on disk.
 */
extern void file_map_looked_at(int64 rows);

#endif /* SCAN_COLUMN_FILE_MAP_H */

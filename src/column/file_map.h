/*
 * file_map.h: memory that the system may put on disk.
 */
#ifndef SCAN_COLUMN_FILE_MAP_H
#define SCAN_COLUMN_FILE_MAP_H

#include "postgres.h"

/*
 * So many bytes, aligned to a cache line, mapped from a temporary file without a name: the system writes them
 * out when memory is short, and reads them when they are looked at.  An error where the disk is full, or
 * temp_file_limit is reached.  Given back by file_unmap(), at any time, after an error too.
 */
extern void *file_map(Size size);
extern void	 file_unmap(void *at);

/* The bytes of all maps. */
extern Size file_map_total;

/* How many bytes of the maps may be in the process's memory, about, from now on. */
extern void file_map_keep_at_most(Size bytes);

/*
 * A loop has looked at so many rows more (stretch.h).  When they come to what may be kept, the pages
 * of all maps leave the process; they stay in the system's memory, or on disk.
 */
extern void file_map_looked_at(int64 rows);

#endif /* SCAN_COLUMN_FILE_MAP_H */

/*
 * file_map.h: memory that the system may put on disk.
 */
#ifndef SCAN_COLUMN_FILE_MAP_H
#define SCAN_COLUMN_FILE_MAP_H

#include "postgres.h"

/*
 * So many bytes, mapped from a temporary file without a name: what is there is written out when memory is
 * short, and comes back when it is looked at.  An error where the disk is full, or temp_file_limit is
 * reached.  Given back by file_unmap().
 */
extern void *file_map(Size size);
extern void	 file_unmap(void *at, Size size);

/* How many bytes there are of all maps. */
extern Size file_map_total;

/* Takes the pages of a map out of the process; they stay in the system's memory, or on disk. */
extern void file_map_let_go(void *at, Size size);

#endif /* SCAN_COLUMN_FILE_MAP_H */

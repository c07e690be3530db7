/*
 * file_map.c: memory that the operating system may write to disk.
 *
 * pool.c calls it when the arrays of a query exceed its memory.  The arrays are read by loops over columns and trees,
 * which know addresses, not files.  So the file is mapped in place of an array, and the system does what a buffer
 * manager would: it writes pages out in the background, and reads ahead of a loop.  Rejected: swap space, which most
 * servers have little of, and which counts as memory.
 *
 * The file stays open as long as it is mapped, and is deleted when it is closed: core counts open temporary files
 * against temp_file_limit, so the limit is one for these files and for core's own.  All of the file's blocks are
 * reserved at once: a block that is missing when a page is first written would raise a signal (SIGBUS) that ends the
 * server.
 *
 * The pool that owns a map unmaps it, after an error too, so the file is none that core closes with the transaction.
 * Rejected: to close the file at once and to count the maps here; a query could then use twice the limit.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/wait_event.h"

#include "column/memory.h"

/* The header of a map. */
typedef struct FileMap
{
	dlist_node node;
	Size	   size; /* bytes, header included */
	File	   file;
} FileMap;

#define MAP_HEAD 64 /* a cache line: the memory after it is aligned */
StaticAssertDecl(sizeof(FileMap) <= MAP_HEAD, "a map's head fits");

#define ROW_BYTES 128 /* bytes that a loop reads for each row, about */

static dlist_head maps = DLIST_STATIC_INIT(maps);
static int64	  looked_at; /* rows read since pages left the last time */
static int64	  most_looked_at;
Size			  file_map_total;

/* Gives a file its size, which core checks and counts as that of its own temporary files.  Returns 0 or an errno. */
static int
set_file_size(File file, Size size)
{
	char last = 0;
	int	 failed;

	if (FileWrite(file, &last, 1, (off_t) size - 1, WAIT_EVENT_BUFFILE_WRITE) != 1)
		return errno;
	do
	{
		CHECK_FOR_INTERRUPTS();
		failed = posix_fallocate(FileGetRawDesc(file), 0, (off_t) size);
	} while (failed == EINTR);
	return failed;
}

/* The same; closes the file if core raises an error. */
static int
set_size_or_close(File file, Size size)
{
	volatile int failed = 0;

	PG_TRY();
	{
		failed = set_file_size(file, size);
	}
	PG_CATCH();
	{
		FileClose(file);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return failed;
}

void *
file_map(Size size)
{
	File	 file = OpenTemporaryFile(true);
	FileMap *map = MAP_FAILED;
	int		 failed;

	size += MAP_HEAD;
	failed = set_size_or_close(file, size);
	if (!failed)
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, FileGetRawDesc(file), 0);
	if (!failed && map == MAP_FAILED)
		failed = errno;
	if (failed)
	{
		FileClose(file);
		errno = failed;
		/* mmap() fails with ENOMEM if a limit leaves the process no addresses */
		ereport(ERROR, (errcode(failed == ENOSPC   ? ERRCODE_DISK_FULL
								: failed == ENOMEM ? ERRCODE_OUT_OF_MEMORY
												   : ERRCODE_IO_ERROR),
						errmsg("could not reserve a temporary file of %zu bytes: %m", size)));
	}
	map->size = size;
	map->file = file;
	dlist_push_head(&maps, &map->node);
	file_map_total += size;
	return (char *) map + MAP_HEAD;
}

void
file_unmap(void *at)
{
	FileMap *map = (FileMap *) ((char *) at - MAP_HEAD);

	dlist_delete(&map->node);
	file_map_total -= map->size;
	FileClose(map->file);
	munmap(map, map->size);
}

void
file_map_keep_at_most(Size bytes)
{
	most_looked_at = bytes / ROW_BYTES;
}

void
file_map_looked_at(int64 rows)
{
	dlist_iter iter;

	looked_at += rows;
	if (looked_at < most_looked_at)
		return;
	looked_at = 0;
#ifdef MADV_DONTNEED
	dlist_foreach (iter, &maps)
	{
		FileMap *map = dlist_container(FileMap, node, iter.cur);

		(void) madvise(map, map->size, MADV_DONTNEED);
	}
#endif
}

/*
 * file_map.c: memory that the system may put on disk.
 *
 * Fed by pool.c, where the arrays of a query are more than its memory may be.  What looks at them are
 * loops over columns and trees, which know addresses, not files; so the file is mapped where an array would be,
 * and the system does what a buffer manager would: writes pages out in the background, and reads them in
 * ahead of a loop.  Rejected: swap space, which most servers have little of, and which counts as memory.
 *
 * The file has lost its name, and is closed as soon as it is mapped: it goes with the map, and so with the
 * memory that it stands for, after an error too.  All of its blocks are reserved at once.  A block
 * that is missing when a page is first written would be a signal that ends the server.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "storage/fd.h"
#include "utils/guc.h"

#include "column/file_map.h"

Size file_map_total;

/* A temporary file is to be as large as the settings allow. */
static void
check_limit(Size size)
{
	if (temp_file_limit >= 0 && file_map_total + size > (Size) temp_file_limit * 1024)
		ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
						errmsg("temporary file size exceeds temp_file_limit (%dkB)", temp_file_limit)));
}

void *
file_map(Size size)
{
	File  file;
	void *at;
	int	  failed;

	check_limit(size);
	file = OpenTemporaryFile(false);
	do
		failed = posix_fallocate(FileGetRawDesc(file), 0, (off_t) size);
	while (failed == EINTR);
	at = failed ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, FileGetRawDesc(file), 0);
	if (!failed && at == MAP_FAILED)
		failed = errno;
	FileClose(file);
	if (failed)
	{
		errno = failed;
		ereport(ERROR, (errcode(failed == ENOSPC ? ERRCODE_DISK_FULL : ERRCODE_IO_ERROR),
						errmsg("could not reserve a temporary file of %zu bytes: %m", size)));
	}
	file_map_total += size;
	return at;
}

void
file_unmap(void *at, Size size)
{
	munmap(at, size);
	file_map_total -= size;
}

void
file_map_let_go(void *at, Size size)
{
#ifdef MADV_DONTNEED
	(void) madvise(at, size, MADV_DONTNEED);
#endif
}

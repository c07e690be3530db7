/*
 * denied_pages.c: stands in front of madvise() in the server's processes, for device_denied.t.
 *
 * SCAN_TEST_FOLDER names a folder.  While it has a file `deny`, the system has no page for whoever asks for some; while
 * it has a file `hold`, whoever asks waits, and makes a file `held`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static int
there_is(const char *name, int flags)
{
	const char *folder = getenv("SCAN_TEST_FOLDER");
	char		path[1024];
	int			file;

	snprintf(path, sizeof(path), "%s/%s", folder == NULL ? "/nonexistent" : folder, name);
	file = open(path, flags, 0666);
	if (file >= 0)
		close(file);
	return file >= 0;
}

int
madvise(void *at, size_t size, int advice)
{
	if (advice == MADV_POPULATE_WRITE)
	{
		if (there_is("deny", O_RDONLY))
		{
			errno = ENOMEM;
			return -1;
		}
		if (there_is("hold", O_RDONLY) && there_is("held", O_RDONLY | O_CREAT))
			while (there_is("hold", O_RDONLY))
				usleep(1000);
	}
	return (int) syscall(SYS_madvise, at, size, advice);
}

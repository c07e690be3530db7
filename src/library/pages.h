/*
 * pages.h: asks the system for pages of a memory file before they are written to.
 *
 * A process that touches a page which the system cannot give is ended by SIGBUS, and the postmaster then restarts the
 * server.  The pages of a memory file are counted one by one as they are first touched, whatever was mapped: where
 * vm.overcommit_memory is 2, any of them may be denied.  So whoever maps such a file asks here first, and does without.
 * Private memory needs no such request, because mmap() fails instead.
 */
#ifndef SCAN_LIBRARY_PAGES_H
#define SCAN_LIBRARY_PAGES_H

#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>

/* Has the system allocate `size` bytes of a file from `offset` on, which are mapped at `at`; false: it has none. */
static inline bool
pages_allocate(int descriptor, Size offset, char *at, Size size)
{
#ifdef MADV_POPULATE_WRITE
	if (madvise(at, size, MADV_POPULATE_WRITE) == 0)
		return true;
	if (errno != EINVAL) /* EINVAL: an older system without MADV_POPULATE_WRITE */
		return false;
#endif
	return posix_fallocate(descriptor, (off_t) offset, (off_t) size) == 0;
}

#endif /* SCAN_LIBRARY_PAGES_H */

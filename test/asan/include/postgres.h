/*
 * postgres.h: core's, with functions that allocate memory in a form that AddressSanitizer can check.  For
 * test/asan/run.sh, which puts this folder before the others.
 *
 * A memory context carves its chunks out of blocks of malloc's, and AddressSanitizer knows the blocks only.  Here each
 * chunk that the extension allocates is larger than any context's limit for a part of a block, so that the context asks
 * malloc for it alone, and the rest behind the bytes that were asked for is poisoned.  What core itself allocates is
 * not checked more closely than by block.
 */
#ifndef SCAN_TEST_ASAN_POSTGRES_H
#define SCAN_TEST_ASAN_POSTGRES_H

#include_next "postgres.h"

#include <sanitizer/asan_interface.h>

#include "utils/memutils.h"
#include "utils/palloc.h"

/* more than ALLOC_CHUNK_LIMIT in aset.c; other kinds of contexts have limits below it */
#define ASAN_LEAST ((Size) 8192 + 8)

static inline void *
asan_poisoned(void *chunk, Size size)
{
	if (chunk != NULL && size < ASAN_LEAST)
		ASAN_POISON_MEMORY_REGION((char *) chunk + size, ASAN_LEAST - size);
	return chunk;
}

static inline void *
asan_alloc(MemoryContext context, Size size, int flags)
{
	/* core raises its own error for a size that is too large */
	return asan_poisoned(MemoryContextAllocExtended(context, Max(size, ASAN_LEAST), flags), size);
}

static inline void *
asan_resize(void *chunk, Size size, bool huge)
{
	/* the chunk may be one of core's, whose context may carve it: core copies no more than it had */
	return asan_poisoned(huge ? repalloc_huge(chunk, Max(size, ASAN_LEAST)) : repalloc(chunk, Max(size, ASAN_LEAST)),
						 size);
}

#define palloc(size) asan_alloc(CurrentMemoryContext, size, 0)
#define palloc0(size) asan_alloc(CurrentMemoryContext, size, MCXT_ALLOC_ZERO)
#define palloc_extended(size, flags) asan_alloc(CurrentMemoryContext, size, flags)
#define MemoryContextAlloc(context, size) asan_alloc(context, size, 0)
#define MemoryContextAllocZero(context, size) asan_alloc(context, size, MCXT_ALLOC_ZERO)
#define MemoryContextAllocHuge(context, size) asan_alloc(context, size, MCXT_ALLOC_HUGE)
#define MemoryContextAllocExtended(context, size, flags) asan_alloc(context, size, flags)
#define repalloc(chunk, size) asan_resize(chunk, size, false)
#define repalloc_huge(chunk, size) asan_resize(chunk, size, true)

#endif /* SCAN_TEST_ASAN_POSTGRES_H */

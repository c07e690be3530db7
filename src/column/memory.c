/*
 * memory.c: PostgreSQL's memory for accumulators that grow (ScanMemory, op/fn.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/memory.h"

static void *
context_resize(ScanMemory *memory, void *old, size_t size)
{
	if (size == 0)
	{
		if (old != NULL)
			pfree(old);
		return NULL;
	}
	if (old == NULL)
		return MemoryContextAllocHuge(((ContextMemory *) memory)->context, size);
	return repalloc_huge(old, size);
}

static void
context_tick(ScanMemory *memory)
{
	CHECK_FOR_INTERRUPTS();
}

ScanMemory *
context_memory(ContextMemory *owner, MemoryContext context)
{
	owner->memory.resize = context_resize;
	owner->memory.tick = context_tick;
	owner->context = context;
	return &owner->memory;
}

void *
memory_renew(MemoryContext context, void *old, Size size)
{
	if (old != NULL)
		pfree(old);
	return MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/*
 * memory.h: PostgreSQL's memory for accumulators that grow (ScanMemory, op/fn.h).
 */
#ifndef SCAN_COLUMN_MEMORY_H
#define SCAN_COLUMN_MEMORY_H

#include "postgres.h"

#include "op/fn.h"

/* The memory of a context: all of it goes with the context. */
typedef struct ContextMemory
{
	ScanMemory	  memory;
	MemoryContext context;
} ContextMemory;

/* Sets `owner` up; the answer points into it. */
extern ScanMemory *context_memory(ContextMemory *owner, MemoryContext context);

#endif /* SCAN_COLUMN_MEMORY_H */

/*
 * memory.h: accumulators that grow (ScanMemory, op/fn.h) get PostgreSQL's memory here.
 */
#ifndef SCAN_COLUMN_MEMORY_H
#define SCAN_COLUMN_MEMORY_H

#include "postgres.h"

#include "op/fn.h"

/* Memory in a context, which frees all of it. */
typedef struct ContextMemory
{
	ScanMemory	  memory;
	MemoryContext context;
} ContextMemory;

/* Initializes `owner`, and returns a pointer into it. */
extern ScanMemory *context_memory(ContextMemory *owner, MemoryContext context);

#endif /* SCAN_COLUMN_MEMORY_H */

/*
 * call_context.c: the brand that identifies a ScanCallContext.
 */
#include "postgres.h"

#include "column/call_context.h"

/* compared by its address */
const char scan_call_context_brand[] = "scan";

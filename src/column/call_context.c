/*
 * call_context.c: what marks a ScanCallContext.
 */
#include "postgres.h"

#include "column/call_context.h"

/* known by its address */
const char scan_call_context_brand[] = "scan";

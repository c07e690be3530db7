/*
 * entry_points.c: the variables of entry_points.h and call_context.h.
 */
#include "postgres.h"

#include "call/call_context.h"
#include "call/entry_points.h"

const EntryPoints *entry_points = NULL;

/* The brand that identifies a ScanCallContext. */

/* compared by its address */
const char scan_call_context_brand[] = "scan";

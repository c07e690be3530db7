/*
 * call_context.c: what marks a RowSource.
 */
#include "postgres.h"

#include "column/call_context.h"

/* known by its address */
const char row_source_brand[] = "scan";

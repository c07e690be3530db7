/*
 * source.c: what marks a RowSource.
 */
#include "postgres.h"

#include "column/source.h"

/* known by its address */
const char row_source_brand[] = "scan";

/*
 * entry_points.c: see entry_points.h.
 */
#include "postgres.h"

#include "column/entry_points.h"

const EntryPoints *entry_points = NULL;

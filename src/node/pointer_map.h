/*
 * pointer_map.h: a map from the address of a thing to what was found out about it.
 *
 * level.c and error_timing/read_ahead.c use it while a statement is planned: core passes the same query levels, paths
 * and functions again and again, and a list of hundreds of them would be searched for each of them.
 */
#ifndef SCAN_NODE_POINTER_MAP_H
#define SCAN_NODE_POINTER_MAP_H

#include "postgres.h"

typedef struct pointer_hash PointerMap;

/* Returns an empty map in a memory context. */
extern PointerMap *pointer_map_create(MemoryContext context);

/* Returns what is remembered of an address; NULL for an address of which nothing is. */
extern void *pointer_map_get(const PointerMap *map, const void *address);

/* Remembers a value of an address, in place of the value before. */
extern void pointer_map_set(PointerMap *map, const void *address, void *value);

/* Forgets all addresses. */
extern void pointer_map_empty(PointerMap *map);

#endif /* SCAN_NODE_POINTER_MAP_H */

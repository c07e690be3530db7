/*
 * pointer_map.c: a map from the address of a thing to what was found out about it, by core's simplehash.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "node/pointer_map.h"

/* Addresses for which a new map has room. */
#define FIRST_SIZE 16

typedef struct PointerEntry
{
	const void *address;
	void	   *value;
	char		status; /* simplehash's */
} PointerEntry;

/* Things in memory begin at multiples of 8 bytes. */
#define SH_PREFIX pointer
#define SH_ELEMENT_TYPE PointerEntry
#define SH_KEY_TYPE const void *
#define SH_KEY address
#define SH_HASH_KEY(map, address) murmurhash32((uint32) ((uintptr_t) (address) >> 3))
#define SH_EQUAL(map, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

PointerMap *
pointer_map_create(MemoryContext context)
{
	return pointer_create(context, FIRST_SIZE, NULL);
}

void *
pointer_map_get(const PointerMap *map, const void *address)
{
	const PointerEntry *entry = pointer_lookup(unconstify(PointerMap *, map), address);

	return entry == NULL ? NULL : entry->value;
}

void
pointer_map_set(PointerMap *map, const void *address, void *value)
{
	bool there;

	pointer_insert(map, address, &there)->value = value;
}

void
pointer_map_empty(PointerMap *map)
{
	pointer_reset(map);
}

/*
 * registered.h: host memory that cudaHostRegister() has pinned, by the driver's rules; for emulate.cc and
 * ptx/runtime.cc.
 *
 * The driver refuses to register a page twice.  It refuses a copy whose host memory lies partly in a registration, even
 * if the rest lies in another one.
 */
#ifndef SCAN_GPU_TEST_REGISTERED_H
#define SCAN_GPU_TEST_REGISTERED_H

#include <map>

#include <stddef.h>
#include <stdint.h>

#define REGISTERED_PAGE 4096

/* Whole pages, from address to address. */
static std::map<uintptr_t, uintptr_t> registered_memory;

/* True if a registration has some byte of the range, but not all of them. */
static inline bool
registered_in_part(const void *p, size_t size)
{
	uintptr_t from = (uintptr_t) p, to = from + size;

	for (const auto &range : registered_memory)
		if (from < range.second && range.first < to && (from < range.first || to > range.second))
			return true;
	return false;
}

/* Returns false if some page is registered already. */
static inline bool
registered_add(const void *p, size_t size)
{
	uintptr_t from = (uintptr_t) p / REGISTERED_PAGE * REGISTERED_PAGE;
	uintptr_t to = ((uintptr_t) p + size + REGISTERED_PAGE - 1) / REGISTERED_PAGE * REGISTERED_PAGE;

	for (const auto &range : registered_memory)
		if (from < range.second && range.first < to)
			return false;
	registered_memory[from] = to;
	return true;
}

/* Returns false if no registration begins there. */
static inline bool
registered_remove(const void *p)
{
	return registered_memory.erase((uintptr_t) p / REGISTERED_PAGE * REGISTERED_PAGE) == 1;
}

#endif /* SCAN_GPU_TEST_REGISTERED_H */

/*
 * memory.h: the device's memory: who may touch what, and when others see it.
 *
 * Allocations lie far apart, and every place knows whether it belongs to one.  A block's stores wait in a buffer, as
 * they would in caches, and reach memory in any order that no fence forbids; a thread may read a place as it was at any
 * time since its last fence.  So two threads that rely on an order between two places have to ask for it, as on a
 * device of PTX's memory model, which allows more than any one device does.  A block sees its own stores at once:
 * blocks run on one multiprocessor.
 */
#ifndef SCAN_PTX_MEMORY_H
#define SCAN_PTX_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <vector>

#define PIECE 8 /* bytes that are written, buffered and remembered together, aligned */

struct Block;
struct Instruction;
struct Warp;

/* A store that waits. */
struct Store
{
	uint64_t place;
	uint64_t value;
	uint32_t size;
	uint32_t lanes; /* whose fence makes it visible: those of a warp, or, after a barrier, anybody's of the block */
	int		 warp;
	bool	 everybody;
};

typedef std::vector<Store> StoreBuffer;

/* ---- from the host ---- */

/* Filled with rubbish; what is freed belongs to nothing from then on. */
extern void *memory_allocate(size_t size);
extern void	 memory_free(void *p);

/* Stops unless all of it may be touched, if it is the device's at all. */
extern void memory_host_touches(const void *p, size_t size, const char *doing);

/* ---- from a kernel: pieces of 1, 2, 4 or 8 bytes, aligned by their size ---- */

extern uint64_t memory_read(Warp &warp, int lane, uint64_t place, const Instruction &instruction);
extern void		memory_write(Warp &warp, int lane, uint64_t place, uint64_t value, const Instruction &instruction);
/* Reads and writes at once, for all to see. */
extern uint64_t memory_exchange(Warp &warp, int lane, uint64_t place,
								uint64_t (*change)(uint64_t old, uint64_t operand), uint64_t operand,
								const Instruction &instruction);

/*
 * A lane's release: what it has stored, and knows to be stored, arrives before what it stores next.  Its acquire, of a
 * place that it has just read: what had arrived before the place's last change is seen from now on, and no more.  A
 * fence is both, for all places.  A meeting of lanes; a meeting of the whole block.
 */
extern void memory_release(Warp &warp, int lane);
extern void memory_acquire(Warp &warp, int lane, uint64_t place);
extern void memory_fence(Warp &warp, int lane);
extern void memory_meet(Warp &warp, uint32_t lanes);
extern void memory_barrier(Block &block);

/* Lets some of the block's stores arrive, or all of them. */
extern void memory_settle(Block &block, size_t n);

/* How much has been stored so far. */
extern uint32_t memory_time(void);

#endif /* SCAN_PTX_MEMORY_H */

/*
 * emulate.cc: the coroutines of emulate.h.
 *
 * A launch runs its blocks in order, SCAN_EMULATE_BLOCKS of them at a time (3 unless
 * told).  Where there are many the oldest one is held back, so that the others find
 * nothing before them for long.  Coroutines switch by a few instructions of x86-64:
 * swapcontext() asks the kernel twice for every switch.
 */
#include "emulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <map>
#include <vector>

#include "registered.h"

#ifndef __x86_64__
#error "the emulator switches stacks by x86-64 instructions"
#endif

#define STACK_SIZE (64 * 1024)

/* Saves what the caller of a function may rely on, and goes on where another saved it. */
extern "C" void emulate_switch(void **save, void *to);
__asm__(".text\n"
		".globl emulate_switch\n"
		".type emulate_switch,@function\n"
		"emulate_switch:\n"
		"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
		"	movq %rsp, (%rdi)\n"
		"	movq %rsi, %rsp\n"
		"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
		"	ret\n");

struct Fiber;

struct Barrier
{
	unsigned			 expected, arrived;
	std::vector<Fiber *> waiting;
};

struct Warp
{
	Barrier		meet, done;
	const void *value[32];
};

struct Block
{
	Emulated3					   index;
	unsigned					   left; /* threads that have not ended */
	Barrier						   barrier;
	std::vector<Warp>			   warps;
	std::map<const void *, void *> shared;
};

struct Fiber
{
	Block	 *block;
	Emulated3 thread;
	void	 *stack;
	void	 *at; /* the stack's top while it does not run */
};

static Emulated3					grid_size, block_size;
static const std::function<void()> *body;
static std::vector<Fiber *>			ready;
static std::vector<void *>			stacks; /* free ones */
static Fiber					   *now;
static void						   *scheduler;
static uint64_t						seed = 1;

static uint64_t
draw(uint64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % below;
}

const Emulated3 &
emulate_thread_index()
{
	return now->thread;
}

const Emulated3 &
emulate_block_index()
{
	return now->block->index;
}

const Emulated3 &
emulate_block_size()
{
	return block_size;
}

const Emulated3 &
emulate_grid_size()
{
	return grid_size;
}

int
emulate_coin()
{
	return (int) draw(2);
}

int
emulate_lane()
{
	return (int) (now->thread.x % 32);
}

/* ---- coroutines ---- */

static void
sleep_until_woken()
{
	emulate_switch(&now->at, scheduler);
}

void
emulate_yield()
{
	ready.push_back(now);
	sleep_until_woken();
}

static void
meet(Barrier *barrier)
{
	if (++barrier->arrived < barrier->expected)
	{
		barrier->waiting.push_back(now);
		sleep_until_woken();
		return;
	}
	barrier->arrived = 0;
	ready.insert(ready.end(), barrier->waiting.begin(), barrier->waiting.end());
	barrier->waiting.clear();
	/* not always the last one to come goes first */
	emulate_yield();
}

void
emulate_block_barrier()
{
	meet(&now->block->barrier);
}

const void *const *
emulate_warp_meet(const void *value)
{
	Warp *warp = &now->block->warps[now->thread.x / 32];

	warp->value[now->thread.x % 32] = value;
	meet(&warp->meet);
	return warp->value;
}

void
emulate_warp_done()
{
	meet(&now->block->warps[now->thread.x / 32].done);
}

void *
emulate_shared(const void *where, size_t size)
{
	void *&place = now->block->shared[where];

	if (place == NULL)
	{
		place = aligned_alloc(16, (size + 15) / 16 * 16);
		memset(place, 0xa5, size);
	}
	return place;
}

static void
fiber_main()
{
	(*body)();
	now->block->left--;
	emulate_switch(&now->at, scheduler);
	abort();
}

static Fiber *
new_fiber(Block *block, unsigned x)
{
	Fiber *fiber = new Fiber();
	void **top;

	fiber->block = block;
	fiber->thread = {x, 0, 0};
	if (stacks.empty())
		stacks.push_back(aligned_alloc(4096, STACK_SIZE));
	fiber->stack = stacks.back();
	stacks.pop_back();
	/* as if emulate_switch had been called from the place of fiber_main's return */
	top = (void **) ((char *) fiber->stack + STACK_SIZE) - 1;
	*--top = (void *) fiber_main;
	for (int i = 0; i < 6; i++)
		*--top = NULL;
	fiber->at = top;
	return fiber;
}

static void
start_block(unsigned index)
{
	Block *block = new Block();

	block->index = {index, 0, 0};
	block->left = block_size.x;
	block->barrier.expected = block_size.x;
	block->warps.resize((block_size.x + 31) / 32);
	for (Warp &warp : block->warps)
		warp.meet.expected = warp.done.expected = 32;
	for (unsigned x = 0; x < block_size.x; x++)
		ready.push_back(new_fiber(block, x));
}

static void
end_block(Block *block)
{
	for (auto &memory : block->shared)
		free(memory.second);
	delete block;
}

void
emulate_launch(unsigned grid, unsigned block, const std::function<void()> &kernel)
{
	const char *blocks = getenv("SCAN_EMULATE_BLOCKS");
	unsigned	resident = blocks == NULL ? 3 : (unsigned) atoi(blocks);
	unsigned	started = 0, ended = 0;
	Block	   *oldest = NULL;

	grid_size = {grid, 1, 1};
	block_size = {block, 1, 1};
	body = &kernel;
	while (ended < grid)
	{
		size_t which;
		Block *of;

		while (started < grid && started < ended + resident)
			start_block(started++);
		if (ready.empty())
		{
			fprintf(stderr, "emulate: every thread waits for another\n");
			abort();
		}
		which = draw(ready.size());
		now = ready[which];
		ready[which] = ready.back();
		ready.pop_back();
		of = now->block;
		if (oldest == NULL)
			oldest = of;
		if (of == oldest && resident > 8 && draw(16) != 0 && !ready.empty())
		{
			ready.push_back(now);
			continue;
		}
		unsigned left = of->left;
		emulate_switch(&scheduler, now->at);
		if (of->left < left)
		{
			stacks.push_back(now->stack);
			delete now;
			if (of->left == 0)
			{
				end_block(of);
				if (of == oldest)
					oldest = NULL;
				ended++;
			}
		}
	}
}

/* ---- the run time ---- */

#define MEMORY ((size_t) 2 << 30)

static std::map<void *, size_t> allocated;
static size_t					allocated_size;
static bool						has_context;

/* SCAN_EMULATE_ABSENT=1: there is none. */
cudaError_t
cudaSetDevice(int device)
{
	(void) device;
	if (getenv("SCAN_EMULATE_ABSENT") != NULL)
		return cudaErrorNoDevice;
	has_context = true;
	return cudaSuccess;
}

/* SCAN_EMULATE_SAY=1: says how threads wait. */
cudaError_t
cudaSetDeviceFlags(unsigned flags)
{
	if (getenv("SCAN_EMULATE_SAY") != NULL)
		fprintf(stderr, "emulate: flags %u, %s the context\n", flags, has_context ? "after" : "before");
	return cudaSuccess;
}

cudaError_t
cudaMalloc(void **p, size_t size)
{
	if (size > MEMORY - allocated_size)
		return cudaErrorMemoryAllocation;
	*p = aligned_alloc(256, (size + 255) / 256 * 256);
	memset(*p, 0x5a, size);
	allocated[*p] = size;
	allocated_size += size;
	return cudaSuccess;
}

cudaError_t
cudaFree(void *p)
{
	allocated_size -= allocated[p];
	allocated.erase(p);
	free(p);
	return cudaSuccess;
}

cudaError_t
cudaMallocHost(void **p, size_t size)
{
	*p = malloc(size);
	return cudaSuccess;
}

cudaError_t
cudaFreeHost(void *p)
{
	free(p);
	return cudaSuccess;
}

/*
 * SCAN_EMULATE_UNPINNED=1: no memory of the ring can be pinned; a greater number: no more bytes of it at once.
 * SCAN_EMULATE_SAY=1: says how many bytes are pinned.
 */
cudaError_t
cudaHostRegister(void *p, size_t size, unsigned flags)
{
	const char *most = getenv("SCAN_EMULATE_UNPINNED");

	(void) flags;
	if (most != NULL && size > strtoull(most, NULL, 10))
		return cudaErrorMemoryAllocation;
	if (getenv("SCAN_EMULATE_SAY") != NULL)
		fprintf(stderr, "emulate: pinned %zu bytes\n", size);
	return registered_add(p, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
}

cudaError_t
cudaHostUnregister(void *p)
{
	return registered_remove(p) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
cudaMemGetInfo(size_t *free, size_t *total)
{
	*free = MEMORY - allocated_size;
	*total = MEMORY;
	return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, cudaStream_t stream)
{
	(void) kind, (void) stream;
	if (registered_in_part(to, size) || registered_in_part(from, size))
		return cudaErrorInvalidValue;
	memcpy(to, from, size);
	return cudaSuccess;
}

cudaError_t
cudaMemsetAsync(void *to, int byte, size_t size, cudaStream_t stream)
{
	(void) stream;
	memset(to, byte, size);
	return cudaSuccess;
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	(void) from, (void) to;
	*ms = 1;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
	(void) device;
	memset(properties, 0, sizeof(*properties));
	strcpy(properties->name, "emulated device");
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount(int *devices)
{
	*devices = 1;
	return cudaSuccess;
}

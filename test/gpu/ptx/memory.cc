/*
 * memory.cc: see memory.h.
 *
 * One large piece of addresses is reserved and handed out from its beginning, never twice.  Beside it, for
 * every eight bytes, lies what is known of them.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>

#include "launch.h"

#define RESERVED ((size_t) 1 << 37)
#define RED_ZONE ((size_t) 1 << 14)
#define STORES_MAX 48	/* of a block, that wait */
#define HISTORY 4096	/* changes that are remembered, */
#define STALE_TIMES 256 /* and how far back a read may see */

namespace
{

struct Piece
{
	uint32_t changed;	 /* when */
	uint8_t	 accessible; /* so many bytes from its beginning */
	uint8_t	 waiting;	 /* stores of any block */
};

struct Change
{
	uint64_t	 piece, old;
	uint32_t	 mask_shift, mask_size; /* which bytes of it */
	const Block *by;
};

char					*base;
Piece					*pieces;
size_t					 used;
std::map<char *, size_t> allocations;
Change					 history[HISTORY];
uint32_t				 now = 1;

Piece &
piece_at(uint64_t place)
{
	return pieces[(place - (uint64_t) base) / PIECE];
}

bool
is_ours(uint64_t place)
{
	return base != NULL && place >= (uint64_t) base && place < (uint64_t) base + used;
}

void
reserve()
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	if (base != NULL)
		return;
	base = (char *) mmap(NULL, RESERVED, PROT_READ | PROT_WRITE, flags, -1, 0);
	pieces = (Piece *) mmap(NULL, RESERVED / PIECE * sizeof(Piece), PROT_READ | PROT_WRITE, flags, -1, 0);
	if (base == MAP_FAILED || pieces == MAP_FAILED)
		ptx_stop("no addresses for the device's memory");
	used = RED_ZONE;
}

void
set_accessible(char *from, size_t size, bool accessible)
{
	for (size_t at = 0; at < size; at += PIECE)
	{
		size_t left = size - at;

		piece_at((uint64_t) from + at).accessible = (uint8_t) (!accessible ? 0 : left < PIECE ? left : PIECE);
	}
}

/* Whole pages of it. */
void
give_pages_back(void *from, size_t size)
{
	uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);
	uint64_t first = ((uint64_t) from + page - 1) / page * page, end = ((uint64_t) from + size) / page * page;

	if (end > first)
		madvise((void *) first, end - first, MADV_DONTNEED);
}

uint64_t
bytes_at(uint64_t word, unsigned shift, unsigned size)
{
	return size == 8 ? word : word >> shift * 8 & ((UINT64_C(1) << size * 8) - 1);
}

uint64_t
with_bytes(uint64_t word, unsigned shift, unsigned size, uint64_t bytes)
{
	uint64_t mask = size == 8 ? UINT64_MAX : ((UINT64_C(1) << size * 8) - 1) << shift * 8;

	return (word & ~mask) | (bytes << shift * 8 & mask);
}

/* Memory itself changes. */
void
change(const Block *by, uint64_t place, uint64_t value, unsigned size)
{
	uint64_t *word = (uint64_t *) (place / PIECE * PIECE);
	unsigned  shift = (unsigned) (place % PIECE);

	history[now % HISTORY] = {(uint64_t) word, *word, shift, size, by};
	*word = with_bytes(*word, shift, size, value);
	piece_at(place).changed = now++;
}

/* The n-th of the block's stores arrives, and before it those to the same piece that are older. */
void
settle_store(Block &block, size_t n)
{
	uint64_t piece = block.stores[n].place / PIECE;

	for (size_t i = 0, left = n + 1; left > 0; left--)
	{
		const Store store = block.stores[i];

		if (store.place / PIECE != piece)
		{
			i++;
			continue;
		}
		piece_at(store.place).waiting--;
		change(&block, store.place, store.value, store.size);
		block.stores.erase(block.stores.begin() + (ptrdiff_t) i);
	}
}

/* The piece as others left it, seen by a lane that has not asked for the newest. */
uint64_t
word_since_fence(const Warp &warp, int lane, uint64_t place)
{
	uint64_t word = *(uint64_t *) (place / PIECE * PIECE);
	uint32_t from = warp.fenced[lane], until;

	if (piece_at(place).changed < from || ptx_draw(2) == 0)
		return word;
	if (now - from > STALE_TIMES)
		from = now - STALE_TIMES;
	until = from + (uint32_t) ptx_draw(now - from);
	for (uint32_t time = now; time-- > until;)
	{
		const Change &c = history[time % HISTORY];

		if (c.piece != place / PIECE * PIECE)
			continue;
		if (c.by == warp.block)
			break;
		word = with_bytes(word, c.mask_shift, c.mask_size, bytes_at(c.old, c.mask_shift, c.mask_size));
	}
	return word;
}

void
check_touch(Warp &warp, int lane, uint64_t place, const Instruction &instruction)
{
	unsigned size = instruction.width;

	if (place % size != 0)
		ptx_fault(warp, instruction, lane, "address %#llx is not aligned by %u", (unsigned long long) place, size);
	if (!is_ours(place) || piece_at(place).accessible < place % PIECE + size)
		ptx_fault(warp, instruction, lane, "address %#llx belongs to nothing", (unsigned long long) place);
}

} // namespace

/* ---- the host ---- */

void *
memory_allocate(size_t size)
{
	const char *rubbish = getenv("SCAN_PTX_RUBBISH");
	char	   *p;

	reserve();
	p = base + used;
	used += (size + 255) / 256 * 256 + RED_ZONE;
	if (used > RESERVED)
		ptx_stop("the device's memory is used up");
	allocations[p] = size;
	set_accessible(p, size, true);
	memset(p, rubbish == NULL ? 0xa5 : (int) strtol(rubbish, NULL, 0), size);
	return p;
}

void
memory_free(void *p)
{
	auto it = allocations.find((char *) p);

	if (it == allocations.end())
		ptx_stop("%p was not allocated", p);
	set_accessible(it->first, it->second, false);
	give_pages_back(p, it->second);
	/* what is known of it says nothing that zeros do not: it is not handed out again */
	give_pages_back(&piece_at((uint64_t) p), it->second / PIECE * sizeof(Piece));
	allocations.erase(it);
}

void
memory_host_touches(const void *p, size_t size, const char *doing)
{
	uint64_t from = (uint64_t) p;

	if (!is_ours(from))
		return;
	for (uint64_t at = from; at < from + size; at = (at / PIECE + 1) * PIECE)
	{
		uint64_t end = (at / PIECE + 1) * PIECE < from + size ? (at / PIECE + 1) * PIECE : from + size;

		if (!is_ours(at) || piece_at(at).accessible < (end - 1) % PIECE + 1)
			ptx_stop("%s: byte %zu of %zu belongs to nothing", doing, (size_t) (at - from), size);
	}
}

uint32_t
memory_time()
{
	return now;
}

/* ---- kernels ---- */

uint64_t
memory_read(Warp &warp, int lane, uint64_t place, const Instruction &instruction)
{
	unsigned shift = (unsigned) (place % PIECE), size = instruction.width;
	uint64_t word;

	check_touch(warp, lane, place, instruction);
	word = instruction.is_strong ? *(uint64_t *) (place / PIECE * PIECE) : word_since_fence(warp, lane, place);
	if (piece_at(place).waiting > 0)
		for (const Store &store : warp.block->stores)
			if (store.place / PIECE == place / PIECE)
				word = with_bytes(word, (unsigned) (store.place % PIECE), store.size, store.value);
	return bytes_at(word, shift, size);
}

void
memory_write(Warp &warp, int lane, uint64_t place, uint64_t value, const Instruction &instruction)
{
	Block &block = *warp.block;

	check_touch(warp, lane, place, instruction);
	if (block.stores.size() >= STORES_MAX)
		settle_store(block, ptx_draw(block.stores.size()));
	block.stores.push_back({place, value, instruction.width, UINT32_C(1) << lane, warp.number, false});
	piece_at(place).waiting++;
}

uint64_t
memory_exchange(Warp &warp, int lane, uint64_t place, uint64_t (*make)(uint64_t old, uint64_t operand),
				uint64_t operand, const Instruction &instruction)
{
	unsigned shift = (unsigned) (place % PIECE), size = instruction.width;
	Block	&block = *warp.block;
	uint64_t old;

	check_touch(warp, lane, place, instruction);
	for (size_t i = block.stores.size(); i-- > 0 && piece_at(place).waiting > 0;)
		if (i < block.stores.size() && block.stores[i].place / PIECE == place / PIECE)
			settle_store(block, i);
	old = bytes_at(*(uint64_t *) (place / PIECE * PIECE), shift, size);
	change(&block, place, make(old, operand), size);
	return old;
}

void
memory_release(Warp &warp, int lane)
{
	Block &block = *warp.block;

	for (bool again = true; again;)
	{
		again = false;
		for (size_t i = 0; i < block.stores.size() && !again; i++)
		{
			const Store &store = block.stores[i];

			again = store.everybody || (store.warp == warp.number && (store.lanes >> lane & 1) != 0);
			if (again)
				settle_store(block, i);
		}
	}
}

void
memory_acquire(Warp &warp, int lane, uint64_t place)
{
	uint32_t seen = piece_at(place).changed + 1;

	warp.fenced[lane] = seen > warp.fenced[lane] ? seen : warp.fenced[lane];
}

void
memory_fence(Warp &warp, int lane)
{
	memory_release(warp, lane);
	warp.fenced[lane] = now;
}

void
memory_meet(Warp &warp, uint32_t lanes)
{
	uint32_t newest = 0;

	for (Store &store : warp.block->stores)
		if (store.warp == warp.number && (store.lanes & lanes) != 0)
			store.lanes |= lanes;
	for_lanes(lanes, [&](int lane) { newest = warp.fenced[lane] > newest ? warp.fenced[lane] : newest; });
	for_lanes(lanes, [&](int lane) { warp.fenced[lane] = newest; });
}

void
memory_barrier(Block &block)
{
	uint32_t newest = 0;

	for (Store &store : block.stores)
		store.everybody = true;
	for (Warp &warp : block.warps)
		for (uint32_t fenced : warp.fenced)
			newest = fenced > newest ? fenced : newest;
	for (Warp &warp : block.warps)
		for (uint32_t &fenced : warp.fenced)
			fenced = newest;
}

void
memory_settle(Block &block, size_t n)
{
	for (; n > 0 && !block.stores.empty(); n--)
		settle_store(block, ptx_draw(block.stores.size()));
}

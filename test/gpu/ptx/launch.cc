/*
 * launch.cc: runs a kernel: which block, which warp and which path of a warp goes on, and for how long.
 *
 * All of that is drawn at random, in one of three ways that a launch draws for itself: any block; seldom the
 * oldest, so that those after it look back in vain; mostly the youngest.  A warp whose lanes part becomes
 * several paths.  The one furthest behind runs, mostly, so that they meet again.  A store may wait for long.
 *
 *   SCAN_PTX_SEED=7     other random numbers
 *   SCAN_PTX_BLOCKS=1   this many blocks at once; with 1 none waits for another, so that instructions can be compared
 */
#include "launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define RESIDENT_MAX 40
#define REGISTER_BYTES ((size_t) 64 << 20) /* of all blocks that run */
#define TURNS 400						   /* instructions of a warp until another one gets a turn, at most */
#define SLEEP_TURNS 4

enum Order
{
	ANY,
	OLDEST_LAST,
	YOUNGEST_FIRST,
	ORDERS
};

uint64_t
ptx_draw(uint64_t below)
{
	static uint64_t state;

	if (state == 0)
		state = getenv("SCAN_PTX_SEED") == NULL ? 1 : (uint64_t) atoll(getenv("SCAN_PTX_SEED")) * 2 + 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

void
ptx_fault(const Warp &warp, const Instruction &instruction, int lane, const char *format, ...)
{
	char	text[200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ptx_stop("%s, line %d of the PTX, block %u, thread %d: %s", warp.block->launch->kernel->name.c_str(),
			 instruction.line, warp.block->index, warp.number * LANES + lane, text);
}

/* ---- blocks and warps ---- */

static uint64_t
preset_value(const Preset &preset, const Warp &warp, int lane)
{
	switch (preset.special)
	{
		case Special::THREAD:
			return (uint64_t) (warp.number * LANES + lane);
		case Special::BLOCK:
			return warp.block->index;
		case Special::BLOCKS:
			return warp.block->launch->blocks;
		case Special::THREADS:
			return warp.block->launch->threads;
		case Special::LANE:
			return (uint64_t) lane;
		case Special::LANES_UP_TO:
			return (UINT64_C(2) << lane) - 1;
		case Special::CONSTANT:
			break;
	}
	return preset.value;
}

static void
start_warp(Block *block, int number, Warp *warp)
{
	const Kernel &kernel = *block->launch->kernel;
	uint32_t	  left = block->launch->threads - (uint32_t) number * LANES;

	warp->block = block;
	warp->number = number;
	warp->live = left >= LANES ? ALL_LANES : (UINT32_C(1) << left) - 1;
	warp->paths.assign(1, {0, warp->live, false});
	warp->current = 0;
	warp->sleeps = 0;
	warp->barrier = NULL;
	warp->registers.resize((size_t) kernel.registers * LANES);
	warp->local.assign(kernel.local_size * LANES, 0xa5);
	for (const Preset &preset : kernel.presets)
		for (int lane = 0; lane < LANES; lane++)
			register_of(*warp, preset.place)[lane] = preset_value(preset, *warp, lane);
	for (uint32_t &fenced : warp->fenced)
		fenced = memory_time();
}

/* Blocks that have ended: their memory is used again. */
static std::vector<Block *> ended;

static Block *
start_block(Launch *launch, uint32_t index)
{
	Block *block = ended.empty() ? new Block() : ended.back();

	if (!ended.empty())
		ended.pop_back();
	block->launch = launch;
	block->index = index;
	block->vote = false;
	block->shared.assign(launch->kernel->shared_size, 0xa5);
	block->warps.resize((launch->threads + LANES - 1) / LANES);
	for (size_t i = 0; i < block->warps.size(); i++)
		start_warp(block, (int) i, &block->warps[i]);
	return block;
}

/* ---- a barrier ---- */

static void
release_barrier(Block *block)
{
	memory_barrier(*block);
	for (Warp &warp : block->warps)
	{
		if (warp.live == 0)
			continue;
		for (Operand to : warp.barrier->to)
			for_lanes(warp.live, [&](int lane) { register_of(warp, to)[lane] = block->vote; });
		warp.barrier = NULL;
	}
	block->vote = false;
}

/* Once all warps that have not ended are at one, and the same. */
static void
release_if_all_wait(Block *block)
{
	const Instruction *at = NULL;

	for (Warp &warp : block->warps)
	{
		if (warp.live == 0)
			continue;
		if (warp.barrier == NULL)
			return;
		if (at != NULL && warp.barrier != at)
			ptx_fault(warp, *warp.barrier, 0, "other warps wait at the barrier of line %d", at->line);
		at = warp.barrier;
	}
	if (at != NULL)
		release_barrier(block);
}

static void
arrive_at_barrier(Warp &warp, const Instruction &instruction)
{
	warp.barrier = &instruction;
	/* bar.red: the barrier's number, then what is asked */
	if (instruction.from.size() > 1)
		for_lanes(warp.live, [&](int lane)
				  { warp.block->vote = warp.block->vote || register_of(warp, instruction.from[1])[lane] != 0; });
	release_if_all_wait(warp.block);
}

/* ---- paths ---- */

/* Paths at the same instruction become one. */
static void
join_paths(Warp &warp)
{
	for (size_t i = 0; i < warp.paths.size(); i++)
		for (size_t j = warp.paths.size() - 1; j > i; j--)
			if (warp.paths[i].at == warp.paths[j].at)
			{
				warp.paths[i].lanes |= warp.paths[j].lanes;
				warp.paths[i].waits = false;
				warp.paths.erase(warp.paths.begin() + (ptrdiff_t) j);
			}
}

/* False: all wait for each other, or there is none. */
static bool
choose_path(Warp &warp)
{
	size_t chosen = warp.paths.size();
	bool   any = warp.paths.size() > 1 && ptx_draw(8) == 0;

	join_paths(warp);
	for (size_t i = 0, seen = 0; i < warp.paths.size(); i++)
	{
		if (warp.paths[i].waits)
			continue;
		seen++;
		if (chosen >= warp.paths.size() || (any ? ptx_draw(seen) == 0 : warp.paths[i].at < warp.paths[chosen].at))
			chosen = i;
	}
	warp.current = chosen < warp.paths.size() ? chosen : 0;
	return chosen < warp.paths.size();
}

/* The lanes that an instruction is for: those whose predicate says so. */
static uint32_t
lanes_of(Warp &warp, const Instruction &instruction, uint32_t lanes)
{
	const uint64_t *predicate;
	uint32_t		chosen = 0;

	if (instruction.predicate < 0)
		return lanes;
	predicate = register_of(warp, instruction.predicate);
	for_lanes(lanes, [&](int lane) { chosen |= (uint32_t) ((predicate[lane] != 0) != instruction.negated) << lane; });
	return chosen;
}

static void
branch(Warp &warp, const Instruction &instruction, uint32_t lanes)
{
	Path &path = warp.paths[warp.current];

	if (lanes == path.lanes)
		path.at = instruction.target;
	else if (lanes == 0)
		path.at++;
	else
	{
		Path other = {path.at + 1, path.lanes & ~lanes, false};

		path.at = instruction.target;
		path.lanes = lanes;
		warp.paths.push_back(other);
		(void) choose_path(warp);
	}
}

static void
end_lanes(Warp &warp, uint32_t lanes)
{
	Path &path = warp.paths[warp.current];

	warp.live &= ~lanes;
	path.lanes &= ~lanes;
	path.at++;
	if (path.lanes != 0)
		return;
	warp.paths.erase(warp.paths.begin() + (ptrdiff_t) warp.current);
	/* those that waited for these lanes look again */
	for (Path &other : warp.paths)
		other.waits = false;
	if (warp.live == 0)
		release_if_all_wait(warp.block);
	else
		(void) choose_path(warp);
}

/* The lanes that have to be together: of those named, the ones that have not ended. */
static uint32_t
lanes_named(Warp &warp, const Instruction &instruction, uint32_t lanes)
{
	int		 first = __builtin_ctz(lanes);
	uint32_t mask;

	if (instruction.control == Control::BARRIER)
		return warp.live;
	mask = (uint32_t) register_of(warp, instruction.mask)[first];
	for_lanes(lanes,
			  [&](int lane)
			  {
				  if ((uint32_t) register_of(warp, instruction.mask)[lane] != mask)
					  ptx_fault(warp, instruction, lane, "its mask is not the one of lane %d", first);
				  if ((mask >> lane & 1) == 0)
					  ptx_fault(warp, instruction, lane, "it does not take part in its mask %#x", mask);
			  });
	return mask & warp.live;
}

/* An instruction for which lanes wait for others; false: these do, or, at a barrier, the warp does. */
static bool
meet(Warp &warp, const Instruction &instruction)
{
	uint32_t lanes;

	if (instruction.predicate >= 0)
		ptx_fault(warp, instruction, 0, "a predicate where lanes meet is not known here");
	if (warp.paths.size() > 1)
	{
		int32_t at = warp.paths[warp.current].at;

		join_paths(warp);
		for (warp.current = 0; warp.paths[warp.current].at != at;)
			warp.current++;
	}
	lanes = warp.paths[warp.current].lanes;
	if (lanes_named(warp, instruction, lanes) != lanes)
	{
		warp.paths[warp.current].waits = true;
		if (!choose_path(warp))
			ptx_fault(warp, instruction, __builtin_ctz(lanes), "lanes %#x wait for others that do not come", lanes);
		return true;
	}
	warp.paths[warp.current].at++;
	if (instruction.control == Control::BARRIER)
	{
		arrive_at_barrier(warp, instruction);
		return warp.barrier == NULL;
	}
	instruction.action(warp, instruction, lanes);
	return true;
}

/* ---- turns ---- */

/* Some instructions of a warp: until it has had its turn, waits or has ended. */
static void
run_warp(Warp &warp, int turns)
{
	Kernel &kernel = *warp.block->launch->kernel;

	while (warp.live != 0 && turns-- > 0)
	{
		Path			  &path = warp.paths[warp.current];
		const Instruction &instruction = kernel.code[(size_t) path.at];
		uint32_t		   lanes;

		if (instruction.is_target && warp.paths.size() > 1)
		{
			int32_t at = path.at;

			(void) choose_path(warp);
			if (warp.paths[warp.current].at != at)
				continue;
		}
		lanes = lanes_of(warp, instruction, warp.paths[warp.current].lanes);
		kernel.executed += (uint64_t) __builtin_popcount(lanes);
		switch (instruction.control)
		{
			case Control::NONE:
				instruction.action(warp, instruction, lanes);
				warp.paths[warp.current].at++;
				break;
			case Control::BRANCH:
				branch(warp, instruction, lanes);
				break;
			case Control::EXIT:
				end_lanes(warp, lanes);
				break;
			case Control::SLEEP:
				warp.paths[warp.current].at++;
				warp.sleeps = SLEEP_TURNS;
				memory_settle(*warp.block, ptx_draw(4));
				return;
			case Control::WARP:
			case Control::BARRIER:
				if (!meet(warp, instruction))
					return;
				break;
		}
	}
}

static Block *
draw_block(const std::vector<Block *> &resident, Order order)
{
	size_t n = resident.size();

	if (order == OLDEST_LAST && n > 1 && ptx_draw(32) != 0)
		return resident[1 + ptx_draw(n - 1)];
	if (order == YOUNGEST_FIRST && ptx_draw(8) != 0)
		return resident[n - 1];
	return resident[ptx_draw(n)];
}

/* A warp that can go on; NULL: those that were tried cannot. */
static Warp *
draw_warp(Block *block)
{
	size_t n = block->warps.size(), from = ptx_draw(n);

	for (size_t i = 0; i < n; i++)
	{
		Warp &warp = block->warps[(from + i) % n];

		if (warp.live == 0 || warp.barrier != NULL)
			continue;
		if (warp.sleeps > 0)
			warp.sleeps--;
		else
			return &warp;
	}
	return NULL;
}

static bool
has_ended(const Block *block)
{
	for (const Warp &warp : block->warps)
		if (warp.live != 0)
			return false;
	return true;
}

static void
run_blocks(Launch *launch, size_t at_once, Order order)
{
	std::vector<Block *> resident;
	uint32_t			 started = 0;
	int					 idle = 0;

	while (started < launch->blocks || !resident.empty())
	{
		Block *block;
		Warp  *warp;

		while (resident.size() < at_once && started < launch->blocks)
			resident.push_back(start_block(launch, started++));
		block = draw_block(resident, order);
		warp = draw_warp(block);
		idle = warp == NULL ? idle + 1 : 0;
		if (idle > 100000)
			ptx_stop("%s: every thread waits", launch->kernel->name.c_str());
		if (warp != NULL)
			run_warp(*warp, 1 + (int) ptx_draw(TURNS));
		if (ptx_draw(16) == 0)
			memory_settle(*resident[ptx_draw(resident.size())], ptx_draw(4));
		if (!has_ended(block))
			continue;
		memory_settle(*block, SIZE_MAX);
		ended.push_back(block);
		for (size_t i = 0; i < resident.size(); i++)
			if (resident[i] == block)
				resident.erase(resident.begin() + (ptrdiff_t) i);
	}
}

/* ---- a launch ---- */

void
ptx_launch(Kernel *kernel, uint32_t blocks, uint32_t threads, void **arguments)
{
	size_t block_bytes = (size_t) kernel->registers * LANES * 8 * ((threads + LANES - 1) / LANES) + 1;
	size_t most = REGISTER_BYTES / block_bytes + 1;
	size_t drawn = 1 + ptx_draw(most < RESIDENT_MAX ? most : RESIDENT_MAX);
	size_t at_once = getenv("SCAN_PTX_BLOCKS") == NULL ? drawn : (size_t) atoi(getenv("SCAN_PTX_BLOCKS"));
	Launch launch = {kernel, blocks, threads, std::vector<uint8_t>(kernel->params_size + 1, 0xa5)};

	if (threads > kernel->threads)
		ptx_stop("%s: started with %u threads, made for %u", kernel->name.c_str(), threads, kernel->threads);
	for (size_t i = 0; i < kernel->params.size(); i++)
		memcpy(&launch.params[kernel->params[i].offset], arguments[i], kernel->params[i].size);
	kernel->runs++;
	kernel->blocks += blocks;
	run_blocks(&launch, at_once, (Order) ptx_draw(ORDERS));
}

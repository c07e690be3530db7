/*
 * launch.h: what runs: blocks, their warps, and the paths into which a warp divides.
 */
#ifndef SCAN_PTX_LAUNCH_H
#define SCAN_PTX_LAUNCH_H

#include "memory.h"
#include "module.h"

#include <string.h>

/* Lanes of a warp that are at the same instruction. */
struct Path
{
	int32_t	 at;
	uint32_t lanes;
	bool	 waits; /* for others of the warp */
};

struct Block;

struct Warp
{
	Block				 *block;
	int					  number;
	uint32_t			  live; /* lanes that have not ended */
	std::vector<Path>	  paths;
	size_t				  current;	 /* the path that runs */
	std::vector<uint64_t> registers; /* of all lanes, lane by lane */
	std::vector<uint8_t>  local;	 /* the same */
	uint8_t				  carry[LANES];
	uint32_t			  fenced[LANES]; /* the memory's time at the lane's last fence */
	int					  sleeps;		 /* turns that it lets pass */
	const Instruction	 *barrier;		 /* that it waits at */
};

struct Launch
{
	Kernel				*kernel;
	uint32_t			 blocks, threads;
	std::vector<uint8_t> params;
};

struct Block
{
	Launch				*launch;
	uint32_t			 index;
	std::vector<Warp>	 warps;
	std::vector<uint8_t> shared;
	StoreBuffer			 stores;
	bool				 vote; /* of bar.red */
};

/* Runs a kernel to its end. */
extern void ptx_launch(Kernel *kernel, uint32_t blocks, uint32_t threads, void **arguments);

/* Stops, with the kernel, the instruction and the thread. */
[[noreturn]] extern void ptx_fault(const Warp &warp, const Instruction &instruction, int lane, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Random numbers, from SCAN_PTX_SEED on. */
extern uint64_t ptx_draw(uint64_t below);

/* ---- registers ---- */

inline uint64_t *
register_of(Warp &warp, Operand operand)
{
	return &warp.registers[(size_t) operand * LANES];
}

template <typename T>
inline T
value_as(uint64_t bits)
{
	T value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

template <typename T>
inline uint64_t
bits_of(T value)
{
	uint64_t bits = 0;

	memcpy(&bits, &value, sizeof(value));
	return bits;
}

template <typename Do>
inline void
for_lanes(uint32_t lanes, Do act)
{
	if (lanes == ALL_LANES)
		for (int lane = 0; lane < LANES; lane++)
			act(lane);
	else
		for (uint32_t left = lanes; left != 0; left &= left - 1)
			act(__builtin_ctz(left));
}

#endif /* SCAN_PTX_LAUNCH_H */

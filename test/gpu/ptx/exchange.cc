/*
 * exchange.cc: what the lanes of a warp tell each other: shfl, vote and bar.warp.
 *
 * launch.cc has brought all lanes together that the mask names.  A value of a lane that does not take part is
 * undefined: here it is rubbish.
 */
#include <unordered_map>

#include "actions.h"
#include "launch.h"

#define UNDEFINED 0xa5a5a5a5u

namespace
{

enum Way
{
	UP,
	DOWN,
	TO
};

/* Where a lane's value comes from, and whether that lies inside its part of the warp: as PTX says it. */
int
source_lane(Way way, int lane, uint32_t by, uint32_t clamp, bool *inside)
{
	int segment = (int) (clamp >> 8 & 31);
	int last = (lane & segment) | ((int) (clamp & 31) & ~segment);
	int d = (int) (by & 31);
	int from = way == UP ? lane - d : way == DOWN ? lane + d : (lane & segment) | (d & ~segment);

	*inside = way == UP ? from >= last : from <= last;
	return *inside ? from : lane;
}

template <Way WAY>
void
shuffle(Warp &warp, const Instruction &i, uint32_t lanes)
{
	const uint64_t *a = register_of(warp, i.from[0]), *by = register_of(warp, i.from[1]);
	const uint64_t *clamp = register_of(warp, i.from[2]);
	uint64_t		value[LANES], inside[LANES];

	for_lanes(lanes,
			  [&](int lane)
			  {
				  bool is_inside;
				  int  from = source_lane(WAY, lane, (uint32_t) by[lane], (uint32_t) clamp[lane], &is_inside);

				  value[lane] = (lanes >> from & 1) != 0 ? (uint32_t) a[from] : UNDEFINED;
				  inside[lane] = is_inside;
			  });
	for_lanes(lanes,
			  [&](int lane)
			  {
				  register_of(warp, i.to[0])[lane] = value[lane];
				  if (i.to.size() > 1)
					  register_of(warp, i.to[1])[lane] = inside[lane];
			  });
}

void
ballot(Warp &warp, const Instruction &i, uint32_t lanes)
{
	const uint64_t *claim = register_of(warp, i.from[0]);
	uint32_t		votes = 0;

	for_lanes(lanes, [&](int lane) { votes |= (uint32_t) (claim[lane] != 0) << lane; });
	for_lanes(lanes, [&](int lane) { register_of(warp, i.to[0])[lane] = votes; });
}

void
meet(Warp &warp, const Instruction &, uint32_t lanes)
{
	memory_meet(warp, lanes);
}

const std::unordered_map<std::string, Action> actions = {
	{"shfl.sync.up.b32", shuffle<UP>}, {"shfl.sync.down.b32", shuffle<DOWN>}, {"shfl.sync.idx.b32", shuffle<TO>},
	{"vote.sync.ballot.b32", ballot},  {"vote.ballot.sync.b32", ballot},	  {"bar.warp.sync", meet},
};

} // namespace

bool
decode_exchange(const std::string &opcode, Instruction *instruction)
{
	auto it = actions.find(opcode);

	if (it == actions.end())
		return false;
	instruction->control = Control::WARP;
	instruction->action = it->second;
	return true;
}

/*
 * access.cc: reads and writes of all kinds of memory, addresses that name one, atomics and fences.
 *
 * A generic address says by its highest bits what it is of, if it is not a global one, which is the host's
 * number for it.  Shared memory is one piece of the block's, local memory one of the lane's; the gaps between
 * arrays belong to nothing.
 */
#include <stdlib.h>

#include "actions.h"
#include "launch.h"

#define SPACE_SHIFT 60
#define SHARED_TAG (UINT64_C(1) << SPACE_SHIFT)
#define LOCAL_TAG (UINT64_C(2) << SPACE_SHIFT)
#define PARAM_TAG (UINT64_C(3) << SPACE_SHIFT)
#define TAGS (UINT64_C(15) << SPACE_SHIFT)

namespace
{

Space
space_of_generic(uint64_t address)
{
	switch (address & TAGS)
	{
		case SHARED_TAG:
			return Space::SHARED;
		case LOCAL_TAG:
			return Space::LOCAL;
		case PARAM_TAG:
			return Space::PARAM;
		default:
			return Space::GLOBAL;
	}
}

/* Whether an access lies in one of the arrays. */
bool
is_in(const std::vector<Array> &arrays, uint64_t at, unsigned size)
{
	for (const Array &array : arrays)
		if (at >= array.offset && at + size <= array.offset + array.size)
			return true;
	return false;
}

/* Where an access of other memory than the device's lies on the host. */
uint8_t *
place_of(Warp &warp, int lane, const Instruction &i, Space space, uint64_t at)
{
	Kernel	&kernel = *warp.block->launch->kernel;
	uint64_t local = kernel.local_size;

	if (at % i.width != 0)
		ptx_fault(warp, i, lane, "address %#llx is not aligned by %u", (unsigned long long) at, i.width);
	if (space == Space::SHARED && is_in(kernel.shared, at, i.width))
		return &warp.block->shared[at];
	if (space == Space::PARAM && is_in(kernel.params, at, i.width))
		return &warp.block->launch->params[at];
	if (space == Space::LOCAL && at + i.width <= local)
		return &warp.local[(size_t) lane * local + at];
	ptx_fault(warp, i, lane, "%s memory has nothing at %#llx",
			  space == Space::SHARED  ? "shared"
			  : space == Space::PARAM ? "parameter"
									  : "local",
			  (unsigned long long) at);
}

/* The address of a lane, and the space it is of. */
uint64_t
address_of(Warp &warp, int lane, const Instruction &i, Space *space)
{
	uint64_t at = register_of(warp, i.from[0])[lane];

	*space = i.space;
	if (i.space == Space::SHARED)
		return (uint32_t) ((uint32_t) at + (uint32_t) i.offset);
	at += (uint64_t) i.offset;
	if (i.space == Space::GENERIC)
	{
		*space = space_of_generic(at);
		at &= *space == Space::GLOBAL ? UINT64_MAX : ~TAGS;
	}
	return at;
}

/* All elements of a vector lie in what is aligned by all of it. */
void
check_vector(Warp &warp, int lane, const Instruction &i, uint64_t at, size_t elements)
{
	if (at % (i.width * elements) != 0)
		ptx_fault(warp, i, lane, "address %#llx is not aligned by %zu", (unsigned long long) at, i.width * elements);
}

uint64_t
extended(const Instruction &i, uint64_t bits)
{
	unsigned unused = 64 - 8 * i.width;

	return i.is_signed ? (uint64_t) ((int64_t) (bits << unused) >> unused) : bits;
}

void
load(Warp &warp, const Instruction &i, uint32_t lanes)
{
	for_lanes(lanes,
			  [&](int lane)
			  {
				  Space	   space;
				  uint64_t at = address_of(warp, lane, i, &space);

				  check_vector(warp, lane, i, at, i.to.size());
				  for (size_t k = 0; k < i.to.size(); k++)
				  {
					  uint64_t bits = 0;

					  if (space == Space::GLOBAL)
						  bits = memory_read(warp, lane, at + k * i.width, i);
					  else
						  memcpy(&bits, place_of(warp, lane, i, space, at + k * i.width), i.width);
					  register_of(warp, i.to[k])[lane] = extended(i, bits);
				  }
				  if (i.order == Ordering::ACQUIRE && space == Space::GLOBAL)
					  memory_acquire(warp, lane, at);
			  });
}

void
store(Warp &warp, const Instruction &i, uint32_t lanes)
{
	for_lanes(lanes,
			  [&](int lane)
			  {
				  Space	   space;
				  uint64_t at = address_of(warp, lane, i, &space);

				  check_vector(warp, lane, i, at, i.from.size() - 1);
				  if (i.order == Ordering::RELEASE)
					  memory_release(warp, lane);
				  for (size_t k = 0; k + 1 < i.from.size(); k++)
				  {
					  uint64_t bits = register_of(warp, i.from[k + 1])[lane];

					  if (space == Space::PARAM)
						  ptx_fault(warp, i, lane, "a parameter is written");
					  if (space == Space::GLOBAL)
						  memory_write(warp, lane, at + k * i.width, bits, i);
					  else
						  memcpy(place_of(warp, lane, i, space, at + k * i.width), &bits, i.width);
				  }
			  });
}

/* ---- atomics ---- */

template <typename T>
uint64_t
added(uint64_t old, uint64_t operand)
{
	return (T) (old + operand);
}

template <typename T>
uint64_t
with_only(uint64_t old, uint64_t operand)
{
	return (T) (old & operand);
}

template <typename T>
uint64_t
greater(uint64_t old, uint64_t operand)
{
	return (T) operand > (T) old ? (T) operand : (T) old;
}

template <uint64_t CHANGE(uint64_t, uint64_t)>
void
atomic(Warp &warp, const Instruction &i, uint32_t lanes)
{
	for_lanes(lanes,
			  [&](int lane)
			  {
				  Space	   space;
				  uint64_t at = address_of(warp, lane, i, &space), old = 0, changed;
				  uint64_t operand = register_of(warp, i.from[1])[lane];

				  if (space == Space::GLOBAL)
					  old = memory_exchange(warp, lane, at, CHANGE, operand, i);
				  else
				  {
					  memcpy(&old, place_of(warp, lane, i, space, at), i.width);
					  changed = CHANGE(old, operand);
					  memcpy(place_of(warp, lane, i, space, at), &changed, i.width);
				  }
				  register_of(warp, i.to[0])[lane] = old;
			  });
}

/* ---- addresses and fences ---- */

template <uint64_t SUBTRACTED, uint64_t ADDED>
void
change_space(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]);

	for_lanes(lanes, [&](int lane) { to[lane] = a[lane] - SUBTRACTED + ADDED; });
}

void
fence(Warp &warp, const Instruction &, uint32_t lanes)
{
	for_lanes(lanes, [&](int lane) { memory_fence(warp, lane); });
}

/* The words of "ld.volatile.global.v2.u64" behind the first; false: one is unknown. */
bool
read_words(const std::string &opcode, Instruction *instruction)
{
	instruction->space = Space::GENERIC;
	for (size_t at = opcode.find('.'); at != std::string::npos; at = opcode.find('.', at + 1))
	{
		std::string word = opcode.substr(at + 1, opcode.find('.', at + 1) - at - 1);

		if (word == "global")
			instruction->space = Space::GLOBAL;
		else if (word == "shared")
			instruction->space = Space::SHARED;
		else if (word == "local")
			instruction->space = Space::LOCAL;
		else if (word == "param")
			instruction->space = Space::PARAM;
		else if (word == "volatile" || word == "relaxed")
			instruction->is_strong = true;
		else if (word == "acquire" || word == "release")
		{
			instruction->is_strong = true;
			instruction->order = word == "acquire" ? Ordering::ACQUIRE : Ordering::RELEASE;
		}
		else if (strchr("busf", word[0]) != NULL && atoi(word.c_str() + 1) >= 8)
		{
			instruction->width = (uint32_t) atoi(word.c_str() + 1) / 8;
			instruction->is_signed = word[0] == 's';
		}
		else if (word != "v2" && word != "v4" && word != "cg" && word != "gpu")
			return false;
	}
	return instruction->width > 0;
}

} // namespace

bool
decode_access(const std::string &opcode, Instruction *instruction)
{
	static const std::map<std::string, Action> actions = {
		{"membar.gl", fence},
		{"cvta.to.global.u64", change_space<0, 0>},
		{"cvta.param.u64", change_space<0, PARAM_TAG>},
		{"cvta.local.u64", change_space<0, LOCAL_TAG>},
		{"cvta.shared.u64", change_space<0, SHARED_TAG>},
		{"atom.global.add.u32", atomic<added<uint32_t>>},
		{"atom.global.and.b32", atomic<with_only<uint32_t>>},
		{"atom.global.max.u64", atomic<greater<uint64_t>>},
		{"atom.shared.add.u32", atomic<added<uint32_t>>},
	};
	auto it = actions.find(opcode);

	if (it != actions.end())
	{
		instruction->action = it->second;
		instruction->space = opcode.find(".shared") == std::string::npos ? Space::GLOBAL : Space::SHARED;
		instruction->width = opcode.compare(opcode.size() - 2, 2, "64") == 0 ? 8 : 4;
		return true;
	}
	if (opcode.compare(0, 3, "ld.") != 0 && opcode.compare(0, 3, "st.") != 0)
		return false;
	instruction->action = opcode[0] == 'l' ? load : store;
	return read_words(opcode, instruction);
}

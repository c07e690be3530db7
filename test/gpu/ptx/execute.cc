/*
 * execute.cc: what instructions do that know nothing but registers, lane by lane.
 *
 * Arithmetic of integers is done without sign, so that it wraps; of doubles by the CPU, which rounds as PTX
 * says: there is no flushing of small numbers, and no contraction (the compiler's flags here).
 */
#include <math.h>

#include <unordered_map>

#include "actions.h"
#include "launch.h"

namespace
{

/* ---- one, two and three operands ---- */

template <typename T, typename F>
void
unary(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]);

	for_lanes(lanes, [&](int lane) { to[lane] = bits_of(F()(value_as<T>(a[lane]))); });
}

template <typename T, typename F>
void
binary(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]), *b = register_of(warp, i.from[1]);

	for_lanes(lanes, [&](int lane) { to[lane] = bits_of(F()(value_as<T>(a[lane]), value_as<T>(b[lane]))); });
}

template <typename T, typename F>
void
ternary(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]), *b = register_of(warp, i.from[1]);
	const uint64_t *c = register_of(warp, i.from[2]);

	for_lanes(lanes, [&](int lane)
			  { to[lane] = bits_of(F()(value_as<T>(a[lane]), value_as<T>(b[lane]), value_as<T>(c[lane]))); });
}

/* a shift: how far is 32 bits wide, whatever is shifted */
template <typename T, typename F>
void
shift(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]), *b = register_of(warp, i.from[1]);

	for_lanes(lanes, [&](int lane) { to[lane] = bits_of(F()(value_as<T>(a[lane]), (uint32_t) b[lane])); });
}

#define FUNCTION1(NAME, EXPRESSION) \
	struct NAME                     \
	{                               \
		template <typename T>       \
		auto                        \
		operator()(T a) const       \
		{                           \
			return EXPRESSION;      \
		}                           \
	};
#define FUNCTION2(NAME, EXPRESSION) \
	struct NAME                     \
	{                               \
		template <typename T>       \
		auto                        \
		operator()(T a, T b) const  \
		{                           \
			return EXPRESSION;      \
		}                           \
	};
#define FUNCTION3(NAME, EXPRESSION)     \
	struct NAME                         \
	{                                   \
		template <typename T>           \
		auto                            \
		operator()(T a, T b, T c) const \
		{                               \
			return EXPRESSION;          \
		}                               \
	};
#define SHIFT(NAME, EXPRESSION)                      \
	struct NAME                                      \
	{                                                \
		template <typename T>                        \
		T                                            \
		operator()(T a, uint32_t by) const           \
		{                                            \
			constexpr uint32_t BITS = sizeof(T) * 8; \
			return EXPRESSION;                       \
		}                                            \
	};

FUNCTION1(Same, a)
FUNCTION1(Not, (T) ~a)
FUNCTION1(NotPredicate, (T) (a ^ 1))
FUNCTION1(Negative, (T) -a)
FUNCTION1(Magnitude, (T) fabs(a))
FUNCTION1(LeadingZeros32, a == 0 ? 32u : (uint32_t) __builtin_clz((uint32_t) a))
FUNCTION1(LeadingZeros64, a == 0 ? 64u : (uint32_t) __builtin_clzll((uint64_t) a))
FUNCTION1(BitsSet, (uint32_t) __builtin_popcountll(a))
FUNCTION2(Add, (T) (a + b))
FUNCTION2(Subtract, (T) (a - b))
FUNCTION2(Multiply, (T) (a *b))
FUNCTION2(Divide, (T) (a / b))
FUNCTION2(Remainder, b == 0 ? (T) -1 : (T) (a % b)) /* a machine has no trap for it */
FUNCTION2(Lesser, a < b ? a : b)
FUNCTION2(Greater, a > b ? a : b)
FUNCTION2(And, (T) (a &b))
FUNCTION2(Or, (T) (a | b))
FUNCTION2(Xor, (T) (a ^ b))
FUNCTION2(WideSigned16, (int32_t) ((int32_t) a *(int32_t) b))
FUNCTION2(WideUnsigned16, (uint32_t) a *(uint32_t) b)
FUNCTION2(WideSigned32, (int64_t) a *(int64_t) b)
FUNCTION2(WideUnsigned32, (uint64_t) a *(uint64_t) b)
FUNCTION2(Equal, (uint64_t) (a == b))
FUNCTION2(NotEqual, (uint64_t) (a != b))
FUNCTION2(Less, (uint64_t) (a < b))
FUNCTION2(LessOrEqual, (uint64_t) (a <= b))
FUNCTION2(More, (uint64_t) (a > b))
FUNCTION2(MoreOrEqual, (uint64_t) (a >= b))
/* true as well if one of them is a NaN */
FUNCTION2(LessOrUnordered, (uint64_t) !(a >= b))
FUNCTION2(LessOrEqualOrUnordered, (uint64_t) !(a > b))
FUNCTION2(MoreOrUnordered, (uint64_t) !(a <= b))
FUNCTION2(MoreOrEqualOrUnordered, (uint64_t) !(a < b))
FUNCTION3(MultiplyAdd, (T) (a *b + c))
FUNCTION3(Fused, (T) fma(a, b, c))
SHIFT(Left, (T) (by >= BITS ? 0 : a << by))
SHIFT(Right, (T) (a >> (by >= BITS ? BITS - 1 : by) >> (by >= BITS ? 1 : 0)))

/* ---- the others ---- */

template <typename T>
void
select(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]), *b = register_of(warp, i.from[1]);
	const uint64_t *which = register_of(warp, i.from[2]);

	for_lanes(lanes, [&](int lane) { to[lane] = bits_of(value_as<T>(which[lane] != 0 ? a[lane] : b[lane])); });
}

template <typename To, typename From>
void
convert(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]);

	for_lanes(lanes, [&](int lane) { to[lane] = bits_of((To) value_as<From>(a[lane])); });
}

constexpr uint64_t
low_bits(size_t n)
{
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* mov, which also takes words apart and puts them together: one register and several of equal size. */
template <unsigned BITS>
void
move(Warp &warp, const Instruction &i, uint32_t lanes)
{
	size_t to_bits = BITS / i.to.size(), from_bits = BITS / i.from.size();

	if (i.to.size() + i.from.size() == 2)
	{
		uint64_t	   *to = register_of(warp, i.to[0]);
		const uint64_t *from = register_of(warp, i.from[0]);

		for_lanes(lanes, [&](int lane) { to[lane] = from[lane] & low_bits(BITS); });
		return;
	}
	for_lanes(lanes,
			  [&](int lane)
			  {
				  uint64_t whole = 0;

				  for (size_t k = 0; k < i.from.size(); k++)
					  whole |= (register_of(warp, i.from[k])[lane] & low_bits(from_bits)) << k * from_bits;
				  for (size_t k = 0; k < i.to.size(); k++)
					  register_of(warp, i.to[k])[lane] = whole >> k * to_bits & low_bits(to_bits);
			  });
}

/* add.cc, and addc.cc, which takes the carry of the one before */
template <bool TAKES>
void
add_carry(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]), *b = register_of(warp, i.from[1]);

	for_lanes(lanes,
			  [&](int lane)
			  {
				  unsigned __int128 sum = (unsigned __int128) a[lane] + b[lane] + (TAKES ? warp.carry[lane] : 0);

				  to[lane] = (uint64_t) sum;
				  warp.carry[lane] = (uint8_t) (sum >> 64);
			  });
}

/* sub.cc, and subc.cc, which takes the borrow of the one before */
template <bool TAKES>
void
subtract_borrow(Warp &warp, const Instruction &i, uint32_t lanes)
{
	uint64_t	   *to = register_of(warp, i.to[0]);
	const uint64_t *a = register_of(warp, i.from[0]), *b = register_of(warp, i.from[1]);

	for_lanes(lanes,
			  [&](int lane)
			  {
				  unsigned __int128 rest = (unsigned __int128) a[lane] - b[lane] - (TAKES ? warp.carry[lane] : 0);

				  to[lane] = (uint64_t) rest;
				  warp.carry[lane] = (uint8_t) (rest >> 64 & 1);
			  });
}

/* Four bytes of eight, as the nibbles of the third operand choose. */
void
permute(Warp &warp, const Instruction &i, uint32_t lanes)
{
	for_lanes(lanes,
			  [&](int lane)
			  {
				  uint64_t bytes = (uint32_t) register_of(warp, i.from[0])[lane] | register_of(warp, i.from[1])[lane]
																					   << 32;
				  uint32_t choice = (uint32_t) register_of(warp, i.from[2])[lane], result = 0;

				  for (int k = 0; k < 4; k++)
				  {
					  uint32_t nibble = choice >> 4 * k & 15;
					  uint8_t  byte = (uint8_t) (bytes >> 8 * (nibble & 7));

					  /* the nibble's highest bit: the byte's sign, eight times */
					  result |= (uint32_t) (nibble < 8 ? byte : (byte & 0x80) != 0 ? 0xff : 0) << 8 * k;
				  }
				  register_of(warp, i.to[0])[lane] = result;
			  });
}

/* The lowest bits of the first operand, as many as the fourth says, into the second, from bit `third` on. */
template <unsigned BITS>
void
insert_bits(Warp &warp, const Instruction &i, uint32_t lanes)
{
	for_lanes(lanes,
			  [&](int lane)
			  {
				  uint64_t a = register_of(warp, i.from[0])[lane], b = register_of(warp, i.from[1])[lane];
				  uint64_t at = register_of(warp, i.from[2])[lane] & 0xff,
						   n = register_of(warp, i.from[3])[lane] & 0xff;
				  uint64_t mask = at >= BITS ? 0 : low_bits(n) << at & low_bits(BITS);

				  register_of(warp, i.to[0])[lane] = (b & ~mask & low_bits(BITS)) | (at >= BITS ? 0 : a << at & mask);
			  });
}

void
nothing(Warp &, const Instruction &, uint32_t)
{
}

/* ---- by opcode ---- */

#define INTEGERS(NAME, ACTION, F)                                                                             \
	{NAME ".s16", ACTION<int16_t, F>}, {NAME ".u16", ACTION<uint16_t, F>}, {NAME ".s32", ACTION<int32_t, F>}, \
		{NAME ".u32", ACTION<uint32_t, F>}, {NAME ".s64", ACTION<int64_t, F>},                                \
	{                                                                                                         \
		NAME ".u64", ACTION<uint64_t, F>                                                                      \
	}
/* whose result does not hang on the sign */
#define WRAPPING(NAME, F)                                                                                       \
	{NAME ".s16", binary<uint16_t, F>}, {NAME ".u16", binary<uint16_t, F>}, {NAME ".s32", binary<uint32_t, F>}, \
		{NAME ".u32", binary<uint32_t, F>}, {NAME ".s64", binary<uint64_t, F>},                                 \
	{                                                                                                           \
		NAME ".u64", binary<uint64_t, F>                                                                        \
	}
#define BITS(NAME, ACTION, F)                                               \
	{NAME ".b16", ACTION<uint16_t, F>}, {NAME ".b32", ACTION<uint32_t, F>}, \
	{                                                                       \
		NAME ".b64", ACTION<uint64_t, F>                                    \
	}
#define FLOATS(NAME, ACTION, F)        \
	{NAME ".f32", ACTION<float, F>},   \
	{                                  \
		NAME ".f64", ACTION<double, F> \
	}
#define SELECT(T, TYPE)         \
	{                           \
		"selp." T, select<TYPE> \
	}
#define CONVERT(NAME, TO, FROM)        \
	{                                  \
		"cvt." NAME, convert<TO, FROM> \
	}

const std::unordered_map<std::string, Action> actions = {
	WRAPPING("add", Add),
	WRAPPING("sub", Subtract),
	WRAPPING("mul.lo", Multiply),
	INTEGERS("min", binary, Lesser),
	INTEGERS("max", binary, Greater),
	INTEGERS("shr", shift, Right),
	INTEGERS("setp.lt", binary, Less),
	INTEGERS("setp.le", binary, LessOrEqual),
	INTEGERS("setp.gt", binary, More),
	INTEGERS("setp.ge", binary, MoreOrEqual),
	INTEGERS("setp.eq", binary, Equal),
	INTEGERS("setp.ne", binary, NotEqual),
	BITS("setp.eq", binary, Equal),
	BITS("setp.ne", binary, NotEqual),
	FLOATS("setp.lt", binary, Less),
	FLOATS("setp.le", binary, LessOrEqual),
	FLOATS("setp.gt", binary, More),
	FLOATS("setp.ge", binary, MoreOrEqual),
	FLOATS("setp.eq", binary, Equal),
	FLOATS("setp.neu", binary, NotEqual),
	FLOATS("setp.ltu", binary, LessOrUnordered),
	FLOATS("setp.leu", binary, LessOrEqualOrUnordered),
	FLOATS("setp.gtu", binary, MoreOrUnordered),
	FLOATS("setp.geu", binary, MoreOrEqualOrUnordered),
	BITS("and", binary, And),
	BITS("or", binary, Or),
	BITS("xor", binary, Xor),
	BITS("not", unary, Not),
	BITS("shl", shift, Left),
	BITS("shr", shift, Right),
	{"and.pred", binary<uint64_t, And>},
	{"or.pred", binary<uint64_t, Or>},
	{"xor.pred", binary<uint64_t, Xor>},
	{"not.pred", unary<uint64_t, NotPredicate>},
	{"mov.pred", unary<uint64_t, Same>},
	{"add.rn.f32", binary<float, Add>},
	{"add.rn.f64", binary<double, Add>},
	{"sub.rn.f64", binary<double, Subtract>},
	{"mul.rn.f64", binary<double, Multiply>},
	{"div.rn.f64", binary<double, Divide>},
	{"rem.u32", binary<uint32_t, Remainder>},
	{"fma.rn.f64", ternary<double, Fused>},
	FLOATS("abs", unary, Magnitude),
	FLOATS("neg", unary, Negative),
	{"neg.s32", unary<uint32_t, Negative>},
	{"neg.s64", unary<uint64_t, Negative>},
	{"mul.wide.s16", binary<int16_t, WideSigned16>},
	{"mul.wide.u16", binary<uint16_t, WideUnsigned16>},
	{"mul.wide.s32", binary<int32_t, WideSigned32>},
	{"mul.wide.u32", binary<uint32_t, WideUnsigned32>},
	{"mad.lo.s32", ternary<uint32_t, MultiplyAdd>},
	{"mad.lo.u32", ternary<uint32_t, MultiplyAdd>},
	{"mad.lo.s64", ternary<uint64_t, MultiplyAdd>},
	{"add.cc.s64", add_carry<false>},
	{"addc.cc.s64", add_carry<true>},
	{"sub.cc.s64", subtract_borrow<false>},
	{"subc.cc.s64", subtract_borrow<true>},
	{"clz.b32", unary<uint32_t, LeadingZeros32>},
	{"clz.b64", unary<uint64_t, LeadingZeros64>},
	{"popc.b32", unary<uint32_t, BitsSet>},
	{"popc.b64", unary<uint64_t, BitsSet>},
	{"prmt.b32", permute},
	{"bfi.b32", insert_bits<32>},
	{"bfi.b64", insert_bits<64>},
	SELECT("b16", uint16_t),
	SELECT("u16", uint16_t),
	SELECT("s16", uint16_t),
	SELECT("b32", uint32_t),
	SELECT("u32", uint32_t),
	SELECT("s32", uint32_t),
	SELECT("f32", uint32_t),
	SELECT("b64", uint64_t),
	SELECT("u64", uint64_t),
	SELECT("s64", uint64_t),
	SELECT("f64", uint64_t),
	CONVERT("f64.f32", double, float),
	CONVERT("rn.f32.f64", float, double),
	CONVERT("rn.f64.u32", double, uint32_t),
	CONVERT("s64.s8", int64_t, int8_t),
	CONVERT("s64.s16", int64_t, int16_t),
	CONVERT("s64.s32", int64_t, int32_t),
	CONVERT("s32.s8", int32_t, int8_t),
	CONVERT("s32.s16", int32_t, int16_t),
	CONVERT("u64.u16", uint64_t, uint16_t),
	CONVERT("u64.u32", uint64_t, uint32_t),
	CONVERT("u32.u16", uint32_t, uint16_t),
	CONVERT("u32.u64", uint32_t, uint64_t),
	CONVERT("u16.u32", uint16_t, uint32_t),
	CONVERT("u16.u64", uint16_t, uint64_t),
	{"mov.u16", move<16>},
	{"mov.b16", move<16>},
	{"mov.u32", move<32>},
	{"mov.s32", move<32>},
	{"mov.b32", move<32>},
	{"mov.f32", move<32>},
	{"mov.u64", move<64>},
	{"mov.b64", move<64>},
	{"mov.f64", move<64>},
};

} // namespace

void
ptx_decode(const std::string &opcode, Instruction *instruction)
{
	auto it = actions.find(opcode);

	instruction->control = Control::NONE;
	if (it != actions.end())
		instruction->action = it->second;
	else if (opcode == "bra" || opcode == "bra.uni")
		instruction->control = Control::BRANCH;
	else if (opcode == "ret" || opcode == "exit")
		instruction->control = Control::EXIT;
	else if (opcode == "nanosleep.u32")
		instruction->control = Control::SLEEP;
	else if (opcode == "bar.sync" || opcode == "bar.red.or.pred")
		instruction->control = Control::BARRIER;
	else if (opcode == "membar.cta")
		instruction->action = nothing; /* a block sees its own stores at once */
	else if (!decode_access(opcode, instruction) && !decode_exchange(opcode, instruction))
		ptx_stop("unknown instruction %s", opcode.c_str());
}

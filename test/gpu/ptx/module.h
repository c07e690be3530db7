/*
 * module.h: PTX as the interpreter keeps it: kernels, and their instructions decoded as far as can be.
 *
 * parse.cc makes it out of text, execute.cc and access.cc say what instructions do, launch.cc runs a kernel.  What any
 * of them does not know ends the program with a message: an answer by guess would be worth nothing.
 */
#ifndef SCAN_PTX_MODULE_H
#define SCAN_PTX_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <map>
#include <string>
#include <vector>

#define LANES 32
#define ALL_LANES 0xffffffffu

/* Prints what is wrong and where, and ends the program. */
[[noreturn]] extern void ptx_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct Warp;
struct Instruction;

/* Does an instruction for the lanes of `lanes`. */
typedef void (*Action)(Warp &warp, const Instruction &instruction, uint32_t lanes);

enum class Space
{
	GENERIC,
	GLOBAL,
	SHARED,
	LOCAL,
	PARAM,
};

/*
 * An operand: the number of a register, of which every lane has one; constants and special registers are registers that
 * are written when a warp starts.
 */
typedef int32_t Operand;

enum class Control
{
	NONE,	 /* goes on with the next instruction */
	BRANCH,	 /* of the lanes whose predicate says so */
	EXIT,	 /* the same */
	WARP,	 /* waits for the lanes of a mask: shfl, vote, bar.warp */
	BARRIER, /* waits for all warps of the block */
	SLEEP,	 /* lets others go first */
};

/* What a load or a store orders beside itself. */
enum class Ordering
{
	NONE,
	ACQUIRE,
	RELEASE,
};

struct Instruction
{
	Action				 action;
	Control				 control;
	bool				 is_target; /* a branch may lead here, or just did not */
	bool				 negated;	/* the predicate */
	Operand				 predicate; /* -1: none */
	std::vector<Operand> to;		/* written; those of a vector one by one */
	std::vector<Operand> from;		/* read */
	Operand				 mask;		/* of WARP: which lanes take part */
	int32_t				 target;	/* of BRANCH: an instruction's number */
	int64_t				 offset;	/* of an address */
	uint32_t			 width;		/* bytes of one element that is read or written */
	Space				 space;
	bool				 is_strong; /* volatile, relaxed, acquire, release: in order for its place, and never stale */
	Ordering			 order;		/* of a load or a store, with others */
	bool				 is_signed;
	int					 line; /* of the PTX */
};

/* An array: at `offset` of its space, in which arrays lie with gaps between them. */
struct Array
{
	std::string name;
	uint64_t	offset, size;
};

/* A register that has a value before the first instruction. */
enum class Special
{
	CONSTANT,
	THREAD,		/* %tid.x */
	BLOCK,		/* %ctaid.x */
	BLOCKS,		/* %nctaid.x */
	THREADS,	/* %ntid.x */
	LANE,		/* %laneid */
	LANES_UP_TO /* %lanemask_le */
};

struct Preset
{
	Operand	 place;
	Special	 special;
	uint64_t value;
};

struct Kernel
{
	std::string				 name;
	int						 number; /* of its module's PTX, for messages */
	std::vector<Instruction> code;
	std::vector<Preset>		 presets;
	std::vector<Array>		 params, shared;
	uint64_t				 params_size, shared_size, local_size;
	int						 registers;
	uint32_t				 threads;		 /* of a block, at most */
	uint64_t				 runs, executed; /* launches, and instructions of single threads in all */
	uint64_t				 blocks;
};

/* Adds the kernels of a module to those known. */
extern void ptx_parse(const std::string &text, std::map<std::string, Kernel> &kernels);

/* What an opcode with its types does; stops at what is not known.  Fills in control, space, width and action. */
extern void ptx_decode(const std::string &opcode, Instruction *instruction);

#endif /* SCAN_PTX_MODULE_H */

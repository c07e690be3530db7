/*
 * lines.h: numbers for those lines of list.h that run in batches.
 *
 * Programs that were built separately (a backend, a library of CUDA kernels) name a line by its number.  The
 * fingerprint tells whether two programs mean the same line by it: it hashes every name, and every size that one
 * program sends to another.
 */
#ifndef SCAN_OP_LINES_H
#define SCAN_OP_LINES_H

#include "op/bin.h"
#include "op/carry.h"
#include "op/frame.h"
#include "op/serialize.h"

/* SCAN_OP_sum_int4 and so on, in the order of scan_op_at() */
typedef enum ScanOpId
{
	SCAN_OP_none = -1, /* no line is meant */
#define SCAN_ROW(function, type, arguments, result, flags, call) SCAN_OP_##function##_##type,
#define SCAN_KERNEL(function, type, flags) SCAN_OP_##function##_##type,
#define SCAN_ORDERED(function, type, second, flags) SCAN_OP_##function##_##type,
#define SCAN_FRAMED(function, type) SCAN_OP_##function##_##type,
#include "op/list.h"
	SCAN_OPS /* the number of lines */
} ScanOpId;

/* Flags of a line of list.h */
enum
{
	SCAN_NULL_IS_ZERO = 1,	 /* a NULL counts as a zero value and is not skipped */
	SCAN_SPARSE = 2,		 /* lower may return SCAN_NULL */
	SCAN_BEFORE = 4,		 /* lower reads the total before the row */
	SCAN_VECTOR = 8,		 /* the first column's values are arrays; param begins with their size in bytes, a size_t */
	SCAN_TILED = 16,		 /* tile.c has faster ways through rows without NULLs and heads */
	SCAN_NULL_IS_VALUE = 32, /* a NULL is not skipped: lift and accumulate get a NULL pointer */
	SCAN_FRAMES = 64,		 /* a SCAN_FRAMED line: the second column has a ScanFrame for each row */
};

/* FNV-1a, 64 bits */
static inline uint64_t
fingerprint_bytes(uint64_t hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ ((const uint8_t *) bytes)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static inline uint64_t
fingerprint_line(uint64_t hash, const char *name, size_t in, size_t second, size_t out, size_t acc)
{
	uint64_t sizes[4] = {in, second, out, acc};

	hash = fingerprint_bytes(hash, name, strlen(name) + 1);
	return fingerprint_bytes(hash, sizes, sizeof(sizes));
}

/* Returns a hash that is equal in two programs if and only if their lines are. */
static inline uint64_t
scan_fingerprint(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = fingerprint_line(hash, "carry", offsetof(ScanCarry, acc), sizeof(ClampParam), sizeof(ClampedFloatParam),
							sizeof(CarryParam));
	hash = fingerprint_line(hash, "recurrence", sizeof(SerializedRecurrence), RECURRENCE_CHUNK, sizeof(RecurrenceParam),
							offsetof(RecurrenceParam, init));
/* each macro stringifies the names itself: `bool` is a macro in C, and an argument passed on would become _Bool */
#define FINGERPRINT(D, name, second) \
	hash = fingerprint_line(hash, name, sizeof(D##_in) - (second), second, sizeof(D##_out), sizeof(D##_acc));
#define SCAN_ROW(function, type, arguments, result, flags, call) FINGERPRINT(function##_##type, #function " " #type, 0)
#define SCAN_KERNEL(function, type, flags) FINGERPRINT(function##_##type, #function " " #type, 0)
#define SCAN_ORDERED(function, type, second, flags) FINGERPRINT(function##_##type, #function " " #type, second)
#define SCAN_FRAMED(function, type) FINGERPRINT(function##_##type, #function " " #type, sizeof(ScanFrame))
#include "op/list.h"
#undef FINGERPRINT
	return hash;
}

#endif /* SCAN_OP_LINES_H */

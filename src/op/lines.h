/*
 * lines.h: the lines of list.h that run in batches, by number.
 *
 * Programs that were built apart (a backend, the program that owns the GPU, its
 * device library) speak of a line by its number.  The fingerprint tells whether
 * they mean the same by it: every name, and every size that crosses from one to the
 * other, goes into it.
 */
#ifndef SCAN_OP_LINES_H
#define SCAN_OP_LINES_H

#include "op/carry.h"
#include "op/serialize.h"

/* SCAN_OP_sum_int4 and so on, in the order of scan_op_at() */
typedef enum ScanOpId
{
	SCAN_OP_none = -1, /* no line is meant */
#define SCAN_ROW(function, type, arguments, result, flags, call) SCAN_OP_##function##_##type,
#define SCAN_KERNEL(function, type, flags) SCAN_OP_##function##_##type,
#define SCAN_ORDERED(function, type, second, flags) SCAN_OP_##function##_##type,
#include "op/list.h"
	SCAN_OPS /* how many */
} ScanOpId;

/* Flags of a line of list.h */
enum
{
	SCAN_NULL_IS_ZERO = 1, /* a NULL is a zero value, not a skipped one */
	SCAN_SPARSE = 2,	   /* the binding may answer NULL */
	SCAN_BEFORE = 4,	   /* the binding looks at the total before the row */
	SCAN_VECTOR = 8,	   /* the first column's values are arrays; param begins with their size_t bytes */
	SCAN_TILED = 16,	   /* tile.c has other ways through rows without NULLs and heads */
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

/* The same in two programs iff their lines are. */
static inline uint64_t
scan_fingerprint(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = fingerprint_line(hash, "carry", offsetof(ScanCarry, acc), sizeof(ClampParam), sizeof(ClampedFloatParam),
							sizeof(CarryParam));
	hash = fingerprint_line(hash, "recurrence", sizeof(SerializedRecurrence), RECURRENCE_CHUNK, sizeof(RecurrenceParam),
							offsetof(RecurrenceParam, init));
/* pasted by the reader itself: `bool` is a macro in C, and would go on as _Bool */
#define FINGERPRINT(D, name, second) \
	hash = fingerprint_line(hash, name, sizeof(D##_in) - (second), second, sizeof(D##_out), sizeof(D##_acc));
#define SCAN_ROW(function, type, arguments, result, flags, call) FINGERPRINT(function##_##type, #function " " #type, 0)
#define SCAN_KERNEL(function, type, flags) FINGERPRINT(function##_##type, #function " " #type, 0)
#define SCAN_ORDERED(function, type, second, flags) FINGERPRINT(function##_##type, #function " " #type, second)
#include "op/list.h"
#undef FINGERPRINT
	return hash;
}

#endif /* SCAN_OP_LINES_H */

/*
 * ops.c: list.h as a table of operations, each with its own compiled loops.
 *
 * For every SCAN_ROW and SCAN_KERNEL line this file gives the door's typed
 * functions the untyped signatures of ScanOp, and compiles the loops of loop.h
 * for them.  Nothing here knows a function or a type by name.
 */
#include "cpu/loop.h"

#define KERNEL(D, FUNCTION, TYPE, FLAGS)                                                                               \
	static void D##_op_lift(const void *param, const void *x, int64_t row, void *acc)                                  \
	{                                                                                                                  \
		D##_lift(param, (const D##_in *) x, row, (D##_acc *) acc);                                                     \
	}                                                                                                                  \
	static void D##_op_push(const void *param, void *acc, const void *x, int64_t row)                                  \
	{                                                                                                                  \
		D##_push(param, (D##_acc *) acc, (const D##_in *) x, row);                                                     \
	}                                                                                                                  \
	static ScanStatus D##_op_drop(const void *param, const void *before, const void *after, int64_t row, void *y)      \
	{                                                                                                                  \
		return D##_drop(param, (const D##_acc *) before, (const D##_acc *) after, row, (D##_out *) y);                 \
	}                                                                                                                  \
	static ScanStatus D##_op_unit(void *y)                                                                             \
	{                                                                                                                  \
		return D##_unit((D##_out *) y);                                                                                \
	}                                                                                                                  \
	static void D##_op_item_copy(void *dst, const void *src)                                                           \
	{                                                                                                                  \
		D##_item_copy((D##_item *) dst, (const D##_item *) src);                                                       \
	}                                                                                                                  \
	static void D##_op_item_join(void *left, const void *right)                                                        \
	{                                                                                                                  \
		D##_item_join((D##_item *) left, (const D##_item *) right);                                                    \
	}                                                                                                                  \
	static int64_t D##_op_run(void *acc, const void *x, int64_t n, void *y)                                            \
	{                                                                                                                  \
		return D##_run((D##_acc *) acc, (const D##_in *) x, n, (D##_out *) y);                                         \
	}                                                                                                                  \
	static ScanStatus	 D##_op_step(const void *, ScanCarry *, const void *, bool, ScanExtent, void *);               \
	static void			 D##_op_sequential(ScanJob *);                                                                 \
	static const ScanOp	 D##_op = {FUNCTION,                                                                           \
								   TYPE,                                                                               \
								   FLAGS,                                                                              \
								   sizeof(D##_in),                                                                     \
								   sizeof(D##_out),                                                                    \
								   sizeof(D##_acc),                                                                    \
								   offsetof(D##_item, acc),                                                            \
								   sizeof(D##_item),                                                                   \
								   D##_op_lift,                                                                        \
								   D##_op_push,                                                                        \
								   D##_op_drop,                                                                        \
								   D##_op_unit,                                                                        \
								   D##_op_item_copy,                                                                   \
								   D##_op_item_join,                                                                   \
								   D##_op_run,                                                                         \
								   D##_op_step,                                                                        \
								   D##_op_sequential};                                                                 \
	static const D##_acc D##_zero;                                                                                     \
	static ScanStatus	 D##_op_step(const void *param, ScanCarry *carry, const void *x, bool head, ScanExtent extent, \
									 void *y)                                                                          \
	{                                                                                                                  \
		D##_acc before;                                                                                                \
		return scan_step(&D##_op, param, carry, carry->acc, &before, &D##_zero, x, head, extent, y);                   \
	}                                                                                                                  \
	static void D##_op_sequential(ScanJob *job)                                                                        \
	{                                                                                                                  \
		D##_acc acc, before;                                                                                           \
		memcpy(&acc, job->carry->acc, sizeof(acc));                                                                    \
		scan_sequential(&D##_op, job, &acc, &before, &D##_zero);                                                       \
		memcpy(job->carry->acc, &acc, sizeof(acc));                                                                    \
	}

#define SCAN_ROW(function, type, arguments, result, flags, call) KERNEL(function##_##type, #function, #type, flags)
#define SCAN_KERNEL(function, type, flags) KERNEL(function##_##type, #function, #type, flags)
#include "op/list.h"

static const ScanOp *const scan_ops[] = {
#define SCAN_ROW(function, type, arguments, result, flags, call) &function##_##type##_op,
#define SCAN_KERNEL(function, type, flags) &function##_##type##_op,
#include "op/list.h"
};

#define SCAN_OPS ((int) (sizeof(scan_ops) / sizeof(scan_ops[0])))

const ScanOp *
scan_op_at(int i)
{
	return i < SCAN_OPS ? scan_ops[i] : NULL;
}

const ScanOp *
scan_op_find(const char *function, const char *type)
{
	for (int i = 0; i < SCAN_OPS; i++)
		if (strcmp(scan_ops[i]->function, function) == 0 && strcmp(scan_ops[i]->type, type) == 0)
			return scan_ops[i];
	return NULL;
}

size_t
scan_carry_size(const ScanOp *op)
{
	return offsetof(ScanCarry, acc) + op->acc_size;
}

void
scan_carry_start(const ScanOp *op, ScanCarry *carry)
{
	memset(carry, 0, scan_carry_size(op));
	carry->held_status = op->unit(&carry->held);
}

void
scan_cpu_run(ScanJob *job)
{
	job->done = 0;
	job->status = SCAN_OK;
	switch (job->algorithm)
	{
		case SCAN_AUTO:
		case SCAN_SEQUENTIAL:
			job->op->sequential(job);
			break;
		case SCAN_HILLIS_STEELE:
			scan_hillis_steele(job);
			break;
		case SCAN_BLELLOCH:
			scan_blelloch(job);
			break;
		case SCAN_BLOCKED:
			scan_blocked(job);
			break;
	}
}

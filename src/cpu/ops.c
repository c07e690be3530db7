/*
 * ops.c: list.h as a table of operations, each with its own compiled loops.
 *
 * For every SCAN_ROW, SCAN_KERNEL and SCAN_ORDERED line this file gives the binding's typed functions the untyped
 * signatures of ScanOp, and compiles the loops of loop.h for them.  A SCAN_FRAMED line has a loop over its rows' frames
 * alone.  Nothing here knows a function or a type by name.
 */
#include "cpu/loop.h"

/* The untyped functions that every binding has: lift, accumulate, lower, identity, step and sequential. */
#define BINDING_OP(D)                                                                                                  \
	static void D##_op_lift(const void *param, const void *x, int64_t row, void *acc)                                  \
	{                                                                                                                  \
		D##_lift(param, (const D##_in *) x, row, (D##_acc *) acc);                                                     \
	}                                                                                                                  \
	static void D##_op_accumulate(const void *param, void *acc, const void *x, int64_t row)                            \
	{                                                                                                                  \
		D##_accumulate(param, (D##_acc *) acc, (const D##_in *) x, row);                                               \
	}                                                                                                                  \
	static ScanStatus D##_op_lower(const void *param, const void *before, const void *after, int64_t row, void *y)     \
	{                                                                                                                  \
		return D##_lower(param, (const D##_acc *) before, (const D##_acc *) after, row, (D##_out *) y);                \
	}                                                                                                                  \
	static ScanStatus D##_op_identity(void *y)                                                                         \
	{                                                                                                                  \
		return D##_identity((D##_out *) y);                                                                            \
	}                                                                                                                  \
	static const ScanOp	 D##_op;                                                                                       \
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

/* The fields of a ScanOp that BINDING_OP provides. */
#define BINDING_FIELDS(D, FUNCTION, TYPE, FLAGS, SECOND)                                                           \
	.function = FUNCTION, .type = TYPE, .line = SCAN_OP_##D, .flags = FLAGS, .in_size = sizeof(D##_in) - (SECOND), \
	.in2_size = (SECOND), .out_size = sizeof(D##_out), .lift = D##_op_lift, .accumulate = D##_op_accumulate,       \
	.lower = D##_op_lower, .identity = D##_op_identity, .step = D##_op_step, .sequential = D##_op_sequential

/* A ScanOp for a binding to a monoid. */
#define KERNEL(D, FUNCTION, TYPE, FLAGS)                                                    \
	BINDING_OP(D)                                                                           \
	ITEM_OP(D)                                                                              \
	static int64_t D##_op_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y) \
	{                                                                                       \
		return D##_run((D##_acc *) acc, (const D##_in *) job->in + i, n, (D##_out *) y);    \
	}                                                                                       \
	static const ScanOp D##_op = {BINDING_FIELDS(D, FUNCTION, TYPE, FLAGS, 0), ITEM_FIELDS(D), .run = D##_op_run};

/* A ScanOp for a binding whose rows must be taken in order. */
#define ORDERED(D, FUNCTION, TYPE, SECOND, FLAGS)                                                                \
	BINDING_OP(D)                                                                                                \
	static const ScanOp D##_op = {BINDING_FIELDS(D, FUNCTION, TYPE, FLAGS, SECOND), .acc_size = sizeof(D##_acc), \
								  .run = scan_no_run};

/* A ScanOp for a line of frames, which are folded one after the other. */
#define FRAMED(D, FUNCTION, TYPE)                                                                   \
	static ScanStatus D##_op_identity(void *y)                                                      \
	{                                                                                               \
		memset(y, 0, sizeof(D##_out));                                                              \
		return SCAN_NULL;                                                                           \
	}                                                                                               \
	static void D##_op_sequential(ScanJob *job)                                                     \
	{                                                                                               \
		const ScanFrame *frame = (const ScanFrame *) job->in2;                                      \
		while (job->done < job->n)                                                                  \
			(void) scan_row_ends(job, D##_fold((const D##_value *) job->in,                         \
											   frame_cut(frame[job->done], (uint32_t) job->values), \
											   (D##_out *) job->out + job->done)                    \
										  ? SCAN_OK                                                 \
										  : SCAN_NULL);                                             \
		job->carry->row += job->n;                                                                  \
	}                                                                                               \
	static const ScanOp D##_op = {.function = FUNCTION,                                             \
								  .type = TYPE,                                                     \
								  .line = SCAN_OP_##D,                                              \
								  .flags = SCAN_FRAMES | SCAN_SPARSE,                               \
								  .in_size = sizeof(D##_value),                                     \
								  .in2_size = sizeof(ScanFrame),                                    \
								  .out_size = sizeof(D##_out),                                      \
								  .acc_size = sizeof(D##_acc),                                      \
								  .identity = D##_op_identity,                                      \
								  .sequential = D##_op_sequential};

#define SCAN_ROW(function, type, arguments, result, flags, call) KERNEL(function##_##type, #function, #type, flags)
#define SCAN_KERNEL(function, type, flags) KERNEL(function##_##type, #function, #type, flags)
#define SCAN_ORDERED(function, type, second, flags) ORDERED(function##_##type, #function, #type, second, flags)
#define SCAN_FRAMED(function, type) FRAMED(function##_##type, #function, #type)
#include "op/list.h"

static const ScanOp *const scan_ops[SCAN_OPS] = {
#define SCAN_ROW(function, type, arguments, result, flags, call) &function##_##type##_op,
#define SCAN_KERNEL(function, type, flags) &function##_##type##_op,
#define SCAN_ORDERED(function, type, second, flags) &function##_##type##_op,
#define SCAN_FRAMED(function, type) &function##_##type##_op,
#include "op/list.h"
};

const ScanOp *
scan_op_at(int line)
{
	return line >= 0 && line < SCAN_OPS ? scan_ops[line] : NULL;
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
	carry->pending_status = op->identity(&carry->pending);
}

void
scan_cpu_run(ScanJob *job)
{
	job->done = 0;
	job->status = SCAN_OK;
	/* where rows must be taken in order, the algorithm only selects how tiles are proved */
	if (job->op->item_size == 0 || job->algorithm == SCAN_AUTO || job->algorithm == SCAN_SEQUENTIAL)
		job->op->sequential(job);
	else if (job->algorithm == SCAN_BLOCKED)
		scan_blocked(job);
	else
		scan_tiles(job, job->algorithm == SCAN_BLELLOCH);
}

/*
 * encoding.h: an operation as bytes for another program: its constant arguments and its carry.
 *
 * Called by src/device/ before and after a job, and by the program that runs the job.  A scan can leave its process if
 * its accumulator has a fixed size and no pointers, and its parameter is encoded here.  Recurrences and averages own
 * memory while they run; serialize.h sends them without that memory.  Filters, products of doubles and averages by time
 * cannot leave.
 */
#ifndef SCAN_DEVICE_ENCODING_H
#define SCAN_DEVICE_ENCODING_H

#include "op/lines.h"

/* True if serialize.h serialises the line's carries: the accumulator begins with a GrowingRecurrence. */
SCAN_FN bool
scan_op_id_is_recurrence(int line)
{
	return line == SCAN_OP_recurrence_float8 || line == SCAN_OP_recurrence_vector || line == SCAN_OP_ema_float8;
}

/* True if the line has frames: a job has no keys, NULLs and heads, and its carry only counts rows (op/frame.h). */
SCAN_FN bool
scan_op_id_has_frames(int line)
{
	switch (line)
	{
#define SCAN_FRAMED(function, type) case SCAN_OP_##function##_##type:
#include "op/list.h"
		return true;
		default:
			return false;
	}
}

/* Returns the bytes of the line's serialised carry; 0 if a scan of the line cannot leave its process. */
SCAN_FN size_t
scan_serialized_size(int line)
{
	switch (line)
	{
#define FIXED_SIZE(D) \
	case SCAN_OP_##D: \
		return offsetof(ScanCarry, acc) + sizeof(D##_acc);
#define SCAN_ROW(function, type, arguments, result, flags, call) FIXED_SIZE(function##_##type)
#define SCAN_KERNEL(function, type, flags) FIXED_SIZE(function##_##type)
#define SCAN_FRAMED(function, type) FIXED_SIZE(function##_##type)
#include "op/list.h"
		FIXED_SIZE(clamped_sum_float8)
#undef FIXED_SIZE
		case SCAN_OP_recurrence_float8:
		case SCAN_OP_recurrence_vector:
			return offsetof(ScanCarry, acc) + sizeof(SerializedRecurrence);
		case SCAN_OP_ema_float8:
			return offsetof(ScanCarry, acc) + sizeof(SerializedEma);
		default:
			return 0;
	}
}

SCAN_FN bool
scan_op_id_serializes(int line)
{
	return scan_serialized_size(line) > 0;
}

/* True if a scan of the line with `param` can leave its process. */
SCAN_FN bool
scan_serializes(int line, const void *param)
{
	return scan_op_id_serializes(line) &&
		   (line != SCAN_OP_recurrence_vector || ((const RecurrenceParam *) param)->order <= SERIALIZED_ORDERS);
}

/* Returns the bytes of the line's parameter; 0 if the line has none. */
SCAN_FN size_t
scan_param_fixed_size(int line)
{
	switch (line)
	{
		case SCAN_OP_sum_interval:
			return sizeof(SpanParam);
		case SCAN_OP_clamped_sum_int2:
		case SCAN_OP_clamped_sum_int4:
		case SCAN_OP_clamped_sum_int8:
			return sizeof(ClampParam);
		case SCAN_OP_clamped_sum_float8:
			return sizeof(ClampedFloatParam);
		case SCAN_OP_carry_bool:
			return sizeof(CarryParam);
		case SCAN_OP_recurrence_float8:
		case SCAN_OP_recurrence_vector:
			return sizeof(RecurrenceParam);
		case SCAN_OP_ema_float8:
			return sizeof(EmaParam);
		default:
			return 0;
	}
}

/* True if the line reads its parameter without testing it for NULL. */
SCAN_FN bool
scan_op_id_needs_param(int line)
{
	size_t fixed = scan_param_fixed_size(line);

	return fixed > 0 && line != SCAN_OP_sum_interval && line != SCAN_OP_carry_bool;
}

/* Returns where the line's parameter points to the memory it grows in; NULL if the line needs no memory. */
SCAN_FN ScanMemory **
scan_param_memory(int line, void *param)
{
	if (line == SCAN_OP_ema_float8)
		return &((EmaParam *) param)->memory;
	return scan_op_id_is_recurrence(line) ? &((RecurrenceParam *) param)->memory : NULL;
}

/*
 * Copies `param` into `to`, which has `room` bytes; *size := the bytes written, 0 if `param` is NULL or the line has no
 * parameter.  False if the parameter does not fit or cannot leave its process.
 */
static inline bool
scan_param_encode(int line, const void *param, void *to, size_t room, size_t *size)
{
	size_t		 fixed = scan_param_fixed_size(line);
	ScanMemory **memory = scan_param_memory(line, to);

	*size = 0;
	/* callers may pass a parameter with lines that never read one */
	if (param == NULL || fixed == 0)
		return true;
	if (!scan_serializes(line, param) || fixed > room)
		return false;
	memcpy(to, param, fixed);
	/* the program that runs the scan has a ScanMemory of its own */
	if (memory != NULL)
		*memory = NULL;
	*size = fixed;
	return true;
}

/*
 * Returns the parameter that the `size` bytes at `from` hold, in place; NULL if `size` is 0.
 * *ok := false if the bytes cannot be a parameter of the line.  `from` is aligned to 16 bytes.
 */
static inline const void *
scan_param_decode(int line, void *from, size_t size, bool *ok)
{
	size_t		 fixed = scan_param_fixed_size(line);
	ScanMemory **memory = scan_param_memory(line, from);

	*ok = true;
	if (size == 0)
		return NULL;
	*ok = fixed > 0 && size == fixed;
	if (*ok && memory != NULL)
		*memory = NULL;
	if (*ok && line == SCAN_OP_ema_float8)
		*ok = ((const uint8_t *) from)[offsetof(EmaParam, adjust)] <= 1;
	if (*ok && line == SCAN_OP_recurrence_float8)
		*ok = ((const RecurrenceParam *) from)->order == 1;
	if (*ok && line == SCAN_OP_recurrence_vector)
	{
		const RecurrenceParam *p = (const RecurrenceParam *) from;

		*ok = p->order >= 1 && p->order <= SERIALIZED_ORDERS && p->width == (size_t) p->order * sizeof(double);
	}
	return from;
}

/* ---- carries ---- */

/* Serialises the carry into scan_serialized_size() bytes.  False if no other process can continue from it. */
static inline bool
scan_carry_serialize(int line, const void *param, const ScanCarry *carry, ScanCarry *to)
{
	SerializedRecurrence *serialized = (SerializedRecurrence *) to->acc;

	if (!scan_op_id_is_recurrence(line))
	{
		memcpy(to, carry, scan_serialized_size(line));
		return true;
	}
	memset(to, 0, scan_serialized_size(line));
	memcpy(to, carry, offsetof(ScanCarry, acc));
	if (!carry->any)
		return true;
	if (line == SCAN_OP_ema_float8)
		return ema_serialize((const EmaParam *) param, (const ema_float8_acc *) carry->acc,
							 (SerializedEma *) serialized);
	return recurrence_serialize((const OrderedRecurrence *) carry->acc, serialized);
}

/*
 * The input columns of a job that a device answered.  `in2`, `valid` and `heads` are NULL if the job has no second
 * column, no NULLs or no heads.
 */
typedef struct JobColumns
{
	const void	  *in, *in2;
	const uint8_t *valid, *heads;
	int64_t		   n;
} JobColumns;

/*
 * True if a serialised accumulator, both parts of it for an adjusted average, says that its chunk has `count` rows.
 */
static inline bool
serialized_is_of(int line, const void *param, const void *acc, int32_t count)
{
	SerializedEma serialized;

	memset(&serialized, 0, sizeof(serialized));
	memcpy(&serialized, acc, scan_serialized_size(line) - offsetof(ScanCarry, acc));
	return serialized.above.count == count &&
		   (line != SCAN_OP_ema_float8 || !((const EmaParam *) param)->adjust || serialized.below.count == count);
}

/*
 * *carry := the carry after the rows of `columns`, from the device's `from`; *carry comes in as the
 * carry before them.  False if `from` cannot be the carry after these rows.
 */
static inline bool
scan_carry_deserialize(int line, const ScanCarry *from, const void *param, const JobColumns *columns, ScanCarry *carry)
{
	const GrowingRecurrence *before = (const GrowingRecurrence *) carry->acc;
	int32_t					 count;

	if (!scan_op_id_is_recurrence(line))
	{
		memcpy(carry, from, scan_serialized_size(line));
		return true;
	}
	count = recurrence_count_after(carry->any ? before->r.count : 0, columns->valid, columns->heads, columns->n);
	/* without a value since the head, the carry holds no count to compare */
	if (from->any ? !serialized_is_of(line, param, from->acc, count) : count != 0)
		return false;
	memcpy(carry, from, offsetof(ScanCarry, acc));
	if (!carry->any)
		return true;
	if (line == SCAN_OP_ema_float8)
		ema_deserialize((const SerializedEma *) from->acc, (const EmaParam *) param, (const double *) columns->in,
						columns->valid, columns->n, (ema_float8_acc *) carry->acc);
	else
		recurrence_deserialize((const SerializedRecurrence *) from->acc, (const RecurrenceParam *) param,
							   (const double *) columns->in, (const double *) columns->in2, columns->valid, columns->n,
							   (OrderedRecurrence *) carry->acc);
	return true;
}

/*
 * True if a scan can continue from a serialised recurrence: all numbers are finite where the tiers take finite numbers,
 * and there are no more rows than a chunk has.
 */
SCAN_FN bool
serialized_recurrence_safe(const SerializedRecurrence *t)
{
	bool pairs = true, numbers = true;

	for (int j = 0; j < SERIALIZED_ORDERS; j++)
	{
		pairs = pairs && isfinite(t->pair[j].h) && isfinite(t->pair[j].l) && isfinite(t->pair[j].bound);
		numbers = numbers && isfinite(t->y[j]) && isfinite(t->start[j]);
	}
	return numbers && t->count >= 1 && t->count <= RECURRENCE_CHUNK && (pairs || t->count == RECURRENCE_CHUNK);
}

/*
 * True if a scan can continue from a carry that another program wrote: nothing in it makes the scan read rows that do
 * not exist.  Its values may still be wrong.
 */
static inline bool
scan_carry_safe(int line, const ScanCarry *carry)
{
	uint8_t any;

	memcpy(&any, &carry->any, sizeof(any));
	if (any > 1 || carry->pending_status < 0 || carry->pending_status > SCAN_STATUS_LAST)
		return false;
	if (scan_op_id_is_recurrence(line))
	{
		const SerializedEma *serialized = (const SerializedEma *) carry->acc;

		return any == 0 || (serialized_recurrence_safe(&serialized->above) &&
							(line != SCAN_OP_ema_float8 || serialized_recurrence_safe(&serialized->below)));
	}
	return true;
}

#endif /* SCAN_DEVICE_ENCODING_H */

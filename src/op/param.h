/*
 * param.h: the constant arguments of a line and its carry, on their way to another program.
 *
 * A scan can leave the process when what goes with it is bytes: an accumulator of
 * fixed size without pointers, and a parameter that is packed here.  scan_recurrence(float8),
 * which owns memory while it runs, leaves that behind (travel.h); what is made of such
 * recurrences stays.
 */
#ifndef SCAN_OP_PARAM_H
#define SCAN_OP_PARAM_H

#include "op/lines.h"

/* Bytes of the line's carry on its way; 0: such a scan stays in its process. */
SCAN_FN size_t
scan_travel_size(int line)
{
	switch (line)
	{
#define TRAVELS(D)      \
	case SCAN_LINE_##D: \
		return offsetof(ScanCarry, acc) + sizeof(D##_acc);
#define SCAN_ROW(function, type, arguments, result, flags, call) TRAVELS(function##_##type)
#define SCAN_KERNEL(function, type, flags) TRAVELS(function##_##type)
#include "op/list.h"
		TRAVELS(clamped_sum_float8)
#undef TRAVELS
		case SCAN_LINE_recurrence_float8:
			return offsetof(ScanCarry, acc) + sizeof(RecurrenceTravel);
		default:
			return 0;
	}
}

SCAN_FN bool
scan_line_travels(int line)
{
	return scan_travel_size(line) > 0;
}

/* Bytes of the line's parameter, of those that have one; an automaton's without its table. */
SCAN_FN size_t
scan_param_fixed(int line)
{
	switch (line)
	{
		case SCAN_LINE_sum_interval:
			return sizeof(SpanParam);
		case SCAN_LINE_locf_any:
			return sizeof(LocfParam);
		case SCAN_LINE_clamped_sum_int2:
		case SCAN_LINE_clamped_sum_int4:
		case SCAN_LINE_clamped_sum_int8:
			return sizeof(ClampParam);
		case SCAN_LINE_clamped_sum_float8:
			return sizeof(ClampedFloatParam);
		case SCAN_LINE_state_int4:
			return sizeof(AutomatonParam);
		case SCAN_LINE_carry_bool:
			return sizeof(CarryParam);
		case SCAN_LINE_recurrence_float8:
			return sizeof(RecurrenceParam);
		default:
			return 0;
	}
}

/* Whether the line reads its parameter without asking whether there is one. */
SCAN_FN bool
scan_line_needs_param(int line)
{
	size_t fixed = scan_param_fixed(line);

	return fixed > 0 && line != SCAN_LINE_sum_interval && line != SCAN_LINE_locf_any && line != SCAN_LINE_carry_bool;
}

/* Bytes of an automaton's table; SIZE_MAX: it has states or inputs that it may not have. */
SCAN_FN size_t
automaton_table_size(const AutomatonParam *p)
{
	if (p->states < 1 || p->states > AUTOMATON_STATES || p->inputs < 0 || p->inputs > INT32_MAX / AUTOMATON_STATES ||
		p->start < 0 || p->start >= p->states)
		return SIZE_MAX;
	return (size_t) p->states * p->inputs * sizeof(int32_t);
}

/*
 * Packs `param` (NULL: none) into `to`, which has `room` bytes: *size of them.  False
 * when it does not fit or cannot go.
 */
static inline bool
scan_param_pack(int line, const void *param, void *to, size_t room, size_t *size)
{
	size_t fixed = scan_param_fixed(line);
	size_t table = 0;

	*size = 0;
	/* callers hand over room for a parameter with lines that look at none */
	if (param == NULL || fixed == 0)
		return true;
	if (line == SCAN_LINE_state_int4)
		table = automaton_table_size((const AutomatonParam *) param);
	if (fixed > room || table > room - fixed)
		return false;
	memcpy(to, param, fixed);
	if (table > 0)
		memcpy((char *) to + fixed, ((const AutomatonParam *) param)->to, table);
	/* whoever runs it has memory of its own */
	if (line == SCAN_LINE_recurrence_float8)
		((RecurrenceParam *) to)->memory = NULL;
	*size = fixed + table;
	return true;
}

/*
 * The parameter that `size` bytes at `from` hold, in place, and NULL for none.  Sets
 * *ok false when they cannot be one.  `from` is aligned to 16 bytes.
 */
static inline const void *
scan_param_unpack(int line, void *from, size_t size, bool *ok)
{
	size_t fixed = scan_param_fixed(line);

	*ok = true;
	if (size == 0)
		return NULL;
	if (line == SCAN_LINE_state_int4)
	{
		AutomatonParam *p = (AutomatonParam *) from;

		*ok = size >= fixed && automaton_table_size(p) == size - fixed;
		if (*ok)
			p->to = (const int32_t *) (p + 1);
	}
	else
		*ok = fixed > 0 && size == fixed;
	if (*ok && line == SCAN_LINE_recurrence_float8)
	{
		RecurrenceParam *p = (RecurrenceParam *) from;

		*ok = p->order == 1;
		p->memory = NULL;
	}
	return from;
}

/* ---- carries ---- */

/* Writes the carry as it travels, scan_travel_size() bytes; false: nobody else can go on from it. */
static inline bool
scan_carry_depart(int line, const ScanCarry *carry, ScanCarry *to)
{
	RecurrenceTravel travel;

	if (line != SCAN_LINE_recurrence_float8)
	{
		memcpy(to, carry, scan_travel_size(line));
		return true;
	}
	memset(&travel, 0, sizeof(travel));
	if (carry->any && !recurrence_depart((const OrderedRecurrence *) carry->acc, &travel))
		return false;
	memcpy(to, carry, offsetof(ScanCarry, acc));
	memcpy(to->acc, &travel, sizeof(travel));
	return true;
}

/*
 * The carry after n rows that were answered elsewhere: `in`, `in2`, `valid` and `heads` are
 * their columns, and *carry is what it was before them.  False: it is not of these rows.
 */
static inline bool
scan_carry_arrive(int line, const ScanCarry *from, const void *param, const void *in, const void *in2,
				  const uint8_t *valid, const uint8_t *heads, int64_t n, ScanCarry *carry)
{
	OrderedRecurrence *to = (OrderedRecurrence *) carry->acc;
	RecurrenceTravel   travel;
	int32_t			   count;

	if (line != SCAN_LINE_recurrence_float8)
	{
		memcpy(carry, from, scan_travel_size(line));
		return true;
	}
	memcpy(&travel, from->acc, sizeof(travel));
	count = recurrence_count_after(carry->any ? to->g.r.count : 0, valid, heads, n);
	/* since a head without values it says nothing */
	if (from->any ? travel.count != count : count != 0)
		return false;
	memcpy(carry, from, offsetof(ScanCarry, acc));
	if (carry->any)
		recurrence_arrive(&travel, (const RecurrenceParam *) param, (const double *) in, (const double *) in2, valid, n,
						  to);
	return true;
}

/* Whether it can be gone on from: numbers where the ladder takes numbers, and a chunk's rows at most. */
SCAN_FN bool
recurrence_travel_safe(const RecurrenceTravel *t, bool any)
{
	bool pair = isfinite(t->pair.h) && isfinite(t->pair.l) && isfinite(t->pair.bound);

	if (!any)
		return true;
	return t->count >= 1 && t->count <= RECURRENCE_CHUNK && isfinite(t->y) && isfinite(t->start) &&
		   (pair || t->count == RECURRENCE_CHUNK);
}

/*
 * Whether a carry that another program left can be gone on from: nothing in it leads
 * outside a table, or makes more rows than there are.  Wrong it may still be.
 */
static inline bool
scan_carry_safe(int line, const ScanCarry *carry)
{
	uint8_t any, to[AUTOMATON_STATES] = {0};

	memcpy(&any, &carry->any, sizeof(any));
	if (any > 1 || carry->held_status < 0 || carry->held_status > SCAN_STATUS_LAST)
		return false;
	if (line == SCAN_LINE_recurrence_float8)
	{
		RecurrenceTravel travel;

		memcpy(&travel, carry->acc, sizeof(travel));
		return recurrence_travel_safe(&travel, any == 1);
	}
	if (line == SCAN_LINE_state_int4)
		memcpy(to, carry->acc, sizeof(to));
	for (int s = 0; s < AUTOMATON_STATES; s++)
		if (to[s] >= AUTOMATON_STATES && to[s] != AUTOMATON_OUT)
			return false;
	return true;
}

#endif /* SCAN_OP_PARAM_H */

/*
 * param.h: the constant arguments of a line, on their way to another program.
 *
 * A scan can leave the process when what goes with it is bytes: an accumulator of
 * fixed size without pointers, and a parameter that is packed here.  The others,
 * recurrences and what is made of them, own memory while they run.
 */
#ifndef SCAN_OP_PARAM_H
#define SCAN_OP_PARAM_H

#include "op/lines.h"

/* Whether an accumulator of the line is bytes that mean the same elsewhere. */
SCAN_FN bool
scan_line_travels(int line)
{
	switch (line)
	{
#define SCAN_ORDERED(function, type, second, flags) case SCAN_LINE_##function##_##type:
#include "op/list.h"
		return line == SCAN_LINE_clamped_sum_float8;
		default:
			return line >= 0 && line < SCAN_LINES;
	}
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
	return from;
}

/*
 * Whether a carry that another program left can be gone on from: nothing in it leads
 * outside a table.  Wrong it may still be.
 */
static inline bool
scan_carry_safe(int line, const ScanCarry *carry)
{
	uint8_t any, to[AUTOMATON_STATES] = {0};

	memcpy(&any, &carry->any, sizeof(any));
	if (any > 1 || carry->held_status < 0 || carry->held_status > SCAN_STATUS_LAST)
		return false;
	if (line == SCAN_LINE_state_int4)
		memcpy(to, carry->acc, sizeof(to));
	for (int s = 0; s < AUTOMATON_STATES; s++)
		if (to[s] >= AUTOMATON_STATES && to[s] != AUTOMATON_OUT)
			return false;
	return true;
}

#endif /* SCAN_OP_PARAM_H */

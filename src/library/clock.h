/*
 * clock.h: reads the clock by which times are measured.
 */
#ifndef SCAN_LIBRARY_CLOCK_H
#define SCAN_LIBRARY_CLOCK_H

#include "postgres.h"

#include "portability/instr_time.h"

/* Returns the time of a clock that is never set back, in nanoseconds.  It is never 0. */
static inline double
clock_ns(void)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	return INSTR_TIME_GET_DOUBLE(now) * 1e9;
}

#endif /* SCAN_LIBRARY_CLOCK_H */

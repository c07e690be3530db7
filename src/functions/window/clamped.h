/*
 * clamped.h: reads the constants of a clamped sum, for rows and for arrays.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_CLAMPED_H
#define SCAN_FUNCTIONS_WINDOW_CLAMPED_H

#include "postgres.h"

#include "op/binding.h"
#include "op/in_sequence.h"

/* Reads the bounds (NULL: none) and the initial value.  Raises an error if lower > upper or a bound is NaN. */
extern void clamp_read(ClampParam *param, NullableDatum lower, NullableDatum upper, int64 init);
extern void clamp_read_float(ClampedFloatParam *param, NullableDatum lower, NullableDatum upper, double init);

#endif /* SCAN_FUNCTIONS_WINDOW_CLAMPED_H */

/*
 * ema.h: what scan_ema and its relatives share.
 */
#ifndef SCAN_FUNCTIONS_WINDOW_EMA_H
#define SCAN_FUNCTIONS_WINDOW_EMA_H

#include "postgres.h"

/* Returns the argument `alpha`, a float8.  Raises an error unless it is above 0 and at most 1. */
extern double ema_alpha(Datum alpha);

#endif /* SCAN_FUNCTIONS_WINDOW_EMA_H */

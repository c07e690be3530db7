/*
 * error.h: raises the error that a row's ScanStatus stands for, and catches any error in a subtransaction.
 */
#ifndef SCAN_ERROR_H
#define SCAN_ERROR_H

#include "op/fn.h"

/*
 * Raises the error that a status stands for, with core's errcode and core's words.  Called when the row is returned, so
 * that the rows before it are returned first.
 */
extern void scan_raise(ScanStatus status) __attribute__((noreturn));

static inline void
scan_check(ScanStatus status)
{
	if (status != SCAN_OK)
		scan_raise(status);
}

/* The hint for times that run backwards, wherever they are noticed. */
#define SCAN_BACKWARDS_HINT \
	"Begin the window's ORDER BY with \"at\", and use PARTITION BY to keep different series apart."

/* Raises the error for an argument that is NULL and must not be. */
extern void scan_raise_null(const char *argument) __attribute__((noreturn));

/* Raises the error that the bit of scan_split_index is NULL at a row of the partition, counted from 1. */
extern void scan_raise_null_bit(int64_t row) __attribute__((noreturn));

/*
 * Error context callback for parsing the text of a query that a function was given.  An error's position is then one in
 * `query`, and no longer in the statement that calls the function.
 */
extern void scan_error_in_query(void *query);

/*
 * Calls a function in a subtransaction.  Returns NULL; or the error that it has raised, in the current context, and
 * nothing of what it did is left.
 */
extern struct ErrorData *scan_subtransaction(void (*run)(void *), void *argument);

#endif /* SCAN_ERROR_H */

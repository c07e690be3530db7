/*
 * message.h: the text form of total_state and exact_state: the bytes of the type's send function, in bytea's hex
 * format.
 *
 * Called by the input and output functions of the two types (total_state.c, exact.c).
 */
#ifndef SCAN_FUNCTIONS_AGGREGATE_MESSAGE_H
#define SCAN_FUNCTIONS_AGGREGATE_MESSAGE_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Returns \x and two hex digits per byte of `message`, a palloc'd string. */
extern char *message_to_text(const bytea *message);

/* Decodes `text` into `message`, which it initializes. Raises an error that names `type` if `text` is malformed. */
extern void message_of_text(StringInfo message, const char *text, const char *type);

/* Returns the scan_total that `message` holds, read from its cursor on (in total.c). Errors name `type`. */
extern Datum total_of_message(StringInfo message, const char *type);

#endif /* SCAN_FUNCTIONS_AGGREGATE_MESSAGE_H */

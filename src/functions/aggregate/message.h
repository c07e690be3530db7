/*
 * message.h: the text of a type that is its message: the bytes of its send function, as PostgreSQL writes bytes.
 */
#ifndef SCAN_FUNCTIONS_AGGREGATE_MESSAGE_H
#define SCAN_FUNCTIONS_AGGREGATE_MESSAGE_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* \x and two digits a byte */
extern char *message_to_text(const bytea *message);

/* The other way round; an error that names the type where it is no such text. */
extern void message_of_text(StringInfo message, const char *text, const char *type);

/* total.c: the scan_total that a message holds; errors name `type`. */
extern Datum total_of_message(StringInfo message, const char *type);

#endif /* SCAN_FUNCTIONS_AGGREGATE_MESSAGE_H */

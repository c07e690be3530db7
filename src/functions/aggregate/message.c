/*
 * message.c: converts messages to text and back.
 *
 * Rejected: bytea's own functions, whose errors would name bytea.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "compat.h"
#include "functions/aggregate/aggregate_functions.h"

char *
message_to_text(const bytea *message)
{
	Size  n = VARSIZE_ANY_EXHDR(message);
	char *text = (char *) palloc(2 * n + 3);

	memcpy(text, "\\x", 2);
	text[2 + hex_encode(VARDATA_ANY(message), n, text + 2)] = '\0';
	return text;
}

void
message_of_text(StringInfo message, const char *text, const char *type)
{
	size_t n = strlen(text);

	if (n < 2 || n % 2 != 0 || memcmp(text, "\\x", 2) != 0 || strspn(text + 2, "0123456789abcdefABCDEF") != n - 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type %s: \"%s\"", type, text)));
	initStringInfo(message);
	enlargeStringInfo(message, (int) (n / 2));
	message->len = (int) hex_decode(text + 2, n - 2, message->data);
}

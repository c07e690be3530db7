/*
 * start_first.c: a library that starts AddressSanitizer before any other library of a process runs, for
 * test/asan/run.sh.
 *
 * AddressSanitizer starts at the first call of malloc().  In a process that has it by LD_PRELOAD, that call is in a
 * library's constructor: the one of libgpg-error calls bindtextdomain(), which holds gettext's lock meanwhile.  The
 * start looks for a function that is not there, dlerror() translates the message and waits for the same lock, for good.
 * This library is linked with -z initfirst, so that its constructor runs before all others.
 */
#include <stdlib.h>

__attribute__((constructor)) static void
start_sanitizer(void)
{
	void *volatile memory = malloc(1);

	free(memory);
}

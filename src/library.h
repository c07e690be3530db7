/*
 * library.h: whether the processes of a query have the same library.
 */
#ifndef SCAN_LIBRARY_H
#define SCAN_LIBRARY_H

#include "postgres.h"

/* Notes which file the library was loaded from: called once, when it is. */
extern void library_loaded(void);

/*
 * Whether the file is another one by now, or gone: a process that is started now would have another build.  Then
 * everything that several processes do together is left to one.
 */
extern bool library_is_replaced(void);

/* Raises an error if what another process has made is of another build. */
extern void library_check_build(uint64 build);

#endif /* SCAN_LIBRARY_H */

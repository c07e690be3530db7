/*
 * build.h: the number of the build that a process runs.
 *
 * The library's file may be replaced while sessions run.  A process that starts later then has another build, and with
 * it another layout of the memory that the processes share.  Each shared layout begins with this number.  A process
 * that finds another number there touches nothing else.
 */
#ifndef SCAN_LIBRARY_BUILD_H
#define SCAN_LIBRARY_BUILD_H

#include <stdint.h>

/* A checksum of all sources; the Makefile passes it as SCAN_BUILD. */
extern const uint64_t scan_build;

#endif /* SCAN_LIBRARY_BUILD_H */

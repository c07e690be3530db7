/*
 * build.h: which build of the sources a process runs.
 *
 * A library may be replaced while sessions run: whoever was started later has another build, and with it another layout
 * of what the processes share.  Each shared layout begins with this number, and whoever finds another one there touches
 * nothing else.
 */
#ifndef SCAN_BUILD_H
#define SCAN_BUILD_H

#include <stdint.h>

/* A checksum of all sources: the Makefile's SCAN_BUILD. */
extern const uint64_t scan_build;

#endif /* SCAN_BUILD_H */

/*
 * build.c: the number of the build (build.h).  Linked into the library and into the other program of the build.
 */
#include "library/build.h"

const uint64_t scan_build = SCAN_BUILD;

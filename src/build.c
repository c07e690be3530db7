/*
 * build.c: which build of the sources this is; linked into the library and into scan_gpu.
 */
#include "build.h"

const uint64_t scan_build = SCAN_BUILD;

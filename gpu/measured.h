/*
 * measured.h: which lines a device library measures when it opens the device, and which line it is at; for measure.cu
 * and mock.c.
 *
 * Two variables of the environment are for tests:
 *
 *   SCAN_MEASURE_ROWS=1024         lowers the number of rows; 0: nothing is measured, and the rates are nominal ones
 *   SCAN_MEASURE_LINE='sum(int8)'  only this line, named as in scan_status, is measured and offered
 */
#ifndef SCAN_GPU_MEASURED_H
#define SCAN_GPU_MEASURED_H

#include <stdlib.h>

#include "gpu.h"

/* Rates that are offered if nothing is measured, in nanoseconds. */
#define NOMINAL_ROW_NS 0.02
#define NOMINAL_SORT_NS 0.1
#define NOMINAL_BYTE_NS 0.02
#define NOMINAL_SETUP_NS 100000
#define NOMINAL_SORT_SETUP_NS 200000
#define NOMINAL_OPERATION_NS 20000

#define MEASURED_UNKNOWN "SCAN_MEASURE_LINE is not the name of a line"

#define MEASURED_DOING "measuring "

/* Returns what a library does when it measures the line, in words: "measuring sum(int8)". */
static inline const char *
measured_doing(int line)
{
	static const char *const doing[] = {
#define SCAN_ROW(function, type, arguments, result, flags, call) MEASURED_DOING #function "(" #type ")",
#define SCAN_KERNEL(function, type, flags) MEASURED_DOING #function "(" #type ")",
#define SCAN_ORDERED(function, type, second, flags) MEASURED_DOING #function "(" #type ")",
#define SCAN_FRAMED(function, type) MEASURED_DOING #function "(" #type ")",
#include "op/list.h"
		MEASURED_DOING "sort",
	};

	return doing[line];
}

/* Returns the line's name, as scan_status shows it. */
static inline const char *
measured_name(int line)
{
	return measured_doing(line) + sizeof(MEASURED_DOING) - 1;
}

/* Returns the line of SCAN_MEASURE_LINE; SCAN_GPU_LINES: the variable is not set; SCAN_OP_none: it is no line's name.
 */
static inline int
measured_only(void)
{
	const char *only = getenv("SCAN_MEASURE_LINE");

	if (only == NULL)
		return SCAN_GPU_LINES;
	for (int line = 0; line < SCAN_GPU_LINES; line++)
		if (strcmp(only, measured_name(line)) == 0)
			return line;
	return SCAN_OP_none;
}

/* True if the library may run and offer the line. */
static inline bool
measured_is_wanted(const ScanGpuOptions *options, int line)
{
	int only = measured_only();

	return !scan_gpu_lines_have(&options->left_out, line) && (only == SCAN_GPU_LINES || only == line);
}

/* Tells the server which line is being measured from now on; SCAN_OP_none: none. */
static inline void
measured_now(const ScanGpuOptions *options, int line)
{
	if (options->measuring != NULL)
		__atomic_store_n(options->measuring, (uint32_t) (line + 1), __ATOMIC_RELEASE);
}

#endif /* SCAN_GPU_MEASURED_H */

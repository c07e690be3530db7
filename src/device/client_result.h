/*
 * client_result.h: what a backend's use of the device came to; slot.c keeps it.
 */
#ifndef SCAN_DEVICE_CLIENT_RESULT_H
#define SCAN_DEVICE_CLIENT_RESULT_H

#include "postgres.h"

/* Returns why the last offer, run or sort came to nothing. */
extern const char *client_reason(void);

/* Counts this backend's use of devices so far; times in nanoseconds. */
typedef struct ClientCounters
{
	int64  batches;
	int64  rows;
	double copy_in_ns; /* copying into slots */
	double wait_ns;	   /* waiting for answers */
	double device_ns;  /* time that the device worked, as its program says; may overlap with copying */
	double copy_out_ns;
	Size   mapped; /* bytes of slots that this process has mapped */
} ClientCounters;

extern ClientCounters client_counters;

#endif /* SCAN_DEVICE_CLIENT_RESULT_H */

/*
 * mock_fault.h: the faults of the mock device, for tests.
 *
 * Setting scan.mock_fault (settings.c) names one, and each job carries it to the program and its device library
 * (device.h), of which only gpu/mock.c heeds it.  Plain C; CUDA C++ reads it too.
 */
#ifndef SCAN_DEVICE_MOCK_FAULT_H
#define SCAN_DEVICE_MOCK_FAULT_H

/* Faults that the mock device commits on request. */
typedef enum ScanGpuFault
{
	SCAN_FAULT_NONE = 0,
	SCAN_FAULT_OOM,		 /* reports that every job is too large */
	SCAN_FAULT_TIMEOUT,	 /* never answers */
	SCAN_FAULT_CRASH,	 /* dies of a signal during the job */
	SCAN_FAULT_GARBAGE,	 /* answers codes, lengths and errors that cannot be true */
	SCAN_FAULT_SLOW,	 /* answers late */
	SCAN_FAULT_VALUE,	 /* answers correctly except for one value */
	SCAN_FAULT_LOST,	 /* reports that the device is lost */
	SCAN_FAULT_REFUSED,	 /* refuses every job */
	SCAN_FAULT_UNPROVEN, /* reports that it cannot prove its answers */
	SCAN_FAULTS
} ScanGpuFault;

#endif /* SCAN_DEVICE_MOCK_FAULT_H */

/*
 * settings.h: the settings scan.* of devices.  They change where a job runs, never its answer.
 *
 * guc.h has the other settings, among them the two for tests that choice.c reads: scan.debug_require and
 * scan.debug_cpu_factor.
 */
#ifndef SCAN_DEVICE_SETTINGS_H
#define SCAN_DEVICE_SETTINGS_H

#include "postgres.h"

/* scan.device */
typedef enum DeviceChoice
{
	DEVICE_AUTO = 0, /* the faster device for each job */
	DEVICE_CPU,
	DEVICE_GPU, /* the GPU for every job that can go there */
} DeviceChoice;

extern int guc_device;

/*
 * scan.gpu_min_rows and scan.gpu_sort_min_rows: "auto" leaves scans and sorts of fewer rows on the CPU.
 * scan.gpu_timeout: how long a batch may take, in milliseconds.
 */
extern int guc_gpu_min_rows;
extern int guc_gpu_sort_min_rows;
extern int guc_gpu_timeout;

/* scan.gpu_quarantine: how long the CPU runs jobs at which the GPU failed, in milliseconds */
extern int guc_gpu_quarantine;

/* scan.gpu_check: sorts of the GPU are proved with certainty (word_proof.c) */
extern bool guc_gpu_check;

/*
 * scan.mock_fault: a ScanGpuFault (device.h).  scan.mock_fault_line: the line whose jobs get the fault;
 * empty: all.
 */
extern int	 guc_mock_fault;
extern char *guc_mock_fault_line;

/*
 * Read when the server starts.  guc_gpu_slots: slots of the ring.  guc_gpu_slot_size: kB of each slot.  guc_gpu_memory:
 * MB of device memory that jobs may take; 0: the device library chooses.  guc_gpu_library: the device library.
 */
extern int	 guc_gpu_slots;
extern int	 guc_gpu_slot_size;
extern int	 guc_gpu_memory;
extern char *guc_gpu_library;

extern void settings_define(void);

#endif /* SCAN_DEVICE_SETTINGS_H */

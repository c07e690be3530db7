/*
 * choice.h: decides whether a job goes to the device.
 *
 * Called by offload.c and word_sorter.c, which run the job on either side, count it, and say why the CPU ran it.  The
 * decision compares the cost of a row on the device, from the client's offer, with the cost of a row on the CPU,
 * measured as jobs ran.
 */
#ifndef SCAN_DEVICE_CHOICE_H
#define SCAN_DEVICE_CHOICE_H

#include "device/client.h"
#include "device/counters.h"
#include "device/quarantine.h"
#include "guc.h"

/* Counts this backend's jobs; device_counters() adds the times that the client has counted. */
extern DeviceCounters choice_counters;

/* Notes why a job is left to the CPU.  Returns false. */
extern bool device_leave(const char *why);

/*
 * Called when a job is about to run on the device that `which` names.  Raises an error if scan.debug_require is
 * `device`, the other device; `why` is the reason to show, or NULL.
 */
extern void device_require(DebugRequire device, const char *which, const char *why);

/* ---- the CPU's rates: nanoseconds per row of a scan, by its line, and per word of a sort ---- */

/*
 * Rates of a line of frames are nanoseconds per value of a frame.  `said`: the rate of a caller that has its own loop
 * for the CPU; 0: use the measured rate.
 */
extern double cpu_scan_ns(const ScanOp *op, double said);
extern double cpu_word_ns(void);

/* Record that the CPU has just taken `ns` nanoseconds for `rows` rows, or `words` words. */
extern void cpu_scan_took(const ScanOp *op, double ns, int64 rows);
extern void cpu_sort_took(double ns, int64 words);

/* ---- the choice ---- */

/* True if the device may be asked for an offer for a job of n rows; `line` is the job's line, or JOB_SORT. */
extern bool device_may_be_asked(int line, int64 n);

/* True if an offer for n rows is to be taken, where the CPU takes cpu_ns nanoseconds per row. */
extern bool device_is_faster(const ClientOffer *offer, int64 n, double cpu_ns);

/*
 * Records that a job sent to the device has taken `ns` nanoseconds for `rows` rows, from the request until the answers
 * were here; the CPU would take cpu_ns per row.  A line that was slower three times in a row is not offered to the
 * device for a while.
 */
extern void device_took(int line, double ns, int64 rows, double cpu_ns);

/* ---- what is known of a kind of job ---- */

/* The times by which "auto" chooses a device for jobs of one line without NULLs, or for sorts; nanoseconds. */
typedef struct DeviceRate
{
	char	   *line;		 /* name of the line, as in scan_status(); palloc'd */
	double		batch_ns;	 /* fixed time per batch, however many rows it has */
	double		device_ns;	 /* per row on the device */
	double		way_ns;		 /* per row for the transfer there and back */
	double		cpu_ns;		 /* per row on the CPU */
	int64		from_rows;	 /* from this number of rows on the device is faster by a tenth; 0: not within one batch */
	TimestampTz rests_until; /* the device was slower and is not asked until then; 0: it may be asked */
} DeviceRate;

/* Fills *rate for a kind of job: a line, or JOB_SORT.  False: no device runs such jobs now. */
extern bool device_rate(int kind, DeviceRate *rate);

#endif /* SCAN_DEVICE_CHOICE_H */

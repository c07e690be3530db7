/*
 * device_choice.h: decides whether a job goes to the device.
 *
 * Called by run.c and run_sort.c, which run the job on either side, count it, and say why the CPU ran it.  The decision
 * compares the cost of a row on the device, from the client's offer, with the cost of a row on the CPU, measured as
 * jobs ran.
 */
#ifndef SCAN_DEVICE_CHOICE_H
#define SCAN_DEVICE_CHOICE_H

#include "device/client.h"
#include "device/quarantine.h"
#include "guc.h"
#include "run_statistics.h"

/* Counts this backend's jobs; run_counters() adds the times that the client has counted. */
extern RunCounters device_choice_counters;

/* Notes why a job is left to the CPU.  Returns false. */
extern bool device_leave(const char *why);

/*
 * Called when a job is about to run on the device that `which` names.  Raises an error if scan.debug_require is
 * `device`, the other device; `why` is the reason to show, or NULL.
 */
extern void device_require(DebugRequire device, const char *which, const char *why);

/* ---- the CPU's rates: nanoseconds per row of a scan, by its line, and per word of a sort ---- */

/* `said`: the rate of a caller that has its own loop for the CPU; 0: use the measured rate. */
extern double cpu_scan_ns(const ScanOp *op, double said);
extern double cpu_word_ns(void);

/* Record that the CPU has just taken `ns` nanoseconds for `rows` rows, or `words` words. */
extern void cpu_scan_took(const ScanOp *op, double ns, int64 rows);
extern void cpu_sort_took(double ns, int64 words);

/* ---- the choice ---- */

/* True if the device may be asked for an offer for a job of n rows; `line` is the job's line, or JOB_SORT. */
extern bool device_may_be_asked(int line, int64 n);

/*
 * device_is_faster: true if an offer for n rows is to be taken, where the CPU takes cpu_ns nanoseconds per row.
 *
 * device_is_faster_from: returns the number of rows from which the offer wins; 0: not within one batch.
 */
extern bool	 device_is_faster(const ClientOffer *offer, int64 n, double cpu_ns);
extern int64 device_is_faster_from(const ClientOffer *offer, double cpu_ns);

/*
 * Records that a job sent to the device has taken `ns` nanoseconds for `rows` rows, from the request until the answers
 * were here; the CPU would take cpu_ns per row.  A line that was slower three times in a row is not offered to the
 * device for a while.
 */
extern void device_took(int line, double ns, int64 rows, double cpu_ns);

#endif /* SCAN_DEVICE_CHOICE_H */

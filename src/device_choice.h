/*
 * device_choice.h: whether a job goes to the device: what a row of it costs there, by the client's offer, and here,
 * by what was measured as jobs ran.
 *
 * For run.c and run_sort.c, which run the job on either side, count it, and say why it was the CPU's.
 */
#ifndef SCAN_DEVICE_CHOICE_H
#define SCAN_DEVICE_CHOICE_H

#include "device/client.h"
#include "device/quarantine.h"
#include "guc.h"
#include "run.h"

/* What became of this backend's jobs; run_counters() adds what the client has counted. */
extern RunCounters device_choice_counters;

/* Notes why a job is the CPU's; false. */
extern bool device_leave(const char *why);

/* scan.debug_require: an error where another device than `device` has to run the job, which `which` is about to. */
extern void device_require(DebugRequire device, const char *which, const char *why);

/* ---- the CPU's rates: nanoseconds a row, of scans by their line, and a word of sorts ---- */

/* `said` is what callers take that have a way of their own; 0: what was measured. */
extern double cpu_scan_ns(const ScanOp *op, double said);
extern double cpu_word_ns(void);

/* So many rows, or words, have just taken the CPU so many nanoseconds. */
extern void cpu_scan_took(const ScanOp *op, double ns, int64 rows);
extern void cpu_sort_took(double ns, int64 words);

/* ---- which ---- */

/* Whether the device may be asked for a job of a line, or JOB_SORT, of so many rows. */
extern bool device_may_be_asked(int line, int64 n);

/* Whether an offer for n rows is taken that the CPU does in so many nanoseconds each; from how many on: 0: never. */
extern bool	 device_is_faster(const ClientOffer *offer, int64 n, double cpu_ns);
extern int64 device_is_faster_from(const ClientOffer *offer, double cpu_ns);

/*
 * So many rows of a job that went to the device have taken so many nanoseconds, from when it was asked until the
 * answers were here, where the CPU takes cpu_ns a row.  What is slower three times in a row is not asked for again for
 * a while.
 */
extern void device_took(int line, double ns, int64 rows, double cpu_ns);

#endif /* SCAN_DEVICE_CHOICE_H */

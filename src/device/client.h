/*
 * client.h: jobs from a backend to the device, and their answers back.
 */
#ifndef SCAN_DEVICE_CLIENT_H
#define SCAN_DEVICE_CLIENT_H

#include "cpu/sorted.h"

/* What a job would cost on the device. */
typedef struct ClientOffer
{
	double batch_ns;  /* each batch, */
	double row_ns;	  /* each row with its way there and back, */
	double device_ns; /* of which the device is at it for so long */
	int64  batch_rows;
} ClientOffer;

/* Whether there is a device now. */
extern bool client_ready(void);

/* ---- scans: client.c ---- */

/* Whether there is a device that runs such a job now, and at what cost. */
extern bool client_offer(const ScanJob *job, ClientOffer *offer);

/*
 * Runs a job from row job->done on, in batches of a slot each, and brings done, carry
 * and the answers forward batch by batch.  True: the rows from job->done on are none, or
 * those from a batch on in which the device met an error, which the CPU has to find.
 * False, for the reason that client_reason() gives: they are the CPU's up to row *until,
 * after which the device may be asked again.  Can be cancelled.
 */
extern bool client_run(ScanJob *job, int64 *until);

/* ---- sorts: sort.c ---- */

/*
 * Words in parts, each of which goes from its offset in `from` to the same offset in `to`,
 * sorted by their bits from `low` to `high` - 1, stably; no bits of a later part are less.
 */
typedef struct ClientSort
{
	const uint64 *from;
	uint64		 *to;
	int			  parts;
	const int64	 *end; /* of each part */
	int			  low, high;
	int			  done; /* parts that are in `to` */

	/*
	 * Scans over the words' rows in the order of `to`, those that are not left.  With each part that is done their
	 * answers and carries come to its end; one that cannot go on is left.
	 */
	SortedScans *scans; /* NULL: there are none */
	SortedWords	 words;
	bool		 as_they_lie; /* one part: word i of `from` is that of row i */
} ClientSort;

/* As client_offer(), of n words and so many bits, with those of the scans that are not left; NULL: none. */
extern bool client_sort_offer(int64 n, int bits, const SortedScans *scans, ClientOffer *offer);

/* Whether the device can run a scan with a sort of n words; *row_ns := what a row of it costs beyond the sort. */
extern bool client_sorted_scan_offer(int64 n, const SortedScans *scans, const SortedScan *scan, double *row_ns);

/* Sorts parts from `done` on, as client_run() runs a job: the parts up to *until are the CPU's. */
extern bool client_sort(ClientSort *sort, int *until);

/* ---- what came of it ---- */

/* Why the last offer, run or sort came to nothing. */
extern const char *client_reason(void);

/* What this backend has had of devices so far. */
typedef struct ClientCounters
{
	int64  batches;
	int64  rows;
	double copy_in_ns; /* into slots */
	double wait_ns;	   /* for answers, */
	double device_ns;  /* in which the device was at it for so long, as it says */
	double copy_out_ns;
} ClientCounters;

extern ClientCounters client_counters;

#endif /* SCAN_DEVICE_CLIENT_H */

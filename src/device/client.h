/*
 * client.h: runs a backend's jobs on the device: sends them, and takes their answers over.
 *
 * Called by choice.c, offload.c and word_sorter.c.  A function that returns false has noted why: see client_reason().
 */
#ifndef SCAN_DEVICE_CLIENT_H
#define SCAN_DEVICE_CLIENT_H

#include "device/client_result.h"
#include "device/gather.h"

/* What a job would cost on the device; nanoseconds. */
typedef struct ClientOffer
{
	double batch_ns;  /* fixed time per batch */
	double row_ns;	  /* per row, with its transfer there and back */
	double device_ns; /* the part of row_ns that the device takes */
	int64  batch_rows;
} ClientOffer;

/* True if there is a device now. */
extern bool client_ready(void);

/* ---- scans: client.c ---- */

/* True if there is a device now that runs such a job; *offer gets the cost. */
extern bool client_offer(const ScanJob *job, ClientOffer *offer);

/*
 * Runs a job from row job->done on, in batches of one slot each; each batch advances done, the carry and the answers.
 *
 * Returns true if no rows from job->done on are left, or if the device met an error in the batch that begins there: the
 * CPU has to run these rows and find the error.  Returns false if the device failed.  Then the CPU has to run the rows
 * up to *until, after which the device may be asked again.  Can be cancelled.
 */
extern bool client_run(ScanJob *job, int64 *until);

/* ---- sorts: sort.c ---- */

/*
 * Words to be sorted by their bits from `low` to `high` - 1, stably.  They lie in parts, which need no merge: these
 * bits are not less in a later part.  Each part goes from its offset in `from` to the same offset in `to`.
 */
typedef struct ClientSort
{
	const uint64 *from;
	uint64		 *to;
	int			  parts;
	const int64	 *end; /* the end of each part */
	int			  low, high;
	int			  done;		  /* number of parts that are sorted, in `to` */
	int64		  most_words; /* words that may go in one job */
	int64		  too_large;  /* so many words were too many for the device's memory; 0: none were */

	/*
	 * Scans over the words' rows in the order of `to`, except those with `left` set.  Their answers and carries stand
	 * at the end of the last part that is done.  A scan that cannot continue gets its `left` set.
	 */
	FusedScans *scans; /* NULL: no scans */
	SortedWords words;
	bool		as_they_lie; /* there is one part, and word i of `from` is that of row i */
} ClientSort;

/* As client_offer(), for a sort of n words by `bits` bits, with the scans that are not left; NULL: no scans. */
extern bool client_sort_offer(int64 n, int bits, const FusedScans *scans, ClientOffer *offer);

/* True if the device can run a scan with a sort of n words; *row_ns gets the nanoseconds per row beyond the sort's. */
extern bool client_fused_scan_offer(int64 n, const FusedScans *scans, const FusedScan *scan, double *row_ns);

/*
 * Sorts the parts from sort->done on, as client_run() runs a job; if false, the CPU has to sort the parts up to *until,
 * or, if sort->too_large is not 0, the caller may cut the words into smaller parts and call again.
 */
extern bool client_sort(ClientSort *sort, int *until);

#endif /* SCAN_DEVICE_CLIENT_H */

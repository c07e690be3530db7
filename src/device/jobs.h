/*
 * jobs.h: runs a backend's jobs on the device: scans, frames, sorts, and scans with a sort.
 *
 * Called by choice.c, offload.c and word_sorter.c.  A function that returns false has noted why: see client_reason().
 */
#ifndef SCAN_DEVICE_JOBS_H
#define SCAN_DEVICE_JOBS_H

#include "postgres.h"

#include "miscadmin.h"

#include "cpu/cpu.h"
#include "device/counters.h"
#include "device/gather.h"
#include "device/shared.h"
#include "device/slot.h"
#include "guc.h"

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

/*
 * ---- choice.c: decides whether a job goes to the device.
 *
 * Called by offload.c and word_sorter.c, which run the job on either side, count it, and say why the CPU ran it.  The
 * decision compares the cost of a row on the device, from the client's offer, with the cost of a row on the CPU,
 * measured as jobs ran.
 */

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

/* ---- frame_batch.c: cuts a job of frames (op/frame.h) into batches, for client.c ---- */

/* The rows of a job that go into one batch. */
typedef struct FrameCut
{
	int64_t	 rows;	 /* how many rows; 0: a single frame has too many values */
	uint32_t begin;	 /* the first value of their frames */
	int64_t	 values; /* how many values */
} FrameCut;

/* Returns the cut that begins at row `from`: at most `rows` rows, whose frames have at most `most` values together. */
extern FrameCut frame_cut_batch(const ScanJob *job, int64_t from, int64_t rows, int64_t most);

/*
 * Writes the frames of the cut's rows, whose values begin at 0 now, and empty ones up to `slot_rows`, as many as the
 * slot's job has rows.
 */
extern void frame_write(const ScanJob *job, int64_t from, const FrameCut *cut, int64_t slot_rows, void *to);

/* ---- word_proof.c ---- */

/* Called between two steps of a loop over words (sort/radix.h). */
static inline void
word_tick(void)
{
	CHECK_FOR_INTERRUPTS();
}

typedef struct WordProof
{
	uint64 key[2];
	uint64 sum;	   /* of the hashes of the words that were laid and not yet taken */
	uint64 before; /* the last word that was taken */
	bool   strict; /* no word comes twice */
	bool   taken;  /* some word was taken */
	bool   rises;  /* the words taken so far rise */
} WordProof;

/* Begins a proof; strict: no two words are equal. */
extern void word_proof_begin(WordProof *proof, bool strict);

/* Copies n words to a slot. */
extern void word_proof_lay(WordProof *proof, const uint64 *from, int64 n, uint64 *to);

/* Copies n words from a slot, each of which is read once, since the program may write to it meanwhile. */
extern void word_proof_take(WordProof *proof, const volatile uint64 *from, int64 n, uint64 *to);

/* True if all words that were laid have been taken, in order. */
extern bool word_proof_holds(const WordProof *proof);

/*
 * The certain proof: true if `sorted`, whose words rise, has the n words of `words`.  row_mask: the bits of a word that
 * hold its position in `words`; 0: none do, and the words are sorted once more.
 */
extern bool words_are_those(const uint64 *words, const uint64 *sorted, int64 n, uint64 row_mask);

/*
 * ---- fused_job.c: sends scans to the device with a sort, and takes their answers over.  Called by sort.c.
 */

/* Bytes that a word takes in a slot, where the sorted words replace those that were sent; bytes copied for it. */
#define WORD_BYTES sizeof(uint64)
#define WORD_BYTES_COPIED (2 * WORD_BYTES)

/* Consecutive parts of a sort that go in one slot, and the scans over their rows. */
typedef struct SortGroup
{
	SlotLease *lease;
	int		   end;	 /* number of the part after the last one */
	int64	   from; /* position of the first word */
	int64	   n;
	uint64	   words; /* offset of the words in the slot's data */
	uint64	   first; /* partition of the first row in order */
	WordProof  proof;
	int		   scans;
	int		   scan[SCAN_GPU_OPERATIONS]; /* numbers of the scans in ClientSort.scans */
	Batch	   batch[SCAN_GPU_OPERATIONS];
} SortGroup;

/* Returns the bits that a row takes in a slot for the scans that are not left. */
extern int64 fused_job_row_bits(const FusedScans *scans);

/*
 * fused_job_slot_words: returns the most words that fit in a slot, with the columns and answers of the scans not left.
 *
 * fused_job_byte_ns: returns the nanoseconds that this backend takes for a byte of a slot, in a sort of n words.
 */
extern int64  fused_job_slot_words(const FusedScans *scans);
extern double fused_job_byte_ns(int64 n, const FusedScans *scans);

/* Writes the columns and operations of the scans that are not left, from *at on, behind the group's words. */
extern bool fused_job_write(SortGroup *g, const ClientSort *sort, uint64 *at);

/*
 * Sends each scan's carry, so that the scan continues from the rows before the group, or begins anew with a partition
 * or a tile.  False: some scan cannot continue and is left; the group has to be written again.
 */
extern bool fused_job_begin(SortGroup *g, const ClientSort *sort);

/*
 * Takes the answers of a group over; its words are in order in sort->to already.  A scan in which the device found an
 * error is left, with the answers before the group.  False: the answers of some scans are not possible, and these scans
 * are left.  The other scans then stand after the group, although sort->done does not, so the caller must leave all
 * scans.
 */
extern bool fused_job_take(SortGroup *g, const ClientSort *sort);

/* Leaves the group's recurrences, whose bits a device has to prove.  False: the group has none. */
extern bool fused_job_leave_unproven(SortGroup *g, const ClientSort *sort);

#endif /* SCAN_DEVICE_JOBS_H */

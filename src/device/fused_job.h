/*
 * fused_job.h: sends scans to the device with a sort, and takes their answers over.  Called by sort.c.
 */
#ifndef SCAN_DEVICE_FUSED_JOB_H
#define SCAN_DEVICE_FUSED_JOB_H

#include "device/client.h"
#include "device/slot_operation.h"
#include "device/word_proof.h"

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

#endif /* SCAN_DEVICE_FUSED_JOB_H */

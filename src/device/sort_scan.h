/*
 * sort_scan.h: scans that go to the device with a sort, and their answers back: for sort.c.
 */
#ifndef SCAN_DEVICE_SORT_SCAN_H
#define SCAN_DEVICE_SORT_SCAN_H

#include "device/slot_operation.h"

/* What a word takes in a slot: its bits there, its position back. */
#define SORTED_WORD_BYTES (sizeof(uint64) + sizeof(uint32))

/* Parts of a sort that are in a slot, or on their way, and the scans over their rows. */
typedef struct SortGroup
{
	SlotLease *lease;
	int		   end;	 /* the part after the last */
	int64	   from; /* word */
	int64	   n;
	uint64	   order; /* offset in the slot */
	uint64	   first; /* the partition of the first row in order */
	int		   scans;
	int		   scan[SCAN_GPU_OPERATIONS]; /* which of ClientSort.scans */
	Batch	   batch[SCAN_GPU_OPERATIONS];
} SortGroup;

/* Bits that a row of the scans that are not left takes in a slot, and bytes that do not grow with the rows. */
extern int64 sort_scan_row_bits(const SortedScans *scans);
extern Size	 sort_scan_fixed_bytes(const SortedScans *scans);

/* The most words of a slot, with their rows' part of those scans; what a byte there takes here, in a sort of n. */
extern int64  sort_scan_slot_words(const SortedScans *scans);
extern double sort_scan_byte_ns(int64 n, const SortedScans *scans);

/* Lays columns and operations of the scans that are not left down; the group's words are in the slot already. */
extern bool sort_scan_lay(SortGroup *g, const ClientSort *sort, uint64 *at);

/*
 * Has the scans begin where the rows before the group have left them.  False: some scan cannot, and is left; the group
 * has to be laid down anew.
 */
extern bool sort_scan_begin(SortGroup *g, const ClientSort *sort);

/*
 * Takes the answers of a group over, of which the words are in order in sort->to.  A scan of which the device
 * tells an error is left, with the answers before the group.  False: an answer cannot be one; then every scan stands
 * where it stood before, or is left.
 */
extern bool sort_scan_take(SortGroup *g, const ClientSort *sort);

/* Leaves the scans that a device has to prove; false: the group has none. */
extern bool sort_scan_leave_unproven(SortGroup *g, const ClientSort *sort);

#endif /* SCAN_DEVICE_SORT_SCAN_H */

/*
 * gather.h: brings the columns of scans over sorted words (cpu/fused_scan.h) in the words' order.
 *
 * Called by fused_job.c, which sends the rows of scans to the device together with their sort keys.  A scan needs the
 * values one after the other, so they are copied into the slot in that order.
 *
 * Plain C over plain arrays.
 */
#ifndef SCAN_DEVICE_GATHER_H
#define SCAN_DEVICE_GATHER_H

#include "cpu/fused_scan.h"

/* The layout of a word. */
typedef struct SortedWords
{
	uint64_t row_mask;	/* the bits that hold the row's number */
	int		 partition; /* words of one partition are equal from this bit on; 64: there is only one partition */
} SortedWords;

/* Memory for the columns of a piece of a scan; the caller chooses for how many rows. */
typedef struct SortedRoom
{
	void	*in, *in2;
	uint8_t *valid, *heads;
	uint8_t *out_valid;
} SortedRoom;

/* Returns the partition of a word's row, as a number that never falls in sorted order. */
static inline uint64_t
sorted_partition(const SortedWords *words, uint64_t word)
{
	return words->partition == 64 ? 0 : word >> words->partition;
}

/*
 * Gathers n values into `to`: those of the rows that words name, or of the first n rows if `word` is NULL.  The values
 * of NULLs are undefined.  Column -1 is true in every row.
 */
extern void sorted_values(const FusedScans *scans, int column, const uint64_t *word, uint64_t row_mask, int64_t n,
						  void *to);

/* Sets a bit in `to` for each of n rows that goes into the scan, and clears it for the others. */
extern void sorted_valid(const FusedScans *scans, const FusedScan *scan, const uint64_t *word, uint64_t row_mask,
						 int64_t n, uint8_t *to);

/*
 * Returns a job over the rows of n sorted words, the first of which is word[from].  Its columns are in `room`, and so
 * is out_valid, because the rows may begin at any bit of a byte.  The carry and the answers' memory are those of
 * scan->job.  Used to refill a recurrence's unfinished chunk.
 */
extern ScanJob sorted_piece(const FusedScans *scans, const FusedScan *scan, const SortedWords *words,
							const uint64_t *word, int64_t from, int64_t n, const SortedRoom *room);

/* Copies the first n bits of `bits` to bits `from` and following of `to`. */
extern void sorted_put_bits(uint8_t *to, int64_t from, const uint8_t *bits, int64_t n);

#endif /* SCAN_DEVICE_GATHER_H */

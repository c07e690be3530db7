/*
 * slot_operation.h: one operation over the rows in a slot: laid down, and its answers taken.
 *
 * client.c sends a scan alone, in batches of a slot each; sort_scan.c sends all scans of a window with the sort.
 * What a slot needs for an operation, and which answers to it are believed, is the same for both.
 */
#ifndef SCAN_DEVICE_SLOT_OPERATION_H
#define SCAN_DEVICE_SLOT_OPERATION_H

#include "device/slot.h"
#include "op/encoding.h"

/* An operation in a slot, or on its way. */
typedef struct Batch
{
	SlotLease	 *lease;
	int			  number; /* of the slot's operations, from 0 */
	int64		  from;	  /* row of the job */
	int64		  n;
	WireOperation sent; /* its offsets, as we know them */
} Batch;

/* The words of an answer, read once: the program may write to them while we look. */
typedef struct BatchAnswer
{
	uint32 has_nulls;
	int32  status;
	int64  done;
} BatchAnswer;

/* ---- there ---- */

/* Room for a column of the slot's rows, `width` bytes each, or a bit; *number := its number.  NULL: the slot is full.
 */
extern char *batch_lay_input(const SlotLease *lease, uint64 *at, int64 n, uint32 width, uint32 *number);

/* Lays a job's parameter and the room for its answers and its carry down; its columns' numbers are the caller's. */
extern bool batch_lay_operation(Batch *b, uint64 *at, const ScanJob *job);

/* Says in the slot's job what was laid down. */
extern void batch_put(const Batch *b);

/* Writes the job's carry, with which the batch begins, to the slot; false: it cannot go. */
extern bool batch_put_carry(const Batch *b, const ScanJob *job);

/* Bits that a row's answers take in a slot. */
extern int64 batch_answer_bits(const ScanJob *job);

/* ---- and back ---- */

extern BatchAnswer batch_answer(const Batch *b);

/* Whether these words can be true, of a job some rows of which may have no value or all have one. */
extern bool batch_is_credible(const Batch *b, const BatchAnswer *answer, const ScanJob *job, bool gaps);

/* Copies the values of a whole batch into the job. */
extern void batch_copy_values(const Batch *b, ScanJob *job);

/*
 * Whether wrong values of the line could do more harm than a wrong number does: positions in memory, and what C takes
 * for a bool.
 */
extern bool batch_values_are_checked(const ScanJob *job);

/* Whether the values that were copied are bools, for lines of such. */
extern bool batch_bools_hold(const Batch *b, const ScanJob *job);

/* Takes the carry of a whole batch over, if it can be one; its rows were those of the columns. */
extern bool batch_take_carry(const Batch *b, const JobColumns *columns, ScanJob *job);

/* Where the slot has the marks of NULL answers. */
extern const uint8 *batch_out_valid(const Batch *b);

#endif /* SCAN_DEVICE_SLOT_OPERATION_H */

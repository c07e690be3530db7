/*
 * slot_operation.h: writes one operation over the rows of a slot, and reads its answers.
 *
 * client.c sends a scan alone, in batches of one slot each; fused_job.c sends all scans of a window with the sort.
 * What a slot needs for an operation, and which answers are believed, is the same for both.
 */
#ifndef SCAN_DEVICE_SLOT_OPERATION_H
#define SCAN_DEVICE_SLOT_OPERATION_H

#include "cpu/cpu.h"
#include "device/encoding.h"
#include "device/slot.h"

/* An operation in a slot. */
typedef struct Batch
{
	SlotLease	 *lease;
	int			  number;	 /* number among the slot's operations, from 0 */
	int64		  from;		 /* position in the job of the first row of the batch */
	int64		  n;		 /* rows of the batch */
	int64		  slot_rows; /* rows of the slot's job: n, or more if its frames have more values than n */
	WireOperation sent;		 /* the operation with its offsets as we sent it: the program cannot change it */
} Batch;

/* The fields of an answer, copied once: the program may write to the slot while we check them. */
typedef struct BatchAnswer
{
	uint32 has_nulls;
	int32  status;
	int64  done;
} BatchAnswer;

/* ---- sending ---- */

/*
 * Reserves room for a column of n values of `width` bytes each; width 0: one bit each.  *number gets the column's
 * number among the job's inputs, from 1.  Returns NULL, with the reason noted, if the slot is full, or the job has
 * too many inputs.
 */
extern char *batch_reserve_input(SlotLease *lease, uint64 *at, int64 n, uint32 width, uint32 *number);

/*
 * Writes the job's parameter, and reserves room for its answers and its carry.  The caller sets the numbers of the
 * columns in b->sent.  False, with the reason noted: it does not fit, or its parameter cannot be encoded.
 */
extern bool batch_write_operation(Batch *b, uint64 *at, const ScanJob *job);

/* Enters the operation in the slot's job, when everything is written. */
extern void batch_put(const Batch *b);

/* Writes the job's carry, with which the batch begins, to the slot.  False: the carry cannot be serialised. */
extern bool batch_put_carry(const Batch *b, const ScanJob *job);

/* Returns the bits that a row's answers take in a slot. */
extern int64 batch_answer_bits(const ScanJob *job);

/* ---- receiving ---- */

extern BatchAnswer batch_answer(const Batch *b);

/*
 * True if the answer's fields are possible for the job.  gaps: true if some rows may have no value, by a NULL or a
 * filter.
 */
extern bool batch_is_credible(const Batch *b, const BatchAnswer *answer, const ScanJob *job, bool gaps);

/* Copies the values of the whole batch into the job. */
extern void batch_copy_values(const Batch *b, ScanJob *job);

/*
 * True if wrong values of the line could do more harm than a wrong number: values used as positions in memory, and
 * values that C reads as bool.
 */
extern bool batch_values_are_checked(const ScanJob *job);

/* For lines whose values are bools: true if each copied value is 0 or 1. */
extern bool batch_bools_hold(const Batch *b, const ScanJob *job);

/* Copies the carry after the whole batch into the job.  False: it cannot be the carry after these columns. */
extern bool batch_take_carry(const Batch *b, const JobColumns *columns, ScanJob *job);

/* Returns the validity bits of the answers, in the slot: 0 where an answer is NULL. */
extern const uint8 *batch_out_valid(const Batch *b);

#endif /* SCAN_DEVICE_SLOT_OPERATION_H */

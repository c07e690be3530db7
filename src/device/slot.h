/*
 * slot.h: a backend's way to the program: slots of the ring, operations in a slot, and what came of them.
 *
 * client.c, sort.c and fused_job.c send their jobs through it.
 */
#ifndef SCAN_DEVICE_SLOT_H
#define SCAN_DEVICE_SLOT_H

#include "postgres.h"

#include "cpu/cpu.h"
#include "device/counters.h"
#include "device/encoding.h"
#include "device/shared.h"
#include "library/clock.h"

/* ---- what a backend's use of the device came to; slot.c keeps it ---- */

/* Returns why the last offer, run or sort came to nothing. */
extern const char *client_reason(void);

/* This backend's jobs so far: slot.c takes their times, choice.c and its callers count them. */
extern DeviceCounters client_counters;

/* Bytes of slots that this process has mapped. */
extern Size slot_mapped;

/*
 * ---- slot.c: lets a backend take slots of the ring, hand jobs over, wait for answers and give slots back.
 *
 * Called by client.c for scans and by sort.c for sorts.  Everything that can end a wait is handled here: an answer, a
 * time-out, a cancelled query, a death.  Functions that return false have noted why (slot_refuse()), except
 * slot_take().
 */

/* The least rows of a batch: smaller ones are not worth the transfer.  A device without memory for them runs no job. */
#define BATCH_MIN 1024

/*
 * Rates to assume until they are measured (rate.c), in nanoseconds, from test/bench/RESULTS.md: a byte of one core's
 * memcpy; a byte of a sort, in one slot, and in parts, with its reads at scattered addresses; two wake-ups.
 */
#define COPY_BYTE_NS 0.14
#define SORT_BYTE_NS 0.2
#define PARTS_BYTE_NS 0.6
#define WAKE_NS 20000.0

/* A slot that this backend has taken and not given back. */
typedef struct SlotLease
{
	WireSlot *slot; /* NULL: no slot is taken */
	uint32	  index;
	uint64	  word;		  /* the slot's word as we last wrote it, FILLING or QUEUED */
	uint32	  program;	  /* WorkerShared.programs when the slot was taken */
	JobLines  lines;	  /* lines of the job in the slot */
	double	  waited_ns;  /* time waited for the answer */
	double	  host_ns;	  /* time that this backend has copied into the slot and out of it */
	bool	  mapped_now; /* the job has mapped pages, so its time says nothing about the next job */
} SlotLease;

/* Two, so that one is filled while the program runs the other. */
#define SLOT_LEASES 2
extern SlotLease slot_lease[SLOT_LEASES];

/* Notes why something failed, for client_reason(); `why` is not copied.  Returns false. */
extern bool slot_refuse(const char *why);

extern bool slot_take(SlotLease *lease);

/* Takes a slot.  Waits for one if scan.device is gpu, at most scan.gpu_timeout. */
extern bool slot_take_patiently(SlotLease *lease);

/* Takes the slot again for the next job, after an answer. */
extern bool slot_take_again(SlotLease *lease);

extern void slot_give_back_all(void);

/* Returns the bytes of a slot's data. */
extern Size slot_room(void);

/* Begins a job of n rows in a slot that was taken: no columns, no operations and no answer yet. */
extern WireJob *slot_job(SlotLease *lease, int64 n);

/* The reason why a job does not go to the device if its columns do not fit in the slot. */
#define SLOT_FULL "a batch does not fit in its slot"

/*
 * Reserves `size` bytes of the slot's data at *at.  Returns their address; NULL, with the reason noted, if the slot is
 * full or the system has no memory for it.  *offset gets their offset, *at the next aligned offset behind them.  Can be
 * cancelled.
 */
extern char *slot_reserve(SlotLease *lease, uint64 *at, uint64 *offset, Size size);

/* The reason why a job of a line in quarantine does not go to the device. */
#define SLOT_QUARANTINED "the device failed at jobs of this kind: see scan_status"

/* Queues the job in the slot for the program, and wakes the broker. */
extern bool slot_queue(SlotLease *lease);

/* Waits for the answer, at most scan.gpu_timeout.  Can be cancelled. */
extern bool slot_await(SlotLease *lease);

/* Returns what became of the job, as the program says: a ScanGpuCode, or any other number. */
extern uint32 slot_code(const SlotLease *lease);

/* Returns why an answer with this code must not be used; NULL: it may be used.  Counts a refusal. */
extern const char *slot_objection(const SlotLease *lease, uint32 code);

/*
 * Counts an answered batch of `rows` rows and acquits its lines (quarantine.c).  bytes: sent and received for it.
 * byte_rate: the rate of a byte (rate.c), which is recorded.
 */
extern void slot_count(const SlotLease *lease, int64 rows, int64 bytes, int byte_rate);

/* Records that a part of a batch has been copied since `start`: into its slot (TIME_COPY_IN), or out of it. */
static inline void
slot_copied(SlotLease *lease, DeviceTime time, double start)
{
	double ns = clock_ns() - start;

	client_counters.ns[time] += ns;
	lease->host_ns += ns;
}

/* ---- slot_operation.c: writes one operation over the rows of a slot, and reads its answers ---- */

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

#endif /* SCAN_DEVICE_SLOT_H */

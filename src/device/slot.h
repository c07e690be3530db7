/*
 * slot.h: slots of the ring in a backend's hands: taken, handed over, waited for, given
 * back.
 *
 * What client.c does with scans and sort.c with sorts goes through here, and so does
 * everything that can end a wait: an answer, a time-out, a cancelled query, a death.
 */
#ifndef SCAN_DEVICE_SLOT_H
#define SCAN_DEVICE_SLOT_H

#include "device/client.h"
#include "device/rate.h"
#include "device/shared.h"

/* Smaller batches are not worth the way: a device that has no room for them has none. */
#define BATCH_MIN 1024

/*
 * Nanoseconds until they are seen (rate.h), as test/bench/RESULTS.md has them: one core's memcpy, its looks at places
 * of their own, and two wake-ups.
 */
#define COPY_BYTE_NS 0.14
#define SORT_BYTE_NS 0.4
#define PARTS_BYTE_NS 0.6
#define WAKE_NS 20000.0

/* A slot that this backend has taken, until it gives it back. */
typedef struct SlotLease
{
	WireSlot *slot; /* NULL: none */
	uint32	  index;
	uint64	  word;		 /* as we left it, in FILLING or QUEUED */
	JobLines  lines;	 /* of the job that is laid down */
	double	  waited_ns; /* for its answer */
	double	  host_ns;	 /* that its bytes took here so far, there and back */
} SlotLease;

/* Two: one is filled while the program is at the other. */
#define SLOT_LEASES 2
extern SlotLease slot_lease[SLOT_LEASES];

/* Notes why something came to nothing (client_reason()); false. */
extern bool slot_refuse(const char *why);

extern bool slot_take(SlotLease *lease);

/* Takes a slot, waiting for one where the GPU was asked for. */
extern bool slot_take_patiently(SlotLease *lease);

/* Takes the slot once more, after an answer. */
extern bool slot_take_again(SlotLease *lease);

extern void slot_give_back_all(void);

/* Bytes of a slot's data. */
extern Size slot_room(void);

/* Begins the job in a slot that was taken: nothing in it, and no answer. */
extern WireJob *slot_job(SlotLease *lease, int64 n);

/* Gives `size` bytes of the slot's data, from `at` on, which goes past them; NULL where there are not so many. */
extern char *slot_lay(const SlotLease *lease, uint64 *at, uint64 *offset, Size size);

/* Why a job of a line in quarantine does not go to the device. */
#define SLOT_QUARANTINED "the device failed at such jobs: see scan_status"

/* Hands a job over that was laid down. */
extern bool slot_queue(SlotLease *lease);

/* Waits until the program has answered. */
extern bool slot_await(SlotLease *lease);

/* What the program says became of the job. */
extern uint32 slot_code(const SlotLease *lease);

/* Why an answer with such a code, of SCAN_GPU_OK or not, is not to be used; NULL: it may be. */
extern const char *slot_objection(const SlotLease *lease, uint32 code);

/*
 * Counts a batch that was answered, and what went there and back for it, a byte at which of the rates; its lines are
 * acquitted (quarantine.h).
 */
extern void slot_count(const SlotLease *lease, int64 rows, int64 bytes, int byte_rate);

/* ---- clocks: what client_counters has of a batch ---- */

static inline double
slot_now(void)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	return INSTR_TIME_GET_DOUBLE(now) * 1e9;
}

/* Something of a batch has been brought to its slot, or taken from there, since `start`. */
static inline void
slot_copied_in(SlotLease *lease, double start)
{
	double ns = slot_now() - start;

	client_counters.copy_in_ns += ns;
	lease->host_ns += ns;
}

static inline void
slot_copied_out(SlotLease *lease, double start)
{
	double ns = slot_now() - start;

	client_counters.copy_out_ns += ns;
	lease->host_ns += ns;
}

#endif /* SCAN_DEVICE_SLOT_H */

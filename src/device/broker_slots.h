/*
 * broker_slots.h: what the broker does with slots of the ring (wire.h): wakes owners, fails jobs, takes slots back.
 */
#ifndef SCAN_DEVICE_BROKER_SLOTS_H
#define SCAN_DEVICE_BROKER_SLOTS_H

#include "postgres.h"

#include "device/shared.h"

extern void broker_wake_owner(uint32 slot);

/*
 * Fails the jobs that the program has: there will be no answer.  through: true if no program is left that may write to
 * the ring.  If false, the slots whose jobs it runs become ABANDONED, so that nobody can take them.
 */
extern void broker_fail_slots(bool through);

/* The program died at `now`: holds that against the lines of the jobs that it was running. */
extern void broker_accuse_lines(TimestampTz now);

/*
 * Takes a slot back if its owner's process is gone.  Backends give their slots back whichever way they leave; this is
 * for a backend that could not.
 */
extern void broker_reclaim_slot(WireSlot *slot, uint64 word);

#endif /* SCAN_DEVICE_BROKER_SLOTS_H */

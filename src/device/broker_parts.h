/*
 * broker_parts.h: the parts of the broker, the server's process that starts the program and looks after the ring.
 *
 * broker.c calls all of them; nobody else does.
 */
#ifndef SCAN_DEVICE_BROKER_PARTS_H
#define SCAN_DEVICE_BROKER_PARTS_H

#include "postgres.h"

#include "device/shared.h"

/*
 * ---- process.c: starts the program scan_gpu and tells if it has ended.  Called by broker.c.
 */

/*
 * Starts the program with these arguments, the ring and one end of a socket; *line gets the other end.  Returns a
 * process with pid 0, and errno set, if it could not fork.  Raises an error if it could not make the socket.
 */
extern Process process_start(char *const arguments[], int ring_fd, int *line);

/*
 * True if the process has ended, so that no thread of it can run or write any more; then collects it.  *status gets its
 * wait status, or stays unchanged if that is not known: a debugger may keep it.
 */
extern bool process_is_through(const Process *process, int *status);

/* ---- publish.c: what the broker lets backends know of the device ---- */

/* Publishes the state, and why it is not DEVICE_READY; `reason` is cut off if it is too long. */
extern void publish_state(DeviceState state, const char *reason);

/* Publishes what the program has written to the ring about the device, and that jobs can run. */
extern void publish_offer(void);

/* ---- broker_slots.c ---- */

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

#endif /* SCAN_DEVICE_BROKER_PARTS_H */

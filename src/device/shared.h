/*
 * shared.h: what backends and the broker know of each other, in PostgreSQL's shared
 * memory, and where the ring is.
 *
 * Only processes of the server write here, so what it says may be relied upon, unlike
 * what the ring says (wire.h).
 */
#ifndef SCAN_DEVICE_SHARED_H
#define SCAN_DEVICE_SHARED_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/latch.h"
#include "storage/lwlock.h"

#include "device/process.h"
#include "device/rate.h"
#include "device/wire.h"

typedef enum DeviceState
{
	DEVICE_OFF = 0,	 /* nothing was asked for, or there is no ring */
	DEVICE_STARTING, /* the program is on its way */
	DEVICE_READY,
	DEVICE_ABSENT,	/* the program found no device */
	DEVICE_WAITING, /* it died, and will be started again */
	DEVICE_DOWN,	/* it died too often */
} DeviceState;

/* What the owner of a slot says of it. */
typedef struct SlotUse
{
	Latch	*owner; /* who is woken when its state changes */
	JobLines lines; /* of the job that was last queued in it: a program may have written to what the ring says */
} SlotUse;

/* A rate that some process has seen. */
typedef struct PublishedRate
{
	pg_atomic_uint64 bits; /* a double's */
	pg_atomic_uint64 last; /* a TimestampTz: when */
} PublishedRate;

typedef struct WorkerShared
{
	LWLock *lock; /* of what the broker writes: */

	DeviceState state;
	char		reason[WIRE_REASON]; /* of any state but ready */
	ScanGpuInfo info;				 /* when ready */
	int64		restarts;			 /* how often the program was started again */
	Latch	   *broker;				 /* NULL: there is none now */
	Process		left;				 /* a program that a broker left behind, not ended yet: the broker's alone */

	pg_atomic_uint32 ready; /* state is DEVICE_READY: a look without the lock */

	/* since the server's start */
	pg_atomic_uint64 jobs; /* batches that a device answered, */
	pg_atomic_uint64 rows;
	pg_atomic_uint64 bytes;		/* sent and received; */
	pg_atomic_uint64 fallbacks; /* jobs that were meant for it, and that the CPU had to end */

	LineRecord line[JOB_LINES]; /* see quarantine.h */

	PublishedRate rate[RATES]; /* see rate.h */

	SlotUse slot[FLEXIBLE_ARRAY_MEMBER];
} WorkerShared;

/* NULL where the library was not preloaded, or has no slots. */
extern WorkerShared *worker_shared;

/* The ring, mapped in every process of the server; its file, for the program. */
extern WireHeader *worker_ring;
extern int		   worker_ring_fd;

/* By number; `slots` is the broker's and the backends' own copy of how many there are. */
extern uint32	 worker_slots;
extern WireSlot *worker_slot(uint32 slot);

/* Why there is no ring. */
extern const char *worker_off_reason(void);

/* Called while the server starts: reserves the memory and registers the broker. */
extern void worker_init(void);

/* The broker's entry point, by name. */
#define BROKER_MAIN "scan_broker_main"

#endif /* SCAN_DEVICE_SHARED_H */

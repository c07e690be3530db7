/*
 * rate.h: how long things take, as the server's processes have seen it, and lines that turned out slower on the
 * device.
 *
 * For whoever weighs the device against the CPU: device_choice.c, and the offers of client.c and sort.c.  Whoever
 * spends the time says so: what a device library says of itself is in worker_shared->info, and comes on top.
 */
#ifndef SCAN_DEVICE_RATE_H
#define SCAN_DEVICE_RATE_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "device/quarantine.h"

/* What takes time; nanoseconds. */
enum
{
	RATE_CPU = 0,				/* and the line: a row of a scan on the CPU; with JOB_SORT, a word of a sort */
	RATE_COPY_BYTE = JOB_LINES, /* a byte of a scan into a slot or out of it */
	RATE_SORT_BYTE,				/* a byte of a sort with its scans, proved and put in order, in one slot */
	RATE_PARTS_BYTE,			/* the same of a sort that is cut into parts: each value is read from elsewhere */
	RATE_WAKE,					/* what a batch waits for beyond the device's time: wake-ups, on both sides */
	RATES
};

/*
 * The rate to go on with: the least of the last five that this process has seen; what another has seen, where it has
 * seen none; and `otherwise`, where nobody has.  What was last seen ten minutes ago is as good as not seen: a rate that
 * keeps jobs away from the device is not seen again otherwise.
 */
extern double rate_of(int rate, double otherwise);

/* This process has seen it take so many nanoseconds. */
extern void rate_seen(int rate, double ns);

/*
 * A job of a line, or JOB_SORT, has come back from the device, later than the CPU would have been done or not.  After
 * three in a row that were slower the line rests: rate_rests_until() is then when it may be asked again, and 0
 * before.
 */
extern void		   rate_was_slower(int line, bool slower);
extern TimestampTz rate_rests_until(int line);

/* Ends all rests: for the broker. */
extern void rate_end_rests(void);

#endif /* SCAN_DEVICE_RATE_H */

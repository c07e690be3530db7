/*
 * rate.h: keeps rates, the times that the server's processes have measured, and the lines that turned out slower on the
 * device.
 *
 * Read by choice.c and by the offers of client.c, sort.c and fused_job.c, which compare the device with the CPU. The
 * process that spends the time reports it.  The rates that a device library reports of itself are in
 * worker_shared->info and are added to these.
 */
#ifndef SCAN_DEVICE_RATE_H
#define SCAN_DEVICE_RATE_H

#include "postgres.h"

#include "device/shared.h"

/*
 * Returns the least of the last five times that this process has measured; if there are none, the rate that another
 * process has published; if there is none, `otherwise`.  Times older than ten minutes do not count: a rate that keeps
 * jobs away from the device would otherwise never be measured again.
 */
extern double rate_of(int rate, double otherwise);

/* Records that this process has measured `ns` nanoseconds. */
extern void rate_seen(int rate, double ns);

/*
 * rate_was_slower: records whether a job of a line, or JOB_SORT, came back from the device later than the CPU would
 * have finished it.  After three slower jobs in a row the line rests.
 *
 * rate_rests_until: returns the time from which a resting line may be sent to the device again; 0: it does not rest.
 */
extern void		   rate_was_slower(int line, bool slower);
extern TimestampTz rate_rests_until(int line);

/* Ends all rests.  Called by the broker. */
extern void rate_end_rests(void);

#endif /* SCAN_DEVICE_RATE_H */

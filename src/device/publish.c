/*
 * publish.c: what the broker lets backends know of the device.  Called by broker.c alone.
 */
#include "postgres.h"

#include "device/shared.h"

void
publish_state(DeviceState state, const char *reason)
{
	LWLockAcquire(worker_shared->lock, LW_EXCLUSIVE);
	worker_shared->state = state;
	strlcpy(worker_shared->reason, reason, WIRE_REASON);
	pg_atomic_write_u32(&worker_shared->ready, state == DEVICE_READY);
	LWLockRelease(worker_shared->lock);
}

/* Returns a rate that the program has measured, or 0 if it is negative, NaN or too large. */
static double
plain_rate(double ns)
{
	return ns >= 0 && ns < 1e15 ? ns : 0;
}

void
publish_offer(void)
{
	ScanGpuInfo *offered = &worker_ring->offer.info;
	ScanGpuInfo	 info = {.pinned = offered->pinned != 0,
						 .memory = offered->memory,
						 .refused = offered->refused,
						 .setup_ns = plain_rate(offered->setup_ns),
						 .sort_setup_ns = plain_rate(offered->sort_setup_ns),
						 .operation_ns = plain_rate(offered->operation_ns),
						 .byte_ns = plain_rate(offered->byte_ns),
						 .sort_ns = plain_rate(offered->sort_ns)};

	wire_text(info.name, offered->name, sizeof(info.name));
	wire_text(info.driver, offered->driver, sizeof(info.driver));
	wire_text(info.runtime, offered->runtime, sizeof(info.runtime));
	for (int i = 0; i < SCAN_OPS; i++)
		info.row_ns[i] = plain_rate(offered->row_ns[i]);
	LWLockAcquire(worker_shared->lock, LW_EXCLUSIVE);
	worker_shared->info = info;
	LWLockRelease(worker_shared->lock);
	publish_state(DEVICE_READY, "");
	ereport(LOG, (errmsg("scan: jobs can run on %s (driver: %s, runtime: %s)", info.name, info.driver, info.runtime)));
}

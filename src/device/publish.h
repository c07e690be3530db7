/*
 * publish.h: what the broker lets backends know of the device.  Called by broker.c alone.
 */
#ifndef SCAN_DEVICE_PUBLISH_H
#define SCAN_DEVICE_PUBLISH_H

#include "postgres.h"

#include "device/shared.h"

/* Publishes the state, and why it is not DEVICE_READY; `reason` is cut off if it is too long. */
extern void publish_state(DeviceState state, const char *reason);

/* Publishes what the program has written to the ring about the device, and that jobs can run. */
extern void publish_offer(void);

#endif /* SCAN_DEVICE_PUBLISH_H */

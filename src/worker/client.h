/*
 * client.h: jobs from a backend to the device, and their answers back.
 */
#ifndef SCAN_WORKER_CLIENT_H
#define SCAN_WORKER_CLIENT_H

#include "cpu/cpu.h"

/* What a job would cost on the device. */
typedef struct ClientOffer
{
	double batch_ns; /* each batch, */
	double row_ns;	 /* each row with its way there and back */
	int64  batch_rows;
} ClientOffer;

/* Whether there is a device that runs such a job now, and at what cost. */
extern bool client_offer(const ScanJob *job, ClientOffer *offer);

/*
 * Runs a job from row job->done on, in batches of a slot each, and brings done, carry
 * and the answers forward batch by batch.  The rows from job->done on are then the CPU's:
 * none; or those from a batch on in which the device met an error, which the CPU has to
 * find; or, when it answers false, those that the device did not get to for the reason
 * that client_reason() gives.  Can be cancelled.
 */
extern bool client_run(ScanJob *job);

/* Why the last offer or run came to nothing. */
extern const char *client_reason(void);

#endif /* SCAN_WORKER_CLIENT_H */

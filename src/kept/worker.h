/*
 * worker.h: the background worker that compacts a kept scan by itself.
 */
#ifndef SCAN_KEPT_WORKER_H
#define SCAN_KEPT_WORKER_H

#include "kept/kept.h"

/*
 * Notes that a statement has written deltas of a kept scan.  If many wait in its log, a worker compacts it when the
 * transaction has committed.  `caller` is a function of the extension.
 */
extern void kept_worker_note(const FmgrInfo *caller, const Kept *kept, int64 deltas);

#endif /* SCAN_KEPT_WORKER_H */

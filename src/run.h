/*
 * run.h: the one place that decides where a job runs.
 */
#ifndef SCAN_RUN_H
#define SCAN_RUN_H

#include "cpu/cpu.h"

/*
 * Runs a job of any length: `n`, `in`, `valid`, `heads`, `out` and `out_valid` are
 * the whole column's; `carry` is where the scan goes on from, NULL: it begins here;
 * `algorithm` and `scratch` are this function's affair.  Afterwards `done` and `status` speak of the whole column, and
 * raising the error is the caller's.  Can be cancelled; its memory is the current context's and is given back.
 */
extern void scan_run(ScanJob *job);

#endif /* SCAN_RUN_H */

/*
 * vector.h: stretches of recurrences of order k (vector.c).
 */
#ifndef SCAN_CPU_VECTOR_H
#define SCAN_CPU_VECTOR_H

#include "cpu/cpu.h"

/* A ScanRun of the line `recurrence vector`. */
extern int64_t scan_vector_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y);

#endif /* SCAN_CPU_VECTOR_H */

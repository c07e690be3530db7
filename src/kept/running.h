/*
 * running.h: the most aggregates of a kept scan that a window can go on with (running.c).
 */
#ifndef SCAN_KEPT_RUNNING_H
#define SCAN_KEPT_RUNNING_H

/* The aggregates that a call wants are the bits of a bigint. */
#define KEPT_MOST_RUNNING 63

#endif /* SCAN_KEPT_RUNNING_H */

/*
 * process.h: the program's process: started, and whether it has ended.
 */
#ifndef SCAN_DEVICE_PROCESS_H
#define SCAN_DEVICE_PROCESS_H

#include "postgres.h"

/* A process by its number and when it was started, since numbers come back; number 0: none. */
typedef struct Process
{
	pid_t  pid;
	uint64 born; /* as the system counts; 0: it does not say */
} Process;

/* Starts the program of these arguments with the ring and one end of a socket; *line is the other.  None with errno
 * set. */
extern Process process_start(char *const arguments[], int *line);

/*
 * Whether nothing is left of it that could run or write, and collects it.  *status is how it has
 * ended, and as it was where that is not known: a debugger keeps it to itself.
 */
extern bool process_is_through(const Process *process, int *status);

#endif /* SCAN_DEVICE_PROCESS_H */

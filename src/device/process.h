/*
 * process.h: starts the program scan_gpu and tells if it has ended.  Called by broker.c.
 */
#ifndef SCAN_DEVICE_PROCESS_H
#define SCAN_DEVICE_PROCESS_H

#include "postgres.h"

/* A process, identified by its PID and its start time, since PIDs are reused.  pid 0: no process. */
typedef struct Process
{
	pid_t  pid;
	uint64 born; /* start time in the system's unit; 0: unknown */
} Process;

/*
 * Starts the program with these arguments, the ring and one end of a socket; *line gets the other end.  Returns a
 * process with pid 0, and errno set, if it could not fork.  Raises an error if it could not make the socket.
 */
extern Process process_start(char *const arguments[], int ring_fd, int *line);

/*
 * True if the process has ended, so that no thread of it can run or write any more; then collects it.  *status gets its
 * wait status, or stays unchanged if that is not known: a debugger may keep it.
 */
extern bool process_is_through(const Process *process, int *status);

#endif /* SCAN_DEVICE_PROCESS_H */

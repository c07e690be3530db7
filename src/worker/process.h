/*
 * process.h: the program's process: started, looked at.
 */
#ifndef SCAN_WORKER_PROCESS_H
#define SCAN_WORKER_PROCESS_H

#include "postgres.h"

/* A process by its number and when it was started, since numbers come back; number 0: none. */
typedef struct Process
{
	pid_t  pid;
	uint64 born; /* as the system counts; 0: it does not say */
} Process;

/* Starts the program of these arguments with one end of a socket and the ring; -1 with errno set. */
extern pid_t process_start(int socket_fd, char *const arguments[]);

/* The process of a number, which is there. */
extern Process process_of(pid_t pid);

/* Whether nothing is left of it that could run or write: it may still lie there to be collected. */
extern bool process_is_through(const Process *process);

#endif /* SCAN_WORKER_PROCESS_H */

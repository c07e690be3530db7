/*
 * quarantine.h: kinds of jobs at which the device's program died, and which it gets no more
 * for a while.
 *
 * A kernel that ends its program on some data, or hangs, would take the device from
 * everybody: the program is started again, the same query sends the same job, and after
 * some deaths the device would be given up.  So a death is held against the lines that were
 * in the job, and a line that is held for guilty is left to the CPU, while the others go on.
 */
#ifndef SCAN_DEVICE_QUARANTINE_H
#define SCAN_DEVICE_QUARANTINE_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "op/lines.h"
#include "port/atomics.h"

/* A sort without operations is a line of its own here. */
#define JOB_SORT SCAN_OPS
#define JOB_LINES (SCAN_OPS + 1)

/* The lines of a job. */
typedef struct JobLines
{
	uint64 bits[(JOB_LINES + 63) / 64];
} JobLines;

extern void job_lines_add(JobLines *lines, int line);
extern bool job_lines_have(const JobLines *lines, int line);

/* Deaths that are remembered of a line. */
#define LINE_DEATHS 3

/* What is known of a line, in shared memory. */
typedef struct LineRecord
{
	pg_atomic_uint32 unanswered; /* deaths since the device last answered a job of the line */
	pg_atomic_uint64 until;		 /* a TimestampTz: the line is in quarantine until then; 0: it never was */

	/* rate.c's */
	pg_atomic_uint32 slower;	  /* jobs in a row that the CPU would have done sooner */
	pg_atomic_uint64 rests_until; /* a TimestampTz; 0: it never rested */

	/* the broker's alone */
	TimestampTz death[LINE_DEATHS]; /* the newest first; 0: none */
	TimestampTz since;				/* when the last quarantine began; 0: there was none */
	int64		length;				/* and how long it is, in milliseconds */
} LineRecord;

/* Whether a line, or one of several, is in quarantine now. */
extern bool quarantine_holds(int line);
extern bool quarantine_holds_any(const JobLines *lines);

/* Those that are, by name; of JOB_LINES names at most.  The names are allocated. */
extern int quarantine_names(char **names);

/* The name of a line: "sum(int8)", or "sort"; and the line of a name, SCAN_OP_none if it is nobody's. */
extern char *line_name(int line);
extern int	 line_named(const char *name);

/* The device has answered a job of these lines. */
extern void quarantine_acquit(const JobLines *lines);

/* ---- the broker's ---- */

/* The program died at `now`, which no other death did, at a job of these lines. */
extern void quarantine_accuse(const JobLines *lines, TimestampTz now);

/* Whether a death at that time is put down to a line, which is in quarantine for it, and not to the device. */
extern bool quarantine_explains(TimestampTz death);

/* Forgets everything. */
extern void quarantine_clear(void);

#endif /* SCAN_DEVICE_QUARANTINE_H */

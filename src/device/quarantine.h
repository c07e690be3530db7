/*
 * quarantine.h: keeps jobs of lines at which the device's program died away from the device for a while.
 *
 * Backends ask here before they send a job and report answers; the broker reports deaths.
 *
 * A kernel that ends its program on some data, or hangs, would take the device from everybody: the program is started
 * again, the same query sends the same job, and after some deaths the device would be given up.  So a death is held
 * against the lines of the job that ran.  A line that is found guilty is left to the CPU, while the other lines still
 * go to the device.
 */
#ifndef SCAN_DEVICE_QUARANTINE_H
#define SCAN_DEVICE_QUARANTINE_H

#include "postgres.h"

#include "device/shared.h"

/* True if the line, or one of the lines, is in quarantine now. */
extern bool quarantine_holds(int line);
extern bool quarantine_holds_any(const JobLines *lines);

/*
 * Fills names[], which has room for JOB_LINES, with the names of the lines in quarantine, palloc'd.  Returns their
 * number.
 */
extern int quarantine_names(char **names);

/*
 * line_name: returns the name of a line, "sum(int8)" or "sort", palloc'd.  line_named: returns the line of a name, or
 * SCAN_OP_none if there is none.
 */
extern char *line_name(int line);
extern int	 line_named(const char *name);

/* Records that the device has answered a job of these lines. */
extern void quarantine_acquit(const JobLines *lines);

/* ---- for the broker ---- */

/*
 * Records that the program died while it ran a job of these lines.  `now` identifies the death: no other one has this
 * time.
 */
extern void quarantine_accuse(const JobLines *lines, TimestampTz now);

/* True if the death at that time is blamed on a line that has been in quarantine for it, and so not on the device. */
extern bool quarantine_explains(TimestampTz death);

/*
 * Keeps a line away from the device until quarantine_clear(), because the program died measuring it.  Returns false if
 * the line is left out already.
 */
extern bool quarantine_leave_out(int line);

/* Returns the lines that are left out. */
extern JobLines quarantine_left_out(void);

/* Forgets all deaths and ends all quarantines.  Returns true if some line was left out. */
extern bool quarantine_clear(void);

#endif /* SCAN_DEVICE_QUARANTINE_H */

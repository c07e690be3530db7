/*
 * quarantine.c: keeps jobs of lines at which the device's program died away from the device for a while.
 *
 * Backends ask here before they send a job and report answers; the broker reports deaths.
 *
 * A kernel that ends its program on some data, or hangs, would take the device from everybody: the program is started
 * again, the same query sends the same job, and after some deaths the device would be given up.  So a death is held
 * against the lines of the job that ran.  A line that is found guilty is left to the CPU, while the other lines still
 * go to the device.
 *
 * A line is found guilty if the program died at its jobs twice with no answer in between, or three times in ten minutes
 * whatever was answered: some batches of a query may succeed before the one that kills.  A job with several lines is
 * held against all of them.  The innocent lines are acquitted by the next answer to a job without the guilty line, or
 * share its quarantine, which ends: after scan.gpu_quarantine the line is tried again.  If the line is found guilty
 * again within ten minutes after its quarantine, or within the quarantine's length if that is longer, the next one is
 * twice as long.
 *
 * A line at which the program died while it opened the device is left out instead: the program is started without it.
 *
 * There is no lock.  Backends read three words of a line's record, `unanswered`, `until` and `left_out`, and reset the
 * first.  The rest is used by the broker alone, and there is one broker.  (rate.c has two words of its own.)
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "cpu/cpu.h"
#include "device/shared.h"

/* A line is guilty after UNANSWERED_MAX deaths without an answer in between, or after LINE_DEATHS in LINE_MINUTES. */
#define UNANSWERED_MAX 2
#define LINE_MINUTES 10

/* A quarantine is at most this many times scan.gpu_quarantine long. */
#define LONGEST 64

static LineRecord *
record_of(int line)
{
	return &worker_shared->line[line];
}

/* ---- the lines of a job ---- */

/* Returns the first line of the job from `line` on; JOB_LINES: there is none. */
static int
next_line(const JobLines *lines, int line)
{
	while (line < JOB_LINES && !scan_gpu_lines_have(lines, line))
		line++;
	return line;
}

char *
line_name(int line)
{
	const ScanOp *op;

	if (line == JOB_SORT)
		return pstrdup("sort");
	op = scan_op_at(line);
	return psprintf("%s(%s)", op->function, op->type);
}

int
line_named(const char *name)
{
	for (int line = 0; line < JOB_LINES; line++)
	{
		char *other = line_name(line);
		bool  same = strcmp(name, other) == 0;

		pfree(other);
		if (same)
			return line;
	}
	return SCAN_OP_none;
}

/* ---- for backends ---- */

bool
quarantine_holds(int line)
{
	uint64 until = pg_atomic_read_u64(&record_of(line)->until);

	return (until != 0 && GetCurrentTimestamp() < (TimestampTz) until) ||
		   pg_atomic_read_u32(&record_of(line)->left_out) != 0;
}

bool
quarantine_holds_any(const JobLines *lines)
{
	for (int line = next_line(lines, 0); line < JOB_LINES; line = next_line(lines, line + 1))
		if (quarantine_holds(line))
			return true;
	return false;
}

int
quarantine_names(char **names)
{
	int n = 0;

	for (int line = 0; line < JOB_LINES; line++)
		if (quarantine_holds(line))
			names[n++] = line_name(line);
	return n;
}

void
quarantine_acquit(const JobLines *lines)
{
	for (int line = next_line(lines, 0); line < JOB_LINES; line = next_line(lines, line + 1))
		if (pg_atomic_read_u32(&record_of(line)->unanswered) != 0)
			pg_atomic_write_u32(&record_of(line)->unanswered, 0);
}

/* ---- for the broker ---- */

bool
quarantine_clear(void)
{
	bool left_out = false;

	for (int line = 0; line < JOB_LINES; line++)
	{
		LineRecord *record = record_of(line);

		left_out = left_out || pg_atomic_read_u32(&record->left_out) != 0;
		pg_atomic_write_u32(&record->left_out, 0);
		memset(record->death, 0, sizeof(record->death));
		record->since = 0;
		pg_atomic_write_u32(&record->unanswered, 0);
		pg_atomic_write_u64(&record->until, 0);
	}
	return left_out;
}

bool
quarantine_leave_out(int line)
{
	return pg_atomic_exchange_u32(&record_of(line)->left_out, 1) == 0;
}

JobLines
quarantine_left_out(void)
{
	JobLines lines = {{0}};

	for (int line = 0; line < JOB_LINES; line++)
		if (pg_atomic_read_u32(&record_of(line)->left_out) != 0)
			scan_gpu_lines_add(&lines, line);
	return lines;
}

static void
accuse_line(int line, TimestampTz now)
{
	LineRecord *record = record_of(line);
	TimestampTz until = (TimestampTz) pg_atomic_read_u64(&record->until);
	TimestampTz first;
	bool		again;
	char	   *name;

	memmove(record->death + 1, record->death, (LINE_DEATHS - 1) * sizeof(record->death[0]));
	record->death[0] = now;
	first = record->death[LINE_DEATHS - 1];
	if (pg_atomic_add_fetch_u32(&record->unanswered, 1) < UNANSWERED_MAX &&
		(first == 0 || TimestampDifferenceExceeds(first, now, LINE_MINUTES * 60 * 1000)))
		return;
	again = until != 0 && now - until < Max(record->length, LINE_MINUTES * 60 * 1000) * 1000;
	record->length = again ? Min(2 * record->length, LONGEST * (int64) guc_gpu_quarantine) : guc_gpu_quarantine;
	record->since = now;
	pg_atomic_write_u64(&record->until, (uint64) TimestampTzPlusMilliseconds(now, record->length));
	name = line_name(line);
	ereport(LOG, (errmsg("scan: the CPU runs jobs of kind %s for the next " INT64_FORMAT
						 " ms because scan_gpu died running them",
						 name, record->length),
				  errhint("Reload the configuration to let the GPU try again at once.")));
	pfree(name);
}

void
quarantine_accuse(const JobLines *lines, TimestampTz now)
{
	for (int line = next_line(lines, 0); line < JOB_LINES; line = next_line(lines, line + 1))
		accuse_line(line, now);
}

bool
quarantine_explains(TimestampTz death)
{
	for (int line = 0; line < JOB_LINES; line++)
	{
		const LineRecord *record = record_of(line);

		for (int i = 0; i < LINE_DEATHS; i++)
			if (record->death[i] == death && death <= record->since)
				return true;
	}
	return false;
}

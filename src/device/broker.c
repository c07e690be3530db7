/*
 * broker.c: the background worker that starts the program with the GPU and keeps it running.
 *
 * A CUDA fault ends the process in which it occurs, and the postmaster restarts the whole server if one of its children
 * that is attached to shared memory ends like that.  So the GPU belongs to a program (gpu/scan_gpu.c) that is a child
 * of this worker, not of the postmaster.  The worker itself never touches a GPU.
 *
 * The worker starts the program with the ring and one end of a socket, and then runs a loop.  A backend that has queued
 * a job wakes the worker, which sends a byte to the program.  A program that has answered sends a byte back, and the
 * worker wakes the owners of the slots.  When the program dies, however it dies, its socket closes.  Then its jobs are
 * failed, their owners run them on the CPU, and the program is started again after 1, 2, 4, ... seconds, until it has
 * died too often.  Deaths at jobs of one line put this line into quarantine instead (quarantine.c).
 *
 * When it opens the device, the program runs each line once, to measure it, and writes to the ring which line it is at.
 * If it dies or hangs there, it is started again without this line.  A line is left out at most once, so this ends.
 *
 * The program ends with the server: when its socket closes, and on Linux also by the signal that a parent's death
 * sends.
 *
 * A program that hangs in a driver may be killed and still not end.  Nobody waits for it: a broker that has to exit
 * leaves it to init.  But as long as the program is there it has the ring, so no other program is started on the same
 * ring; the slots whose jobs it was running stay taken, and the CPU runs all jobs meanwhile.
 */
#include "postgres.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "device/shared.h"
#include "library/library.h"

/* After DEATHS_MAX deaths in DEATHS_MINUTES the program stays down. */
#define DEATHS_MAX 5
#define DEATHS_MINUTES 10

/* A job that takes longer than this many times scan.gpu_timeout means that the program is stuck. */
#define STUCK_TIMEOUTS 2

/*
 * READY_MS: from the program's start until it has to be ready.  ABSENT_MS: until an absent device is looked for again,
 * because much that keeps a device away passes by itself: a card that is full or in use, or a driver that is loaded
 * later.  SCAN_GPU_READY_MS and SCAN_GPU_ABSENT_MS in the environment: others, for tests.
 */
#define READY_MS 60000
#define ABSENT_MS 60000

/* How often the slots are checked while any is taken. */
#define LOOK_MS 500

/*
 * END_MS: the time that a program gets to end by itself after it has closed its socket.  DIE_MS: the time that it gets
 * to die of SIGKILL before it is reported as hanging.
 */
#define END_MS 200
#define DIE_MS 1000

/* How often the end of the program is checked for meanwhile. */
#define END_LOOK_MS 5

/* What the broker remembers of a slot from one check to the next. */
typedef struct SlotProgress
{
	uint64		word;
	TimestampTz since; /* when the word was first seen */
} SlotProgress;

static Process		 program;	/* pid 0: there is none */
static int			 line = -1; /* our end of the socket; -1: closed */
static TimestampTz	 started;	/* when the program was started */
static bool			 ready;		/* the program has said so */
static bool			 late;		/* it was killed because it had not */
static bool			 again;		/* the program was ended only to be started again */
static bool			 stuck;		/* the program did not answer */
static TimestampTz	 end_since; /* since when the program is ending; 0: it is not */
static bool			 killed;	/* the program was sent SIGKILL */
static bool			 reported;	/* it was reported that the program does not die */
static TimestampTz	 start_at;	/* when to start the program; 0: not at all */
static TimestampTz	 death[DEATHS_MAX];
static int			 deaths;
static SlotProgress *progress;

PGDLLEXPORT void scan_broker_main(Datum arg);

/* ---- slots ---- */

/*
 * The program is useless: it has closed its socket, or does not answer.  program_ended() collects it when it has ended.
 */
static void
end_program(TimestampTz now)
{
	close(line);
	line = -1;
	end_since = now;
	publish_state(DEVICE_WAITING, "the program scan_gpu is ending");
	broker_fail_slots(false);
}

static void
kill_program(void)
{
	kill(program.pid, SIGKILL);
	killed = true;
}

/*
 * Checks all slots: rings the program if any job is queued, and wakes the owners of answered jobs.  True if any slot is
 * taken.
 */
static bool
look_at_slots(TimestampTz now)
{
	bool taken = false;
	bool queued = false;

	for (uint32 i = 0; i < worker_slots; i++)
	{
		WireSlot *slot = worker_slot(i);
		uint64	  word = wire_word(slot);
		WireState state = wire_word_state(word);

		if (state == WIRE_FREE)
			continue;
		taken = true;
		queued = queued || state == WIRE_QUEUED;
		if (word != progress[i].word)
		{
			progress[i].word = word;
			progress[i].since = now;
			if (state == WIRE_DONE || state == WIRE_FAILED)
				broker_wake_owner(i);
		}
		if (TimestampDifferenceExceeds(progress[i].since, now, LOOK_MS))
			broker_reclaim_slot(slot, word);
		if ((state == WIRE_RUNNING || state == WIRE_ABANDONED) && program.pid != 0 && end_since == 0 &&
			TimestampDifferenceExceeds(progress[i].since, now, STUCK_TIMEOUTS * guc_gpu_timeout))
		{
			stuck = true;
			kill_program();
			end_program(now);
		}
	}
	if (queued && line >= 0 && send(line, &(char){WIRE_LOOK}, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPIPE)
		ereport(DEBUG1, (errmsg("scan: scan_gpu has closed its socket")));
	return taken;
}

/* ---- the program ---- */

/*
 * Sets start_at to the next start, after a death at `now`.  False: the program has died too often, not counting deaths
 * for which a line is in quarantine.
 */
static bool
next_start(TimestampTz now)
{
	int delay = 1;
	int left = 0;

	death[deaths++] = now;
	for (int i = 0; i < deaths; i++)
		if (!TimestampDifferenceExceeds(death[i], now, DEATHS_MINUTES * 60 * 1000) && !quarantine_explains(death[i]))
			death[left++] = death[i];
	deaths = left;
	if (deaths == DEATHS_MAX)
		return false;
	for (int i = 1; i < deaths; i++)
		delay *= 2;
	start_at = TimestampTzPlusMilliseconds(now, delay * 1000);
	return true;
}

/* Returns the milliseconds that an environment variable says; `otherwise` if it says none. */
static int
said_ms(const char *variable, int otherwise)
{
	const char *said = getenv(variable);

	return said == NULL || atoi(said) <= 0 ? otherwise : atoi(said);
}

static int
ready_ms(void)
{
	return said_ms("SCAN_GPU_READY_MS", READY_MS);
}

/*
 * Ends a program that is not ready in time.  Returns the milliseconds that it has left; -1: it is ready, or there is
 * none.
 */
static long
await_ready(TimestampTz now)
{
	TimestampTz end = TimestampTzPlusMilliseconds(started, ready_ms());

	if (program.pid == 0 || ready || end_since != 0)
		return -1;
	if (now < end)
		return TimestampDifferenceMilliseconds(now, end);
	late = true;
	kill_program();
	end_program(now);
	return END_LOOK_MS;
}

static void
start_program(TimestampTz now)
{
	char  path[MAXPGPATH], library[MAXPGPATH];
	char *arguments[] = {path, library, DataDir, NULL};

	start_at = end_since = 0;
	started = now;
	ready = late = again = stuck = killed = reported = false;
	snprintf(path, sizeof(path), "%s/scan_gpu", library_folder());
	snprintf(library, sizeof(library), "%s/%s.so", library_folder(), guc_gpu_library);
	pg_atomic_fetch_add_u32(&worker_shared->programs, 1);
	memset(&worker_ring->offer, 0, sizeof(worker_ring->offer));
	worker_ring->left_out = quarantine_left_out();
	publish_state(DEVICE_STARTING, "the program scan_gpu is starting");
	program = process_start(arguments, worker_ring_fd, &line);
	if (program.pid == 0)
	{
		ereport(LOG, (errmsg("scan: could not start scan_gpu: %m")));
		publish_state(next_start(now) ? DEVICE_WAITING : DEVICE_DOWN, "the program scan_gpu could not be started");
	}
}

/*
 * True if the program has ended; kills it if it does not end by itself.  *status gets its wait status; if that is not
 * known, SIGKILL if the program was killed, else 0.
 */
static bool
await_end(TimestampTz now, int *status)
{
	char reason[WIRE_REASON];

	*status = killed ? SIGKILL : 0;
	if (process_is_through(&program, status))
		return true;
	if (!killed && TimestampDifferenceExceeds(end_since, now, END_MS))
		kill_program(); /* a program that has closed its socket and lives on is useless */
	if (killed && !reported && TimestampDifferenceExceeds(end_since, now, END_MS + DIE_MS))
	{
		snprintf(reason, sizeof(reason), "scan_gpu (PID %d) was killed and does not end: its driver may hang",
				 (int) program.pid);
		reported = true;
		publish_state(DEVICE_WAITING, reason);
		ereport(LOG, (errmsg("scan: %s", reason),
					  errdetail("The broker starts no other scan_gpu before this process has ended.")));
	}
	return false;
}

/*
 * Returns the line that the program was measuring when it ended; SCAN_OP_none: it was ready, or measured none, or what
 * it wrote is no line.
 */
static int
measured_line(void)
{
	uint32 measuring = ((const volatile WireOffer *) &worker_ring->offer)->measuring;

	return ready || measuring == 0 || measuring > JOB_LINES ? SCAN_OP_none : (int) measuring - 1;
}

/* Writes to `reason`, of `size` bytes, how the program has ended, and what it said. */
static void
describe_end(int status, const char *said, char *reason, Size size)
{
	char how[WIRE_REASON];
	int	 line_measured = measured_line();

	if (late)
		snprintf(how, sizeof(how), "scan_gpu did not become ready within %g s", ready_ms() / 1000.0);
	else if (stuck)
		snprintf(how, sizeof(how), "scan_gpu did not answer and was killed");
	else if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "scan_gpu was ended by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "scan_gpu ended with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	if (line_measured != SCAN_OP_none)
	{
		char *name = line_name(line_measured);

		snprintf(how + strlen(how), sizeof(how) - strlen(how), ", while measuring %s", name);
		pfree(name);
	}
	snprintf(reason, size, "%s%s%s", how, said[0] != '\0' ? ": " : "", said);
}

/* Publishes that there is no device, as the program's exit status says.  The log has each reason once in a row. */
static void
publish_absence(int exited, const char *said)
{
	static char logged[WIRE_REASON];

	if (exited == WIRE_EXIT_EXEC)
		said = "the program scan_gpu could not be executed";
	else if (said[0] == '\0')
		said = "scan_gpu gave no reason";
	publish_state(DEVICE_ABSENT, said);
	if (strcmp(logged, said) != 0)
		ereport(LOG, (errmsg("scan: no GPU is available: %s", said)));
	strlcpy(logged, said, sizeof(logged));
}

/* The program has ended: publishes why, and plans the next start. */
static void
program_ended(TimestampTz now, int status)
{
	char said[WIRE_REASON], reason[3 * WIRE_REASON];
	int	 exited = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	program.pid = 0;
	end_since = 0;
	if (exited != WIRE_EXIT_NONE && exited != WIRE_EXIT_EXEC && !again)
		broker_accuse_lines(now);
	broker_fail_slots(true);

	wire_text(said, worker_ring->offer.reason, WIRE_REASON);
	if (again)
	{
		start_at = now;
		worker_shared->restarts++;
		return;
	}
	if (exited == WIRE_EXIT_NONE || exited == WIRE_EXIT_EXEC)
	{
		publish_absence(exited, said);
		start_at = TimestampTzPlusMilliseconds(now, said_ms("SCAN_GPU_ABSENT_MS", ABSENT_MS));
		return;
	}
	describe_end(status, said, reason, sizeof(reason));
	if (measured_line() != SCAN_OP_none && quarantine_leave_out(measured_line()))
	{
		start_at = now;
		publish_state(DEVICE_WAITING, reason);
		ereport(LOG, (errmsg("scan: %s; scan_gpu will be started again without this line", reason),
					  errhint("Reload the configuration to let the GPU try the line again.")));
	}
	else if (next_start(now))
	{
		publish_state(DEVICE_WAITING, reason);
		ereport(LOG, (errmsg("scan: %s; scan_gpu will be started again", reason)));
	}
	else
	{
		snprintf(reason + strlen(reason), sizeof(reason) - strlen(reason),
				 "; this happened %d times in %d minutes, so scan_gpu stays down", DEATHS_MAX, DEATHS_MINUTES);
		publish_state(DEVICE_DOWN, reason);
		ereport(LOG, (errmsg("scan: %s", reason), errhint("Reload the configuration to start scan_gpu again.")));
	}
	worker_shared->restarts += start_at != 0;
}

/* Reads the bytes that the program has sent. */
static void
read_line(TimestampTz now)
{
	char	byte[64];
	ssize_t n = recv(line, byte, sizeof(byte), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return;
	if (n <= 0)
	{
		end_program(now);
		return;
	}
	if (memchr(byte, WIRE_READY, n) != NULL)
	{
		ready = true;
		publish_offer();
	}
}

/* ---- the worker ---- */

static void
broker_at_exit(int code, Datum arg)
{
	bool through = program.pid == 0;
	int	 status;

	worker_shared->broker = NULL;
	if (!through)
		kill_program();
	for (int waited = 0; !through && waited < DIE_MS; waited += END_LOOK_MS)
	{
		through = process_is_through(&program, &status);
		if (!through)
			pg_usleep(END_LOOK_MS * 1000L);
	}
	if (!through)
	{
		worker_shared->left = program;
		ereport(LOG, (errmsg("scan: scan_gpu (PID %d) was killed and does not end: the broker leaves it running",
							 (int) program.pid)));
	}
	broker_fail_slots(through && worker_shared->left.pid == 0);
	publish_state(DEVICE_WAITING, "the broker has ended and will be started again");
}

/* True if a program that a former broker left behind still is there, with the ring. */
static bool
ring_is_taken(TimestampTz now)
{
	char reason[WIRE_REASON];
	int	 status;

	if (worker_shared->left.pid == 0)
		return false;
	if (process_is_through(&worker_shared->left, &status))
	{
		worker_shared->left.pid = 0;
		broker_fail_slots(true);
		return false;
	}
	snprintf(reason, sizeof(reason), "scan_gpu (PID %d), which an earlier broker left running, has not ended yet",
			 (int) worker_shared->left.pid);
	publish_state(DEVICE_WAITING, reason);
	start_at = TimestampTzPlusMilliseconds(now, LOOK_MS);
	return true;
}

/* After a reload, which may come because a cause was repaired, the device tries everything again. */
static void
reloaded(TimestampTz now)
{
	bool left_out = quarantine_clear();

	rate_end_rests();
	if (program.pid == 0)
	{
		deaths = 0;
		start_at = now;
	}
	else if (left_out && end_since == 0)
	{
		/* lines that were left out are measured only at a start */
		again = true;
		end_program(now);
	}
}

/* Returns the lesser of two waits, of which -1 has no limit. */
static long
shorter_wait(long a, long b)
{
	return a < 0 ? b : b < 0 ? a : Min(a, b);
}

/* One turn of the loop.  Returns the most milliseconds to wait for the next one; -1: no limit. */
static long
broker_turn(void)
{
	TimestampTz now = GetCurrentTimestamp();
	long		wait;
	int			status;

	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
		reloaded(now);
	}
	if (line >= 0)
		read_line(now);
	if (end_since != 0 && await_end(now, &status))
		program_ended(now, status);
	if (program.pid == 0 && start_at != 0 && now >= start_at && !ring_is_taken(now))
		start_program(now);
	wait = look_at_slots(now) ? Min(LOOK_MS, Max(1, guc_gpu_timeout / 2)) : -1;
	wait = shorter_wait(wait, await_ready(now));
	if (end_since != 0)
		wait = reported ? LOOK_MS : END_LOOK_MS;
	if (program.pid == 0 && start_at != 0)
		wait = shorter_wait(wait, TimestampDifferenceMilliseconds(now, start_at));
	return wait;
}

void
scan_broker_main(Datum arg)
{
	/* the ring could not be made; with status 0 the postmaster does not start the broker again */
	if (worker_shared == NULL)
		proc_exit(0);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	progress = (SlotProgress *) MemoryContextAllocZero(TopMemoryContext, worker_slots * sizeof(SlotProgress));
	broker_fail_slots(worker_shared->left.pid == 0);
	worker_shared->broker = MyLatch;
	before_shmem_exit(broker_at_exit, (Datum) 0);
	start_at = GetCurrentTimestamp();
	while (!ShutdownRequestPending)
	{
		long wait = broker_turn();
		int	 events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (wait >= 0 ? WL_TIMEOUT : 0) |
					 (line >= 0 ? WL_SOCKET_READABLE : 0);

		(void) WaitLatchOrSocket(MyLatch, events, line >= 0 ? line : PGINVALID_SOCKET, wait, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	/* with a status other than 0 the postmaster starts the broker again, unless the server is shut down */
	proc_exit(1);
}

/*
 * broker.c: the background worker that keeps the program with the GPU alive.
 *
 * A CUDA fault ends the process that meets it, and the postmaster restarts the whole
 * server when a child of its own that is attached to shared memory ends like that.  So
 * the GPU belongs to a program (gpu/scan_gpu.c) that is a child of this worker, not of
 * the postmaster.  The worker never touches a GPU.  It starts the program with the ring
 * and one end of a socket, and from then on turns: a backend that has queued a job
 * wakes it, it rings the program's end; the program that has answered rings back, it
 * wakes the owners of the slots.  When the program dies, however it dies, the socket
 * says so: its jobs are failed, their owners do them on the CPU, and it is started again
 * after 1, 2, 4, ... seconds, until it has died too often.  Deaths at jobs of one line
 * have that line left to the CPU instead (quarantine.c).
 *
 * All of them end with the server: the program when its socket closes, and on Linux
 * also by the signal that a parent's death sends.
 *
 * A program may be killed and not end, in a driver that hangs.  Nobody waits for that: a
 * broker that has to go leaves it to init.  But as long as it is there, it has the ring,
 * and no other program is started on the same one; slots in which it was at work are
 * nobody's.  Jobs are the CPU's meanwhile.
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
#include "storage/procarray.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "device/process.h"
#include "device/shared.h"
#include "guc.h"

/* So many deaths in so many minutes, and it stays down. */
#define DEATHS_MAX 5
#define DEATHS_MINUTES 10

/* A job may take so many times scan.gpu_timeout before the program counts as stuck. */
#define STUCK_TIMEOUTS 2

/* How often slots are looked after while any is taken. */
#define LOOK_MS 500

/* What a program gets to end by itself, having closed its socket; and to die of a signal, before that is news. */
#define END_MS 200
#define DIE_MS 1000

/* How often it is looked for meanwhile. */
#define END_LOOK_MS 5

/* What the broker remembers of a slot between two looks. */
typedef struct SlotProgress
{
	uint64		word;
	TimestampTz since; /* when the word was first seen */
} SlotProgress;

static Process		 program;	/* number 0: there is none */
static int			 line = -1; /* our end of the socket */
static bool			 stuck;		/* it did not answer */
static TimestampTz	 end_since; /* since when it is on its way out; 0: it is not */
static bool			 killed;	/* it was, */
static bool			 reported;	/* and that it does not die was said */
static TimestampTz	 start_at;	/* when to start it; 0: not at all */
static TimestampTz	 death[DEATHS_MAX];
static int			 deaths;
static SlotProgress *progress;

PGDLLEXPORT void scan_broker_main(Datum arg);

/* ---- what everybody may know ---- */

static void
publish(DeviceState state, const char *reason)
{
	LWLockAcquire(worker_shared->lock, LW_EXCLUSIVE);
	worker_shared->state = state;
	strlcpy(worker_shared->reason, reason, WIRE_REASON);
	pg_atomic_write_u32(&worker_shared->ready, state == DEVICE_READY);
	LWLockRelease(worker_shared->lock);
}

/* Text that the program has written, made fit to show: it ends, and is plain ASCII. */
static void
plain_text(char *to, const char *from, Size size)
{
	memcpy(to, from, size);
	to[size - 1] = '\0';
	for (char *c = to; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* A rate that the program has measured: never negative, never a NaN. */
static double
plain_rate(double ns)
{
	return ns >= 0 && ns < 1e15 ? ns : 0;
}

static void
publish_offer(void)
{
	ScanGpuInfo info, *offered = &worker_ring->offer.info;

	plain_text(info.name, offered->name, sizeof(info.name));
	plain_text(info.driver, offered->driver, sizeof(info.driver));
	plain_text(info.runtime, offered->runtime, sizeof(info.runtime));
	info.pinned = offered->pinned != 0;
	info.memory = offered->memory;
	info.setup_ns = plain_rate(offered->setup_ns);
	info.byte_ns = plain_rate(offered->byte_ns);
	info.sort_ns = plain_rate(offered->sort_ns);
	for (int i = 0; i < SCAN_OPS; i++)
		info.row_ns[i] = plain_rate(offered->row_ns[i]);
	LWLockAcquire(worker_shared->lock, LW_EXCLUSIVE);
	worker_shared->info = info;
	LWLockRelease(worker_shared->lock);
	publish(DEVICE_READY, "");
	ereport(LOG, (errmsg("scan: jobs go to %s (driver: %s, runtime: %s)", info.name, info.driver, info.runtime)));
}

/* ---- slots ---- */

static void
wake_owner(uint32 slot)
{
	Latch *owner = worker_shared->slot[slot].owner;

	if (owner != NULL)
		SetLatch(owner);
}

/*
 * Nobody will answer what the program has.  Where it is not through yet, it may still write
 * to the slots that it was at: those stay nobody's.
 */
static void
fail_slots(bool through)
{
	for (uint32 i = 0; i < worker_slots; i++)
	{
		WireSlot *slot = worker_slot(i);
		uint64	  word = wire_word(slot);
		bool	  running = wire_word_state(word) == WIRE_RUNNING;

		switch (wire_word_state(word))
		{
			case WIRE_RUNNING:
			case WIRE_QUEUED:
				/* swapped away under us: its owner has left, and the next look finds it */
				if (wire_move(slot, word, running && !through ? WIRE_ABANDONED : WIRE_FAILED))
					wake_owner(i);
				break;
			case WIRE_ABANDONED:
				if (through)
					(void) wire_swap(slot, word, wire_word_free(word));
				break;
			case WIRE_FREE:
			case WIRE_FILLING:
			case WIRE_DONE:
			case WIRE_FAILED:
				break;
			default:
				/* no state at all: the program wrote where it should not have */
				(void) wire_swap(slot, word, 0);
				wake_owner(i);
		}
	}
}

/* The program died: holds that against the lines of the job that it was at. */
static void
accuse_lines(TimestampTz now)
{
	for (uint32 i = 0; i < worker_slots; i++)
	{
		WireState state = wire_word_state(wire_word(worker_slot(i)));

		if (state == WIRE_RUNNING || state == WIRE_ABANDONED)
			quarantine_accuse(&worker_shared->slot[i].lines, now);
	}
}

/*
 * A slot whose owner is no more.  Backends give theirs back whichever way they leave;
 * this is for the one that could not.
 */
static void
reclaim(WireSlot *slot, uint64 word)
{
	if (BackendPidGetProc(wire_word_pid(word)) != NULL)
		return;
	if (wire_word_state(word) == WIRE_RUNNING)
		(void) wire_move(slot, word, WIRE_ABANDONED);
	else if (wire_word_state(word) != WIRE_ABANDONED)
		(void) wire_swap(slot, word, wire_word_free(word));
}

/*
 * The program is of no use any more: it has closed its socket, or does not answer.  It is
 * collected when it has ended (program_ended).
 */
static void
end_program(TimestampTz now)
{
	close(line);
	line = -1;
	end_since = now;
	publish(DEVICE_WAITING, "the program scan_gpu is ending");
	fail_slots(false);
}

static void
kill_program(void)
{
	kill(program.pid, SIGKILL);
	killed = true;
}

/* Looks after all slots: rings for those that wait, wakes those that were answered.  Whether any is taken. */
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
				wake_owner(i);
		}
		if (TimestampDifferenceExceeds(progress[i].since, now, LOOK_MS))
			reclaim(slot, word);
		if ((state == WIRE_RUNNING || state == WIRE_ABANDONED) && program.pid != 0 && end_since == 0 &&
			TimestampDifferenceExceeds(progress[i].since, now, STUCK_TIMEOUTS * guc_gpu_timeout))
		{
			stuck = true;
			kill_program();
			end_program(now);
		}
	}
	if (queued && line >= 0 && send(line, &(char){WIRE_LOOK}, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPIPE)
		ereport(DEBUG1, (errmsg("scan: the program has gone")));
	return taken;
}

/* ---- the program ---- */

/* The next start, after a death at `now`; false: it has died too often, of what no line is in quarantine for. */
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

static void
start_program(TimestampTz now)
{
	char  path[MAXPGPATH], library[MAXPGPATH];
	char *arguments[] = {path, library, DataDir, NULL};

	start_at = end_since = 0;
	stuck = killed = reported = false;
	snprintf(path, sizeof(path), "%s/scan_gpu", pkglib_path);
	snprintf(library, sizeof(library), "%s/%s.so", pkglib_path, guc_gpu_library);
	memset(&worker_ring->offer, 0, sizeof(worker_ring->offer));
	publish(DEVICE_STARTING, "the program scan_gpu is starting");
	program = process_start(arguments, &line);
	if (program.pid == 0)
	{
		ereport(LOG, (errmsg("scan: could not start scan_gpu: %m")));
		publish(next_start(now) ? DEVICE_WAITING : DEVICE_DOWN, "could not fork");
	}
}

/* Looks for the end of the program, and helps it on.  *status is how it has ended, as far as that is known. */
static bool
await_end(TimestampTz now, int *status)
{
	char reason[WIRE_REASON];

	*status = killed ? SIGKILL : 0;
	if (process_is_through(&program, status))
		return true;
	if (!killed && TimestampDifferenceExceeds(end_since, now, END_MS))
		kill_program(); /* one that has closed its socket and lives on is of no use */
	if (killed && !reported && TimestampDifferenceExceeds(end_since, now, END_MS + DIE_MS))
	{
		snprintf(reason, sizeof(reason), "scan_gpu (PID %d) was killed and does not end: its driver may hang",
				 (int) program.pid);
		reported = true;
		publish(DEVICE_WAITING, reason);
		ereport(LOG, (errmsg("scan: %s", reason), errdetail("No other is started before it has.")));
	}
	return false;
}

/* The program has ended: says what became of it, and what next. */
static void
program_ended(TimestampTz now, int status)
{
	char how[WIRE_REASON], said[WIRE_REASON], reason[3 * WIRE_REASON];
	int	 exited = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	program.pid = 0;
	end_since = 0;
	if (exited != WIRE_EXIT_NONE && exited != WIRE_EXIT_EXEC)
		accuse_lines(now);
	fail_slots(true);

	plain_text(said, worker_ring->offer.reason, WIRE_REASON);
	if (exited == WIRE_EXIT_NONE)
	{
		publish(DEVICE_ABSENT, said[0] != '\0' ? said : "scan_gpu gave no reason");
		ereport(LOG, (errmsg("scan: there is no GPU: %s", said)));
		return;
	}
	if (exited == WIRE_EXIT_EXEC)
	{
		publish(DEVICE_ABSENT, "the program scan_gpu could not be executed");
		ereport(LOG, (errmsg("scan: there is no GPU: the program \"%s/scan_gpu\" could not be executed", pkglib_path)));
		return;
	}
	if (stuck)
		snprintf(how, sizeof(how), "scan_gpu did not answer and was killed");
	else if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "scan_gpu was ended by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "scan_gpu ended with status %d", exited);
	snprintf(reason, sizeof(reason), "%s%s%s", how, said[0] != '\0' ? ": " : "", said);
	if (next_start(now))
	{
		publish(DEVICE_WAITING, reason);
		ereport(LOG, (errmsg("scan: %s; it will be started again", reason)));
	}
	else
	{
		snprintf(reason + strlen(reason), sizeof(reason) - strlen(reason), "; %d times in %d minutes, so it stays down",
				 DEATHS_MAX, DEATHS_MINUTES);
		publish(DEVICE_DOWN, reason);
		ereport(LOG, (errmsg("scan: %s", reason), errhint("Reloading the configuration starts it again.")));
	}
	worker_shared->restarts += start_at != 0;
}

/* Reads what the program has rung. */
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
		publish_offer();
}

/* ---- the worker ---- */

static void
leave(int code, Datum arg)
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
		ereport(LOG,
				(errmsg("scan: scan_gpu (PID %d) was killed and does not end: it is left behind", (int) program.pid)));
	}
	fail_slots(through && worker_shared->left.pid == 0);
	publish(DEVICE_WAITING, "the broker has ended and will be started again");
}

/* Whether a program that another broker left behind still is there, with the ring. */
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
		fail_slots(true);
		return false;
	}
	snprintf(reason, sizeof(reason), "scan_gpu (PID %d), which was left behind, has not ended yet",
			 (int) worker_shared->left.pid);
	publish(DEVICE_WAITING, reason);
	start_at = TimestampTzPlusMilliseconds(now, LOOK_MS);
	return true;
}

/* One turn; returns how long to wait for the next, at most, in milliseconds; -1: for ever. */
static long
turn(void)
{
	TimestampTz now = GetCurrentTimestamp();
	long		wait;
	int			status;

	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
		quarantine_clear();
		rate_end_rests();
		if (program.pid == 0)
		{
			/* whoever reloads may have mended what was wrong */
			deaths = 0;
			start_at = now;
		}
	}
	if (line >= 0)
		read_line(now);
	if (end_since != 0 && await_end(now, &status))
		program_ended(now, status);
	if (program.pid == 0 && start_at != 0 && now >= start_at && !ring_is_taken(now))
		start_program(now);
	wait = look_at_slots(now) ? Min(LOOK_MS, Max(1, guc_gpu_timeout / 2)) : -1;
	if (end_since != 0)
		wait = reported ? LOOK_MS : END_LOOK_MS;
	if (program.pid == 0 && start_at != 0)
	{
		long until_start = TimestampDifferenceMilliseconds(now, start_at);

		wait = wait < 0 ? until_start : Min(wait, until_start);
	}
	return wait;
}

void
scan_broker_main(Datum arg)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	progress = (SlotProgress *) MemoryContextAllocZero(TopMemoryContext, worker_slots * sizeof(SlotProgress));
	fail_slots(worker_shared->left.pid == 0);
	worker_shared->broker = MyLatch;
	before_shmem_exit(leave, (Datum) 0);
	start_at = GetCurrentTimestamp();
	while (!ShutdownRequestPending)
	{
		long wait = turn();
		int	 events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (wait >= 0 ? WL_TIMEOUT : 0) |
					 (line >= 0 ? WL_SOCKET_READABLE : 0);

		(void) WaitLatchOrSocket(MyLatch, events, line >= 0 ? line : PGINVALID_SOCKET, wait, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	/* a status other than 0: the postmaster starts it again, unless the server is shut down */
	proc_exit(1);
}

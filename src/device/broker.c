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
#include "storage/procarray.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "device/process.h"
#include "device/quarantine.h"
#include "device/rate.h"
#include "device/settings.h"
#include "device/shared.h"

/* After DEATHS_MAX deaths in DEATHS_MINUTES the program stays down. */
#define DEATHS_MAX 5
#define DEATHS_MINUTES 10

/* A job that takes longer than this many times scan.gpu_timeout means that the program is stuck. */
#define STUCK_TIMEOUTS 2

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
static bool			 stuck;		/* the program did not answer */
static TimestampTz	 end_since; /* since when the program is ending; 0: it is not */
static bool			 killed;	/* the program was sent SIGKILL */
static bool			 reported;	/* it was reported that the program does not die */
static TimestampTz	 start_at;	/* when to start the program; 0: not at all */
static TimestampTz	 death[DEATHS_MAX];
static int			 deaths;
static SlotProgress *progress;

PGDLLEXPORT void scan_broker_main(Datum arg);

/* ---- publishing the device's state ---- */

static void
publish_state(DeviceState state, const char *reason)
{
	LWLockAcquire(worker_shared->lock, LW_EXCLUSIVE);
	worker_shared->state = state;
	strlcpy(worker_shared->reason, reason, WIRE_REASON);
	pg_atomic_write_u32(&worker_shared->ready, state == DEVICE_READY);
	LWLockRelease(worker_shared->lock);
}

/* Copies text that the program has written so that it is terminated and plain ASCII. */
static void
plain_text(char *to, const char *from, Size size)
{
	memcpy(to, from, size);
	to[size - 1] = '\0';
	for (char *c = to; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* Returns a rate that the program has measured, or 0 if it is negative, NaN or too large. */
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
	publish_state(DEVICE_READY, "");
	ereport(LOG, (errmsg("scan: jobs can run on %s (driver: %s, runtime: %s)", info.name, info.driver, info.runtime)));
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
 * Fails the jobs that the program has: there will be no answer.  through: true if no program is left that may write to
 * the ring.  If false, the slots whose jobs it runs become ABANDONED, so that nobody can take them.
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
				/* if this fails, the owner has just left; the next check handles the slot */
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
				/* not a state: the program wrote where it should not have */
				(void) wire_swap(slot, word, 0);
				wake_owner(i);
		}
	}
}

/* The program died: holds that against the lines of the jobs that it was running. */
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
 * Takes a slot back if its owner's process is gone.  Backends give their slots back whichever way they leave; this is
 * for a backend that could not.
 */
static void
reclaim_slot(WireSlot *slot, uint64 word)
{
	if (BackendPidGetProc(wire_word_pid(word)) != NULL)
		return;
	if (wire_word_state(word) == WIRE_RUNNING)
		(void) wire_move(slot, word, WIRE_ABANDONED);
	else if (wire_word_state(word) != WIRE_ABANDONED)
		(void) wire_swap(slot, word, wire_word_free(word));
}

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
	fail_slots(false);
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
				wake_owner(i);
		}
		if (TimestampDifferenceExceeds(progress[i].since, now, LOOK_MS))
			reclaim_slot(slot, word);
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

/* The program has ended: publishes why, and plans the next start. */
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
		publish_state(DEVICE_ABSENT, said[0] != '\0' ? said : "scan_gpu gave no reason");
		ereport(LOG, (errmsg("scan: no GPU is available: %s", said)));
		return;
	}
	if (exited == WIRE_EXIT_EXEC)
	{
		publish_state(DEVICE_ABSENT, "the program scan_gpu could not be executed");
		ereport(LOG,
				(errmsg("scan: no GPU is available: the program \"%s/scan_gpu\" could not be executed", pkglib_path)));
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
		publish_offer();
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
	fail_slots(through && worker_shared->left.pid == 0);
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
		fail_slots(true);
		return false;
	}
	snprintf(reason, sizeof(reason), "scan_gpu (PID %d), which an earlier broker left running, has not ended yet",
			 (int) worker_shared->left.pid);
	publish_state(DEVICE_WAITING, reason);
	start_at = TimestampTzPlusMilliseconds(now, LOOK_MS);
	return true;
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
		quarantine_clear();
		rate_end_rests();
		if (program.pid == 0)
		{
			/* the reload may come because the cause was repaired */
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

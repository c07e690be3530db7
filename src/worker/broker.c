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
 * after 1, 2, 4, ... seconds, until it has died too often.
 *
 * All of them end with the server: the program when its socket closes, and on Linux
 * also by the signal that a parent's death sends.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/procarray.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "guc.h"
#include "worker/shared.h"

/* So many deaths in so many minutes, and it stays down. */
#define DEATHS_MOST 5
#define DEATHS_MINUTES 10

/* A job may take so many times scan.gpu_timeout before the program counts as stuck. */
#define STUCK_TIMEOUTS 2

/* How often slots are looked after while any is taken. */
#define LOOK_MS 500

/* What the broker remembers of a slot between two looks. */
typedef struct Watch
{
	uint64		word;
	TimestampTz since;
} Watch;

static pid_t	   program = 0; /* 0: there is none */
static int		   line = -1;	/* our end of the socket */
static bool		   stuck;		/* we have killed it */
static TimestampTz start_at;	/* when to start it; 0: not at all */
static TimestampTz death[DEATHS_MOST];
static int		   deaths;
static Watch	  *watch;

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
	info.memory = offered->memory;
	info.setup_ns = plain_rate(offered->setup_ns);
	info.byte_ns = plain_rate(offered->byte_ns);
	info.sort_ns = plain_rate(offered->sort_ns);
	for (int i = 0; i < SCAN_LINES; i++)
		info.row_ns[i] = plain_rate(offered->row_ns[i]);
	LWLockAcquire(worker_shared->lock, LW_EXCLUSIVE);
	worker_shared->info = info;
	LWLockRelease(worker_shared->lock);
	publish(DEVICE_READY, "");
	ereport(LOG, (errmsg("scan: jobs go to %s (%s)", info.name, info.driver)));
}

/* ---- slots ---- */

static void
wake_owner(uint32 slot)
{
	Latch *owner = worker_shared->owner[slot];

	if (owner != NULL)
		SetLatch(owner);
}

/* The program is gone: nobody will answer what it has. */
static void
fail_slots(void)
{
	for (uint32 i = 0; i < worker_slots; i++)
	{
		WireSlot *slot = worker_slot(i);
		uint64	  word = wire_word(slot);

		switch (wire_word_state(word))
		{
			case WIRE_QUEUED:
			case WIRE_RUNNING:
				/* swapped away under us: its owner has left, and the next look finds it */
				if (wire_move(slot, word, WIRE_FAILED))
					wake_owner(i);
				break;
			case WIRE_ABANDONED:
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
		if (word != watch[i].word)
		{
			watch[i].word = word;
			watch[i].since = now;
			if (state == WIRE_DONE || state == WIRE_FAILED)
				wake_owner(i);
		}
		if (TimestampDifferenceExceeds(watch[i].since, now, LOOK_MS))
			reclaim(slot, word);
		if ((state == WIRE_RUNNING || state == WIRE_ABANDONED) && program != 0 && !stuck &&
			TimestampDifferenceExceeds(watch[i].since, now, STUCK_TIMEOUTS * guc_gpu_timeout))
		{
			stuck = true;
			kill(program, SIGKILL);
		}
	}
	if (queued && line >= 0 && send(line, &(char){WIRE_LOOK}, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPIPE)
		ereport(DEBUG1, (errmsg("scan: the program has gone")));
	return taken;
}

/* ---- the program ---- */

/* In the child: becomes the program.  No more than what is allowed between fork and exec. */
static void
become_program(int socket_fd, pid_t parent, char *const arguments[])
{
	struct rlimit none = {0, 0};
	sigset_t	  all;
	int			  fd;

#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* the first to go when memory is short: everything that it holds can be done again */
	fd = open("/proc/self/oom_score_adj", O_WRONLY);
	if (fd >= 0)
	{
		ssize_t written pg_attribute_unused() = write(fd, "1000", 4); /* or else not */

		close(fd);
	}
#endif
	/* the memory that a core of it would show is the users' data, and a GPU's address space */
	setrlimit(RLIMIT_CORE, &none);

	/* out of the way of each other first */
	socket_fd = fcntl(socket_fd, F_DUPFD, 16);
	fd = fcntl(worker_ring_fd, F_DUPFD, 16);
	if (socket_fd < 0 || fd < 0 || dup2(socket_fd, WIRE_SOCKET_FD) < 0 || dup2(fd, WIRE_RING_FD) < 0)
		_exit(WIRE_EXIT_EXEC);
	for (int i = WIRE_RING_FD + 1; i < Max(1024, fd + 1); i++)
		close(i);
	fd = open("/dev/null", O_RDWR);
	if (fd >= 0)
	{
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	execv(arguments[0], arguments);
	_exit(WIRE_EXIT_EXEC);
}

/* The next start, after a death at `now`; false: it has died too often. */
static bool
next_start(TimestampTz now)
{
	int delay = 1;

	death[deaths++] = now;
	while (deaths > 1 && TimestampDifferenceExceeds(death[0], now, DEATHS_MINUTES * 60 * 1000))
		memmove(death, death + 1, --deaths * sizeof(death[0]));
	if (deaths == DEATHS_MOST)
		return false;
	for (int i = 1; i < deaths; i++)
		delay *= 2;
	start_at = TimestampTzPlusMilliseconds(now, delay * 1000);
	return true;
}

static void
start_program(TimestampTz now)
{
	char	 path[MAXPGPATH], library[MAXPGPATH];
	char	*arguments[] = {path, library, DataDir, NULL};
	int		 ends[2];
	sigset_t all, before;
	pid_t	 parent = getpid();
	pid_t	 child;

	start_at = 0;
	stuck = false;
	snprintf(path, sizeof(path), "%s/scan_gpu", pkglib_path);
	snprintf(library, sizeof(library), "%s/%s.so", pkglib_path, guc_gpu_library);
	memset(&worker_ring->offer, 0, sizeof(worker_ring->offer));
	publish(DEVICE_STARTING, "the program scan_gpu is starting");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		ereport(ERROR, (errcode_for_socket_access(), errmsg("could not create a socket: %m")));
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);

	/* PostgreSQL's handlers must not run in the child */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = fork();
	if (child == 0)
		become_program(ends[1], parent, arguments);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (child < 0)
	{
		close(ends[0]);
		ereport(LOG, (errmsg("scan: could not start scan_gpu: %m")));
		publish(next_start(now) ? DEVICE_WAITING : DEVICE_DOWN, "could not fork");
		return;
	}
	program = child;
	line = ends[0];
}

/* Collects the program, which has closed its end of the socket or is to die. */
static int
bury_program(void)
{
	int status = 0;

	/* one that has closed its socket and lives on is of no use */
	kill(program, SIGKILL);
	while (waitpid(program, &status, 0) < 0 && errno == EINTR)
		;
	close(line);
	line = -1;
	program = 0;
	return status;
}

/* The socket is at its end: says what became of the program, and what next. */
static void
program_ended(TimestampTz now)
{
	char  how[WIRE_REASON], said[WIRE_REASON], reason[3 * WIRE_REASON];
	int	  status;
	pid_t ended = 0;

	/* the socket closes a moment before the exit status is there */
	for (int i = 0; i < 200 && ended == 0; i++)
	{
		ended = waitpid(program, &status, WNOHANG);
		if (ended == 0)
			pg_usleep(1000);
	}
	if (ended == program)
	{
		close(line);
		line = -1;
		program = 0;
	}
	else
		status = bury_program();
	fail_slots();

	plain_text(said, worker_ring->offer.reason, WIRE_REASON);
	if (WIFEXITED(status) && WEXITSTATUS(status) == WIRE_EXIT_NONE)
	{
		publish(DEVICE_ABSENT, said[0] != '\0' ? said : "scan_gpu gave no reason");
		ereport(LOG, (errmsg("scan: there is no GPU: %s", said)));
		return;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == WIRE_EXIT_EXEC)
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
		snprintf(how, sizeof(how), "scan_gpu ended with status %d", WEXITSTATUS(status));
	if (next_start(now))
	{
		snprintf(reason, sizeof(reason), "%s%s%s", how, said[0] != '\0' ? ": " : "", said);
		publish(DEVICE_WAITING, reason);
		ereport(LOG, (errmsg("scan: %s; it will be started again", reason)));
	}
	else
	{
		snprintf(reason, sizeof(reason), "%s%s%s; %d times in %d minutes, so it stays down", how,
				 said[0] != '\0' ? ": " : "", said, DEATHS_MOST, DEATHS_MINUTES);
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
		program_ended(now);
		return;
	}
	if (memchr(byte, WIRE_READY, n) != NULL)
		publish_offer();
}

/* ---- the worker ---- */

static void
leave(int code, Datum arg)
{
	worker_shared->broker = NULL;
	if (program != 0)
		(void) bury_program();
	fail_slots();
	publish(DEVICE_WAITING, "the broker has ended and will be started again");
}

/* One turn; returns how long to wait for the next, at most, in milliseconds; -1: for ever. */
static long
turn(void)
{
	TimestampTz now = GetCurrentTimestamp();
	long		wait;

	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
		if (program == 0)
		{
			/* whoever reloads may have mended what was wrong */
			deaths = 0;
			start_at = now;
		}
	}
	if (line >= 0)
		read_line(now);
	if (program == 0 && start_at != 0 && now >= start_at)
		start_program(now);
	wait = look_at_slots(now) ? Min(LOOK_MS, Max(1, guc_gpu_timeout / 2)) : -1;
	if (program == 0 && start_at != 0)
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

	watch = (Watch *) MemoryContextAllocZero(TopMemoryContext, worker_slots * sizeof(Watch));
	fail_slots();
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

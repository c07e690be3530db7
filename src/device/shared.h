/*
 * shared.h: what backends and the broker share: a struct in PostgreSQL's shared memory, where the ring is mapped, and
 * what is known of the lines of jobs: their deaths and their rates.
 *
 * Only processes of the server write to the struct, so its contents can be relied upon, unlike those of the ring
 * (wire.h).
 */
#ifndef SCAN_DEVICE_SHARED_H
#define SCAN_DEVICE_SHARED_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/latch.h"
#include "storage/lwlock.h"

#include "device/wire.h"

/* A process, identified by its PID and its start time, since PIDs are reused.  pid 0: no process. */
typedef struct Process
{
	pid_t  pid;
	uint64 born; /* start time in the system's unit; 0: unknown */
} Process;

typedef enum DeviceState
{
	DEVICE_OFF = 0,	 /* see worker_off_reason() */
	DEVICE_STARTING, /* the program is starting */
	DEVICE_READY,
	DEVICE_ABSENT,	/* the program found no device */
	DEVICE_WAITING, /* the program died and will be started again, or is ending */
	DEVICE_DOWN,	/* the program died too often */
} DeviceState;

/* A sort counts as a line of its own here, beside the lines of its scans. */
#define JOB_SORT SCAN_GPU_SORT
#define JOB_LINES SCAN_GPU_LINES

/* The lines of a job. */
typedef ScanGpuLines JobLines;

/* Deaths that are remembered per line. */
#define LINE_DEATHS 3

/* What is known of a line (quarantine.c). */
typedef struct LineRecord
{
	pg_atomic_uint32 unanswered; /* deaths since the device last answered a job of the line */
	pg_atomic_uint64 until;		 /* a TimestampTz: the line is in quarantine until then; 0: it never was */
	pg_atomic_uint32 left_out;	 /* 1: the program died measuring the line, and was started again without it */

	/* used by rate.c */
	pg_atomic_uint32 slower;	  /* jobs in a row that the CPU would have finished sooner */
	pg_atomic_uint64 rests_until; /* a TimestampTz: the line rests until then; 0: it never rested */

	/* used by the broker alone */
	TimestampTz death[LINE_DEATHS]; /* times of the last deaths, the newest first; 0: none */
	TimestampTz since;				/* when the last quarantine began; 0: there was none */
	int64		length;				/* length of the last quarantine, in milliseconds */
} LineRecord;

/* What the owner of a slot says about it. */
typedef struct SlotUse
{
	Latch *owner; /* latch of the owner, set when the slot's state changes */
	/* Lines of the job that was last queued in the slot.  The program may have overwritten those in the ring. */
	JobLines lines;
} SlotUse;

/* The rates (rate.c); nanoseconds. */
enum
{
	RATE_CPU = 0,				/* plus a line: a row of a scan on the CPU; plus JOB_SORT: a word of a sort */
	RATE_COPY_BYTE = JOB_LINES, /* a byte of a scan, copied into a slot or out of it */
	RATE_SORT_BYTE,				/* a byte of a sort in one slot: copied, with its scans, proved and put in order */
	RATE_PARTS_BYTE,			/* the same of a sort that is cut into parts: each value is read from elsewhere */
	RATE_WAKE,					/* what a batch waits beyond the device's time: wake-ups on both sides */
	RATES
};

/* What is counted of all processes together. */
typedef enum ServerCount
{
	SERVER_JOBS = 0, /* batches that a device answered */
	SERVER_ROWS,
	SERVER_BYTES,	  /* bytes sent and received for them */
	SERVER_FALLBACKS, /* jobs meant for the device that the CPU had to finish */
	SERVER_REFUSALS,  /* batches that the device refused */
	SERVER_COUNTS
} ServerCount;

/* A rate that some process has measured (rate.c). */
typedef struct PublishedRate
{
	pg_atomic_uint64 bits; /* the bits of a double, in nanoseconds */
	pg_atomic_uint64 last; /* a TimestampTz: when the rate was measured */
} PublishedRate;

typedef struct WorkerShared
{
	LWLock *lock; /* protects `state`, `reason` and `info` */

	DeviceState state;
	char		reason[WIRE_REASON]; /* why the state is not DEVICE_READY */
	ScanGpuInfo info;				 /* valid if the state is DEVICE_READY */
	int64		restarts;			 /* how often the program was started again */
	Latch	   *broker;				 /* latch of the broker; NULL: there is no broker now */
	Process		left;				 /* a program that a former broker left behind, not ended yet; the broker's alone */

	pg_atomic_uint32 ready;	   /* 1 if `state` is DEVICE_READY; read without the lock */
	pg_atomic_uint32 programs; /* how often a program was started: the number of the one there is now */

	pg_atomic_uint64 count[SERVER_COUNTS]; /* since the server's start */

	LineRecord line[JOB_LINES]; /* see quarantine.c and rate.c */

	PublishedRate rate[RATES]; /* see rate.c */

	SlotUse slot[FLEXIBLE_ARRAY_MEMBER];
} WorkerShared;

/* NULL if the library was not preloaded, scan.gpu_slots is 0, or the ring could not be made. */
extern WorkerShared *worker_shared;

/* The ring, mapped in every process of the server, and its file descriptor, which the program inherits. */
extern WireHeader *worker_ring;
extern int		   worker_ring_fd;

/* The number of slots, a copy that the program cannot overwrite; and the slot with a number. */
extern uint32	 worker_slots;
extern WireSlot *worker_slot(uint32 slot);

/* Returns why there is no ring, for users. */
extern const char *worker_off_reason(void);

/* Called while the server starts: reserves the memory and registers the broker. */
extern void worker_init(void);

/* The name of the broker's entry point. */
#define BROKER_MAIN "scan_broker_main"

/* ---- quarantine.c: keeps jobs of lines at which the device's program died away from the device for a while ---- */

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

/* ---- rate.c ---- */

/*
 * Returns the least of the last five times that this process has measured; if there are none, the rate that another
 * process has published; if there is none, `otherwise`.  Times older than ten minutes do not count: a rate that keeps
 * jobs away from the device would otherwise never be measured again.
 */
extern double rate_of(int rate, double otherwise);

/* Records that this process has measured `ns` nanoseconds. */
extern void rate_seen(int rate, double ns);

/*
 * rate_was_slower: records whether a job of a line, or JOB_SORT, came back from the device later than the CPU would
 * have finished it.  After three slower jobs in a row the line rests.
 *
 * rate_rests_until: returns the time from which a resting line may be sent to the device again; 0: it does not rest.
 */
extern void		   rate_was_slower(int line, bool slower);
extern TimestampTz rate_rests_until(int line);

/* Ends all rests.  Called by the broker. */
extern void rate_end_rests(void);

/* ---- the parts of the broker, the server's process that starts the program and looks after the ring ---- */

/* broker.c calls all of them; nobody else does. */

/*
 * ---- process.c: starts the program scan_gpu and tells if it has ended.  Called by broker.c.
 */

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

/* ---- publish.c: what the broker lets backends know of the device ---- */

/* Publishes the state, and why it is not DEVICE_READY; `reason` is cut off if it is too long. */
extern void publish_state(DeviceState state, const char *reason);

/* Publishes what the program has written to the ring about the device, and that jobs can run. */
extern void publish_offer(void);

/* ---- broker_slots.c ---- */

extern void broker_wake_owner(uint32 slot);

/*
 * Fails the jobs that the program has: there will be no answer.  through: true if no program is left that may write to
 * the ring.  If false, the slots whose jobs it runs become ABANDONED, so that nobody can take them.
 */
extern void broker_fail_slots(bool through);

/* The program died at `now`: holds that against the lines of the jobs that it was running. */
extern void broker_accuse_lines(TimestampTz now);

/*
 * Takes a slot back if its owner's process is gone.  Backends give their slots back whichever way they leave; this is
 * for a backend that could not.
 */
extern void broker_reclaim_slot(WireSlot *slot, uint64 word);

/* ---- settings.c: the settings scan.* of devices.  They change where a job runs, never its answer ---- */

/*
 * guc.h has the other settings, among them the two for tests that choice.c reads: scan.debug_require and
 * scan.debug_cpu_factor.
 */

/* scan.device */
typedef enum DeviceChoice
{
	DEVICE_AUTO = 0, /* the faster device for each job */
	DEVICE_CPU,
	DEVICE_GPU, /* the GPU for every job that can go there */
} DeviceChoice;

extern int guc_device;

/*
 * scan.gpu_min_rows and scan.gpu_sort_min_rows: "auto" leaves scans and sorts of fewer rows on the CPU.
 * scan.gpu_timeout: how long a batch may take, in milliseconds.
 */
extern int guc_gpu_min_rows;
extern int guc_gpu_sort_min_rows;
extern int guc_gpu_timeout;

/* scan.gpu_quarantine: how long the CPU runs jobs at which the GPU failed, in milliseconds */
extern int guc_gpu_quarantine;

/* scan.gpu_check: sorts of the GPU are proved with certainty (word_proof.c) */
extern bool guc_gpu_check;

/*
 * scan.mock_fault: a ScanGpuFault (device.h).  scan.mock_fault_line: the line whose jobs get the fault;
 * empty: all.
 */
extern int	 guc_mock_fault;
extern char *guc_mock_fault_line;

/*
 * Read when the server starts.  guc_gpu_slots: slots of the ring.  guc_gpu_slot_size: kB of each slot.  guc_gpu_memory:
 * MB of device memory that jobs may take; 0: the device library chooses.  guc_gpu_library: the device library.
 */
extern int	 guc_gpu_slots;
extern int	 guc_gpu_slot_size;
extern int	 guc_gpu_memory;
extern char *guc_gpu_library;

extern void settings_define(void);

#endif /* SCAN_DEVICE_SHARED_H */

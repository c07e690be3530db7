/*
 * ring_create.c: makes the ring and registers the broker, while the server starts.
 *
 * The postmaster maps the ring, and every process that it forks inherits the mapping at the same address.  So there is
 * no name in a file system that somebody else could open or that could be left behind; the ring is not limited to the
 * 64 MB that containers give /dev/shm; and no step at a backend's first job can fail.  Pages cost memory only once they
 * are written to, so a server without a device pays nothing.  When the server restarts after a crash of a backend, a
 * new ring replaces the old one, which disappears with the last program that still has it.
 *
 * A DSM segment or PostgreSQL's main shared memory would not do: the program that must have the ring is attached to
 * nothing of PostgreSQL.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/shmem.h"

#include "device/shared.h"
#include "library/build.h"
#include "library/library.h"
#include "library/pages.h"

WorkerShared *worker_shared = NULL;
WireHeader	 *worker_ring = NULL;
int			  worker_ring_fd = -1;
uint32		  worker_slots = 0;

static bool preloaded = false;
static bool library_is_missing = false;
static int	ring_errno = 0;
static Size ring_size = 0;

static shmem_request_hook_type next_request_hook = NULL;
static shmem_startup_hook_type next_startup_hook = NULL;

WireSlot *
worker_slot(uint32 slot)
{
	return wire_slot(worker_ring, (uint64) guc_gpu_slot_size * 1024, slot);
}

const char *
worker_off_reason(void)
{
	static char why[160];

	if (!preloaded)
		return "scan is not in shared_preload_libraries";
	if (guc_gpu_slots == 0)
		return "scan.gpu_slots is 0";
	if (library_is_missing)
	{
		snprintf(why, sizeof(why), "the device library \"%s\" is not installed", guc_gpu_library);
		return why;
	}
	snprintf(why, sizeof(why), "the shared memory for scan.gpu_slots could not be created: %s", strerror(ring_errno));
	return why;
}

/* Returns a file descriptor of a file without a name, of `size` zero bytes; -1, with errno set, on failure. */
static int
nameless_file(Size size)
{
	int fd;

#ifdef MFD_CLOEXEC
	fd = memfd_create("scan ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#else
	char name[64];

	snprintf(name, sizeof(name), "/scan.%d", (int) getpid());
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
	if (fd >= 0)
	{
		shm_unlink(name);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
#endif
	if (fd >= 0 && ftruncate(fd, size) != 0)
	{
		close(fd);
		fd = -1;
	}
#ifdef F_SEAL_SHRINK
	/* if the file shrank, an access to a page that was cut off would raise SIGBUS */
	if (fd >= 0)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
#endif
	return fd;
}

/*
 * Has the system allocate the pages of the header and of each slot's job, which all processes touch; those of a slot's
 * data are allocated by the process that fills them.  False: it has none.
 */
static bool
allocate_headers(char *ring)
{
	bool there = pages_allocate(worker_ring_fd, 0, ring, sizeof(WireHeader));

	for (int i = 0; there && i < guc_gpu_slots; i++)
	{
		char *slot = (char *) wire_slot(ring, (uint64) guc_gpu_slot_size * 1024, i);

		there = pages_allocate(worker_ring_fd, slot - ring, slot, sizeof(WireSlot));
	}
	return there;
}

static void
ring_make(void)
{
	void *ring;

	if (worker_ring != NULL)
		munmap(worker_ring, ring_size);
	if (worker_ring_fd >= 0)
		close(worker_ring_fd);
	worker_ring = NULL;
	ring_size = wire_ring_size(guc_gpu_slots, (uint64) guc_gpu_slot_size * 1024);
	worker_ring_fd = nameless_file(ring_size);
	ring = worker_ring_fd < 0 ? MAP_FAILED
							  : mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, worker_ring_fd, 0);
	if (ring == MAP_FAILED || !allocate_headers((char *) ring))
	{
		ring_errno = ring == MAP_FAILED ? errno : ENOMEM;
		ereport(LOG, (errmsg("scan: the GPU will not be used: %s", worker_off_reason())));
		return;
	}
#ifdef MADV_DONTDUMP
	/* the ring may be large, and every core file of a process of the server would have it */
	(void) madvise(ring, ring_size, MADV_DONTDUMP);
#endif
	worker_ring = (WireHeader *) ring;
	*worker_ring = (WireHeader){.magic = WIRE_MAGIC,
								.build = scan_build,
								.version = WIRE_VERSION,
								.slots = guc_gpu_slots,
								.fingerprint = scan_fingerprint(),
								.slot_size = (uint64) guc_gpu_slot_size * 1024,
								.memory = (uint64) guc_gpu_memory * 1024 * 1024,
								.device = 0};
}

static Size
shared_size(void)
{
	return offsetof(WorkerShared, slot) + guc_gpu_slots * sizeof(SlotUse);
}

static void
request_shared(void)
{
	if (next_request_hook != NULL)
		next_request_hook();
	RequestAddinShmemSpace(shared_size());
	RequestNamedLWLockTranche("scan", 1);
}

static void
start_shared(void)
{
	bool found;

	if (next_startup_hook != NULL)
		next_startup_hook();
	ring_make();
	if (worker_ring == NULL)
	{
		worker_shared = NULL;
		return;
	}
	worker_slots = guc_gpu_slots;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	worker_shared = (WorkerShared *) ShmemInitStruct("scan", shared_size(), &found);
	if (!found)
	{
		memset(worker_shared, 0, shared_size());
		worker_shared->lock = &GetNamedLWLockTranche("scan")->lock;
		worker_shared->state = DEVICE_STARTING;
		strlcpy(worker_shared->reason, "the server is starting", WIRE_REASON);
		pg_atomic_init_u32(&worker_shared->ready, 0);
		pg_atomic_init_u32(&worker_shared->programs, 0);
		for (int count = 0; count < SERVER_COUNTS; count++)
			pg_atomic_init_u64(&worker_shared->count[count], 0);
		for (int line = 0; line < JOB_LINES; line++)
		{
			pg_atomic_init_u32(&worker_shared->line[line].unanswered, 0);
			pg_atomic_init_u64(&worker_shared->line[line].until, 0);
			pg_atomic_init_u32(&worker_shared->line[line].left_out, 0);
			pg_atomic_init_u32(&worker_shared->line[line].slower, 0);
			pg_atomic_init_u64(&worker_shared->line[line].rests_until, 0);
		}
		for (int rate = 0; rate < RATES; rate++)
		{
			pg_atomic_init_u64(&worker_shared->rate[rate].bits, 0);
			pg_atomic_init_u64(&worker_shared->rate[rate].last, 0);
		}
	}
	LWLockRelease(AddinShmemInitLock);
}

void
worker_init(void)
{
	BackgroundWorker broker = {.bgw_flags = BGWORKER_SHMEM_ACCESS,
							   .bgw_start_time = BgWorkerStart_ConsistentState,
							   .bgw_restart_time = 1,
							   .bgw_name = "scan broker",
							   .bgw_type = "scan broker",
							   .bgw_library_name = "scan",
							   .bgw_function_name = BROKER_MAIN};
	char			 library[MAXPGPATH];

	preloaded = true;
	if (guc_gpu_slots == 0)
		return;
	/* without a device library there is nothing for a broker to do: it would only take one of max_worker_processes */
	snprintf(library, sizeof(library), "%s/%s.so", library_folder(), guc_gpu_library);
	library_is_missing = access(library, F_OK) != 0;
	if (library_is_missing)
		return;
	next_request_hook = shmem_request_hook;
	shmem_request_hook = request_shared;
	next_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_shared;
	RegisterBackgroundWorker(&broker);
}

/*
 * scan_gpu.c: the program that owns the GPU.
 *
 *     scan_gpu LIBRARY DATA_FOLDER
 *
 * Only the broker (src/device/broker.c) starts it.  The program inherits two open files, the ring and one end of a
 * socket.  It loads the device library, reports whether there is a device, and then runs the ring's jobs one after
 * another, slot by slot in turn, until the broker closes the socket.  It is not linked with PostgreSQL and not attached
 * to its shared memory, so it may die at any moment.  It ends itself when its device is lost, because a CUDA context
 * that has failed stays broken until its process ends.
 *
 * DATA_FOLDER is not used; it tells an administrator, in a list of processes, which server the program belongs to.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"
#include "library/build.h"
#include "measured.h"

static WireHeader			*ring;
static uint64_t				 slot_size;
static uint32_t				 slots;
static const ScanGpuLibrary *library;
static ScanGpuDevice		*device;

static void
ring_bell(char byte)
{
	/* if the socket is full, the broker has enough bells to read */
	if (send(WIRE_SOCKET_FD, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPIPE)
		exit(EXIT_SUCCESS);
}

/* Ends the program because there is no device, or none any more, with the reason in the offer and on stderr. */
static void
end_with(int status, const char *reason, const char *detail)
{
	if (ring != NULL)
		snprintf(ring->offer.reason, sizeof(ring->offer.reason), "%s%s%s", reason, detail[0] == '\0' ? "" : ": ",
				 detail);
	fprintf(stderr, "scan_gpu: %s%s%s\n", reason, detail[0] == '\0' ? "" : ": ", detail);
	if (status == WIRE_EXIT_NONE)
		ring_bell(WIRE_NONE);
	/* exit() would call the driver on its broken context, which may wait for ever */
	if (status == WIRE_EXIT_LOST)
		_exit(status);
	exit(status);
}

static void
map_ring(void)
{
	struct stat file;
	void	   *memory;

	if (fstat(WIRE_RING_FD, &file) != 0 || file.st_size < (off_t) sizeof(WireHeader))
		end_with(EXIT_FAILURE, "only the broker process of the server can start this program", "");
	memory = mmap(NULL, (size_t) file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, WIRE_RING_FD, 0);
	if (memory == MAP_FAILED)
		end_with(EXIT_FAILURE, "could not map the shared memory", strerror(errno));
	ring = (WireHeader *) memory;
	if (ring->magic != WIRE_MAGIC || ring->build != scan_build)
		end_with(WIRE_EXIT_NONE, "scan_gpu and the server's library come from different builds", "");
	slots = ring->slots;
	slot_size = ring->slot_size;
	if (ring->version != WIRE_VERSION || ring->fingerprint != scan_fingerprint() ||
		(uint64_t) file.st_size != wire_ring_size(slots, slot_size))
		end_with(WIRE_EXIT_NONE, "scan_gpu and the server's library come from different builds", "");
}

static void
load_library(const char *path)
{
	const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
	void	   *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const ScanGpuLibrary *(*entry)(void);

	if (file == NULL)
	{
		const char *why = dlerror();

		/* leave out the folder, which the settings tell already */
		if (strncmp(why, path, strlen(path)) == 0)
			why += name - path;
		end_with(WIRE_EXIT_NONE, "could not load the device library", why);
	}
	*(void **) &entry = dlsym(file, SCAN_GPU_SYMBOL);
	if (entry == NULL)
		end_with(WIRE_EXIT_NONE, "the file is not a device library", name);
	library = entry();
	if (library->version != SCAN_GPU_VERSION || library->size != sizeof(ScanGpuJob) ||
		library->fingerprint != scan_fingerprint())
		end_with(WIRE_EXIT_NONE, "scan_gpu and the device library come from different builds", name);
}

static void
open_device(void)
{
	ScanGpuOptions options;
	char		   reason[WIRE_REASON] = "";

	memset(&options, 0, sizeof(options));
	options.device = ring->device;
	options.memory = ring->memory;
	options.ring = ring;
	options.ring_size = wire_ring_size(slots, slot_size);
	options.jobs = slots;
	options.job_bytes = slot_size;
	options.first_job = (uint64_t) (wire_slot_data(wire_slot(ring, slot_size, 0)) - (char *) ring);
	options.job_stride = wire_slot_stride(slot_size);
	options.left_out = ring->left_out;
	options.measuring = &ring->offer.measuring;
	device = library->open(&options, &ring->offer.info, reason, sizeof(reason));
	if (device == NULL)
		end_with(ring->offer.measuring != 0 ? WIRE_EXIT_LOST : WIRE_EXIT_NONE, "the device could not be opened",
				 reason);
	ring_bell(WIRE_READY);
}

/* Prints why a job was not answered, for the first job of each code and line. */
static void
print_refusal(const ScanGpuJob *job, ScanGpuCode code, const char *reason)
{
	static ScanGpuLines printed[SCAN_GPU_CODES];
	int					line = job->operations == 0 ? SCAN_GPU_SORT : (int) job->operation[0].line;

	if (code >= SCAN_GPU_CODES || scan_gpu_lines_have(&printed[code], line))
		return;
	scan_gpu_lines_add(&printed[code], line);
	fprintf(stderr, "scan_gpu: a job of %s was not answered (code %d): %s\n", measured_name(line), (int) code, reason);
}

/* Runs the job of a slot whose word has just been set to `running`, and hands the slot back. */
static void
serve(WireSlot *slot, uint64_t running)
{
	WireJob		wire = slot->job; /* a copy, which no backend can change after it was checked */
	ScanGpuJob	job;
	ScanGpuCode code = SCAN_GPU_REFUSED;
	char		reason[WIRE_REASON] = "";

	if (job_of_wire(&wire, wire_slot_data(slot), slot_size, &job))
	{
		code = library->run(device, &job, reason, sizeof(reason));
		job_to_wire(&job, code, &slot->job);
		if (code != SCAN_GPU_OK && reason[0] != '\0')
			print_refusal(&job, code, reason);
	}
	else
	{
		snprintf(reason, sizeof(reason), "the job's description is not valid");
		fprintf(stderr, "scan_gpu: %s\n", reason);
		slot->job.code = code;
	}
	memcpy(slot->job.reason, reason, sizeof(reason));
	/* the slot stays RUNNING, by which the broker finds the job that lost the device */
	if (code == SCAN_GPU_FAILED)
		end_with(WIRE_EXIT_LOST, "the device is lost", reason);
	slot->job.word = running;
	if (!wire_move(slot, running, WIRE_DONE))
	{
		/* the backend has left the slot meanwhile */
		uint64_t word = wire_word(slot);

		if (wire_word_state(word) == WIRE_ABANDONED)
			(void) wire_swap(slot, word, wire_word_free(word));
	}
	ring_bell(WIRE_LOOK);
}

/* Serves queued slots, in turn, until no slot is queued. */
static void
serve_all(void)
{
	static uint32_t at = 0;

	for (uint32_t idle = 0; idle < slots; idle++)
	{
		WireSlot *slot = wire_slot(ring, slot_size, at);
		uint64_t  word = wire_word(slot);

		at = (at + 1) % slots;
		if (wire_word_state(word) == WIRE_QUEUED && wire_move(slot, word, WIRE_RUNNING))
		{
			serve(slot, wire_word_to(word, WIRE_RUNNING));
			idle = (uint32_t) -1;
		}
	}
}

/* Waits for a bell from the broker.  Returns false when the broker has closed the socket. */
static bool
await_bell(void)
{
	struct pollfd socket = {WIRE_SOCKET_FD, POLLIN, 0};
	char		  bells[64];
	ssize_t		  n;

	if (poll(&socket, 1, -1) < 0)
		return errno == EINTR;
	n = recv(WIRE_SOCKET_FD, bells, sizeof(bells), MSG_DONTWAIT);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

int
main(int argc, char **argv)
{
	/* signals that a terminal or an administrator sends to the server reach the program through the broker */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2)
	{
		fprintf(stderr, "scan_gpu: only the broker process of the server can start this program\n");
		return EXIT_FAILURE;
	}
	map_ring();
	load_library(argv[1]);
	open_device();
	do
		serve_all();
	while (await_bell());
	library->close(device);
	return EXIT_SUCCESS;
}

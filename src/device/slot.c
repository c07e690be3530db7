/*
 * slot.c: see slot.h.
 *
 * A slot is given back whichever way its owner leaves: client_run() and client_sort() give it back however they end,
 * and so does the process when it exits.  The broker takes back the slots of backends that could not (broker_slots.c).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

#include "device/shared.h"
#include "device/slot.h"
#include "library/pages.h"

/* How often to look for a free slot, if scan.device is gpu. */
#define SLOT_POLL_MS 5

/* Bytes that are mapped between two checks for interrupts. */
#define MAP_STEP ((Size) 16 * 1024 * 1024)

SlotLease	   slot_lease[SLOT_LEASES];
DeviceCounters client_counters;
Size		   slot_mapped;

static const char *reason = "";

const char *
client_reason(void)
{
	return reason;
}

bool
slot_refuse(const char *why)
{
	reason = why;
	return false;
}

/* ---- taking and giving back ---- */

static void
slot_give_back(SlotLease *lease)
{
	while (lease->slot != NULL)
	{
		uint64 word = wire_word(lease->slot);
		uint64 to = wire_word_state(word) == WIRE_RUNNING ? wire_word_to(word, WIRE_ABANDONED) : wire_word_free(word);

		/*
		 * the slot is no longer ours: the broker has cleaned up after the program, or the program may still write to it
		 */
		if (wire_word_state(word) == WIRE_ABANDONED ||
			wire_word_to(word, WIRE_FREE) != wire_word_to(lease->word, WIRE_FREE) || wire_swap(lease->slot, word, to))
			lease->slot = NULL;
	}
}

void
slot_give_back_all(void)
{
	for (int i = 0; i < SLOT_LEASES; i++)
		slot_give_back(&slot_lease[i]);
}

static void
give_back_at_exit(int code, Datum arg)
{
	slot_give_back_all();
}

/* Bytes of each slot that this process has mapped. */
static Size *mapped;

bool
slot_take(SlotLease *lease)
{
	/*
	 * Where to look first: at a slot that depends on the process, since otherwise every process would search past the
	 * first slots; then at the slot that this process had last, which it has mapped.
	 */
	static uint32 first = 0;

	if (mapped == NULL)
	{
		mapped = (Size *) MemoryContextAllocZero(TopMemoryContext, worker_slots * sizeof(Size));
		before_shmem_exit(give_back_at_exit, (Datum) 0);
		first = (uint32) MyProcPid % worker_slots;
	}
	for (uint32 i = 0; i < worker_slots; i++)
	{
		uint32	  index = (first + i) % worker_slots;
		WireSlot *slot = worker_slot(index);
		uint64	  word = wire_word(slot);
		uint64	  taken = wire_word_taken(word, MyProcPid);

		lease->program = pg_atomic_read_u32(&worker_shared->programs);
		if (wire_word_state(word) == WIRE_FREE && wire_swap(slot, word, taken))
		{
			worker_shared->slot[index].owner = MyLatch;
			lease->slot = slot;
			lease->index = index;
			lease->word = taken;
			first = index;
			return true;
		}
	}
	return false;
}

bool
slot_take_patiently(SlotLease *lease)
{
	int64 waited = 0;

	while (!slot_take(lease))
	{
		if (guc_device != DEVICE_GPU || waited >= guc_gpu_timeout)
			return slot_refuse("all slots are in use");
		if (pg_atomic_read_u32(&worker_shared->ready) == 0)
			return slot_refuse("the device is no longer ready");
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, SLOT_POLL_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		waited += SLOT_POLL_MS;
	}
	return true;
}

bool
slot_take_again(SlotLease *lease)
{
	uint64 word = wire_word(lease->slot);
	uint64 taken = wire_word_taken(word, MyProcPid);

	if (wire_word_state(word) != WIRE_DONE || wire_word_pid(word) != MyProcPid || !wire_swap(lease->slot, word, taken))
		return slot_refuse("the session lost its slot");
	lease->word = taken;
	return true;
}

/* ---- filling and handing over ---- */

Size
slot_room(void)
{
	return (Size) guc_gpu_slot_size * 1024;
}

WireJob *
slot_job(SlotLease *lease, int64 n)
{
	WireJob *job = &lease->slot->job;

	memset(job, 0, offsetof(WireJob, input));
	memset(&lease->lines, 0, sizeof(lease->lines));
	lease->waited_ns = lease->host_ns = 0;
	lease->mapped_now = false;
	job->n = n;
	job->code = SCAN_GPU_CODES;
	job->reason[0] = '\0';
	return job;
}

/*
 * Maps the slot's data up to `end`.  A large slot has many pages, and a process that touches them one by one waits
 * twice as long as for all at once.
 */
static bool
map_data(SlotLease *lease, Size end)
{
	char *data = wire_slot_data(lease->slot);
	Size  from = mapped[lease->index];

	end = Min(wire_align(end, WIRE_PAGE), slot_room());
	if (end <= from)
		return true;
	lease->mapped_now = true;
	slot_mapped += end - from;
	for (; from < end; from += MAP_STEP)
	{
		CHECK_FOR_INTERRUPTS();
		if (!pages_allocate(worker_ring_fd, data + from - (char *) worker_ring, data + from, Min(MAP_STEP, end - from)))
			return slot_refuse("the system has no memory for the slot");
	}
	mapped[lease->index] = end;
	return true;
}

char *
slot_reserve(SlotLease *lease, uint64 *at, uint64 *offset, Size size)
{
	if (*at > slot_room() || size > slot_room() - *at)
		(void) slot_refuse(SLOT_FULL);
	else if (map_data(lease, *at + size))
	{
		*offset = *at;
		*at = wire_align(*at + size, WIRE_ALIGN);
		return wire_slot_data(lease->slot) + *offset;
	}
	return NULL;
}

/* Returns the fault that the mock device has to commit with a job of these lines. */
static int
fault_of_lines(const JobLines *lines)
{
	int line;

	if (guc_mock_fault == SCAN_FAULT_NONE || guc_mock_fault_line[0] == '\0')
		return guc_mock_fault;
	line = line_named(guc_mock_fault_line);
	if (line == SCAN_OP_none)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("scan.mock_fault_line is not the name of a line: \"%s\"", guc_mock_fault_line)));
	return scan_gpu_lines_have(lines, line) ? guc_mock_fault : SCAN_FAULT_NONE;
}

bool
slot_queue(SlotLease *lease)
{
	Latch *broker = worker_shared->broker;
	uint64 queued = wire_word_to(lease->word, WIRE_QUEUED);

	if (quarantine_holds_any(&lease->lines))
		return slot_refuse(SLOT_QUARANTINED);
	lease->slot->job.fault = fault_of_lines(&lease->lines);
	worker_shared->slot[lease->index].lines = lease->lines;
	if (!wire_swap(lease->slot, lease->word, queued))
		return slot_refuse("the session lost its slot");
	lease->word = queued;
	/*
	 * Checked behind the swap, so that no program starts unseen: from here on the broker fails the slot itself. Nothing
	 * in a slot that is being filled is known to a program that starts, so it might have written there.
	 */
	if (lease->program != pg_atomic_read_u32(&worker_shared->programs))
		return slot_refuse("the device was started again since the slot was taken");
	if (broker == NULL)
		return slot_refuse("the broker is not running");
	SetLatch(broker);
	return true;
}

/* ---- answers ---- */

/* Reasons of the program that a process keeps. */
#define REASONS_MAX 16

/* Batches of fewer bytes are not used to measure the time per byte. */
#define RATE_BYTES 65536

bool
slot_await(SlotLease *lease)
{
	double start = clock_ns();

	for (;;)
	{
		uint64 word = wire_word(lease->slot);
		double waited = clock_ns() - start;
		long   left = guc_gpu_timeout - (long) (waited / 1e6);

		if (word == wire_word_to(lease->word, WIRE_DONE))
		{
			client_counters.ns[TIME_WAIT] += waited;
			lease->waited_ns = waited;
			return true;
		}
		if (word != lease->word && word != wire_word_to(lease->word, WIRE_RUNNING))
			return slot_refuse(word == wire_word_to(lease->word, WIRE_FAILED) ||
									   word == wire_word_to(lease->word, WIRE_ABANDONED)
								   ? "the device failed"
								   : "the session lost its slot");
		if (left <= 0)
			return slot_refuse("the device did not answer in time");
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

uint32
slot_code(const SlotLease *lease)
{
	return ((const volatile WireJob *) &lease->slot->job)->code;
}

/*
 * Returns `why` with the reason that the program gave.  The text stays valid, because counters keep a pointer to it
 * until EXPLAIN shows it; after REASONS_MAX different reasons the program's is omitted.
 */
static const char *
with_reason(const SlotLease *lease, const char *why)
{
	static char *kept[REASONS_MAX];
	char		 said[WIRE_REASON], whole[2 * WIRE_REASON];

	wire_text(said, lease->slot->job.reason, sizeof(said));
	if (said[0] == '\0')
		return why;
	snprintf(whole, sizeof(whole), "%s: %s", why, said);
	for (int i = 0; i < REASONS_MAX; i++)
	{
		if (kept[i] == NULL)
			kept[i] = MemoryContextStrdup(TopMemoryContext, whole);
		if (strcmp(kept[i], whole) == 0)
			return kept[i];
	}
	return why;
}

const char *
slot_objection(const SlotLease *lease, uint32 code)
{
	switch (code)
	{
		case SCAN_GPU_OK:
			if (((const volatile WireJob *) &lease->slot->job)->word == wire_word_to(lease->word, WIRE_RUNNING))
				return NULL;
			return "the device returned an impossible answer";
		case SCAN_GPU_NOT_PROVEN:
			return with_reason(lease, "the device could not prove the last bits of its answers");
		case SCAN_GPU_OOM:
			return with_reason(lease, "the device does not have enough memory");
		case SCAN_GPU_REFUSED:
			pg_atomic_fetch_add_u64(&worker_shared->count[SERVER_REFUSALS], 1);
			return with_reason(lease, "the device refused the job");
		default:
			return "the device returned an impossible answer";
	}
}

void
slot_count(const SlotLease *lease, int64 rows, int64 bytes, int byte_rate)
{
	double device_ns = ((const volatile WireJob *) &lease->slot->job)->device_ns;

	quarantine_acquit(&worker_shared->slot[lease->index].lines);
	pg_atomic_fetch_add_u64(&worker_shared->count[SERVER_JOBS], 1);
	pg_atomic_fetch_add_u64(&worker_shared->count[SERVER_ROWS], rows);
	pg_atomic_fetch_add_u64(&worker_shared->count[SERVER_BYTES], bytes);
	/* the time is what the program says: ignored if it cannot be true */
	if (device_ns < 0 || device_ns > guc_gpu_timeout * 1e6)
		return;
	client_counters.ns[TIME_DEVICE] += device_ns;
	if (bytes >= RATE_BYTES && !lease->mapped_now)
		rate_seen(byte_rate, lease->host_ns / bytes);
	/* if we came after the answer, we have not waited for a wake-up */
	if (lease->waited_ns > device_ns)
		rate_seen(RATE_WAKE, lease->waited_ns - device_ns);
}

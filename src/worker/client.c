/*
 * client.c: jobs from a backend to the device, and their answers back.
 *
 * A job goes through the ring in batches of a slot each, in order, since each begins
 * with the carry of the one before.  With two slots the next batch is laid down while
 * the program works at this one; with none free the CPU does the job.
 *
 * Nothing that comes back is believed: what was sent is known here, and an answer whose
 * lengths, codes or carry do not go with it is thrown away.  The columns stay the
 * caller's, and so the CPU can go on from the last batch that was good, with the same
 * bits.  There is no way for a device to make a query fail.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/ipc.h"

#include "guc.h"
#include "op/param.h"
#include "worker/client.h"
#include "worker/shared.h"

/* Smaller batches are not worth the way: a device that has no room for them has none. */
#define BATCH_LEAST 1024

/* How often to look for a free slot, where the GPU has to do it. */
#define SLOT_POLL_MS 5

/* A byte into a slot or out of it: about the speed of one core's memcpy. */
#define COPY_BYTE_NS 0.1

/* A slot that this backend has. */
typedef struct Held
{
	WireSlot *slot; /* NULL: none */
	uint32	  place;
	uint64	  word; /* as we left it, in FILLING or QUEUED */
} Held;

/* A batch, in the slot or on its way. */
typedef struct Batch
{
	Held		  held;
	int64		  from; /* row of the job */
	int64		  n;	/* 0: nothing is laid down */
	WireOperation sent; /* its places, as we know them */
} Batch;

static Batch	   batch[2];
static const char *reason = "";

const char *
client_reason(void)
{
	return reason;
}

static bool
refuse(const char *why)
{
	reason = why;
	return false;
}

/* ---- slots ---- */

static void
give_back(Held *held)
{
	while (held->slot != NULL)
	{
		uint64 word = wire_word(held->slot);
		uint64 to = wire_word_state(word) == WIRE_RUNNING ? wire_word_to(word, WIRE_ABANDONED) : wire_word_free(word);

		/* not ours any more: the broker had to clean up after the program */
		if (wire_word_to(word, WIRE_FREE) != wire_word_to(held->word, WIRE_FREE) || wire_swap(held->slot, word, to))
			held->slot = NULL;
	}
}

static void
give_back_all(void)
{
	for (int i = 0; i < lengthof(batch); i++)
	{
		give_back(&batch[i].held);
		batch[i].n = 0;
	}
}

static void
give_back_at_exit(int code, Datum arg)
{
	give_back_all();
}

static bool
take(Held *held)
{
	static bool	  registered = false;
	static uint32 next = 0; /* not always the first: they would be searched past by everybody */

	if (!registered)
		before_shmem_exit(give_back_at_exit, (Datum) 0);
	registered = true;
	for (uint32 i = 0; i < worker_slots; i++)
	{
		uint32	  place = (next + i) % worker_slots;
		WireSlot *slot = worker_slot(place);
		uint64	  word = wire_word(slot);
		uint64	  taken = wire_word_taken(word, MyProcPid);

		if (wire_word_state(word) == WIRE_FREE && wire_swap(slot, word, taken))
		{
			worker_shared->owner[place] = MyLatch;
			held->slot = slot;
			held->place = place;
			held->word = taken;
			next = place + 1;
			return true;
		}
	}
	return false;
}

/* Takes a slot, waiting for one where the GPU was asked for. */
static bool
take_patiently(Held *held)
{
	int64 waited = 0;

	while (!take(held))
	{
		if (guc_device != DEVICE_GPU || waited >= guc_gpu_timeout)
			return refuse("all slots are taken");
		if (pg_atomic_read_u32(&worker_shared->ready) == 0)
			return refuse("the device is gone");
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, SLOT_POLL_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		waited += SLOT_POLL_MS;
	}
	return true;
}

/* Takes the slot once more, after an answer. */
static bool
take_again(Held *held)
{
	uint64 word = wire_word(held->slot);
	uint64 taken = wire_word_taken(word, MyProcPid);

	if (wire_word_state(word) != WIRE_DONE || wire_word_pid(word) != MyProcPid || !wire_swap(held->slot, word, taken))
		return refuse("a slot was lost");
	held->word = taken;
	return true;
}

/* ---- a job's size ---- */

/* Bits that a row takes in a slot. */
static int64
row_bits(const ScanJob *job)
{
	return 8 * (int64) (job->op->in_size + job->op->in2_size + job->op->out_size) + 1 + (job->valid != NULL) +
		   (job->heads != NULL);
}

/* The most rows of a batch; 0: not one. */
static int64
batch_rows(const ScanJob *job)
{
	int64 fixed = wire_align(scan_carry_size(job->op), WIRE_ALIGN) + scan_param_fixed(job->op->line) +
				  8 * (WIRE_ALIGN + 1);
	int64 room = (int64) guc_gpu_slot_size * 1024 - fixed;

	if (job->op->line == SCAN_LINE_state_int4 && job->param != NULL)
		room -= Min(automaton_table_size((const AutomatonParam *) job->param), (Size) room);
	return room <= 0 ? 0 : room * 8 / row_bits(job) / 64 * 64;
}

bool
client_offer(const ScanJob *job, ClientOffer *offer)
{
	int	   line = job->op->line;
	double row_ns, byte_ns;

	if (worker_shared == NULL)
		return refuse(worker_off_reason());
	if (pg_atomic_read_u32(&worker_shared->ready) == 0)
		return refuse("there is no device now: see scan_status");
	if (!scan_line_travels(line) || job->n > PG_UINT32_MAX)
		return refuse("such a scan cannot leave the backend");
	offer->batch_rows = batch_rows(job);
	if (offer->batch_rows < BATCH_LEAST)
		return refuse("scan.gpu_slot_size is too small for it");
	LWLockAcquire(worker_shared->lock, LW_SHARED);
	row_ns = worker_shared->info.row_ns[line];
	byte_ns = worker_shared->info.byte_ns;
	offer->batch_ns = worker_shared->info.setup_ns;
	LWLockRelease(worker_shared->lock);
	if (row_ns == 0)
		return refuse("the device library does not run such a scan");
	offer->row_ns = row_ns + row_bits(job) / 8.0 * (byte_ns + COPY_BYTE_NS);
	return true;
}

/* ---- a batch, there ---- */

/* Gives `size` bytes of the slot's data, from `at` on, which goes past them. */
static char *
lay(const Batch *b, uint64 *at, uint64 *place, Size size)
{
	*place = *at;
	*at = wire_align(*at + size, WIRE_ALIGN);
	return wire_slot_data(b->held.slot) + *place;
}

/* Lays a column of the piece down; its number in the job's list, 0 for NULL. */
static uint32
lay_input(Batch *b, uint64 *at, const void *column, uint32 width)
{
	WireJob	  *to = &b->held.slot->job;
	Size	   size = width == 0 ? (b->n + 7) / 8 : b->n * width;
	WireInput *input;

	if (column == NULL)
		return 0;
	input = &to->input[to->inputs++];
	input->width = width;
	memcpy(lay(b, at, &input->at, size), column, size);
	return to->inputs;
}

/* Lays rows [from, from + n) of a job down, all but the carry. */
static bool
fill(Batch *b, const ScanJob *job, int64 from, int64 n)
{
	ScanJob		   piece = scan_job_piece(job, from, n);
	const ScanOp  *op = job->op;
	WireJob		  *to = &b->held.slot->job;
	WireOperation *sent = &b->sent;
	uint64		   at = 0;
	Size		   room = (Size) guc_gpu_slot_size * 1024;
	char		  *param;
	Size		   param_size;

	b->from = from;
	b->n = n;
	memset(to, 0, offsetof(WireJob, input));
	to->n = n;
	to->fault = guc_mock_fault;
	to->code = SCAN_GPU_CODES;
	to->reason[0] = '\0';
	memset(sent, 0, sizeof(*sent));
	sent->line = op->line;
	sent->extent = job->extent;
	sent->carry_size = scan_carry_size(op);
	(void) lay(b, &at, &sent->carry, sent->carry_size);
	param = lay(b, &at, &sent->param, 0);
	if (!scan_param_pack(op->line, job->param, param, room - at, &param_size))
		return refuse("its arguments cannot leave the backend");
	sent->param_size = param_size;
	at = wire_align(at + param_size, WIRE_ALIGN);
	sent->in = lay_input(b, &at, piece.in, op->in_size);
	sent->in2 = op->in2_size == 0 ? 0 : lay_input(b, &at, piece.in2, op->in2_size);
	sent->valid = lay_input(b, &at, piece.valid, 0);
	sent->heads = lay_input(b, &at, piece.heads, 0);
	(void) lay(b, &at, &sent->out, n * op->out_size);
	memset(lay(b, &at, &sent->out_valid, n / 8 + 1), 0xff, n / 8 + 1);
	Assert(at <= room);
	sent->done = -1;
	to->operation[0] = *sent;
	to->operations = 1;
	return true;
}

/* Hands a filled batch over, with the carry it begins with. */
static bool
queue(Batch *b, const ScanJob *job)
{
	Held  *held = &b->held;
	Latch *broker = worker_shared->broker;
	uint64 queued = wire_word_to(held->word, WIRE_QUEUED);

	memcpy(wire_slot_data(held->slot) + b->sent.carry, job->carry, b->sent.carry_size);
	if (!wire_swap(held->slot, held->word, queued))
		return refuse("a slot was lost");
	held->word = queued;
	if (broker == NULL)
		return refuse("there is no broker now");
	SetLatch(broker);
	return true;
}

/* ---- and back ---- */

/* Waits until the program has answered. */
static bool
await(Batch *b)
{
	Held	  *held = &b->held;
	instr_time start, now;

	INSTR_TIME_SET_CURRENT(start);
	for (;;)
	{
		uint64 word = wire_word(held->slot);
		long   left;

		if (word == wire_word_to(held->word, WIRE_DONE))
			return true;
		if (word != held->word && word != wire_word_to(held->word, WIRE_RUNNING))
			return refuse(word == wire_word_to(held->word, WIRE_FAILED) ? "the device failed" : "a slot was lost");
		INSTR_TIME_SET_CURRENT(now);
		INSTR_TIME_SUBTRACT(now, start);
		left = guc_gpu_timeout - (long) INSTR_TIME_GET_MILLISEC(now);
		if (left <= 0)
			return refuse("the device did not answer in time");
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/* The answer's words, read once: the program may write to them while we look. */
typedef struct Answer
{
	uint32 code;
	uint64 word;
	uint32 has_nulls;
	int32  status;
	int64  done;
} Answer;

static Answer
read_answer(const Batch *b)
{
	const volatile WireJob *job = &b->held.slot->job;
	Answer					answer;

	answer.code = job->code;
	answer.word = job->word;
	answer.has_nulls = job->operation[0].has_nulls;
	answer.status = job->operation[0].status;
	answer.done = job->operation[0].done;
	return answer;
}

/* Whether the words of an answer can be true. */
static bool
credible(const Batch *b, const Answer *a)
{
	if (a->word != wire_word_to(b->held.word, WIRE_RUNNING) || a->has_nulls > 1)
		return false;
	if (a->status == SCAN_OK)
		return a->done == b->n;
	return a->status > SCAN_NEEDS_ROOM && a->status <= SCAN_STATUS_LAST && a->done >= 0 && a->done < b->n;
}

/* Takes the carry of a whole batch over, if it can be one. */
static bool
take_carry(const Batch *b, ScanJob *job)
{
	const char *from = wire_slot_data(b->held.slot) + b->sent.carry;
	ScanCarry  *copy = (ScanCarry *) palloc(b->sent.carry_size);
	bool		good;

	memcpy(copy, from, b->sent.carry_size);
	good = copy->row == job->carry->row + b->n && scan_carry_safe(b->sent.line, copy);
	if (good)
		memcpy(job->carry, copy, b->sent.carry_size);
	pfree(copy);
	return good;
}

/* Copies a batch's answers into the job, which they bring forward. */
static void
take_answers(const Batch *b, bool has_nulls, ScanJob *job)
{
	const char	*data = wire_slot_data(b->held.slot);
	const uint8 *valid = (const uint8 *) data + b->sent.out_valid;
	Size		 size = job->op->out_size;
	int64		 whole = b->n / 8;

	memcpy((char *) job->out + b->from * size, data + b->sent.out, b->n * size);
	if (has_nulls)
	{
		memcpy(job->out_valid + b->from / 8, valid, whole);
		for (int64 i = whole * 8; i < b->n; i++)
			scan_bit_put(job->out_valid, b->from + i, scan_bit(valid, i));
		job->has_nulls = true;
	}
	job->done = b->from + b->n;
	pg_atomic_fetch_add_u64(&worker_shared->jobs, 1);
	pg_atomic_fetch_add_u64(&worker_shared->rows, b->n);
	pg_atomic_fetch_add_u64(&worker_shared->bytes, b->n * row_bits(job) / 8);
}

/* Why an answer is not to be used; NULL: it is. */
static const char *
objection(const Batch *b, const Answer *a)
{
	switch (a->code)
	{
		case SCAN_GPU_OK:
			return credible(b, a) ? NULL : "the device answered what cannot be";
		case SCAN_GPU_NOT_PROVEN:
			return "the device could not prove the bits";
		case SCAN_GPU_OOM:
			return "the device has not enough memory";
		case SCAN_GPU_REFUSED:
			return "the device library does not run such a scan";
		default:
			return "the device answered what cannot be";
	}
}

/* ---- a job ---- */

/* Lays down the rows of a job from `from` on, as many as a batch takes. */
static bool
fill_from(Batch *b, const ScanJob *job, int64 from, int64 rows)
{
	return fill(b, job, from, Min(rows, job->n - from));
}

/*
 * Works through the job, with one batch and the next.  The carry is taken over before the
 * next one is queued, the answers while it runs.
 */
static bool
run_batches(ScanJob *job, int64 rows)
{
	Batch *now = &batch[0], *next = &batch[1], *swap;

	if (!take_patiently(&now->held) || !fill_from(now, job, job->done, rows) || !queue(now, job))
		return false;
	for (;;)
	{
		int64		after = now->from + now->n;
		const char *why;
		Answer		answer;
		bool		queued;

		/* meanwhile */
		if (after < job->n && (next->held.slot != NULL || take(&next->held)) && !fill_from(next, job, after, rows))
			return false;

		if (!await(now))
			return false;
		answer = read_answer(now);
		if (answer.code == SCAN_GPU_OOM && rows / 2 >= BATCH_LEAST)
		{
			rows = rows / 2 / 64 * 64;
			if (!take_again(&now->held) || !fill_from(now, job, job->done, rows) || !queue(now, job))
				return false;
			continue;
		}
		why = objection(now, &answer);
		if (why != NULL)
			return refuse(why);
		/* the CPU looks for the error itself: no device can make a query fail */
		if (answer.status != SCAN_OK)
			return true;
		if (!take_carry(now, job))
			return refuse("the device answered what cannot be");

		/* the carry stands after this batch now, and so must the answers, whatever comes */
		queued = after == job->n || next->held.slot == NULL || queue(next, job);
		take_answers(now, answer.has_nulls, job);
		if (after == job->n || !queued)
			return queued;
		if (!take_again(&now->held))
			return false;
		if (next->held.slot == NULL)
		{
			if (!fill_from(now, job, after, rows) || !queue(now, job))
				return false;
			continue;
		}
		swap = now;
		now = next;
		next = swap;
	}
}

bool
client_run(ScanJob *job)
{
	volatile bool done = false;

	give_back_all();
	PG_TRY();
	{
		done = run_batches(job, batch_rows(job));
	}
	PG_FINALLY();
	{
		give_back_all();
	}
	PG_END_TRY();
	if (!done)
	{
		pg_atomic_fetch_add_u64(&worker_shared->fallbacks, 1);
		ereport(DEBUG1, (errmsg("scan: the CPU goes on at row " INT64_FORMAT ": %s", job->done, reason)));
	}
	return done;
}

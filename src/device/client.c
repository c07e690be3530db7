/*
 * client.c: runs scans of a backend on the device.
 *
 * A job goes through the ring in batches of one slot each, in order, since each batch begins with the carry of the one
 * before.  With two slots, the next batch is written while the program runs this one.  If no slot is free, the CPU runs
 * the job.
 *
 * An answer that is not possible (slot_operation.c) is thrown away.  The columns stay the caller's, so the CPU can
 * continue from the last good batch, with the same bits.  Values that are used as more than numbers are proved: counts
 * that elements are permuted by are recomputed one by one, and booleans must be 0 or 1.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "device/encoding.h"
#include "device/gather.h"
#include "device/jobs.h"
#include "device/shared.h"
#include "device/slot.h"

/* A batch takes no more of its slot, so that one batch can be written while the device runs another. */
#define STREAM_BYTES ((Size) 16 * 1024 * 1024)

/* A batch of frames should take no longer than this part of scan.gpu_timeout. */
#define FRAME_TIMEOUT_PART 8

static Batch batch[SLOT_LEASES] = {{&slot_lease[0]}, {&slot_lease[1]}};

/* ---- a job's size ---- */

/* Returns the bits that a row takes in a slot. */
static int64
job_row_bits(const ScanJob *job)
{
	Size values = scan_in_size(job->op, job->param) + job->op->in2_size;

	return 8 * (int64) values + batch_answer_bits(job) + (job->valid != NULL) + (job->heads != NULL);
}

/* Returns the most rows of a batch; 0: a slot is too small. */
static int64
batch_rows(const ScanJob *job)
{
	int64 fixed = wire_align(scan_serialized_size(job->op->line), WIRE_ALIGN) + scan_param_fixed_size(job->op->line) +
				  8 * (WIRE_ALIGN + 1);
	int64 room = (int64) Min(slot_room(), STREAM_BYTES) - fixed;
	int64 rows = room <= 0 ? 0 : room * 8 / job_row_bits(job) / 64 * 64;

	/* batches and chunks then begin together in a column of one segment */
	if (scan_op_id_is_recurrence(job->op->line) && rows > RECURRENCE_CHUNK)
		rows = rows / RECURRENCE_CHUNK * RECURRENCE_CHUNK;
	return rows;
}

bool
client_ready(void)
{
	if (worker_shared == NULL)
		return slot_refuse(worker_off_reason());
	return pg_atomic_read_u32(&worker_shared->ready) != 0 || slot_refuse("no device is ready: see scan_status");
}

bool
client_offer(const ScanJob *job, ClientOffer *offer)
{
	int	   line = job->op->line;
	double row_ns, byte_ns;

	if (!client_ready())
		return false;
	if (quarantine_holds(line))
		return slot_refuse(SLOT_QUARANTINED);
	if (!scan_serializes(line, job->param) || job->n > PG_UINT32_MAX)
		return slot_refuse("a scan of this kind cannot run on the device");
	offer->batch_rows = batch_rows(job);
	if (offer->batch_rows < BATCH_MIN)
		return slot_refuse("scan.gpu_slot_size is too small for the job");
	if (offer->batch_rows < job->frame_values + BATCH_MIN)
		return slot_refuse("a frame has too many values for scan.gpu_slot_size");
	LWLockAcquire(worker_shared->lock, LW_SHARED);
	row_ns = worker_shared->info.row_ns[line] * scan_values_per_row(job);
	byte_ns = worker_shared->info.byte_ns;
	offer->batch_ns = worker_shared->info.setup_ns + rate_of(RATE_WAKE, WAKE_NS);
	LWLockRelease(worker_shared->lock);
	if (row_ns == 0)
		return slot_refuse("the device library does not run jobs of this kind");
	offer->device_ns = row_ns;
	/* two batches that follow each other both have the values of about one frame */
	offer->row_ns = row_ns + job_row_bits(job) / 8.0 * (byte_ns + rate_of(RATE_COPY_BYTE, COPY_BYTE_NS)) *
								 offer->batch_rows / (offer->batch_rows - job->frame_values);
	return true;
}

/* Returns the rows of frames that the device should run in a part of scan.gpu_timeout. */
static int64
frame_rows_in_time(const ScanJob *job)
{
	double row_ns = worker_shared->info.row_ns[job->op->line] * scan_values_per_row(job);

	return (int64) Max(BATCH_MIN, guc_gpu_timeout * 1e6 / FRAME_TIMEOUT_PART / Max(row_ns, 1e-6));
}

/* ---- sending a batch ---- */

/*
 * Lays a column of the piece down; NULL: there is none.  *number gets its number among the job's inputs; 0: no column.
 * False: the slot is full.
 */
static bool
write_input(const Batch *b, uint64 *at, const void *column, uint32 width, uint32 *number)
{
	char *copy;

	*number = 0;
	if (column == NULL)
		return true;
	copy = batch_reserve_input(b->lease, at, b->slot_rows, width, number);
	if (copy != NULL)
		memcpy(copy, column, width == 0 ? scan_bit_bytes(b->n) : b->n * width);
	return copy != NULL;
}

/* Lays the columns of the batch's rows down. */
static bool
write_columns(Batch *b, uint64 *at, const ScanJob *job)
{
	ScanJob		   piece = scan_job_piece(job, b->from, b->n);
	const ScanOp  *op = job->op;
	WireOperation *sent = &b->sent;

	return write_input(b, at, piece.in, scan_in_size(op, job->param), &sent->in) &&
		   write_input(b, at, op->in2_size == 0 ? NULL : piece.in2, op->in2_size, &sent->in2) &&
		   write_input(b, at, piece.valid, 0, &sent->valid) && write_input(b, at, piece.heads, 0, &sent->heads);
}

/* Lays the frames of the batch's rows down, and their values. */
static bool
write_frames(Batch *b, uint64 *at, const ScanJob *job, const FrameCut *cut)
{
	Size  size = job->op->in_size;
	char *values = batch_reserve_input(b->lease, at, b->slot_rows, size, &b->sent.in);
	char *frames = batch_reserve_input(b->lease, at, b->slot_rows, sizeof(ScanFrame), &b->sent.in2);

	if (values == NULL || frames == NULL)
		return false;
	memcpy(values, (const char *) job->in + cut->begin * size, cut->values * size);
	frame_write(job, b->from, cut, b->slot_rows, frames);
	return true;
}

/*
 * Lays rows of a job from `from` on down, at most `rows`, with everything but the carry.  The slot's job gets at most
 * `rows` rows, too.
 */
static bool
fill_from(Batch *b, const ScanJob *job, int64 from, int64 rows)
{
	bool	 has_frames = (job->op->flags & SCAN_FRAMES) != 0;
	uint64	 at = 0;
	double	 start = clock_ns();
	int64	 n = Min(rows, job->n - from);
	FrameCut cut = {n, 0, 0};

	if (has_frames)
		cut = frame_cut_batch(job, from, Min(n, frame_rows_in_time(job)), rows);
	if (cut.rows == 0)
		return slot_refuse("a frame has too many values for scan.gpu_slot_size");
	b->from = from;
	b->n = cut.rows;
	b->slot_rows = Max(cut.rows, cut.values);
	(void) slot_job(b->lease, b->slot_rows);
	memset(&b->sent, 0, sizeof(b->sent));
	if (!batch_write_operation(b, &at, job) ||
		!(has_frames ? write_frames(b, &at, job, &cut) : write_columns(b, &at, job)))
		return false;
	batch_put(b);
	slot_copied(b->lease, TIME_COPY_IN, start);
	return true;
}

/*
 * Sends a filled batch, with the carry that it begins with.  If the carry cannot be sent, *until is set as for
 * client_run().
 */
static bool
queue_batch(Batch *b, const ScanJob *job, int64 *until)
{
	if (batch_put_carry(b, job))
		return slot_queue(b->lease);
	*until = b->from + b->n;
	return slot_refuse("the device cannot continue a chunk whose last bits were hard to prove");
}

/* ---- receiving ---- */

/* Returns why an answer must not be used; NULL: it is used. */
static const char *
batch_objection(const Batch *b, uint32 code, const BatchAnswer *answer, const ScanJob *job)
{
	const char *why = slot_objection(b->lease, code);

	return why != NULL || batch_is_credible(b, answer, job, job->valid != NULL)
			   ? why
			   : "the device returned an impossible answer";
}

/* ---- values ---- */

/* Returns the number of true values before the rows of a job that permutes. */
static int64
job_trues_before(const ScanJob *job)
{
	return job->carry->any ? *(const int64 *) job->carry->acc : 0;
}

/* True if each count is the count before plus the flag before, and so all counts are right. */
static bool
counts_hold(const Batch *b, const ScanJob *job)
{
	const int64 *count = (const int64 *) job->out + b->from;
	const bool	*flag = (const bool *) job->in + b->from;
	int64		 wrong = count[0] ^ job_trues_before(job);

	for (int64 i = 1; i < b->n; i++)
		wrong |= count[i] ^ (count[i - 1] + flag[i - 1]);
	return wrong == 0;
}

/* True if values that are used as more than numbers are right. */
static bool
values_hold(const Batch *b, const ScanJob *job)
{
	return job->permutes ? counts_hold(b, job) : batch_bools_hold(b, job);
}

/* Sets the carry after a batch of proved counts. */
static void
carry_counts(const Batch *b, ScanJob *job)
{
	int64 last = b->from + b->n - 1;
	int64 count = ((const int64 *) job->out)[last] + ((const bool *) job->in)[last];

	job->carry->row += b->n;
	job->carry->any = true;
	job->carry->pending_status = SCAN_OK;
	memcpy(&job->carry->pending, &count, sizeof(count));
	memcpy(job->carry->acc, &count, sizeof(count));
}

/* Copies the carry after the whole batch into the job.  False: it is not possible. */
static bool
copy_carry_after_batch(const Batch *b, ScanJob *job)
{
	ScanJob	   piece = scan_job_piece(job, b->from, b->n);
	JobColumns columns = {piece.in, piece.in2, piece.valid, piece.heads, b->n};

	return batch_take_carry(b, &columns, job);
}

/* Copies a batch's answers into the job and advances it.  copied: true if the values are there already. */
static void
take_answers(const Batch *b, bool has_nulls, bool copied, ScanJob *job)
{
	double start = clock_ns();

	if (!copied)
		batch_copy_values(b, job);
	if (has_nulls)
		sorted_put_bits(job->out_valid, b->from, batch_out_valid(b), b->n);
	job->has_nulls |= has_nulls;
	job->done = b->from + b->n;
	slot_copied(b->lease, TIME_COPY_OUT, start);
	slot_count(b->lease, b->n, b->n * job_row_bits(job) / 8, RATE_COPY_BYTE);
}

/* ---- a job ---- */

/*
 * Runs the job, batch by batch, with two slots.  A batch's carry is taken over before the next batch is queued, and its
 * answers while the next batch runs.
 */
static bool
run_batches(ScanJob *job, int64 rows, int64 *until)
{
	Batch *now = &batch[0], *next = &batch[1], *swap;
	bool   checked = batch_values_are_checked(job);

	if (!slot_take_patiently(now->lease) || !fill_from(now, job, job->done, rows) || !queue_batch(now, job, until))
		return false;
	for (;;)
	{
		int64		after = now->from + now->n;
		const char *why;
		BatchAnswer answer;
		uint32		code;
		bool		queued;

		/* fill the next batch while the device runs this one */
		if (after < job->n && (next->lease->slot != NULL || slot_take(next->lease)) &&
			!fill_from(next, job, after, rows))
			return false;

		if (!slot_await(now->lease))
			return false;
		code = slot_code(now->lease);
		answer = batch_answer(now);
		if (code == SCAN_GPU_OOM && rows / 2 >= BATCH_MIN)
		{
			rows = rows / 2 / 64 * 64;
			if (!slot_take_again(now->lease) || !fill_from(now, job, job->done, rows) || !queue_batch(now, job, until))
				return false;
			continue;
		}
		why = batch_objection(now, code, &answer, job);
		if (why != NULL)
		{
			/* only some rows may be hard to prove: the device may continue after this batch */
			if (code == SCAN_GPU_NOT_PROVEN)
				*until = after;
			return slot_refuse(why);
		}
		/* the CPU finds the error itself, since no device can make a query fail */
		if (answer.status != SCAN_OK)
			return true;
		if (checked)
		{
			batch_copy_values(now, job);
			if (!values_hold(now, job))
				return slot_refuse("the device returned an impossible answer");
		}
		if (job->permutes)
			carry_counts(now, job);
		else if (!copy_carry_after_batch(now, job))
			return slot_refuse("the device returned an impossible answer");

		/* the carry is now that after this batch, so the batch's answers must be taken over, whatever comes */
		queued = after == job->n || next->lease->slot == NULL || queue_batch(next, job, until);
		take_answers(now, answer.has_nulls, checked, job);
		if (after == job->n || !queued)
			return queued;
		if (!slot_take_again(now->lease))
			return false;
		if (next->lease->slot == NULL)
		{
			if (!fill_from(now, job, after, rows) || !queue_batch(now, job, until))
				return false;
			continue;
		}
		swap = now;
		now = next;
		next = swap;
	}
}

bool
client_run(ScanJob *job, int64 *until)
{
	volatile bool done = false;

	*until = job->n;
	slot_give_back_all();
	PG_TRY();
	{
		done = run_batches(job, batch_rows(job), until);
	}
	PG_FINALLY();
	{
		slot_give_back_all();
	}
	PG_END_TRY();
	if (!done)
	{
		pg_atomic_fetch_add_u64(&worker_shared->count[SERVER_FALLBACKS], 1);
		ereport(DEBUG1, (errmsg("scan: the CPU continues at row " INT64_FORMAT ": %s", job->done, client_reason())));
	}
	return done;
}

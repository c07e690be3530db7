/*
 * fused_job.c: sends scans to the device with a sort.
 *
 * A window is a sort and scans over the sorted rows.  The device gets the keys, each column that a scan needs once, and
 * all operations, in one job.  It sorts, gathers and scans, and answers the order and the results in that order.  To
 * send each scan alone would first copy its columns in the window's order, once for each scan that reads them; these
 * copies together take longer than the CPU's own loop.
 *
 * Groups of parts come one after the other.  Each scan continues in the next group by its carry, unless a new partition
 * begins there.  A scan that cannot continue is left, because its carry is hard to prove or the CPU has to find an
 * error: it keeps the answers so far, and the other scans continue without it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "device/jobs.h"
#include "device/shared.h"

/* ---- the offer ---- */

/* True if a scan before this one that is not left reads the column, too. */
static bool
is_read_before(const FusedScans *scans, const FusedScan *scan, int column)
{
	for (const FusedScan *other = scans->scan; other < scan; other++)
		if (!other->left && (other->in == column || (column >= 0 && other->in2 == column)))
			return true;
	return false;
}

/* True if the same rows go into both scans. */
static bool
same_rows(const FusedScan *a, const FusedScan *b)
{
	return a->in == b->in && a->in2 == b->in2 && a->filter == b->filter && a->present == b->present;
}

/* Returns the bits per row that a scan adds to a slot. */
static int64
scan_row_bits(const FusedScans *scans, const FusedScan *scan)
{
	int64 bits = batch_answer_bits(&scan->job) + fused_scan_has_gaps(scans, scan);

	if (!is_read_before(scans, scan, scan->in))
		bits += 8 * (int64) scan->job.op->in_size;
	if (scan->in2 >= 0 && scan->in2 != scan->in && !is_read_before(scans, scan, scan->in2))
		bits += 8 * (int64) scan->job.op->in2_size;
	return bits;
}

int64
fused_job_row_bits(const FusedScans *scans)
{
	int64 bits = 0;

	for (int i = 0; scans != NULL && i < scans->scans; i++)
		if (!scans->scan[i].left)
			bits += scan_row_bits(scans, &scans->scan[i]);
	return bits;
}

/* Returns the bytes for all scans that do not grow with the rows. */
static Size
fixed_bytes(const FusedScans *scans)
{
	Size bytes = 0;

	/* carry, parameter, three inputs and two answers begin at a multiple of WIRE_ALIGN each */
	for (int i = 0; scans != NULL && i < scans->scans; i++)
		bytes += scan_serialized_size(scans->scan[i].job.op->line) +
				 scan_param_fixed_size(scans->scan[i].job.op->line) + 7 * (WIRE_ALIGN + 1);
	return bytes;
}

int64
fused_job_slot_words(const FusedScans *scans)
{
	int64 room = (int64) slot_room() - 2 * WIRE_ALIGN - (int64) fixed_bytes(scans);

	return room <= 0 ? 0 : room * 8 / (8 * (int64) WORD_BYTES + fused_job_row_bits(scans)) / 64 * 64;
}

double
fused_job_byte_ns(int64 n, const FusedScans *scans)
{
	return n > fused_job_slot_words(scans) ? rate_of(RATE_PARTS_BYTE, PARTS_BYTE_NS)
										   : rate_of(RATE_SORT_BYTE, SORT_BYTE_NS);
}

bool
client_fused_scan_offer(int64 n, const FusedScans *scans, const FusedScan *scan, double *row_ns)
{
	const ScanJob *job = &scan->job;
	int			   before = 0;
	double		   line_ns, byte_ns;

	for (const FusedScan *other = scans->scan; other < scan; other++)
		before += !other->left;
	if (before == SCAN_GPU_OPERATIONS)
		return slot_refuse("the window has more scans than one job can have");
	if (quarantine_holds(job->op->line))
		return slot_refuse(SLOT_QUARANTINED);
	if (!scan_serializes(job->op->line, job->param))
		return slot_refuse("a scan of this kind cannot run on the device");
	LWLockAcquire(worker_shared->lock, LW_SHARED);
	line_ns = worker_shared->info.row_ns[job->op->line];
	byte_ns = worker_shared->info.byte_ns;
	LWLockRelease(worker_shared->lock);
	if (line_ns == 0)
		return slot_refuse("the device library does not run jobs of this kind");
	*row_ns = line_ns + scan_row_bits(scans, scan) / 8.0 * (byte_ns + fused_job_byte_ns(n, scans));
	return true;
}

/* ---- sending ---- */

/* Lays a column of the group's rows down, in the order of their words; *number gets its number among the inputs. */
static bool
write_values(SortGroup *g, const ClientSort *sort, uint64 *at, int column, Size width, uint32 *number)
{
	const uint64 *word = sort->as_they_lie ? NULL : sort->from + g->from;
	char		 *to = batch_reserve_input(g->lease, at, g->n, width, number);

	if (to == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	sorted_values(sort->scans, column, word, sort->words.row_mask, g->n, to);
	return true;
}

static bool
write_valid(SortGroup *g, const ClientSort *sort, uint64 *at, const FusedScan *scan, uint32 *number)
{
	const uint64 *word = sort->as_they_lie ? NULL : sort->from + g->from;
	char		 *to = batch_reserve_input(g->lease, at, g->n, 0, number);
	uint8		 *bits;

	if (to == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	/* sorted_valid() writes up to one byte more than the slot has room for */
	bits = (uint8 *) palloc_extended(g->n / 8 + 1, MCXT_ALLOC_HUGE);
	sorted_valid(sort->scans, scan, word, sort->words.row_mask, g->n, bits);
	memcpy(to, bits, scan_bit_bytes(g->n));
	pfree(bits);
	return true;
}

/* values_written, valid_written: return the number of the input that another scan of the group has written; 0: none
 * has. */
static uint32
values_written(const SortGroup *g, const ClientSort *sort, int column)
{
	for (int i = 0; i < g->scans; i++)
	{
		const FusedScan *other = &sort->scans->scan[g->scan[i]];

		if (other->in == column)
			return g->batch[i].sent.in;
		if (column >= 0 && other->in2 == column)
			return g->batch[i].sent.in2;
	}
	return 0;
}

static uint32
valid_written(const SortGroup *g, const ClientSort *sort, const FusedScan *scan)
{
	for (int i = 0; i < g->scans; i++)
		if (same_rows(&sort->scans->scan[g->scan[i]], scan))
			return g->batch[i].sent.valid;
	return 0;
}

/* Writes a scan as the next one of the group, with the columns that no other scan has written. */
static bool
group_write_scan(SortGroup *g, const ClientSort *sort, int which, uint64 *at)
{
	const FusedScan *scan = &sort->scans->scan[which];
	const ScanOp	*op = scan->job.op;
	Batch			*b = &g->batch[g->scans];
	WireOperation	*sent = &b->sent;

	*b = (Batch){.lease = g->lease, .number = g->scans, .from = g->from, .n = g->n, .slot_rows = g->n};
	sent->in = values_written(g, sort, scan->in);
	if (sent->in == 0 && !write_values(g, sort, at, scan->in, op->in_size, &sent->in))
		return false;
	if (scan->in2 >= 0)
	{
		sent->in2 = scan->in2 == scan->in ? sent->in : values_written(g, sort, scan->in2);
		if (sent->in2 == 0 && !write_values(g, sort, at, scan->in2, op->in2_size, &sent->in2))
			return false;
	}
	if (fused_scan_has_gaps(sort->scans, scan))
	{
		sent->valid = valid_written(g, sort, scan);
		if (sent->valid == 0 && !write_valid(g, sort, at, scan, &sent->valid))
			return false;
	}
	if (!batch_write_operation(b, at, &scan->job))
		return false;
	sent->tile = (uint32) scan->tile;
	sent->reversed = scan->back;
	batch_put(b);
	g->scan[g->scans++] = which;
	return true;
}

bool
fused_job_write(SortGroup *g, const ClientSort *sort, uint64 *at)
{
	g->scans = 0;
	for (int i = 0; sort->scans != NULL && i < sort->scans->scans; i++)
		if (!sort->scans->scan[i].left && !group_write_scan(g, sort, i, at))
			return false;
	return true;
}

/*
 * Resets a carry for the first row of a partition, as the loops of cpu/ do: the accumulator keeps the memory that it
 * owns.
 */
static void
start_partition(const ScanOp *op, ScanCarry *carry)
{
	carry->any = false;
	carry->pending_status = op->identity(&carry->pending);
}

bool
fused_job_begin(SortGroup *g, const ClientSort *sort)
{
	bool begins = g->from > 0 && sorted_partition(&sort->words, sort->to[g->from - 1]) != g->first;
	bool good = true;

	for (int i = 0; i < g->scans; i++)
	{
		FusedScan *scan = &sort->scans->scan[g->scan[i]];

		/* a frame may lie in four tiles if the group is shorter than a tile and is not the last one */
		scan->left = scan->left || (g->n < scan->tile && g->end < sort->parts);
		/* each group begins a new tile */
		if (!scan->left && (begins || scan->tile > 0))
			start_partition(scan->job.op, scan->job.carry);
		if (!scan->left && !batch_put_carry(&g->batch[i], &scan->job))
			scan->left = true;
		good = good && !scan->left;
	}
	return good || slot_refuse("the device cannot continue a chunk whose last bits were hard to prove");
}

/* ---- receiving ---- */

/* Reverses the group's answers of a scan from the last row to the first, in place. */
static void
turn_values(const SortGroup *g, ScanJob *job)
{
	Size  size = job->op->out_size;
	char *at = (char *) job->out + g->from * size;
	char *end = at + (g->n - 1) * size;

	for (; at < end; at += size, end -= size)
	{
		ScanSpan spare;

		memcpy(&spare, at, size);
		memcpy(at, end, size);
		memcpy(end, &spare, size);
	}
}

/* Copies the validity bits of the group's answers into the job, in sorted order. */
static void
take_marks(const SortGroup *g, const Batch *b, const FusedScan *scan)
{
	const uint8 *marks = batch_out_valid(b);

	if (!scan->back)
		sorted_put_bits(scan->job.out_valid, g->from, marks, g->n);
	for (int64 i = 0; scan->back && i < g->n; i++)
		scan_bit_put(scan->job.out_valid, g->from + i, scan_bit(marks, g->n - 1 - i));
}

/* Sets the bits of the group's rows with which tiles begin. */
static void
mark_tiles(const SortGroup *g, const FusedScan *scan)
{
	for (int64 i = 0; i < g->n; i += scan->tile)
		scan_bit_put(scan->tiles, g->from + i, true);
}

/*
 * Takes the carry after the group over.  For a recurrence, whose accumulator owns rows, the group's rows are gathered:
 * those of the unfinished chunk are needed.  False: it is not possible.
 */
static bool
group_take_carry(const SortGroup *g, const ClientSort *sort, FusedScan *scan, const Batch *b)
{
	JobColumns columns = {0};
	SortedRoom room;
	ScanJob	   piece;
	bool	   good;

	if (!scan_op_id_is_recurrence(scan->job.op->line))
		return batch_take_carry(b, &columns, &scan->job);
	room = (SortedRoom){.in = palloc_extended(g->n * scan->job.op->in_size, MCXT_ALLOC_HUGE),
						.in2 = palloc_extended(g->n * scan->job.op->in2_size + 1, MCXT_ALLOC_HUGE),
						.valid = (uint8 *) palloc(g->n / 8 + 1),
						.heads = (uint8 *) palloc(g->n / 8 + 1),
						.out_valid = (uint8 *) palloc(g->n / 8 + 1)};
	piece = sorted_piece(sort->scans, scan, &sort->words, sort->to, g->from, g->n, &room);
	columns = (JobColumns){piece.in, piece.in2, piece.valid, piece.heads, g->n};
	good = batch_take_carry(b, &columns, &scan->job);
	pfree(room.in);
	pfree(room.in2);
	pfree(room.valid);
	pfree(room.heads);
	pfree(room.out_valid);
	return good;
}

/*
 * Takes the answers of one scan over.  False: they are not possible.  The carry is checked even if no scan continues
 * from it: only a carry that matches these rows tells answers from what was left in the slot before.
 */
static bool
take_scan(const SortGroup *g, const ClientSort *sort, int i)
{
	FusedScan	*scan = &sort->scans->scan[g->scan[i]];
	ScanJob		*job = &scan->job;
	const Batch *b = &g->batch[i];
	BatchAnswer	 answer = batch_answer(b);

	if (!batch_is_credible(b, &answer, job, fused_scan_has_gaps(sort->scans, scan)))
		return false;
	if (answer.status != SCAN_OK)
	{
		/* the CPU finds the error itself, since no device can make a query fail */
		scan->left = true;
		return true;
	}
	batch_copy_values(b, job);
	if (batch_values_are_checked(job) && !batch_bools_hold(b, job))
		return false;
	if (!group_take_carry(g, sort, scan, b))
		return false;
	if (scan->back)
		turn_values(g, job);
	if (answer.has_nulls)
		take_marks(g, b, scan);
	if (scan->tiles != NULL)
		mark_tiles(g, scan);
	job->has_nulls |= answer.has_nulls;
	job->done = g->from + g->n;
	return true;
}

bool
fused_job_take(SortGroup *g, const ClientSort *sort)
{
	bool   good = true;
	double start = clock_ns();

	for (int i = 0; i < g->scans; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (take_scan(g, sort, i))
			continue;
		sort->scans->scan[g->scan[i]].left = true;
		good = false;
	}
	slot_copied(g->lease, TIME_COPY_OUT, start);
	return good || slot_refuse("the device returned an impossible answer");
}

bool
fused_job_leave_unproven(SortGroup *g, const ClientSort *sort)
{
	bool some = false;

	for (int i = 0; i < g->scans; i++)
	{
		FusedScan *scan = &sort->scans->scan[g->scan[i]];

		if (scan_op_id_is_recurrence(scan->job.op->line))
		{
			scan->left = true;
			some = true;
		}
	}
	return some;
}

/*
 * sort.c: sorts words of a backend on the device.
 *
 * Words are sorted in parts, one after the other, as many to a slot as fit; as a rule all words fit in one slot, in the
 * order of their rows.  The words themselves are sent, with the rows' numbers in their low bits, by which the device
 * does not sort.  They come back sorted, and are proved while they are copied (word_proof.c), so any wrong answer is
 * found and thrown away.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "device/jobs.h"
#include "device/shared.h"

/* Nanoseconds to move a word into its part, if there are more words than fit in a slot. */
#define SPLIT_NS 3.0

/* Words between two checks for interrupts, few enough that they stay in a core's cache. */
#define STEP_WORDS 8192

static SortGroup group[SLOT_LEASES] = {{&slot_lease[0]}, {&slot_lease[1]}};

/* ---- the offer ---- */

bool
client_sort_offer(int64 n, int bits, const FusedScans *scans, ClientOffer *offer)
{
	double sort_ns, byte_ns, operation_ns;

	if (!client_ready())
		return false;
	if (quarantine_holds(JOB_SORT))
		return slot_refuse(SLOT_QUARANTINED);
	offer->batch_rows = fused_job_slot_words(scans);
	if (offer->batch_rows < BATCH_MIN)
		return slot_refuse("scan.gpu_slot_size is too small for the job");
	LWLockAcquire(worker_shared->lock, LW_SHARED);
	sort_ns = worker_shared->info.sort_ns;
	byte_ns = worker_shared->info.byte_ns;
	offer->batch_ns = worker_shared->info.sort_setup_ns + rate_of(RATE_WAKE, WAKE_NS);
	operation_ns = worker_shared->info.operation_ns;
	LWLockRelease(worker_shared->lock);
	if (sort_ns == 0)
		return slot_refuse("the device library does not run jobs of this kind");
	offer->device_ns = sort_ns * Max(bits, 8) / 64;
	offer->row_ns = offer->device_ns + WORD_BYTES_COPIED * (byte_ns + fused_job_byte_ns(n, scans));
	if (n > offer->batch_rows)
		offer->row_ns += SPLIT_NS;
	for (int i = 0; scans != NULL && i < scans->scans; i++)
	{
		const FusedScan *scan = &scans->scan[i];
		double			 scan_ns;

		if (scan->left)
			continue;
		if (!client_fused_scan_offer(n, scans, scan, &scan_ns))
			return false;
		offer->row_ns += scan_ns;
		offer->batch_ns += operation_ns;
	}
	return true;
}

/* ---- sending ---- */

/*
 * Chooses the parts from `first` on that fit in a slot together.  False: part `first` alone does not; *until is set as
 * for client_sort().
 */
static bool
next_group(const ClientSort *sort, int first, SortGroup *g, int *until)
{
	int64 most = Min(sort->most_words, fused_job_slot_words(sort->scans));

	g->from = first == 0 ? 0 : sort->end[first - 1];
	for (g->end = first; g->end < sort->parts && sort->end[g->end] - g->from <= most; g->end++)
		;
	g->n = g->end == first ? 0 : sort->end[g->end - 1] - g->from;
	if (g->end > first)
		return true;
	*until = first + 1;
	return slot_refuse(SLOT_FULL);
}

/* Lays a group's words down, and returns the least of them. */
static uint64
lay_words(SortGroup *g, const ClientSort *sort, uint64 *to)
{
	const uint64 *from = sort->from + g->from;
	uint64		  least = ~UINT64CONST(0);

	word_proof_begin(&g->proof, sort->words.row_mask != 0);
	for (int64 begin = 0, end; begin < g->n; begin = end)
	{
		CHECK_FOR_INTERRUPTS();
		end = Min(begin + STEP_WORDS, g->n);
		word_proof_lay(&g->proof, from + begin, end - begin, to + begin);
		for (int64 i = begin; sort->scans != NULL && i < end; i++)
			least = Min(least, from[i]);
	}
	return least;
}

/* Lays a group's words down, and what the group's scans need. */
static bool
write_group(SortGroup *g, const ClientSort *sort)
{
	WireJob *job = slot_job(g->lease, g->n);
	double	 start = clock_ns();
	uint64	 at = 0, least;
	uint64	*to = (uint64 *) slot_reserve(g->lease, &at, &g->words, g->n * sizeof(uint64));
	bool	 written;

	if (to == NULL)
		return false;
	scan_gpu_lines_add(&g->lease->lines, JOB_SORT);
	job->keys = g->words;
	job->key_bits = sort->high;
	job->key_low = sort->low;
	job->row_bits = sort->as_they_lie ? pg_popcount64(sort->words.row_mask) : 0;
	least = lay_words(g, sort, to);
	if (sort->scans != NULL)
	{
		g->first = sorted_partition(&sort->words, least);
		job->partition_bits = Max(0, sort->high - Max(sort->low, sort->words.partition));
	}
	written = fused_job_write(g, sort, &at);
	slot_copied(g->lease, TIME_COPY_IN, start);
	return written;
}

/* ---- receiving ---- */

/* Takes the sorted words over.  False: they are not the words that were sent, or not in order. */
static bool
group_take_words(SortGroup *g, const ClientSort *sort)
{
	const volatile uint64 *words = (const uint64 *) (wire_slot_data(g->lease->slot) + g->words);
	uint64				  *to = sort->to + g->from;
	double				   start = clock_ns();
	bool				   good;

	for (int64 begin = 0; begin < g->n; begin += STEP_WORDS)
	{
		CHECK_FOR_INTERRUPTS();
		word_proof_take(&g->proof, words + begin, Min(STEP_WORDS, g->n - begin), to + begin);
	}
	good = word_proof_holds(&g->proof);
	if (good && guc_gpu_check)
		good = words_are_those(sort->from + g->from, to, g->n, sort->as_they_lie ? sort->words.row_mask : 0);
	slot_copied(g->lease, TIME_COPY_OUT, start);
	return good;
}

/* ---- a sort ---- */

typedef enum SortEnd
{
	SORT_DONE,
	SORT_REFUSED,
	SORT_AGAIN /* send the same group again, without the scans that were left */
} SortEnd;

static bool
group_write_parts(SortGroup *g, const ClientSort *sort, int first, int *until)
{
	return next_group(sort, first, g, until) && write_group(g, sort);
}

/* Sends a group; first writes it again, without the scans that cannot continue, as long as there are any. */
static bool
send_group(SortGroup *g, const ClientSort *sort)
{
	while (!fused_job_begin(g, sort))
		if (!write_group(g, sort))
			return false;
	return slot_queue(g->lease);
}

static bool
send_next(SortGroup *g, const ClientSort *sort, int first, int *until)
{
	return group_write_parts(g, sort, first, until) && send_group(g, sort);
}

/* Takes a group's answers over; SORT_DONE: they are good. */
static SortEnd
take_group(SortGroup *g, ClientSort *sort)
{
	uint32		code = slot_code(g->lease);
	const char *why = slot_objection(g->lease, code);

	if (why != NULL)
	{
		(void) slot_refuse(why);
		if (code == SCAN_GPU_NOT_PROVEN && fused_job_leave_unproven(g, sort))
			return SORT_AGAIN;
		if (code == SCAN_GPU_OOM && g->n / 2 >= BATCH_MIN)
			sort->too_large = g->n;
		return SORT_REFUSED;
	}
	if (!group_take_words(g, sort))
	{
		(void) slot_refuse("the device returned an impossible answer");
		return SORT_REFUSED;
	}
	if (!fused_job_take(g, sort))
		return SORT_REFUSED;
	sort->done = g->end;
	slot_count(g->lease, g->n, g->n * (int64) WORD_BYTES_COPIED + g->n * fused_job_row_bits(sort->scans) / 8,
			   sort->as_they_lie ? RATE_SORT_BYTE : RATE_PARTS_BYTE);
	return SORT_DONE;
}

/* Sorts the parts from sort->done on, with two slots: one is filled and read while the device runs the other. */
static SortEnd
run_groups(ClientSort *sort, int *until)
{
	SortGroup *now = &group[0], *next = &group[1], *swap;

	if (!slot_take_patiently(now->lease) || !send_next(now, sort, sort->done, until))
		return SORT_REFUSED;
	for (;;)
	{
		SortEnd end;
		/* if the next parts cannot be written now, this is tried again after this group */
		bool ahead = now->end < sort->parts && (next->lease->slot != NULL || slot_take(next->lease)) &&
					 group_write_parts(next, sort, now->end, until);

		/* scans of the next group begin with the carries of this one, so a group with scans has to wait */
		if (ahead && next->scans == 0 && !slot_queue(next->lease))
			return SORT_REFUSED;
		if (!slot_await(now->lease))
			return SORT_REFUSED;
		end = take_group(now, sort);
		if (end == SORT_AGAIN)
		{
			if (!slot_take_again(now->lease) || !write_group(now, sort) || !send_group(now, sort))
				return SORT_REFUSED;
			continue;
		}
		if (end != SORT_DONE || sort->done == sort->parts)
			return end;
		if (ahead && next->scans > 0 && !send_group(next, sort))
			return SORT_REFUSED;
		if (!slot_take_again(now->lease))
			return SORT_REFUSED;
		if (!ahead)
		{
			if (!send_next(now, sort, sort->done, until))
				return SORT_REFUSED;
			continue;
		}
		swap = now;
		now = next;
		next = swap;
	}
}

bool
client_sort(ClientSort *sort, int *until)
{
	volatile bool done = false;

	*until = sort->parts;
	sort->too_large = 0;
	slot_give_back_all();
	PG_TRY();
	{
		done = run_groups(sort, until) == SORT_DONE;
	}
	PG_FINALLY();
	{
		slot_give_back_all();
	}
	PG_END_TRY();
	if (!done && sort->too_large == 0)
	{
		pg_atomic_fetch_add_u64(&worker_shared->count[SERVER_FALLBACKS], 1);
		ereport(DEBUG1, (errmsg("scan: the CPU continues with part %d of %d of a sort: %s", sort->done + 1, sort->parts,
								client_reason())));
	}
	return done;
}

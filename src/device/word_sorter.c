/*
 * word_sorter.c: sorts words on the CPU or the GPU, and runs scans over their rows with the sort.
 *
 * Words go to the GPU if that is expected to be faster.  A window's scans go with the words, as one job: the device
 * then has the rows in order, so a scan costs, beyond the sort, only the transfer of its columns and its answers.  A
 * scan is taken along if that is less than its time on the CPU.
 *
 * Words that fit in a slot are sent as they are.  More words are first cut by their highest bits into parts that need
 * no merge.  If the GPU fails, the parts are sorted here by radix.c, and the scans get no answers: the caller then runs
 * them block by block, as it does without a GPU.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "device/jobs.h"
#include "device/offload.h"
#include "device/shared.h"
#include "library/clock.h"
#include "sort/radix.h"

/*
 * Fewer words than SORT_MIN are sorted before the GPU would have noticed them.  A sort with scans is worth a job from
 * SCAN_MIN words on.
 */
#define SORT_MIN 1024
#define SCAN_MIN 16

/* Words that do not fit in a slot are cut by this many of their bits at once. */
#define CUT_BITS 10

/* ---- the choice ---- */

/* Marks all scans as left: the sort does not take them along, or took them along in vain. */
static void
leave_scans(FusedScans *scans)
{
	for (int i = 0; scans != NULL && i < scans->scans; i++)
		scans->scan[i].left = true;
}

/*
 * Chooses the scans that a sort of n words takes along, one after the other: the cost of a scan depends on the columns
 * that the scans before it send.  Returns the nanoseconds that the CPU would take for a row of all chosen scans; 0:
 * none chosen.
 */
static double
choose_scans(FusedScans *scans, int64 n)
{
	double cpu_ns = 0;

	leave_scans(scans);
	for (int i = 0; scans != NULL && i < scans->scans; i++)
	{
		FusedScan *scan = &scans->scan[i];
		double	   row_ns;

		if (n < SCAN_MIN || !client_fused_scan_offer(n, scans, scan, &row_ns))
			continue;
		if (guc_device == DEVICE_AUTO && row_ns >= cpu_scan_ns(scan->job.op, scan->cpu_ns))
			continue;
		scan->left = false;
		cpu_ns += cpu_scan_ns(scan->job.op, scan->cpu_ns);
	}
	return cpu_ns;
}

/*
 * True if the words go to the GPU, with the scans that are then not left.  *max_words gets how many words fit in a
 * slot, *cpu_ns the nanoseconds that the CPU takes for a row of the sort and these scans.
 */
static bool
goes_to_gpu(int64 n, int bits, FusedScans *scans, int64 *max_words, double *cpu_ns)
{
	ClientOffer offer;

	leave_scans(scans);
	if (!device_may_be_asked(JOB_SORT, n))
		return false;
	if (!client_ready())
		return device_leave(client_reason());
	*cpu_ns = cpu_word_ns() + choose_scans(scans, n);
	if (!client_sort_offer(n, bits, scans, &offer))
		return device_leave(client_reason());
	*max_words = offer.batch_rows;
	return device_is_faster(&offer, n, *cpu_ns);
}

/* True if n words are enough for a job.  Fewer words are sorted, and their scans run, without being counted as one. */
static bool
is_sort_job(int64 n, FusedScans *scans)
{
	return n >= SORT_MIN ||
		   (n >= SCAN_MIN && scans != NULL && guc_device != DEVICE_CPU && client_ready() && choose_scans(scans, n) > 0);
}

/* ---- on the CPU ---- */

static uint64 *
sort_on_cpu(uint64 *words, uint64 *spare, int64 n, int low, int high)
{
	double	start = clock_ns();
	uint64 *sorted = radix_sort(words, spare, n, low, high, word_tick);

	cpu_sort_took(clock_ns() - start, n);
	return sorted;
}

/* Sorts part sort->done of a sort; its words lie in `from`. */
static void
sort_part_on_cpu(ClientSort *sort, uint64 *from)
{
	int64	begin = sort->done == 0 ? 0 : sort->end[sort->done - 1];
	int64	n = sort->end[sort->done] - begin;
	uint64 *to = sort->to + begin;
	uint64 *sorted = radix_sort(from + begin, to, n, sort->low, sort->high, word_tick);

	if (sorted != to)
		memcpy(to, sorted, n * sizeof(uint64));
	sort->done++;
}

/* ---- parts that fit in a slot ---- */

typedef struct Cut
{
	uint64 *words;
	uint64 *spare; /* room for as many words; its contents are lost */
	int		low;   /* words are ordered by their bits from here on */
	int64	max_words;
	int		parts, room;
	int64  *end; /* the end of each part */
} Cut;

static void
cut_add_part(Cut *cut, int64 end)
{
	if (cut->parts == cut->room)
	{
		cut->room = Max(2 * cut->room, 1 << CUT_BITS);
		cut->end = cut->end == NULL ? (int64 *) palloc(cut->room * sizeof(int64))
									: (int64 *) repalloc_huge(cut->end, cut->room * sizeof(int64));
	}
	cut->end[cut->parts++] = end;
}

/*
 * Cuts the words from `begin` to `end` - 1, which agree in all bits from `high` on, by the CUT_BITS bits below; a part
 * that is still too large is cut again.  Words that agree in all bits are in order already and are cut anywhere.
 */
static void
cut_words(Cut *cut, int64 begin, int64 end, int high)
{
	int64 n = end - begin;
	int64 part_end[1 << CUT_BITS];
	int	  bits = Min(CUT_BITS, high - cut->low);

	if (n == 0)
		return;
	if (n <= cut->max_words)
	{
		cut_add_part(cut, end);
		return;
	}
	if (bits == 0)
	{
		for (int64 at = begin; at < end; at += cut->max_words)
			cut_add_part(cut, Min(end, at + cut->max_words));
		return;
	}
	check_stack_depth();
	radix_split(cut->words + begin, cut->spare, n, high - bits, bits, part_end, word_tick);
	radix_copy(cut->words + begin, cut->spare, n * sizeof(uint64), word_tick);
	for (int64 p = 0, at = 0; p < 1 << bits; at = part_end[p++])
		cut_words(cut, begin + at, begin + part_end[p], high - bits);
}

/* ---- on the GPU ---- */

/*
 * Cuts the words that are not sorted yet again, into parts of half as many words as were too many for the device.
 */
static void
cut_again(Cut *cut, ClientSort *sort, int64 n)
{
	int64 begin = sort->done == 0 ? 0 : sort->end[sort->done - 1];

	cut->parts = sort->done;
	cut->max_words = sort->too_large / 2;
	cut->spare = sort->to + begin; /* the sorted parts lie before */
	cut_words(cut, begin, n, sort->high);
	sort->parts = cut->parts;
	sort->end = cut->end;
	sort->most_words = cut->max_words;
	sort->as_they_lie = false;
}

/*
 * Sorts words that are not in order.  scans: scans to run with the sort, or NULL.  meaning: the bits that are a row's
 * number, and the bit from which words of one partition are equal.
 */
static uint64 *
sort_on_gpu(uint64 *words, uint64 *spare, int64 n, int low, int high, int64 max_words, FusedScans *scans,
			const SortedWords *meaning)
{
	Cut		   cut = {words, spare, low, max_words};
	ClientSort sort;
	bool	   whole = true;
	int		   until;

	device_require(REQUIRE_CPU, "GPU", NULL);
	cut_words(&cut, 0, n, high);
	sort = (ClientSort){.from = words,
						.to = spare,
						.low = low,
						.high = high,
						.parts = cut.parts,
						.end = cut.end,
						.scans = scans,
						.words = *meaning,
						.most_words = max_words,
						.as_they_lie = cut.parts == 1};
	while (sort.done < sort.parts && !client_sort(&sort, &until))
	{
		if (sort.too_large > 0)
		{
			cut_again(&cut, &sort, n);
			continue;
		}
		whole = device_leave(client_reason());
		device_require(REQUIRE_GPU, "CPU", client_reason());
		leave_scans(scans);
		while (sort.done < until)
			sort_part_on_cpu(&sort, words);
	}
	pfree(cut.end);
	client_counters.gpu_jobs += whole;
	return sort.to;
}

/* ---- a sort ---- */

bool
device_sorts(int64_t n, int bits, FusedScans *scans)
{
	int64  max_words;
	double cpu_ns;

	return is_sort_job(n, scans) && goes_to_gpu(n, bits, scans, &max_words, &cpu_ns);
}

uint64_t *
device_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high, FusedScans *scans, int partition)
{
	SortedWords meaning = {(UINT64CONST(1) << low) - 1, partition};
	int64		max_words;
	double		cpu_ns;

	if (!is_sort_job(n, scans))
	{
		leave_scans(scans);
		return radix_sort(words, spare, n, low, high, word_tick);
	}
	client_counters.jobs++;
	if (goes_to_gpu(n, high - low, scans, &max_words, &cpu_ns))
	{
		double	start = clock_ns();
		uint64 *sorted;

		if (radix_narrow(words, n, &low, &high, word_tick))
		{
			sorted = sort_on_gpu(words, spare, n, low, high, max_words, scans, &meaning);
			device_took(JOB_SORT, clock_ns() - start, n, cpu_ns);
			return sorted;
		}
		/* the words are in order already, so there is no job; the caller runs the scans block by block */
		leave_scans(scans);
		client_counters.jobs--;
		return words;
	}
	leave_scans(scans);
	device_require(REQUIRE_GPU, "CPU", client_counters.reason);
	return sort_on_cpu(words, spare, n, low, high);
}

void
device_sort_stays(int64_t n, double ns)
{
	client_counters.jobs++;
	device_require(REQUIRE_GPU, "CPU", client_counters.reason);
	cpu_sort_took(ns, n);
}

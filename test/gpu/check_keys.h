/*
 * check_keys.h: jobs whose rows come by keys: the order, columns and heads in it, several operations at once.
 */
#ifndef SCAN_GPU_CHECK_KEYS_H
#define SCAN_GPU_CHECK_KEYS_H

#include "check.h"

static const uint64_t *sort_low, *sort_high;
static uint64_t		   sort_low_mask, sort_high_mask;

static int
by_key(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;
	uint64_t x, y;

	if (sort_high != NULL && (x = sort_high[i] & sort_high_mask) != (y = sort_high[j] & sort_high_mask))
		return x < y ? -1 : 1;
	if ((x = sort_low[i] & sort_low_mask) != (y = sort_low[j] & sort_low_mask))
		return x < y ? -1 : 1;
	return i < j ? -1 : i > j;
}

static uint64_t
low_bits(int bits)
{
	return bits >= 64 ? UINT64_MAX : bits <= 0 ? 0 : (UINT64_C(1) << bits) - 1;
}

/* Whether the highest partition_bits bits of two rows' keys differ. */
static bool
partitions_differ(const ScanGpuJob *job, uint32_t a, uint32_t b)
{
	int		 below = (int) (job->key_bits - job->partition_bits);
	uint64_t low = sort_low_mask & ~low_bits(below), high = sort_high_mask & ~low_bits(below - 64);

	return ((sort_low[a] ^ sort_low[b]) & low) != 0 ||
		   (sort_high != NULL && ((sort_high[a] ^ sort_high[b]) & high) != 0);
}

/* The column in order, or from its end on, with the heads of partitions and tiles, as a column of its own. */
static void
column_in_order(const ScanGpuJob *job, const ScanGpuOperation *o, const LawColumn *from, const uint32_t *order,
				LawColumn *to)
{
	size_t	 size = scan_in_size(from->op, from->param), size2 = from->op->in2_size;
	uint8_t *begins = law_tiles(from->n, o->tile, o->reversed != 0);

	law_column_start(to, from->op, from->param, from->n);
	to->heads = law_bits(from->n, false);
	to->valid = from->valid == NULL ? NULL : law_bits(from->n, false);
	for (int64_t i = 0; i < from->n; i++)
	{
		uint32_t row = order[o->reversed ? from->n - 1 - i : i];
		uint32_t before = i == 0 ? row : order[o->reversed ? from->n - i : i - 1];

		memcpy((char *) to->in + i * (int64_t) size, (char *) from->in + row * size, size);
		memcpy((char *) to->in2 + i * (int64_t) size2, (char *) from->in2 + row * size2, size2);
		if (to->valid != NULL)
			scan_bit_put(to->valid, i, scan_bit(from->valid, row));
		scan_bit_put(to->heads, i,
					 (from->heads != NULL && scan_bit(from->heads, row)) || partitions_differ(job, before, row) ||
						 begins[i]);
	}
	free(begins);
}

/* Asks for the sorted keys as the answer, every other time with the rows' numbers in them. */
static void
ask_for_words(ScanGpuJob *job, uint64_t *word)
{
	uint32_t bits = 0;

	job->words = word;
	while (job->n > UINT64_C(1) << bits)
		bits++;
	if (bits > job->key_low || law_random() % 2 == 0)
		return;
	job->row_bits = bits;
	for (uint64_t i = 0; i < job->n; i++)
		word[i] = (word[i] & ~low_bits((int) bits)) | i;
}

/* Keys of some bits, with rubbish above and below them, few enough to be equal now and then. */
static void
add_keys(ScanGpuJob *job, int bits)
{
	uint64_t *word[2];
	int		  low = law_random() % 3 == 0 ? 0 : (int) (law_random() % (uint64_t) (bits < 64 ? 65 - bits : 64));

	bits += bits < 64 ? low : 0; /* from key_low on, keys of fewer than 64 bits have as many as the caller asked for */
	job->key_bits = (uint32_t) bits;
	job->key_low = (uint32_t) low;
	job->partition_bits = (uint32_t) (law_random() % (uint64_t) (bits - low + 1));
	for (int w = 0; w < 2; w++)
	{
		word[w] = (uint64_t *) ring_take(job->n * sizeof(uint64_t));
		for (uint64_t i = 0; i < job->n; i++)
			word[w][i] = law_random() % 3 == 0 ? law_random() : (law_random() & UINT64_C(0x8000000100000011));
		job->keys[w] = w == 0 || bits > 64 ? word[w] : NULL;
	}
	if (bits <= 64 && law_random() % 2 == 0)
		ask_for_words(job, word[0]);
	/* the sorted keys replace the keys */
	sort_low = (const uint64_t *) memcpy(law_alloc(job->n * sizeof(uint64_t)), word[0], job->n * sizeof(uint64_t));
	sort_high = bits > 64 ? word[1] : NULL;
	sort_low_mask = low_bits(bits) & ~low_bits(low);
	sort_high_mask = low_bits(bits - 64);
	if (job->words != NULL)
		return;
	job->order = (uint32_t *) ring_take(job->n * sizeof(uint32_t));
	memset(job->order, 0xcc, job->n * sizeof(uint32_t));
}

/* True if the job's answer is its rows in this order. */
static bool
order_is(const ScanGpuJob *job, const uint32_t *order)
{
	if (job->words == NULL)
		return memcmp(order, job->order, (size_t) job->n * sizeof(uint32_t)) == 0;
	for (uint64_t i = 0; i < job->n; i++)
		if (job->words[i] != sort_low[order[i]])
			return false;
	return true;
}

static bool
sorted_job_holds(int64_t n, int bits)
{
	static const ScanOpId lines[] = {SCAN_OP_sum_int8,	   SCAN_OP_max_float8,		 SCAN_OP_compact_index_bool,
									 SCAN_OP_sum_interval, SCAN_OP_clamped_sum_int4, SCAN_OP_count_bool,
									 SCAN_OP_bit_or_int2,  SCAN_OP_sum_float8};
	LawColumn			  columns[3];
	int					  used = n > 1000000 ? 0 : 1 + (int) (law_random() % 3); /* a sort and no more */
	uint32_t			 *order = (uint32_t *) law_alloc((size_t) n * sizeof(uint32_t));
	ScanGpuJob			  job;
	char				  reason[200] = "", what[100];
	bool				  holds;
	static bool			  begun;

	if (!begun)
		printf("# sort\n"); /* as check.c says of a line */
	begun = true;
	ring_used = 0;
	memset(&job, 0, sizeof(job));
	job.n = (uint64_t) n;
	add_keys(&job, bits);
	for (int i = 0; i < used; i++)
	{
		const ScanOp *op = scan_op_at(lines[law_random() % 8]);
		ScanCarry	 *carry = (ScanCarry *) law_alloc(scan_carry_size(op));

		/* one parameter of each function is there at a time */
		column_draw(&columns[i], op, 1, n, law_random() % 2 == 0 ? -1 : 200, law_random() % 2 == 0 ? -1 : 10);
		scan_carry_start(op, carry);
		add_operation(&job, &columns[i], (ScanExtent) (law_random() % 2), 0, n, carry);
		if (job.operation[i].heads == 0)
		{
			job.operation[i].reversed = (uint32_t) (law_random() % 2);
			job.operation[i].tile = law_random() % 2 == 0 ? 0 : 1 + (uint32_t) (law_random() % (uint64_t) (n + 3));
		}
		free(carry);
	}
	snprintf(what, sizeof(what), "by bits %u to %u of keys, %u of partitions%s", job.key_low, job.key_bits,
			 job.partition_bits,
			 job.words == NULL	? ""
			 : job.row_bits > 0 ? ", with rows"
								: ", words");
	holds = library->run(device, &job, reason, sizeof(reason)) == SCAN_GPU_OK;
	if (!holds)
		printf("# %s: %s\n", what, reason);
	for (int64_t i = 0; i < n; i++)
		order[i] = (uint32_t) i;
	qsort(order, (size_t) n, sizeof(uint32_t), by_key);
	if (holds && !order_is(&job, order))
	{
		printf("# %s, %" PRId64 " rows: another order\n", what, n);
		holds = false;
	}
	for (int i = 0; i < used; i++)
	{
		const ScanOp *op = columns[i].op;
		ScanCarry	 *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
		LawColumn	  sorted;
		LawAnswers	  expected;

		scan_carry_start(op, carry);
		column_in_order(&job, &job.operation[i], &columns[i], order, &sorted);
		/* the parameter of the job: another column may have drawn its own since */
		sorted.param = job.operation[i].param;
		run_on_cpu(&sorted, (ScanExtent) job.operation[i].extent, carry, &expected);
		holds = holds && answers_same(&job.operation[i], &sorted, &expected, carry, what);
		law_answers_free(&expected);
		law_column_free(&sorted);
		law_column_free(&columns[i]);
		free(carry);
	}
	free(order);
	free((void *) sort_low);
	return holds;
}

static void
sorted_jobs_hold(void)
{
	static const int64_t rows[] = {1, 2, 31, 33, 255, 2049, 30000, 200000};
	static const int64_t split_rows[] = {1, 31, 32, 33, 1025, 8191, 8192, 8193, 70000, 2200000};
	bool				 holds = true;

	for (int r = 0; r < 8 - (scale > 0); r++)
		for (int i = 0; i < (rows[r] > 10000 ? 6 : 30); i++)
			if (scale < 99 || i < 2)
				holds = sorted_job_holds(rows[r], 1 + (int) (law_random() % 128)) && holds;
	law_report(holds, "jobs by keys, with partitions and several operations");
	holds = true;
	for (int r = 0; r < 10; r++)
		holds = sorted_job_holds(split_rows[r], 1) && holds;
	law_report(holds, "jobs by keys of one bit");
}

#endif /* SCAN_GPU_CHECK_KEYS_H */

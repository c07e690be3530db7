/*
 * fault.c: wrong answers of the mock device, for jobs that ask for them; mock.c calls it.
 *
 * SCAN_FAULT_GARBAGE returns impossible answers: codes, lengths, errors and carries that the backend has to refuse.
 * SCAN_FAULT_VALUE returns right answers except for one value, row number, bit or byte.  In general the backend cannot
 * detect that.  A wrong answer is then allowed, and nothing worse.  The number of jobs before decides which answer is
 * wrong and what replaces it, so that a run can be repeated.
 */
#include "fault.h"

#include "cpu/cpu.h"

/* ---- garbage ---- */

/* The answer of a sort: n positions of `width` bytes. */
typedef struct SortAnswer
{
	char  *at;
	size_t width;
} SortAnswer;

static SortAnswer
sort_answer(const ScanGpuJob *job)
{
	SortAnswer words = {(char *) job->words, sizeof(*job->words)}, order = {(char *) job->order, sizeof(*job->order)};

	return job->words != NULL ? words : order;
}

/* Makes the answer of a sort no permutation, or a permutation that is not sorted. */
static void
garbage_order(int kind, uint64_t n, SortAnswer answer)
{
	char	*first = answer.at, *middle = answer.at + n / 2 * answer.width, *last = answer.at + (n - 1) * answer.width;
	uint64_t was;

	switch (kind % 3)
	{
		case 0:
			memset(middle, 0xff, answer.width);
			break;
		case 1:
			memcpy(middle, last, answer.width);
			break;
		default:
			memcpy(&was, first, answer.width);
			memcpy(first, last, answer.width);
			memcpy(last, &was, answer.width);
			break;
	}
}

static void
miscount(SerializedRecurrence *carry)
{
	carry->count += carry->count < RECURRENCE_CHUNK ? 1 : -1;
}

/* Spoils the answers in one of several ways that no device may, another one each time. */
static ScanGpuCode
answer_garbage(Faults *faults, ScanGpuJob *job)
{
	int kinds = job->operations == 0 ? 0 : 7; /* kinds of garbage of a scan; further ones are of the order */
	int kind = faults->garbage++;
	ScanGpuOperation *o;

	if (job->key_bits > 0)
		kind %= kinds + 3;
	if (job->key_bits > 0 && kind >= kinds)
	{
		if (job->n > 1)
			garbage_order(kind - kinds, job->n, sort_answer(job));
		return SCAN_GPU_OK;
	}
	o = &job->operation[kind % (int) job->operations];
	switch (kind % 7)
	{
		case 0:
			o->done += 1000000;
			break;
		case 1:
			o->done = -1;
			break;
		case 2:
			o->status = 12345;
			break;
		case 3:
			o->has_nulls = 77;
			break;
		case 4:
			return (ScanGpuCode) 99;
		case 5:
			/* every other time, count a row too many or too few in the chunk; otherwise overwrite the carry */
			if (scan_op_id_is_recurrence((int) o->line) && o->carry->any && ++faults->miscounted % 2 == 1)
				miscount((SerializedRecurrence *) o->carry->acc);
			else
				memset(o->carry, 0xee, o->carry_size);
			break;
		default:
			/* report an error that did not happen */
			o->status = SCAN_INT8_OUT_OF_RANGE;
			o->done = 0;
			break;
	}
	memset(o->out, 0xee, job->n * scan_op_at((int) o->line)->out_size);
	return SCAN_GPU_OK;
}

/* ---- values ---- */

/* Returns the next of a series of pseudo-random numbers (splitmix64). */
static uint64_t
draw(uint64_t *series)
{
	uint64_t z = *series += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Words that are likely to break something: extremes of integers and floats, NaNs, and an invalid bool. */
static const uint64_t wrong_words[] = {
	UINT64_MAX,					  /* -1 of any size, a NaN */
	UINT64_C(0x8000000000000000), /* the least int8, -0 */
	UINT64_C(0x7fffffffffffffff), /* the greatest */
	UINT64_C(0x8000000080000000), /* the least int4 */
	UINT64_C(0x7fffffff7fffffff),
	UINT64_C(0x7ff8000000000000), /* a NaN */
	UINT64_C(0x7ff0000000000000), /* infinity */
	UINT64_C(0x7ff0000000000001), /* a signalling NaN */
	UINT64_C(0x7fefffffffffffff), /* the largest double */
	UINT64_C(0x4d4d4d4d4d4d4d4d), /* an invalid bool */
	UINT64_C(0x0000000100000000),
	0,
	1,
};
#define WRONG_WORDS (sizeof(wrong_words) / sizeof(wrong_words[0]))

/* Overwrites `size` bytes with another word, or flips one of their bits. */
static void
spoil(void *at, size_t size, uint64_t *series)
{
	uint8_t *bytes = (uint8_t *) at;
	uint64_t which = draw(series) % (WRONG_WORDS + 8);
	uint64_t word = which < WRONG_WORDS ? wrong_words[which] : draw(series);
	uint64_t bit = draw(series) % (8 * size);

	if (which % 3 == 0)
		bytes[bit / 8] ^= (uint8_t) (1 << bit % 8);
	else
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t) (word >> 8 * (i % 8));
}

/* Returns a pseudo-random row, the first and the last more often than others. */
static uint64_t
some_row(uint64_t n, uint64_t *series)
{
	switch (draw(series) % 4)
	{
		case 0:
			return 0;
		case 1:
			return n - 1;
		default:
			return draw(series) % n;
	}
}

/* Spoils one or eight bytes of the carry, anywhere but in its number of rows. */
static void
spoil_carry(ScanGpuOperation *o, uint64_t *series)
{
	size_t from = offsetof(ScanCarry, pending_status);
	size_t at = from + draw(series) % (o->carry_size - from);
	size_t size = draw(series) % 2 == 0 ? 1 : 8;

	if (size == 8)
		at -= at % 8;
	spoil((char *) o->carry + at, size < o->carry_size - at ? size : o->carry_size - at, series);
}

static void
wrong_value(ScanGpuJob *job, uint64_t *series)
{
	uint64_t		  row = some_row(job->n, series);
	ScanGpuOperation *o;

	if (job->operations == 0 || (job->key_bits > 0 && draw(series) % 4 == 0))
	{
		SortAnswer answer = sort_answer(job);
		char	  *at = answer.at + row * answer.width;

		if (draw(series) % 2 == 0)
			spoil(at, answer.width, series);
		else
			memcpy(at, answer.at + some_row(job->n, series) * answer.width, answer.width);
		return;
	}
	o = &job->operation[draw(series) % job->operations];
	switch (draw(series) % 4)
	{
		case 0:
			scan_bit_put(o->out_valid, (int64_t) row, !scan_bit(o->out_valid, (int64_t) row));
			o->has_nulls = 1;
			break;
		case 1:
			spoil_carry(o, series);
			break;
		default:
			spoil((char *) o->out + row * scan_op_at((int) o->line)->out_size, scan_op_at((int) o->line)->out_size,
				  series);
			break;
	}
}

/* ---- both ---- */

ScanGpuCode
fault_answers(Faults *faults, ScanGpuJob *job)
{
	uint64_t series;

	if (job->operations == 0 && job->key_bits == 0)
		return SCAN_GPU_OK;
	if (job->fault == SCAN_FAULT_GARBAGE)
		return answer_garbage(faults, job);
	if (job->fault == SCAN_FAULT_VALUE && job->n > 0)
	{
		series = faults->values++ << 16;
		wrong_value(job, &series);
	}
	return SCAN_GPU_OK;
}

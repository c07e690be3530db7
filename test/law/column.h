/*
 * column.h: what the law programs that run whole columns share: a column, its answers, and the two ways to them: row by
 * row through op->step, and in jobs of any size with the carry going from each to the next.
 *
 * Every buffer is as long as the rows need and no longer, so that the sanitizer sees a loop that reads or writes past
 * them.
 */
#ifndef SCAN_LAW_COLUMN_H
#define SCAN_LAW_COLUMN_H

#include "cpu/cpu.h"
#include "law.h"

typedef struct LawColumn
{
	const ScanOp *op;
	const void	 *param;
	int64_t		  n;
	void		 *in;
	void		 *in2;	 /* where the op has a second column */
	uint8_t		 *valid; /* NULL: every row has a value */
	uint8_t		 *heads; /* NULL: one segment */
} LawColumn;

typedef struct LawAnswers
{
	void	  *out;
	uint8_t	  *valid;
	bool	   has_nulls;
	int64_t	   done;
	ScanStatus status;
} LawAnswers;

/* the next algorithm for every job: the carry is the same whoever leaves it */
#define LAW_MIXED ((ScanAlgorithm) (SCAN_BLOCKED + 1))

static const ScanAlgorithm law_algorithms[] = {SCAN_SEQUENTIAL, SCAN_HILLIS_STEELE, SCAN_BLELLOCH,
											   SCAN_BLOCKED,	SCAN_AUTO,			LAW_MIXED};
#define LAW_ALGORITHMS 6

static const char *const law_algorithm_names[] = {"auto",	  "sequential", "hillis_steele",
												  "blelloch", "blocked",	"mixed algorithms"};

SCAN_HOST_FN void *
law_alloc(size_t size)
{
	void *p = malloc(size == 0 ? 1 : size);

	if (p == NULL)
	{
		printf("not ok out of memory\n");
		exit(1);
	}
	return p;
}

/* n bits, all of them `on`. */
SCAN_HOST_FN uint8_t *
law_bits(int64_t n, bool on)
{
	uint8_t *bits = (uint8_t *) law_alloc((size_t) (n + 7) / 8);

	memset(bits, on ? 0xff : 0, (size_t) (n + 7) / 8);
	return bits;
}

/* A bit a row, set with the given chance in a thousand. */
SCAN_HOST_FN uint8_t *
law_random_bits(int64_t n, int per_mille)
{
	uint8_t *bits = law_bits(n, false);

	for (int64_t i = 0; i < n; i++)
		if (law_random() % 1000 < (uint64_t) per_mille)
			scan_bit_put(bits, i, true);
	return bits;
}

/*
 * A byte a row: a tile begins there.  Of rows turned round each begins with the row that was its last.
 */
SCAN_HOST_FN uint8_t *
law_tiles(int64_t n, int64_t tile, bool reversed)
{
	uint8_t *begins = (uint8_t *) law_alloc((size_t) n + 1);

	memset(begins, 0, (size_t) n + 1);
	for (int64_t cut = tile; tile > 0 && cut < n; cut += tile)
		begins[reversed ? n - cut : cut] = 1;
	return begins;
}

SCAN_HOST_FN void
law_column_start(LawColumn *column, const ScanOp *op, const void *param, int64_t n)
{
	column->op = op;
	column->param = param;
	column->n = n;
	column->in = law_alloc((size_t) n * scan_in_size(op, param));
	column->in2 = law_alloc((size_t) n * op->in2_size);
	column->valid = NULL;
	column->heads = NULL;
}

SCAN_HOST_FN void
law_column_free(LawColumn *column)
{
	free(column->in);
	free(column->in2);
	free(column->valid);
	free(column->heads);
}

SCAN_HOST_FN void
law_answers_start(LawAnswers *answers, const ScanOp *op, int64_t n)
{
	answers->out = law_alloc((size_t) n * op->out_size);
	answers->valid = law_bits(n, true);
	answers->has_nulls = false;
	answers->done = 0;
	answers->status = SCAN_OK;
}

SCAN_HOST_FN void
law_answers_free(LawAnswers *answers)
{
	free(answers->out);
	free(answers->valid);
}

/* The reference: one row at a time, as a window function runs. */
SCAN_HOST_FN void
law_run_steps(const LawColumn *column, ScanExtent extent, LawAnswers *answers)
{
	const ScanOp *op = column->op;
	ScanCarry	 *carry = (ScanCarry *) law_alloc(scan_carry_size(op));

	law_answers_start(answers, op, column->n);
	scan_carry_start(op, carry);
	for (int64_t i = 0; i < column->n; i++)
	{
		size_t	   size = scan_in_size(op, column->param);
		double	   x[SCAN_ROW_SIZE / sizeof(double)];
		bool	   is_null = column->valid != NULL && !scan_bit(column->valid, i);
		bool	   head = column->heads != NULL && scan_bit(column->heads, i);
		ScanStatus status;

		memcpy(x, (const char *) column->in + i * size, size);
		memcpy((char *) x + size, (const char *) column->in2 + i * op->in2_size, op->in2_size);
		status = op->step(column->param, carry, is_null ? NULL : x, head, extent,
						  (char *) answers->out + i * op->out_size);
		if (SCAN_IS_ERROR(status))
		{
			answers->status = status;
			break;
		}
		if (status == SCAN_NULL)
		{
			scan_bit_put(answers->valid, i, false);
			answers->has_nulls = true;
		}
		answers->done++;
	}
	free(carry);
}

/* All rows of a column as a job for scan_job_piece(), its answers in `answers`. */
SCAN_HOST_FN ScanJob
law_job(const LawColumn *column, ScanExtent extent, ScanCarry *carry, const LawAnswers *answers)
{
	ScanJob job;

	memset(&job, 0, sizeof(job));
	job.op = column->op;
	job.param = column->param;
	job.extent = extent;
	job.n = column->n;
	job.in = column->in;
	job.in2 = column->in2;
	job.valid = column->valid;
	job.heads = column->heads;
	job.carry = carry;
	job.out = answers->out;
	job.out_valid = answers->valid;
	job.has_nulls = answers->has_nulls;
	return job;
}

/* Rows from, from + 1 ... of `bits` on a byte's edge: in place, or as a copy in `room`. */
SCAN_HOST_FN uint8_t *
law_bits_from(uint8_t *bits, int64_t from, int64_t n, uint8_t *room)
{
	if (bits == NULL)
		return NULL;
	if (from % 8 == 0)
		return bits + from / 8;
	for (int64_t i = 0; i < n; i++)
		scan_bit_put(room, i, scan_bit(bits, from + i));
	return room;
}

/* Whether n bits on a byte's edge are all `on`. */
SCAN_HOST_FN bool
law_bits_are(const uint8_t *bits, int64_t n, bool on)
{
	for (int64_t i = 0; i < n / 8; i++)
		if (bits[i] != (on ? 0xff : 0))
			return false;
	for (int64_t i = n / 8 * 8; i < n; i++)
		if (scan_bit(bits, i) != on)
			return false;
	return true;
}

/*
 * The column cut into jobs of `size` rows, up to the first error.  Bits that say nothing are left out in every other
 * job, so that dense jobs and others meet.
 */
SCAN_HOST_FN void
law_run_jobs(const LawColumn *column, ScanExtent extent, ScanAlgorithm algorithm, int64_t size, LawAnswers *answers)
{
	static uint8_t valid_room[SCAN_BATCH / 8], heads_room[SCAN_BATCH / 8], out_room[SCAN_BATCH / 8];
	const ScanOp  *op = column->op;
	ScanCarry	  *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
	void		  *scratch = law_alloc(scan_scratch_size(op));

	law_answers_start(answers, op, column->n);
	scan_carry_start(op, carry);
	for (int64_t from = 0; (from < column->n || from == 0) && answers->status == SCAN_OK; from += size)
	{
		ScanJob job;

		memset(&job, 0, sizeof(job));
		job.op = op;
		job.param = column->param;
		job.algorithm = algorithm == LAW_MIXED ? law_algorithms[from / size % 4] : algorithm;
		job.extent = extent;
		job.n = column->n - from < size ? column->n - from : size;
		job.in = (const char *) column->in + from * scan_in_size(op, column->param);
		job.in2 = (const char *) column->in2 + from * op->in2_size;
		job.valid = law_bits_from(column->valid, from, job.n, valid_room);
		job.heads = law_bits_from(column->heads, from, job.n, heads_room);
		if (job.valid != NULL && from / size % 2 == 0 && law_bits_are(job.valid, job.n, true))
			job.valid = NULL;
		if (job.heads != NULL && from / size % 2 == 0 && law_bits_are(job.heads, job.n, false))
			job.heads = NULL;
		job.carry = carry;
		job.scratch = scratch;
		job.out = (char *) answers->out + from * op->out_size;
		job.out_valid = law_bits_from(answers->valid, from, job.n, out_room);
		job.has_nulls = answers->has_nulls;
		job.done = -1;
		job.status = SCAN_FLOAT_OVERFLOW; /* what was there before must not matter */
		scan_cpu_run(&job);
		if (job.out_valid == out_room)
			for (int64_t i = 0; i < job.n; i++)
				scan_bit_put(answers->valid, from + i, scan_bit(out_room, i));
		answers->has_nulls = job.has_nulls;
		answers->done = from + job.done;
		answers->status = job.status;
		if (job.status == SCAN_OK && carry->row != answers->done)
			answers->done = -1; /* the carry has lost count */
	}
	free(carry);
	free(scratch);
}

/* -2 when two runs agree: rows answered, status, NULLs, bits; else the first row that differs, or -1. */
SCAN_HOST_FN int64_t
law_answers_differ(const ScanOp *op, const LawAnswers *a, const LawAnswers *b)
{
	int64_t done = a->done < b->done ? a->done : b->done;

	for (int64_t i = 0; i < done; i++)
	{
		bool valid = scan_bit(a->valid, i);

		if (valid != scan_bit(b->valid, i))
			return i;
		if (valid && memcmp((const char *) a->out + i * op->out_size, (const char *) b->out + i * op->out_size,
							op->out_size) != 0)
			return i;
	}
	return a->done == b->done && a->status == b->status && a->has_nulls == b->has_nulls ? -2 : -1;
}

/* Runs the column in jobs and compares; says what differs, a few times at most. */
SCAN_HOST_FN bool
law_jobs_agree(const LawColumn *column, ScanExtent extent, ScanAlgorithm algorithm, int64_t size,
			   const LawAnswers *expected, const char *what)
{
	static int said;
	LawAnswers answers;
	int64_t	   row;

	law_run_jobs(column, extent, algorithm, size, &answers);
	row = law_answers_differ(column->op, &answers, expected);
	if (row != -2 && said++ < 20)
		printf("# %s %s, %s: %s %s in jobs of %" PRId64 " of %" PRId64 " rows: row %" PRId64 ", done %" PRId64
			   " of %" PRId64 ", status %d of %d\n",
			   column->op->function, column->op->type, what, law_algorithm_names[algorithm],
			   extent == SCAN_EXCLUSIVE ? "exclusive" : "inclusive", size, column->n, row, answers.done, expected->done,
			   (int) answers.status, (int) expected->status);
	law_answers_free(&answers);
	return row == -2;
}

#endif /* SCAN_LAW_COLUMN_H */

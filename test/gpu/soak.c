/*
 * soak.c: a device library answers the same every time.
 *
 *   soak LIBRARY.so [ROWS [RUNS [FUNCTION]]]     2^24 rows and 50 runs unless told
 *
 * Every line that the library runs, over a long column without bits and one with NULLs and heads: half of the runs
 * each.  The first answers are held against src/cpu, all others against the first, bit for bit: a race of the look-back
 * shows once in many runs, or never, and only in columns of many tiles.  Whether a library can prove its answers may
 * differ from run to run, because the order in which tiles are joined does; how many runs it could not is reported.
 * Then a sort with a sum in its order, as often. What the answers are written to is filled with rubbish before each
 * run.  FUNCTION: lines of that name alone, and no sort.  Prints TAP.
 */
#include <time.h>

#include "check.h"
#include "table.h"

#define PATTERN 65521 /* rows that a column repeats: drawing them all would take longer than the runs */
#define RUBBISH 0xa5

static int64_t rows = 1 << 24;
static int	   runs = 50;

static double
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec * 1e3 + (double) now.tv_nsec * 1e-6;
}

/* ---- a column and its job ---- */

static uint8_t *
repeated_bits(const uint8_t *pattern, int64_t n)
{
	uint8_t *bits;

	if (pattern == NULL)
		return NULL;
	bits = law_bits(n, false);
	for (int64_t i = 0; i < n; i++)
		scan_bit_put(bits, i, scan_bit(pattern, i % PATTERN));
	return bits;
}

static void
long_column(LawColumn *column, const ScanOp *op, bool with_bits)
{
	LawColumn pattern;
	size_t	  width;

	column_draw(&pattern, op, 1, rows < PATTERN ? rows : PATTERN, with_bits ? 200 : -1, with_bits ? 2 : -1);
	law_column_start(column, op, pattern.param, rows);
	width = scan_in_size(op, pattern.param);
	for (int64_t i = 0; i < rows; i += PATTERN)
	{
		size_t n = (size_t) (rows - i < PATTERN ? rows - i : PATTERN);

		memcpy((char *) column->in + (size_t) i * width, pattern.in, n * width);
		memcpy((char *) column->in2 + (size_t) i * op->in2_size, pattern.in2, n * op->in2_size);
	}
	column->valid = repeated_bits(pattern.valid, rows);
	column->heads = repeated_bits(pattern.heads, rows);
	law_column_free(&pattern);
}

/* What has to be as it was before the first run. */
static void
start_again(ScanGpuJob *job, const ScanOp *op)
{
	ScanGpuOperation *o = &job->operation[0];

	memset(o->carry, 0, o->carry_size);
	scan_carry_start(op, o->carry);
	memset(o->out, RUBBISH, (size_t) job->n * op->out_size);
	memset(o->out_valid, 0xff, (size_t) (job->n + 7) / 8);
	o->has_nulls = 0;
	o->status = SCAN_OK;
	o->done = -1;
	if (job->order != NULL)
		memset(job->order, RUBBISH, (size_t) job->n * sizeof(uint32_t));
}

static void
lay_down(ScanGpuJob *job, const LawColumn *column, ScanCarry *carry)
{
	const ScanOp *op = column->op;

	ring_used = 0;
	memset(job, 0, sizeof(*job));
	job->n = (uint64_t) column->n;
	if (line_is_recurrence(op->line))
		recurrence_job(job, column, SCAN_INCLUSIVE, 0, column->n, carry);
	else
		add_operation(job, column, SCAN_INCLUSIVE, 0, column->n, carry);
	job->operation[0].carry = carry;
	job->operation[0].carry_size = offsetof(ScanCarry, acc) + sizeof(Serialized);
	if (scan_carry_size(op) > job->operation[0].carry_size)
		job->operation[0].carry_size = scan_carry_size(op);
}

static ScanCarry *
carry_alloc(const ScanOp *op)
{
	size_t size = offsetof(ScanCarry, acc) + sizeof(Serialized);

	return (ScanCarry *) law_alloc(scan_carry_size(op) > size ? scan_carry_size(op) : size);
}

/* ---- the same again ---- */

/* The first row whose answers differ, of those that are no NULLs; -1: none. */
static int64_t
row_that_differs(const ScanGpuOperation *o, const LawAnswers *first, size_t size)
{
	for (int64_t i = 0; i < first->done; i++)
		if (scan_bit(o->out_valid, i) != scan_bit(first->valid, i) ||
			(scan_bit(first->valid, i) &&
			 memcmp((char *) o->out + (size_t) i * size, (char *) first->out + (size_t) i * size, size) != 0))
			return i;
	return -1;
}

static bool
same_as_first(const ScanGpuOperation *o, const LawAnswers *first, const ScanOp *op, int run)
{
	size_t	done = (size_t) (first->done < 0 ? 0 : first->done);
	int64_t row = -1;
	bool	same = o->done == first->done && o->status == (int32_t) first->status &&
				(o->has_nulls != 0) == first->has_nulls;

	if (memcmp(o->out_valid, first->valid, (done + 7) / 8) != 0 || memcmp(o->out, first->out, done * op->out_size) != 0)
		row = row_that_differs(o, first, op->out_size);
	if (!same || row >= 0)
		printf("# %s %s, run %d: row %" PRId64 " is another than in the first run, done %" PRId64 " of %" PRId64
			   ", status %d\n",
			   op->function, op->type, run, row, o->done, first->done, (int) o->status);
	return same && row < 0;
}

/* Keeps the answers of the first run, and holds them against the CPU's. */
static bool
first_holds(const ScanGpuOperation *o, const LawColumn *column, LawAnswers *first)
{
	const ScanOp *op = column->op;
	ScanCarry	 *carry = carry_alloc(op);
	LawAnswers	  expected;
	int64_t		  row;

	memcpy(first->out, o->out, (size_t) column->n * op->out_size);
	memcpy(first->valid, o->out_valid, (size_t) (column->n + 7) / 8);
	first->has_nulls = o->has_nulls != 0;
	first->done = o->done;
	first->status = (ScanStatus) o->status;
	scan_carry_start(op, carry);
	run_on_cpu(column, SCAN_INCLUSIVE, carry, &expected);
	row = law_answers_differ(op, first, &expected);
	if (row != -2)
		printf("# %s %s: row %" PRId64 " is not the CPU's, done %" PRId64 " of %" PRId64 "\n", op->function, op->type,
			   row, first->done, expected.done);
	law_answers_free(&expected);
	law_memory_free();
	free(carry);
	return row == -2;
}

/* So many runs of one column; *spent gets the milliseconds of jobs that answered. */
static bool
column_soaks(const ScanOp *op, bool with_bits, int times, double *spent)
{
	ScanCarry *carry = carry_alloc(op);
	LawColumn  column;
	LawAnswers first;
	ScanGpuJob job;
	char	   reason[200] = "";
	bool	   holds = true, answered = false;

	memset(carry, 0, sizeof(*carry));
	long_column(&column, op, with_bits);
	law_answers_start(&first, op, rows);
	lay_down(&job, &column, carry);
	for (int run = 0; run < times && holds; run++)
	{
		double		from;
		ScanGpuCode code;

		start_again(&job, op);
		from = milliseconds();
		code = run_job(&job, reason, sizeof(reason));
		*spent += milliseconds() - from;
		jobs++;
		if (code == SCAN_GPU_NOT_PROVEN)
			declined++;
		else if (code != SCAN_GPU_OK)
		{
			printf("# %s %s, run %d: code %d %s\n", op->function, op->type, run, (int) code, reason);
			holds = false;
		}
		else if (!answered)
			answered = holds = first_holds(&job.operation[0], &column, &first);
		else
			holds = same_as_first(&job.operation[0], &first, op, run);
	}
	law_answers_free(&first);
	law_column_free(&column);
	law_memory_free();
	free(carry);
	return holds;
}

static void
line_soaks(const ScanOp *op)
{
	char   text[200];
	double spent = 0;
	bool   holds;

	jobs = declined = 0;
	holds = column_soaks(op, false, runs - runs / 2, &spent);
	holds = column_soaks(op, true, runs / 2, &spent) && holds;
	snprintf(text, sizeof(text), "%s %s: %ld jobs of %" PRId64 " rows, %ld not proven", op->function, op->type, jobs,
			 rows, declined);
	law_report(holds, text);
	snprintf(text, sizeof(text), "%s %s", op->function, op->type);
	table_row("soak", text, (double) rows, "ms a job", spent / (double) jobs);
	table_row("soak", text, (double) rows, "% not proven", 100.0 * (double) declined / (double) jobs);
}

/* ---- a sort ---- */

/* Keys with their rows rise from one to the next: then each row is there, in the order that is stable. */
static bool
order_rises(const uint64_t *key, const uint32_t *order)
{
	for (int64_t i = 0; i < rows; i++)
		if (order[i] >= rows || (i > 0 && (key[order[i - 1]] > key[order[i]] ||
										   (key[order[i - 1]] == key[order[i]] && order[i - 1] >= order[i]))))
		{
			printf("# a sort: row %" PRId64 " of the order is wrong\n", i);
			return false;
		}
	return true;
}

static void
sort_soaks(void)
{
	const ScanOp *op = scan_op_at(SCAN_OP_sum_int8);
	ScanCarry	 *carry = carry_alloc(op);
	LawColumn	  column, sorted;
	LawAnswers	  first;
	ScanGpuJob	  job;
	uint64_t	 *key;
	uint32_t	 *order = (uint32_t *) law_alloc((size_t) rows * sizeof(uint32_t));
	char		  reason[200] = "";
	bool		  holds = true;
	double		  spent = 0;

	long_column(&column, op, false);
	law_column_start(&sorted, op, NULL, rows);
	law_answers_start(&first, op, rows);
	lay_down(&job, &column, carry);
	key = (uint64_t *) ring_take((size_t) rows * sizeof(uint64_t));
	for (int64_t i = 0; i < rows; i++)
		key[i] = random_at((uint64_t) i) >> 26; /* of 38 bits: some are equal */
	job.keys[0] = key;
	job.key_bits = 38;
	job.order = (uint32_t *) ring_take((size_t) rows * sizeof(uint32_t));
	for (int run = 0; run < runs && holds; run++)
	{
		double from;

		start_again(&job, op);
		from = milliseconds();
		holds = run_job(&job, reason, sizeof(reason)) == SCAN_GPU_OK;
		spent += milliseconds() - from;
		if (run == 0 && holds && order_rises(key, job.order))
		{
			memcpy(order, job.order, (size_t) rows * sizeof(uint32_t));
			for (int64_t i = 0; i < rows; i++)
				((int64_t *) sorted.in)[i] = ((int64_t *) column.in)[order[i]];
			holds = first_holds(&job.operation[0], &sorted, &first);
		}
		else
			holds = holds && run > 0 && memcmp(order, job.order, (size_t) rows * sizeof(uint32_t)) == 0 &&
					same_as_first(&job.operation[0], &first, op, run);
	}
	if (!holds)
		printf("# a sort: %s\n", reason);
	law_report(holds, "a sort by keys of 38 bits, and a sum in its order");
	table_row("soak", "sort and sum int8", (double) rows, "ms a job", spent / runs);
	law_column_free(&column);
	law_column_free(&sorted);
	law_answers_free(&first);
	free(order);
	free(carry);
}

int
main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2)
		rows = atoll(argv[2]);
	if (argc > 3)
		runs = atoi(argv[3]);
	if (argc < 2 || rows < 1 || runs < 2)
	{
		fprintf(stderr, "usage: soak LIBRARY.so [ROWS [RUNS [FUNCTION]]]\n");
		return 2;
	}
	/* two columns of 16 bytes or one of 32 and 8, and answers of 16 */
	load_library(argv[1], (size_t) rows * 60 + (8 << 20));
	for (int i = 0; i < SCAN_OPS; i++)
		/* frames are folded without a look-back, so no run of theirs differs from another */
		if (info.row_ns[i] != 0 && (scan_op_at(i)->flags & SCAN_FRAMES) == 0 &&
			(argc < 5 || strcmp(argv[4], scan_op_at(i)->function) == 0))
			line_soaks(scan_op_at(i));
	if (argc < 5)
		sort_soaks();
	library->close(device);
	printf("# %s\n", law_failures == 0 ? "the same every time" : "NOT the same every time");
	return law_failures != 0;
}

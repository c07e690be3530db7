/*
 * batch.c: an answer is a property of the data.  For every line of list.h, a column answered row by row (op->step, as a
 * window function does it) and the same column answered in jobs agree in every bit, every NULL, the first failing row
 * and its error: under every algorithm, inclusive and exclusive, with and without NULLs and heads, and cut into jobs of
 * any size.
 *
 * Whether the answers are also right is asked by oracle.c and exact.c.
 *
 *   batch [LABEL [few]]      `few`: a smaller matrix, for the sanitizers
 */
#include "ordered.h"

/* the last for SCAN_ORDERED lines only: more than two chunks of a recurrence */
static const int64_t rows[] = {0, 1, 2, 1023, 1024, 1025, 3000, 8300};
static const int64_t sizes[] = {1, 2, 7, 8, 9, 255, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, SCAN_BATCH};

#define ROWS ((int) (sizeof(rows) / sizeof(rows[0])))
#define SIZES ((int) (sizeof(sizes) / sizeof(sizes[0])))

/* NULLs and heads: chances in a thousand */
static const int null_chances[] = {0, 300, 1000};
static const int head_chances[] = {0, 50, 1000};

static const char *label = "cc";
static bool		   few;
static long		   runs;
static int		   turn; /* the sizes take turns over the columns */

/*
 * Values of a kind; in half of the columns the kind turns to 0 at some row, so that the first error comes late as well
 * as soon.  With a chance of 0 the bits are left out, or are there and say nothing.  In half of the columns a stretch
 * has neither NULLs nor heads.
 */
static void
column_draw(LawColumn *column, const ScanOp *op, int kind, int64_t n, int null_chance, int head_chance)
{
	int64_t calm = law_random() % 2 == 0 ? n : (int64_t) (law_random() % (uint64_t) (n + 1));
	int64_t from = law_random() % 2 == 0 ? n : (int64_t) (law_random() % (uint64_t) (n + 1));
	bool	ordered = op->item_size == 0;

	law_column_start(column, op, ordered ? law_ordered_param(op) : law_param(op->function), n);
	for (int64_t i = 0; i < n; i++)
		if (ordered)
			law_ordered_row(column, i, i < calm ? kind : 0);
		else
			law_value(op->function, op->type, i < calm ? kind : 0, (char *) column->in + i * op->in_size);
	if (null_chance != 0 || law_random() % 4 == 0)
		column->valid = law_random_bits(n, 1000 - null_chance);
	if (head_chance != 0 || law_random() % 4 == 0)
		column->heads = law_random_bits(n, head_chance);
	for (int64_t i = from; i < n && i < from + 700; i++)
	{
		if (column->valid != NULL)
			scan_bit_put(column->valid, i, true);
		if (column->heads != NULL)
			scan_bit_put(column->heads, i, false);
	}
}

/* One column, inclusive or exclusive: whole, and cut. */
static bool
column_holds(const LawColumn *column, ScanExtent extent, const char *what)
{
	LawAnswers expected;
	bool	   holds = true;

	law_run_steps(column, extent, &expected);
	law_memory_free();
	for (int a = 0; a < LAW_ALGORITHMS; a++)
		for (int s = 0; s < SIZES; s++)
		{
			/* one job of all rows, then the sizes that cut */
			bool whole = s == SIZES - 1;

			if (!whole && (sizes[s] >= column->n || (column->n > SCAN_BATCH && sizes[s] < 3000)))
				continue;
			if (!whole && (law_algorithms[a] == SCAN_AUTO || (s + a + turn) % (few ? 6 : 3) != 0))
				continue;
			holds = law_jobs_agree(column, extent, law_algorithms[a], sizes[s], &expected, what) && holds;
			law_memory_free();
			runs++;
		}
	law_answers_free(&expected);
	return holds;
}

static bool
columns_hold(const ScanOp *op, int kind, int64_t n, int null_chance, int head_chance)
{
	LawColumn column;
	char	  what[80];
	bool	  holds;

	turn++;
	column_draw(&column, op, kind, n, null_chance, head_chance);
	snprintf(what, sizeof(what), "kind %d, nulls %d, heads %d", kind, null_chance, head_chance);
	holds = column_holds(&column, SCAN_INCLUSIVE, what);
	holds = column_holds(&column, SCAN_EXCLUSIVE, what) && holds;
	law_column_free(&column);
	return holds;
}

static void
op_holds(const ScanOp *op)
{
	bool holds = true;
	char text[120];

	runs = 0;
	for (int kind = 0; kind < 3; kind++)
		for (int r = 0; r < (op->item_size == 0 ? ROWS : ROWS - 1); r++)
			for (int z = 0; z < 3; z++)
				for (int h = 0; h < 3; h++)
					if (!few || rows[r] <= 2 || (kind + r + z + h) % 3 == 0)
						holds = columns_hold(op, kind, rows[r], null_chances[z], head_chances[h]) && holds;

	/* more rows than a job takes: harmless values without and with NULLs, heads now and then */
	holds = columns_hold(op, 1, SCAN_BATCH + 4464, few ? 10 : 0, few ? 1 : 0) && holds;
	if (!few)
		holds = columns_hold(op, 1, SCAN_BATCH + 4464, 300, 1) && holds;
	snprintf(text, sizeof(text), "batches of %s %s, %ld runs (%s)", op->function, op->type, runs, label);
	law_report(holds, text);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		label = argv[1];
	few = argc > 2;
	for (int i = 0; scan_op_at(i) != NULL; i++)
		/* test/gpu/check_frames.h has jobs of frames */
		if ((scan_op_at(i)->flags & SCAN_FRAMES) == 0)
			op_holds(scan_op_at(i));
	return law_failures != 0;
}

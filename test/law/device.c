/*
 * device.c: a job that arrives is the job that was sent.  For every line of list.h that can leave a backend, columns
 * written to a slot of the ring, read by gpu/job.c and run by the mock device (gpu/mock.c) give the answers of the same
 * rows step by step: several scans of one job over shared columns, in the order of keys of any width with the
 * partitions that they make, and cut in two with the carry between.
 *
 * And a job that makes no sense is refused: every number of one is changed to others, and what is not refused must stay
 * within the slot, which the sanitizer sees.
 *
 *   device [LABEL [few]]      `few`: a smaller matrix, for the sanitizers
 */
#include "frames.h"
#include "ordered.h"
#include "slot.h"

#define MOST 3000 /* rows */
#define OPERATIONS 3

static const char *label = "cc";
static bool		   few;

/* ---- columns and keys ---- */

static void
column_draw(LawColumn *column, const ScanOp *op, int64_t n, int kind)
{
	bool ordered = op->item_size == 0;

	law_column_start(column, op, ordered ? law_ordered_param(op) : law_param(op->function), n);
	for (int64_t i = 0; i < n; i++)
		if (ordered)
			law_ordered_row(column, i, kind);
		else
			law_value(op->function, op->type, kind, (char *) column->in + i * op->in_size);
	if (law_random() % 2 == 0)
		column->valid = law_random_bits(n, 700);
	if (law_random() % 2 == 0)
		column->heads = law_random_bits(n, 50);
}

typedef unsigned __int128 Key;

static const Key *sort_key;

static int
key_compare(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;

	if (sort_key[i] != sort_key[j])
		return sort_key[i] < sort_key[j] ? -1 : 1;
	return (i > j) - (i < j);
}

/*
 * Draws keys of so many bits, with ties, and the words that a job has of them, from bit `low` on, with rubbish around
 * those bits; and the order that they make.  row_bits: lowest bits of a word that hold the row's number.
 */
static void
keys_draw(int64_t n, uint32_t bits, uint32_t low, uint32_t row_bits, Key *key, uint64_t *words, uint32_t *order)
{
	Key mask = ((Key) 1 << bits) - 1, rows = ((Key) 1 << row_bits) - 1;

	for (int64_t i = 0; i < n; i++)
	{
		Key few_values = law_random() % 5;

		key[i] = (law_random() % 2 == 0 ? few_values << (bits > 3 ? bits - 3 : 0) : law_random()) & mask;
		words[i] = (law_random() & ~(uint64_t) (mask << low)) | (uint64_t) (key[i] << low);
		words[i] = (words[i] & ~(uint64_t) rows) | (row_bits > 0 ? (uint64_t) i : 0);
		order[i] = (uint32_t) i;
	}
	sort_key = key;
	if (bits > 0 && n > 0)
		qsort(order, (size_t) n, sizeof(*order), key_compare);
}

/* The column as keys order it, with the heads that partitions and tiles make, and turned round where it is reversed. */
static void
column_in_order(const LawColumn *c, const uint32_t *order, const Key *key, uint32_t below, const WireOperation *o,
				LawColumn *sorted)
{
	size_t	 width = scan_in_size(c->op, c->param);
	uint8_t *begins = law_tiles(c->n, o->tile, o->reversed != 0);

	law_column_start(sorted, c->op, c->param, c->n);
	sorted->heads = law_bits(c->n, false);
	sorted->valid = c->valid == NULL ? NULL : law_bits(c->n, true);
	for (int64_t i = 0; i < c->n; i++)
	{
		uint32_t row = order[o->reversed ? c->n - 1 - i : i];
		uint32_t before = i == 0 ? row : order[o->reversed ? c->n - i : i - 1];
		bool	 other = below < 128 && (key[row] >> below) != (key[before] >> below);

		memcpy((char *) sorted->in + i * width, (char *) c->in + row * width, width);
		memcpy((char *) sorted->in2 + i * c->op->in2_size, (char *) c->in2 + row * c->op->in2_size, c->op->in2_size);
		if (c->valid != NULL)
			scan_bit_put(sorted->valid, i, scan_bit(c->valid, row));
		scan_bit_put(sorted->heads, i, other || begins[i] || (c->heads != NULL && scan_bit(c->heads, row)));
	}
	free(begins);
}

/* Turns an operation round and cuts its rows into tiles, as often as not, where that may be. */
static void
draw_tiles(WireOperation *o, int64_t n)
{
	if (o->heads != 0 || scan_op_id_is_recurrence((int) o->line))
		return;
	o->reversed = (uint32_t) (law_random() % 2);
	o->tile = law_random() % 2 == 0 ? 0
									: 1 + (uint32_t) (law_random() % (uint64_t) (law_random() % 2 == 0 ? 9 : n + 3));
}

/* Kinds of values; of a recurrence those that a device can prove, but for a tie after a head now and then. */
static int
any_kind(const ScanOp *op)
{
	return scan_op_id_is_recurrence(op->line) ? 1 : (int) (law_random() % 3);
}

/*
 * How many jobs a device has to answer for one that it may leave to the CPU.  An average of short numbers meets a tie
 * some thirty rows after a head, which is settled only by who has these rows, and of tiny jobs many end before.
 */
static long
share(const ScanOp *op, long easy)
{
	return op->line == SCAN_OP_ema_float8 ? easy / 20 : easy;
}

/* ---- laws ---- */

/* Draws where the bits of a job's keys begin, and every other time has the rows' numbers below them. */
static void
draw_places(WireJob *job, uint32_t bits)
{
	uint32_t rows = 0;

	job->key_low = bits == 0 ? 0 : (uint32_t) (law_random() % (65 - bits));
	job->key_bits = bits == 0 ? 0 : job->key_low + bits;
	while (job->n > UINT64_C(1) << rows)
		rows++;
	job->row_bits = bits > 0 && rows <= job->key_low && law_random() % 2 == 0 ? rows : 0;
}

/* True if the job's answer is the words in this order. */
static bool
words_are(const Slot *slot, const uint64_t *words, const uint32_t *order, int64_t n)
{
	const uint64_t *sorted = (const uint64_t *) (slot->data + slot->job.keys);

	for (int64_t i = 0; i < n; i++)
		if (sorted[i] != words[order[i]])
			return false;
	return true;
}

/* One job of the line, once more exclusive, and of count(bool), with keys of so many bits; way[] as for cut_holds(). */
static bool
job_holds(const ScanOp *op, int64_t n, uint32_t bits, uint32_t partition_bits, long way[2])
{
	const ScanOp *ops[OPERATIONS] = {op, scan_op_at(SCAN_OP_count_bool), op};
	LawColumn	  column[OPERATIONS];
	LawAnswers	  expected, answers;
	Slot		  slot = {NULL, 0, {0}};
	Key			 *key = (Key *) law_alloc(n * sizeof(Key));
	uint64_t	 *words = (uint64_t *) law_alloc(n * sizeof(uint64_t));
	uint32_t	 *order = (uint32_t *) law_alloc(n * sizeof(uint32_t));
	ScanGpuCode	  code;
	bool		  holds;

	slot.job.n = (uint64_t) n;
	slot.job.partition_bits = partition_bits;
	draw_places(&slot.job, bits);
	keys_draw(n, bits, slot.job.key_low, slot.job.row_bits, key, words, order);
	if (bits > 0)
		slot.job.keys = slot_reserve(&slot, words, n * sizeof(uint64_t));
	for (int i = 0; i < OPERATIONS; i++)
	{
		ScanCarry *carry = (ScanCarry *) law_alloc(scan_carry_size(ops[i]));

		if (i == 2)
			column[2] = column[0];
		else
			column_draw(&column[i], ops[i], n, any_kind(ops[i]));
		/* tiles are of columns without heads; what the first column has is freed with it */
		if (i == 2)
			column[i].heads = NULL;
		scan_carry_start(ops[i], carry);
		slot_operation(&slot, &column[i], 0, n, i == 2 ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE, carry);
		if (bits > 0)
			draw_tiles(&slot.job.operation[i], n);
		free(carry);
	}
	code = slot_run(&slot);
	holds = code == SCAN_GPU_OK || code == SCAN_GPU_NOT_PROVEN;
	way[code == SCAN_GPU_OK]++;
	if (code == SCAN_GPU_OK && bits > 0)
		holds = words_are(&slot, words, order, n);
	for (int i = 0; code == SCAN_GPU_OK && holds && i < OPERATIONS; i++)
	{
		LawColumn sorted;

		column_in_order(&column[i], order, key, bits == 0 || partition_bits == 0 ? 128 : bits - partition_bits,
						&slot.job.operation[i], &sorted);
		law_run_steps(&sorted, i == 2 ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE, &expected);
		law_memory_free();
		law_answers_start(&answers, ops[i], n);
		slot_answers(&slot, i, ops[i], 0, n, &answers);
		holds = law_answers_differ(ops[i], &expected, &answers) == -2;
		law_answers_free(&expected);
		law_answers_free(&answers);
		law_column_free(&sorted);
	}
	law_column_free(&column[0]);
	law_column_free(&column[1]);
	slot_free(&slot);
	free(key);
	free(words);
	free(order);
	return holds;
}

/* Rows [from, from + n) on the CPU, brought into `answers`. */
static void
rows_on_cpu(const LawColumn *column, ScanExtent extent, int64_t from, int64_t n, ScanCarry *carry, LawAnswers *answers)
{
	ScanJob whole = law_job(column, extent, carry, answers), piece;

	piece = scan_job_piece(&whole, from, n);
	scan_cpu_run(&piece);
	answers->has_nulls = piece.has_nulls;
	answers->status = piece.status;
	answers->done = from + piece.done;
}

static JobColumns
columns_of(const LawColumn *column, int64_t from, int64_t n)
{
	JobColumns columns;

	columns.in = (char *) column->in + from * (int64_t) scan_in_size(column->op, column->param);
	columns.in2 = (char *) column->in2 + from * (int64_t) column->op->in2_size;
	columns.valid = column->valid == NULL ? NULL : column->valid + from / 8;
	columns.heads = column->heads == NULL ? NULL : column->heads + from / 8;
	columns.n = n;
	return columns;
}

/*
 * A column in jobs of `cut` rows, the carry between, as src/device/client.c does it: what cannot be sent, or is not
 * proven there, the CPU does.  Counts both in way[].
 */
static bool
cut_holds(const ScanOp *op, int64_t n, int64_t cut, ScanExtent extent, int kind, long way[2])
{
	LawColumn  column;
	LawAnswers expected, answers;
	ScanCarry *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
	ScanCarry *there = (ScanCarry *) law_alloc(scan_serialized_size(op->line));
	bool	   holds = true;

	column_draw(&column, op, n, kind);
	law_run_steps(&column, extent, &expected);
	law_memory_free();
	law_answers_start(&answers, op, n);
	scan_carry_start(op, carry);
	for (int64_t from = 0; holds && from < n && answers.status == SCAN_OK; from += cut)
	{
		Slot		slot = {NULL, 0, {0}};
		int64_t		rows = n - from < cut ? n - from : cut;
		ScanGpuCode code = SCAN_GPU_NOT_PROVEN;

		if (scan_carry_serialize(op->line, column.param, carry, there))
		{
			slot.job.n = (uint64_t) rows;
			slot_operation(&slot, &column, from, rows, extent, there);
			code = slot_run(&slot);
		}
		way[code == SCAN_GPU_OK]++;
		if (code == SCAN_GPU_OK)
		{
			slot_answers(&slot, 0, op, from, rows, &answers);
			memcpy(there, slot.data + slot.job.operation[0].carry, scan_serialized_size(op->line));
			if (answers.status == SCAN_OK)
			{
				JobColumns columns = columns_of(&column, from, rows);

				/* of one row too many, or too few, it is not taken */
				if (scan_op_id_is_recurrence(op->line) && there->any)
				{
					((SerializedRecurrence *) there->acc)->count ^= 1;
					holds = !scan_carry_deserialize(op->line, there, column.param, &columns, carry);
					((SerializedRecurrence *) there->acc)->count ^= 1;
				}
				holds = holds && there->row == answers.done && scan_carry_safe(op->line, there) &&
						scan_carry_deserialize(op->line, there, column.param, &columns, carry);
			}
		}
		else if (code == SCAN_GPU_NOT_PROVEN)
			rows_on_cpu(&column, extent, from, rows, carry, &answers);
		else
			holds = false;
		slot_free(&slot);
	}
	holds = holds && law_answers_differ(op, &expected, &answers) == -2;
	law_answers_free(&expected);
	law_answers_free(&answers);
	law_column_free(&column);
	law_memory_free();
	free(carry);
	free(there);
	return holds;
}

/* Columns of several chunks, hard to prove and easy; heads and NULLs are drawn. */
static void
recurrences_hold(const ScanOp *op)
{
	static const int64_t cuts[] = {8, 1000, 4096, 4104, 8192, 16384};
	char				 text[160];

	for (int kind = 0; kind < 3; kind++)
	{
		long way[2] = {0, 0};
		bool holds = true;

		for (int c = few ? 1 : 0; c < 6; c++)
			for (int round = 0; round < (few ? 6 : 12); round++)
				holds = cut_holds(op, 13000, cuts[c], (ScanExtent) (round % 2), kind, way) && holds;
		/*
		 * Of the easy ones a tie in a thousand heads stays here, of the others some go and some do not.  The sanitizer
		 * sees too few columns for a share: one tie keeps a whole column here.
		 */
		if (!few)
			holds = holds && (kind == 1 || way[0] > 0) && way[1] > (kind == 1 ? share(op, 200) * way[0] : 0);
		snprintf(text, sizeof(text), "a device's %s %s of kind %d in pieces: %ld there, %ld on the CPU (%s)",
				 op->function, op->type, kind, way[1], way[0], label);
		law_report(holds, text);
	}
}

static bool
is_safe(int32_t count, double y, double start, double h, double bound)
{
	SerializedRecurrence serialized;

	memset(&serialized, 0, sizeof(serialized));
	serialized.count = count;
	serialized.y[0] = y;
	serialized.start[1] = start;
	serialized.pair[0].h = h;
	serialized.pair[SERIALIZED_ORDERS - 1].bound = bound;
	return serialized_recurrence_safe(&serialized);
}

static void
carries_hold(void)
{
	double inf = (double) INFINITY;

	law_report(is_safe(1, 0, 0, 0, 0) && is_safe(RECURRENCE_CHUNK, 0, 0, inf, inf) && !is_safe(0, 0, 0, 0, 0) &&
				   !is_safe(-1, 0, 0, 0, 0) && !is_safe(RECURRENCE_CHUNK + 1, 0, 0, 0, 0) &&
				   !is_safe(7, (double) NAN, 0, 0, 0) && !is_safe(7, 0, inf, 0, 0) && !is_safe(7, 0, 0, inf, 0) &&
				   !is_safe(7, 0, 0, 0, (double) NAN),
			   "recurrences that cannot be gone on from");
}

/* Numbers of a job changed at random: refused, or run without harm. */
static bool
nonsense_holds(const ScanOp *op, int rounds, long *refused)
{
	static const uint64_t numbers[] = {0, 1, 2, 7, 64, 255, 256, 4096, 1u << 20, UINT32_MAX, INT64_MAX, UINT64_MAX};

	bool holds = true;

	for (int round = 0; round < rounds; round++)
	{
		LawColumn	  column;
		Slot		  slot = {NULL, 0, {0}};
		ScanCarry	 *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
		uint64_t	  n = law_random() % 200, keys[200];
		uint32_t	  used[] = {offsetof(WireJob, input) / 4, 4 * sizeof(WireInput) / 4, sizeof(WireOperation) / 4};
		uint32_t	  words, at;
		ScanGpuCode	  code;
		WireOperation sent;
		WireJob		  asked;

		column_draw(&column, op, (int64_t) n, (int) (law_random() % 3));
		scan_carry_start(op, carry);
		for (uint64_t i = 0; i < n; i++)
			keys[i] = law_random();
		slot.job.n = n;
		if (round % 2 == 0)
		{
			slot.job.key_bits = 17;
			slot.job.keys = slot_reserve(&slot, keys, n * 8);
		}
		slot_operation(&slot, &column, 0, (int64_t) n, SCAN_INCLUSIVE, carry);
		sent = slot.job.operation[0];
		/* the header, the inputs there are, the operation; two changes */
		words = used[0] + used[1] + used[2];
		for (int change = 0; change < 2; change++)
		{
			uint64_t number = numbers[law_random() % (sizeof(numbers) / sizeof(numbers[0]))];

			at = (uint32_t) (law_random() % words);
			if (at >= used[0] + used[1])
				at = (uint32_t) offsetof(WireJob, operation) / 4 + at - used[0] - used[1];
			memcpy((char *) &slot.job + at * 4, &number, at % 2 == 0 ? 8 : 4);
		}
		/* and the arguments themselves */
		if (sent.param_size >= 4 && law_random() % 2 == 0)
			memcpy(slot.data + sent.param +
					   law_random() % (law_random() % 2 == 0 && sent.param_size > 24 ? 6 : sent.param_size / 4) * 4,
				   &numbers[law_random() % (sizeof(numbers) / sizeof(numbers[0]))], 4);
		if (slot.job.fault != SCAN_FAULT_NONE)
			slot.job.fault = SCAN_FAULT_OOM; /* the others do what they say */
		asked = slot.job;
		code = slot_run(&slot);
		*refused += code == SCAN_GPU_REFUSED;
		if (code == SCAN_GPU_OK && asked.operations == 1 && asked.operation[0].line == sent.line)
			holds = holds && asked.operation[0].carry_size == sent.carry_size &&
					(asked.operation[0].param_size == sent.param_size || asked.operation[0].param_size == 0) &&
					asked.partition_bits <= asked.key_bits;
		slot_free(&slot);
		law_column_free(&column);
		free(carry);
	}
	return holds;
}

static void
line_holds(const ScanOp *op)
{
	static const uint32_t bits[] = {0, 1, 2, 8, 13, 31, 40, 63, 64};
	static const int64_t  rows[] = {0, 1, 2, 63, 64, 65, 1000, MOST};
	bool				  holds = true;
	long				  refused = 0, way[2] = {0, 0};
	char				  text[160];

	for (int b = 0; b < 9; b++)
		for (int r = 0; r < 8; r++)
			if (!few || (b + r) % 3 == 0)
				holds = job_holds(op, rows[r], bits[b], bits[b] == 0 ? 0 : (uint32_t) (law_random() % (bits[b] + 1)),
								  way) &&
						holds;
	for (int64_t cut = 8; cut < MOST; cut = cut * 5 / 8 * 8 + 8)
		for (int extent = 0; extent < 2; extent++)
			holds = cut_holds(op, MOST, cut, (ScanExtent) extent, any_kind(op), way) && holds;
	holds = holds && way[1] > (scan_op_id_is_recurrence(op->line) ? share(op, 20) : INT32_MAX) * way[0];
	/* a place that was moved makes bytes of rubbish flags, which the sanitizer minds and nobody else */
	if (!few || strcmp(op->type, "bool") != 0)
	{
		holds = nonsense_holds(op, few ? 2000 : 4000, &refused) && holds;
		holds = holds && refused >= 1000;
	}
	snprintf(text, sizeof(text), "a device's jobs of %s %s, %ld refused (%s)", op->function, op->type, refused, label);
	law_report(holds, text);
}

/* A recurrence of a higher order than a device has does not leave its process. */
static void
orders_hold(void)
{
	static GrowingRecurrence g;
	SerializedRecurrence	 state;
	RecurrenceParam			 param;
	bool					 holds = true;

	memset(&param, 0, sizeof(param));
	for (int order = 1; order <= SERIALIZED_ORDERS + 2; order++)
	{
		size_t size;
		bool   ok, goes = order <= SERIALIZED_ORDERS;
		char   room[sizeof(RecurrenceParam)] __attribute__((aligned(16)));

		param.order = order;
		param.width = (size_t) order * sizeof(double);
		growing_start(&g, order, param.init);
		holds = holds && scan_serializes(SCAN_OP_recurrence_vector, &param) == goes &&
				scan_param_encode(SCAN_OP_recurrence_vector, &param, room, sizeof(room), &size) == goes &&
				growing_serialize(&g, &state) == goes;
		memcpy(room, &param, sizeof(param));
		size = sizeof(param);
		(void) scan_param_decode(SCAN_OP_recurrence_vector, room, size, &ok);
		holds = holds && ok == goes;
	}
	law_report(holds, "orders of recurrences that a device takes");
}

/* Rows without a value since the head leave a state as it is: the device has none. */
static void
no_values_hold(void)
{
	static OrderedRecurrence recurrence, recurrence_before;
	static ema_float8_acc	 ema, ema_before;
	RecurrenceParam			 param;
	EmaParam				 ema_param;
	SerializedRecurrence	 none;
	SerializedEma			 ema_none;

	memset(&param, 0, sizeof(param));
	memset(&ema_param, 0, sizeof(ema_param));
	memset(&none, 0, sizeof(none));
	memset(&ema_none, 0, sizeof(ema_none));
	recurrence.y = recurrence_before.y = 7.5;
	ema.y = ema_before.y = 7.5;
	recurrence_deserialize(&none, &param, NULL, NULL, NULL, 0, &recurrence);
	ema_deserialize(&ema_none, &ema_param, NULL, NULL, 0, &ema);
	law_report(memcmp(&recurrence, &recurrence_before, sizeof(recurrence)) == 0 &&
				   memcmp(&ema, &ema_before, sizeof(ema)) == 0,
			   "states of a device without a value");
}

/* A device counts rows by int32: more of them are refused, however large the slot is. */
static void
sizes_hold(void)
{
	static char		  data[WIRE_ALIGN]; /* the first bytes of a slot of a terabyte, of which none is read */
	static WireJob	  wire;
	static ScanGpuJob job;
	bool			  good, too_many;

	wire.key_bits = 8;
	wire.n = INT32_MAX;
	good = job_of_wire(&wire, data, UINT64_C(1) << 40, &job);
	wire.n++;
	too_many = job_of_wire(&wire, data, UINT64_C(1) << 40, &job);
	law_report(good && !too_many, "a job has less than 2^31 rows");
}

int
main(int argc, char **argv)
{
	ScanGpuOptions options;
	ScanGpuInfo	   info;
	char		   reason[WIRE_REASON];

	if (argc > 1)
		label = argv[1];
	few = argc > 2;
	law_orders = SERIALIZED_ORDERS;
	memset(&options, 0, sizeof(options));
	library = scan_gpu_library();
	device = library->open(&options, &info, reason, sizeof(reason));
	for (int i = 0; scan_op_at(i) != NULL; i++)
	{
		if (scan_op_at(i)->line != i)
			law_report(false, "lines are numbered in the order of the table");
		/* its own numbers: a line that is new leaves the columns of the others as they were */
		law_seed = 100 + (uint64_t) i;
		if (scan_op_id_has_frames(i))
			frames_hold(scan_op_at(i));
		else if (scan_op_id_serializes(i))
			line_holds(scan_op_at(i));
		if (scan_op_id_is_recurrence(i))
			recurrences_hold(scan_op_at(i));
	}
	carries_hold();
	sizes_hold();
	orders_hold();
	no_values_hold();
	library->close(device);
	return law_failures != 0;
}

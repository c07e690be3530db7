/*
 * recurrence.cu: starts the kernels of rows.cuh, of chunk.cuh and, through vector.cu, of vector.cuh; lines.cu calls it.
 *
 * The rows that begin a chunk are found by counting, with the kernels of the line count_bool: the valid rows, the valid
 * rows since the head, and the chunks.  A column of one segment without NULLs, the usual case, needs no counts.
 */
#include "chunk.cuh"
#include "rows.cuh"

/* Hands out parts of the memory `at`; if `at` is NULL, only counts their bytes. */
typedef struct Room
{
	char  *at;
	size_t used;
} Room;

static void *
take(Room *room, size_t size)
{
	char *p = room->at == NULL ? NULL : room->at + room->used;

	room->used += (size + 255) / 256 * 256;
	return p;
}

/* Memory for the counts beside their columns. */
typedef struct Counting
{
	bool *ones;
	void *room;
	void *zeroed[3]; /* of each count */
	void *answer;	 /* of all: nothing reads it */
} Counting;

static int64_t
chunks_at_most(int64_t n, bool heads)
{
	return heads ? n : n / RECURRENCE_CHUNK + 2;
}

static void
lay_out(Room *room, int64_t n, int order, bool columns, bool nulls, bool heads, RecurrenceArgs *a, Counting *counting)
{
	size_t	rows = (size_t) n;
	int64_t chunks = chunks_at_most(n, heads), slots = chunks_at_most(n, false);

	if (nulls)
	{
		a->rank = (const int64_t *) take(room, rows * sizeof(int64_t));
		if (columns)
			a->lay_a = (double *) take(room, rows * (size_t) order * sizeof(double));
		a->lay_b = (double *) take(room, rows * sizeof(double));
	}
	if (heads)
		a->since = (const int64_t *) take(room, rows * sizeof(int64_t));
	if (nulls || heads)
	{
		a->flag = (bool *) take(room, rows);
		a->chunk = (const int64_t *) take(room, rows * sizeof(int64_t));
		counting->ones = (bool *) take(room, rows);
		counting->room = take(room, line_room(SCAN_OP_count_bool, n, nulls, heads));
	}
	a->y = (double *) take(room, rows * sizeof(double));
	a->chunks = (Chunk *) take(room, (size_t) chunks * sizeof(Chunk));
	a->totals = take(room, (size_t) slots * COMPANION_PAIRS(order) * sizeof(RecurrencePair));
	a->ends = (double *) take(room, (size_t) slots * (size_t) order * sizeof(double));
}

/* Lays out the memory that is zero before the first kernel. */
static void
lay_out_zeroed(Room *room, int64_t n, bool nulls, bool heads, RecurrenceArgs *a, Counting *counting)
{
	a->differ = (uint32_t *) take(room, sizeof(uint32_t));
	if (!nulls && !heads)
		return;
	for (void *&zeroed : counting->zeroed)
	{
		/* some counts have NULLs or heads and some have none */
		size_t dense = line_zeroed(SCAN_OP_count_bool, n, false, false);
		size_t sparse = line_zeroed(SCAN_OP_count_bool, n, true, true);

		zeroed = take(room, dense > sparse ? dense : sparse);
	}
	counting->answer = take(room, line_answer_size(SCAN_OP_count_bool));
}

size_t
recurrence_zeroed(int64_t n, bool nulls, bool heads)
{
	Room		   room = {NULL, 0};
	RecurrenceArgs a;
	Counting	   counting;

	lay_out_zeroed(&room, n, nulls, heads, &a, &counting);
	return room.used;
}

static size_t
room_of(int64_t n, int order, bool columns, bool nulls, bool heads)
{
	Room		   room = {NULL, 0};
	RecurrenceArgs a;
	Counting	   counting;

	lay_out(&room, n, order, columns, nulls, heads, &a, &counting);
	return room.used;
}

size_t
recurrence_room(int64_t n, bool nulls, bool heads)
{
	return room_of(n, 1, true, nulls, heads);
}

/* Room for the highest order, whatever the order is; without NULLs the difference is very small. */
size_t
vector_room(int64_t n, bool nulls, bool heads)
{
	return room_of(n, SERIALIZED_ORDERS, true, nulls, heads);
}

size_t
ema_room(int64_t n, bool nulls, bool heads)
{
	return room_of(n, 1, false, nulls, heads);
}

/*
 * to[i] := number of true, valid values among from[0 .. i] since the last head; before the first head the count starts
 * from `before`.
 */
static void
count(const RecurrenceArgs *a, const Counting *counting, int which, const bool *from, const uint8_t *valid,
	  const uint8_t *heads, int64_t before, const int64_t *to, cudaStream_t stream)
{
	double	   memory[(sizeof(ScanCarry) + sizeof(count_bool_acc)) / sizeof(double) + 1] = {0};
	ScanCarry *carry = (ScanCarry *) memory;
	LineScan   scan;

	carry->any = before > 0;
	memcpy(carry->acc, &before, sizeof(before));
	memset(&scan, 0, sizeof(scan));
	scan.line = SCAN_OP_count_bool;
	scan.n = a->n;
	scan.carry = carry;
	scan.in = from;
	scan.valid = valid;
	scan.heads = heads;
	scan.out = (void *) to;
	scan.room = counting->room;
	scan.zeroed = counting->zeroed[which];
	scan.answer = counting->answer;
	(void) line_start(&scan, stream);
}

static void
find_chunks(RecurrenceArgs *a, const Counting *counting, unsigned blocks, cudaStream_t stream)
{
	(void) cudaMemsetAsync(counting->ones, 1, (size_t) a->n, stream);
	if (a->rank != NULL)
		count(a, counting, 0, counting->ones, a->valid, NULL, 0, a->rank, stream);
	if (a->since != NULL)
		count(a, counting, 1, counting->ones, a->valid, a->heads, a->any ? a->serialized.count : 0, a->since, stream);
	LAUNCH(recurrence_flag, blocks, ROW_THREADS, stream, *a);
	count(a, counting, 2, a->flag, NULL, NULL, 0, a->chunk, stream);
	LAUNCH(recurrence_lay, blocks, ROW_THREADS, stream, *a);
}

/* Sets the state from which the first row continues.  Returns false if the carry's number of rows is impossible. */
static bool
continue_from(RecurrenceArgs *a, const SerializedRecurrence *serialized)
{
	a->serialized = *serialized;
	for (int j = 0; j < SERIALIZED_ORDERS; j++)
		a->pair[j] = serialized->count == RECURRENCE_CHUNK ? pair_of(serialized->y[j]) : serialized->pair[j];
	return !a->any || (serialized->count >= 1 && serialized->count <= RECURRENCE_CHUNK);
}

static void
args_of_scan(const LineScan *scan, RecurrenceArgs *a)
{
	memset(a, 0, sizeof(*a));
	a->order = 1;
	a->valid = scan->valid;
	a->heads = scan->heads;
	a->out = (double *) scan->out;
	a->out_valid = scan->out_valid;
	a->n = scan->n;
	a->exclusive = scan->extent == SCAN_EXCLUSIVE;
	a->any = scan->carry->any;
	memcpy(&a->pending, &scan->carry->pending, sizeof(a->pending));
	a->answer = (RecurrenceAnswer *) scan->answer;
}

/* True if the answers are computed in the output column, so that the step "show" is not needed. */
static bool
shows_in_place(const RecurrenceArgs *a)
{
	return a->valid == NULL && a->heads == NULL && !a->exclusive;
}

/* The step "lay": finds the chunks, and copies the valid rows if there are NULLs. */
static void
lay(const LineScan *scan, RecurrenceArgs *a, cudaStream_t stream)
{
	Room	 room = {(char *) scan->room, 0}, zeroed = {(char *) scan->zeroed, 0};
	Counting counting;

	memset(&counting, 0, sizeof(counting));
	lay_out(&room, a->n, a->order, a->in_a != NULL, a->valid != NULL, a->heads != NULL, a, &counting);
	lay_out_zeroed(&zeroed, a->n, a->valid != NULL, a->heads != NULL, a, &counting);
	a->a = a->lay_a != NULL ? a->lay_a : a->in_a;
	a->b = a->lay_b != NULL ? a->lay_b : a->in_b;
	a->few = a->heads != NULL ? CHUNK_FEW : 0;
	if (shows_in_place(a))
		a->y = a->out;
	if (a->chunk != NULL)
		find_chunks(a, &counting, blocks_of(a->n), stream);
	else
	{
		int64_t before = a->any ? a->serialized.count % RECURRENCE_CHUNK : 0;

		a->even = (before + a->n + RECURRENCE_CHUNK - 1) / RECURRENCE_CHUNK;
		LAUNCH(recurrence_lay_even, blocks_of(a->even), ROW_THREADS, stream, *a);
	}
}

/* Blocks that take chunks in turn, at most: more than run at once. */
#define CHUNK_BLOCKS 4096

static unsigned
chunk_blocks(int64_t chunks)
{
	return (unsigned) (chunks < CHUNK_BLOCKS ? chunks : CHUNK_BLOCKS);
}

void
recurrence_answer(const RecurrenceArgs &a, const RecurrenceKernels &kernels, cudaStream_t stream)
{
	int64_t full = a.n / RECURRENCE_CHUNK + 2; /* full chunks, one that an earlier job began, and the last one */
	int64_t chunks = chunks_at_most(a.n, a.heads != NULL);

	LAUNCH(kernels.totals, chunk_blocks(full), SCAN_THREADS, stream, a);
	if (a.heads == NULL)
		LAUNCH(kernels.carry_one, 1, SCAN_THREADS, stream, a);
	else
		LAUNCH(kernels.carry, blocks_of(chunks), ROW_THREADS, stream, a);
	LAUNCH(kernels.answers, chunk_blocks(a.few > 0 ? a.n / a.few + 1 : full), SCAN_THREADS, stream, a);
	if (a.few > 0)
		LAUNCH(kernels.answers_few, blocks_of(chunks), ROW_THREADS, stream, a);
}

/* Starts "totals", "carry" and "answers" of a recurrence of first order. */
template <int KIND>
static void
answer(const RecurrenceArgs &a, cudaStream_t stream)
{
	const RecurrenceKernels kernels = {recurrence_totals<KIND>, recurrence_carry_one<1>, recurrence_carry<1>,
									   recurrence_answers<KIND>, recurrence_answers_few<KIND>};

	recurrence_answer(a, kernels, stream);
}

static void
show(const RecurrenceArgs &a, cudaStream_t stream)
{
	if (!shows_in_place(&a))
		LAUNCH(recurrence_show, blocks_of(a.n), ROW_THREADS, stream, a);
}

/* ---- the lines ---- */

ScanGpuCode
recurrence_start_line(const LineScan *scan, cudaStream_t stream)
{
	const RecurrenceParam *p = (const RecurrenceParam *) scan->param;
	RecurrenceArgs		   a;

	args_of_scan(scan, &a);
	a.in_a = (const double *) scan->in;
	a.in_b = (const double *) scan->in2;
	a.order = p->order;
	memcpy(a.init, p->init, sizeof(a.init));
	if (a.order < 1 || a.order > SERIALIZED_ORDERS ||
		!continue_from(&a, (const SerializedRecurrence *) scan->carry->acc))
		return SCAN_GPU_NOT_PROVEN;
	lay(scan, &a, stream);
	if (a.order == 1)
		answer<ROWS_COLUMNS>(a, stream);
	else
		vector_answer(a, scan, stream);
	show(a, stream);
	return SCAN_GPU_OK;
}

ScanGpuCode
ema_start_line(const LineScan *scan, cudaStream_t stream)
{
	const EmaParam		*p = (const EmaParam *) scan->param;
	const SerializedEma *serialized = (const SerializedEma *) scan->carry->acc;
	RecurrenceArgs		 a;

	args_of_scan(scan, &a);
	a.in_b = (const double *) scan->in;
	a.keep = 1 - p->alpha;
	a.scale = p->adjust ? 1.0 : p->alpha;
	a.in_first_chunk = serialized->in_first_chunk != 0;
	if (!continue_from(&a, &serialized->above) ||
		(a.any && p->adjust && serialized->below.count != serialized->above.count))
		return SCAN_GPU_NOT_PROVEN;
	lay(scan, &a, stream);
	answer<ROWS_AVERAGE>(a, stream);
	if (p->adjust)
	{
		(void) continue_from(&a, &serialized->below);
		answer<ROWS_WEIGHT>(a, stream);
	}
	show(a, stream);
	return SCAN_GPU_OK;
}

/* Returns false if the answers are not proved.  Otherwise fills in o and its carry, except for the accumulator. */
static bool
finish(const RecurrenceAnswer *answer, int64_t n, ScanGpuOperation *o)
{
	if (answer->result.lost != 0)
		return false;
	o->has_nulls = answer->result.has_nulls != 0;
	o->status = SCAN_OK;
	o->done = n;
	o->carry->row += n;
	o->carry->any = answer->any;
	memcpy(&o->carry->pending, &answer->pending, sizeof(answer->pending));
	o->carry->pending_status = answer->any ? SCAN_OK : SCAN_NULL;
	return true;
}

ScanGpuCode
recurrence_finish_line(const void *from, int64_t n, ScanGpuOperation *o)
{
	const RecurrenceAnswer *answer = (const RecurrenceAnswer *) from;

	if (!finish(answer, n, o))
		return SCAN_GPU_NOT_PROVEN;
	if (answer->serialized[0].count > 0)
		memcpy(o->carry->acc, &answer->serialized[0], sizeof(answer->serialized[0]));
	return SCAN_GPU_OK;
}

ScanGpuCode
ema_finish_line(const void *from, int64_t n, ScanGpuOperation *o)
{
	const RecurrenceAnswer *answer = (const RecurrenceAnswer *) from;
	const EmaParam		   *p = (const EmaParam *) o->param;
	SerializedEma			serialized;

	if (!finish(answer, n, o))
		return SCAN_GPU_NOT_PROVEN;
	memset(&serialized, 0, sizeof(serialized));
	serialized.above = answer->serialized[0];
	serialized.below = answer->serialized[p->adjust ? 1 : 0];
	serialized.in_first_chunk = answer->in_first_chunk ? 1 : 0;
	if (serialized.above.count > 0)
		memcpy(o->carry->acc, &serialized, sizeof(serialized));
	return SCAN_GPU_OK;
}

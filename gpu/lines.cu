/*
 * lines.cu: the kernels of all lines of list.h, for cuda.cu (see lines.h).  Every SCAN_ROW and SCAN_KERNEL line has two
 * kernels of scan.cuh: with NULLs or heads, and without.  Functions and types are not named here, except in
 * ordered_entry(), for the SCAN_ORDERED lines.  The SCAN_FRAMED lines have one kernel of frame.cuh each.
 */
#include "lines.h"

#include "frame.h"
#include "recurrence.h"
#include "scan.cuh"

/* What line_finish() reads: one struct, so that one copy brings it to the host. */
template <typename D> struct LineAnswer
{
	ScanResult	result;
	CarryOut<D> carry;
};

template <typename D>
static int64_t
tiles_of(int64_t n)
{
	return (n + Tile<D>::ROWS - 1) / Tile<D>::ROWS;
}

#define TICKET_SIZE 256 /* bytes of the ticket, before the slots; keeps them aligned */

template <typename D, bool BITS> struct LineSlots
{
	typedef typename SlotsOf<typename ItemsOf<D, BITS>::type>::type type;
};

template <typename D>
static size_t
room_of(int64_t n, bool nulls, bool heads)
{
	int64_t tiles = tiles_of<D>(n);

	return nulls || heads ? LineSlots<D, true>::type::room(tiles) : LineSlots<D, false>::type::room(tiles);
}

template <typename D>
static size_t
zeroed_of(int64_t n, bool nulls, bool heads)
{
	int64_t tiles = tiles_of<D>(n);

	return TICKET_SIZE +
		   (nulls || heads ? LineSlots<D, true>::type::zeroed(tiles) : LineSlots<D, false>::type::zeroed(tiles));
}

template <typename D>
static bool
args_of(const LineScan *scan, ScanArgs<D> *a)
{
	LineAnswer<D> *answer = (LineAnswer<D> *) scan->answer;
	size_t		   param_size = scan_param_fixed_size(scan->line);

	memset(a, 0, sizeof(*a));
	a->in = (const typename D::In *) scan->in;
	a->valid = scan->valid;
	a->heads = scan->heads;
	a->out = (typename D::Out *) scan->out;
	a->out_valid = scan->out_valid;
	a->n = scan->n;
	a->exclusive = scan->extent == SCAN_EXCLUSIVE;
	a->row = scan->carry->row;
	memcpy(&a->pending, &scan->carry->pending, sizeof(a->pending));
	a->pending_status = scan->carry->pending_status;
	a->any = scan->carry->any;
	if (a->any && !acc_of_carry<typename D::Acc>(scan->carry->acc, &a->acc))
		return false;
	a->ticket = (uint32_t *) scan->zeroed;
	a->slots = (char *) scan->zeroed + TICKET_SIZE;
	a->room = scan->room;
	a->result = &answer->result;
	a->carry = &answer->carry;
	a->has_param = scan->param != NULL && param_size > 0;
	if (a->has_param)
		memcpy(a->param, scan->param, param_size);
	return true;
}

/* Starts the kernel with NULLs and heads (BITS), or the one without. */
template <typename D, bool BITS>
static void
launch(const LineScan *scan, const ScanArgs<D> &a, cudaStream_t stream)
{
	auto kernel = scan_tiles<D, BITS>;

	LAUNCH(kernel, (unsigned) tiles_of<D>(scan->n), SCAN_THREADS, stream, a);
}

template <typename D>
static ScanGpuCode
start(const LineScan *scan, cudaStream_t stream)
{
	static_assert(sizeof(ClampParam) <= SCAN_PARAM_ROOM, "room");
	ScanArgs<D> a;

	if (!args_of(scan, &a))
		return SCAN_GPU_NOT_PROVEN;
	if (scan->valid == NULL && scan->heads == NULL)
		launch<D, false>(scan, a, stream);
	else
		launch<D, true>(scan, a, stream);
	return SCAN_GPU_OK;
}

template <typename D>
static ScanGpuCode
finish(const void *from, int64_t n, ScanGpuOperation *o)
{
	const LineAnswer<D> *answer = (const LineAnswer<D> *) from;
	uint64_t			 error = ~answer->result.no_error;

	if (answer->result.lost != 0)
		return SCAN_GPU_NOT_PROVEN;
	o->has_nulls = answer->result.has_nulls != 0;
	o->status = SCAN_OK;
	o->done = n;
	if (error != NO_ERROR_ROW)
	{
		o->status = (int32_t) (error & 0xff);
		o->done = (int64_t) (error >> 8);
		return SCAN_GPU_OK;
	}
	o->carry->row += n;
	memcpy(&o->carry->pending, &answer->carry.pending, sizeof(answer->carry.pending));
	o->carry->pending_status = answer->carry.pending_status;
	o->carry->any = answer->carry.any;
	if (answer->carry.any)
		carry_of_acc<typename D::Acc>(o->param, &answer->carry.acc, o->carry->acc);
	return SCAN_GPU_OK;
}

/* ---- by number ---- */

typedef struct LineEntry
{
	ScanGpuCode (*start)(const LineScan *scan, cudaStream_t stream); /* NULL: the line does not run here */
	ScanGpuCode (*finish)(const void *answer, int64_t n, ScanGpuOperation *o);
	size_t (*room)(int64_t n, bool nulls, bool heads);
	size_t (*zeroed)(int64_t n, bool nulls, bool heads);
	size_t answer_size;
	size_t out_size;
} LineEntry;

template <typename D>
constexpr LineEntry
entry_of()
{
	return {start<D>, finish<D>, room_of<D>, zeroed_of<D>, sizeof(LineAnswer<D>), sizeof(typename D::Out)};
}

/* A SCAN_ORDERED line has kernels of its own, or a binding, or does not run on the device. */
static constexpr LineEntry
ordered_entry(int line)
{
	switch (line)
	{
		case SCAN_OP_recurrence_float8:
			return {recurrence_start_line, recurrence_finish_line,	 recurrence_room,
					recurrence_zeroed,	   sizeof(RecurrenceAnswer), sizeof(double)};
		case SCAN_OP_recurrence_vector:
			return {recurrence_start_line, recurrence_finish_line,	 vector_room,
					recurrence_zeroed,	   sizeof(RecurrenceAnswer), sizeof(double)};
		case SCAN_OP_ema_float8:
			return {ema_start_line,	   ema_finish_line,			 ema_room,
					recurrence_zeroed, sizeof(RecurrenceAnswer), sizeof(double)};
		case SCAN_OP_clamped_sum_float8:
			return entry_of<pair_clamped_sum_float8_binding>();
		default:
			return {NULL, NULL, NULL, NULL, 0, 0};
	}
}

/* All lines of frames share the functions of frame.h; they need no room of either kind. */
static constexpr LineEntry
framed_entry(size_t out_size)
{
	return {frame_start_line, frame_finish_line, frame_room, frame_room, sizeof(FrameAnswer), out_size};
}

/* in the order of ScanOpId */
static constexpr LineEntry entries[] = {
#define SCAN_ROW(function, type, arguments, result, flags, call) \
	entry_of<DeviceBinding<SCAN_OP_##function##_##type>::Is>(),
#define SCAN_KERNEL(function, type, flags) entry_of<DeviceBinding<SCAN_OP_##function##_##type>::Is>(),
#define SCAN_ORDERED(function, type, second, flags) ordered_entry(SCAN_OP_##function##_##type),
#define SCAN_FRAMED(function, type) framed_entry(sizeof(function##_##type##_out)),
#include "op/list.h"
};

/* Returns the largest answer of a line. */
static constexpr size_t
largest_answer()
{
	size_t largest = 0;

	for (const LineEntry &entry : entries)
		largest = entry.answer_size > largest ? entry.answer_size : largest;
	return largest;
}

static_assert(largest_answer() <= LINE_ANSWER_MAX, "an answer has LINE_ANSWER_MAX bytes on the host");

bool
line_is_here(int line)
{
	return line >= 0 && line < SCAN_OPS && entries[line].start != NULL;
}

size_t
line_room(int line, int64_t n, bool nulls, bool heads)
{
	return entries[line].room(n, nulls, heads);
}

size_t
line_zeroed(int line, int64_t n, bool nulls, bool heads)
{
	return entries[line].zeroed(n, nulls, heads);
}

size_t
line_answer_size(int line)
{
	return entries[line].answer_size;
}

size_t
line_out_size(int line)
{
	return entries[line].out_size;
}

ScanGpuCode
line_start(const LineScan *scan, cudaStream_t stream)
{
	return entries[scan->line].start(scan, stream);
}

ScanGpuCode
line_finish(const void *answer, int64_t n, ScanGpuOperation *o)
{
	return entries[o->line].finish(answer, n, o);
}

/*
 * key.c: sorts rows by their keys, and marks where a partition or peer group begins.
 *
 * The numbers of the keys (normalize.h), one key after the other, are one long number.  Rows are sorted by it in
 * stages: by as many of its first bits as fit in a word above the row's number, then by the next bits within each run
 * of rows that are equal so far, and so on.  A key whose numbers do not tell its whole order ends a stage: its values
 * are then compared within each run.  The order's `peers`, which say where a row differs from the one before, delimit
 * the runs; after the last stage they are the result.
 *
 * A key that the node returns need not be kept beside the words that contain it.  If there are such keys, the whole
 * words of the first stage are kept, not only the rows' numbers.  A later stage then permutes the row numbers among
 * words whose other bits are equal.
 *
 * Rejected: items of several words, sorted by each word in turn.  The first word nearly always decides, and twice the
 * memory is moved.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "op/limbs.h"
#include "sort/internal.h"
#include "sort/key.h"
#include "sort/normalize.h"

#define FEW_ROWS 16 /* at most so many rows are compared without sorting them by a guess first */

typedef struct Stage
{
	WordLayout layout;
	int		   order_bits; /* how many of the stage's bits, its last ones, are of ORDER BY keys */
	SortKey	  *compared;   /* the stage's last key if its values are compared at the end, else NULL */
} Stage;

/* Working memory that grows with the runs of equal rows. */
typedef struct Room
{
	MergeItem *item; /* or two words each */
	int64	   items;
} Room;

typedef struct Sorter
{
	const SortRequest *request;
	SortOrder		  *order; /* the result */
	SortKey			  *key;
	int				   stages;
	Stage			  *stage;
	int				   first_keys; /* number of first keys whose numbers are wholly in the first stage */
	uint64			   before;	   /* first stage: the last word taken */
	Room			   scratch;	   /* an item for each row of a run */
	Room			   half;	   /* half as many items */
} Sorter;

/* Returns the bits of a row's number, of n rows. */
static int
row_bits_of(int64 n)
{
	return n <= 1 ? 0 : bit_length((uint64) n - 1);
}

/* ---- stages ---- */

static Stage *
add_stage(Sorter *sorter)
{
	Stage *stage = &sorter->stage[sorter->stages++];

	memset(stage, 0, sizeof(*stage));
	stage->layout.part = (PackPart *) palloc((sorter->request->columns + 1) * sizeof(PackPart));
	return stage;
}

/* Divides the bits of all keys into stages; a stage has room for `room` bits. */
static void
lay_out_stages(Sorter *sorter, int room)
{
	const SortRequest *request = sorter->request;
	Stage			  *stage = add_stage(sorter);

	for (int k = 0; k < request->columns; k++)
	{
		SortKey *key = &sorter->key[k];

		for (int left = key->pack.bits; left > 0;)
		{
			PackPart *part;

			if (stage->layout.bits == room || stage->compared != NULL)
				stage = add_stage(sorter);
			part = &stage->layout.part[stage->layout.parts++];
			part->pack = &key->pack;
			part->bits = Min(left, room - stage->layout.bits);
			left -= part->bits;
			part->drop = left;
			stage->layout.bits += part->bits;
			if (k >= request->partition)
				stage->order_bits += part->bits;
		}
		if (!key->exact && key->pack.has_values)
		{
			if (stage->compared != NULL)
				stage = add_stage(sorter);
			stage->compared = key;
		}
		else if (sorter->stages == 1 && sorter->first_keys == k)
			sorter->first_keys = k + 1;
	}
	for (int s = 0; s < sorter->stages; s++)
	{
		WordLayout *layout = &sorter->stage[s].layout;
		int			shift = layout->bits;

		sorter->order->bits += layout->bits;
		for (int p = 0; p < layout->parts; p++)
			layout->part[p].shift = shift -= layout->part[p].bits;
	}
}

/* ---- sorting by numbers ---- */

/* Returns memory for n items; `limit` is the most that the sort can need.  Its contents are undefined. */
static MergeItem *
reserve_items(Sorter *sorter, Room *room, int64 n, int64 limit)
{
	Pool *pool = sorter->request->pool;

	if (n > room->items)
	{
		pool_free(pool, room->item);
		room->item = NULL;
		room->items = Min(limit, Max(n, 2 * room->items));
		room->item = (MergeItem *) pool_alloc(pool, room->items * sizeof(MergeItem));
	}
	return room->item;
}

/* Marks the row at `place` if its word differs from the word before; `changed`: the bits that differ. */
static inline void
mark_peer_change(const Sorter *sorter, const WordLayout *layout, int order_bits, int64 place, uint64 changed)
{
	uint8 bit = (uint8) (1 << (place & 7));

	if (changed >> layout->row_bits != 0)
		sorter->order->peers[place >> 3] |= bit;
	if (order_bits < layout->bits && changed >> (layout->row_bits + order_bits) != 0)
		sorter->order->heads[place >> 3] |= bit;
}

/* First stage, called by words.c: takes row numbers and marks from words in order. */
static void
take_words(void *arg, const uint64 *sorted, int64 from, int64 n)
{
	Sorter			 *sorter = (Sorter *) arg;
	const WordLayout *layout = &sorter->stage[0].layout;
	SortOrder		 *order = sorter->order;
	uint64			 *words = order->kind == ORDER_WORDS ? order->words + from : NULL;
	uint32			 *numbers = words == NULL ? order->rows + from : NULL;
	uint64			  rows = (UINT64CONST(1) << layout->row_bits) - 1;
	uint64			  before = from == 0 ? sorted[0] : sorter->before;

	FOR_INTERRUPTIBLE (i, 0, n)
	{
		uint64 word = sorted[i];

		if (words != NULL)
			words[i] = word; /* does nothing if it is there already */
		else
			/* row numbers may overlay words, of which those before are not needed again */
			numbers[i] = (uint32) (word & rows);
		mark_peer_change(sorter, layout, sorter->stage[0].order_bits, from + i, word ^ before);
		before = word;
	}
	sorter->before = before;
}

/*
 * First stage, called by words.c: discards the keys of rows that have been packed for the last time, if no other stage
 * needs them.
 */
static void
discard_keys(void *arg, int64 from, int64 to)
{
	const Sorter *sorter = (const Sorter *) arg;

	for (int k = 0; k < sorter->first_keys; k++)
	{
		const SortKey *key = &sorter->key[k];
		const Column  *column = key->column->data;

		if (key->pack.number != NULL)
			pool_discard(key->pack.number, from * sizeof(uint64), to * sizeof(uint64));
		else if (key->column->expendable && column->by_value &&
				 (!key->column->restored || sorter->order->unpack[key->column->restored_as].whole))
			pool_discard(column->value, from * column->stride, to * column->stride);
	}
}

/* True if the words of the first stage are kept: some key is to be restored from them, and they have all of it. */
static bool
keep_words(const Sorter *sorter)
{
	const WordLayout *layout = &sorter->stage[0].layout;
	bool			  wanted = false;

	if (!sorter->request->keeps_words)
		return false;
	for (int s = 0; s < sorter->stages; s++)
		if (sorter->stage[s].compared != NULL)
			return false; /* comparing sorts row numbers */
	for (int k = 0; k < sorter->first_keys; k++)
	{
		const SortKey *key = &sorter->key[k];
		int			   shift = layout->row_bits;

		if (!key->column->restored)
			continue;
		for (int p = 0; p < layout->parts; p++)
			if (layout->part[p].pack == &key->pack)
				shift += layout->part[p].shift;
		sorter->order->unpack[key->column->restored_as] = pack_inverse(&key->pack, shift);
		wanted = true;
	}
	return wanted;
}

static void
sort_first(Sorter *sorter)
{
	const SortRequest *request = sorter->request;
	SortOrder		  *order = sorter->order;
	WordLayout		  *layout = &sorter->stage[0].layout;
	uint64			  *words = (uint64 *) pool_alloc(request->pool, request->n * sizeof(uint64));
	/* the first stage alone gives the order of the rows */
	bool whole = sorter->stages == 1 && sorter->stage[0].compared == NULL;

	layout->row_bits = row_bits_of(request->n);
	if (keep_words(sorter))
	{
		order->kind = ORDER_WORDS;
		order->words = words;
		order->row_mask = (UINT64CONST(1) << layout->row_bits) - 1;
	}
	else
		order->rows = (uint32 *) words;
	words_sort(&(WordSort){.layout = layout,
						   .n = request->n,
						   .words = words,
						   .pool = request->pool,
						   .sorter = request->sorter,
						   .scans = whole ? request->scans : NULL,
						   .order_bits = sorter->stage[0].order_bits,
						   .packed = discard_keys,
						   .sorted = take_words,
						   .arg = sorter});
}

/* Packs and sorts the words of n rows, in the order `order`.  The low bits of a word are an index into `order`. */
static const uint64 *
sort_words(Sorter *sorter, const WordLayout *layout, const uint32 *order, int64 n)
{
	uint64 *words = (uint64 *) reserve_items(sorter, &sorter->scratch, n, sorter->request->n);

	words_pack(layout, order, n, words);
	return sorter->request->sorter->sort(words, words + n, n, layout->row_bits, layout->row_bits + layout->bits, NULL,
										 64);
}

/* Returns the row numbers at n positions from `from` on, to be reordered; put_numbers() writes them back. */
static uint32 *
take_numbers(Sorter *sorter, int64 from, int64 n)
{
	const SortOrder *order = sorter->order;
	uint32			*numbers;

	if (order->kind == ORDER_ROWS)
		return order->rows + from;
	/* `half` is free: with kept words no values are compared */
	numbers = (uint32 *) reserve_items(sorter, &sorter->half, n / 4 + 1, sorter->request->n / 4 + 1);
	FOR_INTERRUPTIBLE (i, 0, n)
		numbers[i] = (uint32) (order->words[from + i] & order->row_mask);
	return numbers;
}

static void
put_numbers(Sorter *sorter, const uint32 *numbers, int64 from, int64 n)
{
	const SortOrder *order = sorter->order;

	if (order->kind == ORDER_WORDS)
		FOR_INTERRUPTIBLE (i, 0, n)
			order->words[from + i] = (order->words[from + i] & ~order->row_mask) | numbers[i];
}

/* Reorders n row numbers as the sorted words say. */
static void
reorder_row_numbers(Sorter *sorter, uint32 *order, const uint64 *sorted, int64 n, int row_bits)
{
	uint64 *words = (uint64 *) sorter->scratch.item;
	uint32 *before = (uint32 *) (sorted == words ? words + n : words); /* the half of the scratch memory that is free */
	uint64	rows = (UINT64CONST(1) << row_bits) - 1;

	stretch_copy(before, order, n * sizeof(uint32));
	FOR_INTERRUPTIBLE (i, 0, n)
		order[i] = before[sorted[i] & rows];
}

/* Sorts the rows at positions `from` to `to` - 1 by a later stage's numbers, and marks all but the first. */
static void
sort_numbers(Sorter *sorter, Stage *stage, int64 from, int64 to)
{
	int64		  n = to - from;
	uint32		 *numbers = take_numbers(sorter, from, n);
	const uint64 *sorted;

	stage->layout.row_bits = row_bits_of(n);
	sorted = sort_words(sorter, &stage->layout, numbers, n);
	FOR_INTERRUPTIBLE (i, 1, n)
		mark_peer_change(sorter, &stage->layout, stage->order_bits, from + i, sorted[i] ^ sorted[i - 1]);
	reorder_row_numbers(sorter, numbers, sorted, n, stage->layout.row_bits);
	put_numbers(sorter, numbers, from, n);
}

/* Sorts rows by a guess of the order of a key's values. */
static void
sort_by_guess(Sorter *sorter, const SortKey *key, uint32 *order, int64 n)
{
	PackPart   part = {&key->guess, 0, key->guess.bits, 0};
	WordLayout layout = {1, &part, part.bits, row_bits_of(n)};

	if (part.bits > 0)
		reorder_row_numbers(sorter, order, sort_words(sorter, &layout, order, n), n, layout.row_bits);
}

/* ---- sorting by comparing ---- */

/* Sorts the rows at positions `from` to `to` - 1 by the values of a key, and marks all but the first. */
static void
sort_values(Sorter *sorter, SortKey *key, int64 from, int64 to)
{
	const SortRequest *request = sorter->request;
	uint8			  *peers = sorter->order->peers;
	uint32			  *numbers = sorter->order->rows + from;
	int64			   n = to - from;
	MergeItem		  *items;

	if (column_is_null(key->column->data, numbers[0]))
		return; /* then all rows of the run are NULL */
	if (key->guessed && n > FEW_ROWS)
		sort_by_guess(sorter, key, numbers, n);
	items = reserve_items(sorter, &sorter->scratch, n, request->n);
	FOR_INTERRUPTIBLE (i, 0, n)
		items[i] = (MergeItem){(uint64) column_datum(key->column->data, numbers[i]), numbers[i]};
	if (!items_in_order(items, n, &key->support, peers, from))
	{
		items_sort(items, reserve_items(sorter, &sorter->half, n / 2, request->n / 2), n, &key->support);
		(void) items_in_order(items, n, &key->support, peers, from);
	}
	FOR_INTERRUPTIBLE (i, 0, n)
		numbers[i] = (uint32) items[i].row;
	if (key - sorter->key < request->partition)
		FOR_INTERRUPTIBLE (i, from + 1, to)
			scan_bit_put(sorter->order->heads, i, scan_bit(peers, i));
}

/* ---- both ---- */

/* Returns the end of the run of equal rows that starts at `from`. */
static inline int64
peer_run_end(const uint8 *peer, int64 from, int64 to)
{
	do
	{
		CHECK_FOR_INTERRUPTS();
		from++;
	} while (from < to && !scan_bit(peer, from));
	return from;
}

/* Sorts the rows at positions `from` to `to` - 1, which are equal in all stages before stage s. */
static void
sort_stage(Sorter *sorter, int s, int64 from, int64 to)
{
	Stage		*stage = &sorter->stage[s];
	const uint8 *peer = sorter->order->peers;
	int64		 end;

	if (s > 0 && stage->layout.bits > 0)
		sort_numbers(sorter, stage, from, to);
	else if (stage->layout.bits > 0)
		sort_first(sorter);
	for (int64 run = from; run < to && stage->compared != NULL; run = end)
	{
		CHECK_FOR_INTERRUPTS();
		end = peer_run_end(peer, run, to);
		if (end - run > 1)
			sort_values(sorter, stage->compared, run, end);
	}
	for (int64 run = from; run < to && s + 1 < sorter->stages; run = end)
	{
		CHECK_FOR_INTERRUPTS();
		end = peer_run_end(peer, run, to);
		if (end - run > 1)
			sort_stage(sorter, s + 1, run, end);
	}
}

/* ---- orders ---- */

void
sort_order_begin(SortOrder *order, Pool *pool, int64 n)
{
	Size bytes = scan_bit_bytes(n) + 1;

	*order = (SortOrder){.kind = ORDER_ROWS,
						 .n = n,
						 .heads = (uint8 *) pool_alloc(pool, bytes),
						 .peers = (uint8 *) pool_alloc(pool, bytes),
						 .unpack = order->unpack};
	stretch_fill(order->heads, 0, bytes);
	stretch_fill(order->peers, 0, bytes);
	if (n > 0)
		order->heads[0] = order->peers[0] = 1;
}

void
sort_order_number(SortOrder *order, Pool *pool)
{
	order->rows = (uint32 *) pool_alloc(pool, Max(order->n, 1) * sizeof(uint32));
	FOR_INTERRUPTIBLE (i, 0, order->n)
		order->rows[i] = (uint32) i;
}

/* ---- all of it ---- */

static void
sort_keys(const SortRequest *request, SortOrder *order)
{
	Sorter sorter = {.request = request,
					 .order = order,
					 .key = (SortKey *) palloc((request->columns + 1) * sizeof(SortKey)),
					 .stage = (Stage *) palloc((3 * request->columns + 1) * sizeof(Stage))};
	int	   room = 64 - row_bits_of(request->n);
	int	   bits = 0;

	for (int k = 0; k < request->columns; k++)
	{
		normalize_key(&sorter.key[k], &request->column[k], request->n, room, request->pool);
		bits += sorter.key[k].pack.bits;
	}
	for (int k = 0; k < request->columns && bits > room; k++)
		pack_find_unit(&sorter.key[k].pack, request->n);
	lay_out_stages(&sorter, room);
	if (sorter.stage[0].layout.bits == 0)
		sort_order_number(order, request->pool);
	sort_stage(&sorter, 0, 0, request->n);
	pool_free(request->pool, sorter.scratch.item);
	pool_free(request->pool, sorter.half.item);
	for (int k = 0; k < request->columns; k++)
		normalized_free(&sorter.key[k], request->pool);
}

void
sort_rows(const SortRequest *request, SortOrder *order)
{
	MemoryContext memory, old;

	sort_order_begin(order, request->pool, request->n);
	for (int k = 0; k < request->columns; k++)
		if (request->column[k].restored)
			order->unpack[request->column[k].restored_as].whole = false;
	if (request->n <= 1)
	{
		sort_order_number(order, request->pool);
		return;
	}
	memory = AllocSetContextCreate(CurrentMemoryContext, "scan sort", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(memory);
	sort_keys(request, order);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
}

double
sort_row_bytes(const SortColumn *column, int columns)
{
	/* per row: two mark bits; words, which the order overlays, or the order with items and half as many */
	Size numbers = 0, gone = 0;
	bool first = true; /* the keys so far are wholly in the first stage, whatever their values */

	for (int k = 0; k < columns; k++)
	{
		Size width = column_width(column[k].data->format);

		if (normalized_kind(&column[k].order) == PACK_NULLS)
			numbers += sizeof(uint64);
		first = first && numbers == 0 && column[k].expendable && gone + width <= sizeof(uint32);
		gone += first ? width : 0;
	}
	return 2.0 / BITS_PER_BYTE + numbers + (numbers > 0 ? sizeof(uint32) + 3 * sizeof(MergeItem) / 2 : sizeof(uint64)) -
		   gone;
}

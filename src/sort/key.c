/*
 * key.c: the order of rows by sort keys, and where it starts a new group.
 *
 * The numbers of the keys (normalize.h), one key after the other, are one long number,
 * and rows are sorted by it in stages: by as many of its first bits as fit in a word
 * with the row's number below them, by the next bits within each run of rows that are
 * equal in these, and so on.  A key whose numbers do not tell all ends a stage: within
 * each run its values are compared then.  Runs are found by the marks, which say where
 * a row differs from the one before; when the last stage has set them, they are the
 * answer.
 *
 * Rejected: items of several words, sorted by each in turn: the first word nearly
 * always decides, and twice the memory is moved.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "op/limbs.h"
#include "sort/key.h"
#include "sort/merge.h"
#include "sort/normalize.h"
#include "sort/radix.h"

#define PACK_ROWS 1024 /* packed key by key, in the first cache */
#define FEW_ROWS 16	   /* that are compared rather than guessed */

typedef struct Stage
{
	int		  parts;
	PackPart *part;
	int		  bits;		  /* of the parts */
	int		  order_bits; /* and of those of ORDER BY, the last ones */
	SortKey	 *compared;	  /* the last key, if its values are compared at the end */
} Stage;

typedef struct Sorter
{
	SortRequest *request;
	SortKey		*key;
	int			 stages;
	Stage		*stage;
	uint64		*words; /* 2 n of them; or n items to merge, */
	MergeItem	*half;	/* and half as many */
} Sorter;

/* Bits of the number of one of n rows. */
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
	stage->part = (PackPart *) palloc((sorter->request->columns + 1) * sizeof(PackPart));
	return stage;
}

/* Gives the bits of all keys their places; a stage has room for `room`. */
static void
lay_out(Sorter *sorter, int room)
{
	SortRequest *request = sorter->request;
	Stage		*stage = add_stage(sorter);

	for (int k = 0; k < request->columns; k++)
	{
		SortKey *key = &sorter->key[k];

		for (int left = key->pack.bits; left > 0;)
		{
			PackPart *part;

			if (stage->bits == room || stage->compared != NULL)
				stage = add_stage(sorter);
			part = &stage->part[stage->parts++];
			part->pack = &key->pack;
			part->bits = Min(left, room - stage->bits);
			left -= part->bits;
			part->drop = left;
			stage->bits += part->bits;
			if (k >= request->partition)
				stage->order_bits += part->bits;
		}
		if (!key->exact && key->pack.has_values)
		{
			if (stage->compared != NULL)
				stage = add_stage(sorter);
			stage->compared = key;
		}
	}
	for (int s = 0; s < sorter->stages; s++)
	{
		int shift = sorter->stage[s].bits;

		request->bits += sorter->stage[s].bits;
		for (int p = 0; p < sorter->stage[s].parts; p++)
			sorter->stage[s].part[p].shift = shift -= sorter->stage[s].part[p].bits;
	}
}

/* ---- sorting by numbers ---- */

/* Packs the parts for the rows of an order, or the first n, above their place there. */
static void
pack_words(const PackPart *part, int parts, const uint32 *rows, int64 n, int row_bits, uint64 *words)
{
	for (int64 from = 0; from < n; from += PACK_ROWS)
	{
		int count = (int) Min(n - from, PACK_ROWS);

		CHECK_FOR_INTERRUPTS();
		memset(words + from, 0, count * sizeof(uint64));
		for (int p = 0; p < parts; p++)
			pack_add(&part[p], rows == NULL ? NULL : rows + from, from, count, words + from);
		for (int64 i = from; i < from + count; i++)
			words[i] = words[i] << row_bits | (uint64) i;
	}
}

/* Takes the new places of n rows of an order from sorted words. */
static void
reorder(Sorter *sorter, uint32 *order, const uint64 *sorted, int64 n, int row_bits)
{
	uint64 *free = sorted == sorter->words ? sorter->words + sorter->request->n : sorter->words;
	uint32 *before = (uint32 *) free;
	uint64	rows = (UINT64CONST(1) << row_bits) - 1;

	stretch_copy(before, order, n * sizeof(uint32));
	for (int64 from = 0, to; from < n; from = to)
	{
		to = stretch_end(from, n);
		for (int64 i = from; i < to; i++)
			order[i] = before[sorted[i] & rows];
	}
}

/* Sorts the rows at places `from` to `to` - 1 by a stage's numbers, and marks them but for the first. */
static void
sort_numbers(Sorter *sorter, const Stage *stage, int64 from, int64 to, bool in_input_order)
{
	SortRequest	 *request = sorter->request;
	uint32		 *order = request->order + from;
	bool		 *head = request->head + from, *peer = request->peer + from;
	int64		  n = to - from;
	int			  row_bits = row_bits_of(n);
	bool		  partitions = stage->order_bits < stage->bits;
	int			  order_bits = partitions ? row_bits + stage->order_bits : 0;
	const uint64 *sorted;

	pack_words(stage->part, stage->parts, in_input_order ? NULL : order, n, row_bits, sorter->words);
	sorted = request->sort(sorter->words, sorter->words + request->n, n, row_bits, row_bits + stage->bits);
	for (int64_t i = 1; i < n; i++)
	{
		uint64 changed = sorted[i] ^ sorted[i - 1];

		CHECK_FOR_INTERRUPTS();
		peer[i] = changed >> row_bits != 0;
		head[i] = partitions && changed >> order_bits != 0;
	}
	if (in_input_order)
		for (int64_t i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			order[i] = (uint32) (sorted[i] & ((UINT64CONST(1) << row_bits) - 1));
		}
	else
		reorder(sorter, order, sorted, n, row_bits);
}

/* Puts rows in the order that is likely to be that of a key's values. */
static void
sort_by_guess(Sorter *sorter, const SortKey *key, uint32 *order, int64 n)
{
	int		 row_bits = row_bits_of(n);
	PackPart part = {&key->guess, 0, key->guess.bits, 0};

	if (part.bits == 0)
		return;
	pack_words(&part, 1, order, n, row_bits, sorter->words);
	reorder(sorter, order,
			sorter->request->sort(sorter->words, sorter->words + sorter->request->n, n, row_bits, row_bits + part.bits),
			n, row_bits);
}

/* ---- sorting by comparing ---- */

static inline int
compare_values(const MergeItem *a, const MergeItem *b, SortKey *key)
{
	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator((Datum) a->value, false, (Datum) b->value, false, &key->support);
}

/* Rows that are equal keep the order of the input, whatever order they are sorted from. */
static int
compare_items(const MergeItem *a, const MergeItem *b, void *arg)
{
	int order = compare_values(a, b, (SortKey *) arg);

	return order != 0 ? order : a->row < b->row ? -1 : a->row > b->row;
}

/* Whether n items are in order already; marks them as far as they are. */
static bool
items_in_order(const MergeItem *items, int64 n, SortKey *key, bool *peer)
{
	for (int64 i = 1; i < n; i++)
	{
		int order = compare_values(&items[i - 1], &items[i], key);

		if (order > 0 || (order == 0 && items[i - 1].row > items[i].row))
			return false;
		peer[i] = order != 0;
	}
	return true;
}

/* Turns items round that come the other way, none equal to the next. */
static void
turn_round(MergeItem *items, int64 n, SortKey *key)
{
	for (int64 i = 1; i < n; i++)
		if (compare_values(&items[i - 1], &items[i], key) <= 0)
			return;
	for (int64 i = 0, j = n - 1; i < j; i++, j--)
	{
		MergeItem item = items[i];

		CHECK_FOR_INTERRUPTS();
		items[i] = items[j];
		items[j] = item;
	}
}

/* Sorts the rows at places `from` to `to` - 1 by the values of a key, and marks them but for the first. */
static void
sort_values(Sorter *sorter, SortKey *key, int64 from, int64 to)
{
	SortRequest *request = sorter->request;
	uint32		*order = request->order + from;
	bool		*peer = request->peer + from;
	MergeItem	*items = (MergeItem *) sorter->words;
	int64		 n = to - from;

	if (column_is_null(key->column->data, order[0]))
		return; /* then all are */
	if (key->guessed && n > FEW_ROWS)
		sort_by_guess(sorter, key, order, n);
	for (int64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		items[i] = (MergeItem){(uint64) column_datum(key->column->data, order[i]), order[i]};
	}
	if (!items_in_order(items, n, key, peer))
	{
		turn_round(items, n, key);
		merge_sort(items, sorter->half, n, compare_items, key, stretch_tick);
		(void) items_in_order(items, n, key, peer);
	}
	for (int64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		order[i] = (uint32) items[i].row;
	}
	if (key - sorter->key < request->partition)
		memcpy(request->head + from + 1, peer + 1, (n - 1) * sizeof(bool));
}

/* ---- both ---- */

/* The end of the run of equal rows that starts at a place. */
static inline int64
run_end(const bool *peer, int64 from, int64 to)
{
	do
	{
		CHECK_FOR_INTERRUPTS();
		from++;
	} while (from < to && !peer[from]);
	return from;
}

/* Sorts rows that are equal in all stages before this one. */
static void
sort_stage(Sorter *sorter, int s, int64 from, int64 to)
{
	const Stage *stage = &sorter->stage[s];
	const bool	*peer = sorter->request->peer;
	int64		 end;

	if (stage->bits > 0)
		sort_numbers(sorter, stage, from, to, s == 0);
	for (int64 run = from; run < to && stage->compared != NULL; run = end)
	{
		CHECK_FOR_INTERRUPTS();
		end = run_end(peer, run, to);
		if (end - run > 1)
			sort_values(sorter, stage->compared, run, end);
	}
	for (int64 run = from; run < to && s + 1 < sorter->stages; run = end)
	{
		CHECK_FOR_INTERRUPTS();
		end = run_end(peer, run, to);
		if (end - run > 1)
			sort_stage(sorter, s + 1, run, end);
	}
}

/* The order of the input, and no marks but of the first row. */
static void
start(SortRequest *request)
{
	stretch_fill(request->head, false, request->n * sizeof(bool));
	stretch_fill(request->peer, false, request->n * sizeof(bool));
	request->head[0] = request->peer[0] = true;
	for (int64 from = 0, to; from < request->n; from = to)
	{
		to = stretch_end(from, request->n);
		for (int64 i = from; i < to; i++)
			request->order[i] = (uint32) i;
	}
}

static void
sort_keys(SortRequest *request)
{
	Sorter sorter = {request};
	int	   room = 64 - row_bits_of(request->n);
	int	   bits = 0;
	bool   compares = false;

	sorter.key = (SortKey *) palloc((request->columns + 1) * sizeof(SortKey));
	sorter.stage = (Stage *) palloc((3 * request->columns + 1) * sizeof(Stage));
	for (int k = 0; k < request->columns; k++)
	{
		normalize_key(&sorter.key[k], &request->column[k], request->n, room, request->pool);
		bits += sorter.key[k].pack.bits;
		compares |= !sorter.key[k].exact;
	}
	for (int k = 0; k < request->columns && bits > room; k++)
		pack_find_unit(&sorter.key[k].pack, request->n);
	lay_out(&sorter, room);
	if (sorter.stage[0].bits == 0)
		start(request);
	else
		request->head[0] = request->peer[0] = true;
	sorter.words = (uint64 *) pool_alloc(request->pool, request->n * 2 * sizeof(uint64));
	if (compares)
		sorter.half = (MergeItem *) pool_alloc(request->pool, request->n / 2 * sizeof(MergeItem));
	sort_stage(&sorter, 0, 0, request->n);
	pool_free(request->pool, sorter.words);
	pool_free(request->pool, sorter.half);
	for (int k = 0; k < request->columns; k++)
		normalized_free(&sorter.key[k], request->pool);
}

void
sort_rows(SortRequest *request)
{
	MemoryContext memory, old;

	request->bits = 0;
	if (request->n <= 1)
	{
		if (request->n == 1)
			start(request);
		return;
	}
	memory = AllocSetContextCreate(CurrentMemoryContext, "scan sort", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(memory);
	sort_keys(request);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
}

Size
sort_row_bytes(const SortColumn *column, int columns)
{
	Size bytes = sizeof(uint32) + 2 * sizeof(bool) + 2 * sizeof(uint64);
	bool compares = false;

	for (int k = 0; k < columns; k++)
		if (!normalized_is_value(&column[k]))
		{
			bytes += sizeof(uint64);
			compares = true;
		}
	return bytes + (compares ? sizeof(MergeItem) / 2 : 0);
}

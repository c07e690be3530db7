/*
 * key.c: sort keys packed into words.
 *
 * A key of a type that is known becomes an unsigned number that compares as the type
 * does: -0 is 0, every NaN is the greatest number, as in core.  From that the least
 * of the column is taken away, DESC counts from the greatest, and NULLs are a number
 * before or behind all others; so a key takes the bits that its column's range needs
 * and no more.  Keys lie side by side, the first one highest.  When the row's number
 * fits below them in a word of 64 bits, words are sorted; else words of keys with the
 * number beside them, the last word first, which a stable sort allows.
 */
#include "postgres.h"

#include <math.h>

#include "access/nbtree.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"

#include "compat.h"
#include "op/limbs.h"
#include "sort/key.h"
#include "sort/radix.h"

typedef enum KeyKind
{
	KEY_COMPARED = 0,
	KEY_SIGNED, /* an integer of the size of the type, in its Datum */
	KEY_UNSIGNED,
	KEY_FLOAT4,
	KEY_FLOAT8,
} KeyKind;

/* A key that is packed. */
typedef struct PackedKey
{
	KeyKind kind;
	bool	descending;
	bool	has_nulls;
	bool	has_values;
	uint64	least, greatest; /* of the values */
	uint64	unit;			 /* that all values are apart by a multiple of */
	uint64	inverse;		 /* of the unit's odd part, modulo 2^64: to divide by multiplying */
	int		zeros;			 /* the unit's factors of two */
	int		bits;
	int		word;  /* from the last one, 0 */
	int		shift; /* within it */
} PackedKey;

/* ---- kinds ---- */

/* The comparisons whose order the packing knows. */
static KeyKind
kind_of(Oid comparison)
{
	switch (comparison)
	{
		case F_BTINT2CMP:
		case F_BTINT4CMP:
		case F_BTINT8CMP:
		case F_DATE_CMP:
		case F_TIME_CMP:
		case F_TIMESTAMP_CMP:
		case F_TIMESTAMPTZ_CMP:
			return KEY_SIGNED;
		case F_BTOIDCMP:
		case F_BTBOOLCMP:
			return KEY_UNSIGNED;
		case F_BTFLOAT4CMP:
			return KEY_FLOAT4;
		case F_BTFLOAT8CMP:
			return KEY_FLOAT8;
		default:
			return KEY_COMPARED;
	}
}

static void
kind_of_column(const SortColumn *column, PackedKey *key)
{
	Oid family, type;

	memset(key, 0, sizeof(*key));
	if (compat_ordering_operator(column->sort_operator, &family, &type, &key->descending))
		key->kind = kind_of(get_opfamily_proc(family, type, type, BTORDER_PROC));
}

/* Bits of a double as a number in core's order. */
static inline uint64
ordered_double(double x)
{
	uint64 bits;

	if (isnan(x))
		return PG_UINT64_MAX;
	bits = double_bits(x + 0.0); /* -0 is 0 */
	return bits >> 63 ? ~bits : bits | UINT64CONST(1) << 63;
}

static inline uint64
ordered_number(KeyKind kind, Datum value)
{
	switch (kind)
	{
		case KEY_SIGNED: /* narrow ones carry their sign */
			return (uint64) value ^ UINT64CONST(1) << 63;
		case KEY_FLOAT4:
			return ordered_double(DatumGetFloat4(value));
		case KEY_FLOAT8:
			return ordered_double(DatumGetFloat8(value));
		default:
			return (uint64) DatumGetUInt32(value);
	}
}

/* ---- packing ---- */

#define LOOK_ROWS 65536

/* Bits of the key when values are counted in units. */
static void
set_unit(PackedKey *key, uint64 unit)
{
	uint64 odd = unit;
	uint64 most = (key->greatest - key->least) / unit;

	key->unit = unit;
	for (key->zeros = 0; odd % 2 == 0; key->zeros++)
		odd /= 2;
	key->inverse = odd; /* right in 3 bits; each step doubles them (Newton) */
	for (int step = 0; step < 5; step++)
		key->inverse *= 2 - odd * key->inverse;
	key->bits = key->has_values ? bit_length(most + (key->has_nulls ? 1 : 0)) : 0;
}

/* A distance in units, exactly. */
static inline uint64
in_units(const PackedKey *key, uint64 distance)
{
	return (distance >> key->zeros) * key->inverse;
}

static void
find_range(const SortColumn *column, int64 n, PackedKey *key)
{
	uint64 least = PG_UINT64_MAX, greatest = 0;
	int64  nulls = 0;

	for (int64 from = 0; from < n; from += LOOK_ROWS)
	{
		int64 to = Min(n, from + LOOK_ROWS);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = from; i < to; i++)
			if (column->isnull[i])
				nulls++;
			else
			{
				uint64 number = ordered_number(key->kind, column->value[i]);

				least = Min(least, number);
				greatest = Max(greatest, number);
			}
	}
	key->has_nulls = nulls > 0;
	key->has_values = nulls < n;
	key->least = least;
	key->greatest = greatest;
	set_unit(key, 1);
	/* NULL is one number more: where all 64 bits are in use there is none */
	if (key->has_nulls && key->has_values && greatest - least == PG_UINT64_MAX)
		key->kind = KEY_COMPARED;
}

static uint64
common_divisor(uint64 a, uint64 b)
{
	while (b != 0)
	{
		uint64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Finds what all values of a key are apart by a multiple of: times are often whole
 * milliseconds or days.  Data without such a unit show it within some rows.
 */
static void
find_unit(const SortColumn *column, int64 n, PackedKey *key)
{
	uint64 unit = 0;

	for (int64 i = 0; i < n && unit != 1; i++)
	{
		uint64 distance;

		if (i % LOOK_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		if (column->isnull[i])
			continue;
		distance = ordered_number(key->kind, column->value[i]) - key->least;
		if (unit == 0 || distance % unit != 0)
			unit = common_divisor(distance, unit);
	}
	if (unit > 1)
		set_unit(key, unit);
}

/* The key of row i as a number of key->bits bits. */
static inline uint64
packed_number(const SortColumn *column, const PackedKey *key, int64 i)
{
	bool   null_below = key->has_nulls && column->nulls_first;
	uint64 number;

	if (column->isnull[i])
		return null_below || !key->has_values ? 0 : in_units(key, key->greatest - key->least) + 1;
	number = ordered_number(key->kind, column->value[i]);
	return in_units(key, key->descending ? key->greatest - number : number - key->least) + null_below;
}

/* Gives each key its place, from the last one and the lowest bit on; returns the words needed. */
static int
lay_out(PackedKey *keys, int n)
{
	int word = 0, shift = 0;

	for (int k = n - 1; k >= 0; k--)
	{
		if (shift + keys[k].bits > 64)
		{
			word++;
			shift = 0;
		}
		keys[k].word = word;
		keys[k].shift = shift;
		shift += keys[k].bits;
	}
	return word + 1;
}

static int
all_bits(const PackedKey *keys, int n)
{
	int bits = 0;

	for (int k = 0; k < n; k++)
		bits += keys[k].bits;
	return bits;
}

static void
tick(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Bits of a word of the keys, from the lowest on. */
static int
word_bits(const PackedKey *keys, int n, int word)
{
	int bits = 0;

	for (int k = 0; k < n; k++)
		if (keys[k].word == word)
			bits = Max(bits, keys[k].shift + keys[k].bits);
	return bits;
}

static inline uint64
packed_word(const SortRequest *request, const PackedKey *keys, int word, int64 i)
{
	uint64 packed = 0;

	for (int k = 0; k < request->columns; k++)
		if (keys[k].word == word && keys[k].bits > 0)
			packed |= packed_number(&request->column[k], &keys[k], i) << keys[k].shift;
	return packed;
}

/* Marks a place by the bits of the keys in which it differs from the one before. */
static inline void
mark(SortRequest *request, const PackedKey *keys, int64 place, uint64 changed)
{
	int order_bits = request->partition == 0 ? 64 : keys[request->partition - 1].shift;

	request->peer[place] = place == 0 || changed != 0;
	request->head[place] = place == 0 || (order_bits < 64 && changed >> order_bits != 0);
}

/* Keys and row number in one word. */
static void
sort_words(SortRequest *request, const PackedKey *keys, int key_bits, int row_bits)
{
	int64	n = request->n;
	uint64 *items = (uint64 *) MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(uint64));
	uint64 *spare = (uint64 *) MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(uint64));
	uint64 *sorted;
	uint64	rows = (UINT64CONST(1) << row_bits) - 1;

	for (int64 i = 0; i < n; i++)
	{
		if (i % LOOK_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		items[i] = packed_word(request, keys, 0, i) << row_bits | (uint64) i;
	}
	sorted = radix_sort_words(items, spare, n, row_bits, row_bits + key_bits, tick);
	for (int64 i = 0; i < n; i++)
	{
		request->order[i] = (uint32) (sorted[i] & rows);
		mark(request, keys, i, i == 0 ? 0 : (sorted[i] ^ sorted[i - 1]) >> row_bits);
	}
	pfree(items);
	pfree(spare);
}

/* A word of the keys after the other, the last one first. */
static void
sort_items(SortRequest *request, const PackedKey *keys, int words)
{
	int64	   n = request->n;
	RadixItem *items = (RadixItem *) MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(RadixItem));
	RadixItem *spare = (RadixItem *) MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(RadixItem));
	RadixItem *sorted = items;

	for (int64 i = 0; i < n; i++)
		items[i].row = (uint64) i;
	for (int word = 0; word < words; word++)
	{
		for (int64 i = 0; i < n; i++)
		{
			if (i % LOOK_ROWS == 0)
				CHECK_FOR_INTERRUPTS();
			sorted[i].key = packed_word(request, keys, word, (int64) sorted[i].row);
		}
		sorted = radix_sort_items(sorted, sorted == items ? spare : items, n, 0,
								  word_bits(keys, request->columns, word), tick);
	}
	for (int64 i = 0; i < n; i++)
		request->order[i] = (uint32) sorted[i].row;
	if (words == 1)
		for (int64 i = 0; i < n; i++)
			mark(request, keys, i, i == 0 ? 0 : sorted[i].key ^ sorted[i - 1].key);
	pfree(items);
	pfree(spare);
}

/* Marks the places of an order by the packed keys of neighbours. */
static void
mark_packed(SortRequest *request, const PackedKey *keys)
{
	for (int64 i = 0; i < request->n; i++)
	{
		bool head = i == 0, peer = i == 0;

		if (i % LOOK_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < request->columns && !head; k++)
			if (packed_number(&request->column[k], &keys[k], request->order[i]) !=
				packed_number(&request->column[k], &keys[k], request->order[i - 1]))
			{
				head = k < request->partition;
				peer = true;
			}
		request->head[i] = head;
		request->peer[i] = peer;
	}
}

/* ---- keys that are compared ---- */

typedef struct Comparing
{
	const SortRequest *request;
	SortSupport		   support;
} Comparing;

/* The first key in which two rows differ, and how; as many as there are keys when in none. */
static int
first_difference(const Comparing *comparing, uint32 i, uint32 j, int *order)
{
	const SortRequest *request = comparing->request;
	int				   k;

	*order = 0;
	for (k = 0; k < request->columns; k++)
	{
		const SortColumn *column = &request->column[k];

		*order = ApplySortComparator(column->value[i], column->isnull[i], column->value[j], column->isnull[j],
									 &comparing->support[k]);
		if (*order != 0)
			break;
	}
	return k;
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	uint32 i = *(const uint32 *) a, j = *(const uint32 *) b;
	int	   order;

	CHECK_FOR_INTERRUPTS();
	(void) first_difference((const Comparing *) arg, i, j, &order);
	if (order != 0)
		return order;
	return i < j ? -1 : i > j;
}

static void
sort_compared(SortRequest *request)
{
	Comparing comparing = {request};

	comparing.support = (SortSupport) palloc0(Max(request->columns, 1) * sizeof(SortSupportData));
	for (int k = 0; k < request->columns; k++)
	{
		SortSupport support = &comparing.support[k];

		support->ssup_cxt = CurrentMemoryContext;
		support->ssup_collation = request->column[k].collation;
		support->ssup_nulls_first = request->column[k].nulls_first;
		PrepareSortSupportFromOrderingOp(request->column[k].sort_operator, support);
	}
	for (int64 i = 0; i < request->n; i++)
		request->order[i] = (uint32) i;
	qsort_arg(request->order, request->n, sizeof(uint32), compare_rows, &comparing);
	for (int64 i = 0; i < request->n; i++)
	{
		int order;
		int k = i == 0 ? 0 : first_difference(&comparing, request->order[i], request->order[i - 1], &order);

		request->head[i] = i == 0 || k < request->partition;
		request->peer[i] = i == 0 || k < request->columns;
	}
}

void
sort_rows(SortRequest *request)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "scan sort", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	PackedKey	 *keys = (PackedKey *) palloc0(Max(request->columns, 1) * sizeof(PackedKey));
	bool		  packs = true;

	for (int k = 0; k < request->columns && packs; k++)
	{
		kind_of_column(&request->column[k], &keys[k]);
		if (keys[k].kind != KEY_COMPARED)
			find_range(&request->column[k], request->n, &keys[k]);
		packs = keys[k].kind != KEY_COMPARED;
	}
	request->bits = 0;
	if (!packs)
		sort_compared(request);
	else
	{
		int row_bits = request->n <= 1 ? 0 : bit_length((uint64) request->n - 1);
		int words, key_bits;

		if (all_bits(keys, request->columns) + row_bits > 64)
			for (int k = 0; k < request->columns; k++)
				find_unit(&request->column[k], request->n, &keys[k]);
		words = lay_out(keys, request->columns);
		key_bits = word_bits(keys, request->columns, 0);
		for (int word = 0; word < words; word++)
			request->bits += word_bits(keys, request->columns, word);
		if (words == 1 && key_bits + row_bits <= 64)
			sort_words(request, keys, key_bits, row_bits);
		else
		{
			sort_items(request, keys, words);
			if (words > 1)
				mark_packed(request, keys);
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
}

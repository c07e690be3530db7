/*
 * distinct.c: numbers values by their position among a column's distinct values.
 *
 * A column that rows are partitioned by has few values, each in many rows.  They are found by hashing, whatever the
 * type, and only the distinct values are compared.  A row then has a small number in place of its value, which tells
 * its whole order.  Values with different bytes may be equal (1.0 and 1.00, 'a' and 'A' in some collations): values
 * that compare as equal share a number.
 *
 * A column with many distinct values is given up after some thousand rows: how often values have come back by then
 * tells their number (birthday paradox).
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "compat.h"
#include "sort/internal.h"
#include "sort/merge.h"

#define FIRST_LOOK 4096 /* rows before the first estimate; a column of fewer rows gains nothing */
#define FIRST_SLOTS 1024

/* The distinct values found so far, and a hash table of them. */
typedef struct Distinct
{
	const Column *column;
	SortSupport	  support;
	uint32		  n, limit;
	Datum		 *value;
	uint32		 *hash;
	uint32		  slots; /* a power of two */
	uint32		 *slot;	 /* index of a value + 1; 0: free */
} Distinct;

/* Returns the bytes that are hashed: the Datum itself, or what it points to. */
static pg_attribute_always_inline const void *
value_image(const Column *column, const Datum *value, Size *size)
{
	const void *image;

	if (column->by_value)
	{
		*size = sizeof(Datum);
		return value;
	}
	image = DatumGetPointer(*value);
	*size = column->length > 0	   ? (Size) column->length
			: column->length == -1 ? VARSIZE_ANY(image)
								   : strlen((const char *) image) + 1;
	return image;
}

static void
distinct_grow(Distinct *distinct)
{
	distinct->slots *= 2;
	distinct->slot = (uint32 *) repalloc_huge(distinct->slot, distinct->slots * sizeof(uint32));
	distinct->value = (Datum *) repalloc_huge(distinct->value, distinct->slots / 2 * sizeof(Datum));
	distinct->hash = (uint32 *) repalloc_huge(distinct->hash, distinct->slots / 2 * sizeof(uint32));
	memset(distinct->slot, 0, distinct->slots * sizeof(uint32));
	for (uint32 number = 0; number < distinct->n; number++)
	{
		uint32 place = distinct->hash[number] & (distinct->slots - 1);

		CHECK_FOR_INTERRUPTS();
		while (distinct->slot[place] != 0)
			place = (place + 1) & (distinct->slots - 1);
		distinct->slot[place] = number + 1;
	}
}

/* Returns the index of a value, in the order in which the values were found; adds the value if it is new. */
static inline uint32
find_or_add(Distinct *distinct, Datum value)
{
	Size		size, other_size;
	const void *image = value_image(distinct->column, &value, &size);
	uint32		hash = hash_bytes((const unsigned char *) image, (int) size);
	uint32		place = hash & (distinct->slots - 1);

	for (; distinct->slot[place] != 0; place = (place + 1) & (distinct->slots - 1))
	{
		uint32		number = distinct->slot[place] - 1;
		const void *other;

		if (distinct->hash[number] != hash)
			continue;
		other = value_image(distinct->column, &distinct->value[number], &other_size);
		if (size == other_size && memcmp(image, other, size) == 0)
			return number;
	}
	distinct->value[distinct->n] = value;
	distinct->hash[distinct->n] = hash;
	distinct->slot[place] = ++distinct->n;
	if (distinct->n == distinct->slots / 2)
		distinct_grow(distinct);
	return distinct->n - 1;
}

/*
 * True if values come back too seldom for there to be few.  Of i rows, i^2 / 2d are expected to repeat a value if there
 * are d distinct ones.
 */
static inline bool
distinct_gives_up(const Distinct *distinct, int64 i, int64 n)
{
	double back = (double) (i - distinct->n);

	return distinct->n > distinct->limit || (i <= n / 8 && back < (double) i * (double) i / (double) n);
}

static int
compare_distinct(const MergeItem *a, const MergeItem *b, void *arg)
{
	SortSupport support = (SortSupport) arg;

	CHECK_FOR_INTERRUPTS();
	return support->comparator((Datum) a->value, (Datum) b->value, support);
}

/* Sorts the values; returns the rank of each.  Equal values share a rank. */
static uint32 *
rank_values(const Distinct *distinct)
{
	uint32	   n = distinct->n, place = 0;
	MergeItem *items = (MergeItem *) MemoryContextAllocHuge(CurrentMemoryContext, (Size) Max(n, 1) * sizeof(MergeItem));
	MergeItem *spare = (MergeItem *) MemoryContextAllocHuge(CurrentMemoryContext, (Size) Max(n, 1) * sizeof(MergeItem));
	uint32	  *rank = (uint32 *) MemoryContextAllocHuge(CurrentMemoryContext, (Size) Max(n, 1) * sizeof(uint32));

	FOR_INTERRUPTIBLE (i, 0, n)
		items[i] = (MergeItem){(uint64) distinct->value[i], i};
	merge_sort(items, spare, n, compare_distinct, distinct->support, stretch_tick);
	for (uint32 i = 0; i < n; i++)
	{
		if (i > 0 && compare_distinct(&items[i - 1], &items[i], distinct->support) != 0)
			place++;
		rank[items[i].row] = place;
	}
	pfree(items);
	pfree(spare);
	return rank;
}

bool
distinct_number(const SortColumn *column, int64 n, SortSupport support, uint64 *number)
{
	Distinct distinct;
	int64	 look = FIRST_LOOK;
	bool	 found = true;

	if (n < FIRST_LOOK)
		return false;
	distinct = (Distinct){.column = column->data,
						  .support = support,
						  .limit = (uint32) (n / 8),
						  .slots = FIRST_SLOTS,
						  .slot = (uint32 *) palloc0(FIRST_SLOTS * sizeof(uint32)),
						  .value = (Datum *) palloc(FIRST_SLOTS / 2 * sizeof(Datum)),
						  .hash = (uint32 *) palloc(FIRST_SLOTS / 2 * sizeof(uint32))};
	for (int64 i = 0; i < n && found; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == look)
		{
			found = !distinct_gives_up(&distinct, i, n);
			look = Min(2 * look, look + 65536);
		}
		if (!column_is_null(column->data, i))
			number[i] = find_or_add(&distinct, column_datum(column->data, i));
	}
	if (found)
	{
		uint32 *rank = rank_values(&distinct);

		FOR_INTERRUPTIBLE (i, 0, n)
			if (!column_is_null(column->data, i))
				number[i] = rank[number[i]];
		pfree(rank);
	}
	pfree(distinct.slot);
	pfree(distinct.value);
	pfree(distinct.hash);
	return found;
}

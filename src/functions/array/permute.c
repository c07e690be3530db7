/*
 * permute.c: array_compact, array_split and array_radix_sort, which permute the elements of an array.
 *
 * array_compact and array_split work like compaction and the split of a radix sort on any parallel machine (Blelloch
 * 1990). An exclusive scan counts the true flags before each element. The count gives the new position of a true
 * element (array_split adds the number of false flags). Subtracted from the old position, it is the new position of a
 * false element. Then every element is moved to its position independently of the others. Elements of varying size, and
 * NULLs, which take no space in an array, are instead written one after another, because their positions depend on the
 * sizes of the others.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/arrayaccess.h"

#include "call/entry.h"
#include "column/stretch.h"
#include "compat.h"
#include "functions/array/arrays.h"
#include "run/run.h"
#include "sort/radix.h"

/* An array and a flag for each of its elements. */
typedef struct Flagged
{
	ArrayType	*array;
	RetainedType type; /* element type */
	int64		 n, trues;
	const bool	*flag;
} Flagged;

/* Returns how many flags are true.  Raises an error if a flag is neither 0 nor 1: the scan would add its value. */
static int64
count_flags(const uint8 *flag, int64 n)
{
	int64 trues = 0;
	uint8 all = 0;

	for (int64 i = 0; i < n; i++)
	{
		trues += flag[i];
		all |= flag[i];
	}
	if (all > 1)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a boolean is neither true nor false"),
						errhint("The value was damaged on disk, or by the program that made it. Compute the value "
								"again, or restore it from a backup.")));
	return trues;
}

/* Reads the arguments of f(values, flags).  A NULL flag is false if `null_flags`, else an error. */
static void
flagged_read(FunctionCallInfo fcinfo, Flagged *flagged, const char *name, bool null_flags)
{
	ArrayType  *flags = array_argument(PG_GETARG_DATUM(1));
	ArrayColumn column;

	flagged->array = array_argument(PG_GETARG_DATUM(0));
	flagged->type = retained_type(ARR_ELEMTYPE(flagged->array));
	flagged->n = ArrayGetNItems(ARR_NDIM(flagged->array), ARR_DIMS(flagged->array));
	array_check_elements("values", flagged->n, name, flags);
	column = column_of_array(flags, sizeof(bool));
	if (column.valid != NULL && !null_flags)
		FOR_INTERRUPTIBLE (i, 0, column.n)
		{
			if (!scan_bit(column.valid, i))
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"%s\" must not contain NULL", name),
						 errdetail("Element " INT64_FORMAT " in storage order is NULL.", i + 1),
						 errhint("Use array_replace(%s, NULL, false) to treat NULL as false.", name)));
		}
	flagged->flag = (const bool *) column.values;
	flagged->trues = 0;
	for (int64 from = 0, to; from < flagged->n; from = to)
	{
		to = stretch_end(from, flagged->n);
		flagged->trues += count_flags((const uint8 *) column.values + from, to - from);
	}
}

/* ---- element by element ---- */

/* Appends the elements whose flag is `flag`. */
static void
append_elements(ArrayWriter *writer, const Flagged *flagged, bool flag)
{
	const RetainedType *type = &flagged->type;
	array_iter			iter;

	compat_array_iter_setup(&iter, (AnyArrayType *) flagged->array, type->length, type->by_value, type->align);
	FOR_INTERRUPTIBLE (i, 0, flagged->n)
	{
		bool  isnull;
		Datum value = compat_array_iter_next(&iter, &isnull, i, type->length, type->by_value, type->align);

		if (flagged->flag[i] == flag)
			array_writer_add(writer, value, isnull);
	}
}

/* ---- by a job and a move ---- */

/* Returns the size of an element in the array, alignment included, or 0 if elements vary in size or there are NULLs. */
static Size
moved_size(const Flagged *flagged)
{
	if (flagged->type.length <= 0 || array_contains_nulls(flagged->array))
		return 0;
	return att_align_nominal(flagged->type.length, flagged->type.align);
}

/* Moves the elements from .. from + n - 1 to their positions; count[i] is the number of true flags before each. */
static pg_attribute_always_inline void
move_sized(const Flagged *flagged, const int64 *count, int64 from, int64 n, Size size, bool split, char *to)
{
	const char *in = ARR_DATA_PTR(flagged->array) + from * size;
	const bool *flag = flagged->flag + from;
	int64		falses = flagged->n - flagged->trues;

	if (!split)
	{
		/*
		 * Without a branch, a dropped element is written to the position of the next kept one, which overwrites it.
		 * After the last kept element there is no such position.
		 */
		while (n > 0 && !flag[n - 1])
			n--;
	}
	for (int64 i = 0; i < n; i++)
	{
		int64 position = !split ? count[i] : flag[i] ? falses + count[i] : from + i - count[i];

		memcpy(to + position * size, in + i * size, size);
	}
}

#define MOVE(SIZE)                                            \
	case SIZE:                                                \
		move_sized(flagged, count, from, n, SIZE, split, to); \
		break

static pg_attribute_always_inline void
move_flagged(const Flagged *flagged, const int64 *count, int64 from, int64 n, Size size, bool split, char *to)
{
	switch (size)
	{
		MOVE(1);
		MOVE(2);
		MOVE(4);
		MOVE(8);
		MOVE(16);
		default:
			move_sized(flagged, count, from, n, size, split, to);
	}
}

/* Moves all elements, piece by piece: on the CPU, a piece's counts are used while they are in the cache. */
static pg_attribute_always_inline void
move_all_flagged(const Flagged *flagged, Size size, bool split, char *to)
{
	const ScanOp *op = scan_op_at(SCAN_OP_count_bool);
	ScanCarry	 *carry = (ScanCarry *) palloc(scan_carry_size(op));
	int64		  rows = Min(scan_run_rows(&(ScanJob){.op = op, .n = flagged->n}), flagged->n);
	int64		 *count = (int64 *) palloc_extended(rows * sizeof(int64), MCXT_ALLOC_HUGE);
	uint8		 *valid = (uint8 *) palloc(rows / 8 + 1);

	memset(valid, 0xff, rows / 8 + 1);
	scan_carry_start(op, carry);
	for (int64 from = 0; from < flagged->n; from += rows)
	{
		ScanJob job = {.op = op,
					   .extent = SCAN_EXCLUSIVE,
					   .n = Min(flagged->n - from, rows),
					   .in = flagged->flag + from,
					   .carry = carry,
					   .out = count,
					   .out_valid = valid,
					   .permutes = true};

		scan_run(&job);
		if (job.status != SCAN_OK || job.done != job.n)
			elog(ERROR, "flags could not be counted");
		move_flagged(flagged, count, from, job.n, size, split, to);
	}
	pfree(valid);
	pfree(count);
	pfree(carry);
}

/* Returns the elements whose flag is true; with `split`, all elements, those whose flag is false first. */
static pg_attribute_always_inline Datum
permuted_array(FunctionCallInfo fcinfo, const char *name, bool split)
{
	Flagged		flagged;
	int64		n;
	Size		size;
	int			lower;
	ArrayType  *result;
	ArrayWriter writer;

	array_check_any(fcinfo);
	flagged_read(fcinfo, &flagged, name, !split);
	n = split ? flagged.n : flagged.trues;
	if (n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(flagged.type.oid));
	lower = ARR_LBOUND(flagged.array)[0];
	size = moved_size(&flagged);
	if (size > 0)
	{
		result = split ? array_like(flagged.array, flagged.type.oid, size)
					   : array_row(n, lower, flagged.type.oid, size);
		move_all_flagged(&flagged, size, split, ARR_DATA_PTR(result));
		PG_RETURN_ARRAYTYPE_P(result);
	}
	array_writer_start(&writer, flagged.type.oid, n);
	if (split)
		append_elements(&writer, &flagged, false);
	append_elements(&writer, &flagged, true);
	PG_RETURN_ARRAYTYPE_P(split ? array_writer_end_like(&writer, flagged.array) : array_writer_end_row(&writer, lower));
}

SCAN_ENTRY(array_compact_any, permuted_array(fcinfo, "keep", false))
SCAN_ENTRY(array_split_any, permuted_array(fcinfo, "bits", true))

/* ---- array_radix_sort ---- */

/*
 * Sorts integers of `size` bytes.  An array does not store its NULLs, so its data are the numbers side by side.  They
 * come first in the result, whose bitmap puts the NULLs after them.
 */
static Datum
array_radix_sort(FunctionCallInfo fcinfo, int size)
{
	ArrayType *array = array_argument(PG_GETARG_DATUM(0));
	int64	   n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	bool	   nulls = array_contains_nulls(array);
	int64	   present = n;
	ArrayType *result;
	uint64	  *words, *spare;

	if (n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(ARR_ELEMTYPE(array)));
	if (nulls)
	{
		present = 0;
		FOR_INTERRUPTIBLE (i, 0, n)
			present += scan_bit(ARR_NULLBITMAP(array), i);
	}
	result = array_nulls_last(array, ARR_ELEMTYPE(array), size, present);
	spare = (uint64 *) MemoryContextAllocHuge(CurrentMemoryContext, Max(present, 1) * sizeof(uint64));
	words = size == sizeof(uint64)
				? (uint64 *) ARR_DATA_PTR(result)
				: (uint64 *) MemoryContextAllocHuge(CurrentMemoryContext, Max(present, 1) * sizeof(uint64));
	integers_sort(ARR_DATA_PTR(array), present, size, ARR_DATA_PTR(result), words, spare, &scan_word_sorter,
				  stretch_tick);
	pfree(spare);
	if (size != sizeof(uint64))
		pfree(words);
	PG_RETURN_ARRAYTYPE_P(result);
}

#define RADIX_SORT(TYPE, SIZE) SCAN_ENTRY(array_radix_sort_##TYPE, array_radix_sort(fcinfo, SIZE))

RADIX_SORT(int2, 2)
RADIX_SORT(int4, 4)
RADIX_SORT(int8, 8)

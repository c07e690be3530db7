/*
 * array.c: SQL arrays as columns of a job, and columns as SQL arrays.
 *
 * A PostgreSQL array without NULLs is a column already: its elements lie side by side and aligned.  An array with NULLs
 * stores no bytes for them, and has a bitmap in the form of ScanJob's.  So its elements are spread out on the way in
 * and closed up on the way out.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/memutils.h"

#include "column/array.h"
#include "column/stretch.h"
#include "compat.h"
#include "op/bits.h"

/* Returns the array's NULL bitmap, or NULL if no element is NULL. */
static const uint8 *
array_valid(ArrayType *array)
{
	return array_contains_nulls(array) ? (const uint8 *) ARR_NULLBITMAP(array) : NULL;
}

ArrayType *
array_argument(Datum value)
{
	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
	{
		ExpandedArrayHeader *expanded = (ExpandedArrayHeader *) DatumGetEOHP(value);

		if (expanded->ea_magic == EA_MAGIC && expanded->fvalue != NULL)
			return expanded->fvalue;
	}
	return DatumGetArrayTypeP(value);
}

ArrayColumn
column_of_array(ArrayType *array, Size width)
{
	const char *from = ARR_DATA_PTR(array);
	ArrayColumn column = {
		.n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), .values = from, .valid = array_valid(array)};
	char *values;

	if (column.valid == NULL)
		return column;

	values = (char *) MemoryContextAllocHuge(CurrentMemoryContext, Max(column.n * width, 1));
	FOR_INTERRUPTIBLE (i, 0, column.n)
	{
		if (scan_bit(column.valid, i))
		{
			memcpy(values + i * width, from, width);
			from += width;
		}
		else
			memset(values + i * width, 0, width);
	}
	column.values = values;
	return column;
}

uint8 *
bits_of_array(ArrayType *array)
{
	ArrayColumn column = column_of_array(array, sizeof(bool));
	uint8	   *bits = (uint8 *) palloc0(column.n / 8 + 1);

	FOR_INTERRUPTIBLE (i, 0, column.n)
		if (((const bool *) column.values)[i])
			scan_bit_put(bits, i, true);
	return bits;
}

const uint8 *
bits_in_both(const uint8 *a, const uint8 *b, int64 n)
{
	uint8 *both;

	if (a == NULL || b == NULL)
		return a == NULL ? b : a;
	both = (uint8 *) palloc(n / 8 + 1);
	for (int64 i = 0; i < scan_bit_bytes(n); i++)
		both[i] = a[i] & b[i];
	return both;
}

static void
array_too_large(void)
{
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("array size exceeds the maximum allowed (%d)", (int) MaxAllocSize)));
}

typedef struct ArrayShape
{
	int		   ndim;
	const int *dims, *lower;
} ArrayShape;

static ArrayShape
array_shape(ArrayType *array)
{
	return (ArrayShape){ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array)};
}

/*
 * Returns an array of which only the header is set, with a NULL bitmap of zeros if `nulls`.  The caller fills in the
 * `data` bytes after the header.
 */
static ArrayType *
array_new(ArrayShape shape, Oid type, Size data, bool nulls)
{
	int		   n = ArrayGetNItems(shape.ndim, shape.dims);
	Size	   offset = nulls ? ARR_OVERHEAD_WITHNULLS(shape.ndim, n) : ARR_OVERHEAD_NONULLS(shape.ndim);
	ArrayType *array;

	if (!AllocSizeIsValid(offset + data))
		array_too_large();
	array = (ArrayType *) palloc(offset + data);
	memset(array, 0, offset);
	SET_VARSIZE(array, offset + data);
	array->ndim = shape.ndim;
	array->dataoffset = nulls ? offset : 0;
	array->elemtype = type;
	memcpy(ARR_DIMS(array), shape.dims, shape.ndim * sizeof(int));
	memcpy(ARR_LBOUND(array), shape.lower, shape.ndim * sizeof(int));
	return array;
}

ArrayType *
array_like(ArrayType *like, Oid type, Size width)
{
	return array_new(array_shape(like), type, ArrayGetNItems(ARR_NDIM(like), ARR_DIMS(like)) * width, false);
}

ArrayType *
array_row(int n, int lower, Oid type, Size width)
{
	return array_new((ArrayShape){1, &n, &lower}, type, n * width, false);
}

ArrayType *
array_with_nulls(ArrayType *array, Size width, const uint8 *valid)
{
	int64		n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const char *from = ARR_DATA_PTR(array);
	int64		present = 0;
	ArrayType  *result;
	char	   *to;

	FOR_INTERRUPTIBLE (i, 0, n)
		present += scan_bit(valid, i);
	result = array_new(array_shape(array), ARR_ELEMTYPE(array), present * width, true);
	to = ARR_DATA_PTR(result);
	FOR_INTERRUPTIBLE (i, 0, n)
	{
		if (scan_bit(valid, i))
		{
			scan_bit_put((uint8 *) ARR_NULLBITMAP(result), i, true);
			memcpy(to, from + i * width, width);
			to += width;
		}
	}
	return result;
}

ArrayType *
array_nulls_last(ArrayType *like, Oid type, Size width, int present)
{
	int		   n = ArrayGetNItems(ARR_NDIM(like), ARR_DIMS(like));
	ArrayType *array = array_new(array_shape(like), type, present * width, present < n);

	if (present < n)
		FOR_INTERRUPTIBLE (i, 0, present)
			scan_bit_put((uint8 *) ARR_NULLBITMAP(array), i, true);
	return array;
}

void
array_writer_start(ArrayWriter *writer, Oid type, int64 n)
{
	*writer = (ArrayWriter){
		.type = retained_type(type), .context = CurrentMemoryContext, .valid = (uint8 *) palloc0(n / 8 + 1)};
}

void
array_writer_add(ArrayWriter *writer, Datum value, bool isnull)
{
	const RetainedType *type = &writer->type;
	Size				size, end;

	scan_bit_put(writer->valid, writer->n++, !isnull);
	writer->has_nulls = writer->has_nulls || isnull;
	if (isnull)
		return;
	if (type->length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value)); /* arrays hold no toasted elements */
	size = att_addlength_datum(0, type->length, value);
	end = att_align_nominal(writer->used + size, type->align);
	if (!AllocSizeIsValid(end))
		array_too_large();
	if (end > writer->room)
	{
		writer->room = Max(2 * end, 1024);
		writer->data = writer->data == NULL ? (char *) MemoryContextAllocHuge(writer->context, writer->room)
											: (char *) repalloc_huge(writer->data, writer->room);
	}
	if (type->by_value)
		store_att_byval(writer->data + writer->used, value, type->length);
	else
		memcpy(writer->data + writer->used, DatumGetPointer(value), size);
	/* zeros in the padding make equal arrays equal byte by byte */
	memset(writer->data + writer->used + size, 0, end - writer->used - size);
	writer->used = end;
}

static ArrayType *
array_writer_end(ArrayWriter *writer, ArrayShape shape)
{
	ArrayType *array;
	uint8	  *bitmap;

	if (writer->n == 0)
		return construct_empty_array(writer->type.oid);
	array = array_new(shape, writer->type.oid, writer->used, writer->has_nulls);
	bitmap = ARR_NULLBITMAP(array);
	if (bitmap != NULL)
		memcpy(bitmap, writer->valid, scan_bit_bytes(writer->n));
	if (writer->used > 0)
	{
		stretch_copy(ARR_DATA_PTR(array), writer->data, writer->used);
		pfree(writer->data);
	}
	pfree(writer->valid);
	return array;
}

ArrayType *
array_writer_end_like(ArrayWriter *writer, ArrayType *like)
{
	return array_writer_end(writer, array_shape(like));
}

ArrayType *
array_writer_end_row(ArrayWriter *writer, int lower)
{
	return array_writer_end(writer, (ArrayShape){1, &writer->n, &lower});
}

/* The elements of an array that must have exactly one dimension and no NULLs. */
static const void *
elements_in_line(ArrayType *array, const char *name, int *n)
{
	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("argument \"%s\" must have one dimension, not %d", name, ARR_NDIM(array)),
						ARR_NDIM(array) > 1 ? errhint("Use ARRAY(SELECT unnest(...)) to get an array of one dimension.")
											: errhint("The array is empty. Give it at least one element.")));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"%s\" must not contain NULL", name),
						errhint("Use array_replace(..., NULL, 0) to replace NULLs by zeros.")));
	*n = ARR_DIMS(array)[0];
	return ARR_DATA_PTR(array);
}

const double *
vector_of_array(Datum value, const char *name, int *n)
{
	return (const double *) elements_in_line(DatumGetArrayTypeP(value), name, n);
}

bool
vector_copy(Datum value, int n, double *to)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	bool	   good = ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == n && !array_contains_nulls(array);

	if (good)
		memcpy(to, ARR_DATA_PTR(array), n * sizeof(double));
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
	return good;
}

const void *
elements_of_array(Datum value, const char *name, int *n)
{
	ArrayType *array = array_argument(value);

	if (ARR_NDIM(array) > 0)
		return elements_in_line(array, name, n);
	*n = 0;
	return ARR_DATA_PTR(array);
}

ArrayType *
array_of_elements(Oid type, Size width, int n, void **elements)
{
	ArrayType *array;

	*elements = NULL;
	if (n == 0)
		return construct_empty_array(type);
	array = array_row(n, 1, type, width);
	*elements = ARR_DATA_PTR(array);
	return array;
}

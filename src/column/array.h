/*
 * array.h: SQL arrays as columns of a job (ScanJob), and columns as SQL arrays.
 */
#ifndef SCAN_COLUMN_ARRAY_H
#define SCAN_COLUMN_ARRAY_H

#include "postgres.h"

#include "utils/array.h"

#include "column/memory.h"

/* An array of fixed-width elements as an input column of a ScanJob. */
typedef struct ArrayColumn
{
	int64		 n;
	const void	*values; /* n values; a NULL has zero bytes.  They lie in the array itself if it has no NULLs */
	const uint8 *valid;	 /* bit set: the element is not NULL; NULL pointer: there are no NULLs */
} ArrayColumn;

/*
 * Returns an array argument for reading only.  It is flat.  It is not copied if an expanded array (a PL/pgSQL variable)
 * has a flat one inside.
 */
extern ArrayType *array_argument(Datum value);

/* Returns the array's elements, of `width` bytes each, as a column.  The column lives as long as the array. */
extern ArrayColumn column_of_array(ArrayType *array, Size width);

/* Returns a bitmap with the bits of the true elements of a boolean[] set.  NULL elements count as false. */
extern uint8 *bits_of_array(ArrayType *array);

/*
 * Returns the bits that are set in both of two bitmaps for n rows.  A NULL pointer stands for a bitmap with all bits
 * set.
 */
extern const uint8 *bits_in_both(const uint8 *a, const uint8 *b, int64 n);

/*
 * Returns an array with the dimensions of `like` and no NULLs, of `type` with `width` bytes an element.  The caller
 * fills the elements in at ARR_DATA_PTR.  An error if it would be larger than PostgreSQL allows.
 */
extern ArrayType *array_like(ArrayType *like, Oid type, Size width);

/* As array_like(), but one-dimensional: n elements, at least 1, with first subscript `lower`. */
extern ArrayType *array_row(int n, int lower, Oid type, Size width);

/* Returns a copy of the array in which the elements whose bit in `valid` is 0 are NULL. */
extern ArrayType *array_with_nulls(ArrayType *array, Size width, const uint8 *valid);

/* As array_like(), but the caller fills in only the first `present` elements; the others are NULL. */
extern ArrayType *array_nulls_last(ArrayType *like, Oid type, Size width, int present);

/*
 * An array of any type that is built element by element.  Core's ArrayBuildState was rejected: it keeps a copy and a
 * Datum of each element, and finds out only at the end that they do not fit.
 */
typedef struct ArrayWriter
{
	RetainedType  type;
	MemoryContext context;
	char		 *data; /* the elements so far, aligned as in an array */
	Size		  used, room;
	uint8		 *valid;
	int			  n;
	bool		  has_nulls;
} ArrayWriter;

/* Starts an array of at most n elements.  Its memory comes from the current context. */
extern void array_writer_start(ArrayWriter *writer, Oid type, int64 n);
extern void array_writer_add(ArrayWriter *writer, Datum value, bool isnull);

/*
 * Returns the array and frees the writer's memory: with the dimensions of `like`, which has the same number of
 * elements, or with one dimension and first subscript `lower`.
 */
extern ArrayType *array_writer_end_like(ArrayWriter *writer, ArrayType *like);
extern ArrayType *array_writer_end_row(ArrayWriter *writer, int lower);

/*
 * Returns the elements of an array, and their number in *n.  An error if the array has a NULL or more than one
 * dimension; `name` is the argument's name in the message.
 */
extern const void *elements_of_array(Datum value, const char *name, int *n);

/* As elements_of_array(), for a float8[] that must not be empty. */
extern const double *vector_of_array(Datum value, const char *name, int *n);

/*
 * Copies the elements of a float8[] to `to`.  Returns false, and copies nothing, unless the array has one dimension, n
 * elements and no NULLs.
 */
extern bool vector_copy(Datum value, int n, double *to);

/*
 * Returns a new array of n elements, with first subscript 1.  *elements points to the elements, which the caller fills
 * in; it is NULL if n is 0.
 */
extern ArrayType *array_of_elements(Oid type, Size width, int n, void **elements);

#endif /* SCAN_COLUMN_ARRAY_H */

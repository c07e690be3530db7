/*
 * array.h: SQL arrays as columns, and columns as arrays.
 */
#ifndef SCAN_COLUMN_ARRAY_H
#define SCAN_COLUMN_ARRAY_H

#include "postgres.h"

#include "utils/array.h"

#include "column/retained.h"

/* An array of fixed-width elements laid down as a column: see struct ScanJob. */
typedef struct ArrayColumn
{
	int64		 n;
	const void	*values; /* n of them, NULLs included; in the array itself where it has none */
	const uint8 *valid;	 /* NULL pointer: no NULLs */
} ArrayColumn;

/*
 * An array argument that is only read: flat, and not copied where an expanded
 * array (a PL/pgSQL variable) holds a flat one inside.
 */
extern ArrayType *array_argument(Datum value);

/* `width` bytes an element; the column lives as long as the array. */
extern ArrayColumn column_of_array(ArrayType *array, Size width);

/* The bits of the true elements of a boolean[]; NULL elements are false. */
extern uint8 *bits_of_array(ArrayType *array);

/* The bits that are set in both of two bitmaps for n rows; NULL is one with all set. */
extern const uint8 *bits_in_both(const uint8 *a, const uint8 *b, int64 n);

/*
 * An array with the shape of `like` for n elements of `type`, `width` bytes each,
 * to be filled in at ARR_DATA_PTR.  An error when it would be beyond what
 * PostgreSQL can hold.
 */
extern ArrayType *array_like(ArrayType *like, Oid type, Size width);

/* A one-dimensional array for n elements, at least 1, whose first subscript is `lower`; otherwise as array_like. */
extern ArrayType *array_row(int n, int lower, Oid type, Size width);

/* The same array without the elements whose bit in `valid` is 0: NULLs now. */
extern ArrayType *array_with_nulls(ArrayType *array, Size width, const uint8 *valid);

/* As array_like for the first `present` elements, to be filled in; the others are NULL. */
extern ArrayType *array_nulls_last(ArrayType *like, Oid type, Size width, int present);

/*
 * An array of any type that grows element by element.  Core's ArrayBuildState keeps
 * a copy and a Datum of each, and finds out only in the end that they do not fit.
 */
typedef struct ArrayWriter
{
	RetainedType  type;
	MemoryContext context;
	char		 *data; /* as an array holds them */
	Size		  used, room;
	uint8		 *valid;
	int			  n;
	bool		  has_nulls;
} ArrayWriter;

/* For at most n elements; the memory is the current context's. */
extern void array_writer_start(ArrayWriter *writer, Oid type, int64 n);
extern void array_writer_add(ArrayWriter *writer, Datum value, bool isnull);

/* The array, in the shape of `like` for as many elements as that has, or with one dimension. */
extern ArrayType *array_writer_end_like(ArrayWriter *writer, ArrayType *like);
extern ArrayType *array_writer_end_row(ArrayWriter *writer, int lower);

/* The elements of a one-dimensional or empty array without NULLs; `name` is for the errors. */
extern const void *elements_of_array(Datum value, const char *name, int *n);

/* The same of a float8[] that must not be empty. */
extern const double *vector_of_array(Datum value, const char *name, int *n);

/* Copies the elements of a float8[] of one dimension, n elements and no NULLs; false: it is another one. */
extern bool vector_copy(Datum value, int n, double *to);

/* A new array of n elements from 1 on; *elements is their place. */
extern ArrayType *array_of_elements(Oid type, Size width, int n, void **elements);

#endif /* SCAN_COLUMN_ARRAY_H */

/*
 * array.h: SQL arrays as columns, and columns as arrays.
 */
#ifndef SCAN_COLUMN_ARRAY_H
#define SCAN_COLUMN_ARRAY_H

#include "postgres.h"

#include "utils/array.h"

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

/* The same array without the elements whose bit in `valid` is 0: NULLs now. */
extern ArrayType *array_with_nulls(ArrayType *array, Size width, const uint8 *valid);

/* The elements of a one-dimensional or empty array without NULLs; `name` is for the errors. */
extern const void *elements_of_array(Datum value, const char *name, int *n);

/* The same of a float8[] that must not be empty. */
extern const double *vector_of_array(Datum value, const char *name, int *n);

/* A new array of n elements from 1 on; *elements is their place. */
extern ArrayType *array_of_elements(Oid type, Size width, int n, void **elements);

#endif /* SCAN_COLUMN_ARRAY_H */

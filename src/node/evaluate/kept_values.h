/*
 * kept_values.h: the values of one column that a function keeps of a partition beyond memory, in their order.
 *
 * compaction.c appends values while the partition is accumulated, and takes them while its rows are emitted.  They are
 * written to a temporary file a chunk at a time (sort/row_file.h); fewer than a chunk stay in memory.  Rejected: an
 * array that may lie on disk (column/memory.h).  It moves when it grows, and three million texts took three times as
 * long.
 */
#ifndef SCAN_NODE_EVALUATE_KEPT_VALUES_H
#define SCAN_NODE_EVALUATE_KEPT_VALUES_H

#include "postgres.h"

#include "column/rows.h"
#include "sort/row_file.h"

typedef struct KeptValues
{
	MemoryContext memory;
	RowColumn	  column;  /* describes the one column of `rows` */
	Rows		 *rows;	   /* the values that are not in the file */
	int64		  next;	   /* row of `rows` to be taken next, unless there is a file */
	bool		  spilled; /* `file` is open */
	bool		  taking;  /* no more values are appended */
	RowFile		  file;
} KeptValues;

/* Prepares for values of a type.  The values are allocated below the context `memory`. */
extern void kept_values_create(KeptValues *kept, MemoryContext memory, int16 length, bool by_value);

/* Forgets all values and closes the file.  Must be called before the resource owner is released. */
extern void kept_values_reset(KeptValues *kept);

/* Appends a value; a reference is copied. */
extern void kept_values_append(KeptValues *kept, Datum value, bool isnull);

/*
 * Makes room for `rows` values more and returns their column, in which the first of them is at kept->rows->n.  The
 * caller stores values that are neither NULL nor references, and then calls kept_values_appended() with their number.
 */
extern Column *kept_values_room(KeptValues *kept, int64 rows);
extern void	   kept_values_appended(KeptValues *kept, int64 values);

/* Returns how many rows kept_values_room() should be asked for at once. */
extern int64 kept_values_piece(void);

/* Takes the next value, which is valid until the next call.  Returns false if there is none. */
extern bool kept_values_take(KeptValues *kept, Datum *value, bool *isnull);

#endif /* SCAN_NODE_EVALUATE_KEPT_VALUES_H */

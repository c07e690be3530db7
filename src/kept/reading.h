/*
 * reading.h: adds up the state of a part of a partition, for the functions that read a kept scan.
 */
#ifndef SCAN_KEPT_READING_H
#define SCAN_KEPT_READING_H

#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"
#include "nodes/plannodes.h"

#include "kept/catalogs.h"
#include "kept/store.h"

/* ---- grid.c ---- */

/* Numbers of the first key, both inclusive. */
typedef struct KeptInterval
{
	int64 from, to;
} KeptInterval;

/*
 * A grid, by its letter: 'w' intervals of so many microseconds, 'm' of so many months, 'b' those of date_bin(), '/'
 * those of an integer divided by the width, 'e' those of seconds divided by the divisor, 'c' the sides of a value,
 * which is the origin.
 */
typedef struct KeptGrid
{
	char  letter;
	int64 width, origin; /* an interval begins at the origin */
	Datum divisor;		 /* a numeric */
} KeptGrid;

/* 2000-01-01 as pg_time_t has it. */
#define KEPT_UNIX_SECONDS ((pg_time_t) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

/* Returns the interval of a grid around a number.  What is computed in the memory is freed. */
extern KeptInterval kept_grid_interval(const KeptGrid *grid, int64 at, MemoryContext memory);

/* Returns a + b; an end that is open stays open. */
static inline int64
kept_moved(int64 a, int64 b)
{
	int64 sum;

	if (a == PG_INT64_MIN || a == PG_INT64_MAX)
		return a;
	return pg_add_s64_overflow(a, b, &sum) ? (b < 0 ? PG_INT64_MIN : PG_INT64_MAX) : sum;
}

/* Returns the greatest multiple of a width that is not above a number. */
static inline int64
kept_multiple_below(int64 number, int64 width)
{
	int64 rest = number % width;

	return number - rest - (rest < 0 ? width : 0);
}

/* ---- unit.c ---- */

/*
 * Sets the grid of a unit of date_trunc() and extract(), letter 't', or of the finest pattern that a format of
 * to_char() may have, 'f'.  False: it has none.
 */
extern bool kept_unit_grid(char letter, const char *text, KeptGrid *grid);

/* Returns how many microseconds its intervals are long, months about as many; 0 if there is no grid. */
extern double kept_unit_length(char letter, const char *text);

/* ---- calendar.c ---- */

typedef struct KeptCalendar KeptCalendar;

/* Reads the steps of a call, whose values are the arguments from i on.  NULL: there are not as many as the steps need.
 */
extern KeptCalendar *kept_calendar_create(const Kept *kept, FunctionCallInfo fcinfo, const char *steps, int i);

/* Returns the interval around a number of the first key in which each step has one value; valid until the next call. */
extern const KeptInterval *kept_calendar_interval(KeptCalendar *calendar, int64 number);

/* ---- cell_states.c ---- */

/* The rows of a partition whose first keys are in one interval. */
typedef struct KeptCell
{
	KeptInterval interval;
	int64		 number, last; /* in it, and near the rows; no number of a row is known to be after the last */
	KeptState	*state;
} KeptCell;

/* The cells of a partition.  They live in the context in which they were made. */
typedef struct KeptCells KeptCells;
extern KeptCells		*kept_cells_create(const Kept *kept, KeptCalendar *calendar);

/* Returns no cells, of the same calendar. */
extern KeptCells *kept_cells_like(const KeptCells *cells);

/* Forgets all cells. */
extern void kept_cells_clear(KeptCells *cells);

/* Returns the state of the cell that an interval lies in, for rows of it to be added. */
extern KeptState *kept_cells_state(KeptCells *cells, int64 first, int64 last);

/* True if an interval lies in one cell. */
extern bool kept_cells_have_one(const KeptCells *cells, int64 from, int64 to);

/* Passes the cells to `visit` until it returns false, and returns whether it never did.  The current context of
 * `visit` is that of the cells. */
typedef bool (*KeptVisitCell)(void *to, const KeptCell *cell);
extern bool kept_cells_visit(const KeptCells *cells, KeptVisitCell visit, void *to);

/* ---- read.c ---- */

/* A part of a partition: rows from the number `from` on, of the first key, to a point in the order. */
typedef struct KeptPart
{
	const NullableDatum *partition;
	int64				 from;	 /* PG_INT64_MIN: from the first row on */
	bool				 to_end; /* up to the last row */
	int					 keys;	 /* else: of the upper bound, a row comparison over so many keys */
	const Datum			*to;
	bool				 with_peers; /* rows whose keys are the bound's are in the part; of more than one key */
	bool				 as_user;	 /* row security applies to the user, so the user's own rows are read */
	KeptCells			*cells;		 /* whose states the rows are added to; NULL: all are added to one state */
} KeptPart;

/* Adds the rows of a query of the table to a state.  Returns how many there were.  The caller has called SPI_connect().
 */
extern int64 kept_read_rows(Kept *kept, const KeptQuery *query, KeptRow *row, KeptState *state);

/*
 * Adds the rows of a part that the active snapshot sees to the state, or to those of its cells; then `state` is NULL.
 * The caller has called SPI_connect().
 */
extern void kept_read(Kept *kept, const KeptPart *part, KeptState *state);

/* ---- snapshot.c ---- */

/*
 * Locks the table until the transaction ends.  Returns whether tree and log may be read in the snapshot, and not the
 * table alone; then these two are locked, too, so that nobody empties them.  kept_read() gives the two locks back when
 * it has read them.
 */
extern bool kept_lock_to_read(Kept *kept, Snapshot snapshot);

/* Lets others empty tree and log again before the transaction ends. */
extern void kept_unlock_read(const Kept *kept);

/* ---- functions.c ---- */

/*
 * Returns the kept scan whose tree is an argument of a function.  *as_user: row security applies to the user, who sees
 * only some rows of the table.
 *
 * In a plan that the rewriting of a query has made (calls.c), the executor has checked the privileges of the user for
 * whom the plan was made, and who may be another one than the user at the call, such as that of a cursor.  In another
 * call, the user needs SELECT on the columns of the table that the definition reads, and EXECUTE on its functions.
 */
extern Kept *kept_to_read(const FmgrInfo *caller, NullableDatum tree, bool *as_user);

/* Sets the values of the partition, which are the arguments from i on. */
extern void kept_partition_arguments(FunctionCallInfo fcinfo, int i, const Kept *kept, NullableDatum *partition);

/*
 * Reads the arguments of scan_kept_cells() behind the name: the part of each partition, the index of the first of the
 * lists, one for each column of the partition, 0: there are none, and the steps.  False: no row is in the part.
 * part->to points to `to`, and part->cells are those of the steps.
 */
extern bool kept_cells_arguments(FunctionCallInfo fcinfo, const Kept *kept, KeptPart *part, Datum *to, int *lists);

/*
 * Raises an error unless a result, NULL: of no row type, has the types of some columns, and after them those of the
 * aggregates, or of their states.  The last aggregates may lack: CREATE OR REPLACE VIEW may have added them, behind
 * those that a function was made for.
 */
extern void kept_check_result(const Kept *kept, TupleDesc desc, int columns, const Oid *type, bool states);

/* ---- running.c ---- */

/* The aggregates that a call wants are the bits of a bigint. */
#define KEPT_MOST_RUNNING 63

/* ---- explain.c ---- */

/* True if notes are printed, so that it is worth while to find out a reason. */
extern bool kept_notes_wanted(void);

/* The same of advice, a note without a kept scan, whose reason is a call of scan_keep(): in the JSON of scan_explain().
 */
extern bool kept_advice_wanted(void);

/* Notes that a query level reads a kept scan, or why it does not. */
extern void kept_note(const Kept *kept, const char *reason);

/* Between the two calls a query is planned.  Only the first one of an EXPLAIN has notes, not those of its functions. */
extern void kept_notes_begin(void);
extern void kept_notes_end(const PlannedStmt *statement);

/* Returns how many notes there are; and gives the later ones, of kept scans that are read, a reason why they are not.
 */
extern int	kept_notes_number(void);
extern void kept_notes_revoke(int first, const char *reason);

/* Counts what was read, for EXPLAIN (ANALYZE); and of how many leaves, most of which have nodes. */
extern void kept_note_read(const Kept *kept, int64 cells, int64 nodes, int64 deltas, int64 rows);
extern void kept_note_leaves(const Kept *kept, int leaves, int by_rows);

extern void kept_explain_init(void);

#endif /* SCAN_KEPT_READING_H */

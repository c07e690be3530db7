/*
 * window_level.h: a query level with windows over a table of which a scan is kept, and what the level above asks of it.
 *
 * windows.c goes through the levels of a query, has each one read here, and rewrites those that a kept scan shortens.
 */
#ifndef SCAN_KEPT_WINDOW_LEVEL_H
#define SCAN_KEPT_WINDOW_LEVEL_H

#include "kept/question.h"

/* A level above, and the number of the next one below in its range table. */
typedef struct LevelAbove
{
	const Query *query;
	int			 number;
} LevelAbove;

#define MOST_LEVELS_ABOVE 4

typedef struct WindowLevel
{
	KeptQuestion q; /* first: its conditions are those of this level and, as far as they are known, of those above */
	int			 aboves; /* levels above: this one, or one that only chooses and computes, is an entry of each */
	LevelAbove	 above[MOST_LEVELS_ABOVE]; /* the nearest one first */
	const Query *outermost;				   /* the query that these are levels of */
	List		*conditions; /* of the levels above, as expressions over the table; those that cannot be are left out */
	bool		 others;	 /* some were left out, or are not about the partition and the first key alone */
	List		*bounds;	 /* those that compare the first key */
	List		*joins;		 /* those that have columns of other entries of the level above ... */
	List		*join_level; /* ... and which level that is */
	bool		 has_from;	 /* one of them is a lower bound */
	uint64		 wanted;	 /* aggregates of the definition that the windows have, as bits */
	double		 rows_of_key; /* that a partition has of one first key, on average; 0: nobody knows */
	bool		 by_row;	  /* each window's values follow from the keys of a row alone */
	int			 keys;		  /* each window is ordered by so many keys of the kept scan, and maybe by others */
	const Kept	*with_state;  /* a kept scan that has the state, whether it is of use or not; NULL: there is none */
	bool (*is_of_use)(const struct WindowLevel *level); /* asked about each kept scan that has the state */
} WindowLevel;

/* Reads a level.  True: a kept scan, which is level->q.kept, has the state from which its windows can go on, of use. */
extern bool window_level_read(WindowLevel *level);

/* Returns a column of the partition or, after these, of the order. */
extern const KeptColumn *window_level_column(const Kept *kept, int i);

/* Returns which aggregate of the definition a function over a window is, -1 if none. */
extern int window_level_aggregate(const WindowLevel *level, const WindowFunc *call);

/* True if a function is not computed over all peers of the current row, but up to the row alone. */
extern bool window_level_by_rows(const WindowLevel *level, const WindowFunc *call);

/*
 * Returns an expression of a level above as one over the table.  It may have a window function.  The levels above are
 * counted from 0; -1: the level itself.  If the expression has something else, the result is NULL; unless `whole` is
 * false: then the result still tells which columns of the table the expression has.
 */
extern Node *window_level_translate(const WindowLevel *level, int above, Node *node, bool whole);

/* Returns the level that shows rows: the highest one. */
extern const Query *window_level_top(const WindowLevel *level);

/* True if the rows are the last ones of a partition, or of all of them, by ORDER BY and LIMIT of the highest level. */
extern bool window_level_shows_last(const WindowLevel *level);

#endif /* SCAN_KEPT_WINDOW_LEVEL_H */

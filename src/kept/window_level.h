/*
 * window_level.h: a query level with windows over a table of which a scan is kept, and what the level above asks of it.
 *
 * windows.c goes through the levels of a query, has each one read here, and rewrites those that a kept scan shortens.
 */
#ifndef SCAN_KEPT_WINDOW_LEVEL_H
#define SCAN_KEPT_WINDOW_LEVEL_H

#include "kept/question.h"

typedef struct WindowLevel
{
	KeptQuestion q; /* first: its conditions are those of this level and, as far as they are known, of the one above */
	const Query *above;		 /* the level above, NULL: there is none */
	int			 number;	 /* of this level in the range table of the level above */
	List		*conditions; /* of the level above, as expressions over the table; those that cannot be are left out */
	bool		 others;	 /* some were left out, or are not about the partition and the first key alone */
	List		*bounds;	 /* those that compare the first key */
	List		*joins;		 /* those that have columns of other entries of the level above */
	bool		 has_from;	 /* one of them is a lower bound */
	uint64		 wanted;	 /* aggregates of the definition that the windows have, as bits */
	bool		 by_row;	 /* each window's values follow from the keys of a row alone */
	int			 keys;		 /* these keys, if so */
} WindowLevel;

/* Reads a level.  True: a kept scan, which is level->q.kept, has the state from which its windows can go on. */
extern bool window_level_read(WindowLevel *level);

/* Returns which aggregate of the definition a function over a window is, -1 if none. */
extern int window_level_aggregate(const WindowLevel *level, const WindowFunc *call);

/* True if a function is not computed over all peers of the current row, but up to the row alone. */
extern bool window_level_by_rows(const WindowLevel *level, const WindowFunc *call);

/* Returns an expression of the level above as one over the table, NULL if it is none.  It may have a window function.
 */
extern Node *window_level_translate(const WindowLevel *level, Node *node);

/* True if the rows are the last ones of a partition, or of all of them, by an ORDER BY of `query`, which has LIMIT. */
extern bool window_level_shows_last(const WindowLevel *level, const Query *query);

#endif /* SCAN_KEPT_WINDOW_LEVEL_H */

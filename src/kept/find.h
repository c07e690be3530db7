/*
 * find.h: finds a kept scan that has what a query level asks for.
 *
 * The rewrites of queries (totals.c, window_level.c) call it for each query level that has the right form.  A kept scan
 * is found by its triggers, which the relation cache has, so a table without one costs nothing.
 */
#ifndef SCAN_KEPT_FIND_H
#define SCAN_KEPT_FIND_H

#include "kept/question.h"

/* True if a kept scan, which is q->kept, has what the query level asks for. */
typedef bool (*KeptHasAnswer)(KeptQuestion *q);

/*
 * Looks at the only table of the query level q->query.  Returns true, and sets the question's table and kept scan, if a
 * kept scan of it has the answer, and partitions are large enough for it to pay.
 */
extern bool kept_find(KeptQuestion *q, KeptHasAnswer has_answer);

#endif /* SCAN_KEPT_FIND_H */

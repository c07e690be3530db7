/*
 * window_forms.h: the forms in which a level with windows reads a kept scan.
 *
 * Each function rewrites the level, whose query is `query`, or leaves it as it is and returns false: the level does not
 * have what the form needs, or the extension lacks a function, because it was not updated.
 */
#ifndef SCAN_KEPT_WINDOW_FORMS_H
#define SCAN_KEPT_WINDOW_FORMS_H

#include "kept/window_level.h"

/* From a bound of the first key on: the bound is asked of the table, too.  level->has_from is true. */
extern bool kept_rewrite_bound(const WindowLevel *level, Query *query);

/* The last rows of an order, which window_level_shows_last() has found. */
extern bool kept_rewrite_last_rows(const WindowLevel *level, Query *query);

/* Some rows by their keys: the windows go, and each row's values are read.  level->by_row is true. */
extern bool kept_rewrite_rows(WindowLevel *level, Query *query);

/*
 * Some rows by a unique column, whose values do not follow from their keys: the table gives all rows from the first one
 * that is shown to the last, by their first key.  A page of a list lies close together.
 */
extern bool kept_rewrite_span(const WindowLevel *level, Query *query);

#endif /* SCAN_KEPT_WINDOW_FORMS_H */

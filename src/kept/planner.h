/*
 * planner.h: whether a query can read a kept scan, and the query that does.
 */
#ifndef SCAN_KEPT_PLANNER_H
#define SCAN_KEPT_PLANNER_H

#include "postgres.h"

#include "access/htup.h"
#include "nodes/bitmapset.h"
#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

#include "kept/kept.h"

/* ---- question_value.c ---- */

/* A query level, and what of a kept scan it asks for. */
typedef struct KeptQuestion KeptQuestion;

struct KeptQuestion
{
	Query	   *query;
	int			varno;
	FmgrInfo	caller; /* the trigger function of the kept scan, whose schema is the extension's */
	const Kept *kept;
	double		largest_partition, average_partition; /* rows, by statistics; -1: nobody knows */
	double		rows;								  /* of the table */
	Expr	  **partition;							  /* the value of each column; NULL: none yet */
	Expr	   *from, *to;							  /* bounds of the first key, NULL: none */
	bool		from_inclusive, to_inclusive;
	Expr	  **list;	/* of cells: an array of the values of each column that are asked for; NULL: all of them */
	char	   *reason; /* why the kept scan has no answer, if an EXPLAIN asks */
	/* of a level that may read cells (cells.c): */
	ParamListInfo parameters; /* NULL: the plan is for any values */
	bool		  has_cells;
	bool (*is_of_cells)(KeptQuestion *q, Node *node, bool *differs); /* question_cells.c */
	bool   has_ties;												 /* one of its aggregates */
	List  *asked;		/* the conditions without which a row has no result */
	char  *steps;		/* as letters (calendar.c) */
	List  *step_values; /* of the letters */
	List  *step_nodes;	/* the expressions that the steps are */
	double edges;		/* of cells, for each number of the first key, or microsecond, as far as it is known */
	double cells, cost; /* that scan_kept_cells() returns, and its cost (cells_cost.c) */
	Oid	   merge;		/* scan_kept_merge() */
	bool   reads_many;	/* of the rows, from the table */
	bool   at_last;		/* expressions are asked of the cells' second key */
};

/*
 * Returns an expression over the table in the form in which it is compared with a definition's; if q is NULL, one of
 * the definition.  Another table of the level does not look like this one.
 */
extern Node *kept_question_normal(const KeptQuestion *q, Node *node);

/* True if an expression of a definition, or a list of some, is an expression of that form. */
extern bool kept_question_is_same(const void *of_definition, const Node *normal);

/* Returns the conditions of a WHERE or an ON of the query, all of which have to be met. */
extern List *kept_question_conditions(const Query *query, Node *quals);

/* True if an expression has the same value in all rows of the table and may be computed once, and first. */
extern bool kept_question_is_value(Node *node);

/* Returns how many elements an array has; one that is not known while the query is planned has as many as core says. */
#define KEPT_LENGTH_OF_ARRAY 10
extern double kept_question_length(Node *array);

/* True if an expression has a column of a query level above.  A walker, whose second argument is not used. */
extern bool kept_question_has_outer(Node *node, void *unused);

/*
 * Notes why a kept scan has no answer, and returns false.  `what` may have a %s, for the expression or for its name;
 * the first reason counts.
 */
extern bool kept_question_fails(KeptQuestion *q, const char *what, Node *node);

/* Returns an expression over the question's table as text that can be parsed again. */
extern char *kept_question_text(const KeptQuestion *q, Oid table, const void *node);

/* ---- question_column.c ---- */

/* True if an expression is a column of the kept scan. */
extern bool kept_question_is_column(const KeptQuestion *q, Node *node, const KeptColumn *column);

/* Returns which column of the partition an expression is, -1 if it is none. */
extern int kept_question_partition(const KeptQuestion *q, Node *node);

/* True if equal values of a column have the same bytes. */
extern bool kept_question_is_exact(const KeptColumn *column);

/* True if an operator is the = of a column's type, and means the same under a collation as under the column's. */
extern bool kept_question_equals(const KeptColumn *column, Oid operator, Oid collation);

/* Returns the operator of `a OP b` or `a OP ANY (b)`, and its operands and collation; InvalidOid: it is neither. */
extern Oid kept_question_operator(Node *node, List **operands, Oid *collation);

/*
 * True if an expression may raise an error for some values of its columns: it has more than comparisons, and is none of
 * a list of expressions that raise none.  A walker, whose second argument is the list.
 */
extern bool kept_question_may_fail(Node *node, void *others);

/*
 * Reads a comparison of a column with a value that is computed once.  Returns its strategy, as that of a btree in which
 * the column is on the left, and the value, which may be of another type; 0 if it is another condition.  Where the
 * values that meet the condition are not all on one side, the number of the strategy is negative.
 */
extern int kept_question_comparison(const KeptQuestion *q, Node *condition, const KeptColumn *column, Node **value);

/*
 * True if an expression may tell rows of one partition apart by the columns of PARTITION BY: 1.0 and 1.00 are equal, so
 * they are one partition, but scale() is not the same of both.  A walker, whose second argument is the question.
 */
extern bool kept_question_tells_apart(Node *node, void *question);

/* True if an expression has the same value in all rows of a partition. */
extern bool kept_question_is_of_partition(const KeptQuestion *q, Node *node);

/*
 * Returns a value that a column is compared with as one of the column's type, NULL if there is none.  The strategy is
 * that of the comparison; of another type than the column's, the value is the nearest one for which it holds (bound.c).
 */
extern Expr *kept_question_value(const KeptQuestion *q, const KeptColumn *column, Node *value, int strategy);

/* The same, also for a value of the column's type: the least one that is greater, and so on. */
extern Expr *kept_question_nearest(const KeptQuestion *q, const KeptColumn *column, Node *value, int strategy);

/* Returns an array, or an array of one value, as an array of a column's type, NULL if it cannot be that. */
extern Expr *kept_question_array(const KeptColumn *column, Expr *value);

/* ---- step.c ---- */

/* Takes an expression that is a step of the first key, for the call of scan_kept_cells().  False: it is none. */
extern bool kept_step_take(KeptQuestion *q, Node *node);

/* ---- question.c ---- */

/*
 * True if one partition of the kept scan q->kept has the answer of a level without GROUP BY; sets the values of the
 * partition and the bounds.
 */
extern bool kept_question_has_answer(KeptQuestion *q);

/* Begins a question anew, for the kept scan q->kept. */
extern void kept_question_begin(KeptQuestion *q);

/* Takes a condition that a column of the partition is equal to a value, which becomes its value in q->partition. */
extern bool kept_question_take_value(KeptQuestion *q, Node *condition);

/*
 * True if GROUP BY or PARTITION BY has the columns of the kept scan's partition, except for some that have a value.  If
 * a value of each column is shown, it has to be that of all rows.
 */
extern bool kept_question_has_partitions(const KeptQuestion *q, const List *clauses, bool shown);

/*
 * Takes a comparison of the first key with a value, which becomes a bound.  False: it is none, or the bound lets rows
 * through that do not meet it.
 */
extern bool kept_question_take_bound(KeptQuestion *q, Node *condition);

/*
 * Returns which aggregate of the definition a call is, -1 if none.  For cells, the number behind the last aggregate is
 * that of count(*), and *remain are the conditions of FILTER that are asked of the cells.
 */
extern int kept_question_aggregate(const KeptQuestion *q, const Aggref *call, List **remain);

/* Returns which aggregate of the definition a call over a window is, -1 if none. */
extern int kept_question_window_aggregate(const KeptQuestion *q, const WindowFunc *call);

/* True if all rows that the definition has meet a condition. */
extern bool kept_question_defines(KeptQuestion *q, Node *condition);

/* True if the definition has all rows that meet the conditions of the query level, or some of these. */
extern bool kept_question_has_definition(KeptQuestion *q, List *conditions);

/* ---- question_cells.c ---- */

/*
 * True if the cells of the kept scan q->kept answer the level q->query, whose FROM and WHERE become those that are
 * asked of the cells; sets values and lists of the partition, bounds and steps.  The level is the caller's own copy.
 */
extern bool kept_question_has_cells(KeptQuestion *q);

/* ---- question_case.c ---- */

/* Returns an expression whose aggregates of a CASE have a FILTER instead.  A mutator; its argument is the question. */
extern Node *kept_question_without_case(Node *node, void *question);

/* ---- cells_cost.c ---- */

/* Sets how many cells the level reads, what that costs, and whether too many of its rows have to be read for them. */
extern void kept_cells_estimate(KeptQuestion *q);

/* True if a level that reads a part, by statistics, adds up so many rows that a kept scan is faster in any case. */
extern bool kept_part_is_large(const KeptQuestion *q);

/* ---- calls.c ---- */

/* Returns a function of the extension by its name and types, InvalidOid if the user may not call it, or there is none.
 */
extern Oid kept_function(const KeptQuestion *q, const char *name, int types, const Oid *type);

extern Const *kept_tree_constant(const Kept *kept);

/*
 * The location of the calls that the rewriting of a query makes.  No call that a user writes has it, and no function
 * and no EXPLAIN can show or set it; so the function that is called knows that the executor has checked the user's
 * privileges on the table, as in the query that was rewritten.
 */
#define KEPT_PLANNED_LOCATION (-2)

/* True if a call is one of these. */
extern bool kept_call_is_planned(const FmgrInfo *function);

/*
 * Returns a call of scan_kept_part() or scan_kept_cells(), which returns a set, with bounds and values; NULL if the
 * extension lacks the function.
 */
extern Expr *kept_call(const KeptQuestion *q, const char *name, bool returns_set, const char *bounds, List *values);

/*
 * Returns the entry of the range table for such a call.  Its columns are the aggregates; or, for cells, the columns of
 * the partition, the first key, the number of rows, and the states of the aggregates.
 */
extern RangeTblEntry *kept_entry_of_call(const KeptQuestion *q, Expr *call);

/* Returns what refers in FROM to an entry of the range table. */
extern Node *kept_reference(int number);

/* ---- find.c ---- */

/* True if a kept scan, which is q->kept, has what the query level asks for. */
typedef bool (*KeptHasAnswer)(KeptQuestion *q);

/*
 * Look at the only table of the query level q->query, or at an entry of its range table.  Return true, and set the
 * question's table and kept scan, if a kept scan of it has the answer, and partitions are large enough for it to pay.
 */
extern bool kept_find(KeptQuestion *q, KeptHasAnswer has_answer);

/* Returns the number of the only table of a query level, 0 if the level is not about one table alone. */
extern int	kept_table_of_level(const Query *query);
extern bool kept_find_of(KeptQuestion *q, int varno, KeptHasAnswer has_answer);

/* The same for a kept scan of the table q->varno that is not there, but could be. */
extern bool kept_find_supposed(KeptQuestion *q, Kept *kept, KeptHasAnswer has_answer);

/* True if an entry of a range table is a table that may have a kept scan. */
extern bool kept_is_table(const RangeTblEntry *entry);

/* Returns the statistics of a column of the table, as SearchSysCache3() does. */
extern HeapTuple kept_statistics(const Kept *kept, const KeptColumn *column);

/* ---- totals.c ---- */

/* Why it is open whether a query should read a kept scan. */
typedef enum KeptOpen
{
	KEPT_NOT_OPEN,
	KEPT_OPEN_RANGE, /* the range between the bounds of its highest level may have few rows */
	KEPT_OPEN_CELLS, /* there may be as many cells as rows: costs tell */
} KeptOpen;

/*
 * Rewrites the levels of a query that a kept scan answers.  Returns whether there were any.  Where open is not NULL,
 * levels of which it is open are left as they are, and *open says why.
 */
extern bool kept_rewrite_totals(Query *query, ParamListInfo parameters, KeptOpen *open);

/* ---- expose.c ---- */

/*
 * Puts a table with triggers in the place of a subquery or view of the level that only shows rows of the table.  False:
 * there is none, or the level needs the subquery; then the level, which is a copy, is of no use any more.
 */
extern bool kept_expose(Query *level);

/* Returns conditions of the level above that choose groups of a level, as conditions of the rows of the level. */
extern List *kept_conditions_above(const Query *above, const Query *level);

/* ---- advise.c ---- */

/* Notes which call of scan_keep() would serve a level that reads no kept scan, if scan_explain() asks for that. */
extern void kept_advise(KeptQuestion *q, KeptHasAnswer serves);

/* ---- unique.c ---- */

/* True if no two rows of a table are equal in some columns, by a unique index.  The table is locked. */
extern bool kept_columns_are_unique(Oid relation, const Bitmapset *columns);

/* ---- window_level.c ---- */

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

/* ---- lookup.c ---- */

/* Returns the condition of a level above that lets only the rows of some values through, NULL if there is none. */
extern Node *kept_lookup(const WindowLevel *level);

/* True if there is such a condition, or a join with a short list. */
extern bool kept_finds_rows(const WindowLevel *level);

/* ---- window_forms.c ---- */

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

/* ---- windows.c ---- */

/*
 * Rewrites the windows of a query that shows the last rows of an order, which always pays.  Returns whether it did, and
 * sets *more if there may be other windows to rewrite.  If `more` is NULL, rewrites these.  The new query need not
 * be cheaper, so the caller plans both.
 */
extern bool kept_rewrite_windows(Query *query, bool *more);

#endif /* SCAN_KEPT_PLANNER_H */

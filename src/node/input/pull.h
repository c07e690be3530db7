/*
 * pull.h: gets rows of the child and stores them in columns.
 *
 * The lowest part of the input: it knows nothing of order, blocks or processes.  The parts above ask for some more
 * rows, and never ask the child themselves.
 */
#ifndef SCAN_NODE_INPUT_PULL_H
#define SCAN_NODE_INPUT_PULL_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "column/rows.h"

/*
 * The functions by which a node above reads the blocks of another PrefixScan.  exec/ has them: a BlockSourceOf returns
 * them for a node that is such a PrefixScan, and NULL for any other.
 */
typedef struct BlockSource
{
	/* Returns how many next rows have all their results; they are valid until the next call.  0: there are no more. */
	int64 (*ready)(PlanState *node);

	/* Returns a column of the node's row; *first is set to the position in it of the next row. */
	const Column *(*column)(PlanState *node, AttrNumber attno, int64 *first);

	/* Returns for each row from position *first of column() on whether it starts a partition of the node's window. */
	const bool *(*heads)(PlanState *node);

	/* Moves on by `rows` rows. */
	void (*take)(PlanState *node, int64 rows);
} BlockSource;

typedef const BlockSource *(*BlockSourceOf)(PlanState *node);

/* Where a column of the rows comes from. */
typedef struct PullColumn
{
	AttrNumber own;	  /* the column of the node's own row that it is; 0: none */
	AttrNumber attno; /* the column of the child's row; 0: the column is computed or a constant */
	ExprState *expr;  /* computes the column from the child's row; NULL: it is the child's or a constant */
	Oid		   type;
} PullColumn;

/*
 * The columns of the rows, as a node collects them when it starts.  A column of the node's own row has one column in
 * the rows, however often it is used.
 */
typedef struct PullColumns
{
	TupleDesc	desc; /* of the node's own row, or of its first columns */
	int			n;
	PullColumn *from;
	RowColumn  *column;
} PullColumns;

/*
 * Returns the column of the rows for a column of the node's own row, which is column `attno` of the child's (0: of
 * none); adds it if it is new.
 */
extern int pull_column(PullColumns *columns, AttrNumber own, AttrNumber attno);

/* Adds a column that has the same value in all rows, and returns it. */
extern int pull_constant(PullColumns *columns, const Const *constant);

/* A node that rows come from: the child, or one below that is read in its place. */
typedef struct Source Source;

typedef struct Pull
{
	PlanState	 *child;
	Source		 *source;
	BlockSourceOf block_source_of;
	ExprContext	 *econtext;
	int			  columns;
	PullColumn	 *column;
	bool		 *is_key;	/* of each column, for pull_source(); set by sorted_begin() */
	bool		  computes; /* some column is an expression */
} Pull;

/* Finds the shortest way to the child's rows.  `econtext` is for computed columns. */
extern void pull_begin(Pull *pull, PlanState *child, PullColumn *column, int columns, ExprContext *econtext,
					   BlockSourceOf block_source_of);

/* Appends at most `limit` of the child's next rows, fewer if they are large; returns how many; 0: there are no more. */
extern int64 pull_rows(Pull *pull, Rows *rows, int64 limit);

/* Where rows come from that filter.c and first_rows.c filter: appends some more of them; false: there are none. */
typedef struct RowSource
{
	bool (*append)(void *arg, Rows *rows);
	void *arg;
	int64 rows;		/* how many they are; 0: that is not known */
	bool  in_order; /* they come in the order of the window; only those of a range do */

	/*
	 * The keys first: as keys_first.c has it.  look: appends some rows, and fills in the columns of the window's keys
	 * only; -1: append() must be asked for the next ones.  NULL if the source cannot do it.
	 */
	int64 (*look)(void *arg, Rows *rows);
	void (*take)(void *arg, Rows *rows, const uint32 *which, int64 n);
	void (*ahead)(void *arg);
} RowSource;

/* The most rows that a source appends at once, between two checks of the budget. */
#define CHILD_ROWS_MOST 4096

/*
 * Returns the source of the child's rows.  It looks at the keys (pull->is_key) first if the child itself is a
 * sequential scan that computes nothing and has no condition.
 */
extern RowSource pull_source(Pull *pull);

/* Begins again, with a child that has been or will be rescanned. */
extern void pull_rewind(Pull *pull);

/* Returns the way to the rows, in a word for EXPLAIN. */
extern const char *pull_way(const Pull *pull);

#endif /* SCAN_NODE_INPUT_PULL_H */

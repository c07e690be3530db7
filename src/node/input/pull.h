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
	bool		 *is_key;	/* of each column, for pull_may_look(); NULL until it is known */
	bool		  computes; /* some column is an expression */
} Pull;

/* Finds the shortest way to the child's rows.  `econtext` is for computed columns. */
extern void pull_begin(Pull *pull, PlanState *child, PullColumn *column, int columns, ExprContext *econtext,
					   BlockSourceOf block_source_of);

/* Appends at most `limit` of the child's next rows, fewer if they are large; returns how many; 0: there are no more. */
extern int64 pull_rows(Pull *pull, Rows *rows, int64 limit);

/*
 * The keys of the child's rows first, as keys_first.c has it: pull_may_look() says if that is possible.  It is possible
 * only where the child itself is a sequential scan that computes nothing and has no condition.
 */
extern bool	 pull_may_look(Pull *pull);
extern int64 pull_look(Pull *pull, Rows *rows, int64 limit);
extern void	 pull_take(Pull *pull, Rows *rows, const uint32 *which, int64 n);
extern void	 pull_ahead(Pull *pull);

/* Begins again, with a child that has been or will be rescanned. */
extern void pull_rewind(Pull *pull);

/* Returns the way to the rows, in a word for EXPLAIN. */
extern const char *pull_way(const Pull *pull);

#endif /* SCAN_NODE_INPUT_PULL_H */

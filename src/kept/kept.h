/*
 * kept.h: a kept scan: what scan_keep() was told, ready to be used.
 *
 * README.md has the parts of this folder, the life of a kept scan, and the words of its health.
 */
#ifndef SCAN_KEPT_KEPT_H
#define SCAN_KEPT_KEPT_H

#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "utils/rel.h"
#include "utils/snapshot.h"
#include "utils/timestamp.h"

typedef struct KeptOperation KeptOperation;

/* Which variance, as flags: divided by the number of values less one; its square root. */
typedef enum KeptSpread
{
	KEPT_VAR_POP = 0,
	KEPT_VAR_SAMP = 1,
	KEPT_STDDEV_POP = 2,
	KEPT_STDDEV_SAMP = KEPT_VAR_SAMP | KEPT_STDDEV_POP,
} KeptSpread;

typedef struct KeptAggregate
{
	char				*name;
	Oid					 named;		/* the function that the definition names */
	Oid					 function;	/* the aggregate that is kept in its place */
	Oid					 called;	/* the aggregate that the definition names; InvalidOid: a window function */
	const KeptOperation *operation; /* how it is kept (store.h) */
	Oid					 result_type;
	Oid					 argument_type; /* of the first argument; InvalidOid: there is none */
	Oid					 state_type;	/* of its column in the tree and in the log */
	int16				 state_length;
	bool				 state_by_value;
	Oid					 collation;
	List				*arguments; /* expressions over a row of the table */
	Expr				*filter;	/* NULL: every row goes in */
	bool				 has_ties;	/* of kept_extreme: values may be equal and differ in their bytes */
	bool				 is_total;	/* of kept_sum and kept_transition: the result is a scan_total */
	KeptSpread			 spread;	/* of kept_variance */
	FmgrInfo			*add;		/* add, remove, combine, final: of kept_transition; add: of kept_extreme */
	FmgrInfo			*remove, *combine, *final;
} KeptAggregate;

/* A column by which the window partitions or orders. */
typedef struct KeptColumn
{
	AttrNumber attribute; /* of the table */
	char	  *name;
	Oid		   type;
	int32	   typmod;
	Oid		   collation;
	int16	   length;
	bool	   by_value;
	char	   align;
	Oid		   family;		 /* btree operator family of the type's default class */
	Oid		   opclass_type; /* the type that the class declares */
	FmgrInfo   compare;		 /* its comparison */
} KeptColumn;

/* Columns of ours in the tree and in the log, after those of the partition. */
#define KEPT_LEVEL "scan_level"
#define KEPT_BUCKET "scan_bucket"
#define KEPT_LEAF "scan_leaf"
#define KEPT_SPLIT "scan_split"
#define KEPT_ROWS "scan_rows"
/* Of cells, after the partition: the first key, another key of the cell, the number of rows. */
#define KEPT_CELL_COLUMNS 3
#define KEPT_LAST "scan_last"
#define KEPT_STALE "scan_stale"
/* What comes before the grain in the comment of the column KEPT_LEVEL, the only place where a dump has it. */
#define KEPT_GRAIN "; grain "

/* The widths that intervals can have (interval.c): those of the calendar for times, powers of four for other keys. */
#define KEPT_CALENDAR_WIDTHS 31
#define KEPT_MOST_LEVELS 32
#define KEPT_MOST_CHILDREN 6
extern const int64 kept_calendar[KEPT_CALENDAR_WIDTHS];
/* A node with more rows below it is split; one with fewer is read from the table. */
#define KEPT_LEAF_ROWS 256
/* The format of the states in the tree and in the log, and of their intervals; another one is not read. */
#define KEPT_FORMAT 2
#define KEPT_MOST_AGGREGATES 100

typedef struct KeptPlan	  KeptPlan;
typedef struct KeptLeaves KeptLeaves;

typedef struct Kept
{
	MemoryContext	  memory;
	NameData		  name;	   /* that scan_keep() was told, which the triggers have as their argument */
	bool			  adopted; /* it has a row in the catalog; one that was restored from a dump has none */
	Oid				  owner;   /* of the table */
	Oid				  view, table, tree, log;
	Oid				  source; /* the table that scan_keep() was told */
	bool			  is_partitioned;
	Oid				  leaf_catalog;	 /* scan_kept_leaf (leaves.c) */
	KeptLeaves		 *leaves;		 /* NULL: not read yet */
	TransactionId	  triggers_made; /* the subtransaction in which kept_triggers_create() has made and enabled them */
	Oid				  tree_index, log_index;
	int				  format;	/* of the states */
	bool			  calendar; /* the first key is a time: intervals have the widths of the calendar */
	int				  smallest; /* the number of the width of level 0 (interval.c) */
	const Interval	 *grain;	/* that scan_keep() was told; NULL: none */
	int64			  finest;	/* wider nodes are split whatever rows they have; PG_INT64_MAX: there is no grain */
	int				  top;		/* the highest level */
	TimestampTz		  shaped;	/* when `smallest` and `top` were chosen */
	bool			  outgrown; /* a compaction has found that level 0 is too wide for the rows that there are now */
	FullTransactionId built;	/* a snapshot that does not see this transaction sees no tree */
	int				  partitions;
	KeptColumn		 *partition;
	int				  keys;
	KeptColumn		 *key;
	List			 *where;	 /* conditions, joined by AND; NIL: all rows are kept */
	bool			  prepared;	 /* the expressions have been prepared for the executor (definition.c) */
	bool			  own_code;	 /* they use functions or types that are not pinned */
	char			 *untrusted; /* what they use that does not belong to a superuser (trusted.c); NULL: nothing */
	int				  aggregates;
	KeptAggregate	 *aggregate;
	bool			  extremes;	 /* one of them is a kept_extreme: states may be stale */
	Bitmapset		 *columns;	 /* of the table that the definition reads, as of pull_varattnos() */
	Bitmapset		 *generated; /* those that are generated */
	char			 *stamps;	 /* of definition and triggers (triggers.c) when tree and log were complete */
	bool			  intact;	 /* tree and log are relations as scan_keep() makes them */
	bool			  spoilt;	 /* some changes may not have been logged */
	struct Kept		 *next_expired;
	bool			  expired;	/* something has changed, and another one of this name has to be read */
	KeptPlan		 *plans;	/* of queries of the table (sql.c) */
	char			 *unusable; /* why only the table may be read; NULL: tree and log are complete */
} Kept;

/* The kept scan that a trigger is of, by its name; everything else may have been dropped. */
typedef struct KeptEntry
{
	NameData name;
	Oid		 table;
} KeptEntry;

/* Lets an array, NULL or allocated, have room for one more element than n.  Returns it. */
static inline void *
kept_grow(void *array, int64 n, int64 *room, Size size)
{
	if (n < *room)
		return array;
	*room = Max(4, 2 * *room);
	return array == NULL ? palloc(*room * size) : repalloc_huge(array, *room * size);
}

/* Returns the order of two values of a column that the rows are in the order of. */
static inline int
kept_column_compare(const KeptColumn *column, Datum a, Datum b)
{
	return DatumGetInt32(FunctionCall2Coll((FmgrInfo *) &column->compare, column->collation, a, b));
}

/* Returns the same where they may be NULL: NULLs come last. */
static inline int
kept_values_compare(const KeptColumn *column, NullableDatum a, NullableDatum b)
{
	return a.isnull || b.isnull ? a.isnull - b.isnull : kept_column_compare(column, a.value, b.value);
}

/* Returns a value of the first key as an int64, in its order. */
static inline int64
kept_key_number(const Kept *kept, Datum value)
{
	switch (kept->key[0].type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
		case DATEOID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value); /* timestamps are integers, too */
	}
}

/* Returns the value that such a number stands for, or the value of the type that is nearest. */
static inline Datum
kept_key_value(const Kept *kept, int64 number)
{
	switch (kept->key[0].type)
	{
		case INT2OID:
			return Int16GetDatum((int16) Max(PG_INT16_MIN, Min(number, PG_INT16_MAX)));
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) Max(PG_INT32_MIN, Min(number, PG_INT32_MAX)));
		default:
			return Int64GetDatum(number);
	}
}

/* Returns the bucket of the interval of a level that a key lies in (interval.c). */
static inline int64
kept_bucket(const Kept *kept, int64 number, int level)
{
	int64 width, bucket;

	if (!kept->calendar)
		return number >> (2 * (kept->smallest + level));
	width = kept_calendar[kept->smallest + level];
	bucket = number / width;
	/* the division rounds toward zero */
	return bucket - (bucket * width > number);
}

/* True if an interval has so many rows that smaller ones would serve better, and there can be smaller ones. */
static inline bool
kept_interval_is_outgrown(const Kept *kept, int level, int64 rows)
{
	return level == 0 && kept->smallest > 0 && rows > 16 * KEPT_LEAF_ROWS;
}

#endif /* SCAN_KEPT_KEPT_H */

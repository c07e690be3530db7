/*
 * sql.h: the SQL that kept scans run, of names that mean the same under any search_path.
 */
#ifndef SCAN_KEPT_SQL_H
#define SCAN_KEPT_SQL_H

#include "kept/kept.h"

/* Runs a command.  The caller has called SPI_connect(). */
extern void kept_sql(const char *command);

/* Runs a command in a subtransaction. */
extern void kept_sql_apart(const char *command);

/* Drops an object that nothing depends on, with what goes with it by itself.  By its oid: no name is looked up. */
extern void kept_drop(Oid class, Oid object);

/* Return a name as it is in the catalog.  Raise an error if another session has dropped what it names. */
extern char *kept_relation_name(Oid relation);
extern char *kept_schema_name(Oid schema);

/* Returns the quoted name of a relation, with its schema. */
extern char *kept_sql_relation(Oid relation);

/* Returns a type's name with its schema and modifier. */
extern char *kept_sql_type(Oid type, int32 typmod);

typedef enum KeptOrder
{
	KEPT_ANY_ORDER,
	KEPT_BY_FIRST_KEY,
	KEPT_IN_ORDER,	   /* by all keys */
	KEPT_NEWEST_FIRST, /* by all keys, descending */
} KeptOrder;

/* Which rows of the table are read. */
typedef struct KeptQuery
{
	const NullableDatum *partition; /* NULL: of all partitions, in their order, and all keys */
	bool				 whole;		/* all keys of the partition, `from` and `to` do not count */
	int64				 from, to;	/* numbers of the first key, inclusive */
	int					 keys;		/* of a bound in the order, before which the rows come; 0: none */
	const Datum			*bound;
	bool				 with_peers; /* the rows whose keys are the bound's come, too */
	KeptOrder			 order;
	int64				 limit;		  /* on the number of rows, a literal, so that the planner knows it; 0: none */
	bool				 as_user;	  /* with the privileges of the user, and under row security; else as the owner */
	bool				 all_columns; /* else only those that the definition reads; the others are NULL in the slot */
} KeptQuery;

/*
 * Reads rows of the table in the active snapshot and passes each to `take`, until it returns false.  If not as_user,
 * the caller has become the owner.  The definition's WHERE is not applied: kept_row_set() does that.  Returns how many
 * rows were passed.
 */
typedef bool (*KeptTakeRow)(void *to, TupleTableSlot *slot);
extern int64 kept_sql_rows(Kept *kept, const KeptQuery *query, KeptTakeRow take, void *to);

/* Frees the plans of queries that the session keeps. */
extern void kept_plans_free(Kept *kept);

#endif /* SCAN_KEPT_SQL_H */

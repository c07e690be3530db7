/*
 * catalogs.h: a kept scan in the system catalogs and in a catalog of ours: its definition, its objects and triggers, as
 * whom it is used, and what a session knows of it.
 */
#ifndef SCAN_KEPT_CATALOGS_H
#define SCAN_KEPT_CATALOGS_H

#include "postgres.h"

#include "access/genam.h"
#include "commands/trigger.h"
#include "nodes/primnodes.h"

#include "kept/kept.h"

/* ---- definition.c ---- */

/* Reads a definition, in the current context.  Raises an error that says what cannot be kept. */
extern Kept *kept_of_query(Query *query);

/* Sets the grain of a kept scan, which stays where it is.  Raises an error if the first key cannot have it. */
extern void kept_set_grain(Kept *kept, const Interval *grain);

/* Prepares the expressions of a definition for the executor. */
extern void kept_prepare(Kept *kept);

/*
 * What may change later: whose functions it calls, inheritance, generated columns, NOT NULL.  One raises an error if it
 * stands in the way of a kept scan, the other returns what does, or NULL.
 */
extern void	 kept_check_table(Kept *kept);
extern char *kept_table_objection(const Kept *kept);

/* True if no row of a table can be NULL in a column. */
extern bool kept_column_is_not_null(Oid table, AttrNumber attribute);

/* ---- aggregate.c ---- */

/*
 * Sets how an aggregate is kept: kind, type of the state and functions.  Its function, result and collation are set.
 * Returns the arguments that are kept.  *reason: why it cannot be kept, '' without words; NULL: it can.  *hint: what to
 * write instead, or NULL.
 */
extern List *kept_aggregate_read(KeptAggregate *aggregate, const WindowFunc *call, const char **reason,
								 const char **hint);

/*
 * True if the state of an aggregate also gives what another one gives for the same arguments and filter: sets how, but
 * for the types of state and arguments.
 */
extern bool kept_aggregate_gives(const KeptAggregate *aggregate, Oid function, KeptAggregate *wanted);

/* ---- trusted.c ---- */

/*
 * Returns what a definition uses that neither is pinned nor belongs to a superuser, as "function f(integer)"; NULL if
 * there is nothing.  *own: true if it uses anything that is not pinned.
 */
extern char *kept_untrusted(const Kept *kept, const Query *query, bool *own);

/* True if the role may EXECUTE all aggregates and functions that the definition calls. */
extern bool kept_may_execute(const Kept *kept, Oid role);

/* True if the role may EXECUTE all functions in an expression of a query that are not pinned. */
extern bool kept_may_execute_node(Node *node, Oid role);

/* ---- rights.c ---- */

/* Raises an error unless the user is a member of the owner of the table, and the owner sees all of its rows. */
extern void kept_require_owner(const Kept *kept);

/* Returns the function of a name and types in the schema of another one of the extension; InvalidOid: there is none. */
extern Oid kept_extension_function(Oid beside, const char *name, int types, const Oid *type);

/* Returns a call of scan_kept_check() for a kept scan, or of scan_kept_compact(), which adopts leaves, as text. */
extern char *kept_remedy(const FmgrInfo *caller, const Kept *kept, bool adopts);

/*
 * Becomes another role as core's maintenance does: in a security-restricted operation, with settings of its own and a
 * safe search_path.  kept_become_again() undoes that, and does nothing if is_set is false; an error undoes it, too.
 */
typedef struct KeptUser
{
	bool is_set;
	Oid	 role;
	int	 context;
	int	 nest; /* of settings */
} KeptUser;

extern KeptUser kept_become(Oid role);

/*
 * The same as the owner of the table, for a user who may read it: the rows are read, and the expressions of the
 * definition evaluated.
 */
extern KeptUser kept_become_to_read(const Kept *kept);

/* Raises an error if a statement of this session uses the table.  The caller has the table locked. */
extern void kept_require_unused(Oid table, const char *command);

/* Raises an error if the expressions of the definition may not be evaluated. */
extern void kept_require_trusted(const Kept *kept);
extern void kept_become_again(KeptUser user);

/* ---- sql.c ---- */

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
	Oid					 leaf;		/* InvalidOid: all of the table */
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

/* ---- tables.c ---- */

/* The rows of a system catalog that have an oid in a column. */
typedef struct KeptRows
{
	Relation	catalog;
	SysScanDesc scan; /* for systable_getnext() */
} KeptRows;

/*
 * Begins to read such rows as a snapshot sees them; NULL: the newest snapshot.  The column is the first one of the
 * index; InvalidOid: there is no such index.
 */
extern KeptRows kept_rows_begin(Oid catalog, Oid index, AttrNumber column, Oid value, Snapshot snapshot);
extern void		kept_rows_end(const KeptRows *rows);

/* Returns the btree index of a relation on exactly its first columns, in core's order; InvalidOid if there is none. */
extern Oid kept_index(Oid relation, int columns);

/*
 * Finds the indexes of tree and log.  Returns true, and sets `intact`, if both tables have the columns, types and
 * indexes that the C code relies on.
 */
extern bool kept_find_tables(Kept *kept);

/* Returns the owner of a relation, InvalidOid if there is none. */
extern Oid kept_owner(Oid relation);

/* True if tree, log and view have the owner of the table. */
extern bool kept_has_one_owner(const Kept *kept);

/* True if tree and log are as persistent as the table. */
extern bool kept_has_persistence(const Kept *kept);

/* ---- leaves.c ---- */

/* A leaf partition of a partitioned table; another table is its own and only leaf. */
typedef struct KeptLeaf
{
	Oid	  table;
	int64 from, to; /* numbers of the first key that its rows may have, by the bounds of partitions */
	bool  is_known; /* what follows is what the catalogs have */
	bool  is_adopted;
	Oid	  number; /* that its nodes and deltas have, if it is adopted; 0: of a table that is not partitioned */
	FullTransactionId built;	 /* a snapshot that does not see this transaction sees no nodes of it */
	char			 *objection; /* why the kept scan cannot be used because of it, or NULL */
	double			  rows;		 /* by statistics */
} KeptLeaf;

struct KeptLeaves
{
	int		   n;
	KeptLeaf  *leaf;	  /* by their oids */
	KeptLeaf **by_number; /* the same, by their numbers */
	TupleDesc  desc;	  /* of the table, if it is partitioned */
	List	  *above;	  /* oids of the partitioned tables above them */
	/* of all leaves, as each of them is known: */
	bool		are_known;
	uint64		messages; /* that have named one of them */
	double		rows;
	const char *objection;
};

/* True if a transaction that has built nodes is visible to a snapshot. */
extern bool kept_build_is_visible(FullTransactionId built, Snapshot snapshot);

/* Returns the leaves of the table, which is locked, as the active snapshot and the newest catalogs have them. */
extern const KeptLeaves *kept_leaves(Kept *kept);

/* The leaves that a reader goes over: those whose nodes it reads, by their numbers, and those whose rows it reads. */
typedef struct KeptLeavesRead
{
	int				 n, by_rows;
	Oid				*number;
	const KeptLeaf **leaf, **row_leaf;
} KeptLeavesRead;

/*
 * Sets the leaves for a reader of the first keys between two numbers; the others have no such rows.  They are locked
 * until the transaction ends.  False: the definition has expired meanwhile, so the table has to be read.
 */
extern bool kept_leaves_to_read(Kept *kept, Snapshot snapshot, int64 from, int64 to, KeptLeavesRead *read);

/* Returns the leaf that is a table, or whose nodes have a number; NULL if there is none. */
extern KeptLeaf *kept_leaf_of_table(const KeptLeaves *leaves, Oid table);
extern KeptLeaf *kept_leaf_numbered(const KeptLeaves *leaves, Oid number);

/* Lets the catalogs be asked again about a table, if it is a leaf; InvalidOid: about all leaves. */
extern void kept_leaf_changes(Kept *kept, Oid table);

/* Returns why the leaves let nobody use the kept scan, or NULL. */
extern const char *kept_leaves_objection(Kept *kept);

/* Locks the leaves of a partitioned table.  False: a lock could not be had at once, and `wait` is false. */
extern bool kept_leaves_lock(Kept *kept, LOCKMODE mode, bool wait);
extern void kept_leaves_unlock(Kept *kept, LOCKMODE mode);

/* Returns the first leaf that is not adopted, by oid, behind another one; InvalidOid if there is none. */
extern Oid kept_leaf_to_adopt(Kept *kept, Oid after);

/* True if the worker may adopt a leaf: writers wait meanwhile. */
extern bool kept_leaf_is_small(Relation leaf);

/*
 * Locks a leaf against writers, and sets the number that its nodes are to have.  False: it is adopted, or cannot be
 * now; if `wait` is false, also if it is large or in use.  kept_leaf_adopt() notes that these nodes are there.
 */
extern bool kept_leaf_begin(Kept *kept, const KeptLeaf *leaf, bool wait, Oid *number);
extern void kept_leaf_adopt(Kept *kept, const KeptLeaf *leaf, Oid number);

/* Forgets all adoptions of a kept scan, or those that have ended.  Returns how many there were. */
extern int64 kept_leaves_forget(Kept *kept, bool all);

/* ---- triggers.c ---- */

/*
 * Creates and enables the triggers, as far as they are not as they should be; and drops all of them, whatever their
 * names are now.  The caller has the table locked against writers and, if any have to go, against readers.
 */
extern void kept_triggers_create(const FmgrInfo *caller, const Kept *kept);
extern void kept_triggers_drop(const FmgrInfo *caller, Oid table, const char *name);

/* True if some triggers were altered, so that they have to be dropped and made again. */
extern bool kept_triggers_have_to_go(const FmgrInfo *caller, const Kept *kept);

/*
 * Returns a copy of the first row of a system catalog that has an oid in a column, which is the first one of the index,
 * as a snapshot sees it; NULL: the newest snapshot.  Returns NULL if there is none.
 */
extern HeapTuple kept_system_row(Oid catalog, Oid index, AttrNumber column, Oid value, Snapshot snapshot);

/* Returns an entry for each row trigger that logs, of all tables. */
extern List *kept_trigger_entries(const FmgrInfo *caller);

/* True if a table has a trigger for a kept scan of a name. */
extern bool kept_has_trigger(const FmgrInfo *caller, Oid table, const char *name);

/* The trigger function (log.c), and its name. */
#define KEPT_LOG_FUNCTION "scan_kept_log"
extern PGDLLEXPORT Datum scan_kept_log(PG_FUNCTION_ARGS);

/* True if a call of the trigger function is one that has to log. */
extern bool kept_trigger_logs(const Kept *kept, const TriggerData *data);

/*
 * Returns the owner, and the triggers, the rule of the view and the expressions of generated columns as a snapshot sees
 * them, NULL: as they are now.  The text differs after any change of one of them.
 */
extern char *kept_stamps(const Kept *kept, Snapshot snapshot);

/*
 * Returns the same of the trigger of a leaf, as it is now; NULL if it does not log all changes.  *is_new: this
 * transaction has made or altered it, other than by kept_triggers_create().
 */
extern char *kept_leaf_stamps(const Kept *kept, Oid leaf, bool *is_new);

/* Returns the table whose row trigger core has cloned for a leaf. */
extern Oid kept_trigger_origin(const Trigger *trigger, Oid leaf);

/* Returns the owner that stamps name. */
extern Oid kept_stamped_owner(const char *stamps);

/* Returns what stamps say of the rule of the view, NULL if there are none. */
extern const char *kept_rule_stamp(const char *stamps);

/* True if the rule of the view was made by this transaction: another change by it would have the same stamp. */
extern bool kept_rule_is_new(const Kept *kept);

/* ---- objects.c ---- */

/* The caller of these functions has become the owner of the table, and has called SPI_connect(). */

/* Creates the view, with the text of a definition. */
extern void kept_view_create(const Kept *kept, const char *definition);

/* Creates tree, log and functions; replace: functions of these names are replaced by the new ones. */
extern void kept_objects_create(const FmgrInfo *caller, Kept *kept, bool replace);

/* Lets all of them go with the view, and the view with the extension.  A dump loses these dependencies. */
extern void kept_objects_depend(const FmgrInfo *caller, const Kept *kept);

/* Drops triggers, tree and log, as far as they are there; and the functions, or leaves those to be replaced. */
extern void kept_objects_drop(const FmgrInfo *caller, Kept *kept, bool functions_too);

/* Returns a relation that was just created, by its suffix; raises an error if it is not in the schema of the table. */
extern Oid kept_object(const Kept *kept, const char *suffix);

/* ---- known.c ---- */

/*
 * A kept scan is known by the oid of its tree.  One that a dump has brought has no row in the catalog: only its table
 * is read until scan_kept_check() adopts it.
 */

/*
 * Return a kept scan, for a function of the extension that was called.  It lives until the transaction ends.  NULL:
 * there is none, or its view was dropped.  kept_of_trigger(): the one that a trigger of a table has the name of, if it
 * has a row in the catalog.
 */
extern Kept *kept_if_any(const FmgrInfo *caller, Oid tree);
extern Kept *kept_of_trigger(const FmgrInfo *caller, Oid table, const char *name);

/* The same, and an error if there is none. */
extern Kept *kept_of_tree(const FmgrInfo *caller, Oid tree);

/*
 * Returns the kept scan of a name that may have a schema; without one, it is looked for in the search_path, and then in
 * all schemas.  Raises an error if there is none, or several.
 */
extern Kept *kept_by_name(const FmgrInfo *caller, text *name);

/* ---- catalog.c ---- */

/* Inserts the row of a kept scan.  Older snapshots than this transaction do not use it. */
extern void kept_catalog_insert(const FmgrInfo *caller, Kept *kept);

/* Removes the rows of kept scans whose views were dropped, so that their names are free. */
extern void kept_catalog_clean(const FmgrInfo *caller);

/* Notes that a compaction has ended now, with an error or NULL, and whether the table has outgrown the shape. */
extern void kept_catalog_note(const FmgrInfo *caller, Oid tree, bool outgrown, const char *error);

/* Lets a kept scan be unusable until scan_kept_check().  Only inserts, so that no writer waits for another. */
extern void kept_catalog_spoil(const FmgrInfo *caller, const Kept *kept);

/* Deletes the row of a kept scan, if it has one. */
extern void kept_catalog_delete(const FmgrInfo *caller, const Kept *kept);

/*
 * Reads a kept scan by the oid of its tree, into memory of its own: by the catalog's row, or by the names of what a
 * dump has brought.  Returns NULL if there is none.
 */
extern Kept *kept_catalog_read(const FmgrInfo *caller, Oid tree);

/* Sets where the adoptions of its leaves are (leaves.c). */
extern void kept_catalog_set_leaves(const FmgrInfo *caller, Kept *kept);

/* Finds the kept scans of a name, of a table or InvalidOid: of any.  Returns how many there are, and sets one's tree.
 */
extern int kept_catalog_find(const FmgrInfo *caller, Oid table, const char *name, Oid *tree);

/* ---- keep.c ---- */

/*
 * Makes the objects of a kept scan again, by the definition that its view has.  If the table has a new owner, all of
 * them are new; else the view and the oids of the functions stay.  The caller has the table locked against readers, and
 * has called SPI_connect().
 */
extern void kept_make_again(const FmgrInfo *caller, Kept *kept);

/* Makes triggers, tree and dependencies of a kept scan that a dump has brought; locked in the same way. */
extern void kept_adopt(const FmgrInfo *caller, Kept *kept);

#endif /* SCAN_KEPT_CATALOGS_H */

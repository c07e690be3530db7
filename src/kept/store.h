/*
 * store.h: what is stored of a kept scan: states, tree and log, and who writes them.
 */
#ifndef SCAN_KEPT_STORE_H
#define SCAN_KEPT_STORE_H

#include "postgres.h"

#include "access/genam.h"
#include "catalog/indexing.h"
#include "utils/snapshot.h"

#include "kept/catalogs.h"
#include "kept/kept.h"
#include "number/wide_decimal.h"

/* ---- row.c ---- */

/* The expressions, ready to be evaluated.  One for each statement or query. */
typedef struct KeptRow
{
	const Kept	   *kept;
	ExprContext	   *econtext;
	ExprState	   *where;
	ExprState	 ***argument; /* of each aggregate */
	ExprState	  **filter;
	TupleTableSlot *slot;
} KeptRow;

extern KeptRow *kept_row_create(Kept *kept);

/* Takes a row of the table.  False: it is not kept, by the definition's WHERE. */
extern bool kept_row_set(KeptRow *row, TupleTableSlot *slot);

/* Sets the values of the partition that a row of the table is in. */
extern void kept_row_partition(const Kept *kept, TupleTableSlot *slot, NullableDatum *partition);

/* Returns the first key of a row of the table as a number; an error if it is NULL. */
extern int64 kept_row_number(const Kept *kept, TupleTableSlot *slot);

extern void kept_row_free(KeptRow *row);

/* True if the row passes the FILTER of an aggregate. */
extern bool kept_row_passes(KeptRow *row, int a);

/* Evaluates the arguments of an aggregate.  Returns how many there are. */
extern int kept_row_arguments(KeptRow *row, int a, NullableDatum *argument);

/* ---- number.c, variance.c, value.c, extreme.c: the state of one aggregate ---- */

/* How many values have a display scale, or are NaN, Infinity or -Infinity (number.c). */
typedef struct KeptScale
{
	int32 scale;
	int64 values;
} KeptScale;

/* Zero bytes are the sum of no values. */
typedef struct KeptNumber
{
	Decimal				   total;	/* of the finite values, with that of `more` */
	KeptScale			   first;	/* its scale stays while `more` has others */
	struct KeptNumberMore *more;	/* NULL: none of it was needed yet */
	union KeptPartial	  *squares; /* of kept_variance (variance.c) */
} KeptNumber;

/* Zero bytes: there is no value. */
typedef struct KeptValue
{
	Datum value;
	bool  there;
	bool  tied; /* of kept_extreme (extreme.c) */
} KeptValue;

/* The state of one aggregate.  Zero bytes are that of no rows. */
typedef union KeptPartial
{
	int64	   count;  /* of kept_count */
	KeptNumber number; /* of sums, averages, variances and bits */
	KeptValue  value;  /* of kept_extreme and kept_transition */
} KeptPartial;

/*
 * How an aggregate is kept: what can be done with its state.  The state has what it needs in `memory`; the current
 * context is temporary, and results are in it.
 */
struct KeptOperation
{
	Oid state_type; /* as it is stored; InvalidOid: the type of the result */

	/*
	 * Takes the n arguments of a row that comes in or leaves, the first of which is not NULL but for kept_transition.
	 * NULL: a value that leaves cannot be taken out, and one that comes in is a stored state (kept_state_take()).
	 */
	void (*take)(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, int n,
				 const NullableDatum *argument, bool leaves);
	/* Adds a stored state. */
	void (*add)(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum stored);
	/* Returns the state as it is stored.  States that do not differ have the same bytes, but for kept_transition. */
	Datum (*save)(const KeptPartial *partial, bool *isnull);
	/* Empties the state. */
	void (*clear)(KeptPartial *partial, const KeptAggregate *aggregate);
	/* True if adding the state changes nothing. */
	bool (*is_empty)(const KeptPartial *partial);
	/* Returns what the aggregate gives.  NULL: the state as it is stored. */
	Datum (*result)(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull);
};

extern const KeptOperation kept_count;		/* the number of rows, or of values */
extern const KeptOperation kept_sum;		/* of integers and numerics */
extern const KeptOperation kept_average;	/* of the same */
extern const KeptOperation kept_values;		/* how many values a sum has */
extern const KeptOperation kept_variance;	/* of the same, and the standard deviation */
extern const KeptOperation kept_xor;		/* of integers */
extern const KeptOperation kept_all;		/* bool_and */
extern const KeptOperation kept_any;		/* bool_or */
extern const KeptOperation kept_extreme;	/* min, max, bit_and, bit_or */
extern const KeptOperation kept_transition; /* an aggregate whose transition value can be stored and combined */

/* Sets a number to a value of the type, or to what a value that leaves changes.  It may need the current context. */
extern void kept_number_set(KeptNumber *number, Oid type, Datum value, bool leaves);

/* Adds another number; what it needs is allocated in `memory`. */
extern void kept_number_join(KeptNumber *number, MemoryContext memory, const KeptNumber *other);

/* Returns the sum of the finite values, in the buffer or in the current context. */
extern Datum kept_number_total(const KeptNumber *number, DecimalBuffer *shown);

/* Returns the sum of the values as a numeric; *values: how many there are, NULLs left out. */
extern Datum kept_number_sum(const KeptNumber *number, int64 *values);

/*
 * Sets a number to one that was saved, and `next`, unless it is NULL, to the one saved behind it.  They may need the
 * current context.  An error if the bytes are not those of numbers.
 */
extern void kept_number_read(KeptNumber *number, KeptNumber *next, Datum stored);

/* Members of operations whose state is a KeptValue. */
extern Datum kept_value_save(const KeptPartial *partial, bool *isnull);
extern void	 kept_value_clear(KeptPartial *partial, const KeptAggregate *aggregate);

/* True if two states, each the transition value of the aggregate, have the same bytes. */
extern bool kept_same_image(const KeptAggregate *aggregate, Datum a, Datum b);

/* True if a value that enters absorbs the one that leaves. */
extern bool kept_extreme_absorbs(const KeptAggregate *aggregate, Datum enters, Datum leaves);

/* ---- state.c ---- */

/* A node, or a row of the log: then level is 0. */
typedef struct KeptNode
{
	ItemPointerData place;
	int				level;
	int64			bucket;
	Oid				leaf; /* its number */
	bool			split;
	bool			stale; /* the rows have to be read instead (state.c) */
	int64			rows;
	const Datum	   *partition;
	const bool	   *partition_isnull;
	const Datum	   *value; /* of each aggregate */
	const bool	   *isnull;
} KeptNode;

typedef struct KeptState
{
	int64		 rows;	/* of the table, or the change of it */
	bool		 stale; /* a stale state was added */
	KeptPartial *partial;
} KeptState;

/*
 * Returns an empty state in a context.  All that it allocates later is in this context, too, and in none below it, so
 * MemoryContextMemAllocated() tells what a set of states takes.  Most states never allocate more than their first 144
 * bytes, for a sum and a count.
 */
extern KeptState *kept_state_alloc(MemoryContext memory, const Kept *kept);

static inline KeptState *
kept_state_create(const Kept *kept)
{
	return kept_state_alloc(CurrentMemoryContext, kept);
}

/* Empties a state. */
extern void kept_state_clear(const Kept *kept, KeptState *state);

/*
 * Adds the row, or removes it.  `other`, if it is not NULL, is the row that takes its place in the same state, or whose
 * place it takes: the caller takes both.
 */
extern void kept_state_take(KeptState *state, KeptRow *row, bool leaves, KeptRow *other);

/* Adds the stored state of a node.  The current context is temporary. */
extern void kept_state_add(const Kept *kept, KeptState *state, const KeptNode *node);

/* The same for another state.  The current context is temporary. */
extern void kept_state_add_state(const Kept *kept, KeptState *state, const KeptState *other);

/* True if the state is to be stored as a stale one. */
extern bool kept_state_is_stale(const Kept *kept, const KeptState *state);

/*
 * True if the result of an aggregate depends on the order of the rows: its two last values, say, are 0 and -0.  A state
 * to which the rows were added in their order has the right result in this case, too.
 */
extern bool kept_state_is_tied(const Kept *kept, const KeptState *state);

/* True if adding the state changes nothing. */
extern bool kept_state_is_empty(const Kept *kept, const KeptState *state);

/* True if the stored state of a node is equal, as far as it can be told if one of them is stale. */
extern bool kept_state_same(const Kept *kept, const KeptState *state, const KeptNode *node);

/* The same for two states. */
extern bool kept_states_agree(const Kept *kept, const KeptState *a, const KeptState *b);

/* Returns the columns to be stored, in the current context. */
extern void kept_state_save(const Kept *kept, const KeptState *state, Datum *value, bool *isnull);

/* Returns what an aggregate gives. */
extern Datum kept_state_result(const Kept *kept, KeptState *state, int a, bool *isnull);

/* Returns what all aggregates give. */
extern void kept_state_results(const Kept *kept, KeptState *state, Datum *result, bool *isnull);

/* ---- interval.c ---- */

/* Returns how many numbers an interval of a level has. */
extern int64 kept_width(const Kept *kept, int level);

/* Returns the first number of an interval; of one that begins beyond the numbers of an int64, the last of these. */
extern int64 kept_interval_start(const Kept *kept, int level, int64 bucket);

/* Returns the last number of an interval; of one that ends beyond the numbers of an int64, the last of these. */
extern int64 kept_interval_end(const Kept *kept, int level, int64 bucket);

/*
 * Returns how many intervals of level - 1 make one of `level`, which is not 0: those of bucket b are the buckets from
 * b * children to b * children + children - 1.  Some of those may lie beyond the numbers of an int64.
 */
extern int kept_children(const Kept *kept, int level);

/* True if a node with so many rows is split: its children are nodes, too. */
static inline bool
kept_node_is_split(const Kept *kept, int level, int64 rows)
{
	return level > 0 && (rows > KEPT_LEAF_ROWS || (rows > 0 && kept_width(kept, level) > kept->finest));
}

/* Returns the bucket at a level of an interval of a lower one. */
static inline int64
kept_bucket_above(const Kept *kept, int level, int64 bucket, int above)
{
	return kept_bucket(kept, kept_interval_start(kept, level, bucket), above);
}

/* ---- tree.c ---- */

/* The tree or the log, open, with its index. */
typedef struct KeptRelation
{
	const Kept		 *kept;
	bool			  is_tree;
	Oid				  leaf; /* number of that of which nodes are written, and read: 0: those of all */
	Relation		  relation, index;
	CatalogIndexState indexes; /* open for writing, or NULL */
} KeptRelation;

typedef void (*KeptTakeNode)(void *to, const KeptNode *node);

/*
 * Opens the tree or the log in a lock mode; NoLock: the caller has a lock.  kept_relation_close() gives a lock back;
 * NoLock: it stays until the transaction ends.
 */
extern KeptRelation kept_relation_open(const Kept *kept, bool is_tree, LOCKMODE lock, bool for_writing);
extern void			kept_relation_close(KeptRelation *relation, LOCKMODE lock);

/*
 * Scan the nodes of a partition, of one level and with buckets from `first` to `last`, in order; of the log, its rows.
 * kept_scan_begin_prefix(): all nodes, or all rows of the log, of the partitions whose first so many columns have the
 * values of one, which are not NULL; by partition, level and bucket.  kept_scan_begin_from(): those of
 * the log without the partitions before one, which has no NULLs; partitions with NULLs may lack.  kept_scan_next()
 * returns NULL at the end; what it returned before is not valid any more.
 */
typedef struct KeptScan KeptScan;
extern KeptScan *kept_scan_begin(const KeptRelation *relation, const NullableDatum *partition, int level, int64 first,
								 int64 last, Snapshot snapshot);
extern KeptScan *kept_scan_begin_prefix(const KeptRelation *relation, const NullableDatum *partition, int columns,
										Snapshot snapshot);
extern KeptScan *kept_scan_begin_from(const KeptRelation *log, const NullableDatum *partition, Snapshot snapshot);
extern const KeptNode *kept_scan_next(KeptScan *scan);
extern void			   kept_scan_end(KeptScan *scan);

/* Sets the values of a partition to those of a node, which are valid as long as the node is. */
extern void kept_node_partition(const Kept *kept, const KeptNode *node, NullableDatum *partition);

/* Returns the order of two partitions, as that of two rows. */
extern int kept_partition_compare(const Kept *kept, const NullableDatum *a, const NullableDatum *b);

/* Returns a copy of a partition, in a context. */
extern NullableDatum *kept_partition_copy(MemoryContext memory, const Kept *kept, const NullableDatum *partition);

/* Passes the same nodes as kept_scan_begin() to `take`. */
extern void kept_nodes(const KeptRelation *relation, const NullableDatum *partition, int level, int64 first, int64 last,
					   Snapshot snapshot, KeptTakeNode take, void *to);

/*
 * Inserts a node or a row of the log; or, if `replaced` is not NULL, replaces the one there.  The relation is open for
 * writing.  Many may insert into the log at once; whoever writes the tree has it by kept_compact_lock(), or has the
 * table locked against writers.
 */
extern void kept_node_put(const KeptRelation *relation, const NullableDatum *partition, int level, int64 bucket,
						  bool split, KeptState *state, const ItemPointerData *replaced);

/*
 * Gives tree and log new, empty storage, and locks both against everybody until the transaction ends.  The caller has
 * the table locked against writers.
 */
extern void kept_truncate(const Kept *kept);

extern void kept_node_delete(const KeptRelation *relation, const ItemPointerData *place);

/* ---- builder.c ---- */

/*
 * Builds the nodes below `level` of a partition from its rows in order, and inserts those that are wanted; with_top:
 * those of level `level`, too.  kept_build_finish() returns the number of rows.
 */
typedef struct KeptBuilder KeptBuilder;

/* If not NULL, called with the state of each interval that has rows, children first, instead of inserting nodes. */
typedef void (*KeptVisitNode)(void *to, const NullableDatum *partition, int level, int64 bucket, KeptState *state);

extern KeptBuilder *kept_build_begin(const KeptRelation *tree, const NullableDatum *partition, int level, bool with_top,
									 KeptVisitNode visit, void *to);
extern void			kept_build_row(KeptBuilder *builder, KeptRow *row);
extern int64		kept_build_finish(KeptBuilder *builder);

/* ---- build.c ---- */

/*
 * Reads all rows of a leaf that the active snapshot sees, in order, and inserts the nodes into the tree; or passes the
 * states of all intervals to `visit`.  Returns how many rows are kept.
 */
extern int64 kept_build_leaf(Kept *kept, const KeptRelation *tree, Oid leaf, KeptVisitNode visit, void *to);

/*
 * Builds the tree, which is empty, in new snapshots, and adopts the leaves.  Returns how many rows are kept.  The
 * caller has the table locked against writers, so that the snapshots see all rows, and the owner's rights.
 */
extern int64 kept_build(Kept *kept);

/*
 * Adopts the leaves that are not adopted (leaves.c), or one of them.  If `wait` is false, the first one that is small
 * and not in use.  Returns whether there was any.
 */
extern bool kept_adopt_leaves(Kept *kept, Oid only, bool wait);

/* ---- shape.c ---- */

/*
 * Sets `smallest` and `top` by a sample of the rows that the table has now, in a snapshot of its own: a guess is
 * enough. The caller has called SPI_connect().
 */
extern void kept_choose_shape(Kept *kept);

/* False if the rows of the table are so much denser, or lie so far apart, that other intervals would serve better. */
extern bool kept_shape_fits(const Kept *kept);

/* ---- statement.c ---- */

/* What a statement has changed, as one row trigger has seen it: the head of a set of deltas (log.c). */
typedef struct StatementChanges
{
	Oid						 trigger, table, log;
	SubTransactionId		 subtransaction;
	SubTransactionId		 superseded; /* by what this subtransaction did, if it is valid */
	int						 place;		 /* among those of its statement, from 1 on */
	bool					 waits;		 /* for the end of the transaction, not for that of a statement */
	MemoryContext			 memory;
	void					*set;
	struct StatementChanges *next;
} StatementChanges;

/* Writes changes, at the end of their statement or transaction. */
typedef void (*StatementWrite)(StatementChanges *changes);

/* Begins to follow the statements of this backend; called when the library is loaded. */
extern void statement_init(StatementWrite write);

/* Returns the changes of the running statement that a row trigger adds to; at its first call they are all zeros. */
extern StatementChanges *statement_changes_of(Oid trigger);

/* Changes of this log that wait are not to be written: TRUNCATE has removed their rows, or a new tree has them. */
extern void statement_supersede(Oid log);

/*
 * Writes what this subtransaction has changed and what waits for the transaction's end.  The changes of the
 * subtransactions around it wait on: deltas that are written here are undone with this one.
 */
extern void statement_write_waiting(void);

/* True if changes of the table wait for the end of the transaction. */
extern bool statement_waits(Oid table);

/* True if a running statement changes the table, or may: one that began before the library was loaded. */
extern bool statement_changes(Oid table);

/* Notes that the current command writes deltas or nodes. */
extern void statement_logs(void);

/*
 * True if the snapshot was taken before the transaction has last written a delta or a node.  A cursor that was opened
 * while a statement ran may see the statement's rows without their deltas, even after the statement.
 */
extern bool statement_logged_after(Snapshot snapshot);

/* ---- compact.c ---- */

/*
 * Locks table, log and tree against other compactions and DDL, until the transaction ends; readers and writers go on.
 * The caller looks the kept scan up under these locks, so that it is what the tables are.
 */
extern void kept_compact_lock(const Kept *kept);

/*
 * Folds the rows of the log that a new snapshot sees, under kept_compact_lock(): at most about `most` of them, 0: all.
 * Returns how many there were, and sets *more if there may be others.  The caller has called SPI_connect().
 */
extern int64 kept_compact(Kept *kept, int64 most, bool *more);

/* ---- reshape.c ---- */

/*
 * Empties log and tree, and builds the tree of the rows that the table has now, with the intervals that suit them.  It
 * waits for no reader; `readers_may_wait` for it.  The caller has locked the table against writers.
 */
extern void kept_rebuild(Kept *kept, bool readers_may_wait);

/*
 * Builds the tree anew with the intervals that suit the rows that the table has now, unless that would take long, or
 * somebody else has to wait for it or it for somebody else.  The caller has called SPI_connect(), and has locked what a
 * compaction locks.
 */
extern void kept_reshape(const FmgrInfo *caller, Kept *kept);

/* ---- worker.c ---- */

/*
 * Notes that a statement has written deltas of a kept scan, or has changed a leaf that the worker may adopt.  If many
 * wait in its log, or there is a leaf, a worker compacts it when the transaction has committed.  `caller` is a function
 * of the extension.
 */
extern void kept_worker_note(const FmgrInfo *caller, const Kept *kept, int64 deltas, bool has_leaf);

#endif /* SCAN_KEPT_STORE_H */

/*
 * statement.c: which tables the running statements of this session change.
 *
 * Between the first row that a statement changes and its end, when its deltas are written, a function that it calls may
 * see the rows without the deltas.  So snapshot.c asks here, and readers read the table alone then.
 *
 * The hooks of the executor and of COPY keep a list of the statements that run, from the inner one to the outer ones.
 * A statement counts while its rows are changed and while its triggers fire.  Row triggers fire at its end; then the
 * set of its changes is written.
 *
 * No hook of ours sees the end of a statement that began before the library was loaded, nor what the workers of logical
 * replication and other extensions do without the executor.  Their changes wait for the end of the transaction, and
 * until then the transaction reads their tables.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "parser/parsetree.h"
#include "replication/logicalworker.h"
#include "tcop/utility.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "kept/store.h"

typedef struct RunningStatement
{
	const PlannedStmt		*plan;	/* NULL: COPY */
	Oid						 table; /* of COPY */
	bool					 any;	/* TRUNCATE, or a foreign key's action has changed another table: any table */
	SubTransactionId		 subtransaction;
	StatementChanges		*changes; /* that wait for its end */
	struct RunningStatement *outer;
} RunningStatement;

static RunningStatement *running;
static StatementChanges *waiting;	/* for the transaction's end */
static TimestampTz		 loaded_in; /* start of the client's statement in which the library was loaded; 0: no matter */
static StatementWrite	 write_changes;
static bool				 logged;	/* the transaction has written a delta ... */
static CommandId		 logged_by; /* ... the last one by this command */

/* the hooks of other libraries, or what core does without a hook */
static ExecutorRun_hook_type	next_run;
static ExecutorFinish_hook_type next_finish;
static ProcessUtility_hook_type next_utility;

/* ---- changes that wait ---- */

static StatementChanges *
find_changes(StatementChanges *changes, Oid trigger, SubTransactionId subtransaction)
{
	while (changes != NULL && (changes->trigger != trigger || changes->subtransaction != subtransaction ||
							   changes->superseded != InvalidSubTransactionId))
		changes = changes->next;
	return changes;
}

StatementChanges *
statement_changes_of(Oid trigger)
{
	SubTransactionId   subtransaction = GetCurrentSubTransactionId();
	bool			   follows = running != NULL && running->subtransaction == subtransaction;
	StatementChanges **list = follows ? &running->changes : &waiting;
	StatementChanges  *changes = find_changes(*list, trigger, subtransaction);
	MemoryContext	   memory;

	if (changes != NULL)
		return changes;
	memory = AllocSetContextCreate(TopTransactionContext, "kept scan: changes", ALLOCSET_DEFAULT_SIZES);
	changes = (StatementChanges *) MemoryContextAlloc(memory, sizeof(StatementChanges));
	*changes = (StatementChanges){.trigger = trigger,
								  .subtransaction = subtransaction,
								  .memory = memory,
								  .waits = !follows,
								  .place = *list == NULL ? 1 : (*list)->place + 1,
								  .next = *list};
	return *list = changes;
}

void
statement_supersede(Oid log)
{
	for (StatementChanges *changes = waiting; changes != NULL; changes = changes->next)
		if (changes->log == log && changes->superseded == InvalidSubTransactionId)
			changes->superseded = GetCurrentSubTransactionId();
}

/* Writes the changes of a list but those superseded, and removes them: all, or one subtransaction's. */
static void
write_all(StatementChanges **list, SubTransactionId only)
{
	while (*list != NULL)
	{
		StatementChanges *changes = *list;

		if (only != InvalidSubTransactionId && changes->subtransaction != only)
		{
			list = &changes->next;
			continue;
		}
		if (changes->superseded == InvalidSubTransactionId)
			write_changes(changes);
		*list = changes->next;
		MemoryContextDelete(changes->memory);
	}
}

void
statement_write_waiting(void)
{
	write_all(&waiting, GetCurrentSubTransactionId());
}

/* Forgets the changes of a list, after an error. */
static void
discard_all(StatementChanges **list)
{
	while (*list != NULL)
	{
		StatementChanges *changes = *list;

		*list = changes->next;
		MemoryContextDelete(changes->memory);
	}
}

/* ---- statements ---- */

static bool
changes_tables(const PlannedStmt *plan)
{
	return compat_next_result_relation(plan, -1) >= 0;
}

/* True if the rows of a table are those of its partitions, which may be any tables. */
static bool
routes_rows(Oid table)
{
	return get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE;
}

/* True if a statement that changes one table may change rows of another one. */
static bool
may_change(Oid changed, Oid table)
{
	return changed == table || routes_rows(changed) || (get_rel_relispartition(changed) && routes_rows(table));
}

/* A query that changes nothing goes through without more ado. */
static void
follow_run(COMPAT_EXECUTOR_RUN_PARAMETERS)
{
	RunningStatement statement = {
		.plan = query->plannedstmt, .subtransaction = GetCurrentSubTransactionId(), .outer = running};

	if (!changes_tables(query->plannedstmt))
	{
		next_run(COMPAT_EXECUTOR_RUN_ARGUMENTS);
		return;
	}
	running = &statement;
	PG_TRY();
	{
		next_run(COMPAT_EXECUTOR_RUN_ARGUMENTS);
	}
	PG_FINALLY();
	{
		running = statement.outer;
	}
	PG_END_TRY();
	/* the triggers of a foreign key's action fire later, with those of the statement that caused it */
	if (running != NULL && (query->estate->es_top_eflags & EXEC_FLAG_SKIP_TRIGGERS) != 0)
		running->any = true;
}

static void
follow_finish(QueryDesc *query)
{
	RunningStatement statement = {
		.plan = query->plannedstmt, .subtransaction = GetCurrentSubTransactionId(), .outer = running};

	if (!changes_tables(query->plannedstmt))
	{
		next_finish(query);
		return;
	}
	running = &statement;
	PG_TRY();
	{
		next_finish(query);
		write_all(&statement.changes, InvalidSubTransactionId);
	}
	PG_FINALLY();
	{
		running = statement.outer;
		discard_all(&statement.changes);
	}
	PG_END_TRY();
}

static void
follow_utility(PlannedStmt *statement, const char *text, bool read_only_tree, ProcessUtilityContext context,
			   ParamListInfo params, QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion)
{
	const CopyStmt	*copy = (const CopyStmt *) statement->utilityStmt;
	RunningStatement entry = {.subtransaction = GetCurrentSubTransactionId(), .outer = running};

	if (IsA(copy, CopyStmt) && copy->is_from && copy->relation != NULL)
		entry.table = RangeVarGetRelid(copy->relation, NoLock, true);
	else if (IsA(copy, TruncateStmt))
		entry.any = true;
	else
	{
		next_utility(statement, text, read_only_tree, context, params, environment, dest, completion);
		return;
	}
	running = &entry;
	PG_TRY();
	{
		next_utility(statement, text, read_only_tree, context, params, environment, dest, completion);
		write_all(&entry.changes, InvalidSubTransactionId);
	}
	PG_FINALLY();
	{
		running = entry.outer;
		discard_all(&entry.changes);
	}
	PG_END_TRY();
}

static void
end_transaction(XactEvent event, void *unused)
{
	if (waiting != NULL && (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE))
	{
		/* no snapshot is active at commit, and core fetches no value from a TOAST table without an active snapshot */
		PushActiveSnapshot(GetTransactionSnapshot());
		write_all(&waiting, InvalidSubTransactionId);
		PopActiveSnapshot();
	}
	else if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
	{
		/* the memory goes with the transaction */
		waiting = NULL;
		logged = false;
	}
}

/* What a subtransaction has changed is its parent's, or is undone. */
static void
end_subtransaction(SubXactEvent event, SubTransactionId own, SubTransactionId parent, void *unused)
{
	StatementChanges **next = &waiting;

	if (event != SUBXACT_EVENT_COMMIT_SUB && event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (*next != NULL)
	{
		StatementChanges *changes = *next;

		if (changes->subtransaction == own && event == SUBXACT_EVENT_ABORT_SUB)
		{
			*next = changes->next;
			MemoryContextDelete(changes->memory);
			continue;
		}
		/* the parent may have changes of the same trigger: then both are written */
		if (changes->subtransaction == own)
			changes->subtransaction = parent;
		if (changes->superseded == own)
			changes->superseded = event == SUBXACT_EVENT_COMMIT_SUB ? parent : InvalidSubTransactionId;
		next = &changes->next;
	}
}

void
statement_init(StatementWrite write)
{
	write_changes = write;
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
	next_run = ExecutorRun_hook != NULL ? ExecutorRun_hook : standard_ExecutorRun;
	ExecutorRun_hook = follow_run;
	next_finish = ExecutorFinish_hook != NULL ? ExecutorFinish_hook : standard_ExecutorFinish;
	ExecutorFinish_hook = follow_finish;
	next_utility = ProcessUtility_hook != NULL ? ProcessUtility_hook : standard_ProcessUtility;
	ProcessUtility_hook = follow_utility;
	/* a transaction without a number has changed nothing */
	if (IsTransactionState())
		loaded_in = GetCurrentStatementStartTimestamp();
}

bool
statement_waits(Oid table)
{
	for (const StatementChanges *changes = waiting; changes != NULL; changes = changes->next)
		if (changes->table == table)
			return true;
	return false;
}

bool
statement_changes(Oid table)
{
	/* triggers of a row that a worker of logical replication applies fire before or after ours */
	if (IsLogicalWorker())
		return true;
	if (loaded_in != 0 && loaded_in == GetCurrentStatementStartTimestamp() &&
		TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return true;
	if (statement_waits(table))
		return true;
	for (const RunningStatement *statement = running; statement != NULL; statement = statement->outer)
	{
		int relation = -1;

		if (statement->any || (statement->plan == NULL && may_change(statement->table, table)))
			return true;
		while (statement->plan != NULL && (relation = compat_next_result_relation(statement->plan, relation)) >= 0)
			if (may_change(rt_fetch(relation, statement->plan->rtable)->relid, table))
				return true;
	}
	return false;
}

void
statement_logs(void)
{
	logged = true;
	logged_by = GetCurrentCommandId(true);
}

bool
statement_logged_after(Snapshot snapshot)
{
	return logged && snapshot->curcid <= logged_by;
}

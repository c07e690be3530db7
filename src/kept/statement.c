/*
 * statement.c: see statement.h.
 *
 * The hooks of the executor and of COPY keep a list of the statements that run, from the inner one to the outer ones.
 * A statement counts while its rows are changed and while its triggers fire.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "parser/parsetree.h"
#include "tcop/utility.h"

#include "compat.h"
#include "kept/statement.h"

typedef struct RunningStatement
{
	const PlannedStmt		*plan;	/* NULL: COPY */
	Oid						 table; /* of COPY */
	bool					 any;	/* TRUNCATE, or a foreign key's action has changed another table: any table */
	struct RunningStatement *outer;
} RunningStatement;

static RunningStatement *running;
static TimestampTz		 loaded_in; /* start of the client's statement in which the library was loaded; 0: no matter */
static bool				 logged;	/* the transaction has written a delta ... */
static CommandId		 logged_by; /* ... the last one by this command */
static ExecutorRun_hook_type	previous_run;
static ExecutorFinish_hook_type previous_finish;
static ProcessUtility_hook_type previous_utility;

static bool
changes_tables(const PlannedStmt *plan)
{
	return compat_next_result_relation(plan, -1) >= 0;
}

static void
next_run(COMPAT_EXECUTOR_RUN_PARAMETERS)
{
	if (previous_run)
		previous_run(COMPAT_EXECUTOR_RUN_ARGUMENTS);
	else
		standard_ExecutorRun(COMPAT_EXECUTOR_RUN_ARGUMENTS);
}

/* A query that changes nothing goes through without more ado. */
static void
follow_run(COMPAT_EXECUTOR_RUN_PARAMETERS)
{
	RunningStatement statement = {.plan = query->plannedstmt, .outer = running};

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
next_finish(QueryDesc *query)
{
	if (previous_finish)
		previous_finish(query);
	else
		standard_ExecutorFinish(query);
}

static void
follow_finish(QueryDesc *query)
{
	RunningStatement statement = {.plan = query->plannedstmt, .outer = running};

	if (!changes_tables(query->plannedstmt))
	{
		next_finish(query);
		return;
	}
	running = &statement;
	PG_TRY();
	{
		next_finish(query);
	}
	PG_FINALLY();
	{
		running = statement.outer;
	}
	PG_END_TRY();
}

static void
next_utility(PlannedStmt *statement, const char *text, bool read_only_tree, ProcessUtilityContext context,
			 ParamListInfo params, QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion)
{
	if (previous_utility)
		previous_utility(statement, text, read_only_tree, context, params, environment, dest, completion);
	else
		standard_ProcessUtility(statement, text, read_only_tree, context, params, environment, dest, completion);
}

static void
follow_utility(PlannedStmt *statement, const char *text, bool read_only_tree, ProcessUtilityContext context,
			   ParamListInfo params, QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion)
{
	const CopyStmt	*copy = (const CopyStmt *) statement->utilityStmt;
	RunningStatement entry = {.outer = running};

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
	}
	PG_FINALLY();
	{
		running = entry.outer;
	}
	PG_END_TRY();
}

static void
end_transaction(XactEvent event, void *unused)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
		logged = false;
}

void
statement_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
	previous_run = ExecutorRun_hook;
	ExecutorRun_hook = follow_run;
	previous_finish = ExecutorFinish_hook;
	ExecutorFinish_hook = follow_finish;
	previous_utility = ProcessUtility_hook;
	ProcessUtility_hook = follow_utility;
	/* a transaction without a number has changed nothing */
	if (IsTransactionState())
		loaded_in = GetCurrentStatementStartTimestamp();
}

bool
statement_changes(Oid table)
{
	if (loaded_in != 0 && loaded_in == GetCurrentStatementStartTimestamp() &&
		TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return true;
	for (const RunningStatement *statement = running; statement != NULL; statement = statement->outer)
	{
		int relation = -1;

		if (statement->any || (statement->plan == NULL && statement->table == table))
			return true;
		while (statement->plan != NULL && (relation = compat_next_result_relation(statement->plan, relation)) >= 0)
			if (rt_fetch(relation, statement->plan->rtable)->relid == table)
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

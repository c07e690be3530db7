/*
 * worker.c: the background worker that compacts a kept scan by itself.
 *
 * A worker is wanted when the log of a kept scan has about 10,000 rows.  A writer may not count them, so it goes by the
 * rows that it has inserted itself, and once in a second by the statistics of the log, where all sessions report
 * theirs. So a server with many short sessions starts a worker in time, too.  The size of the log would not tell:
 * compacted rows stay in it until they are vacuumed.  The writer asks for the worker after its commit, when neither an
 * error nor a wait is possible any more; if no worker is free, another writer asks again later.
 *
 * The worker folds the log in transactions of their own, until it is empty.  It has the privileges of the table's owner
 * and no others: it connects without a role, since the owner may not be allowed to log in, and becomes the owner before
 * it reads the definition, as autovacuum does before it computes the expressions of an index.
 *
 * The worker waits for nobody.  Where VACUUM, ALTER TABLE or another compaction has one of the tables, it tries again a
 * few times, outside of a transaction, and then leaves the log to the next worker.  It ends before its next transaction
 * when the database is about to be dropped.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_database.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "guc.h"
#include "kept/catalogs.h"
#include "kept/store.h"

#define WORKER_MAIN "scan_kept_worker_main"
#define COMPACTOR_LOCK 0x5343414e
#define REQUEST_FORMAT 2	  /* the library may have been replaced before the worker loads it */
#define LONGEST_PAUSE 256	  /* seconds */
#define BUSY_TRIES 20		  /* for locks, 0.1 s apart */
#define REST_AFTER_ERROR 3000 /* ms: DROP DATABASE waits 5 s for other processes */

/* What a worker has to know, in its bgw_extra. */
typedef struct KeptRequest
{
	int32	 format;
	Oid		 database;
	Oid		 function; /* of the extension, whose schema has the catalog */
	Oid		 table, log, tree;
	NameData name;
} KeptRequest;

StaticAssertDecl(sizeof(KeptRequest) <= BGW_EXTRALEN, "a request fits into bgw_extra");

/* What a session knows of a log into which it has written. */
typedef struct KnownLog
{
	Oid				 log;	   /* hash key */
	int64			 deltas;   /* of this session, since it last asked for a worker */
	int64			 waiting;  /* rows of the log when it did; 0: few */
	TimestampTz		 look_at;  /* when to look at the statistics again */
	int				 pause;	   /* seconds between two looks */
	TimestampTz		 adopt_at; /* when to ask for a worker that adopts a leaf again */
	int				 adopt_pause;
	bool			 wanted; /* a worker, after the commit */
	KeptRequest		 request;
	struct KnownLog *next_wanted;
} KnownLog;

static HTAB		*logs;
static KnownLog *first_wanted;

extern PGDLLEXPORT void scan_kept_worker_main(Datum unused);

/* ---- writers ---- */

/* Starts a worker if one is free.  Nothing in here raises an error. */
static void
start_worker(const KeptRequest *request)
{
	BackgroundWorker worker = {.bgw_name = "scan compactor",
							   .bgw_type = "scan compactor",
							   .bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
							   .bgw_start_time = BgWorkerStart_RecoveryFinished,
							   .bgw_restart_time = BGW_NEVER_RESTART,
							   .bgw_library_name = "scan",
							   .bgw_function_name = WORKER_MAIN};

	memcpy(worker.bgw_extra, request, sizeof(KeptRequest));
	(void) RegisterDynamicBackgroundWorker(&worker, NULL);
}

static void
start_wanted_workers(XactEvent event, void *unused)
{
	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE)
		return;
	for (KnownLog *known = first_wanted; known != NULL; known = known->next_wanted)
	{
		known->wanted = false;
		if (event != XACT_EVENT_COMMIT)
			continue;
		known->deltas = 0;
		start_worker(&known->request);
	}
	first_wanted = NULL;
}

static KnownLog *
find_log(Oid log)
{
	KnownLog *known;
	bool	  found;

	if (logs == NULL)
	{
		HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(KnownLog)};

		logs = hash_create("logs of kept scans", 8, &control, HASH_ELEM | HASH_BLOBS);
		RegisterXactCallback(start_wanted_workers, NULL);
	}
	known = (KnownLog *) hash_search(logs, &log, HASH_ENTER, &found);
	if (!found)
		*known = (KnownLog){.log = log, .pause = 1, .adopt_pause = 1};
	return known;
}

/*
 * True if the log is long by its statistics.  If a worker was asked for and the log is not shorter since, the next look
 * comes later each time: the worker could not do its work, or none was free.
 */
static bool
is_long(KnownLog *known)
{
	TimestampTz				   now = GetCurrentStatementStartTimestamp();
	const PgStat_StatTabEntry *statistics;
	int64					   waiting;

	/* a session that has asked for a snapshot of all statistics need not pay for one here */
	if (now < known->look_at || pgstat_fetch_consistency == PGSTAT_FETCH_CONSISTENCY_SNAPSHOT)
		return false;
	statistics = pgstat_fetch_stat_tabentry(known->log);
	waiting = statistics == NULL ? 0 : compat_live_rows(statistics);
	if (waiting < guc_debug_kept_deltas)
		waiting = 0;
	known->pause = known->waiting > 0 && waiting >= known->waiting ? Min(known->pause * 2, LONGEST_PAUSE) : 1;
	known->look_at = TimestampTzPlusMilliseconds(now, known->pause * 1000L);
	known->waiting = waiting;
	return waiting > 0;
}

/* True if another compaction, or VACUUM or DDL, has the tree. */
static bool
is_busy(Oid tree)
{
	LOCKTAG				  tag;
	int					  holders;
	VirtualTransactionId *holder;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, tree);
	holder = GetLockConflicts(&tag, ShareUpdateExclusiveLock, &holders);
	pfree(holder);
	return holders > 0;
}

/* True if it is time to ask for a worker that adopts a leaf; each time it takes longer. */
static bool
may_adopt(KnownLog *known)
{
	TimestampTz now = GetCurrentStatementStartTimestamp();

	if (now < known->adopt_at)
		return false;
	known->adopt_pause = Min(known->adopt_pause * 2, LONGEST_PAUSE);
	known->adopt_at = TimestampTzPlusMilliseconds(now, known->adopt_pause * 1000L);
	return true;
}

void
kept_worker_note(const FmgrInfo *caller, const Kept *kept, int64 deltas, bool has_leaf)
{
	KnownLog *known;

	if (guc_kept_compact == KEPT_COMPACT_OFF || kept->unusable != NULL || (deltas == 0 && !has_leaf))
		return;
	known = find_log(kept->log);
	known->deltas += deltas;
	if (known->wanted || (has_leaf ? !may_adopt(known) : known->deltas < guc_debug_kept_deltas && !is_long(known)))
		return;
	/* the worker would not see all rows */
	if (is_busy(kept->tree) || check_enable_rls(kept->table, kept->owner, true) == RLS_ENABLED)
		return;
	known->request = (KeptRequest){.format = REQUEST_FORMAT,
								   .database = MyDatabaseId,
								   .function = caller->fn_oid,
								   .table = kept->table,
								   .log = kept->log,
								   .tree = kept->tree,
								   .name = kept->name};
	known->wanted = true;
	known->next_wanted = first_wanted;
	first_wanted = known;
}

/* ---- the worker ---- */

typedef enum CompactorResult
{
	COMPACTOR_IS_DONE,
	COMPACTOR_HAS_MORE,
	COMPACTOR_HAS_TO_WAIT,
} CompactorResult;

/* False if the database is about to be dropped, renamed or copied, which waits until no process uses it. */
static bool
may_use_database(void)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, MyDatabaseId, 0);
	return LockAcquire(&tag, RowExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/* Locks what a compaction locks, in its order, without waiting. */
static bool
lock_tables(const KeptRequest *request)
{
	return ConditionalLockRelationOid(request->table, AccessShareLock) &&
		   ConditionalLockRelationOid(request->log, RowExclusiveLock) &&
		   ConditionalLockRelationOid(request->tree, ShareUpdateExclusiveLock);
}

/* Compacts with the rights of the table's owner. */
static CompactorResult
compact_as_owner(const KeptRequest *request)
{
	static bool
			 folded; /* all deltas: leaves are next, each in a transaction of its own, for its rows may raise errors */
	FmgrInfo caller = {.fn_oid = request->function};
	Kept	*kept = kept_of_tree(&caller, request->tree);
	bool	 more;

	if (kept->table != request->table || kept->log != request->log || kept->tree != request->tree ||
		kept->unusable != NULL || check_enable_rls(kept->table, kept->owner, true) == RLS_ENABLED)
	{
		ereport(DEBUG1, (errmsg("kept scan \"%s\" is not compacted", NameStr(request->name))));
		more = false;
	}
	else if (folded)
		more = folded = kept_adopt_leaves(kept, InvalidOid, false);
	else
	{
		(void) kept_compact(kept, guc_debug_kept_deltas, &more);
		if (!more)
			kept_catalog_note(&caller, kept->tree, kept->outgrown, NULL);
		/* rows may be as dense in one place as in no sample; so a shape stays for a minute, and less in tests */
		if (!more && kept->outgrown &&
			TimestampDifferenceExceeds(kept->shaped, GetCurrentTimestamp(), 6 * guc_debug_kept_deltas))
			kept_reshape(&caller, kept);
		folded = !more && kept->is_partitioned;
		more = more || folded;
	}
	return more ? COMPACTOR_HAS_MORE : COMPACTOR_IS_DONE;
}

static CompactorResult
compact_if_there(const KeptRequest *request)
{
	if (!may_use_database())
		return COMPACTOR_IS_DONE;
	if (!lock_tables(request))
		return COMPACTOR_HAS_TO_WAIT;
	/* dropped meanwhile */
	if (get_func_name(request->function) == NULL || get_rel_name(request->table) == NULL ||
		get_rel_name(request->log) == NULL || get_rel_name(request->tree) == NULL)
		return COMPACTOR_IS_DONE;
	return compact_as_owner(request);
}

static CompactorResult
compactor_transaction(const KeptRequest *request)
{
	CompactorResult result;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	pgstat_report_activity(STATE_RUNNING, psprintf("scan: compacts kept scan \"%s\"", NameStr(request->name)));
	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	result = compact_if_there(request);
	PopActiveSnapshot();
	SPI_finish();
	CommitTransactionCommand();
	pgstat_report_activity(STATE_IDLE, NULL);
	pgstat_report_stat(true);
	return result;
}

static void
compactor_context(void *request)
{
	errcontext("compaction of kept scan \"%s\"", NameStr(((const KeptRequest *) request)->name));
}

static void
compactor_sleep(long milliseconds)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), milliseconds);
	long		left;

	while ((left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until)) > 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Logs the error at hand, which ends the compaction but not more.  Returns its message. */
static char *
log_error(MemoryContext memory)
{
	ErrorData *error;

	MemoryContextSwitchTo(memory);
	HOLD_INTERRUPTS();
	error = CopyErrorData();
	FlushErrorState();
	AbortCurrentTransaction();
	error->elevel = LOG;
	ThrowErrorData(error);
	pgstat_report_activity(STATE_IDLE, NULL);
	pgstat_report_stat(true);
	RESUME_INTERRUPTS();
	return error->message;
}

/*
 * Notes the error of a compaction for the view scan_kept, and holds the tree for a while, so that new sessions do not
 * start one worker after the other in vain.
 */
static void
rest(const KeptRequest *request, const char *error)
{
	FmgrInfo caller = {.fn_oid = request->function};

	StartTransactionCommand();
	if (may_use_database() && get_func_name(request->function) != NULL &&
		ConditionalLockRelationOid(request->tree, ShareUpdateExclusiveLock))
		kept_catalog_note(&caller, request->tree, false, error);
	CommitTransactionCommand();
	StartTransactionCommand();
	if (may_use_database() && ConditionalLockRelationOid(request->tree, ShareUpdateExclusiveLock))
		compactor_sleep(REST_AFTER_ERROR);
	CommitTransactionCommand();
}

/* Runs one transaction.  Returns COMPACTOR_IS_DONE after an error, too. */
static CompactorResult
compactor_turn(KeptRequest *request)
{
	MemoryContext			 memory = CurrentMemoryContext;
	ErrorContextCallback	 context = {.previous = error_context_stack, .callback = compactor_context, .arg = request};
	volatile CompactorResult result = COMPACTOR_IS_DONE;
	char *volatile error = NULL;

	error_context_stack = &context;
	PG_TRY();
	{
		result = compactor_transaction(request);
	}
	PG_CATCH();
	{
		/* the error has it already */
		error_context_stack = context.previous;
		error = log_error(memory);
	}
	PG_END_TRY();
	error_context_stack = context.previous;
	MemoryContextSwitchTo(memory);
	if (error != NULL)
		rest(request, error);
	return result;
}

/*
 * Settings of the database do not count.  The search_path is that of core's maintenance commands since version 17.  No
 * standby need confirm what can be computed again.
 */
static void
set_settings(void)
{
	static const char *const setting[][2] = {{"application_name", "scan compactor"},
											 {"search_path", "pg_catalog, pg_temp"},
											 {"default_transaction_isolation", "read committed"},
											 {"default_transaction_read_only", "off"},
											 {"lock_timeout", "0"},
											 {"row_security", "on"},
											 {"jit", "off"}};

	for (int i = 0; i < lengthof(setting); i++)
		SetConfigOption(setting[i][0], setting[i][1], PGC_SUSET, PGC_S_OVERRIDE);
	if (synchronous_commit > SYNCHRONOUS_COMMIT_LOCAL_FLUSH)
		SetConfigOption("synchronous_commit", "local", PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * True if no more than a quarter of all background workers are compactors, whatever database they are in.  Each holds
 * one of so many locks until it ends; database 0 has no advisory locks of users.
 */
static bool
may_work(void)
{
	for (int turn = 0; turn < Max(max_worker_processes / 4, 1); turn++)
	{
		LOCKTAG tag;

		SET_LOCKTAG_ADVISORY(tag, InvalidOid, COMPACTOR_LOCK, turn, 0);
		if (LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL)
			return true;
	}
	return false;
}

void
scan_kept_worker_main(Datum unused)
{
	KeptRequest		request;
	CompactorResult result;
	int				tries = 0;

	memcpy(&request, MyBgworkerEntry->bgw_extra, sizeof(request));
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	if (request.format != REQUEST_FORMAT)
		return;
	BackgroundWorkerInitializeConnectionByOid(request.database, InvalidOid, 0);
	set_settings();
	if (!may_work())
		return;
	while ((result = compactor_turn(&request)) != COMPACTOR_IS_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		tries = result == COMPACTOR_HAS_TO_WAIT ? tries + 1 : 0;
		if (tries == BUSY_TRIES || guc_kept_compact == KEPT_COMPACT_OFF)
			break;
		if (tries > 0)
			compactor_sleep(100);
	}
}

/*
 * find.c: finds a kept scan that has what a query level asks for.
 *
 * The rewrites of queries (totals.c, window_level.c) call it for each query level that has the right form.  A kept scan
 * is found by its triggers, which the relation cache has, so a table without one costs nothing.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "guc.h"
#include "kept/planner.h"
#include "kept/reading.h"

int
kept_table_of_level(const Query *query)
{
	const RangeTblRef *from;

	if (query->commandType != CMD_SELECT || query->hasTargetSRFs || query->hasSubLinks || query->groupingSets != NIL ||
		query->setOperations != NULL || query->rowMarks != NIL || list_length(query->jointree->fromlist) != 1)
		return 0;
	from = (const RangeTblRef *) linitial(query->jointree->fromlist);
	return IsA(from, RangeTblRef) && rt_fetch(from->rtindex, query->rtable)->tablesample == NULL ? from->rtindex : 0;
}

bool
kept_is_table(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_RELATION &&
		   (entry->relkind == RELKIND_RELATION || (entry->relkind == RELKIND_PARTITIONED_TABLE && entry->inh));
}

/* Autovacuum does not look at a partitioned table, so its largest leaf may have to stand for all. */
HeapTuple
kept_statistics(const Kept *kept, const KeptColumn *column)
{
	HeapTuple tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(kept->table), Int16GetDatum(column->attribute),
									  BoolGetDatum(kept->is_partitioned));
	const KeptLeaves *leaves;
	const KeptLeaf	 *largest = NULL;

	if (HeapTupleIsValid(tuple) || !kept->is_partitioned)
		return tuple;
	leaves = kept_leaves(unconstify(Kept *, kept));
	for (int i = 0; i < leaves->n; i++)
		if (largest == NULL || leaves->leaf[i].rows > largest->rows)
			largest = &leaves->leaf[i];
	return largest == NULL
			   ? NULL
			   : SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(largest->table),
								 Int16GetDatum(get_attnum(largest->table, column->name)), BoolGetDatum(false));
}

/* Returns how many rows the table has, -1 if nobody knows. */
static double
rows_of_table(Kept *kept, Relation table)
{
	double rows = kept->is_partitioned ? kept_leaves(kept)->rows : table->rd_rel->reltuples;

	return rows < 0 || (kept->is_partitioned && rows == 0) ? -1 : rows;
}

/* Sets how many rows the largest partition of a kept scan has, and one on average, by statistics; -1: nobody knows. */
static void
estimate_partitions(KeptQuestion *q, const Kept *kept, Relation table)
{
	double rows = q->rows = rows_of_table(unconstify(Kept *, kept), table);

	q->largest_partition = q->average_partition = rows;
	for (int p = 0; p < kept->partitions && rows >= 0; p++)
	{
		HeapTuple	 tuple = kept_statistics(kept, &kept->partition[p]);
		AttStatsSlot slot;
		double		 part, distinct;

		if (!HeapTupleIsValid(tuple))
		{
			q->largest_partition = q->average_partition = -1;
			return;
		}
		distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
		part = distinct > 0 ? 1 / distinct : distinct < 0 ? -1 / (distinct * Max(rows, 1)) : 1;
		q->average_partition *= part;
		if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid, ATTSTATSSLOT_NUMBERS))
		{
			part = slot.nnumbers > 0 ? Max(part, slot.numbers[0]) : part;
			free_attstatsslot(&slot);
		}
		ReleaseSysCache(tuple);
		q->largest_partition *= part;
	}
}

/*
 * True if a trigger is one of a kept scan; q->caller: its function.  fmgr_info() loads the library of a function, so
 * another trigger's function must not come to it: that library may be missing, and a query of the table does not need
 * it.
 */
static bool
is_trigger_of_kept(KeptQuestion *q, const Trigger *trigger)
{
	const char *name;

	if (!TRIGGER_FOR_ROW(trigger->tgtype) || trigger->tgnargs != 1 || trigger->tgisclone)
		return false;
	name = get_func_name(trigger->tgfoid);
	if (name == NULL || strcmp(name, KEPT_LOG_FUNCTION) != 0)
		return false;
	fmgr_info(trigger->tgfoid, &q->caller);
	return q->caller.fn_addr == scan_kept_log;
}

/* True if the user may read a kept scan, and it pays. */
static bool
is_readable(KeptQuestion *q, Relation table)
{
	const Kept *kept = q->kept;
	const char *objection = kept->unusable != NULL ? kept->unusable : kept_leaves_objection(unconstify(Kept *, kept));

	if (objection != NULL)
		return kept_question_fails(q, objection, NULL);
	if (!kept_may_execute_node((Node *) q->query->targetList, GetUserId()) ||
		!kept_may_execute_node((Node *) q->query->jointree, GetUserId()) ||
		!kept_may_execute_node(q->query->havingQual, GetUserId()))
		return kept_question_fails(q, "the user may not execute all functions of the query", NULL);
	estimate_partitions(q, kept, table);
	if (guc_kept == KEPT_AUTO && kept->grain == NULL && q->largest_partition >= 0 &&
		q->largest_partition <= KEPT_LEAF_ROWS)
		return kept_question_fails(q, "partitions have too few rows", NULL);
	return true;
}

/*
 * Finds a kept scan of a table that has the answer.  The triggers are copied, because looking at one may take notice of
 * a change by others, upon which the relation cache frees its own.
 */
static bool
find_kept(KeptQuestion *q, Relation table, KeptHasAnswer has_answer)
{
	const TriggerDesc *triggers = CopyTriggerDesc(table->trigdesc);

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		Kept		  *kept;

		if (!is_trigger_of_kept(q, trigger))
			continue;
		kept = kept_of_trigger(&q->caller, RelationGetRelid(table), trigger->tgargs[0]);
		if (kept == NULL)
			continue;
		if (kept->unusable == NULL)
			kept_prepare(kept);
		q->kept = kept;
		q->reason = NULL;
		if (is_readable(q, table) && has_answer(q))
			return true;
		if (q->reason != NULL)
			kept_note(kept, q->reason);
	}
	return false;
}

bool
kept_find_of(KeptQuestion *q, int varno, KeptHasAnswer has_answer)
{
	const RangeTblEntry *entry = rt_fetch(varno, q->query->rtable);
	Relation			 table;
	bool				 found;

	if (!kept_is_table(entry) || entry->securityQuals != NIL)
		return false;
	q->varno = varno;
	/* whoever plans a query has a lock on its tables */
	table = table_open(entry->relid, NoLock);
	found = find_kept(q, table, has_answer);
	table_close(table, NoLock);
	return found;
}

bool
kept_find_supposed(KeptQuestion *q, Kept *kept, KeptHasAnswer has_answer)
{
	Relation table = table_open(kept->table, NoLock);
	bool	 found;

	q->kept = kept;
	found = is_readable(q, table) && has_answer(q);
	table_close(table, NoLock);
	return found;
}

bool
kept_find(KeptQuestion *q, KeptHasAnswer has_answer)
{
	int varno = kept_table_of_level(q->query);

	return varno > 0 && kept_find_of(q, varno, has_answer);
}

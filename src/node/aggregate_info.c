/*
 * aggregate_info.c: tells what an aggregate is: the part of function_info.c that is about pg_aggregate.
 *
 * function_info.c has a WindowFunctionInfo filled here; error_timing/may_error.c and plan/ignored.c ask about an
 * aggregate without a window.  An aggregate is accepted, whoever made it, if its final function may be called again
 * after more rows.  Stock aggregates are recognised by their OIDs, and ours by the addresses of their C functions; but
 * one that consists of the functions of a stock aggregate, as exact_sum(bigint) does, is that stock aggregate.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "call/entry_points.h"
#include "compat.h"
#include "node/window_function.h"

/* The aggregates of PostgreSQL that list.h has. */
#define TAKES_all true
#define TAKES_some false
typedef struct StockAggregate
{
	Oid			oid;
	const char *name;
	bool		takes_all; /* accepts all values without an error */
	ScanOpId	op;
} StockAggregate;

static const StockAggregate stock_aggregates[] = {
#define SCAN_STOCK(oid, function, type, values, line) {oid, #function, TAKES_##values, SCAN_OP_##line},
#include "op/list.h"
};

static const StockAggregate *
stock_aggregate(Oid oid)
{
	for (int i = 0; i < lengthof(stock_aggregates); i++)
		if (stock_aggregates[i].oid == oid)
			return &stock_aggregates[i];
	return NULL;
}

bool
aggregate_is_stock(const char *name)
{
	for (int i = 0; i < lengthof(stock_aggregates); i++)
		if (strcmp(stock_aggregates[i].name, name) == 0)
			return true;
	return false;
}

/*
 * Further aggregates of PostgreSQL that may have another name: ours of the same functions.  list.h has no operation for
 * them.
 */
static const Oid called_aggregates[] = {
	F_VAR_POP_INT2,		F_VAR_POP_INT4,		F_VAR_POP_INT8,		F_VAR_POP_NUMERIC,
	F_VAR_SAMP_INT2,	F_VAR_SAMP_INT4,	F_VAR_SAMP_INT8,	F_VAR_SAMP_NUMERIC,
	F_STDDEV_POP_INT2,	F_STDDEV_POP_INT4,	F_STDDEV_POP_INT8,	F_STDDEV_POP_NUMERIC,
	F_STDDEV_SAMP_INT2, F_STDDEV_SAMP_INT4, F_STDDEV_SAMP_INT8, F_STDDEV_SAMP_NUMERIC,
};

static bool
same_text(HeapTuple a, HeapTuple b, AttrNumber column)
{
	bool  a_null, b_null;
	Datum a_text = SysCacheGetAttr(AGGFNOID, a, column, &a_null);
	Datum b_text = SysCacheGetAttr(AGGFNOID, b, column, &b_null);

	return a_null == b_null && (a_null || strcmp(TextDatumGetCString(a_text), TextDatumGetCString(b_text)) == 0);
}

static bool
same_signature(Oid a, Oid b)
{
	Oid *a_types, *b_types;
	int	 a_arguments, b_arguments;

	return get_func_signature(a, &a_types, &a_arguments) == get_func_signature(b, &b_types, &b_arguments) &&
		   a_arguments == b_arguments && memcmp(a_types, b_types, a_arguments * sizeof(Oid)) == 0;
}

/* True if a stock aggregate has the arguments, the result and the row in pg_aggregate of another aggregate. */
static bool
same_aggregate(Oid stock, Oid oid, HeapTuple tuple)
{
	Size	  key = offsetof(FormData_pg_aggregate, aggkind); /* the columns after aggfnoid, up to the texts */
	Size	  size = offsetof(FormData_pg_aggregate, aggmtransspace) + sizeof(int32);
	HeapTuple stock_tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(stock));
	bool	  same;

	if (!HeapTupleIsValid(stock_tuple))
		return false;
	same = memcmp((char *) GETSTRUCT(stock_tuple) + key, (char *) GETSTRUCT(tuple) + key, size - key) == 0 &&
		   same_text(stock_tuple, tuple, Anum_pg_aggregate_agginitval) &&
		   same_text(stock_tuple, tuple, Anum_pg_aggregate_aggminitval) && same_signature(stock, oid);
	ReleaseSysCache(stock_tuple);
	return same;
}

/* Returns the stock aggregate that an aggregate is another name for; else the aggregate itself. */
static Oid
built_in_aggregate(Oid oid, HeapTuple tuple)
{
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);

	if (oid < FirstUnpinnedObjectId || form->aggtransfn >= FirstUnpinnedObjectId || !OidIsValid(form->aggminvtransfn))
		return oid;
	for (int i = 0; i < lengthof(stock_aggregates); i++)
		if (same_aggregate(stock_aggregates[i].oid, oid, tuple))
			return stock_aggregates[i].oid;
	for (int i = 0; i < lengthof(called_aggregates); i++)
		if (same_aggregate(called_aggregates[i], oid, tuple))
			return called_aggregates[i];
	return oid;
}

/* Our aggregates that have files of their own in evaluate/, in the order of entry_points->moving. */
static const MovingKind moving_kinds[] = {
#define SCAN_MOVING(transition, inverse, final, kind) MOVING_##kind,
#include "op/list.h"
};

/*
 * Recognises an aggregate by the C functions of its moving form.  Anybody may make an aggregate of these functions, so
 * the rest of its row in pg_aggregate has to match ours, too: it has an inverse and no initial value, and the final
 * function of percentile_cont is the one for the argument's type.  The operations of sums and exact
 * aggregates, the kinds before MOVING_TIME_AVERAGE, also evaluate frames from which no row leaves, and groups: these
 * have the same functions.
 */
static MovingKind
moving_kind(Oid oid, HeapTuple tuple)
{
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);
	PGFunction		  transition, inverse, final;
	MovingKind		  kind = MOVING_NONE;
	Oid				  result, *types;
	int				  arguments;
	bool			  no_start;

	(void) SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_aggminitval, &no_start);
	if (oid < FirstUnpinnedObjectId || form->aggnumdirectargs != 0 || !no_start || !OidIsValid(form->aggmtransfn) ||
		!OidIsValid(form->aggminvtransfn) || !OidIsValid(form->aggmfinalfn) ||
		func_strict(form->aggmtransfn) != func_strict(form->aggminvtransfn))
		return MOVING_NONE;
	transition = function_address(form->aggmtransfn);
	inverse = function_address(form->aggminvtransfn);
	final = function_address(form->aggmfinalfn);
	for (int i = 0; i < lengthof(moving_kinds); i++)
		if (entry_points->moving[i].transition == transition && entry_points->moving[i].inverse == inverse &&
			entry_points->moving[i].final == final)
			kind = moving_kinds[i];
	if (kind < MOVING_TIME_AVERAGE)
	{
		(void) SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, &no_start);
		return no_start && form->aggtransfn == form->aggmtransfn && form->aggfinalfn == form->aggmfinalfn ? kind
																										  : MOVING_NONE;
	}
	if (kind != MOVING_PERCENTILE_CONT)
		return kind;
	result = get_func_signature(oid, &types, &arguments);
	return types[0] == result ||
				   (result == NUMERICOID && (types[0] == INT2OID || types[0] == INT4OID || types[0] == INT8OID))
			   ? kind
			   : MOVING_NONE;
}

/*
 * True for an aggregate whose functions are called as WindowAgg calls them (aggregate/call.c).  None of these functions
 * may be volatile: the node calls one function for many rows before it calls the next one.
 */
static bool
aggregate_is_known(Form_pg_aggregate form)
{
	Oid components[] = {form->aggtransfn, form->aggfinalfn, form->aggmtransfn, form->aggminvtransfn, form->aggmfinalfn};
	bool known = form->aggkind == AGGKIND_NORMAL && form->aggfinalmodify == AGGMODIFY_READ_ONLY &&
				 form->aggmfinalmodify == AGGMODIFY_READ_ONLY;

	for (int i = 0; i < lengthof(components); i++)
		known = known && !(OidIsValid(components[i]) && func_volatile(components[i]) == PROVOLATILE_VOLATILE);
	return known;
}

/*
 * True for a built-in aggregate that accepts all values: by list.h, or as min, max and aggregates declared like them
 * (bool_and, bool_or, every) do, unless the type is polymorphic or a record, whose elements may not compare.
 */
static bool
takes_all_values(Oid oid, Form_pg_aggregate form)
{
	const StockAggregate *stock = stock_aggregate(oid);

	return (stock != NULL && stock->takes_all) ||
		   (oid < FirstUnpinnedObjectId && OidIsValid(form->aggsortop) && !IsPolymorphicType(form->aggtranstype) &&
			form->aggtranstype != RECORDOID);
}

bool
aggregate_cannot_fail(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	bool	  takes_all;

	if (!HeapTupleIsValid(tuple))
		return false;
	takes_all = takes_all_values(built_in_aggregate(oid, tuple), (Form_pg_aggregate) GETSTRUCT(tuple));
	ReleaseSysCache(tuple);
	return takes_all;
}

/*
 * True if the transition value can be passed to another process.  A value of type internal is passed as the bytes by
 * which core sends it from a parallel worker to the leader, if core's own function writes them.
 */
static bool
aggregate_saves_state(Form_pg_aggregate form)
{
	return form->aggtranstype != INTERNALOID ||
		   (OidIsValid(form->aggserialfn) && form->aggserialfn < FirstUnpinnedObjectId &&
			OidIsValid(form->aggdeserialfn) && OidIsValid(form->aggcombinefn));
}

/* True if a role may EXECUTE a function; false if the function is gone. */
static bool
may_execute(Oid function, Oid role)
{
	return SearchSysCacheExists1(PROCOID, ObjectIdGetDatum(function)) &&
		   compat_proc_aclcheck(function, role) == ACLCHECK_OK;
}

bool
aggregate_may_save_state(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	HeapTuple proc = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	bool	  may = HeapTupleIsValid(tuple) && HeapTupleIsValid(proc);

	if (may && ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtranstype == INTERNALOID)
	{
		Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);
		Oid				  owner = ((Form_pg_proc) GETSTRUCT(proc))->proowner;

		may = may_execute(form->aggserialfn, owner) && may_execute(form->aggdeserialfn, owner) &&
			  may_execute(form->aggcombinefn, owner);
	}
	if (HeapTupleIsValid(proc))
		ReleaseSysCache(proc);
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return may;
}

void
aggregate_operation(Oid aggregate, Oid *stock, MovingKind *kind)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));

	*stock = aggregate;
	*kind = MOVING_NONE;
	if (!HeapTupleIsValid(tuple))
		return;
	if (aggregate_is_known((Form_pg_aggregate) GETSTRUCT(tuple)))
	{
		*stock = built_in_aggregate(aggregate, tuple);
		*kind = moving_kind(aggregate, tuple);
	}
	ReleaseSysCache(tuple);
}

void
aggregate_describe(WindowFunctionInfo *info)
{
	Oid				  oid = info->wfunc->winfnoid;
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Form_pg_aggregate form;

	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	if (aggregate_is_known(form))
	{
		MovingKind			  moving = moving_kind(oid, tuple);
		Oid					  called = built_in_aggregate(oid, tuple);
		const StockAggregate *stock = stock_aggregate(called);
		bool fails = !takes_all_values(called, form) && moving != MOVING_SUM_INT2 && moving != MOVING_SUM_INT4;

		*info = (WindowFunctionInfo){.wfunc = info->wfunc,
									 .kind = FUNCTION_AGGREGATE,
									 .moving = moving,
									 .aggregate = called,
									 .op = stock != NULL ? stock->op : SCAN_OP_none,
									 .sort_operator = form->aggsortop,
									 .may_error_or_side_effect = fails,
									 .needs = NEEDS_FRAME | NEEDS_ROW_AFTER};
		if (!aggregate_saves_state(form))
			info->needs |= NEEDS_EARLIER_ROWS;
		/* a user's inverse may leave a trace of the rows that it removes: that of a sum of floats does */
		if (called >= FirstUnpinnedObjectId && moving == MOVING_NONE && OidIsValid(form->aggminvtransfn))
			info->needs |= NEEDS_EARLIER_FRAMES;
	}
	ReleaseSysCache(tuple);
}

List *
aggregate_parts(Oid oid)
{
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Form_pg_aggregate form;
	List			 *parts;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", oid);
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	parts = list_make5_oid(form->aggtransfn, form->aggfinalfn, form->aggmtransfn, form->aggminvtransfn,
						   form->aggmfinalfn);
	parts = list_concat(parts, list_make3_oid(form->aggcombinefn, form->aggserialfn, form->aggdeserialfn));
	ReleaseSysCache(tuple);
	return parts;
}

/*
 * function_info.c: tells what a function of a window is.
 *
 * level.c asks once per function of a query level, and exec/begin.c when a plan starts; error_timing/may_error.c asks
 * about the functions in an expression.  Core's window functions are recognised by their OIDs, and ours by the
 * addresses of their C functions (call/entry_points.h); list.h says which rows each of them reads.  aggregate_info.c
 * describes aggregates.  Everything else is left to WindowAgg.
 *
 * Rejected: a cache for the session, by OID.  It would have to follow every change of a function, of an aggregate and
 * of the functions that an aggregate consists of.  A plan that is cached has the answer in it, and core makes the plan
 * anew when one of them changes (plan/create_plan.c).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "call/call_context.h"
#include "call/entry_points.h"
#include "compat.h"
#include "node/window_function.h"

/* ---- functions of ours ---- */

/*
 * Our functions: list.h says of each what it is to the node.  A user may declare other C functions of the library as
 * window functions; WindowAgg evaluates them.
 */
typedef enum SavesState
{
	SAVES_NEVER,
	SAVES_ALWAYS,
	SAVES_SHORT, /* if the second argument is a constant that lag.c saves so many values for */
} SavesState;

#define FUNCTION_streams(entry_point) [entry_point] = {FUNCTION_SCAN, SAVES_NEVER},
#define FUNCTION_goes_on(entry_point) [entry_point] = {FUNCTION_SCAN, SAVES_ALWAYS},
#define FUNCTION_goes_on_if_short(entry_point) [entry_point] = {FUNCTION_SCAN, SAVES_SHORT},
#define FUNCTION_looks_ahead(entry_point) [entry_point] = {FUNCTION_AHEAD, SAVES_NEVER},
#define FUNCTION_compacts(entry_point) [entry_point] = {FUNCTION_COMPACT, SAVES_NEVER},
#define FUNCTION_splits(entry_point) [entry_point] = {FUNCTION_SPLIT_INDEX, SAVES_NEVER},
static const struct OurFunction
{
	WindowFunctionKind kind;
	SavesState		   saves_state;
} our_functions[] = {
#define SCAN_ROW(function, type, arguments, result, flags, call) FUNCTION_goes_on(ENTRY_##function##_##type)
#define SCAN_CALL(function, type, arguments, result, rows) FUNCTION_##rows(ENTRY_##function##_##type)
#include "op/list.h"
};

/* Finds one of our functions by its C address, whatever its name in SQL; NULL if it is none of ours. */
static const struct OurFunction *
our_function(Oid oid)
{
	PGFunction address = function_address(oid);

	for (int i = 0; i < lengthof(our_functions); i++)
		if (entry_points->window[i] == address)
			return &our_functions[i];
	return NULL;
}

bool
window_function_is_ours(const WindowFunc *wfunc)
{
	Oid support = wfunc->winagg ? InvalidOid : get_func_support(wfunc->winfnoid);

	return OidIsValid(support) && function_address(support) == entry_points->support;
}

/*
 * Returns the argument `op` of a call of scan_fold, which need not be a Const; NULL for another function.  The
 * arguments come as the query has them, so `op` may be a NamedArgExpr.
 */
static const Const *
scan_fold_op(const WindowFunc *wfunc)
{
	const Node *op = NULL;
	PGFunction	address;

	if (!window_function_is_ours(wfunc))
		return NULL;
	address = function_address(wfunc->winfnoid);
	if (address != entry_points->window[ENTRY_fold_any] && address != entry_points->window[ENTRY_fold_init])
		return NULL;
	foreach_ptr (const Node, argument, wfunc->args)
	{
		if (IsA(argument, NamedArgExpr) ? ((const NamedArgExpr *) argument)->argnumber == 1
										: foreach_current_index(argument) == 1)
			op = IsA(argument, NamedArgExpr) ? (const Node *) ((const NamedArgExpr *) argument)->arg : argument;
	}
	if (op == NULL)
		elog(ERROR, "scan_fold has no op");
	return (const Const *) op;
}

static bool
fold_op_is_known(const Const *op)
{
	return IsA(op, Const) && !op->constisnull && SearchSysCacheExists1(PROCOID, op->constvalue);
}

char
window_function_parallel(const WindowFunc *wfunc)
{
	const Const *op = scan_fold_op(wfunc);

	if (op == NULL)
		return func_parallel(wfunc->winfnoid);
	return fold_op_is_known(op) ? func_parallel(DatumGetObjectId(op->constvalue)) : PROPARALLEL_UNSAFE;
}

List *
window_function_parts(const WindowFunc *wfunc)
{
	const Const *op;

	if (wfunc->winagg)
		return aggregate_parts(wfunc->winfnoid);
	op = scan_fold_op(wfunc);
	return op != NULL && fold_op_is_known(op) ? list_make1_oid(DatumGetObjectId(op->constvalue)) : NIL;
}

/* ---- window functions ---- */

static const struct
{
	Oid				   oid;
	WindowFunctionKind kind;
} core_functions[] = {
#define SCAN_STOCK_WINDOW(oid, kind) {oid, FUNCTION_##kind},
#include "op/list.h"
};

/* Returns the argument if it is an int4 constant; NULL if it is none, or a NULL. */
static const Const *
int4_constant(const WindowFunc *wfunc, int argument)
{
	const Const *constant = (const Const *) list_nth(wfunc->args, argument);

	return IsA(constant, Const) && constant->consttype == INT4OID && !constant->constisnull ? constant : NULL;
}

static bool
is_null_constant(const WindowFunc *wfunc, int argument)
{
	const Const *constant = (const Const *) list_nth(wfunc->args, argument);

	return IsA(constant, Const) && constant->constisnull;
}

static Oid
argument_type(const WindowFunc *wfunc, int argument)
{
	return exprType((const Node *) list_nth(wfunc->args, argument));
}

/* True if the node can evaluate a function of the kind with these arguments. */
static bool
arguments_are_known(WindowFunctionKind kind, const WindowFunc *wfunc)
{
	switch (kind)
	{
		case FUNCTION_LAG:
		case FUNCTION_LEAD:
		case FUNCTION_NTH_VALUE:
			return list_length(wfunc->args) == 1 || argument_type(wfunc, 1) == INT4OID;
		case FUNCTION_NTILE:
			return argument_type(wfunc, 0) == INT4OID;
		case FUNCTION_COMPACT:
			/* evaluate/compaction.c moves values of the argument's type to the result */
			return list_length(wfunc->args) == 2 && argument_type(wfunc, 0) == wfunc->wintype &&
				   argument_type(wfunc, 1) == BOOLOID;
		case FUNCTION_SPLIT_INDEX:
			return list_length(wfunc->args) == 1 && argument_type(wfunc, 0) == BOOLOID && wfunc->wintype == INT8OID;
		case FUNCTION_AHEAD:
			return list_length(wfunc->args) <= SCAN_CALL_ARGUMENTS; /* scan_match may have more, which is an error */
		default:
			return true;
	}
}

/*
 * Returns the built-in function that a function of language "internal" is another name for; else the function itself.
 */
static Oid
built_in_function(Oid oid)
{
	HeapTuple tuple = oid < FirstUnpinnedObjectId ? NULL : SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	Oid		  built_in = oid;

	if (!HeapTupleIsValid(tuple))
		return oid;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == INTERNALlanguageId)
	{
		bool  isnull;
		Datum symbol = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);

		built_in = isnull ? InvalidOid : fmgr_internal_function(TextDatumGetCString(symbol));
		/* a function that is declared otherwise gets other arguments than the C function expects */
		if (!OidIsValid(built_in) || get_func_nargs(built_in) != get_func_nargs(oid) ||
			get_func_rettype(built_in) != get_func_rettype(oid))
			built_in = oid;
	}
	ReleaseSysCache(tuple);
	return built_in;
}

/*
 * Sets what follows from the offset of lag() or lead(), or from the n of nth_value().  A lag() by a negative offset is
 * a lead().  Returns false if the offset is none that core takes at each row, or cannot be negated: then it has to be
 * looked at row by row.
 */
static bool
set_offset(WindowFunctionInfo *info, int32 offset)
{
	bool back = (info->kind == FUNCTION_LAG) == (offset >= 0);

	if (info->kind == FUNCTION_NTH_VALUE)
	{
		info->nth = Max(offset, 0);
		return offset > 0;
	}
	if (offset == PG_INT32_MIN)
		return false;
	if (offset != 0)
		info->kind = back ? FUNCTION_LAG : FUNCTION_LEAD;
	info->before = info->kind == FUNCTION_LAG ? abs(offset) : 0;
	info->after = info->kind == FUNCTION_LEAD ? abs(offset) : 0;
	return true;
}

/*
 * True if the state of one of core's functions after row i fits in bytes, so that another process can continue from row
 * i + 1.  lag() and lead() also need the rows that they reach.
 */
static bool
core_saves_state(WindowFunctionKind kind, const WindowFunc *wfunc)
{
	switch (kind)
	{
		case FUNCTION_PERCENT_RANK:
		case FUNCTION_CUME_DIST:
		case FUNCTION_NTILE:
			return false;
		case FUNCTION_LAG:
			/* with IGNORE NULLS a value may lie further back than the overlap reaches */
			return compat_null_treatment(wfunc) != NULLS_IGNORED;
		default:
			return true;
	}
}

static void
describe_core_function(WindowFunctionInfo *info, WindowFunctionKind kind)
{
	const WindowFunc *wfunc = info->wfunc;
	const Const		 *offset;

	if (!arguments_are_known(kind, wfunc))
		return;
	info->kind = kind;
	if (kind == FUNCTION_FIRST_VALUE || kind == FUNCTION_LAST_VALUE || kind == FUNCTION_NTH_VALUE)
		info->needs = NEEDS_FRAME;
	info->may_error_or_side_effect = false;
	if (kind == FUNCTION_LAG || kind == FUNCTION_LEAD || kind == FUNCTION_NTH_VALUE)
	{
		offset = list_length(wfunc->args) == 1 ? NULL : int4_constant(wfunc, 1);
		if ((offset == NULL && list_length(wfunc->args) > 1) ||
			!set_offset(info, offset == NULL ? 1 : DatumGetInt32(offset->constvalue)))
			info->needs |= kind == FUNCTION_NTH_VALUE ? NEEDS_ANY_FRAME_ROW : NEEDS_ANY_ROW;
		/* nth_value() raises an error at a row whose n is 0 */
		info->may_error_or_side_effect = info->needs & NEEDS_ANY_FRAME_ROW;
	}
	/* so does ntile() by a number below 1 */
	if (kind == FUNCTION_NTILE)
	{
		const Const *buckets = int4_constant(wfunc, 0);

		info->may_error_or_side_effect = buckets == NULL ? !is_null_constant(wfunc, 0)
														 : DatumGetInt32(buckets->constvalue) < 1;
	}
	if (!core_saves_state(info->kind, wfunc) || (info->needs & NEEDS_ANY))
		info->needs |= NEEDS_EARLIER_ROWS;
}

static bool
ours_saves_state(const struct OurFunction *ours, const WindowFunc *wfunc)
{
	const Const *constant;

	if (ours->saves_state != SAVES_SHORT)
		return ours->saves_state == SAVES_ALWAYS;
	constant = list_length(wfunc->args) < 2 ? NULL : (const Const *) lsecond(wfunc->args);
	return constant != NULL && IsA(constant, Const) && constant->consttype == INT8OID && !constant->constisnull &&
		   DatumGetInt64(constant->constvalue) <= SCAN_LAG_SAVED;
}

static void
describe_window_function(WindowFunctionInfo *info)
{
	Oid						  oid = built_in_function(info->wfunc->winfnoid);
	const struct OurFunction *ours;

	for (int i = 0; i < lengthof(core_functions); i++)
		if (core_functions[i].oid == oid)
		{
			describe_core_function(info, core_functions[i].kind);
			return;
		}
	ours = our_function(info->wfunc->winfnoid);
	if (ours == NULL || !arguments_are_known(ours->kind, info->wfunc))
		return;
	info->kind = ours->kind;
	info->may_error_or_side_effect = ours->kind != FUNCTION_COMPACT;
	if (!ours_saves_state(ours, info->wfunc))
		info->needs = NEEDS_EARLIER_ROWS;
}

int
window_function_unknown_argument(const WindowFunc *wfunc)
{
	Oid oid = built_in_function(wfunc->winfnoid);

	for (int i = 0; i < lengthof(core_functions) && !wfunc->winagg; i++)
		if (core_functions[i].oid == oid && !arguments_are_known(core_functions[i].kind, wfunc))
			return core_functions[i].kind == FUNCTION_NTILE ? 1 : 2;
	return 0;
}

bool
frame_is_prefix(int options)
{
	return (options & FRAMEOPTION_START_UNBOUNDED_PRECEDING) &&
		   (options & (FRAMEOPTION_END_CURRENT_ROW | FRAMEOPTION_END_UNBOUNDED_FOLLOWING)) &&
		   !(options & (FRAMEOPTION_EXCLUSION | FRAMEOPTION_END_OFFSET));
}

/* ---- any function ---- */

/* Returns the lookaheads of a function under a frame that does not slide. */
static int
lookahead_of(const WindowFunctionInfo *info, int frame_options)
{
	const WindowFunc  *wfunc = info->wfunc;
	WindowFunctionKind kind = info->kind;

	/* the first value that is not NULL need not be the first row's */
	if (kind == FUNCTION_FIRST_VALUE && compat_null_treatment(wfunc) == NULLS_IGNORED)
		kind = FUNCTION_NTH_VALUE;
	switch (kind)
	{
		case FUNCTION_CUME_DIST:
			return LOOKAHEAD_PARTITION | LOOKAHEAD_PEERS;
		case FUNCTION_PERCENT_RANK:
		case FUNCTION_NTILE:
		case FUNCTION_AHEAD:
		case FUNCTION_COMPACT:
		case FUNCTION_SPLIT_INDEX:
			return LOOKAHEAD_PARTITION;
		case FUNCTION_AGGREGATE:
		case FUNCTION_LAST_VALUE:
		case FUNCTION_NTH_VALUE:
			if (frame_options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING)
				return LOOKAHEAD_PARTITION;
			return frame_options & FRAMEOPTION_ROWS ? LOOKAHEAD_NONE : LOOKAHEAD_PEERS;
		default:
			return LOOKAHEAD_NONE;
	}
}

/*
 * Returns what a function needs under a frame, beside what it needs under any.  input/frame.c reads the rows of frames
 * that slide.
 */
static int
needs_under_frame(const WindowFunctionInfo *info, int options)
{
	int needs = NEEDS_BOUNDS;

	if (!(info->needs & NEEDS_ANY) && (!(info->needs & NEEDS_FRAME) || frame_is_prefix(options)))
		return lookahead_of(info, options);
	if (!(options & FRAMEOPTION_START_UNBOUNDED_PRECEDING))
		needs |= NEEDS_REMOVAL;
	if (options & FRAMEOPTION_EXCLUSION)
		needs |= NEEDS_EXCLUSION;
	/* an aggregate over a frame that only grows reads no row twice */
	if (needs != NEEDS_BOUNDS || info->kind != FUNCTION_AGGREGATE)
		needs |= NEEDS_FRAME_START;
	return needs;
}

/* Describes a function without its window and its parallel safety. */
static WindowFunctionInfo
function_itself(const WindowFunc *wfunc)
{
	/* functions that are left to WindowAgg count as failing */
	WindowFunctionInfo info = {.wfunc = wfunc, .op = SCAN_OP_none, .may_error_or_side_effect = true};

	if (wfunc->winagg)
		aggregate_describe(&info);
	else
		describe_window_function(&info);
	return info;
}

bool
window_function_itself_may_error_or_side_effect(const WindowFunc *wfunc)
{
	return function_itself(wfunc).may_error_or_side_effect;
}

WindowFunctionInfo
window_function_info(const WindowFunc *wfunc, int frame_options)
{
	WindowFunctionInfo info = function_itself(wfunc);

	info.needs |= needs_under_frame(&info, frame_options);
	info.parallel = window_function_parallel(wfunc);
	return info;
}

void
window_function_set_offset(WindowFunctionInfo *info, int frame_options, int32 offset)
{
	WindowFunctionInfo settled = *info;

	if (!set_offset(&settled, offset))
		return;
	settled.needs &= NEEDS_FRAME | NEEDS_EARLIER_ROWS;
	settled.needs |= needs_under_frame(&settled, frame_options);
	*info = settled;
}

/* ---- in a plan ---- */

/* The members that a plan stores, in this order, and their types.  An offset is an int4 constant of the query. */
#define STORED_MEMBERS(MEMBER)             \
	MEMBER(kind, WindowFunctionKind)       \
	MEMBER(moving, MovingKind)             \
	MEMBER(aggregate, Oid)                 \
	MEMBER(op, ScanOpId)                   \
	MEMBER(sort_operator, Oid)             \
	MEMBER(needs, int)                     \
	MEMBER(before, int64)                  \
	MEMBER(after, int64)                   \
	MEMBER(nth, int64)                     \
	MEMBER(may_error_or_side_effect, bool) \
	MEMBER(parallel, char)

List *
window_function_info_to_list(const WindowFunctionInfo *info)
{
	List *stored = NIL;

#define STORE(member, type) stored = lappend_int(stored, (int) info->member);
	STORED_MEMBERS(STORE)
	return stored;
}

WindowFunctionInfo
window_function_info_from_list(const WindowFunc *wfunc, const List *stored)
{
	WindowFunctionInfo info = {.wfunc = wfunc};
	int				   place = 0;

#define READ(member, type) info.member = (type) list_nth_int(stored, place++);
	STORED_MEMBERS(READ)
	return info;
}

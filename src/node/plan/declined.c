/*
 * declined.c: records why a window was left to WindowAgg.
 *
 * plan.c notes its verdict on every window while a statement is planned.  Core's plan nodes cannot hold the note.  So
 * once the plan is finished, and only if somebody asks, its WindowAggs are looked up among the notes.  EXPLAIN
 * (VERBOSE) asks, for which explain_declined.c prints the reasons, and so does scan.debug_require, under which a window
 * that is left to WindowAgg is an error.
 *
 * A WindowAgg and its note are matched by the number of the window and the position of its first function in the text
 * of the query.  In subqueries that were planned separately both may be the same; then the number of rows decides.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "guc.h"
#include "node/level.h"
#include "node/plan/planning.h"
#include "node/plan_walker.h"
#include "node/text.h"

/* The verdict on a window. */
typedef struct WindowNote
{
	Index		 winref;
	double		 rows;
	const char	*name;
	List		*exprs; /* of the window's path: its functions are among them */
	WindowReason verdict;
	const char	*about; /* name of the function that was the reason, or NULL */
	int			 part;	/* WindowFault.part */
} WindowNote;

DeclinedReport *declined_report;

static planner_hook_type next_planner; /* the hook of another library, or core's planner */

static List *notes; /* on the windows of the statement that is being planned */
static int	 depth; /* calls of the planner that are under way, each inside the one before */

/* Start of the statement that loaded the library; 0: preloaded.  Its own planning began before there was a hook. */
static TimestampTz loaded_by;

void
declined_note(const WindowAggPath *path, WindowReason verdict, WindowFault fault)
{
	WindowNote *note;

	/* another extension calls the planner without its hook */
	if (depth == 0)
		return;
	note = (WindowNote *) palloc(sizeof(WindowNote));
	*note = (WindowNote){.winref = path->winclause->winref,
						 .rows = path->path.rows,
						 .name = path->winclause->name,
						 .exprs = path->path.pathtarget->exprs,
						 .verdict = verdict,
						 .about = fault.function == NULL ? NULL : name_of_function(fault.function->winfnoid),
						 .part = fault.part};
	notes = lappend(notes, note);
}

bool
planning_is_nested(void)
{
	return depth > 1 || (depth == 1 && loaded_by != 0 && loaded_by == GetCurrentStatementStartTimestamp());
}

/* ---- the text of a window ---- */

/*
 * Users are told which window was left to WindowAgg: a query may have several windows without a name.  The keys are
 * columns of the WindowAgg's input.  They are printed as EXPLAIN prints sort keys: as references to the plan below,
 * which ruleutils.c follows down to columns of tables.
 */

/* Returns the deparse context of a planned statement.  set_deparse_context_plan() moves it to one of the plans. */
static List *
statement_deparse_context(const PlannedStmt *statement)
{
	/* core does not declare its parameters const, but changes nothing in the statement */
	PlannedStmt *printed = unconstify(PlannedStmt *, statement);
	Bitmapset	*used = NULL;

	for (int i = 1; i <= list_length(printed->rtable); i++)
		used = bms_add_member(used, i);
	return deparse_context_for_plan_tree(printed, select_rtable_names_for_explain(printed->rtable, used));
}

/* Appends `title` and the columns of the child that are keys, separated by commas; nothing if there are none. */
static void
append_keys(StringInfo text, const char *title, int n, const AttrNumber *column, const Plan *plan, List *context)
{
	for (int i = 0; i < n; i++)
	{
		const TargetEntry *entry = list_nth_node(TargetEntry, outerPlan(plan)->targetlist, column[i] - 1);
		Node			  *expr = (Node *) entry->expr;
		Var *key = makeVar(OUTER_VAR, entry->resno, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);

		appendStringInfo(text, "%s%s", i > 0 ? ", " : text->len > 0 ? " " : "", i == 0 ? title : "");
		appendStringInfoString(text, text_of_expression((Node *) key, context, true));
	}
}

static const char *
offset_text(Node *offset, List *context)
{
	return offset == NULL ? NULL : text_of_expression(offset, context, true);
}

/*
 * Returns the clauses of the window, as in OVER (...) but without directions, which a finished plan does not have; ""
 * if it has none.  `context` comes from statement_deparse_context() for the plan's statement.
 */
static char *
over_text(const WindowAgg *window, List *context)
{
	const Plan *plan = &window->plan;
	StringInfo	text = makeStringInfo();

	context = set_deparse_context_plan(context, unconstify(Plan *, plan), NIL);
	append_keys(text, "PARTITION BY ", window->partNumCols, window->partColIdx, plan, context);
	append_keys(text, "ORDER BY ", window->ordNumCols, window->ordColIdx, plan, context);
	if (window->frameOptions & FRAMEOPTION_NONDEFAULT)
		appendStringInfo(text, "%s%s", text->len > 0 ? " " : "",
						 frame_text(window->frameOptions, offset_text(window->startOffset, context),
									offset_text(window->endOffset, context)));
	return text->data;
}

/* ---- windows left to WindowAgg ---- */

static bool
same_function(const WindowFunc *a, const WindowFunc *b)
{
	return a->winfnoid == b->winfnoid && a->location == b->location;
}

static const WindowNote *
find_note(const WindowAgg *plan, const WindowFunc *first)
{
	const WindowNote *found = NULL;

	foreach_ptr (const WindowNote, note, notes)
	{
		if (note->winref != plan->winref)
			continue;
		foreach_node (WindowFunc, wfunc, window_functions(note->exprs, note->winref))
			if (same_function(wfunc, first) && (found == NULL || note->rows == plan->plan.plan_rows))
				found = note;
	}
	return found;
}

/* Describes a WindowAgg and the reason for it. */
static DeclinedWindow *
left_window(const WindowAgg *plan, List *context)
{
	List			 *functions = window_functions(plan->plan.targetlist, plan->winref);
	const WindowNote *note = functions == NIL ? NULL : find_note(plan, linitial_node(WindowFunc, functions));
	DeclinedWindow	 *left = (DeclinedWindow *) palloc(sizeof(DeclinedWindow));

	*left = (DeclinedWindow){.text = note != NULL && note->verdict != REASON_NONE
										 ? reason_text_of_part(note->verdict, note->part)
										 : reason_text(REASON_COST),
							 .over = over_text(plan, context)};
	foreach_node (WindowFunc, wfunc, functions)
		left->functions = lappend(left->functions, name_of_function(wfunc->winfnoid));
	if (note != NULL)
	{
		left->name = note->name;
		left->about = note->about;
	}
	return left;
}

/* The windows that were left, and what it takes to print them. */
typedef struct LeftWindows
{
	List *context; /* of the statement; see planning.h */
	List *left;	   /* DeclinedWindows */
} LeftWindows;

/* Appends a WindowAgg to the windows left: a PlanVisitor. */
static void
windows_left(Plan *plan, void *windows)
{
	LeftWindows *found = (LeftWindows *) windows;

	if (IsA(plan, WindowAgg))
		found->left = lappend(found->left, left_window((const WindowAgg *) plan, found->context));
}

static void
refuse_declined(const List *left)
{
	const DeclinedWindow *window;
	const char			 *about;

	if (left == NIL)
		return;
	window = (const DeclinedWindow *) linitial(left);
	about = window->about;
	if (about == NULL)
		about = window->functions == NIL ? "no function" : (const char *) linitial(window->functions);
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("the window of %s is left to WindowAgg: %s", about, window->text.sentence),
					errdetail("scan.debug_require is \"node\"."),
					errhint("SET scan.debug_require = allow to let WindowAgg run the window.")));
}

/* Reports the windows left to WindowAgg, to EXPLAIN or as an error, once the plan is there. */
static void
report_declined(const PlannedStmt *statement)
{
	bool		refuses = guc_debug_require == REQUIRE_NODE && guc_prefixscan != PREFIXSCAN_OFF;
	bool		reports = depth == 1 && declined_report != NULL && declined_report->statement == NULL;
	LeftWindows found = {NIL, NIL};

	if (!refuses && !reports)
		return;
	if (notes != NIL)
	{
		found.context = statement_deparse_context(statement);
		walk_statement(statement, windows_left, &found);
	}
	if (reports)
	{
		declined_report->statement = statement;
		declined_report->left = found.left;
	}
	if (refuses)
		refuse_declined(found.left);
}

static PlannedStmt *
plan_and_tell(COMPAT_PLANNER_PARAMETERS)
{
	PlannedStmt *volatile statement = NULL;
	List *volatile outer = notes;
	const int allowed = parallel_safe_options(parse, options);

	plan_warn_of_resets(parse);
	notes = NIL;
	depth++;
	PG_TRY();
	{
		statement = next_planner(COMPAT_PLANNER_ARGUMENTS(allowed));
		if (notes != NIL)
			prefix_scan_deparse(statement);
		report_declined(statement);
	}
	PG_FINALLY();
	{
		depth--;
		notes = outer;
	}
	PG_END_TRY();
	return statement;
}

void
declined_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		loaded_by = GetCurrentStatementStartTimestamp();
	next_planner = planner_hook != NULL ? planner_hook : standard_planner;
	planner_hook = plan_and_tell;
}

/*
 * children.c: starts the children of an IndexSkip, which exec.c reads.
 *
 * In the plan, the conditions that lead to the next group have external parameters (internal.h).  The children are
 * copies of the plan's, whose conditions have the executor parameters that exec.c sets.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "compat.h"
#include "node/plan_walker.h"
#include "node/skip/internal.h"

/* Replaces the values of the group's columns by the executor parameters that have them; `parameters`: their numbers. */
static Node *
set_parameters(Node *node, void *parameters)
{
	Param *param = (Param *) node;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Param) || param->paramkind != PARAM_EXTERN || param->paramid < SKIP_VALUE_PARAMETER)
		return expression_tree_mutator(node, set_parameters, parameters);
	param = (Param *) copyObject(node);
	param->paramkind = PARAM_EXEC;
	param->paramid = list_nth_int((const List *) parameters, param->paramid - SKIP_VALUE_PARAMETER);
	return (Node *) param;
}

/* The conditions of a child, which is a copy of the plan's. */
typedef struct ChildConditions
{
	List *parameters; /* numbers of the executor parameters that have the values of the group's columns */
	List *hidden; /* lists of conditions in the plans of index scans, from which some are missing: pointers to them */
	List *whole;  /* for each of these lists: the conditions with those that are missing */
} ChildConditions;

/*
 * Sets the parameters in the conditions that an index scan checks again, and hides from it those that have parameters.
 * A btree's scan never checks again.  But when it starts, core asks whether the user may call the functions of these
 * conditions.  The query has no such conditions: they compare keys, as a sort does, about which core does not ask.
 */
static void
hide_conditions(ChildConditions *conditions, List **list)
{
	List *shown = NIL, *whole = NIL;

	foreach_ptr (Node, original, *list)
	{
		Node *condition = set_parameters(original, conditions->parameters);

		whole = lappend(whole, condition);
		if (equal(condition, original))
			shown = lappend(shown, condition);
	}
	*list = shown;
	conditions->hidden = lappend(conditions->hidden, list);
	conditions->whole = lappend(conditions->whole, whole);
}

/* Puts the conditions back, for EXPLAIN. */
static void
show_conditions(const ChildConditions *conditions)
{
	ListCell *list, *whole;

	forboth(list, conditions->hidden, whole, conditions->whole) * (List **) lfirst(list) = (List *) lfirst(whole);
}

/* A PlanVisitor: sets the parameters of the index scans of a child. */
static void
set_parameters_of_scans(Plan *plan, void *context)
{
	ChildConditions *conditions = (ChildConditions *) context;

	if (IsA(plan, IndexScan))
	{
		IndexScan *scan = (IndexScan *) plan;

		scan->indexqual = (List *) set_parameters((Node *) scan->indexqual, conditions->parameters);
		hide_conditions(conditions, &scan->indexqualorig);
	}
	else if (IsA(plan, IndexOnlyScan))
	{
		IndexOnlyScan *scan = (IndexOnlyScan *) plan;

		scan->indexqual = (List *) set_parameters((Node *) scan->indexqual, conditions->parameters);
		hide_conditions(conditions, &scan->recheckqual);
	}
	walk_children(plan, set_parameters_of_scans, conditions);
}

void
index_skip_begin_children(IndexSkipState *state, const CustomScan *scan, EState *estate, int eflags)
{
	const List *parameters = planned_list(scan, SKIP_PARAMETERS), *steps = planned_list(scan, SKIP_STEPS);

	state->children = list_length(steps) / 3;
	state->child = (PlanState **) palloc(state->children * sizeof(PlanState *));
	state->step = (SkipStep *) palloc(state->children * sizeof(SkipStep));
	for (int i = 0; i < state->children; i++)
	{
		Plan		   *plan = (Plan *) copyObject(list_nth(scan->custom_plans, i));
		ChildConditions conditions = {.parameters = unconstify(List *, parameters)};

		set_parameters_of_scans(plan, &conditions);
		state->child[i] = ExecInitNode(plan, estate, eflags);
		show_conditions(&conditions);
		state->css.custom_ps = lappend(state->css.custom_ps, state->child[i]);
		state->step[i] = (SkipStep){(SkipStepKind) list_nth_int(steps, 3 * i), list_nth_int(steps, 3 * i + 1),
									(uint32) list_nth_int(steps, 3 * i + 2)};
	}
	if (list_length(scan->custom_plans) == state->children)
		return;
	state->child_anew = ExecInitNode((Plan *) llast(scan->custom_plans), estate, eflags);
	state->css.custom_ps = lappend(state->css.custom_ps, state->child_anew);
}

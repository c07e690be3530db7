/*
 * element.c: computes a scan over arrays by calling the window function of the same name.
 *
 * Called by array_scan.c for the lines of list.h whose accumulator is a Datum.  The window function gets an element as
 * PrefixScan passes it a row (call/call_context.h).  So there is one numeric sum and one text minimum, and arrays and
 * rows cannot differ.
 *
 * All that does not depend on the values is kept in fn_extra, so that a query that scans many small arrays looks types
 * up once.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/arrayaccess.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "call/call_context.h"
#include "compat.h"
#include "functions/array/arrays.h"

typedef struct ElementCall
{
	Oid				type[ARRAY_COLUMNS]; /* the columns' element types when the record was made */
	MemoryContext	memory;				 /* holds all that this record points to */
	MemoryContext	partition;			 /* holds the window function's state; reset after each array */
	MemoryContext	row;				 /* reset after each element */
	FmgrInfo		window;
	ScanCallContext source; /* the window function keeps a pointer to it */
} ElementCall;

/* The elements ahead of the one that the window function is called for, read once and in order. */
typedef struct ElementsAhead
{
	const ArrayInput *input;
	const Datum		 *constant; /* the arguments that are no arrays */
	const bool		 *constant_isnull;
	RetainedType	  type[ARRAY_ARGS]; /* oid InvalidOid: the argument is no array */
	array_iter		  iter[ARRAY_ARGS];
	Datum			  value[ARRAY_ARGS]; /* of the element that was read last */
	bool			  isnull[ARRAY_ARGS];
	int64			  read; /* number of elements that were read */
} ElementsAhead;

static bool
is_column(const ArrayArguments *arguments, int arg)
{
	return arg < arguments->columns || arg == arguments->reset;
}

/*
 * Returns the call as an expression, from which the window function learns its types and which arguments are stable:
 * those that are constants in the expression.
 */
static Node *
element_expression(FunctionCallInfo fcinfo, const ArrayLine *line, const ArrayInput *input)
{
	List *args = NIL;

	for (int arg = 0; arg < PG_NARGS(); arg++)
	{
		Oid type = arg < input->arguments->columns	? ARR_ELEMTYPE(input->column[arg])
				   : arg == input->arguments->reset ? BOOLOID
													: get_fn_expr_argtype(fcinfo->flinfo, arg);

		if (is_column(input->arguments, arg))
			args = lappend(args, makeVar(1, arg + 1, type, -1, PG_GET_COLLATION(), 0));
		else
			args = lappend(args, makeNullConst(type, -1, PG_GET_COLLATION()));
	}
	return (Node *) makeFuncExpr(InvalidOid, OidIsValid(line->result) ? line->result : ARR_ELEMTYPE(input->column[0]),
								 args, PG_GET_COLLATION(), PG_GET_COLLATION(), COERCE_EXPLICIT_CALL);
}

/* Returns the record of the call; makes it anew if the arrays' types have changed. */
static ElementCall *
element_call(FunctionCallInfo fcinfo, const ArrayLine *line, const ArrayInput *input)
{
	ElementCall	 *call = (ElementCall *) fcinfo->flinfo->fn_extra;
	bool		  same = call != NULL && call->memory != NULL;
	MemoryContext old;

	if (call == NULL)
		call = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(ElementCall));
	for (int i = 0; i < input->arguments->columns; i++)
		same = same && call->type[i] == ARR_ELEMTYPE(input->column[i]);
	if (same)
	{
		/* an earlier call that raised an error may have left a state */
		MemoryContextReset(call->partition);
		return call;
	}
	if (call->memory != NULL)
		MemoryContextDelete(call->memory);
	*call = (ElementCall){
		.memory = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "scan over an array", ALLOCSET_SMALL_SIZES)};
	call->partition = AllocSetContextCreate(call->memory, "scan state", ALLOCSET_SMALL_SIZES);
	call->row = AllocSetContextCreate(call->memory, "scan element", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(call->memory);
	call->window = (FmgrInfo){.fn_addr = line->window,
							  .fn_nargs = PG_NARGS(),
							  .fn_mcxt = call->memory,
							  .fn_expr = element_expression(fcinfo, line, input)};
	MemoryContextSwitchTo(old);
	for (int i = 0; i < input->arguments->columns; i++)
		call->type[i] = ARR_ELEMTYPE(input->column[i]);
	return call;
}

/* Returns the next element of an array with elements of type `type`. */
static inline Datum
element_next(array_iter *iter, const RetainedType *type, int64 i, bool *isnull)
{
	return compat_array_iter_next(iter, isnull, i, type->length, type->by_value, type->align);
}

/* Begins to read the arrays, of which argument `arg` is NULL where it is none. */
static void
elements_begin(FunctionCallInfo fcinfo, const ArrayInput *input, RetainedType *type, array_iter *iter)
{
	const ArrayArguments *arguments = input->arguments;

	for (int arg = 0; arg < PG_NARGS(); arg++)
	{
		ArrayType *array = arg < arguments->columns	 ? input->column[arg]
						   : arg == arguments->reset ? input->reset
													 : NULL;

		type[arg].oid = InvalidOid;
		if (array == NULL)
			continue;
		type[arg] = retained_type(ARR_ELEMTYPE(array));
		compat_array_iter_setup(&iter[arg], (AnyArrayType *) array, type[arg].length, type[arg].by_value,
								type[arg].align);
	}
}

/* ScanCallContext.ahead */
static Datum
element_ahead(void *ahead_rows, int arg, int64 row, bool *isnull, bool *is_out)
{
	ElementsAhead *ahead = (ElementsAhead *) ahead_rows;

	*is_out = row >= ahead->input->n;
	*isnull = true;
	if (*is_out)
		return (Datum) 0;
	for (; ahead->read <= row; ahead->read++)
		for (int a = 0; a < ARRAY_ARGS; a++)
			if (OidIsValid(ahead->type[a].oid))
				ahead->value[a] = element_next(&ahead->iter[a], &ahead->type[a], ahead->read, &ahead->isnull[a]);
	*isnull = OidIsValid(ahead->type[arg].oid) ? ahead->isnull[arg] : ahead->constant_isnull[arg];
	return OidIsValid(ahead->type[arg].oid) ? ahead->value[arg] : ahead->constant[arg];
}

Datum
array_elements(FunctionCallInfo fcinfo, const ArrayLine *line, const ArrayInput *input)
{
	ElementCall		*call = element_call(fcinfo, line, input);
	Oid				 result = OidIsValid(line->result) ? line->result : ARR_ELEMTYPE(input->column[0]);
	ArrayWriter		 writer;
	RetainedType	 type[ARRAY_ARGS];
	array_iter		 iter[ARRAY_ARGS];
	Datum			 value[ARRAY_ARGS];
	bool			 isnull[ARRAY_ARGS];
	ElementsAhead	 ahead = {.input = input, .constant = value, .constant_isnull = isnull};
	ScanCallContext *source = &call->source;
	MemoryContext	 old;
	LOCAL_FCINFO(row, ARRAY_ARGS);

	*source = (ScanCallContext){.type = T_ExtensibleNode,
								.brand = scan_call_context_brand,
								.value = value,
								.isnull = isnull,
								.partition = call->partition,
								.ahead = element_ahead,
								.ahead_rows = &ahead,
								.reset = -1};
	for (int arg = 0; arg < PG_NARGS(); arg++)
	{
		value[arg] = fcinfo->args[arg].value;
		isnull[arg] = fcinfo->args[arg].isnull;
	}
	elements_begin(fcinfo, input, type, iter);
	elements_begin(fcinfo, input, ahead.type, ahead.iter);
	array_writer_start(&writer, result, input->n);
	InitFunctionCallInfoData(*row, &call->window, PG_NARGS(), PG_GET_COLLATION(), (Node *) source, NULL);
	for (; source->row < input->n; source->row++)
	{
		Datum answer;

		CHECK_FOR_INTERRUPTS();
		old = MemoryContextSwitchTo(call->row);
		for (int arg = 0; arg < PG_NARGS(); arg++)
			if (OidIsValid(type[arg].oid))
				value[arg] = element_next(&iter[arg], &type[arg], source->row, &isnull[arg]);
		row->isnull = false;
		answer = FunctionCallInvoke(row);
		array_writer_add(&writer, answer, row->isnull);
		MemoryContextSwitchTo(old);
		MemoryContextReset(call->row);
	}
	MemoryContextReset(call->partition);
	PG_RETURN_ARRAYTYPE_P(array_writer_end_like(&writer, input->column[0]));
}

/*
 * trace.c: scan_trace(algorithm, values), which shows the two classical trees step by step.
 *
 * The traced code is the one that scans blocks under scan.algorithm (cpu/tree.c), not a copy made for display.  The
 * code calls back after every step.  The callback returns a row with the array at that step, the additions so far
 * (work), and how many of them had to wait for each other (span).
 *
 * Totals have 128 bits.  So a total outside bigint is detected and raises the error that every other function raises,
 * rather than being a number that has wrapped.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "column/array.h"
#include "compat.h"
#include "cpu/ways.h"
#include "error.h"

#define TRACE_ELEMENTS 1048576 /* up to 40 arrays of this size are returned */

/* ---- the rows ---- */

typedef struct Trace
{
	ScanTracer	   tracer; /* must be first: trace_step() casts it back */
	const ScanOp  *op;
	ReturnSetInfo *set;
	int			   n; /* number of elements of the array */
	int			   step;
	int64		   work, span;
} Trace;

/* Returns the array of the items' totals.  An identity is returned as the 0 that it stands for. */
static Datum
state_of_items(const wide_sum_int8_item *items, int n)
{
	void	  *place;
	ArrayType *state = array_of_elements(INT8OID, sizeof(int64), n, &place);
	int64	  *element = (int64 *) place;

	for (int i = 0; i < n; i++)
	{
		scan_int128 total = items[i].item.any ? items[i].acc.value : 0;

		if (total < PG_INT64_MIN || total > PG_INT64_MAX)
			scan_raise(SCAN_INT8_OUT_OF_RANGE);
		element[i] = (int64) total;
	}
	return PointerGetDatum(state);
}

static void
trace_step(ScanTracer *tracer, const char *phase, void *items, int64_t joins)
{
	Trace *trace = (Trace *) tracer;
	Datum  value[5];
	bool   isnull[5] = {false};

	CHECK_FOR_INTERRUPTS();
	trace->work += joins;
	trace->span += joins > 0;
	value[0] = Int32GetDatum(trace->step++);
	value[1] = CStringGetTextDatum(phase);
	value[2] = Int64GetDatum(trace->work);
	value[3] = Int64GetDatum(trace->span);
	value[4] = state_of_items((const wide_sum_int8_item *) items, trace->n);
	tuplestore_putvalues(trace->set->setResult, trace->set->setDesc, value, isnull);
	pfree(DatumGetPointer(value[4]));
	pfree(DatumGetPointer(value[1]));
}

/* True if the name is that of Blelloch's algorithm, false if it is that of Hillis and Steele's. */
static bool
names_blelloch(const text *name)
{
	const char *word = text_to_cstring(name);

	if (strcmp(word, "blelloch") != 0 && strcmp(word, "hillis_steele") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized algorithm: \"%s\"", word),
						errhint("The algorithms are hillis_steele and blelloch.")));
	return strcmp(word, "blelloch") == 0;
}

PG_FUNCTION_INFO_V1(scan_trace_int8);
Datum
scan_trace_int8(PG_FUNCTION_ARGS)
{
	bool				blelloch = names_blelloch(PG_GETARG_TEXT_PP(0));
	Trace				trace = {.tracer = {trace_step}, .op = scan_op_at(SCAN_OP_wide_sum_int8)};
	wide_sum_int8_item *items, *other;
	int					n, room = 1;
	const int64		   *values = (const int64 *) elements_of_array(PG_GETARG_DATUM(1), "values", &n);

	if (n > TRACE_ELEMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"values\" must have at most %d elements, not %d", TRACE_ELEMENTS, n),
				 errhint("Trace a slice of the array, or use array_scan_sum() for the sums of the whole array.")));
	while (room < n)
		room *= 2;
	items = (wide_sum_int8_item *) palloc(room * sizeof(wide_sum_int8_item));
	other = (wide_sum_int8_item *) palloc(room * sizeof(wide_sum_int8_item));
	for (int i = 0; i < n; i++)
		items[i] = (wide_sum_int8_item){.item = {.any = true}, .acc = {.value = values[i]}};
	/* Blelloch's tree is of a power of two of items */
	trace.n = blelloch && n > 0 ? (int) scan_pad_items(trace.op, items, n) : n;
	InitMaterializedSRF(fcinfo, 0);
	trace.set = (ReturnSetInfo *) fcinfo->resultinfo;
	trace_step(&trace.tracer, "input", items, 0);
	if (!blelloch)
		(void) scan_prefix_hillis_steele(trace.op, items, other, n, &trace.tracer);
	else if (n > 0)
		scan_exclusive_blelloch(trace.op, items, trace.n, other, &trace.tracer);
	return (Datum) 0;
}

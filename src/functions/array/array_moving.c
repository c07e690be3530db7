/*
 * array_moving.c: array_moving_sum, _avg, _min, _max and _median: the entry points of all SCAN_ARRAY_MOVING lines of
 * list.h.
 *
 * A result is that of an aggregate over ROWS BETWEEN `before` PRECEDING AND `after` FOLLOWING: exact_sum, exact_avg and
 * moving_median for floats, core's sum and avg for the other types, and the newest of equal extremes.  The elements
 * become the rows of blocks, and the strategies by which PrefixScan evaluates sliding frames evaluate theirs
 * (aggregate/aggregate_op.h).  So an element takes the same time, however wide the window is.
 */
#include "postgres.h"

#include "parser/parse_oper.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "aggregate/aggregate_op.h"
#include "column/array.h"
#include "column/type.h"
#include "compat.h"
#include "error.h"
#include "functions/array/arrays.h"

/*
 * The fewest elements that a block has results for.  A wider window has larger blocks, 1/WINDOW_PART of the window:
 * some strategies begin anew with each block, and so read an element a few times at most.
 */
#define BLOCK_ELEMENTS 65536
#define WINDOW_PART 4

/* How an entry point describes itself: the result type and the aggregate of its line of list.h. */
typedef struct MovingLine
{
	Oid		   result; /* the result's element type; InvalidOid: that of the values */
	Oid		   aggregate;
	MovingKind kind;
} MovingLine;

typedef struct MovingWindow
{
	int64 before, after;
	int64 n;		/* elements of the array */
	int64 values;	/* those that are not NULL */
	Rows *elements; /* a column */

	/* the current block: a part of the elements, in the same memory */
	Rows	  rows;
	RowColumn column;
	RowFrame *frame;
	bool	 *head;
	Block	  block;
} MovingWindow;

/* ---- blocks ---- */

/* Lays the array's elements down in a column. */
static void
array_to_column(MovingWindow *window, ArrayType *array, MemoryContext memory)
{
	RetainedType  type = retained_type(ARR_ELEMTYPE(array));
	RowColumn	  column = {.wanted = true, .data = {.length = type.length, .by_value = type.by_value}};
	Rows		 *rows = rows_create(memory, &column, 1, ROWS_BY_COLUMN);
	ArrayIterator elements = array_create_iterator(array, 0, NULL);
	Datum		  value;
	bool		  isnull;

	rows_reserve(rows, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
	while (array_iterate(elements, &value, &isnull))
	{
		stretch_row(rows->n);
		rows_put(rows, 0, rows->n++, value, isnull);
		window->values += !isnull;
	}
	array_free_iterator(elements);
	window->elements = rows;
	window->n = rows->n;
}

/* Makes the block for the results of elements `from` to `end` - 1, with the elements that their frames reach. */
static void
make_block(MovingWindow *window, int64 from, int64 end, MemoryContext memory)
{
	Block *block = &window->block;
	/* with the row that leaves at the block's first element; bitmaps of NULLs are cut at whole bytes */
	int64 first = Max(from - window->before - 1, 0) / 8 * 8;
	int64 stop = window->after < window->n - end ? end + window->after : window->n;

	window->rows = *window->elements;
	window->column = window->elements->column[0];
	window->rows.column = &window->column;
	window->rows.n = stop - first;
	window->column.data.value += first * window->column.data.stride;
	if (window->column.data.has_nulls)
		window->column.data.nulls += first / 8;
	*block = (Block){.begin = from - first, .n = end - first, .first = first, .rows = &window->rows};
	/* anew for each block: of the frames only those of the block's rows are touched, and so take memory */
	if (window->frame != NULL)
	{
		pfree(window->frame);
		pfree(window->head);
	}
	window->frame = (RowFrame *) MemoryContextAllocHuge(memory, (stop - first) * sizeof(RowFrame));
	window->head = (bool *) MemoryContextAllocHuge(memory, stop - first);
	stretch_fill(window->head, false, stop - first);
	window->head[0] = first == 0;
	FOR_INTERRUPTIBLE (i, block->begin, block->n)
	{
		int64 row = first + i;
		int64 tail = (window->after < window->n - row ? row + window->after + 1 : window->n) - first;

		window->frame[i] = (RowFrame){
			.head = Max(row - window->before, 0) - first, .tail = tail, .hole = tail, .hole_end = tail};
	}
	block->head = block->peer = window->head;
	block->frame = window->frame;
}

/* Appends the results of a block. */
static void
append_block(Aggregate *aggregate, const Block *block, ArrayWriter *writer)
{
	for (int64 done = block->begin, end; done < block->n; done = end)
	{
		result_column_empty(&aggregate->f.result);
		end = aggregate->f.evaluate(&aggregate->f, block, done);
		FOR_INTERRUPTIBLE (i, done, end)
		{
			bool  isnull;
			Datum value = column_get(&aggregate->f.result.data, i, &isnull);

			array_writer_add(writer, value, isnull);
		}
	}
}

/* ---- the aggregate ---- */

/* Returns the operator in whose order the extreme comes first, or InvalidOid if the kind is none. */
static Oid
extreme_operator(MovingKind kind, Oid type)
{
	Oid less = InvalidOid, greater = InvalidOid;

	if (kind == MOVING_LEAST || kind == MOVING_GREATEST)
		get_sort_group_operators(type, true, false, kind == MOVING_GREATEST, &less, NULL, &greater, NULL);
	return kind == MOVING_GREATEST ? greater : less;
}

/* Starts the aggregate of a line over elements of type *type.  Its memory is below `memory`. */
static void
start_aggregate(Aggregate *aggregate, const MovingLine *line, const Oid *type, Oid collation, MemoryContext memory)
{
	static const int argument[] = {0};

	*aggregate = (Aggregate){
		.call = {.oid = line->aggregate,
				 .moving = line->kind,
				 .line = SCAN_OP_none,
				 .sort_operator = extreme_operator(line->kind, *type),
				 .collation = collation,
				 .result = OidIsValid(line->result) ? line->result : *type,
				 .arguments = 1,
				 .type = type,
				 .fraction = 0.5},
		.f = {.arguments = 1,
			  .argument = argument,
			  .filter = -1,
			  .needs = NEEDS_BOUNDS | NEEDS_FRAME_START | NEEDS_REMOVAL,
			  .query = memory,
			  .partition = AllocSetContextCreate(memory, "scan partition", ALLOCSET_DEFAULT_SIZES),
			  .scratch = AllocSetContextCreate(memory, "scan scratch", ALLOCSET_SMALL_SIZES)},
	};
	result_column_init(&aggregate->f.result, aggregate->call.result, memory, false);
	aggregate_start(aggregate);
}

/* Returns an argument that is a number of elements.  Raises an error if it is NULL or negative. */
static int
read_width(FunctionCallInfo fcinfo, int argument, const char *name)
{
	int width;

	if (PG_ARGISNULL(argument))
		scan_raise_null(name);
	width = PG_GETARG_INT32(argument);
	if (width < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"%s\" must not be negative", name),
				 errdetail("Argument \"%s\" is %d.", name, width),
				 errhint("Argument \"%s\" is the number of elements %s the current element that belong to its window.",
						 name, name)));
	return width;
}

/* Appends the results of all elements. */
static void
answer_elements(MovingWindow *window, const MovingLine *line, Oid type, Oid collation, MemoryContext memory,
				ArrayWriter *writer)
{
	int64	  step = Max(BLOCK_ELEMENTS, (window->before + window->after) / WINDOW_PART);
	Aggregate aggregate;

	start_aggregate(&aggregate, line, &type, collation, memory);
	for (int64 from = 0; from < window->n; from += step)
	{
		make_block(window, from, Min(from + step, window->n), memory);
		result_column_begin(&aggregate.f.result, window->block.n);
		append_block(&aggregate, &window->block, writer);
	}
}

/* f(values, before, after) */
static Datum
array_moving(FunctionCallInfo fcinfo, const MovingLine *line)
{
	MovingWindow  window = {0};
	ArrayType	 *array;
	ArrayWriter	  writer;
	MemoryContext memory;
	Oid			  type;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	array_check_any(fcinfo);
	window.before = read_width(fcinfo, 1, "before");
	window.after = read_width(fcinfo, 2, "after");
	array = array_argument(PG_GETARG_DATUM(0));
	type = ARR_ELEMTYPE(array);
	memory = AllocSetContextCreate(CurrentMemoryContext, "scan moving", ALLOCSET_DEFAULT_SIZES);
	array_to_column(&window, array, memory);
	window.before = Min(window.before, window.n);
	window.after = Min(window.after, window.n);
	array_writer_start(&writer, OidIsValid(line->result) ? line->result : type, window.n);
	if (window.values > 0)
		answer_elements(&window, line, type, PG_GET_COLLATION(), memory, &writer);
	else
		for (int64 i = 0; i < window.n; i++)
			array_writer_add(&writer, (Datum) 0, true);
	MemoryContextDelete(memory);
	return array_checked(array_writer_end_like(&writer, array));
}

/* ---- the entry points ---- */

#define SCAN_ARRAY_MOVING(function, type, arguments, result, aggregate, kind)            \
	PG_FUNCTION_INFO_V1(array_moving_##function##_##type);                               \
	Datum array_moving_##function##_##type(PG_FUNCTION_ARGS)                             \
	{                                                                                    \
		static const MovingLine line = {ELEMENT_OID_##result, aggregate, MOVING_##kind}; \
                                                                                         \
		return array_moving(fcinfo, &line);                                              \
	}
#include "op/list.h"

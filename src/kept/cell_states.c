/*
 * cell_states.c: the cells of one partition: a state for each interval of a calendar that has rows.
 *
 * read.c adds nodes, deltas and rows to them in any order; cells.c returns them.  A cell is looked up by the first
 * number of its interval, which calendar.c gives for any number in it.
 *
 * A cell has two numbers near its rows, which are ends of nodes or keys of rows.  So no expression is evaluated for a
 * time that is far from all of them.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kept/reading.h"

typedef struct Cell
{
	KeptCell cell; /* the first number of its interval is the key of the hash table */
	char	 status;
} Cell;

#define SH_PREFIX cells
#define SH_ELEMENT_TYPE Cell
#define SH_KEY_TYPE int64
#define SH_KEY cell.interval.from
/* hours and days are multiples of powers of two: hash_combine64() would let them collide */
#define SH_HASH_KEY(table, from) hash_bytes_uint32((uint32) ((uint64) (from) >> 32) ^ (uint32) (from))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

struct KeptCells
{
	const Kept	 *kept;
	KeptCalendar *calendar;
	MemoryContext memory; /* of all that is about one partition */
	cells_hash	 *hash;
};

KeptCells *
kept_cells_create(const Kept *kept, KeptCalendar *calendar)
{
	KeptCells *cells = (KeptCells *) palloc(sizeof(KeptCells));

	*cells = (KeptCells){
		.kept = kept,
		.calendar = calendar,
		.memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: cells", ALLOCSET_DEFAULT_SIZES)};
	kept_cells_clear(cells);
	return cells;
}

KeptCells *
kept_cells_like(const KeptCells *cells)
{
	return kept_cells_create(cells->kept, cells->calendar);
}

void
kept_cells_clear(KeptCells *cells)
{
	MemoryContextReset(cells->memory);
	cells->hash = cells_create(cells->memory, 16, NULL);
}

KeptState *
kept_cells_state(KeptCells *cells, int64 first, int64 last)
{
	const KeptInterval *interval = kept_calendar_interval(cells->calendar, first);
	bool				found;
	Cell			   *entry = cells_insert(cells->hash, interval->from, &found);

	if (!found)
	{
		entry->cell.interval = *interval;
		entry->cell.number = first;
		entry->cell.last = last;
		entry->cell.state = kept_state_alloc(cells->memory, cells->kept);
	}
	entry->cell.last = Max(entry->cell.last, last);
	return entry->cell.state;
}

bool
kept_cells_have_one(const KeptCells *cells, int64 from, int64 to)
{
	return to <= kept_calendar_interval(cells->calendar, from)->to;
}

bool
kept_cells_visit(const KeptCells *cells, KeptVisitCell visit, void *to)
{
	MemoryContext  old = MemoryContextSwitchTo(cells->memory);
	cells_iterator scan;
	const Cell	  *entry;

	cells_start_iterate(cells->hash, &scan);
	while ((entry = cells_iterate(cells->hash, &scan)) != NULL && visit(to, &entry->cell))
		CHECK_FOR_INTERRUPTS();
	MemoryContextSwitchTo(old);
	return entry == NULL;
}

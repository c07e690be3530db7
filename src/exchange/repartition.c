/*
 * repartition.c: the rows of several processes, dealt to piles, so that each partition is in one pile.
 *
 * Fed by node/input/sorted.c.  A row's pile is told by a hash of what makes its partition, so nothing
 * has to be known of the rows before the first one is dealt, and none is held by its process: some rows of a
 * pile at a time go where all can take them (batch.h).  Rejected: to divide the order at samples of the rows,
 * which keeps it over all piles, but needs all rows to be held until the samples are there.
 *
 * The processes meet once, when the last row is dealt, at a barrier that they attach to when they
 * begin (Parallel Hash does so, too): nobody waits for one who has not come.  Until then none of them
 * gives a row to the nodes above, so nobody waits for one who waits for him.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "portability/instr_time.h"
#include "storage/barrier.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "build.h"
#include "column/rows_serialize.h"
#include "column/stretch.h"
#include "exchange/batch.h"
#include "exchange/repartition.h"
#include "library.h"

/* Bytes of a pile's rows that are kept before they are written: all piles together have a part of the budget. */
#define KEPT_BYTES ((Size) 32 * 1024)
#define KEPT_LEAST ((Size) 1024)
#define KEPT_PART 4

/* The bytes of a pile that are aimed at: its sort stays in the cache. */
#define PILE_BYTES (8.0 * 1024 * 1024)

/* For each process a few, so that one that is slow takes fewer; not so many that rows of each come one by one. */
#define PILES_EACH 8
#define PILES_MOST 128

/* Ranges are blocks in memory: in their order, gathered and with results they may take half of the budget. */
#define RANGE_TIMES 3.0
#define RANGE_PART 2
#define RANGES_MOST 2048

struct DealShared
{
	uint64			 build; /* scan_build of the process that made it: must be first */
	Barrier			 barrier;
	pg_atomic_uint32 next;		   /* the next pile to be taken */
	pg_atomic_uint32 participants; /* who came, */
	pg_atomic_uint64 rows;		   /* what they dealt, */
	pg_atomic_uint64 bytes;		   /* and put in memory, */
	pg_atomic_uint64 spilled;	   /* and in files */
	pg_atomic_uint64 dealing;	   /* their nanoseconds, as in the report */
	pg_atomic_uint64 waiting;
	pg_atomic_uint64 taking;
	int				 processes;
	Size			 budget;   /* of each of them */
	int				 capacity; /* the piles that there is place for, */
	pg_atomic_uint32 piles;	   /* and those that there are */
	bool			 ordered;  /* they are ranges of an order */
	pg_atomic_uint32 level;	   /* ranges: one of 2^level rows is a sample, */
	pg_atomic_uint64 held;	   /* and so many bytes of rows have been seen */
};

struct Deal
{
	DealShared	 *shared;
	Piles		  piles;
	bool		  came;
	bool		  idle; /* it takes no part */
	MemoryContext memory;

	/* dealing */
	MemoryContext  scratch; /* of the hash functions: emptied when some rows are dealt */
	const DealKey *key;
	int			   keys;
	const Rows	  *like;  /* rows that are laid out as those to be dealt */
	Size		   kept;  /* bytes of a pile's rows, before they are written */
	Rows		 **pile;  /* what is kept of each */
	uint64		  *hash;  /* of the rows at hand, */
	uint32		  *to;	  /* the pile of each, */
	uint32		  *order; /* and these, pile by pile */
	int64		   capacity;
	int64		   rows;

	int	  taken;  /* the pile */
	void *handed; /* what was handed over the last time, if it is a copy */

	instr_time since;  /* it deals, or takes piles; 0: it does neither */
	int64	   waited; /* nanoseconds of that */
};

/* ---- what is shared ---- */

/* The chain lies after the rest, and the piles after it: one more than rows are dealt to, for samples. */
static ChainShared *
chain_of(DealShared *shared)
{
	return (ChainShared *) ((char *) shared + MAXALIGN(sizeof(DealShared)));
}

static PilesShared *
piles_of(DealShared *shared, int piles)
{
	return (PilesShared *) ((char *) chain_of(shared) + MAXALIGN(chain_shared_size(piles)));
}

int
deal_piles_for(double bytes, int processes, bool ordered, Size budget)
{
	double piles = Min(Max(bytes / PILE_BYTES, PILES_EACH * processes), PILES_MOST);

	if (ordered)
		piles = Min(Max(piles, bytes * RANGE_TIMES * RANGE_PART / (double) budget), RANGES_MOST);
	return (int) piles;
}

/* How many piles there is place for: how many ranges there will be is not known before the rows. */
static int
capacity_for(int piles, bool ordered)
{
	return ordered ? RANGES_MOST : piles;
}

static int
piles_now(const DealShared *shared)
{
	return (int) pg_atomic_read_u32(unconstify(pg_atomic_uint32 *, &shared->piles));
}

Size
deal_shared_size(int processes, int piles, bool ordered)
{
	piles = capacity_for(piles, ordered);
	return MAXALIGN(sizeof(DealShared)) + MAXALIGN(chain_shared_size(piles)) + piles_shared_size(processes, piles + 1);
}

static void
begin_anew(DealShared *shared)
{
	BarrierInit(&shared->barrier, 0);
	pg_atomic_write_u32(&shared->next, 0);
	pg_atomic_write_u32(&shared->participants, 0);
	pg_atomic_write_u64(&shared->rows, 0);
	pg_atomic_write_u64(&shared->bytes, 0);
	pg_atomic_write_u64(&shared->spilled, 0);
	pg_atomic_write_u64(&shared->dealing, 0);
	pg_atomic_write_u64(&shared->waiting, 0);
	pg_atomic_write_u64(&shared->taking, 0);
	pg_atomic_write_u32(&shared->level, 0);
	pg_atomic_write_u64(&shared->held, 0);
}

static Deal *
deal_of(MemoryContext memory, DealShared *shared)
{
	Deal *deal = (Deal *) MemoryContextAllocZero(memory, sizeof(Deal));

	deal->shared = shared;
	deal->memory = memory;
	return deal;
}

Deal *
deal_create(MemoryContext memory, DealShared *shared, ParallelContext *context, int piles, bool ordered, Size budget)
{
	Deal *deal = deal_of(memory, shared);

	shared->build = scan_build;
	pg_atomic_init_u32(&shared->next, 0);
	pg_atomic_init_u32(&shared->participants, 0);
	pg_atomic_init_u64(&shared->rows, 0);
	pg_atomic_init_u64(&shared->bytes, 0);
	pg_atomic_init_u64(&shared->spilled, 0);
	pg_atomic_init_u64(&shared->dealing, 0);
	pg_atomic_init_u64(&shared->waiting, 0);
	pg_atomic_init_u64(&shared->taking, 0);
	pg_atomic_init_u32(&shared->level, 0);
	pg_atomic_init_u64(&shared->held, 0);
	pg_atomic_init_u32(&shared->piles, piles);
	shared->processes = context->nworkers + 1;
	shared->budget = budget;
	shared->capacity = capacity_for(piles, ordered);
	shared->ordered = ordered;
	begin_anew(shared);
	chain_create(chain_of(shared), shared->capacity);
	/* a pile's sort needs some of the budget, too */
	piles_create(&deal->piles, memory, piles_of(shared, shared->capacity), context, shared->capacity + 1,
				 shared->processes * (budget / 4 * 3));
	return deal;
}

Deal *
deal_attach(MemoryContext memory, DealShared *shared)
{
	Deal *deal = deal_of(memory, shared);

	library_check_build(shared->build);
	deal->idle = !piles_attach(&deal->piles, memory, piles_of(shared, shared->capacity));
	return deal;
}

void
deal_reset(Deal *deal)
{
	piles_reset(&deal->piles);
	chain_reset(chain_of(deal->shared));
	begin_anew(deal->shared);
}

static void
come(Deal *deal)
{
	if (!deal->came)
		pg_atomic_fetch_add_u32(&deal->shared->participants, 1);
	deal->came = true;
}

/* ---- time ---- */

static int64
nanoseconds_since(instr_time since)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, since);
	return (int64) (INSTR_TIME_GET_DOUBLE(now) * 1e9);
}

/* A phase ends, and the next one begins. */
static void
end_phase(Deal *deal, pg_atomic_uint64 *phase)
{
	if (!INSTR_TIME_IS_ZERO(deal->since))
	{
		pg_atomic_fetch_add_u64(phase, nanoseconds_since(deal->since) - deal->waited);
		pg_atomic_fetch_add_u64(&deal->shared->waiting, deal->waited);
	}
	deal->waited = 0;
	INSTR_TIME_SET_CURRENT(deal->since);
}

/* Waits for the others. */
static void
meet(Deal *deal)
{
	instr_time since;

	INSTR_TIME_SET_CURRENT(since);
	BarrierArriveAndWait(&deal->shared->barrier, PG_WAIT_EXTENSION);
	deal->waited += nanoseconds_since(since);
}

/* ---- dealing ---- */

/* A phase of the barrier: ranges have two more before the others. */
static DealPhase
phase_of(const DealShared *shared, int phase)
{
	return (DealPhase) Min(phase + (shared->ordered ? 0 : (int) DEAL_ROWS), DEAL_TAKING);
}

/* Makes room for what is kept of each pile: it is known how many there are. */
static void
keep_piles(Deal *deal)
{
	int			  piles = piles_now(deal->shared);
	MemoryContext old = MemoryContextSwitchTo(deal->memory);

	deal->kept = Max(Min(deal->shared->budget / KEPT_PART / piles, KEPT_BYTES), KEPT_LEAST);
	deal->pile = (Rows **) palloc0(piles * sizeof(Rows *));
	for (int p = 0; p < piles; p++)
		deal->pile[p] = rows_create_like(deal->like);
	MemoryContextSwitchTo(old);
}

DealPhase
deal_begin(Deal *deal, const Rows *like, const DealKey *key, int keys)
{
	DealShared *shared = deal->shared;
	DealPhase	phase;

	if (deal->idle)
		return DEAL_TAKING;
	INSTR_TIME_SET_CURRENT(deal->since);
	phase = phase_of(shared, BarrierAttach(&shared->barrier));
	if (phase == DEAL_TAKING)
	{
		BarrierDetach(&shared->barrier);
		return phase;
	}
	come(deal);
	deal->scratch = AllocSetContextCreate(deal->memory, "scan hash", ALLOCSET_SMALL_SIZES);
	deal->key = key;
	deal->keys = keys;
	deal->like = like;
	if (phase == DEAL_ROWS)
		keep_piles(deal);
	return phase;
}

int
deal_agree(Deal *deal, double bytes, int level)
{
	DealShared *shared = deal->shared;
	uint32		highest = pg_atomic_read_u32(&shared->level);

	while ((int) highest < level && !pg_atomic_compare_exchange_u32(&shared->level, &highest, (uint32) level))
		;
	pg_atomic_fetch_add_u64(&shared->held, (int64) bytes);
	meet(deal);
	/* all write the same number */
	pg_atomic_write_u32(&shared->piles, deal_piles_for((double) pg_atomic_read_u64(&shared->held), shared->processes,
													   true, shared->budget));
	return (int) pg_atomic_read_u32(&shared->level);
}

void
deal_samples(Deal *deal, Rows *samples)
{
	int pile = deal->shared->capacity;

	if (samples->n > 0)
		(void) piles_show(&deal->piles, pile, samples);
	meet(deal);
	rows_reset(samples);
	piles_look(&deal->piles, pile, samples);
	keep_piles(deal);
}

int
deal_piles(const Deal *deal)
{
	return piles_now(deal->shared);
}

/* A hash of one value more. */
static inline uint64
mix(uint64 hash, uint64 value)
{
	hash = (hash ^ value) * UINT64CONST(0x9E3779B97F4A7C15);
	hash ^= hash >> 32;
	hash *= UINT64CONST(0xD6E8FEB86659FD93);
	return hash ^ hash >> 29;
}

static void
hash_rows(Deal *deal, const Rows *rows)
{
	MemoryContext old = MemoryContextSwitchTo(deal->scratch);

	stretch_fill(deal->hash, 0, rows->n * sizeof(uint64));
	for (int k = 0; k < deal->keys; k++)
	{
		const DealKey *key = &deal->key[k];
		const Column  *column = &rows->column[key->column].data;

		FOR_INTERRUPTIBLE(i, 0, rows->n)
		{
			bool  isnull;
			Datum value = column_get(column, i, &isnull);

			if (isnull)
				value = 0;
			else if (!key->by_datum)
				value = FunctionCall1Coll(unconstify(FmgrInfo *, &key->hash), key->collation, value);
			deal->hash[i] = mix(deal->hash[i] + isnull, value);
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(deal->scratch);
}

/* Puts n rows in an order in which those of each pile lie together, from start[pile] on. */
static void
order_by_pile(const Deal *deal, int64 from, int64 n, const uint32 *to, int64 *start)
{
	int	   piles = piles_now(deal->shared);
	int64 *next = (int64 *) palloc0((piles + 1) * sizeof(int64));

	FOR_INTERRUPTIBLE(i, 0, n)
	next[to[i] + 1]++;
	for (int p = 0; p < piles; p++)
		next[p + 1] += next[p];
	memcpy(start, next, (piles + 1) * sizeof(int64));
	FOR_INTERRUPTIBLE(i, 0, n)
	deal->order[next[to[i]]++] = (uint32) (from + i);
	pfree(next);
}

/* Room for what is told of n rows at once. */
static void
make_room(Deal *deal, int64 n)
{
	if (n <= deal->capacity)
		return;
	if (deal->capacity > 0)
	{
		pfree(deal->hash);
		pfree(deal->to);
		pfree(deal->order);
	}
	deal->capacity = n;
	deal->hash = (uint64 *) MemoryContextAllocHuge(deal->memory, n * sizeof(uint64));
	deal->to = (uint32 *) MemoryContextAllocHuge(deal->memory, n * sizeof(uint32));
	deal->order = (uint32 *) MemoryContextAllocHuge(deal->memory, n * sizeof(uint32));
}

void
deal_rows_to(Deal *deal, const Rows *rows, int64 from, int64 n, const uint32 *to)
{
	int	   piles = piles_now(deal->shared);
	int64 *start = (int64 *) palloc((piles + 1) * sizeof(int64));

	make_room(deal, n);
	order_by_pile(deal, from, n, to, start);
	for (int p = 0; p < piles; p++)
	{
		Rows *kept = deal->pile[p];

		CHECK_FOR_INTERRUPTS();
		if (start[p] == start[p + 1])
			continue;
		rows_append_some(kept, rows, deal->order + start[p], start[p + 1] - start[p]);
		if (kept->n * kept->row_bytes + kept->arena.used >= deal->kept)
			piles_put(&deal->piles, p, kept);
	}
	deal->rows += n;
	pfree(start);
}

void
deal_rows(Deal *deal, const Rows *rows)
{
	uint32 piles = (uint32) piles_now(deal->shared);

	make_room(deal, rows->n);
	hash_rows(deal, rows);
	FOR_INTERRUPTIBLE(i, 0, rows->n)
	deal->to[i] = (uint32) (((deal->hash[i] >> 32) * piles) >> 32);
	deal_rows_to(deal, rows, 0, rows->n, deal->to);
}

void
deal_finish(Deal *deal)
{
	for (int p = 0; p < piles_now(deal->shared); p++)
	{
		CHECK_FOR_INTERRUPTS();
		piles_put(&deal->piles, p, deal->pile[p]);
		rows_free(deal->pile[p]);
	}
	piles_finish(&deal->piles);
	MemoryContextDelete(deal->scratch);
	pfree(deal->pile);
	deal->pile = NULL;
	pg_atomic_fetch_add_u64(&deal->shared->rows, deal->rows);
	pg_atomic_fetch_add_u64(&deal->shared->bytes, deal->piles.bytes);
	pg_atomic_fetch_add_u64(&deal->shared->spilled, deal->piles.spilled);
	meet(deal);
	end_phase(deal, &deal->shared->dealing);
	BarrierDetach(&deal->shared->barrier);
}

/* ---- taking ---- */

bool
deal_next_pile(Deal *deal)
{
	uint32 pile = deal->idle ? PG_UINT32_MAX : pg_atomic_fetch_add_u32(&deal->shared->next, 1);

	if (pile >= (uint32) piles_now(deal->shared))
	{
		if (!deal->idle)
			end_phase(deal, &deal->shared->taking);
		return false;
	}
	come(deal);
	deal->taken = (int) pile;
	return true;
}

bool
deal_pull(Deal *deal, Rows *rows)
{
	return piles_take(&deal->piles, deal->taken, rows);
}

/* ---- ranges ---- */

int
deal_taken(const Deal *deal)
{
	return deal->taken;
}

bool
deal_range_is_last(const Deal *deal)
{
	int range = deal->taken + 1;

	while (range < piles_now(deal->shared) && !piles_have(&deal->piles, range))
		range++;
	return range == piles_now(deal->shared);
}

int
deal_range_before(const Deal *deal)
{
	int range = deal->taken - 1;

	while (range >= 0 && !piles_have(&deal->piles, range))
		range--;
	return range;
}

/* What was had the last time, if that was a copy. */
static void
forget_handed(Deal *deal)
{
	if (deal->handed != NULL)
		pfree(deal->handed);
	deal->handed = NULL;
}

/* The name of a file for what is handed over. */
static void
name_handed(char *name, ChainKind kind, int range)
{
	snprintf(name, MAXPGPATH, "handed.%d.%d", kind, range);
}

void
deal_hand_over(Deal *deal, ChainKind kind, const void *bytes, Size size)
{
	char name[MAXPGPATH];

	name_handed(name, kind, deal->taken);
	chain_hand_over(chain_of(deal->shared), kind, deal->taken, piles_store(&deal->piles, name, bytes, size));
}

const void *
deal_handed_over(Deal *deal, ChainKind kind, int range)
{
	instr_time	  since;
	char		  name[MAXPGPATH];
	uint64		  place;
	bool		  is_copy;
	const void	 *handed;
	MemoryContext old;

	INSTR_TIME_SET_CURRENT(since);
	place = chain_take(chain_of(deal->shared), kind, range);
	deal->waited += nanoseconds_since(since);
	forget_handed(deal);
	name_handed(name, kind, range);
	old = MemoryContextSwitchTo(deal->memory);
	handed = piles_fetch(&deal->piles, name, place, &is_copy);
	MemoryContextSwitchTo(old);
	deal->handed = is_copy ? unconstify(void *, handed) : NULL;
	return handed;
}

void
deal_leave(Deal *deal)
{
	piles_leave(&deal->piles);
	forget_handed(deal);
	deal->came = false;
	deal->rows = 0;
	deal->waited = 0;
	INSTR_TIME_SET_ZERO(deal->since);
}

DealReport
deal_report(const DealShared *shared)
{
	DealShared *from = unconstify(DealShared *, shared);

	return (DealReport){.participants = (int) pg_atomic_read_u32(&from->participants),
						.piles = piles_now(from),
						.ordered = from->ordered,
						.rows = (int64) pg_atomic_read_u64(&from->rows),
						.bytes = (int64) pg_atomic_read_u64(&from->bytes),
						.spilled = (int64) pg_atomic_read_u64(&from->spilled),
						.dealing = (int64) pg_atomic_read_u64(&from->dealing),
						.waiting = (int64) pg_atomic_read_u64(&from->waiting),
						.taking = (int64) pg_atomic_read_u64(&from->taking)};
}

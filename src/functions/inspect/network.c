/*
 * network.c: scan_network(kind, n, k), the classical parallel scans as networks.
 *
 * A network is a set of operators (level, source, target).  Level after level, and all at once within a level, target
 * := join(source, target).  Afterwards position i holds the join of positions 0 to i in order.  Adders are built this
 * way, and so do processors with thousands of lanes.  The rows describe the network completely: its depth, size and
 * fan-out are queries over them.
 *
 * All kinds consist of two parts.  Pairing joins neighbours, scans every second position by a network for half as many
 * positions, and joins each of those positions into the next one; the half may be paired again.  What is left is
 * scanned by a core:
 *
 *   kind             pairings   core
 *   kogge_stone      0          every position joins the one 1, 2, 4 .. before it
 *   sklansky         0          two halves; the left one's last position is joined into all of the right one
 *   brent_kung       all        (one position)
 *   ladner_fischer   k          two halves, the left one by the kind with k = 1
 *   han_carlson      1          as kogge_stone
 *
 * An odd last position has no partner and goes to the half as it is (as in Ladner and Fischer).  So any n will do, and
 * no network is deeper than that of the next power of two.
 *
 * Sources: Kogge and Stone 1973; Sklansky 1960; Brent and Kung 1982; Ladner and Fischer, "Parallel prefix computation",
 * JACM 27 (1980), whose P_k this is; Han and Carlson 1987.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "column/stretch.h"
#include "compat.h"

#define NETWORK_PLACES 65536 /* that is a million operators at most */

typedef struct Operator
{
	int level, source, target;
} Operator;

typedef struct Network
{
	Operator *operator;
	int		  n, room;
} Network;

/* `end`: the level after a part of a network.  `last`: the level from which on the part's last position is done. */
typedef struct Extent
{
	int end, last;
} Extent;

/* Adds a scan of the positions place[0 .. n - 1], beginning at a level. */
typedef Extent (*Core)(Network *net, const int *place, int n, int level);

static void
network_join(Network *net, int level, int source, int target)
{
	if (net->n % 1024 == 0)
		CHECK_FOR_INTERRUPTS();
	if (net->n == net->room)
	{
		net->room *= 2;
		net->operator=(Operator *) repalloc(net->operator, net->room * sizeof(Operator));
	}
	net->operator[net->n++] =(Operator){.level = level, .source = source, .target = target};
}

/* ---- cores ---- */

static Extent
core_kogge_stone(Network *net, const int *place, int n, int level)
{
	for (int distance = 1; distance < n; distance *= 2, level++)
		for (int i = distance; i < n; i++)
			network_join(net, level, place[i - distance], place[i]);
	return (Extent){.end = level, .last = level};
}

static Extent
core_sklansky(Network *net, const int *place, int n, int level)
{
	for (int half = 1; half < n; half *= 2, level++)
		for (int i = half; i < n; i++)
			if (i & half)
				network_join(net, level, place[(i & -half) - 1], place[i]);
	return (Extent){.end = level, .last = level};
}

static Extent network_add_paired(Network *net, int pairings, Core core, const int *place, int n, int level);

/*
 * Scans both halves at once, the left one with one pairing.  The left half's last position is done a level before the
 * rest of the half, in time for the level that joins it into the right half.
 */
static Extent
core_ladner_fischer(Network *net, const int *place, int n, int level)
{
	int	   half = (n + 1) / 2;
	Extent left = {level, level}, right, extent;
	int	   joins;

	if (n == 1)
		return left;
	left = network_add_paired(net, 1, core_ladner_fischer, place, half, level);
	right = core_ladner_fischer(net, place + half, n - half, level);
	joins = Max(left.last, right.end);
	for (int i = half; i < n; i++)
		network_join(net, joins, place[half - 1], place[i]);
	extent.last = joins + 1;
	extent.end = Max(left.end, extent.last);
	return extent;
}

/* Adds a scan by a number of pairings, and by the core for the positions that they leave. */
static Extent
network_add_paired(Network *net, int pairings, Core core, const int *place, int n, int level)
{
	int	   half = (n + 1) / 2;
	int	  *second;
	Extent extent = {level, level};

	if (n == 1)
		return extent;
	if (pairings == 0)
		return core(net, place, n, level);
	second = (int *) palloc(half * sizeof(int));
	for (int i = 0; i < half; i++)
		second[i] = place[Min(2 * i + 1, n - 1)];
	for (int i = 1; i < n; i += 2)
		network_join(net, level, place[i - 1], place[i]);
	extent = network_add_paired(net, pairings - 1, core, second, half, level + 1);
	/* the last position is in the half, with or without a partner, so it is done when the half's last one is */
	for (int i = 2; i < n - 1; i += 2)
		network_join(net, extent.end, place[i - 1], place[i]);
	extent.end += n > 3;
	pfree(second);
	return extent;
}

/* ---- kinds ---- */

#define ALL_PAIRINGS 31
#define K_PAIRINGS (-1) /* as many as the argument `k` says */

static const struct Kind
{
	const char *name;
	int			pairings;
	Core		core;
} kinds[] = {
	{"kogge_stone", 0, core_kogge_stone},
	{"sklansky", 0, core_sklansky},
	{"brent_kung", ALL_PAIRINGS, core_sklansky}, /* the core is not reached */
	{"ladner_fischer", K_PAIRINGS, core_ladner_fischer},
	{"han_carlson", 1, core_kogge_stone},
};

static const struct Kind *
kind_of_name(const text *name)
{
	const char *word = text_to_cstring(name);
	StringInfo	all = makeStringInfo();

	for (int i = 0; i < lengthof(kinds); i++)
	{
		if (strcmp(kinds[i].name, word) == 0)
			return &kinds[i];
		appendStringInfo(all, "%s%s", i == 0 ? "" : ", ", kinds[i].name);
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized kind of network: \"%s\"", word),
					errhint("The kinds are %s.", all->data)));
}

/* Returns the number of pairings.  Raises an error if the argument `k` is out of range, or given for another kind. */
static int
pairings_of_kind(const struct Kind *kind, int n, bool has_k, int k)
{
	int max_k = 0;

	while (1 << max_k < n)
		max_k++;
	if (kind->pairings != K_PAIRINGS)
	{
		if (has_k)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("argument \"k\" has no meaning for kind \"%s\"", kind->name),
							errhint("Leave \"k\" out. Only the kind \"ladner_fischer\" uses it.")));
		return kind->pairings;
	}
	if (has_k && (k < 0 || k > max_k))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"k\" must lie between 0 and %d, not %d", max_k, k),
						errdetail("For %d places, one place is left after pairing %d times.", n, max_k),
						errhint("\"k\" is the number of times that places are paired first: 0 gives the least depth, "
								"and %d gives the least size.",
								max_k)));
	return has_k ? k : 0;
}

static int
compare_operators(const void *a, const void *b)
{
	const Operator *x = (const Operator *) a;
	const Operator *y = (const Operator *) b;

	CHECK_FOR_INTERRUPTS();
	return x->level != y->level ? x->level - y->level : x->target - y->target;
}

static void
network_put(FunctionCallInfo fcinfo, Network *net)
{
	ReturnSetInfo *set = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	qsort(net->operator, net->n, sizeof(Operator), compare_operators);
	FOR_INTERRUPTIBLE (i, 0, net->n)
	{
		const Operator *op = &net->operator[i];
		Datum value[3] = {Int32GetDatum(op->level), Int32GetDatum(op->source), Int32GetDatum(op->target)};
		bool  isnull[3] = {false, false, false};

		tuplestore_putvalues(set->setResult, set->setDesc, value, isnull);
	}
}

PG_FUNCTION_INFO_V1(scan_network_text);
Datum
scan_network_text(PG_FUNCTION_ARGS)
{
	Network			   net = {.room = 1024};
	const struct Kind *kind;
	int				   n, pairings;
	int				  *place;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
	{
		InitMaterializedSRF(fcinfo, 0); /* no rows */
		return (Datum) 0;
	}
	kind = kind_of_name(PG_GETARG_TEXT_PP(0));
	n = PG_GETARG_INT32(1);
	if (n < 1 || n > NETWORK_PLACES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"n\" must lie between 1 and %d, not %d", NETWORK_PLACES, n),
						errhint("\"n\" is the number of places. Write \"k\" after \"n\".")));
	pairings = pairings_of_kind(kind, n, !PG_ARGISNULL(2), PG_ARGISNULL(2) ? 0 : PG_GETARG_INT32(2));

	net.operator=(Operator *) palloc(net.room * sizeof(Operator));
	place = (int *) palloc(n * sizeof(int));
	for (int i = 0; i < n; i++)
		place[i] = i;
	(void) network_add_paired(&net, pairings, kind->core, place, n, 0);
	network_put(fcinfo, &net);
	return (Datum) 0;
}

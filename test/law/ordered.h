/*
 * ordered.h: parameters and rows for the SCAN_ORDERED lines of list.h, and the memory that their accumulators grow in:
 * every piece exactly as long as it was asked for, so that the sanitizer sees who goes past it.
 */
#ifndef SCAN_LAW_ORDERED_H
#define SCAN_LAW_ORDERED_H

#include "column.h"

/* All pieces that are not given back yet. */
typedef struct LawMemory
{
	ScanMemory memory;
	void	  *piece[64];
} LawMemory;

static void *
law_resize(ScanMemory *memory, void *old, size_t size)
{
	void **place = ((LawMemory *) memory)->piece;
	void  *now = NULL;

	while (*place != old)
		place++;
	if (size != 0)
	{
		now = realloc(old, size);
		if (now == NULL)
			abort();
	}
	else
		free(old);
	*place = now;
	return now;
}

static LawMemory law_memory = {{law_resize, NULL}, {NULL}};

/* Frees what the accumulators of a run have asked for. */
SCAN_HOST_FN void
law_memory_free(void)
{
	for (int i = 0; i < 64; i++)
	{
		free(law_memory.piece[i]);
		law_memory.piece[i] = NULL;
	}
}

static double
law_small(void)
{
	return (double) (int64_t) (law_random() >> 33 & 7) - 3;
}

/* kind 0: anything, 1: what contracts, 2: what ties */
static double
law_coefficient(int kind)
{
	static const double few[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.25, 1.0};

	if (kind == 1)
		return (double) (law_random() >> 11) * 0x1p-53;
	return kind == 2 || law_random() % 64 != 0 ? few[law_random() >> 40 & 7] : law_double(0);
}

static double
law_term(int kind)
{
	if (kind == 0)
		return law_random() % 200 == 0 ? law_double(0) : law_small();
	return kind == 1 ? law_double(1) : law_small() * (law_random() % 8 == 0 ? 0x1p-54 : 1);
}

/* The highest order of a recurrence by vectors that is drawn. */
static unsigned law_orders = 4;

/* The constant arguments of a SCAN_ORDERED line, drawn anew. */
SCAN_HOST_FN const void *
law_ordered_param(const ScanOp *op)
{
	static RecurrenceParam	 recurrence;
	static FilterParam		 filter;
	static EmaParam			 ema;
	static EmaByTimeParam	 by_time;
	static ProductParam		 product;
	static ClampedFloatParam clamped;
	static BinParam			 bin;
	static BinFloatParam	 bin_float;
	static double			 feed[3];
	bool					 is_vector = strcmp(op->type, "vector") == 0;

	if (strcmp(op->function, "recurrence") == 0)
	{
		recurrence.memory = &law_memory.memory;
		recurrence.order = is_vector ? 1 + (int) (law_random() % law_orders) : 1;
		recurrence.width = (size_t) recurrence.order * sizeof(double);
		for (int j = 0; j < recurrence.order; j++)
			recurrence.init[j] = law_small();
		return &recurrence;
	}
	if (strcmp(op->function, "filter") == 0)
	{
		filter.memory = &law_memory.memory;
		filter.taps = 1 + (int) (law_random() % 3);
		filter.order = (int) (law_random() % 3);
		filter.feed = feed;
		for (int j = 0; j < 3; j++)
		{
			feed[j] = law_small() / 4;
			filter.back[j] = law_small() / 8;
		}
		return &filter;
	}
	if (strcmp(op->type, "by_time") == 0)
	{
		by_time.ema.memory = &law_memory.memory;
		by_time.ema.adjust = law_random() % 2 == 0;
		by_time.half_life = 1e6 * (1 + (double) (law_random() % 100));
		return &by_time;
	}
	if (strcmp(op->function, "ema") == 0)
	{
		ema.memory = &law_memory.memory;
		ema.alpha = law_random() % 2 == 0 ? 0.25 : 1 - (double) (law_random() >> 11) * 0x1p-53;
		ema.adjust = law_random() % 2 == 0;
		return &ema;
	}
	if (strcmp(op->function, "product") == 0)
	{
		product.memory = &law_memory.memory;
		return &product;
	}
	if (strcmp(op->function, "bin") == 0 && strcmp(op->type, "float8") == 0)
	{
		bin_float.capacity = law_random() % 8 == 0 ? (double) INFINITY : (double) (law_random() % 10) * 0.7;
		bin_float.overfill = law_random() % 2 == 0;
		return &bin_float;
	}
	if (strcmp(op->function, "bin") == 0)
	{
		bin.capacity = law_random() % 8 == 0 ? INT64_MAX : (int64_t) (law_random() % 20);
		bin.overfill = law_random() % 2 == 0;
		return &bin;
	}
	clamped.lower = law_random() % 4 == 0 ? -(double) INFINITY : -3 + law_small();
	clamped.upper = law_random() % 4 == 0 ? (double) INFINITY : 4 + law_small();
	clamped.init = law_small();
	return &clamped;
}

/* A size, which is small as a rule; with kind 0 now and then the largest of its type, or less than 0. */
SCAN_HOST_FN void
law_size(const char *type, int kind, void *x)
{
	int64_t	 size = (int64_t) (law_random() >> 33 & 7);
	uint64_t chance = kind == 0 ? law_random() % 400 : 1000;

	if (strcmp(type, "int2") == 0)
		*(int16_t *) x = chance == 0 ? -1 : chance < 9 ? INT16_MAX : (int16_t) size;
	else if (strcmp(type, "int4") == 0)
		*(int32_t *) x = chance == 0 ? -1 : chance < 9 ? INT32_MAX : (int32_t) size;
	else if (strcmp(type, "int8") == 0)
		*(int64_t *) x = chance == 0 ? -1 : chance < 9 ? INT64_MAX : size;
	else if (chance > 9)
		*(double *) x = kind == 2 ? (double) size * 0x1p-53 : (double) size * 0.1;
	else
		*(double *) x = chance == 0 ? -1.0 : chance < 3 ? (double) NAN : chance < 5 ? (double) INFINITY : 1.7e308;
}

/* Row i of a column of a SCAN_ORDERED line. */
SCAN_HOST_FN void
law_ordered_row(const LawColumn *column, int64_t i, int kind)
{
	const ScanOp *op = column->op;
	size_t		  width = scan_in_size(op, column->param) / sizeof(double);
	double		 *x = (double *) column->in + i * (int64_t) width;

	if (strcmp(op->function, "bin") == 0)
	{
		law_size(op->type, kind, (char *) column->in + i * (int64_t) op->in_size);
		return;
	}
	if (strcmp(op->function, "recurrence") == 0)
	{
		for (size_t j = 0; j < width; j++)
			x[j] = law_coefficient(kind) / (double) width;
		((double *) column->in2)[i] = law_term(kind);
	}
	else if (strcmp(op->function, "product") == 0)
		*x = kind == 0 ? law_double(0) : kind == 1 ? 0.5 + (double) (law_random() >> 11) * 0x1p-53 : law_small() + 0.5;
	else
		*x = law_term(kind);
	if (strcmp(op->type, "by_time") == 0)
		((int64_t *) column->in2)[i] = (i == 0 ? 0 : ((int64_t *) column->in2)[i - 1]) +
									   (int64_t) (law_random() % 1000000) - (kind == 0 ? 100 : 0);
}

#endif /* SCAN_LAW_ORDERED_H */

/*
 * total.c: scan_total in a Datum.
 */
#include "postgres.h"

#include "fmgr.h"

#include "column/total.h"
#include "compat.h"

ScanTotal *
total_make(const Total *total)
{
	Size	   size = offsetof(ScanTotal, limb) + total->n * sizeof(uint64);
	ScanTotal *made = (ScanTotal *) palloc0(size);

	SET_VARSIZE(made, size);
	made->kind = total->kind;
	made->first = total->first;
	made->n = total->n;
	memcpy(made->limb, total->limb, total->n * sizeof(uint64));
	return made;
}

void
total_read(Datum value, ExactSum *sum)
{
	const ScanTotal *stored = (const ScanTotal *) PG_DETOAST_DATUM(value);
	Total			 total;

	total.kind = stored->kind;
	total.first = stored->first;
	total.n = stored->n;
	memcpy(total.limb, stored->limb, stored->n * sizeof(uint64));
	total_to_exact(&total, sum);
}

Datum
total_datum(const ExactSum *sum)
{
	Total total;

	total_of_exact(sum, &total);
	return PointerGetDatum(total_make(&total));
}

/*
 * total.c: the type scan_total in a Datum.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "number/total.h"

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
total_open(Datum value, Total *total)
{
	const struct varlena *stored = PG_DETOAST_DATUM(value);
	const uint8			 *bytes = (const uint8 *) stored;
	Size				  size = VARSIZE(stored);
	bool				  good = size >= offsetof(ScanTotal, limb);

	if (good)
	{
		total->kind = bytes[offsetof(ScanTotal, kind)];
		total->first = bytes[offsetof(ScanTotal, first)];
		total->n = bytes[offsetof(ScanTotal, n)];
		good = total->n <= EXACT_LIMBS_N && bytes[offsetof(ScanTotal, unused)] == 0 &&
			   size == offsetof(ScanTotal, limb) + total->n * sizeof(uint64);
	}
	if (good)
	{
		memcpy(total->limb, bytes + offsetof(ScanTotal, limb), total->n * sizeof(uint64));
		good = total_is_valid(total);
	}
	if (!good)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("stored value of type %s is corrupted", "scan_total"),
						errdetail("The value's %zu bytes do not form a total.", size),
						errhint("The value was damaged on disk, or by the program that made it. Compute the value "
								"again, or restore it from a backup.")));
}

void
total_read(Datum value, ExactSum *sum)
{
	Total total;

	total_open(value, &total);
	total_to_exact(&total, sum);
}

Datum
total_datum(const ExactSum *sum)
{
	Total total;

	total_of_exact(sum, &total);
	return PointerGetDatum(total_make(&total));
}

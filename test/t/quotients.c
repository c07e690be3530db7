/*
 * quotients.c: a library that divides random totals by random counts with number/decimal.h and with core's numeric_div.
 *
 * quotients.t compiles and loads it.  Rows do not reach counts beyond some millions.
 *
 *   quotients(rounds bigint, seed bigint, OUT stored bigint, OUT refused bigint, OUT different text)
 *       Compares the bytes of a total and of the quotient.  `refused`: how many quotients number/decimal.h leaves to
 *       core.  `different`: the first total and count whose bytes are not core's.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "number/decimal.h"

PG_MODULE_MAGIC;

#define MOST_COUNT (UINT64CONST(1) << 40)
#define MOST_PLACES 9

static uint64 state, run;

static uint64
random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64CONST(2685821657736338717);
}

static uint64
random_below(uint64 n)
{
	return random_word() % n;
}

static uint128
power_of_ten(int n)
{
	uint128 power = 1;

	while (n-- > 0)
		power *= 10;
	return power;
}

static uint64
random_count(void)
{
	uint64 count = 0;

	switch (random_below(7))
	{
		case 0:
			count = random_below(30);
			break;
		case 1:
			count = random_below(12000);
			break;
		case 2:
			count = random_word() >> (24 + random_below(40));
			break;
		case 3:
			count = (UINT64CONST(1) << random_below(41)) + random_below(3) - 1;
			break;
		case 4:
			count = (uint64) power_of_ten((int) random_below(12)) * (1 + random_below(9)) + random_below(5) - 2;
			break;
		case 5:
			/* counts that share an entry of the table of reciprocals */
			count = 4096 * random_below(6) + random_below(3);
			break;
		default:
			/* one after the other, as in a partition */
			if (random_below(100) == 0)
				run = random_word() >> (24 + random_below(40));
			count = run++;
	}
	return 1 + count % MOST_COUNT;
}

static int128
random_total(uint64 count)
{
	int	   near = (int) random_below(5) - 2;
	int128 total = 0;

	switch (random_below(9))
	{
		case 0:
			total = random_below(20);
			break;
		case 1:
			total = random_word() >> random_below(64);
			break;
		case 2:
			total = ((uint128) random_word() << 64 | random_word()) >> (1 + random_below(127));
			break;
		case 3:
			/* quotients that are whole numbers or near to one */
			total = (int128) count * (random_word() >> random_below(64)) + near;
			break;
		case 4:
			total = (int128) power_of_ten((int) random_below(38)) + near;
			break;
		case 5:
			total = (int128) power_of_ten((int) random_below(25)) * count + near;
			break;
		case 6:
			/* short fractions, and halves */
			total = (int128) power_of_ten((int) random_below(18)) * count * (1 + random_below(9999)) /
						(1 + random_below(16)) +
					near;
			break;
		case 7:
			total = ((int128) 1 << (61 + random_below(6))) + near;
			break;
		default:
			total = (int128) (random_word() >> 1) * (1 + random_below(100));
	}
	return random_below(2) == 0 ? total : -total;
}

/* Returns a total as core reads it from text. */
static Datum
core_total(const Decimal *total)
{
	char	digit[400], text[400];
	uint128 x = total->units < 0 ? -(uint128) total->units : (uint128) total->units;
	int		n = 0, m = 0, before;

	for (; x > 0 || n <= total->places * 4; x /= 10)
		digit[n++] = '0' + (int) (x % 10);
	if (total->units < 0)
		text[m++] = '-';
	before = n - total->places * 4;
	for (int i = 0; i < before; i++)
		text[m++] = digit[--n];
	text[m++] = '.';
	for (int i = 0; i < total->scale; i++)
		text[m++] = n > 0 ? digit[--n] : '0';
	text[m] = '\0';
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static bool
is_same(const DecimalBuffer *ours, Size size, Datum core)
{
	Numeric numeric = DatumGetNumeric(core);

	return size == VARSIZE(numeric) && memcmp(ours->bytes, numeric, size) == 0;
}

static void
random_decimal(Decimal *total, uint64 count)
{
	total->units = random_total(count);
	total->places = random_below(2) == 0 ? 0 : (int) random_below(MOST_PLACES + 1);
	total->scale = total->places * 4;
	if (random_below(4) == 0)
		total->scale += (int) random_below(20);
	else if (total->places > 0 && random_below(2) == 0)
	{
		int less = (int) random_below(4);

		total->scale -= less;
		total->units -= total->units % (int128) power_of_ten(less);
	}
}

PG_FUNCTION_INFO_V1(quotients);
Datum
quotients(PG_FUNCTION_ARGS)
{
	MemoryContext round = AllocSetContextCreate(CurrentMemoryContext, "round", ALLOCSET_DEFAULT_SIZES), old;
	TupleDesc	  desc;
	Datum		  value[3] = {0};
	bool		  isnull[3] = {false, false, true};
	int64		  stored = 0, refused = 0;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "quotients returns a row");
	state = ((uint64) PG_GETARG_INT64(1) + 1) * UINT64CONST(88172645463325253);
	for (int64 i = PG_GETARG_INT64(0); i > 0 && isnull[2]; i--)
	{
		uint64		  count = random_count();
		Decimal		  total;
		DecimalBuffer buffer;
		Datum		  core;
		Size		  size;

		CHECK_FOR_INTERRUPTS();
		random_decimal(&total, count);
		old = MemoryContextSwitchTo(round);
		core = core_total(&total);
		size = decimal_store(buffer.bytes, &total);
		if (is_same(&buffer, size, core))
		{
			core = DirectFunctionCall2(numeric_div, core, NumericGetDatum(int64_to_numeric((int64) count)));
			size = decimal_store_average(buffer.bytes, &total, (int64) count);
			isnull[2] = size == 0 || is_same(&buffer, size, core);
			if (isnull[2] && total.places == 0 && total.scale == 0)
			{
				size = decimal_store_integer_average(buffer.bytes, total.units, (int64) count);
				isnull[2] = size == 0 || is_same(&buffer, size, core);
			}
			if (size == 0)
				refused++;
			else
				stored++;
		}
		else
			isnull[2] = false;
		if (!isnull[2])
		{
			char *text = DatumGetCString(DirectFunctionCall1(numeric_out, core_total(&total)));

			MemoryContextSwitchTo(old);
			value[2] = CStringGetTextDatum(psprintf("%s of " UINT64_FORMAT, text, count));
		}
		MemoryContextSwitchTo(old);
		MemoryContextReset(round);
	}
	value[0] = Int64GetDatum(stored);
	value[1] = Int64GetDatum(refused);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), value, isnull));
}

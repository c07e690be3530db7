/*
 * values.c: values of each type that test/gdb/scan.py shows, for test/t/gdb.t.
 *
 * gdb reads them from the file: the program is never run, and what its headers refer to need not be there.  So all
 * addresses are constants of the linker.
 */
#include "postgres.h"

#include "aggregate/number_op.h"
#include "column/block.h"
#include "device/wire.h"
#include "number/decimal.h"
#include "op/exact.h"

#define COLUMNS 4

/* in the arena: a varlena with a short header, one with a long header, bytes that are no text */
static char		   bytes[64] = {2 * (1 + 3) + 1, 'a', 'b',	 'c', 0, 0, 0, 0, 4 * (4 + 2), 0, 0, 0, 'x', 'y', 0, 0,
								2 * (1 + 2) + 1, 1,	  '\xff'};
static const Arena arena = {bytes, sizeof(bytes), sizeof(bytes)};

static uint64 place[] = {0, 8, 0, 16};
static uint8  place_nulls[] = {4};
static int32  number[] = {1, -2, 3, 4};
static double real[] = {0.5, -1.25, 1e300, 0};

static RowColumn column[COLUMNS] = {
	{.data = {4, true, false, COLUMN_INT32, sizeof(int32), (char *) number, NULL, NULL}},
	{.data = {-1, false, true, COLUMN_REFERENCE, sizeof(uint64), (char *) place, place_nulls, &arena}},
	{.data = {8, true, false, COLUMN_INT64, sizeof(double), (char *) real, NULL, NULL}},
	{.constant = true, .the_value = 42, .data = {8, true, false, COLUMN_INT64, 0, NULL, NULL, NULL}},
};
Rows rows = {ROWS_BY_COLUMN, COLUMNS, column, 4, 64};

/* -1234.56, and 0.00000005 */
static uint64 numerics[] = {UINT64_C(12345600) << 10 | 3 << 7 | 2 << 3 | 5, UINT64_C(5) << 10 | 1 << 7 | 8 << 3 | 1};
Column small_numerics = {-1, false, false, COLUMN_REFERENCE, sizeof(uint64), (char *) numerics, NULL, &arena, true};

static bool head[] = {false, true, false, false};
static bool peer[] = {false, true, true, false};
Block		block = {.begin = 1, .n = 3, .first = 100, .rows = &rows, .head = head, .peer = peer};

NumberState number_state = {.count = 3, .total.wide = -((int128) 1 << 100)};

Decimal whole = {.units = -12, .places = 0, .scale = 0};
Decimal cents = {.units = 123456500, .places = 1, .scale = 2};
Decimal small = {.units = -5, .places = 2, .scale = 8};
Decimal padded = {.units = 7, .places = 0, .scale = 3};

ExactSum minus_zero = {.form = EXACT_NEG_ZERO};
ExactSum pair = {.s = 1e16, .c = 0.5, .form = EXACT_PAIR};
ExactSum special = {.form = EXACT_SPECIAL, .special = EXACT_NAN | EXACT_MINUS_INF};
/* -1 is all ones from 2^0, which is bit 1074, on: limb 16 begins at bit 1024 */
ExactSum limbs = {.s = -1,
				  .bound = 0.25,
				  .form = EXACT_LIMBS,
				  .limb = {[16] = UINT64_MAX << 50, [17 ... EXACT_LIMBS_N - 1] = UINT64_MAX}};

WireSlot slot = {.word = UINT64_C(1234) << 32 | 7 << 8 | WIRE_RUNNING};
uint64	 words[] = {WIRE_FREE, WIRE_FILLING, WIRE_QUEUED, WIRE_RUNNING, WIRE_DONE, WIRE_FAILED, WIRE_ABANDONED};

int
main(void)
{
	return 0;
}

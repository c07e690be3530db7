/*
 * bit_add.c: bit_add(a, b), binary addition of bit strings, as by a carry-lookahead adder.
 *
 * Both strings are numbers whose lowest bit is the rightmost, and are cut into words of 64 bits from the right.  First
 * all words are added, each on its own.  What a word does with the carry from below is one of three things: it makes a
 * carry itself (the sum has wrapped: generate), it passes a carry on (all bits are set: propagate), or neither.  The
 * scan over these three (op/monoid.h, carry: the job of scan_carry) says at once which words get a carry; such a word
 * adds 1.  A scan bit by bit would do the same, with 64 times the rows.
 *
 * The sum is one bit wider than the wider argument, so nothing is ever lost: its top bit is the carry out.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/varbit.h"

#include "column/stretch.h"
#include "compat.h"
#include "run/run.h"

#define WORD_BITS 64

/* Returns the bits [64 word, 64 word + 64), counted from the right; they are 0 to the left of the string. */
static uint64
word_of_bits(const VarBit *string, int64 word)
{
	const uint8 *bytes = VARBITS(string);
	int64		 end = VARBITLEN(string) - word * WORD_BITS; /* the word's end, in bits from the left */
	int64		 last, first;
	int			 left_over;
	uint64		 value;

	if (end <= 0)
		return 0;
	/* the word's last byte holds `left_over` bits after the word; bits after the string are 0 */
	last = (end - 1) / BITS_PER_BYTE;
	left_over = (int) ((last + 1) * BITS_PER_BYTE - end);
	first = Max(last - 7, 0);
	value = 0;
	for (int64 i = first; i <= last; i++)
		value = value << BITS_PER_BYTE | bytes[i];
	value >>= left_over;
	if (left_over > 0 && last >= 8)
		value |= (uint64) bytes[last - 8] << (WORD_BITS - left_over);
	return value;
}

/* Writes the same bits of `string`, which must be 0 before.  Bits after the string stay 0. */
static void
word_to_bits(VarBit *string, int64 word, uint64 value)
{
	uint8 *bytes = VARBITS(string);
	int64  end = VARBITLEN(string) - word * WORD_BITS;
	int64  last = (end - 1) / BITS_PER_BYTE;
	int	   left_over = (int) ((last + 1) * BITS_PER_BYTE - end);

	bytes[last] |= (uint8) (value << left_over);
	value >>= BITS_PER_BYTE - left_over;
	for (int64 i = last - 1; i >= 0 && value != 0; i--, value >>= BITS_PER_BYTE)
		bytes[i] |= (uint8) value;
}

/* sum[] := the sum of each pair of words; carry[] := what each word does with a carry, as a carry_acc. */
static void
add_words(const VarBit *a, const VarBit *b, int64 words, uint64 *sum, uint8 *carry)
{
	FOR_INTERRUPTIBLE (i, 0, words)
	{
		uint64 x = word_of_bits(a, i);

		sum[i] = x + word_of_bits(b, i);
		carry[i] = (sum[i] < x ? CARRY_GENERATE : 0) | (sum[i] == PG_UINT64_MAX ? CARRY_PROPAGATE : 0);
	}
}

/* carry_out[i] := true if there is a carry out of word i. */
static void
scan_carries(const uint8 *carry, int64 words, bool *carry_out)
{
	ScanJob job = {.op = scan_op_at(SCAN_OP_carry_bool), .n = words, .in = carry, .out = carry_out};

	scan_run(&job);
	if (job.status != SCAN_OK || job.has_nulls)
		elog(ERROR, "carries could not be scanned");
}

/* Returns `string`.  Raises an error if its size does not fit its length: a page may hold any bytes. */
static const VarBit *
bits_argument(const VarBit *string)
{
	Size size = VARSIZE(string);

	if (size < offsetof(VarBit, bit_dat) || VARBITLEN(string) < 0 || VARBITLEN(string) > VARBITMAXLEN ||
		size != VARBITTOTALLEN(VARBITLEN(string)))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("stored value of type %s is corrupted", "bit varying"),
						errdetail("The value has %zu bytes, which do not match its length in bits.", size),
						errhint("The value was damaged on disk, or by the program that made it. Compute the value "
								"again, or restore it from a backup.")));
	return string;
}

/* Returns a new string of `bits` zeros. */
static VarBit *
varbit_new(int64 bits)
{
	VarBit *string;

	if (bits > VARBITMAXLEN)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("bit string length exceeds the maximum allowed (%d)", VARBITMAXLEN),
						errdetail("A sum is one bit wider than the wider argument.")));
	string = (VarBit *) palloc(VARBITTOTALLEN(bits));
	stretch_fill(string, 0, VARBITTOTALLEN(bits));
	SET_VARSIZE(string, VARBITTOTALLEN(bits));
	VARBITLEN(string) = (int) bits;
	return string;
}

PG_FUNCTION_INFO_V1(bit_add_varbit);
Datum
bit_add_varbit(PG_FUNCTION_ARGS)
{
	const VarBit *a = bits_argument(PG_GETARG_VARBIT_P(0));
	const VarBit *b = bits_argument(PG_GETARG_VARBIT_P(1));
	int64		  bits = (int64) Max(VARBITLEN(a), VARBITLEN(b)) + 1;
	int64		  words = (bits + WORD_BITS - 1) / WORD_BITS;
	VarBit		 *result = varbit_new(bits);
	uint64		 *sum = (uint64 *) palloc(words * sizeof(uint64));
	uint8		 *carry = (uint8 *) palloc(words);
	bool		 *carry_out = (bool *) palloc(words * sizeof(bool));

	add_words(a, b, words, sum, carry);
	scan_carries(carry, words, carry_out);
	FOR_INTERRUPTIBLE (i, 0, words)
		word_to_bits(result, i, sum[i] + (i > 0 && carry_out[i - 1]));
	PG_RETURN_VARBIT_P(result);
}

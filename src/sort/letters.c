/*
 * letters.c: strings of bytes as numbers, by the bytes that occur at each place.
 *
 * A string is read as the digits of a number, the first byte the highest one.  A digit
 * has as many values as different bytes occur at its place, the end of the string
 * being the least: a prefix that all have in common takes no room at all, a decimal
 * digit little more than three bits, so that sixteen of them, or twelve letters, fit in
 * a word where an abbreviated key has eight bytes.
 *
 * Rejected: one alphabet for all places, which makes dashes and the fixed parts of
 * names as dear as letters; whole bits to a digit, which loses a fifth.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "compat.h"
#include "sort/letters.h"

#define PLACES 32		 /* of a string that are looked at */
#define SAMPLE_ROWS 4096 /* that tell how many places there may be room for */
#define VALUES 257		 /* of a place: the end, and the bytes */

typedef struct Letters
{
	const SortColumn *column;
	LettersKind		  kind;
	const uint8		 *weight;
	int				  places; /* that are looked at */
	bool			  cut;	  /* some string goes on behind them */
	bool			  seen[PLACES][VALUES];
	uint16			  digit[PLACES][VALUES]; /* of the values seen */
	uint64			  base[PLACES];			 /* how many there are */
} Letters;

/* The bytes of row i; *copy, if any, is to be freed. */
static inline const uint8 *
bytes_of(const Letters *letters, int64 i, int *length, void **copy)
{
	Datum			value = letters->column->value[i];
	struct varlena *string;

	*copy = NULL;
	switch (letters->kind)
	{
		case LETTERS_FIXED:
			*length = letters->column->length;
			return (const uint8 *) DatumGetPointer(value);
		case LETTERS_NAME:
			*length = (int) strlen(NameStr(*DatumGetName(value)));
			return (const uint8 *) NameStr(*DatumGetName(value));
		default:
			string = PG_DETOAST_DATUM_PACKED(value);
			if ((Pointer) string != DatumGetPointer(value))
				*copy = string;
			*length = (int) VARSIZE_ANY_EXHDR(string);
			if (letters->kind == LETTERS_PADDED)
				*length = bpchartruelen(VARDATA_ANY(string), *length);
			return (const uint8 *) VARDATA_ANY(string);
	}
}

static inline int
value_at(const Letters *letters, const uint8 *bytes, int place)
{
	return letters->weight == NULL ? bytes[place] + 1 : letters->weight[bytes[place]] + 1;
}

static void
look_at_rows(Letters *letters, int64 from, int64 to)
{
	for (int64 i = from; i < to; i++)
	{
		int			 length, end;
		void		*copy;
		const uint8 *bytes;

		CHECK_FOR_INTERRUPTS();
		if (letters->column->may_be_null && letters->column->isnull[i])
			continue;
		bytes = bytes_of(letters, i, &length, &copy);
		end = Min(length, letters->places);
		for (int place = 0; place < end; place++)
			letters->seen[place][value_at(letters, bytes, place)] = true;
		/* behind its end a string has nothing but ends */
		if (length < letters->places)
			letters->seen[length][0] = true;
		else if (length > letters->places)
			letters->cut = true;
		if (copy != NULL)
			pfree(copy);
	}
}

/*
 * Numbers the values seen at each place; keeps as many places as there is room for.
 * Returns whether that is all of them.
 */
static bool
number_digits(Letters *letters, int bits)
{
	uint64 most = PG_UINT64_MAX >> (64 - bits);
	uint64 numbers = 1; /* of the places before */
	bool   ended = false;

	for (int place = 0; place < letters->places; place++)
	{
		uint16 digit = 0;

		ended |= letters->seen[place][0];
		letters->seen[place][0] = ended;
		for (int value = 0; value < VALUES; value++)
		{
			letters->digit[place][value] = digit;
			digit += letters->seen[place][value];
		}
		letters->base[place] = digit;
		/* a place that no string has */
		if (digit == 0)
			letters->base[place] = 1;
		if (letters->base[place] > most / numbers)
		{
			letters->places = place;
			letters->cut = true;
			return false;
		}
		numbers *= letters->base[place];
	}
	return !letters->cut;
}

static uint64
number_of(const Letters *letters, const uint8 *bytes, int length)
{
	int	   end = Min(length, letters->places);
	uint64 number = 0;
	int	   place;

	for (place = 0; place < end; place++)
		number = number * letters->base[place] + letters->digit[place][value_at(letters, bytes, place)];
	for (; place < letters->places; place++)
		number *= letters->base[place];
	return number;
}

bool
letters_number(const SortColumn *column, int64 n, LettersKind kind, const uint8 *weight, int bits, uint64 *number)
{
	Letters *letters = (Letters *) palloc0(sizeof(Letters));
	int64	 sample = Min(n, SAMPLE_ROWS);
	bool	 whole;

	letters->column = column;
	letters->kind = kind;
	letters->weight = weight;
	letters->places = kind == LETTERS_FIXED ? Min(column->length, PLACES) : PLACES;
	look_at_rows(letters, 0, sample);
	/* more rows can only leave less room */
	number_digits(letters, bits);
	look_at_rows(letters, sample, n);
	whole = number_digits(letters, bits) && weight == NULL;
	for (int64 i = 0; i < n; i++)
	{
		int			 length;
		void		*copy;
		const uint8 *bytes;

		CHECK_FOR_INTERRUPTS();
		if (column->may_be_null && column->isnull[i])
			continue;
		bytes = bytes_of(letters, i, &length, &copy);
		number[i] = number_of(letters, bytes, length);
		if (copy != NULL)
			pfree(copy);
	}
	pfree(letters);
	return whole;
}

const uint8 *
letters_guess(void)
{
	/* the order of Unicode's root collation, which glibc's locales nearly share */
	static const char marks[] = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";
	static uint8	  weight[256];
	int				  next = 1;

	if (weight['z'] != 0)
		return weight;
	for (const char *mark = marks; *mark != '\0'; mark++)
		weight[(uint8) *mark] = (uint8) next++;
	for (int letter = 'a'; letter <= 'z'; letter++, next++)
		weight[letter] = weight[letter - 'a' + 'A'] = (uint8) next;
	for (int byte = 0x80; byte <= 0xff; byte++)
		weight[byte] = (uint8) next++;
	return weight;
}

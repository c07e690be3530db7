/*
 * string_key.c: turns strings of bytes into numbers, by the bytes that occur at each position.
 *
 * A string is read as the digits of a number, the first byte as the highest digit.  A digit has as many values as
 * different bytes occur at its position, and the end of the string is the least value.  So a prefix that all strings
 * share takes no bits, and a decimal digit little more than three: sixteen of them, or twelve letters, fit in a word,
 * where an abbreviated key has eight bytes.
 *
 * Rejected: one alphabet for all positions, which makes dashes and the fixed parts of names as expensive as letters; a
 * whole number of bits for a digit, which loses a fifth.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "compat.h"
#include "sort/internal.h"

#define PLACES 32		 /* positions of a string that are read at most */
#define SAMPLE_ROWS 4096 /* rows that tell how many positions may fit */
#define VALUES 257		 /* values of a position: the string's end, and 256 bytes */

typedef struct StringKey
{
	const Column *column;
	StringForm	  form;
	const uint8	 *weight;
	int			  places; /* positions that are read */
	bool		  cut;	  /* some string is longer than that */
	bool		  seen[PLACES][VALUES];
	uint16		  digit[PLACES][VALUES]; /* digit of each value seen */
	uint64		  base[PLACES];			 /* number of values seen */
} StringKey;

/* Returns the bytes of row i; the caller frees *copy if it is not NULL. */
static inline const uint8 *
string_bytes(const StringKey *string_key, int64 i, int *length, void **copy)
{
	Datum			value = column_datum(string_key->column, i);
	struct varlena *string;

	*copy = NULL;
	switch (string_key->form)
	{
		case STRING_FIXED:
			*length = string_key->column->length;
			return (const uint8 *) DatumGetPointer(value);
		case STRING_NAME:
			*length = (int) strlen(NameStr(*DatumGetName(value)));
			return (const uint8 *) NameStr(*DatumGetName(value));
		default:
			string = PG_DETOAST_DATUM_PACKED(value);
			if ((Pointer) string != DatumGetPointer(value))
				*copy = string;
			*length = (int) VARSIZE_ANY_EXHDR(string);
			if (string_key->form == STRING_PADDED)
				*length = bpchartruelen(VARDATA_ANY(string), *length);
			return (const uint8 *) VARDATA_ANY(string);
	}
}

static inline int
string_symbol_at(const StringKey *string_key, const uint8 *bytes, int place)
{
	return string_key->weight == NULL ? bytes[place] + 1 : string_key->weight[bytes[place]] + 1;
}

static void
look_at_rows(StringKey *string_key, int64 from, int64 to)
{
	for (int64 i = from; i < to; i++)
	{
		int			 length, end;
		void		*copy;
		const uint8 *bytes;

		CHECK_FOR_INTERRUPTS();
		if (column_is_null(string_key->column, i))
			continue;
		bytes = string_bytes(string_key, i, &length, &copy);
		end = Min(length, string_key->places);
		for (int place = 0; place < end; place++)
			string_key->seen[place][string_symbol_at(string_key, bytes, place)] = true;
		/* after its end a string has only ends; number_digits() adds those that follow the first */
		if (length < string_key->places)
			string_key->seen[length][0] = true;
		else if (length > string_key->places)
			string_key->cut = true;
		if (copy != NULL)
			pfree(copy);
	}
}

/*
 * Numbers the values seen at each position, and keeps as many positions as fit in `bits` bits.  Returns true if they
 * are all positions of all strings.
 */
static bool
number_digits(StringKey *string_key, int bits)
{
	uint64 limit = PG_UINT64_MAX >> (64 - bits);
	uint64 numbers = 1; /* numbers that the positions before need */
	bool   ended = false;

	for (int place = 0; place < string_key->places; place++)
	{
		uint16 digit = 0;

		ended |= string_key->seen[place][0];
		string_key->seen[place][0] = ended;
		for (int value = 0; value < VALUES; value++)
		{
			string_key->digit[place][value] = digit;
			digit += string_key->seen[place][value];
		}
		string_key->base[place] = digit;
		/* no string has this position */
		if (digit == 0)
			string_key->base[place] = 1;
		if (string_key->base[place] > limit / numbers)
		{
			string_key->places = place;
			string_key->cut = true;
			return false;
		}
		numbers *= string_key->base[place];
	}
	return !string_key->cut;
}

static uint64
number_of(const StringKey *string_key, const uint8 *bytes, int length)
{
	int	   end = Min(length, string_key->places);
	uint64 number = 0;
	int	   place;

	for (place = 0; place < end; place++)
		number = number * string_key->base[place] +
				 string_key->digit[place][string_symbol_at(string_key, bytes, place)];
	for (; place < string_key->places; place++)
		number *= string_key->base[place];
	return number;
}

bool
string_key_numbers(const SortColumn *column, int64 n, StringForm form, const uint8 *weight, int bits, uint64 *number)
{
	StringKey *string_key = (StringKey *) palloc0(sizeof(StringKey));
	int64	   sample = Min(n, SAMPLE_ROWS);
	bool	   whole;

	string_key->column = column->data;
	string_key->form = form;
	string_key->weight = weight;
	string_key->places = form == STRING_FIXED ? Min(column->data->length, PLACES) : PLACES;
	look_at_rows(string_key, 0, sample);
	/* more rows can only make fewer positions fit */
	number_digits(string_key, bits);
	look_at_rows(string_key, sample, n);
	whole = number_digits(string_key, bits) && weight == NULL;
	for (int64 i = 0; i < n; i++)
	{
		int			 length;
		void		*copy;
		const uint8 *bytes;

		CHECK_FOR_INTERRUPTS();
		if (column_is_null(column->data, i))
			continue;
		bytes = string_bytes(string_key, i, &length, &copy);
		number[i] = number_of(string_key, bytes, length);
		if (copy != NULL)
			pfree(copy);
	}
	pfree(string_key);
	return whole;
}

const uint8 *
string_key_guess(void)
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

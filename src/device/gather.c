/*
 * gather.c: see gather.h.
 *
 * There is one loop for each width of values.  Rows are read in the order of the words, so each value is read from an
 * unrelated address, which is prefetched; vector instructions would not help.
 */
#include "device/gather.h"

#include <string.h>

/* The row of word i; without words, rows are read in their own order. */
#define ROW(i) (word == NULL ? (uint64_t) (i) : word[i] & row_mask)

/* How many rows ahead values are prefetched: as many reads as a core can wait for at once. */
#define AHEAD 16

/* A value of eight bytes, where columns may lie side by side (column/column.h). */
typedef uint64_t Cell64 __attribute__((aligned(4)));

#define COPY(TYPE)                                                                     \
	for (int64_t i = 0; i < n; i++)                                                    \
	{                                                                                  \
		if (word != NULL && i + AHEAD < n)                                             \
			__builtin_prefetch(c->value + ROW(i + AHEAD) * (uint64_t) c->stride);      \
		((TYPE *) to)[i] = *(const TYPE *) (c->value + ROW(i) * (uint64_t) c->stride); \
	}

void
sorted_values(const FusedScans *scans, int column, const uint64_t *word, uint64_t row_mask, int64_t n, void *to)
{
	const FusedColumn *c = column < 0 ? NULL : &scans->column[column];

	if (c == NULL)
		memset(to, true, (size_t) n);
	else if (word == NULL && c->stride == c->width)
		memcpy(to, c->value, (size_t) n * (size_t) c->width);
	else if (c->width == sizeof(uint8_t))
		COPY(uint8_t)
	else if (c->width == sizeof(uint16_t))
		COPY(uint16_t)
	else if (c->width == sizeof(uint32_t))
		COPY(uint32_t)
	else
		COPY(Cell64)
}

/* Clears the bits of rows whose value is NULL. */
static void
leave_nulls_out(const FusedColumn *c, const uint64_t *word, uint64_t row_mask, int64_t n, uint8_t *to)
{
	if (c->nulls == NULL)
		return;
	for (int64_t i = 0; i < n / 8 && word == NULL; i++)
		to[i] &= (uint8_t) ~c->nulls[i];
	for (int64_t i = word == NULL ? n / 8 * 8 : 0; i < n; i++)
		if (scan_bit(c->nulls, (int64_t) ROW(i)))
			scan_bit_put(to, i, false);
}

void
sorted_valid(const FusedScans *scans, const FusedScan *scan, const uint64_t *word, uint64_t row_mask, int64_t n,
			 uint8_t *to)
{
	memset(to, 0xff, (size_t) (n / 8 + 1));
	if (scan->in >= 0)
		leave_nulls_out(&scans->column[scan->in], word, row_mask, n, to);
	if (scan->in2 >= 0)
		leave_nulls_out(&scans->column[scan->in2], word, row_mask, n, to);
	if (scan->present >= 0)
		leave_nulls_out(&scans->column[scan->present], word, row_mask, n, to);
	if (scan->filter >= 0)
	{
		const FusedColumn *c = &scans->column[scan->filter];

		leave_nulls_out(c, word, row_mask, n, to);
		for (int64_t i = 0; i < n; i++)
			if (c->value[ROW(i) * (uint64_t) c->stride] == 0)
				scan_bit_put(to, i, false);
	}
}

/*
 * Marks the rows whose partition differs from that of the row before.  Row 0 is never marked.  Returns NULL if no row
 * is marked.
 */
static const uint8_t *
gather_heads(const SortedWords *words, const uint64_t *word, int64_t from, int64_t n, uint8_t *to)
{
	bool any = false;

	memset(to, 0, (size_t) (n / 8 + 1));
	for (int64_t i = from == 0 ? 1 : 0; i < n; i++)
		if (sorted_partition(words, word[from + i]) != sorted_partition(words, word[from + i - 1]))
		{
			scan_bit_put(to, i, true);
			any = true;
		}
	return any ? to : NULL;
}

ScanJob
sorted_piece(const FusedScans *scans, const FusedScan *scan, const SortedWords *words, const uint64_t *word,
			 int64_t from, int64_t n, const SortedRoom *room)
{
	const ScanJob *job = &scan->job;
	ScanJob		   piece = *job;

	piece.n = n;
	piece.done = 0;
	piece.in = room->in;
	sorted_values(scans, scan->in, word + from, words->row_mask, n, room->in);
	if (scan->in2 >= 0)
	{
		piece.in2 = room->in2;
		sorted_values(scans, scan->in2, word + from, words->row_mask, n, room->in2);
	}
	if (fused_scan_has_gaps(scans, scan))
	{
		piece.valid = room->valid;
		sorted_valid(scans, scan, word + from, words->row_mask, n, room->valid);
	}
	piece.heads = gather_heads(words, word, from, n, room->heads);
	piece.out = (char *) job->out + (size_t) from * job->op->out_size;
	piece.out_valid = room->out_valid;
	memset(room->out_valid, 0xff, (size_t) (n / 8 + 1));
	return piece;
}

void
sorted_put_bits(uint8_t *to, int64_t from, const uint8_t *bits, int64_t n)
{
	int64_t i = 0;

	if (from % 8 == 0)
	{
		memcpy(to + from / 8, bits, (size_t) (n / 8));
		i = n / 8 * 8;
	}
	for (; i < n; i++)
		scan_bit_put(to, from + i, scan_bit(bits, i));
}

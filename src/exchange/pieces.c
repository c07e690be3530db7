/*
 * pieces.c: rows that a process puts in shared memory, some at a time, for other processes to read.
 *
 * batch.c has a list of pieces for each process and batch, and rows_in_place.c one for each process.  A piece points at
 * the one before.  The process that puts pieces is the only one that writes to its list, so it never waits, and the
 * others read the list once that process has said that it puts no more.
 *
 * Rejected: a directory of the pieces in shared memory, for which there may be no memory when all pieces are there.
 */
#include "postgres.h"

#include "column/rows_serialize.h"
#include "exchange/internal.h"

StaticAssertDecl(sizeof(PieceHead) % MAXIMUM_ALIGNOF == 0, "rows must be aligned");

Size
pieces_put(Area *area, Pieces *pieces, const Rows *rows, bool reserved)
{
	PieceHead head = {pieces->last, pieces->rows};
	Size	  size = sizeof(head) + rows_written_size(rows);
	uint64	  place = area_alloc(area, size, reserved);
	char	 *at;

	if (place == 0)
		return 0;
	at = area_at(area, place);
	memcpy(at, &head, sizeof(head));
	rows_write_memory(rows, at + sizeof(head));
	*pieces = (Pieces){place, pieces->n + 1, pieces->rows + rows->n};
	return size;
}

char *
piece_rows(const Area *area, uint64 place, PieceHead *head)
{
	char *at = area_at(area, place);

	memcpy(head, at, sizeof(*head));
	return at + sizeof(*head);
}

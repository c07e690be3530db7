/*
 * piece.h: some rows as bytes, for a temporary file.
 */
#ifndef SCAN_SORT_PIECE_H
#define SCAN_SORT_PIECE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "column/rows.h"

/* What the values of a piece that are not in their Datums take, but for those of its last row. */
#define PIECE_BYTES (64 * 1024)

/* How many of n rows, at least one, fit in a piece. */
extern int piece_rows(const Rows *rows, const uint32 *order, int n);

/* Appends n rows, in that order, to a piece that is empty; columns that are constant are left out. */
extern void piece_put(StringInfo piece, const Rows *rows, const uint32 *order, int n);

/* The n rows of a piece, which take the place of those in `rows`; their values stay in the piece. */
extern void piece_get(StringInfo piece, Rows *rows, int n);

#endif /* SCAN_SORT_PIECE_H */

/*
 * read.h: adds up the state of a part of a partition.
 */
#ifndef SCAN_KEPT_READ_H
#define SCAN_KEPT_READ_H

#include "kept/sql.h"
#include "kept/state.h"

/* A part of a partition: rows from the number `from` on, of the first key, to a point in the order. */
typedef struct KeptPart
{
	const NullableDatum *partition;
	int64				 from;	 /* PG_INT64_MIN: from the first row on */
	bool				 to_end; /* up to the last row */
	int					 keys;	 /* else: of the upper bound, a row comparison over so many keys */
	const Datum			*to;
	bool				 with_peers; /* rows whose keys are the bound's are in the part; of more than one key */
	bool				 as_user;	 /* row security applies to the user, so the user's own rows are read */
} KeptPart;

/* Adds the rows of a query of the table to a state.  Returns how many there were.  The caller has called SPI_connect().
 */
extern int64 kept_read_rows(Kept *kept, const KeptQuery *query, KeptRow *row, KeptState *state);

/* Adds the rows of a part that the active snapshot sees to the state.  The caller has called SPI_connect(). */
extern void kept_read(Kept *kept, const KeptPart *part, KeptState *state);

/* Locks what is read.  Returns whether tree and log may be read in the snapshot, and not the table alone. */
extern bool kept_lock_to_read(const Kept *kept, Snapshot snapshot);

/* Lets others empty tree and log again before the transaction ends. */
extern void kept_unlock_read(const Kept *kept);

#endif /* SCAN_KEPT_READ_H */

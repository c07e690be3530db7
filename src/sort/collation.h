/*
 * collation.h: whether a collation orders text by its bytes.
 */
#ifndef SCAN_SORT_COLLATION_H
#define SCAN_SORT_COLLATION_H

#include "postgres.h"

/*
 * True if the collation is one of the C library whose order is that of the bytes, as under C.  False if it is C itself,
 * which core knows, and wherever this is not certain.
 */
extern bool collation_orders_bytes(Oid collation);

#endif /* SCAN_SORT_COLLATION_H */

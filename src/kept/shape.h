/*
 * shape.h: the size of the smallest intervals of a kept scan, and how many levels of larger ones are above them.
 */
#ifndef SCAN_KEPT_SHAPE_H
#define SCAN_KEPT_SHAPE_H

#include "kept/kept.h"

/* Sets `shift` and `top` by the rows that the table has now.  The caller has called SPI_connect(). */
extern void kept_choose_shape(Kept *kept);

/* False if the rows of the table are so much denser, or lie so far apart, that other intervals would serve better. */
extern bool kept_shape_fits(const Kept *kept);

#endif /* SCAN_KEPT_SHAPE_H */

/*
 * rewrite.h: lets plain aggregate queries read a kept scan.
 */
#ifndef SCAN_KEPT_REWRITE_H
#define SCAN_KEPT_REWRITE_H

/* Begins to look at the statements that this backend plans; called when the library is loaded. */
extern void kept_rewrite_init(void);

#endif /* SCAN_KEPT_REWRITE_H */

/*
 * hooks.h: what init.c calls when the library is loaded.
 */
#ifndef SCAN_KEPT_HOOKS_H
#define SCAN_KEPT_HOOKS_H

/* ---- log.c ---- */

/* Begins to follow the statements of this backend; called when the library is loaded. */
extern void kept_log_init(void);

/* ---- rewrite.c ---- */

/* Begins to look at the statements that this backend plans; called when the library is loaded. */
extern void kept_rewrite_init(void);

#endif /* SCAN_KEPT_HOOKS_H */

/*
 * log.h: the log of a kept scan, as writers fill it.
 */
#ifndef SCAN_KEPT_LOG_H
#define SCAN_KEPT_LOG_H

/* Begins to follow the statements of this backend; called when the library is loaded. */
extern void kept_log_init(void);

#endif /* SCAN_KEPT_LOG_H */

/*
 * register.h: tells the plan node which C functions of functions/ it may recognise (call/entry_points.h).
 */
#ifndef SCAN_FUNCTIONS_REGISTER_H
#define SCAN_FUNCTIONS_REGISTER_H

/* Called by init.c when the library is loaded, before the node is registered. */
extern void functions_register(void);

#endif /* SCAN_FUNCTIONS_REGISTER_H */

/*
 * guc.h: the settings, scan.*: they change how an answer is found, never the answer.
 */
#ifndef SCAN_GUC_H
#define SCAN_GUC_H

/* scan.algorithm: a ScanAlgorithm (cpu/cpu.h) */
extern int guc_algorithm;

extern void guc_define(void);

#endif /* SCAN_GUC_H */

/*
 * entry_points.h: the addresses of those C functions of functions/ that PrefixScan recognises.
 *
 * node/ recognises a function of ours by its address, whatever its name in SQL is: a user may create other SQL
 * functions of the same C function, and another build of the library may be loaded beside this one.  A name and a
 * library's file name (pg_proc's prosrc and probin) would tell neither, so they are rejected.  node/ must not depend on
 * functions/; therefore functions/register.c stores the addresses here when the library is loaded, before node/ can
 * ask.
 */
#ifndef SCAN_CALL_ENTRY_POINTS_H
#define SCAN_CALL_ENTRY_POINTS_H

#include "postgres.h"

#include "fmgr.h"

#include "op/exact_statistics.h"

/* Numbers of the window functions: the SCAN_ROW and SCAN_CALL lines of list.h. */
typedef enum WindowEntryPoint
{
#define SCAN_ROW(function, type, arguments, result, flags, call) ENTRY_##function##_##type,
#define SCAN_CALL(function, type, arguments, result, rows) ENTRY_##function##_##type,
#include "op/list.h"
	WINDOW_ENTRY_POINTS
} WindowEntryPoint;

/* The number of SCAN_MOVING lines of list.h. */
enum
{
	MOVING_ENTRY_POINTS = 0
#define SCAN_MOVING(transition, inverse, final, kind) +1
#include "op/list.h"
};

/* The functions of an aggregate in moving-aggregate mode. */
typedef struct MovingEntryPoint
{
	PGFunction transition, inverse, final;
} MovingEntryPoint;

typedef struct EntryPoints
{
	PGFunction		 support;					  /* scan_support, the support function of all our window functions */
	PGFunction		 exact_state_in;			  /* the input function of exact_state, by which kept/ knows the type */
	PGFunction		 total_final;				  /* the final function of scan_total */
	PGFunction		 window[WINDOW_ENTRY_POINTS]; /* by WindowEntryPoint */
	MovingEntryPoint moving[MOVING_ENTRY_POINTS]; /* in the order of list.h */
} EntryPoints;

/* Set when the library is loaded. */
extern const EntryPoints *entry_points;

/* Returns the address of a function.  The executor looks it up in the same way, and core caches it. */
static inline PGFunction
function_address(Oid oid)
{
	FmgrInfo function;

	fmgr_info(oid, &function);
	return function.fn_addr;
}

#endif /* SCAN_CALL_ENTRY_POINTS_H */

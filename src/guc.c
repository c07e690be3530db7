/*
 * guc.c: the settings, scan.*
 */
#include "postgres.h"

#include "utils/guc.h"

#include "cpu/cpu.h"
#include "guc.h"

int guc_algorithm = SCAN_AUTO;

static const struct config_enum_entry algorithm_options[] = {
	{"auto", SCAN_AUTO, false},
	{"sequential", SCAN_SEQUENTIAL, false},
	{"hillis_steele", SCAN_HILLIS_STEELE, false},
	{"blelloch", SCAN_BLELLOCH, false},
	{"blocked", SCAN_BLOCKED, false},
	{NULL, 0, false},
};

void
guc_define(void)
{
	DefineCustomEnumVariable("scan.algorithm", "How a batch is scanned on the CPU.",
							 "Never changes an answer; \"auto\" is the fastest.", &guc_algorithm, SCAN_AUTO,
							 algorithm_options, PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("scan");
}

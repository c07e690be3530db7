/*
 * settings.c: the settings scan.* of devices.  They change where a job runs, never its answer.
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

#include "device/device.h"
#include "device/shared.h"

int	  guc_device = DEVICE_AUTO;
int	  guc_gpu_min_rows = 1000000;
int	  guc_gpu_sort_min_rows = 20000;
int	  guc_gpu_timeout = 10000;
int	  guc_gpu_quarantine = 600000;
int	  guc_mock_fault = SCAN_FAULT_NONE;
char *guc_mock_fault_line = NULL;
int	  guc_gpu_slots = 4;
int	  guc_gpu_slot_size = 512 * 1024;
bool  guc_gpu_check = false;
int	  guc_gpu_memory = 0;
char *guc_gpu_library = NULL;

static const struct config_enum_entry device_options[] = {
	{"auto", DEVICE_AUTO, false},
	{"cpu", DEVICE_CPU, false},
	{"gpu", DEVICE_GPU, false},
	{NULL, 0, false},
};

static const struct config_enum_entry fault_options[] = {
	{"none", SCAN_FAULT_NONE, false},
	{"oom", SCAN_FAULT_OOM, false},
	{"timeout", SCAN_FAULT_TIMEOUT, false},
	{"crash", SCAN_FAULT_CRASH, false},
	{"garbage", SCAN_FAULT_GARBAGE, false},
	{"slow", SCAN_FAULT_SLOW, false},
	{"value", SCAN_FAULT_VALUE, false},
	{"lost", SCAN_FAULT_LOST, false},
	{"refuse", SCAN_FAULT_REFUSED, false},
	{"unproven", SCAN_FAULT_UNPROVEN, false},
	{NULL, 0, false},
};

/* Accepts a file name in PostgreSQL's library folder, without its ending: no name that leads elsewhere. */
static bool
check_library(char **name, void **extra, GucSource source)
{
	if (strlen(*name) > 0 && strlen(*name) < NAMEDATALEN &&
		strspn(*name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(*name))
		return true;
	GUC_check_errdetail("The value must be the name of a file in PostgreSQL's library directory, without \".so\", and "
						"consist of letters, digits and underscores.");
	return false;
}

/* Settings that are read when the server starts.  A session that loads the library by itself has no use for them. */
static void
define_start_settings(void)
{
	GucContext context = process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP;

	DefineCustomIntVariable("scan.gpu_slots", "Sets how many batches can be on their way to the GPU at the same time.",
							"0 turns the GPU off.", &guc_gpu_slots, 4, 0, 64, context, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("scan.gpu_slot_size", "Sets the memory for one batch on its way to the GPU.", NULL,
							&guc_gpu_slot_size, 512 * 1024, 64, 1024 * 1024, context, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("scan.gpu_memory", "Sets how much memory of the GPU jobs can use.",
							"0 leaves the amount to the device library.", &guc_gpu_memory, 0, 0, INT_MAX, context,
							GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomStringVariable("scan.gpu_library",
							   "Sets the device library: \"scan_cuda\", or \"scan_mock\" for tests.", NULL,
							   &guc_gpu_library, "scan_cuda", context, GUC_SUPERUSER_ONLY, check_library, NULL, NULL);
}

static void
define_device_settings(void)
{
	DefineCustomEnumVariable(
		"scan.device", "Selects the device that runs scans.",
		"\"auto\" takes the faster device. \"gpu\" takes the GPU for every job that it can run. \"cpu\" takes the CPU.",
		&guc_device, DEVICE_AUTO, device_options, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("scan.gpu_min_rows", "Sets the number of rows below which a scan runs on the CPU.",
							"The limit applies if scan.device is \"auto\".", &guc_gpu_min_rows, 1000000, 0, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("scan.gpu_sort_min_rows", "Sets the number of rows below which a sort runs on the CPU.",
							"The limit applies if scan.device is \"auto\".", &guc_gpu_sort_min_rows, 20000, 0, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("scan.gpu_timeout", "Sets how long to wait for the GPU before the CPU runs a batch.",
							"If a batch takes twice as long as the server's own value of this setting, the program "
							"that runs the GPU is killed and started again.",
							&guc_gpu_timeout, 10000, 1, INT_MAX / 4, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("scan.gpu_quarantine", "Sets how long the CPU runs jobs of a kind at which the GPU failed.",
							"The time doubles whenever jobs of that kind soon fail again.", &guc_gpu_quarantine, 600000,
							1, INT_MAX / 4, PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomBoolVariable("scan.gpu_check", "Proves with certainty that the GPU has sorted right.",
							 "Without it, a wrong sort passes with a probability of 2^-64. The proof takes longer.",
							 &guc_gpu_check, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"scan.mock_fault", "Sets the fault that the device library \"scan_mock\" simulates, for tests.", NULL,
		&guc_mock_fault, SCAN_FAULT_NONE, fault_options, PGC_SUSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"scan.mock_fault_line", "Sets the jobs to which scan.mock_fault applies, for tests.",
		"The value is \"sort\", or a line as scan_status names it. An empty value means all jobs.",
		&guc_mock_fault_line, "", PGC_SUSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
}

void
settings_define(void)
{
	define_device_settings();
	define_start_settings();
}

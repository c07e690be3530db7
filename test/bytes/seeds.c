/*
 * seeds.c: writes jobs of the ring into files, for job.c to begin with: FOLDER=... seeds LABEL few
 *
 * The jobs are those that test/law/device.c sends through gpu/job.c.  The linker puts __wrap_job_of_wire() before
 * job_of_wire(), by --wrap.  One small job of each line and shape is enough.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/job.h"

#define MOST_DATA 4096
#define KINDS 4096

extern bool __real_job_of_wire(const WireJob *wire, char *data, uint64_t size, ScanGpuJob *job);
extern bool __wrap_job_of_wire(const WireJob *wire, char *data, uint64_t size, ScanGpuJob *job);

/* True if no job like this one has been written. */
static bool
is_new(const WireJob *wire)
{
	static uint8_t seen[KINDS];
	uint32_t	   kind = wire->operations == 0 ? 0 : 1 + wire->operation[0].line;

	kind = kind * 4 + (wire->key_bits > 64 ? 2 : wire->key_bits > 0) + (wire->operations > 1);
	return kind < KINDS && seen[kind]++ == 0;
}

/* True if the job makes sense; a parameter is decoded where it lies, so the data is copied. */
static bool
is_accepted(const WireJob *wire, const char *data, uint64_t size)
{
	ScanGpuJob job;
	char	  *copy = (char *) malloc(size + 1);
	bool	   accepted;

	memcpy(copy, data, size);
	accepted = __real_job_of_wire(wire, copy, size, &job);
	free(copy);
	return accepted;
}

bool
__wrap_job_of_wire(const WireJob *wire, char *data, uint64_t size, ScanGpuJob *job)
{
	static int files;
	char	   path[1024];
	FILE	  *out;

	if (size <= MOST_DATA && wire->n > 0 && is_accepted(wire, data, size) && is_new(wire))
	{
		snprintf(path, sizeof(path), "%s/job%d", getenv("FOLDER"), files++);
		out = fopen(path, "wb");
		if (out == NULL || fwrite(wire, sizeof(*wire), 1, out) != 1 || fwrite(data, 1, size, out) != size ||
			fclose(out) != 0)
		{
			perror(path);
			exit(1);
		}
	}
	return __real_job_of_wire(wire, data, size, job);
}

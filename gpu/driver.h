/*
 * driver.h: what the user of this process lacks for using NVIDIA's driver; for the reason why there is no device.
 *
 * CUDA says "no CUDA-capable device is detected" or "driver version is insufficient" for a missing card, a missing
 * library, and device files that do not exist yet or that only another user may open.
 */
#ifndef SCAN_GPU_DRIVER_H
#define SCAN_GPU_DRIVER_H

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the device files, with which the emulator tests this. */
static inline const char *
driver_folder(void)
{
#if defined(SCAN_EMULATE)
	if (getenv("SCAN_EMULATE_DEV") != NULL)
		return getenv("SCAN_EMULATE_DEV");
#endif
	return "/dev";
}

/* Appends "; libcuda.so.1 cannot be loaded; /dev/nvidia0 is missing" and the like to text; nothing if all is there. */
static inline void
driver_append_faults(char *text, size_t room)
{
	static const char *const names[] = {"nvidia0", "nvidiactl", "nvidia-uvm"};
	size_t					 used = strlen(text);
	void					*library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		used += (size_t) snprintf(text + used, room - used, "; libcuda.so.1 cannot be loaded");
	else
		dlclose(library);
	for (const char *name : names)
	{
		char path[200];

		snprintf(path, sizeof(path), "%.150s/%s", driver_folder(), name);
		if (access(path, R_OK | W_OK) != 0 && used < room)
			used += (size_t) snprintf(text + used, room - used, "; %s is %s", path,
									  errno == ENOENT ? "missing" : "not accessible");
	}
}

#endif /* SCAN_GPU_DRIVER_H */

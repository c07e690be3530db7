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

/* The numbers of cards that are looked for. */
#define DRIVER_CARDS 64

/*
 * Returns the number of the first card whose file this user may use, else of the first that has a file; 0: none has.  A
 * container that was given one of several cards may have nvidia3 alone.
 */
static inline int
driver_card(void)
{
	int found = -1;

	for (int i = 0; i < DRIVER_CARDS; i++)
	{
		char path[200];

		snprintf(path, sizeof(path), "%.150s/nvidia%d", driver_folder(), i);
		if (access(path, R_OK | W_OK) == 0)
			return i;
		if (found < 0 && access(path, F_OK) == 0)
			found = i;
	}
	return found < 0 ? 0 : found;
}

/* Appends "; libcuda.so.1 cannot be loaded; /dev/nvidia0 is missing" and the like to text; nothing if all is there. */
static inline void
driver_append_faults(char *text, size_t room)
{
	char		card[20];
	const char *names[] = {card, "nvidiactl", "nvidia-uvm"};
	size_t		used = strlen(text);
	void	   *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	snprintf(card, sizeof(card), "nvidia%d", driver_card());
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

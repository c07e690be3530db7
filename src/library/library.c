/*
 * library.c: see library.h.
 *
 * An upgrade of the package replaces the library's file, while a session continues with the old one, which it has
 * mapped.  A parallel worker is a new process and loads the new file, unless the postmaster has loaded the library
 * (shared_preload_libraries): sessions and workers are forked from the postmaster and share its mapping.
 * node/plan/parallel_blocker.c asks library_is_replaced() before it makes a parallel plan and before a plan starts; if
 * so, the query runs in one process.  The file may still be replaced in between, so node/exec and exchange/ compare the
 * number of the build first.
 *
 * The package's other programs and libraries lie beside the library's file.  That is not always PostgreSQL's own
 * folder: dynamic_library_path may lead to another one, such as a mounted image.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "miscadmin.h"

#include "library/build.h"
#include "library/library.h"

static char		   path[MAXPGPATH]; /* empty: not known, or the postmaster has loaded the library */
static struct stat loaded;

void
library_loaded(void)
{
	Dl_info info;

	/* sessions and workers are forked from the postmaster and have its mapping of the library */
#ifndef EXEC_BACKEND
	if (process_shared_preload_libraries_in_progress)
		return;
#endif
	if (dladdr((const void *) &scan_build, &info) == 0 || info.dli_fname == NULL ||
		strlcpy(path, info.dli_fname, sizeof(path)) >= sizeof(path) || stat(path, &loaded) != 0)
		path[0] = '\0';
}

const char *
library_folder(void)
{
	static char folder[PATH_MAX];
	Dl_info		info;

	/* not the folder of a link to the file, such as that in the folder `plugins` */
	if (dladdr((const void *) &scan_build, &info) == 0 || info.dli_fname == NULL ||
		realpath(info.dli_fname, folder) == NULL)
		return pkglib_path;
	get_parent_directory(folder);
	return folder;
}

bool
library_is_replaced(void)
{
	struct stat now;

	if (path[0] == '\0')
		return false;
	return stat(path, &now) != 0 || now.st_dev != loaded.st_dev || now.st_ino != loaded.st_ino ||
		   now.st_size != loaded.st_size || now.st_mtime != loaded.st_mtime;
}

void
library_check_build(uint64 build)
{
	if (build != scan_build)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the library of extension \"scan\" was replaced while this session uses the old one"),
						errhint("Connect again.")));
}

void
library_check_plan(const CustomScan *scan)
{
	const List *build = (const List *) linitial(scan->custom_private);

	library_check_build(IsA(build, IntList) && list_length(build) == 2
							? (uint64) (uint32) linitial_int(build) << 32 | (uint32) lsecond_int(build)
							: 0);
}

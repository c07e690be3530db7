/*
 * table.h: the one table of all figures, a CSV file of part,what,rows,measure,value; run.sh says in SCAN_TABLE where it
 * is, and writes its heading.  Without SCAN_TABLE nothing is written.
 */
#ifndef SCAN_GPU_TABLE_H
#define SCAN_GPU_TABLE_H

#include <stdio.h>
#include <stdlib.h>

static inline void
table_row(const char *part, const char *what, double rows, const char *measure, double value)
{
	const char *path = getenv("SCAN_TABLE");
	FILE	   *file = path == NULL ? NULL : fopen(path, "a");

	if (file == NULL)
		return;
	fprintf(file, "%s,\"%s\",%.0f,%s,%.6g\n", part, what, rows, measure, value);
	fclose(file);
}

#endif /* SCAN_GPU_TABLE_H */

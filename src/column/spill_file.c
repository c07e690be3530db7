/*
 * spill_file.c: bytes and rows in a temporary file of core's, a BufFile.
 */
#include "postgres.h"

#include "column/rows_serialize.h"

void
spill_write(BufFile *file, const void *bytes, Size size)
{
	BufFileWrite(file, unconstify(void *, bytes), size);
}

static void
write_bytes(void *file, void *bytes, Size size)
{
	spill_write((BufFile *) file, bytes, size);
}

void
spill_write_rows(BufFile *file, const Rows *rows)
{
	rows_write(rows, write_bytes, file);
}

void
spill_seek(BufFile *file, int segment, off_t offset)
{
	if (BufFileSeek(file, segment, offset, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not seek in a temporary file of rows: %m")));
}

/* Reads up to `size` bytes, and returns how many there are. */
static Size
read_some(BufFile *file, void *bytes, Size size)
{
	return size > 0 ? BufFileRead(file, bytes, size) : 0;
}

static void
check_read(Size got, Size size)
{
	if (got != size)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("could not read from a temporary file of rows"),
						errdetail("Only %zu of %zu bytes could be read.", got, size)));
}

void
spill_read(BufFile *file, void *bytes, Size size)
{
	check_read(read_some(file, bytes, size), size);
}

bool
spill_read_or_end(BufFile *file, void *bytes, Size size)
{
	Size got = read_some(file, bytes, size);

	if (got > 0)
		check_read(got, size);
	return got > 0;
}

static void
read_bytes(void *file, void *bytes, Size size)
{
	spill_read((BufFile *) file, bytes, size);
}

void
spill_read_rows(BufFile *file, Rows *rows)
{
	rows_read(rows, read_bytes, file);
}

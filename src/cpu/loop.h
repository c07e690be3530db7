/*
 * loop.h: the sequential loops, written once for every line of list.h.
 *
 * ops.c inlines each function with a ScanOp that the compiler knows.  So its pointers become the binding's own code,
 * and the accumulator, a typed local variable of the caller, lives in registers.  Rejected: a macro for each loop,
 * which could not be read, stepped through or indented.
 */
#ifndef SCAN_CPU_LOOP_H
#define SCAN_CPU_LOOP_H

#include "cpu/internal.h"

/* Computes any row; x is NULL for a NULL.  `zero` is an accumulator of zero bytes. */
SCAN_INLINE ScanStatus
scan_step(const ScanOp *op, const void *param, ScanCarry *carry, void *acc, void *before, const void *zero,
		  const void *x, bool head, ScanExtent extent, void *y)
{
	if (head)
		carry->any = false;
	if (x == NULL && (op->flags & SCAN_NULL_IS_ZERO))
		x = zero;
	if (x == NULL && !(op->flags & SCAN_NULL_IS_VALUE))
		return scan_show(op, param, carry, acc, acc, false, carry->any, head, extent, y);
	if (carry->any)
	{
		scan_before(op, before, acc);
		op->accumulate(param, acc, x, carry->row);
	}
	else
	{
		scan_before(op, before, zero);
		op->lift(param, x, carry->row, acc);
		carry->any = true;
	}
	return scan_show(op, param, carry, before, acc, true, true, head, extent, y);
}

/* Returns the values of row i: in their column, or copied side by side into `room` if there are two columns. */
SCAN_INLINE const void *
scan_values(const ScanOp *op, const ScanJob *job, int64_t i, void *room)
{
	size_t		size = scan_in_size(op, job->param);
	const char *x = (const char *) job->in + i * size;

	if (op->in2_size == 0)
		return x;
	memcpy(room, x, size);
	memcpy((char *) room + size, (const char *) job->in2 + i * op->in2_size, op->in2_size);
	return room;
}

/*
 * y[0 ..] := the inclusive results of the job's rows i to i + n - 1, which all have values and start no segment; the
 * accumulator holds a value already.  Stops at an error, and returns the number of rows before it.
 */
SCAN_INLINE int64_t
scan_dense(const ScanOp *op, ScanRun run, const ScanJob *job, int64_t i, void *acc, void *before, int64_t n, char *y,
		   ScanStatus *status)
{
	double	   room[SCAN_ROW_SIZE / sizeof(double)];
	int64_t	   row = job->carry->row;
	int64_t	   done = 0;
	ScanStatus s = SCAN_OK;

	while (done < n)
	{
		done += run(job, acc, i + done, n - done, y + done * op->out_size);
		if (done >= n)
			break;
		scan_before(op, before, acc);
		op->accumulate(job->param, acc, scan_values(op, job, i + done, room), row + done);
		s = op->lower(job->param, before, acc, row + done, y + done * op->out_size);
		if (s != SCAN_OK)
			break;
		done++;
	}
	*status = s;
	return done;
}

/* Computes rows job->done to end - 1, one at a time, or up to an error. */
SCAN_INLINE void
scan_rows(const ScanOp *op, ScanJob *job, void *acc, void *before, const void *zero, int64_t end)
{
	double room[SCAN_ROW_SIZE / sizeof(double)];
	char  *out = (char *) job->out;

	while (job->done < end)
	{
		int64_t		i = job->done;
		const void *x = job->valid == NULL || scan_bit(job->valid, i) ? scan_values(op, job, i, room) : NULL;
		bool		head = job->heads != NULL && scan_bit(job->heads, i);
		ScanStatus	status = scan_step(op, job->param, job->carry, acc, before, zero, x, head, job->extent,
									   out + i * op->out_size);

		if (!scan_row_ends(job, status))
			return;
	}
}

/*
 * Computes rows job->done to end - 1, which all have values and start no segment; a value has come before.  Inclusive
 * results go straight into `out`.  Exclusive ones go one row further, and the last one is pending for row `end`.
 */
SCAN_INLINE void
scan_stretch(const ScanOp *op, ScanRun run, ScanJob *job, void *acc, void *before, int64_t end)
{
	double	   room[SCAN_ROW_SIZE / sizeof(double)];
	char	  *out = (char *) job->out;
	ScanCarry *carry = job->carry;
	int64_t	   i = job->done;
	int64_t	   n = end - i;

	if (job->extent == SCAN_INCLUSIVE)
	{
		n = scan_dense(op, run, job, i, acc, before, n, out + i * op->out_size, &job->status);
		if (n > 0)
			memcpy(&carry->pending, out + (i + n - 1) * op->out_size, op->out_size);
	}
	else
	{
		ScanStatus status = (ScanStatus) carry->pending_status;

		/* the result pending from row i - 1 is row i's; if it is an error, the job ends there */
		memcpy(out + i * op->out_size, &carry->pending, op->out_size);
		if (SCAN_IS_ERROR(status))
			n = 0;
		else
			n = 1 + scan_dense(op, run, job, i, acc, before, n - 1, out + (i + 1) * op->out_size, &status);
		if (SCAN_IS_ERROR(status))
			job->status = status;
		else
		{
			scan_before(op, before, acc);
			op->accumulate(job->param, acc, scan_values(op, job, end - 1, room), carry->row + n - 1);
			carry->pending_status = op->lower(job->param, before, acc, carry->row + n - 1, &carry->pending);
		}
	}
	carry->row += n;
	job->done += n;
}

/*
 * Returns how far from row `from` on all rows have values and start no segment, in whole bytes of the bitmaps.  `from`
 * is a multiple of 8.
 */
SCAN_INLINE int64_t
scan_calm(const ScanJob *job, int64_t from)
{
	int64_t end = from;

	if (job->valid == NULL && job->heads == NULL)
		return job->n;
	while (end + 8 <= job->n && (job->valid == NULL || job->valid[end / 8] == 0xff) &&
		   (job->heads == NULL || job->heads[end / 8] == 0))
		end += 8;
	return end;
}

/* Runs a whole job: calm rows a stretch at a time, the others one by one. */
SCAN_INLINE void
scan_sequential(const ScanOp *op, ScanJob *job, void *acc, void *before, const void *zero)
{
	bool	plain = (op->flags & SCAN_SPARSE) == 0;
	ScanRun run = op->flags & SCAN_TILED ? scan_tiled_run(job) : op->run;

	while (job->done < job->n && job->status == SCAN_OK)
	{
		int64_t end = plain && job->carry->any ? scan_calm(job, job->done) : 0;

		if (end > job->done)
			scan_stretch(op, run, job, acc, before, end);
		else
		{
			end = plain ? (job->done / 8 + 1) * 8 : job->n;
			scan_rows(op, job, acc, before, zero, end < job->n ? end : job->n);
		}
	}
}

#endif /* SCAN_CPU_LOOP_H */

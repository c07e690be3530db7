/*
 * oracle.h: how a plain loop judges a column.  An oracle answers the rows of one segment, inclusive, as "the answer
 * after row i"; heads, NULLs before the first value, the shift of an exclusive scan and the first error are the same
 * for all oracles and stand here.
 */
#ifndef SCAN_LAW_ORACLE_H
#define SCAN_LAW_ORACLE_H

#include "column.h"

/* What a scan shows after a row. */
typedef struct LawAfter
{
	bool	   nothing; /* no value in the segment yet */
	ScanStatus status;
	__int128   number; /* of any width: the answer is its lowest bytes */
	double	   real;   /* min and max of floats */
	ScanSpan   span;   /* sums of intervals */
} LawAfter;

typedef struct LawSegment
{
	const LawColumn *column;
	int64_t			 from, to;
} LawSegment;

SCAN_HOST_FN bool
law_has_value(const LawColumn *column, int64_t i)
{
	return column->valid == NULL || scan_bit(column->valid, i);
}

/* A loop for a function and a type, and the answer before the first value. */
typedef struct LawOracle
{
	const char *function;
	const char *type; /* how it starts; "": any */
	void (*after)(LawSegment s, LawAfter *after);
	bool	identity_is_null;
	int64_t identity;
} LawOracle;

/* Writes the lowest `size` bytes of a number. */
SCAN_HOST_FN void
law_number_put(const __int128 *number, int size, void *y)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy(y, (const char *) (number + 1) - size, (size_t) size);
#else
	memcpy(y, number, (size_t) size);
#endif
}

/* Writes an answer in the type that the op answers with. */
SCAN_HOST_FN void
law_answer_put(const ScanOp *op, const LawAfter *answer, void *y)
{
	float narrow = (float) answer->real;

	if (strcmp(op->function, "change") == 0)
		law_number_put(&answer->number, op->out_size, y);
	else if (strcmp(op->type, "float8") == 0)
		memcpy(y, &answer->real, sizeof(double));
	else if (strcmp(op->type, "float4") == 0)
		memcpy(y, &narrow, sizeof(float));
	else if (strcmp(op->type, "interval") == 0)
		memcpy(y, &answer->span, sizeof(ScanSpan));
	else
		law_number_put(&answer->number, op->out_size, y);
}

/* The answers the column ought to have. */
SCAN_HOST_FN void
law_column_answers(const LawColumn *column, const LawOracle *oracle, ScanExtent extent, LawAnswers *answers)
{
	const ScanOp *op = column->op;
	LawAfter	 *after = (LawAfter *) calloc((size_t) column->n + 1, sizeof(LawAfter));
	int64_t		  start = 0;

	law_answers_start(answers, op, column->n);
	for (int64_t i = 1; i <= column->n; i++)
		if (i == column->n || (column->heads != NULL && scan_bit(column->heads, i)))
		{
			LawSegment segment = {column, start, i};

			oracle->after(segment, after);
			start = i;
		}
	for (int64_t i = 0; i < column->n; i++)
	{
		bool	 head = i == 0 || (column->heads != NULL && scan_bit(column->heads, i));
		LawAfter identity = {false, oracle->identity_is_null ? SCAN_NULL : SCAN_OK, oracle->identity, 0, {0, 0, 0}};
		LawAfter show = after[i];

		if (extent == SCAN_INCLUSIVE && show.nothing)
			show.status = SCAN_NULL;
		if (extent == SCAN_EXCLUSIVE)
			show = head || after[i - 1].nothing ? identity : after[i - 1];
		if (SCAN_IS_ERROR(show.status))
		{
			answers->status = show.status;
			break;
		}
		if (show.status == SCAN_NULL)
		{
			scan_bit_put(answers->valid, i, false);
			answers->has_nulls = true;
		}
		else
			law_answer_put(op, &show, (char *) answers->out + i * op->out_size);
		answers->done++;
	}
	free(after);
}

/* Every algorithm, both extents, in jobs of random size. */
SCAN_HOST_FN bool
law_column_is_right(const LawColumn *column, const LawOracle *oracle, const char *what)
{
	bool right = true;

	for (int e = 0; e < 2; e++)
	{
		LawAnswers expected;

		law_column_answers(column, oracle, (ScanExtent) e, &expected);
		for (int a = 0; a < LAW_ALGORITHMS; a++)
		{
			int64_t size = law_random() % 3 == 0 ? SCAN_BATCH : 1 + (int64_t) (law_random() % 3000);

			right = law_jobs_agree(column, (ScanExtent) e, law_algorithms[a], size, &expected, what) && right;
		}
		law_answers_free(&expected);
	}
	return right;
}

#endif /* SCAN_LAW_ORACLE_H */

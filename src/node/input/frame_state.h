/*
 * frame_state.h: what frame.c has to know of a window's frame: its definition, and how far it has come.
 *
 * A BlockReader (block_reader.h) owns one; ranges and blocks read it.
 */
#ifndef SCAN_NODE_INPUT_FRAME_STATE_H
#define SCAN_NODE_INPUT_FRAME_STATE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "column/block.h"
#include "column/type.h"

/* The start or the end of the frame. */
typedef struct FrameEnd
{
	ExprState	*expr;		/* computes the offset; NULL: UNBOUNDED or CURRENT ROW */
	bool		 preceding; /* the offset is PRECEDING */
	ColumnFormat format;	/* of the offset's type */
	Datum		 offset;	/* a copy in the query's memory */
	FmgrInfo	 in_range;	/* RANGE: the function of the order's type */
	bool		 subtract;	/* the fourth argument of in_range */
	bool		 less;		/* the fifth argument of in_range */
	bool		 proven;	/* in_range is known to accept the offset: an error could only come from a value */

	/* running, for the row whose frame was computed last */
	int64 row;	 /* position in the input: the frame's first row, or the row after its last one */
	int64 group; /* GROUPS: the position of `row`'s peer group in the partition */
} FrameEnd;

typedef struct Frame
{
	bool			sliding; /* false: frames do not slide, and only `options` is set here */
	int				options; /* FRAMEOPTION_* */
	FrameEnd		start;
	FrameEnd		end;
	int				column; /* RANGE with an offset: the column that rows are ordered by */
	const TypeInfo *type;	/* RANGE with an offset: the type that its in_range function is about */
	ColumnFormat	format; /* of `column` */
	Oid				collation;
	bool			nulls_first;
	bool			peeks; /* WindowAgg reads the first row after the frame, to see that it is not in the frame */
	bool keeps_start;	   /* if frames begin with their partition: some function looks at their first rows again */
	bool whole;			   /* some function looks at any row of the partition, whatever the frame */

	/* running; positions are positions in the input, `row` is the row whose frame was computed last */
	bool  started;	 /* the offsets are known */
	bool  in_ranges; /* RANGE with an offset: in_range may be called */
	int64 partition; /* position of the first row of row's partition */
	int64 known;	 /* the partition is known to have all rows before this position */
	bool  ends;		 /* the partition ends before position `known` */
	int64 group;	 /* the position of row's peer group in the partition */
	int64 peers;	 /* position of the first row of row's peer group */
	int64 peers_end; /* position after row's last known peer; find_peers_end() moves it to the group's end */
	int64 kept;		 /* position of the first row that later frames, or functions, may look at */
	int64 reach;	 /* rows that the last block needed before its end or after it: the larger of both numbers */
	struct BlockInput *input;	 /* more rows of the block come from here (block_input.h) */
	int64			   capacity; /* rows that the array `row` has memory for */
	RowFrame		  *row;		 /* the frame of each row of the block */
	Pool			  *pool;	 /* the memory of the array */
} Frame;

#endif /* SCAN_NODE_INPUT_FRAME_STATE_H */

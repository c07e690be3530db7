/*
 * block.c: finds where the units of a block begin, for the reader, which cuts no unit, and for evaluate/; and releases
 * a block's memory.
 */
#include "postgres.h"

#include "column/block.h"
#include "column/stretch.h"

void
block_release(Block *block)
{
	if (!rows_release(block->rows))
		return;
	block->head = block->peer = NULL;
	block->capacity = 0;
}

int64
block_next_unit(const Block *block, Lookahead unit, int64 from, int64 end)
{
	const bool *mark = unit == LOOKAHEAD_PEERS ? block->peer : block->head;

	Assert(unit != LOOKAHEAD_NONE);
	for (int64 begin = from, stop; begin < end; begin = stop)
	{
		const bool *found;

		stop = stretch_end(begin, end);
		found = (const bool *) memchr(mark + begin, true, stop - begin);
		if (found != NULL)
			return found - mark;
	}
	return end;
}

int64
block_last_unit(const Block *block, Lookahead unit, int64 end)
{
	const bool *mark = unit == LOOKAHEAD_PEERS ? block->peer : block->head;

	do
	{
		CHECK_FOR_INTERRUPTS();
		end--;
	} while (end > block->begin && !mark[end]);
	return end;
}

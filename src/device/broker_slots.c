/*
 * broker_slots.c: what the broker does with slots of the ring (wire.h): wakes owners, fails jobs, takes slots
 * back.
 */
#include "postgres.h"

#include "storage/procarray.h"

#include "device/shared.h"

void
broker_wake_owner(uint32 slot)
{
	Latch *owner = worker_shared->slot[slot].owner;

	if (owner != NULL)
		SetLatch(owner);
}

void
broker_fail_slots(bool through)
{
	for (uint32 i = 0; i < worker_slots; i++)
	{
		WireSlot *slot = worker_slot(i);
		uint64	  word = wire_word(slot);
		bool	  running = wire_word_state(word) == WIRE_RUNNING;

		switch (wire_word_state(word))
		{
			case WIRE_RUNNING:
			case WIRE_QUEUED:
				/* if this fails, the owner has just left; the next check handles the slot */
				if (wire_move(slot, word, running && !through ? WIRE_ABANDONED : WIRE_FAILED))
					broker_wake_owner(i);
				break;
			case WIRE_ABANDONED:
				if (through)
					(void) wire_swap(slot, word, wire_word_free(word));
				break;
			case WIRE_FREE:
			case WIRE_FILLING:
			case WIRE_DONE:
			case WIRE_FAILED:
				break;
			default:
				/* not a state: the program wrote where it should not have */
				(void) wire_swap(slot, word, 0);
				broker_wake_owner(i);
		}
	}
}

void
broker_accuse_lines(TimestampTz now)
{
	for (uint32 i = 0; i < worker_slots; i++)
	{
		WireState state = wire_word_state(wire_word(worker_slot(i)));

		if (state == WIRE_RUNNING || state == WIRE_ABANDONED)
			quarantine_accuse(&worker_shared->slot[i].lines, now);
	}
}

void
broker_reclaim_slot(WireSlot *slot, uint64 word)
{
	if (BackendPidGetProc(wire_word_pid(word)) != NULL)
		return;
	if (wire_word_state(word) == WIRE_RUNNING)
		(void) wire_move(slot, word, WIRE_ABANDONED);
	else if (wire_word_state(word) != WIRE_ABANDONED)
		(void) wire_swap(slot, word, wire_word_free(word));
}

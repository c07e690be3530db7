/*
 * wire.h: the layout of the ring, the memory in which jobs pass between backends and the program that owns the GPU.
 *
 * Used by backends, the broker and the program, so it is plain C without PostgreSQL.  The ring is one shared mapping of
 * our own, made by the postmaster before it forks (ring_create.c): a header and slots of one size, each with room for a
 * job's columns.  It holds offsets, no pointers.
 *
 * The ring belongs to no part of PostgreSQL: the program that reads it must be able to die, or to write anywhere in it,
 * without harm to the server.  What PostgreSQL relies on (latches, the device's state, counters) lies in PostgreSQL's
 * shared memory (shared.h), and a reader checks what it reads here against what it knows.
 *
 * A slot's word alone says who may touch the slot.  It is changed by compare-and-swap only:
 *
 *   FREE -> FILLING            a backend takes the slot; the word holds its pid
 *   FILLING -> QUEUED          the backend has written its job
 *   QUEUED -> RUNNING          the program takes the job
 *   RUNNING -> DONE            the program has answered
 *   QUEUED, RUNNING -> FAILED  there will be no answer: the broker found the program dead, or ending (QUEUED)
 *   DONE, FAILED -> FREE       the backend has read the answer
 *   DONE -> FILLING            the same, and the backend has another job
 *   FILLING, QUEUED -> FREE    the backend left early
 *   RUNNING -> ABANDONED       the backend left while the program runs the job, or the program is about to die: in both
 *                              cases it may still write to the slot
 *   ABANDONED -> FREE          the program has finished the job, or is dead
 */
#ifndef SCAN_DEVICE_WIRE_H
#define SCAN_DEVICE_WIRE_H

#include "device/device.h"

#define WIRE_MAGIC UINT64_C(0x676e69726e616373) /* "scanring" */
#define WIRE_VERSION 3

/* Columns begin at multiples of this in a slot: two cache lines of a GPU. */
#define WIRE_ALIGN 256

/* A slot's data begins and ends at multiples of this: the largest page of an arm64 system.  Others have 4096. */
#define WIRE_PAGE 65536

#define WIRE_REASON 256

/* ---- a job: ScanGpuJob in gpu/gpu.h says what its parts mean; offsets count from the slot's data ---- */

typedef struct WireInput
{
	uint64_t at;
	uint32_t width;
} WireInput;

typedef struct WireOperation
{
	uint32_t line, extent;
	uint32_t in, in2, valid, heads;
	uint32_t tile, reversed;
	uint64_t param, param_size; /* encoded by scan_param_encode() */
	uint64_t carry, carry_size;
	uint64_t out, out_valid;

	/* answers */
	uint32_t has_nulls;
	int32_t	 status;
	int64_t	 done;
} WireOperation;

typedef struct WireJob
{
	uint64_t	  n;
	uint32_t	  fault;
	uint32_t	  key_bits, key_low, row_bits, partition_bits;
	uint64_t	  keys; /* of at most 64 bits; the answer, the sorted keys, replaces them */
	uint32_t	  inputs, operations;
	WireInput	  input[SCAN_GPU_INPUTS];
	WireOperation operation[SCAN_GPU_OPERATIONS];

	/* answers */
	uint64_t word; /* the slot's word while the job ran: tells whose answer this is */
	uint32_t code; /* ScanGpuCode */
	double	 device_ns;
	char	 reason[WIRE_REASON];
} WireJob;

/* ---- the ring ---- */

typedef enum WireState
{
	WIRE_FREE = 0,
	WIRE_FILLING,
	WIRE_QUEUED,
	WIRE_RUNNING,
	WIRE_DONE,
	WIRE_FAILED,
	WIRE_ABANDONED,
} WireState;

typedef struct WireSlot
{
	uint64_t word; /* WireState (8 bits), how often the slot was taken (24), the owner's pid (32) */
	WireJob	 job;
} WireSlot;

/* What the program says before its first job.  It lies in the ring because it is too long for a message. */
typedef struct WireOffer
{
	ScanGpuInfo info;
	char		reason[WIRE_REASON]; /* why there is no device */
	uint32_t	measuring;			 /* see ScanGpuOptions */
} WireOffer;

typedef struct WireHeader
{
	/* written before the program is started */
	uint64_t	 magic;
	uint64_t	 build; /* scan_build of the server's library; checked before the fields below are read */
	uint32_t	 version;
	uint32_t	 slots;
	uint64_t	 fingerprint; /* scan_fingerprint() */
	uint64_t	 slot_size;	  /* bytes of a slot's data */
	uint64_t	 memory;	  /* `memory` of ScanGpuOptions, in bytes */
	int32_t		 device;
	ScanGpuLines left_out; /* as in ScanGpuOptions */

	/* written by the program */
	WireOffer offer;
} WireHeader;

/* Messages on the socket between broker and program, one byte each. */
#define WIRE_LOOK '.'  /* from either side: look at the slots */
#define WIRE_READY 'R' /* from the program: the offer is complete */
#define WIRE_NONE 'N'  /* from the program: no device; the offer has the reason */

/* File descriptors that the program inherits. */
#define WIRE_SOCKET_FD 3
#define WIRE_RING_FD 4

/* Exit statuses of the program. */
#define WIRE_EXIT_NONE 2   /* no device */
#define WIRE_EXIT_LOST 3   /* the device is lost to this process */
#define WIRE_EXIT_EXEC 127 /* the program could not be executed */

/* ---- texts ---- */

/* Copies text that the program has written, so that it is terminated and plain ASCII; `size` is the size of both. */
static inline void
wire_text(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
	to[size - 1] = '\0';
	for (char *c = to; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* ---- offsets ---- */

static inline uint64_t
wire_align(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

static inline uint64_t
wire_slot_stride(uint64_t slot_size)
{
	return wire_align(sizeof(WireSlot), WIRE_PAGE) + wire_align(slot_size, WIRE_PAGE);
}

static inline uint64_t
wire_ring_size(uint32_t slots, uint64_t slot_size)
{
	return wire_align(sizeof(WireHeader), WIRE_PAGE) + slots * wire_slot_stride(slot_size);
}

static inline WireSlot *
wire_slot(void *ring, uint64_t slot_size, uint32_t slot)
{
	return (WireSlot *) ((char *) ring + wire_align(sizeof(WireHeader), WIRE_PAGE) +
						 slot * wire_slot_stride(slot_size));
}

static inline char *
wire_slot_data(WireSlot *slot)
{
	return (char *) slot + wire_align(sizeof(WireSlot), WIRE_PAGE);
}

/* ---- words ---- */

static inline WireState
wire_word_state(uint64_t word)
{
	return (WireState) (word & 0xff);
}

static inline int32_t
wire_word_pid(uint64_t word)
{
	return (int32_t) (word >> 32);
}

/* Returns the word with another state. */
static inline uint64_t
wire_word_to(uint64_t word, WireState state)
{
	return (word & ~UINT64_C(0xff)) | (uint64_t) state;
}

/* Returns the word of the slot when it is free: the count stays, pid and state are 0. */
static inline uint64_t
wire_word_free(uint64_t word)
{
	return word & 0xffffff00;
}

/* Returns the word for process `pid` that takes the slot, which is free or has an answer that was read. */
static inline uint64_t
wire_word_taken(uint64_t word, int32_t pid)
{
	uint64_t taken = (word >> 8) + 1;

	return (uint64_t) (uint32_t) pid << 32 | (taken & 0xffffff) << 8 | WIRE_FILLING;
}

static inline uint64_t
wire_word(const WireSlot *slot)
{
	return __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
}

/* Changes the word if it still is `from`.  True if it was. */
static inline bool
wire_swap(WireSlot *slot, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&slot->word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Changes the state if the word still is `from`.  True if it was. */
static inline bool
wire_move(WireSlot *slot, uint64_t from, WireState to)
{
	return wire_swap(slot, from, wire_word_to(from, to));
}

#endif /* SCAN_DEVICE_WIRE_H */

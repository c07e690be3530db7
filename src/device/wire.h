/*
 * wire.h: the ring: the memory in which jobs pass between backends and the
 * program that owns the GPU.
 *
 * One shared mapping of our own, made by the postmaster before anybody is forked
 * (ring_create.c): a header and a number of slots of one size, each with room for a job's
 * columns.  It belongs to no part of PostgreSQL, since the program that reads it
 * must be able to die, or to write anywhere in it, without harm to the server: what
 * PostgreSQL relies on (latches, the device's state, counters) lies in PostgreSQL's
 * shared memory (shared.h), and what is read from here is held against what the
 * reader knows.  There are offsets, no pointers.  Plain C, without PostgreSQL: the program
 * includes it too.
 *
 * A slot's word says everything about who may touch it, and changes by
 * compare-and-swap only:
 *
 *   FREE -> FILLING      a backend takes it; the word holds its pid
 *   FILLING -> QUEUED    and has laid its job down
 *   QUEUED -> RUNNING    the program takes it
 *   RUNNING -> DONE      and has answered, or
 *   QUEUED, RUNNING -> FAILED  there is no answer: written by the broker, when the program is dead
 *   DONE, FAILED -> FREE the backend has read the answer (-> FILLING: and has the next job)
 *   FILLING, QUEUED -> FREE    the backend left early
 *   RUNNING -> ABANDONED       it left while the program is at it; or the program is to die, and may still write
 *   ABANDONED -> FREE          the program is through, or dead
 */
#ifndef SCAN_DEVICE_WIRE_H
#define SCAN_DEVICE_WIRE_H

#include "device/device.h"

#define WIRE_MAGIC UINT64_C(0x676e69726e616373) /* "scanring" */
#define WIRE_VERSION 2

/* Columns begin at multiples of this in a slot: a line of a GPU's cache, twice. */
#define WIRE_ALIGN 256
#define WIRE_PAGE 4096

#define WIRE_REASON 256

/* ---- a job, see ScanGpuJob in gpu/gpu.h for what its parts mean; offsets count from the slot's data ---- */

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
	uint64_t param, param_size; /* as scan_param_encode() makes it */
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
	uint32_t	  key_bits, partition_bits;
	uint64_t	  keys[2], order;
	uint32_t	  inputs, operations;
	WireInput	  input[SCAN_GPU_INPUTS];
	WireOperation operation[SCAN_GPU_OPERATIONS];

	/* answers */
	uint64_t word; /* of the slot while the job ran: whose answer it is */
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
	uint64_t word; /* WireState, how often the slot was taken, the owner's pid */
	WireJob	 job;
} WireSlot;

/* What the program says before its first job: in the ring, since it is too long for a message. */
typedef struct WireOffer
{
	ScanGpuInfo info;
	char		reason[WIRE_REASON]; /* why there is none */
} WireOffer;

typedef struct WireHeader
{
	/* written before the program is started */
	uint64_t magic;
	uint64_t build; /* scan_build of the server's library: looked at before what follows */
	uint32_t version;
	uint32_t slots;
	uint64_t fingerprint; /* scan_fingerprint() */
	uint64_t slot_size;	  /* bytes of a slot's data, a multiple of WIRE_PAGE */
	uint64_t memory;	  /* ScanGpuOptions */
	int32_t	 device;

	/* written by the program */
	WireOffer offer;
} WireHeader;

/* What goes by the socket between broker and program, a byte each. */
#define WIRE_LOOK '.'  /* either way: look at the slots */
#define WIRE_READY 'R' /* from the program: the offer stands */
#define WIRE_NONE 'N'  /* from the program: no device, for the reason in the offer */

/* The program's inherited files. */
#define WIRE_SOCKET_FD 3
#define WIRE_RING_FD 4

/* Exit statuses of the program. */
#define WIRE_EXIT_NONE 2   /* no device */
#define WIRE_EXIT_LOST 3   /* the device is lost to this process */
#define WIRE_EXIT_EXEC 127 /* it was not even started */

/* ---- offsets ---- */

static inline uint64_t
wire_align(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

static inline uint64_t
wire_slot_stride(uint64_t slot_size)
{
	return wire_align(sizeof(WireSlot), WIRE_PAGE) + slot_size;
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

/* A word in another state. */
static inline uint64_t
wire_word_to(uint64_t word, WireState state)
{
	return (word & ~UINT64_C(0xff)) | (uint64_t) state;
}

/* A word of a slot that belongs to nobody. */
static inline uint64_t
wire_word_free(uint64_t word)
{
	return word & 0xffffff00;
}

/* The word of a slot, free or done with, when a process takes it. */
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

/* Changes the word if it still is `from`. */
static inline bool
wire_swap(WireSlot *slot, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&slot->word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Changes the state if the word still is `from`. */
static inline bool
wire_move(WireSlot *slot, uint64_t from, WireState to)
{
	return wire_swap(slot, from, wire_word_to(from, to));
}

#endif /* SCAN_DEVICE_WIRE_H */

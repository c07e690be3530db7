/*
 * word_proof.h: proves that sorted words which came back from the device are the words that were sent, in order.
 *
 * sort.c lays a group's words into a slot and takes them from it through these functions.  Words that rise, and that
 * are the same words as those sent, are sorted: there is no other such sequence.  Two things are checked for that:
 *
 * - The words rise.  That is certain.  Words with a row's number in them have to rise strictly, so no word comes twice.
 * - The sum of a 64-bit hash over the words is the same before and after.  The hash has a random key for each group,
 *   which never leaves the backend.  If a single word was replaced by another one, the sums differ, because the hash is
 *   a permutation of the 64-bit numbers.  If more words differ, the sums are equal with a probability of 2^-64, as far
 *   as the hash behaves like a random function.  Among equal words without a row's number, which only
 *   array_radix_sort() has, the probability is 2^-64 times the largest power of two by which their numbers differ.
 *
 * A device that fails, or that is broken, writes words that do not depend on the key, so it cannot pass by more than
 * that chance.  scan.gpu_check asks for the certain proof (words_are_those()), which reads the backend's own words at
 * scattered addresses and takes six times as long.  Rejected: to have the rows' order as the answer, which always reads
 * them so; and a polynomial with the words as its roots, modulo a prime, whose multiplications wait for each other.
 */
#ifndef SCAN_DEVICE_WORD_PROOF_H
#define SCAN_DEVICE_WORD_PROOF_H

#include "postgres.h"

#include "miscadmin.h"

/* Called between two steps of a loop over words (sort/radix.h). */
static inline void
word_tick(void)
{
	CHECK_FOR_INTERRUPTS();
}

typedef struct WordProof
{
	uint64 key[2];
	uint64 sum;	   /* of the hashes of the words that were laid and not yet taken */
	uint64 before; /* the last word that was taken */
	bool   strict; /* no word comes twice */
	bool   taken;  /* some word was taken */
	bool   rises;  /* the words taken so far rise */
} WordProof;

/* Begins a proof; strict: no two words are equal. */
extern void word_proof_begin(WordProof *proof, bool strict);

/* Copies n words to a slot. */
extern void word_proof_lay(WordProof *proof, const uint64 *from, int64 n, uint64 *to);

/* Copies n words from a slot, each of which is read once, since the program may write to it meanwhile. */
extern void word_proof_take(WordProof *proof, const volatile uint64 *from, int64 n, uint64 *to);

/* True if all words that were laid have been taken, in order. */
extern bool word_proof_holds(const WordProof *proof);

/*
 * The certain proof: true if `sorted`, whose words rise, has the n words of `words`.  row_mask: the bits of a word that
 * hold its position in `words`; 0: none do, and the words are sorted once more.
 */
extern bool words_are_those(const uint64 *words, const uint64 *sorted, int64 n, uint64 row_mask);

#endif /* SCAN_DEVICE_WORD_PROOF_H */

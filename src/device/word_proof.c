/*
 * word_proof.c: proves that sorted words which came back from the device are the words that were sent, in order.
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
#include "postgres.h"

#include "utils/memutils.h"

#include "device/jobs.h"
#include "sort/radix.h"

void
word_proof_begin(WordProof *proof, bool strict)
{
	memset(proof, 0, sizeof(*proof));
	proof->strict = strict;
	proof->rises = true;
	if (!pg_strong_random(proof->key, sizeof(proof->key)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
}

/* The finalizer of splitmix64, a permutation, with a key before each of its multiplications. */
static inline uint64
word_hash(const WordProof *proof, uint64 word)
{
	word ^= proof->key[0];
	word = (word ^ word >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	word ^= proof->key[1];
	word = (word ^ word >> 27) * UINT64CONST(0x94d049bb133111eb);
	return word ^ word >> 31;
}

void
word_proof_lay(WordProof *proof, const uint64 *from, int64 n, uint64 *to)
{
	uint64 sum = 0;

	for (int64 i = 0; i < n; i++)
	{
		to[i] = from[i];
		sum += word_hash(proof, from[i]);
	}
	proof->sum += sum;
}

void
word_proof_take(WordProof *proof, const volatile uint64 *from, int64 n, uint64 *to)
{
	uint64 sum = 0, before = proof->before;
	bool   falls = false, repeats = false;
	int64  i = 0;

	if (n > 0 && !proof->taken)
	{
		proof->taken = true;
		before = to[0] = from[0];
		sum = word_hash(proof, before);
		i = 1;
	}
	for (; i < n; i++)
	{
		uint64 word = from[i];

		to[i] = word;
		falls |= word < before;
		repeats |= word == before;
		before = word;
		sum += word_hash(proof, word);
	}
	proof->sum -= sum;
	proof->before = before;
	proof->rises = proof->rises && !falls && !(repeats && proof->strict);
}

bool
word_proof_holds(const WordProof *proof)
{
	return proof->sum == 0 && proof->rises;
}

/* True if the words, sorted on the CPU, are those. */
static bool
are_sorted_those(const uint64 *words, const uint64 *sorted, int64 n)
{
	Size	size = n * sizeof(uint64);
	uint64 *copy = (uint64 *) MemoryContextAllocHuge(CurrentMemoryContext, Max(size, 1));
	uint64 *spare = (uint64 *) MemoryContextAllocHuge(CurrentMemoryContext, Max(size, 1));
	bool	same;

	radix_copy(copy, words, size, word_tick);
	same = memcmp(radix_sort(copy, spare, n, 0, 64, word_tick), sorted, size) == 0;
	pfree(copy);
	pfree(spare);
	return same;
}

bool
words_are_those(const uint64 *words, const uint64 *sorted, int64 n, uint64 row_mask)
{
	if (row_mask == 0)
		return are_sorted_those(words, sorted, n);
	/* n words that rise strictly, each of which is one of n words, are all of them */
	RADIX_STEPS (i, 0, n, word_tick)
	{
		uint64 row = sorted[i] & row_mask;

		if (row >= (uint64) n || words[row] != sorted[i])
			return false;
	}
	return true;
}

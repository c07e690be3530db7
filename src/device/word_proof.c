/*
 * word_proof.c: see word_proof.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "device/word_proof.h"
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

/*
 * sort.cu: see sort.h; sorts packed keys by CUB's radix sort.
 *
 * src/sort packs the keys of a query into at most 128 bits that sort as unsigned numbers.  If the keys hold the rows'
 * numbers, or nobody wants the order, the keys alone are sorted: 16 bytes a row go through memory for each digit.  Else
 * pairs of (key, row) are sorted, with 24 bytes.  In both cases each column moves only once, at the end, by a gather.
 * Keys of two words take two sorts: first by the low words, then by the high words in the order of the first sort. That
 * is right because a radix sort is stable.  Keys of one bit are split (split.cuh).
 *
 * A refused launch leaves its error in cudaGetLastError(), and CUB clears the error without looking at it (cub::Debug).
 * Therefore every launch here is checked at once, and CUB is called only if there is no error.
 */
#include "sort.h"

#include "moving_tile.h"
#include "split.cuh"

#ifdef SCAN_EMULATE
#include <algorithm>
#include <vector>
#else
#include <cub/device/device_radix_sort.cuh>
#endif

#define GATHER_THREADS 256

static unsigned
gather_blocks(uint32_t n)
{
	return (unsigned) (((uint64_t) n + GATHER_THREADS - 1) / GATHER_THREADS);
}

/* Returns the thread's row; 64 bits, because the last block may go past 2^32. */
static __device__ inline uint64_t
gather_row()
{
	return (uint64_t) blockIdx.x * GATHER_THREADS + threadIdx.x;
}

/* ---- order ---- */

static size_t
align(size_t size)
{
	return (size + 255) / 256 * 256;
}

#ifdef SCAN_EMULATE
/* Sorts keys, and the rows with them; rows NULL: the keys alone. */
static cudaError_t
sort_pairs(void *room, size_t &room_size, const uint64_t *keys, uint64_t *keys_out, const uint32_t *rows,
		   uint32_t *rows_out, uint32_t n, int first, int bits, cudaStream_t stream)
{
	uint64_t			  mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	std::vector<uint32_t> place(n);

	(void) stream;
	if (room == NULL)
	{
		room_size = 1;
		return cudaSuccess;
	}
	for (uint32_t i = 0; i < n; i++)
		place[i] = i;
	std::stable_sort(place.begin(), place.end(),
					 [&](uint32_t a, uint32_t b) { return (keys[a] & mask) >> first < (keys[b] & mask) >> first; });
	for (uint32_t i = 0; i < n; i++)
	{
		keys_out[i] = keys[place[i]];
		if (rows != NULL)
			rows_out[i] = rows[place[i]];
	}
	return cudaSuccess;
}

static cudaError_t
sort_words(void *room, size_t &room_size, const uint64_t *keys, uint64_t *keys_out, uint32_t n, int first, int bits,
		   cudaStream_t stream)
{
	return sort_pairs(room, room_size, keys, keys_out, NULL, NULL, n, first, bits, stream);
}
#else
static cudaError_t
sort_pairs(void *room, size_t &room_size, const uint64_t *keys, uint64_t *keys_out, const uint32_t *rows,
		   uint32_t *rows_out, uint32_t n, int first, int bits, cudaStream_t stream)
{
	return cub::DeviceRadixSort::SortPairs(room, room_size, keys, keys_out, rows, rows_out, n, first, bits, stream);
}

static cudaError_t
sort_words(void *room, size_t &room_size, const uint64_t *keys, uint64_t *keys_out, uint32_t n, int first, int bits,
		   cudaStream_t stream)
{
	return cub::DeviceRadixSort::SortKeys(room, room_size, keys, keys_out, n, first, bits, stream);
}
#endif

/* *size := the temporary memory that CUB needs to sort n keys, with rows or alone. */
static cudaError_t
cub_room(uint32_t n, size_t *size)
{
	size_t		alone = 0;
	cudaError_t error = cudaGetLastError();

	*size = 0;
	if (error == cudaSuccess)
		error = sort_pairs(NULL, *size, NULL, NULL, NULL, NULL, n, 0, 64, 0);
	if (error == cudaSuccess)
		error = sort_words(NULL, alone, NULL, NULL, n, 0, 64, 0);
	*size = alone > *size ? alone : *size;
	return error;
}

/* True if the keys are sorted by a single bit. */
static bool
is_split(const SortKeys *keys)
{
	return keys->bits - keys->first == 1;
}

__global__ void
number_rows(uint32_t *rows, uint32_t n)
{
	uint64_t i = gather_row();

	if (i < n)
		rows[i] = (uint32_t) i;
}

/* Rows that no key may name stand for row 0: a key that somebody has overwritten must not lead out of a column. */
__global__ void
rows_of_words(const uint64_t *words, uint64_t mask, uint32_t n, uint32_t *rows)
{
	uint64_t i = gather_row();

	if (i < n)
	{
		uint64_t row = words[i] & mask;

		rows[i] = row < n ? (uint32_t) row : 0;
	}
}

/*
 * Returns the words by which the last radix sort has sorted, in their order: the low words of keys of at most 64 bits,
 * otherwise the high words.  words: where the caller wanted the sorted keys; NULL: they come first in the room.
 */
static uint64_t *
sorted_keys(uint64_t *words, void *room)
{
	return words != NULL ? words : (uint64_t *) room;
}

/* What sort_order() has in its room. */
typedef struct SortRoom
{
	uint64_t *sorted; /* only if the caller does not want the sorted keys */
	uint32_t *rows;
	uint64_t *high; /* the high words in the order of the low ones, and that order */
	uint32_t *by_low;
	void	 *cub;
	size_t	  cub_size;
} SortRoom;

/* Lays the room for n rows out; room NULL: only counts.  *size := its bytes. */
static cudaError_t
lay_room(const SortKeys *keys, uint32_t n, void *room, SortRoom *to, size_t *size)
{
	size_t		words = align((size_t) n * sizeof(uint64_t)), rows = align((size_t) n * sizeof(uint32_t));
	size_t		high = keys->bits > 64 ? words : 0, by_low = keys->bits > 64 ? rows : 0;
	char	   *at = (char *) room;
	cudaError_t error = cub_room(n, &to->cub_size);

	to->sorted = (uint64_t *) at;
	to->rows = (uint32_t *) (at + words);
	to->high = (uint64_t *) (at + words + rows);
	to->by_low = (uint32_t *) (at + words + rows + high);
	to->cub = at + words + rows + high + by_low;
	*size = error != cudaSuccess ? 0 : words + rows + high + by_low + align(to->cub_size);
	return error;
}

cudaError_t
sort_room(uint32_t n, const SortKeys *keys, size_t *room)
{
	SortRoom	laid;
	cudaError_t error = lay_room(keys, n, NULL, &laid, room);

	/* keys of one bit whose order nobody wants are not split */
	if (error == cudaSuccess && is_split(keys) && split_room(n) > *room)
		*room = split_room(n);
	return error;
}

/* sort_order() for keys of at most 64 bits that are sorted alone. */
static cudaError_t
words_order(const SortKeys *keys, uint32_t n, uint32_t *order, uint64_t *words, void *room, cudaStream_t stream)
{
	SortRoom	laid;
	size_t		size;
	cudaError_t error = lay_room(keys, n, room, &laid, &size);

	if (error == cudaSuccess)
		error = sort_words(laid.cub, laid.cub_size, keys->low, words, n, (int) keys->first, (int) keys->bits, stream);
	if (error != cudaSuccess || order == NULL)
		return error;
	LAUNCH(rows_of_words, gather_blocks(n), GATHER_THREADS, stream, words, (UINT64_C(1) << keys->row_bits) - 1, n,
		   order);
	return cudaGetLastError();
}

/* sort_order() for pairs of keys and rows. */
static cudaError_t
radix_order(const SortKeys *keys, uint32_t n, uint32_t *order, uint64_t *words, void *room, cudaStream_t stream)
{
	SortRoom	laid;
	size_t		size;
	cudaError_t error = lay_room(keys, n, room, &laid, &size);
	uint64_t   *sorted = sorted_keys(words, room);
	int			first = (int) keys->first;

	if (error != cudaSuccess)
		return error;
	LAUNCH(number_rows, gather_blocks(n), GATHER_THREADS, stream, laid.rows, n);
	error = cudaGetLastError();
	if (error != cudaSuccess)
		return error;
	if (keys->bits <= 64)
		return sort_pairs(laid.cub, laid.cub_size, keys->low, sorted, laid.rows, order, n, first, (int) keys->bits,
						  stream);
	error = sort_pairs(laid.cub, laid.cub_size, keys->low, sorted, laid.rows, laid.by_low, n, first, 64, stream);
	if (error == cudaSuccess)
		error = sort_gather(keys->high, sizeof(uint64_t), laid.by_low, n, laid.high, stream);
	if (error == cudaSuccess)
		error = sort_pairs(laid.cub, laid.cub_size, laid.high, sorted, laid.by_low, order, n, 0, (int) keys->bits - 64,
						   stream);
	return error;
}

cudaError_t
sort_order(const SortKeys *keys, uint32_t n, uint32_t *order, uint64_t *words, void *room, cudaStream_t stream)
{
	cudaError_t error;

	if (!is_split(keys) || order == NULL)
		return words != NULL && (keys->row_bits > 0 || order == NULL)
				   ? words_order(keys, n, order, words, room, stream)
				   : radix_order(keys, n, order, words, room, stream);
	split_order(keys->low, keys->first, n, order, room, stream);
	error = cudaGetLastError();
	return error != cudaSuccess || words == NULL ? error
												 : sort_gather(keys->low, sizeof(uint64_t), order, n, words, stream);
}

/* ---- columns in sorted order ---- */

struct alignas(16) Wide
{
	uint64_t word[2];
};

__global__ void
reverse_rows(const uint32_t *order, uint32_t n, uint32_t *to)
{
	uint64_t i = gather_row();

	if (i < n)
		to[i] = order[n - 1 - i];
}

cudaError_t
sort_reverse(const uint32_t *order, uint32_t n, uint32_t *to, cudaStream_t stream)
{
	LAUNCH(reverse_rows, gather_blocks(n), GATHER_THREADS, stream, order, n, to);
	return cudaGetLastError();
}

template <typename T>
__global__ void
gather_values(const T *from, const uint32_t *order, uint32_t n, T *to)
{
	uint64_t i = gather_row();

	if (i < n)
		to[i] = from[order[i]];
}

template <typename T>
static void
gather_as(const void *from, const uint32_t *order, uint32_t n, void *to, cudaStream_t stream)
{
	auto kernel = gather_values<T>;

	LAUNCH(kernel, gather_blocks(n), GATHER_THREADS, stream, (const T *) from, order, n, (T *) to);
}

cudaError_t
sort_gather(const void *from, uint32_t width, const uint32_t *order, uint32_t n, void *to, cudaStream_t stream)
{
	switch (width)
	{
		case 1:
			gather_as<uint8_t>(from, order, n, to, stream);
			break;
		case 2:
			gather_as<uint16_t>(from, order, n, to, stream);
			break;
		case 4:
			gather_as<uint32_t>(from, order, n, to, stream);
			break;
		case 8:
			gather_as<uint64_t>(from, order, n, to, stream);
			break;
		case 16:
			gather_as<Wide>(from, order, n, to, stream);
			break;
	}
	return cudaGetLastError();
}

__global__ void
gather_bits(const uint8_t *from, const uint32_t *order, uint32_t n, uint32_t *to)
{
	uint64_t i = gather_row();
	uint32_t word = warp_ballot(i < n && (from[order[i] / 8] >> order[i] % 8 & 1) != 0);

	if (i < n && i % 32 == 0)
		to[i / 32] = word;
}

cudaError_t
sort_gather_bits(const uint8_t *from, const uint32_t *order, uint32_t n, uint32_t *to, cudaStream_t stream)
{
	LAUNCH(gather_bits, gather_blocks(n), GATHER_THREADS, stream, from, order, n, to);
	return cudaGetLastError();
}

/* ---- heads ---- */

/* Returns the mask of the partition's bits in one word of the keys: 0 the low, 1 the high word. */
static uint64_t
partition_mask(const SortKeys *keys, uint32_t word)
{
	uint64_t mask = 0;

	for (uint32_t bit = keys->bits - keys->partition_bits; bit < keys->bits; bit++)
		if (bit / 64 == word)
			mask |= UINT64_C(1) << bit % 64;
	return mask;
}

/* A word of the keys and the partition's bits in it. */
typedef struct HeadsWord
{
	const uint64_t *key; /* NULL: the word has no bits of the partition */
	uint64_t		mask;
} HeadsWord;

typedef struct HeadsArgs
{
	HeadsWord		sorted; /* in sorted order: neighbouring threads read neighbouring keys */
	HeadsWord		rows;	/* in the order before the sort: a random read for each key */
	const uint8_t  *column;
	const uint32_t *order;
	uint32_t		tile;
	bool			reversed;
	uint32_t		n;
	uint32_t	   *to;
} HeadsArgs;

/* True if the partition's bits of two keys differ. */
static __device__ inline bool
keys_differ(const HeadsWord &word, uint64_t i, uint64_t j)
{
	return word.key != NULL && ((word.key[i] ^ word.key[j]) & word.mask) != 0;
}

__global__ void
find_heads(const __grid_constant__ HeadsArgs a)
{
	uint64_t i = gather_row();
	bool	 bit = false;
	uint32_t word;

	if (i < a.n)
	{
		uint64_t last = a.n - 1;

		if (a.column != NULL)
			bit = (a.column[a.order[i] / 8] >> a.order[i] % 8 & 1) != 0;
		if (i > 0)
		{
			bit = bit || (a.reversed ? keys_differ(a.sorted, last - i, last - i + 1) : keys_differ(a.sorted, i, i - 1));
			bit = bit || (a.rows.key != NULL && keys_differ(a.rows, a.order[i], a.order[i - 1]));
			/* in reversed order, a tile starts at its last row: the row before the next tile's first */
			bit = bit || scan_tile_begins((uint32_t) (a.reversed ? a.n - i : i), a.tile);
		}
	}
	word = warp_ballot(bit);
	if (i < a.n && i % 32 == 0)
		a.to[i / 32] = word;
}

cudaError_t
sort_heads(const SortHeads *heads, uint32_t n, uint32_t *to, cudaStream_t stream)
{
	const SortKeys *keys = heads->keys;
	uint64_t		low = partition_mask(keys, 0), high = partition_mask(keys, 1);
	HeadsWord		none = {NULL, 0}, word = {keys->low, low};
	HeadsArgs		a = {none, none, heads->column, heads->order, heads->tile, heads->reversed, n, to};
	const uint64_t *sorted = sorted_keys(heads->words, heads->room);

	/* the last sort has been by the high word of long keys; a split sorts no keys, unless the caller wants them */
	if (keys->bits > 64 && high != 0)
		a.sorted = {sorted, high};
	if (low != 0 && (keys->bits > 64 || (is_split(keys) && heads->words == NULL)))
		a.rows = word;
	else if (low != 0)
		a.sorted = {sorted, low};
	LAUNCH(find_heads, gather_blocks(n), GATHER_THREADS, stream, a);
	return cudaGetLastError();
}

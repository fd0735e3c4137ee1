/* What the kernels share: their names, their memory, a few words of bit arithmetic.
 *
 * Every .c file here is compiled once for each instruction level: 0 baseline, 1 AVX2, 2 AVX-512 (build.py says
 * which flags). KERNEL(name) defines the function edgedp_<name>_<level>; library.py picks the level and checks
 * every argument. A kernel returns OK, or NO_MEMORY, or REFUSED for arrays that contradict each other.
 *
 * Arithmetic is on integers wherever it can be; floating point is never contracted (-ffp-contract=off), so a
 * result is the same to the last bit on every level, compiler and number of threads.
 */
#ifndef EDGEDP_KERNELS_H
#define EDGEDP_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef EDGEDP_LEVEL
#define EDGEDP_LEVEL 0
#endif

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define JOINED_AS_THEY_ARE(name, level) edgedp_##name##_##level
#define JOINED(name, level) JOINED_AS_THEY_ARE(name, level)
#define KERNEL(name) EXPORT int64_t JOINED(name, EDGEDP_LEVEL)

#define INLINE static inline __attribute__((always_inline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define PREFETCH(address) __builtin_prefetch(address)

enum { OK = 0, NO_MEMORY = -1, REFUSED = -2 };

/* Memory that a thread keeps from call to call. A slot has one element type and one meaning. Slots before
 * FIRST_UNDEFINED are all zeros between calls: whoever writes there clears what it wrote. */
enum {
    MARKS,          /* uint64, one bit a node */
    COUNTS,         /* int32, one a node */
    NARROW_COUNTS,  /* uint8, one a neighbour, whole blocks */
    WIDE_COUNTS,    /* uint32, one a neighbour, whole blocks */
    DENSE_ROWS,     /* uint8 */
    HISTOGRAM,      /* int64 */
    CLOSED,         /* uint8, one a node */
    FIRST_UNDEFINED,
    PLACES = FIRST_UNDEFINED, /* int32, one a node */
    ENDS,           /* int32, grows with the edges of an ego network */
    ROW_ENDS,       /* int32, one a neighbour */
    INNER_DEGREES,  /* int32, one a neighbour */
    NAMES,          /* int32, one a neighbour */
    STARTS,         /* int32, one a neighbour */
    CURSORS,        /* int32, one a neighbour */
    CELLS,          /* int32, both ends of every edge of an ego network */
    TOUCHED,        /* int32, one a neighbour */
    DENSE_ROW_STARTS, /* int64, one a neighbour */
    DENSE,          /* addresses of dense rows */
    CODES,          /* uint16, one a node */
    SHARES_BY_CODE, /* int64 */
    GAINS_BY_CODE,  /* int64 */
    STOPS,          /* int64, one a neighbour */
    CLASSES,        /* uint8, one a node */
    LABELS,         /* int32, one a node */
    OFFSETS,        /* int64, one a node */
    LEVELS,         /* int32, two a point */
    FIRST_POINTS,   /* int64, one a threshold and two */
    TREE,           /* int64, one a threshold and one */
    ABOVE,          /* uint64, a row a threshold */
    CANDIDATES,     /* candidate, one a member of a cut */
    TOTALS,         /* uint64, one a node */
    SLOTS
};

typedef struct {
    void *block[SLOTS];
    size_t bytes[SLOTS];
} scratch;

/* Return room for `count` elements in a slot, or NULL; what a grown slot held is kept. */
INLINE void *room(scratch *memory, int slot, size_t count, size_t width) {
    if (count > SIZE_MAX / 4 / width) return NULL;
    size_t bytes = count * width + 64; /* a whole vector may be read, and thrown away, beyond the end */
    if (LIKELY(bytes <= memory->bytes[slot])) return memory->block[slot];
    bytes += bytes / 2;
    void *grown;
    if (slot < FIRST_UNDEFINED) {
        grown = calloc(1, bytes);
        if (grown != NULL) free(memory->block[slot]);
    } else {
        grown = realloc(memory->block[slot], bytes);
    }
    if (grown == NULL) return NULL;
    memory->block[slot] = grown;
    memory->bytes[slot] = bytes;
    return grown;
}

#define ROOM(memory, slot, count, type) ((type *)room(memory, slot, (size_t)(count), sizeof(type)))

INLINE int ones(uint64_t word) {
#if defined(__POPCNT__) || !defined(__x86_64__)
    return __builtin_popcountll(word);
#else
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(word * 0x0101010101010101u >> 56);
#endif
}

/* The index of the lowest set bit; the word is not 0. */
INLINE int lowest(uint64_t word) { return __builtin_ctzll(word); }

/* Append the entries of a row that are marked, and return their new number. */
INLINE int64_t keep_marked(const int32_t *row, int64_t length, const uint64_t *marks, int32_t *kept, int64_t k) {
    for (int64_t j = 0; j < length; j++) {
        const int32_t x = row[j];
        kept[k] = x; /* counted only if it is marked: no branch to mispredict */
        k += (int64_t)(marks[x >> 6] >> (x & 63) & 1);
    }
    return k;
}

enum { ROWS_ASKED_AHEAD = 4, MOST_ASKED_OF_ROW = 48 };

/* Rows visited by label append to the rows of their members: what that will touch is asked for some rows before. */
INLINE void ask_for_members(int64_t n, int64_t label, const int64_t *indptr, const int32_t *indices,
                            const int32_t *order, const int32_t *labels, const int64_t *end) {
    if (label + 3 * ROWS_ASKED_AHEAD < n) PREFETCH(&indptr[order[label + 3 * ROWS_ASKED_AHEAD]]);
    if (label + 2 * ROWS_ASKED_AHEAD < n) {
        const int64_t first = indptr[order[label + 2 * ROWS_ASKED_AHEAD]];
        PREFETCH(&indices[first]);
        PREFETCH(&indices[first + 16]);
    }
    if (label + ROWS_ASKED_AHEAD >= n) return;
    const int32_t x = order[label + ROWS_ASKED_AHEAD], y = order[label + ROWS_ASKED_AHEAD / 2];
    for (int64_t p = indptr[x], stop = p + MOST_ASKED_OF_ROW; p < indptr[x + 1] && p < stop; p++)
        PREFETCH(&labels[indices[p]]);
    for (int64_t p = indptr[y], stop = p + MOST_ASKED_OF_ROW; p < indptr[y + 1] && p < stop; p++)
        PREFETCH(&end[labels[indices[p]]]);
}

/* The class of a degree: half a log2. */
INLINE int degree_class(int64_t degree) {
    if (degree < 2) return (int)degree;
    const int log = 63 - __builtin_clzll((uint64_t)degree);
    return 2 * log + (int)(degree >> (log - 1) & 1);
}

/* The number of entries of an ascending row that are smaller than `value`. */
INLINE int64_t below(const int32_t *row, int64_t length, int32_t value) {
    const int32_t *base = row;
    while (length > 1) {
        const int64_t half = length / 2;
        base += (base[half - 1] < value) * half;
        length -= half;
    }
    return base - row + (length == 1 && *base < value);
}

#endif

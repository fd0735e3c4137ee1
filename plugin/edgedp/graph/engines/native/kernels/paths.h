/* Walks of two steps from a source u to lower labels w, counted in one counter of w.
 *
 * Counters are not cleared between sources: what is at most `base` is a zero, and `base` rises by more than any count.
 *
 * Where the longest row of a source is that of a hub, that row is not walked at all: it is copied, as bytes, into the
 * lowest bits of the counters, the other rows add 2 each, and the hub's sum is one share a cell of its row, corrected
 * whenever another row meets such a cell. On graphs with hubs most paths go through the longest row (email-Enron 47 %,
 * musae-github 63 %).
 */
#ifndef EDGEDP_PATHS_H
#define EDGEDP_PATHS_H

#include "kernels.h"

#if EDGEDP_LEVEL == 2
#include <immintrin.h>
#endif

/* From this density on copying a row beats walking it; measured, flat between 1/32 and 1/64. */
#define HUB_ROW_DENSITY (1.0 / 64)
/* From this part of all paths on not walking a row makes up for what the others then cost more. */
#define HUB_ROW_PART (1.0 / 5)
#define MOST_CODED ((1 << 15) - 1) /* of a code 2 * count + bit in 16 bits */
#ifndef LAST_BASE /* a build that tests takes a small one, beyond which graphs of a test come */
#define LAST_BASE (1 << 30)
#endif

/* By code 2 * others + in_hub_row: a pair's share, and what the hub gains by one more neighbour. */
static int by_code(scratch *memory, const int64_t *shares, int64_t most, int64_t **by, int64_t **gains) {
    const int64_t coded = most < MOST_CODED ? most : MOST_CODED;
    int64_t *share = *by = ROOM(memory, SHARES_BY_CODE, 2 * coded + 4, int64_t);
    int64_t *gain = *gains = ROOM(memory, GAINS_BY_CODE, 2 * coded + 4, int64_t);
    if (share == NULL || gain == NULL) return 0;
    memset(share, 0, (size_t)(2 * coded + 4) * sizeof *share);
    memset(gain, 0, (size_t)(2 * coded + 4) * sizeof *gain);
    for (int64_t others = 0; others <= coded; others++) {
        share[2 * others] = shares[others];
        if (others < coded) share[2 * others + 1] = shares[others + 1];
        if (others + 1 < coded) gain[2 * others + 1] = shares[others + 2] - shares[others + 1];
    }
    return 1;
}

INLINE int pays_to_copy(int64_t longest, int64_t total, int64_t u, int64_t count) {
    return (double)longest > HUB_ROW_DENSITY * (double)u && (double)longest > HUB_ROW_PART * (double)total &&
           count <= MOST_CODED;
}

/* The middle nodes of a source, and the part of each one's row, indices[indptr[x] .. stop - 1], that is walked. */
typedef struct {
    const int32_t *middles;
    int64_t count;
    int64_t top; /* the one of the longest row */
    const int64_t *indptr;
    const int64_t *stops;
    const int32_t *indices;
} walk;

/* Write the codes of the labels below u: the hub's row, and 2 for each other row; 0 for the neighbours of u, whose pairs
 * have no share. Returns by how much the hub's sum then differs from a share a cell of its row. */
static int64_t walk_beside_hub(const uint8_t *hub_row, int64_t u, const walk *w, const int32_t *neighbors,
                               int64_t adjacent, uint16_t *codes, const int64_t *shares_by_code,
                               const int64_t *gains_by_code) {
    for (int64_t cell = 0; cell < u; cell++) codes[cell] = hub_row[cell];
    int64_t gained = 0;
    for (int64_t i = 0; i < w->count; i++) {
        if (i == w->top) continue;
        const int32_t *row = w->indices;
        for (int64_t p = w->indptr[w->middles[i]], stop = w->stops[i]; p < stop; p++) {
            const uint16_t code = codes[row[p]];
            gained += gains_by_code[code];
            codes[row[p]] = (uint16_t)(code + 2);
        }
    }
    for (int64_t i = 0; i < adjacent; i++) {
        const uint16_t code = codes[neighbors[i]];
        if (code & 1) gained -= shares_by_code[code];
        codes[neighbors[i]] = 0;
    }
    return gained;
}

/* Rows are scattered over memory: the beginning of one is asked for before it is needed. */
INLINE void ask_for_row(const int32_t *row) {
    PREFETCH(row);
    PREFETCH(row + 16);
    PREFETCH(row + 32);
    PREFETCH(row + 48);
}

/* Count every entry of the first row of a source, before which all counters are zeros. */
INLINE void begin_with_row(const int32_t *row, int64_t length, int32_t base, int32_t *counts) {
    int64_t i = 0;
#if EDGEDP_LEVEL == 2
    const __m512i one = _mm512_set1_epi32(base + 1);
    for (; i + 16 <= length; i += 16) _mm512_i32scatter_epi32(counts, _mm512_loadu_si512(row + i), one, 4);
#endif
    for (; i < length; i++) counts[row[i]] = base + 1;
}

/* Count every entry of a row, whose entries all differ: that is why sixteen counters may be raised at a time. */
INLINE void count_row(const int32_t *row, int64_t length, int32_t base, int32_t *counts) {
#if EDGEDP_LEVEL == 2
    const __m512i zero = _mm512_set1_epi32(base), one = _mm512_set1_epi32(1);
    for (int64_t i = 0; i < length; i += 16) {
        const __mmask16 lanes_left = length - i >= 16 ? 0xffff : (__mmask16)((1u << (length - i)) - 1);
        const __m512i at = _mm512_maskz_loadu_epi32(lanes_left, row + i);
        const __m512i before = _mm512_mask_i32gather_epi32(zero, lanes_left, at, counts, 4);
        _mm512_mask_i32scatter_epi32(counts, lanes_left, at, _mm512_add_epi32(_mm512_max_epi32(before, zero), one), 4);
    }
#else
    for (int64_t i = 0; i < length; i++) counts[row[i]] = (counts[row[i]] > base ? counts[row[i]] : base) + 1;
#endif
}

#if EDGEDP_LEVEL == 2
/* Eight shares from `first` on, 0 beyond the last. */
INLINE __m512i eight_shares(const int64_t *shares, int64_t most, int first) {
    const int64_t left = most + 1 - first;
    return _mm512_maskz_loadu_epi64(left >= 8 ? 0xff : left <= 0 ? 0 : (__mmask8)((1u << left) - 1), shares + first);
}
#endif

/* The sum of the shares of the counts of a row's entries; shares (most + 1). Most counts are below sixteen, whose
 * shares fit two registers. */
INLINE int64_t shares_of_row(const int32_t *row, int64_t length, int32_t base, const int32_t *counts,
                             const int64_t *shares, int64_t most) {
    (void)most;
    int64_t received = 0;
#if EDGEDP_LEVEL == 2
    const __m512i zero = _mm512_set1_epi32(base);
    const __m512i first = eight_shares(shares, most, 0), second = eight_shares(shares, most, 8);
    __m512i sum = _mm512_setzero_si512();
    int64_t i = 0;
    for (; i + 16 <= length; i += 16) {
        const __m512i at = _mm512_loadu_si512(row + i);
        const __m512i found = _mm512_sub_epi32(_mm512_i32gather_epi32(at, counts, 4), zero);
        const __m256i low = _mm512_castsi512_si256(found), high = _mm512_extracti64x4_epi64(found, 1);
        if (LIKELY(_mm512_cmpgt_epi32_mask(found, _mm512_set1_epi32(15)) == 0)) {
            sum = _mm512_add_epi64(sum, _mm512_permutex2var_epi64(first, _mm512_cvtepi32_epi64(low), second));
            sum = _mm512_add_epi64(sum, _mm512_permutex2var_epi64(first, _mm512_cvtepi32_epi64(high), second));
            continue;
        }
        sum = _mm512_add_epi64(sum, _mm512_i32gather_epi64(low, shares, 8));
        sum = _mm512_add_epi64(sum, _mm512_i32gather_epi64(high, shares, 8));
    }
    received = _mm512_reduce_add_epi64(sum);
    row += i;
    length -= i;
#endif
    for (int64_t j = 0; j < length; j++) received += shares[counts[row[j]] - base];
    return received;
}

#endif

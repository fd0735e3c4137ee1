/* Vectors as wide as the level has them: of bytes that count, and of bits, a vertex a bit.
 *
 * Rows of bits are added up in planes: plane p holds bit p of the sum of every vertex. A full adder takes two rows into
 * a plane and hands one carry on, so that a row costs about three operations for all vertices of a block together.
 */
#ifndef EDGEDP_VECTORS_H
#define EDGEDP_VECTORS_H

#include "kernels.h"

#if EDGEDP_LEVEL == 2
#include <immintrin.h>
enum { VECTOR_BYTES = 64 };
#elif EDGEDP_LEVEL == 1
#include <immintrin.h>
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t lanes;

INLINE vector load(const uint8_t *from) {
    vector found;
    memcpy(&found, from, sizeof found);
    return found;
}

INLINE void store(uint8_t *to, vector value) { memcpy(to, &value, sizeof value); }

#if EDGEDP_LEVEL == 2
INLINE int is_zero(vector v) { return _mm512_test_epi8_mask((__m512i)v, (__m512i)v) == 0; }
INLINE int count_equal(vector v, uint8_t value) {
    return ones(_mm512_cmpeq_epi8_mask((__m512i)v, _mm512_set1_epi8((char)value)));
}
INLINE lanes lanes_above(vector v, uint8_t value) {
    return _mm512_cmpgt_epu8_mask((__m512i)v, _mm512_set1_epi8((char)value));
}
#elif EDGEDP_LEVEL == 1
INLINE int is_zero(vector v) { return _mm256_testz_si256((__m256i)v, (__m256i)v); }
INLINE int count_equal(vector v, uint8_t value) {
    return ones((uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8((__m256i)v, _mm256_set1_epi8((char)value))));
}
INLINE lanes lanes_above(vector v, uint8_t value) {
    const __m256i next = _mm256_set1_epi8((char)(value + 1));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8((__m256i)v, next), (__m256i)v));
}
#else
INLINE int is_zero(vector v) {
    uint64_t halves[2];
    memcpy(halves, &v, sizeof v);
    return (halves[0] | halves[1]) == 0;
}
INLINE int count_equal(vector v, uint8_t value) {
    const vector equal = (vector)(v == value) & 1;
    uint64_t halves[2];
    memcpy(halves, &equal, sizeof equal);
    return (int)((halves[0] + halves[1]) * 0x0101010101010101u >> 56);
}
INLINE lanes lanes_above(vector v, uint8_t value) {
    const vector above = (vector)(v > value) & 0x80;
    uint64_t halves[2];
    memcpy(halves, &above, sizeof above);
    return (halves[0] >> 7) * 0x0102040810204080u >> 56 | (halves[1] >> 7) * 0x0102040810204080u >> 56 << 8;
}
#endif

/* Vertices that are counted at once: by four vectors of bytes, or by one of bits, which stands for eight. */
enum { MOST_IN_A_BYTE = 255, PLANES = 8, BYTE_BLOCK = 4 * VECTOR_BYTES, BIT_BLOCK = 8 * VECTOR_BYTES };

/* Add up byte rows, block by block, from `first` on; at most MOST_IN_A_BYTE of them beside what is counted. */
INLINE void add_byte_rows(uint8_t *counts, int64_t first, int64_t padded, const uint8_t **rows, int64_t count) {
    for (int64_t at = first; at < padded; at += BYTE_BLOCK) {
        vector a = load(counts + at), b = load(counts + at + VECTOR_BYTES), c = load(counts + at + 2 * VECTOR_BYTES),
               d = load(counts + at + 3 * VECTOR_BYTES);
        for (int64_t i = 0; i < count; i++) {
            const uint8_t *row = rows[i] + at;
            a += load(row);
            b += load(row + VECTOR_BYTES);
            c += load(row + 2 * VECTOR_BYTES);
            d += load(row + 3 * VECTOR_BYTES);
        }
        store(counts + at, a);
        store(counts + at + VECTOR_BYTES, b);
        store(counts + at + 2 * VECTOR_BYTES, c);
        store(counts + at + 3 * VECTOR_BYTES, d);
    }
}

/* Clear the counts from `first`, where a vector begins, to `end`. (A memset of unknown length costs more than that.) */
INLINE void clear_below(uint8_t *counts, int64_t first, int64_t end) {
    static const uint8_t kept[2 * VECTOR_BYTES] = {[VECTOR_BYTES ... 2 * VECTOR_BYTES - 1] = 0xff};
    const vector zero = {0};
    for (; first + VECTOR_BYTES <= end; first += VECTOR_BYTES) store(counts + first, zero);
    if (first < end) store(counts + first, load(counts + first) & load(kept + VECTOR_BYTES - (end - first)));
}

/* A row of bits is in bytes, the lowest bit first. */
INLINE void set_bit(uint8_t *row, int64_t vertex) { row[vertex >> 3] |= (uint8_t)(1 << (vertex & 7)); }

/* sum + a + b: what stays in the plane, and the carry. */
INLINE vector full_add(vector *sum, vector a, vector b) {
    const vector half = *sum ^ a, carry = (*sum & a) | (half & b);
    *sum = half ^ b;
    return carry;
}

INLINE void ripple(vector *planes, int from, int used, vector carry) {
    for (int p = from; p < used; p++) {
        const vector next = planes[p] & carry;
        planes[p] ^= carry;
        carry = next;
    }
}

/* Add `weight` to the counts of the block's vertices whose bit is set. */
#if EDGEDP_LEVEL == 2
INLINE void add_where(vector *counts, vector bits, uint8_t weight) {
    uint64_t words[8];
    memcpy(words, &bits, sizeof words);
    for (int j = 0; j < 8; j++)
        counts[j] = (vector)_mm512_mask_add_epi8((__m512i)counts[j], words[j], (__m512i)counts[j],
                                                 _mm512_set1_epi8((char)weight));
}
#elif EDGEDP_LEVEL == 1
INLINE void add_where(vector *counts, vector bits, uint8_t weight) {
    const __m256i byte_of_lane = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit_of_lane = _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    const __m256i one = _mm256_set1_epi8((char)weight);
    uint32_t words[8];
    memcpy(words, &bits, sizeof words);
    for (int j = 0; j < 8; j++) {
        const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)words[j]), byte_of_lane);
        const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit_of_lane), bit_of_lane);
        counts[j] = (vector)_mm256_add_epi8((__m256i)counts[j], _mm256_and_si256(set, one));
    }
}
#else
INLINE void add_where(vector *counts, vector bits, uint8_t weight) {
    uint8_t eights[16];
    uint64_t sums[16];
    memcpy(eights, &bits, sizeof eights);
    memcpy(sums, counts, sizeof sums);
    for (int j = 0; j < 16; j++) {
        const uint64_t spread = (eights[j] * 0x0101010101010101u & 0x8040201008040201u) + 0x7f7f7f7f7f7f7f7fu;
        sums[j] += (spread >> 7 & 0x0101010101010101u) * weight;
    }
    memcpy(counts, sums, sizeof sums);
}
#endif

/* `used`, enough planes for the sum, is a constant wherever this is inlined: the planes stay in registers. */
INLINE void add_in_planes(uint8_t *counts, int64_t first, int64_t padded, const uint8_t **rows, int64_t count,
                          const int used) {
    for (int64_t at = first; at < padded; at += BIT_BLOCK) {
        vector planes[PLANES] = {{0}};
        int64_t i = 0;
#define ROW(k) load(rows[i + (k)] + at / 8)
        if (used > 3)
            for (; i + 8 <= count; i += 8) {
                const vector a = full_add(&planes[0], ROW(0), ROW(1)), b = full_add(&planes[0], ROW(2), ROW(3));
                const vector c = full_add(&planes[0], ROW(4), ROW(5)), d = full_add(&planes[0], ROW(6), ROW(7));
                const vector e = full_add(&planes[1], a, b), f = full_add(&planes[1], c, d);
                ripple(planes, 3, used, full_add(&planes[2], e, f));
            }
        for (; i + 2 <= count; i += 2) ripple(planes, 1, used, full_add(&planes[0], ROW(0), ROW(1)));
        if (i < count) ripple(planes, 0, used, ROW(0));
#undef ROW
        vector sums[8];
        memcpy(sums, counts + at, sizeof sums);
        for (int p = 0; p < used; p++)
            if (!is_zero(planes[p])) add_where(sums, planes[p], (uint8_t)(1 << p));
        memcpy(counts + at, sums, sizeof sums);
    }
}

/* The same of rows of bits. */
INLINE void add_bit_rows(uint8_t *counts, int64_t first, int64_t padded, const uint8_t **rows, int64_t count) {
    if (count < 8)
        add_in_planes(counts, first, padded, rows, count, 3);
    else if (count < 32)
        add_in_planes(counts, first, padded, rows, count, 5);
    else
        add_in_planes(counts, first, padded, rows, count, PLANES);
}

#endif

/* Ego-betweenness, one ego network after the other.
 *
 * For a node c the edges among its neighbours are found by marking N(c) in a bit map and scanning the forward row
 * of each neighbour. Then the non-adjacent pairs of neighbours are counted by how many neighbours they share inside
 * N(c), in one of two ways:
 *
 *   small:  up to 64 vertices, one word of bits a vertex, AND and popcount;
 *   rows:   for a vertex u the rows of its neighbours are added up, counts[v] = |N(u) & N(v)|, in bytes where they
 *           can hold it. A row that is dense is added as bytes, a vector at a time; a sparse one entry by entry.
 *
 * The counts go into an integer histogram, and that alone into floating point, in ascending order: a value does not
 * depend on the order of the work, on the way, or on the level.
 *
 * Everett and Borgatti (2005), Ego network betweenness, Social Networks 27(1): the measure. */
#include "kernels.h"

/* Vectors of bytes, as wide as the level has them. */
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

/* Measured. */
enum {
    BYTE_ROW_SHARE = VECTOR_BYTES,  /* a row that holds this part of the vertices is added as bytes */
    BYTE_ROWS_MEMORY = 1 << 20,     /* bytes for the dense rows of one ego network: they stay in the second-level cache */
    FEW_PATHS = 8,                  /* a vertex that reaches this part of the others visits those alone */
};

enum { COPIES = 4 }; /* of the histogram: consecutive pairs often have equal counts, and one would wait for itself */

typedef struct {
    const int64_t *indptr;
    const int32_t *indices;
    const uint32_t *spans; /* of the forward rows, or NULL: the rows above a node serve as its forward row */
    const int32_t *forward;
    uint64_t *marks;
    int32_t *places;
    int32_t *row_ends; /* degree + 1: where the edges of each neighbour end */
    int32_t *ends;     /* their higher ends, as places in the row of the ego */
    int64_t capacity;  /* of ends */
    int64_t edges;
    scratch *memory;
} ego;

/* The sum of 1 / (1 + c) over the pairs apart; the histogram is cleared, its count 0 is not kept. */
INLINE double settle(int64_t apart, int64_t highest, int64_t *histogram, int64_t stride) {
    int64_t alone = apart;
    double shared = 0.0;
    for (int64_t c = 0; c <= highest; c++) {
        int64_t pairs = 0;
        for (int copy = 0; copy < COPIES; copy++) {
            pairs += histogram[copy * stride + c];
            histogram[copy * stride + c] = 0;
        }
        if (c == 0 || pairs == 0) continue;
        shared += (double)pairs / (double)(c + 1);
        alone -= pairs;
    }
    return (double)alone + shared;
}

/* Rows are scattered over memory: they are asked for before they are needed, those of the first AHEAD neighbours
 * while the ego networks before are worked on. */
enum { AHEAD = 32 };

INLINE void fetch_span(const ego *e, int32_t u) { PREFETCH(&e->spans[2 * (int64_t)u]); }

INLINE void fetch_row(const ego *e, int32_t u) {
    const int32_t *row = e->forward + e->spans[2 * (int64_t)u];
    PREFETCH(row);
    PREFETCH(row + 16);
}

INLINE void fetch_ahead(const ego *e, int64_t node, int rows) {
    const int64_t begin = e->indptr[node], degree = e->indptr[node + 1] - begin;
    const int64_t first = degree < AHEAD ? degree : AHEAD;
    for (int64_t i = 0; i < first; i++)
        if (rows)
            fetch_row(e, e->indices[begin + i]);
        else
            fetch_span(e, e->indices[begin + i]);
}

/* List the edges among the neighbours, by their lower end. */
static int list_edges(ego *e, const int32_t *neighbors, int64_t degree) {
    uint64_t *marks = e->marks;
    int32_t *places = e->places, *row_ends = e->row_ends;
    for (int64_t i = 0; i < degree; i++) {
        marks[neighbors[i] >> 6] |= UINT64_C(1) << (neighbors[i] & 63);
        places[neighbors[i]] = (int32_t)i;
    }
    int64_t k = 0;
    row_ends[0] = 0;
    for (int64_t i = 0; i < degree - 1; i++) {
        const int32_t u = neighbors[i];
        const int32_t *row;
        int64_t length;
        if (e->spans != NULL) {
            if (i + 16 < degree && i + 16 >= AHEAD) fetch_span(e, neighbors[i + 16]);
            if (i + 8 < degree && i + 8 >= AHEAD) fetch_row(e, neighbors[i + 8]);
            row = e->forward + e->spans[2 * (int64_t)u];
            length = e->spans[2 * (int64_t)u + 1];
        } else {
            row = e->indices + e->indptr[u];
            length = e->indptr[u + 1] - e->indptr[u];
            const int64_t passed = below(row, length, u);
            row += passed;
            length -= passed;
        }
        const int64_t rest = degree - 1 - i;
        if (UNLIKELY(k + (length < rest ? length : rest) + 32 > e->capacity)) {
            e->ends = ROOM(e->memory, ENDS, 2 * (k + rest) + 1024, int32_t);
            if (e->ends == NULL) return 0;
            e->capacity = 2 * (k + rest) + 1024;
        }
        int32_t *ends = e->ends;
        if (length > 8 * rest + 8) {
            for (int64_t j = i + 1; j < degree && length > 0; j++) {
                const int64_t passed = below(row, length, neighbors[j]);
                row += passed;
                length -= passed;
                if (length > 0 && *row == neighbors[j]) ends[k++] = (int32_t)j;
            }
        } else {
            const int64_t first = k;
            k = keep_marked(row, length, marks, ends, k);
            for (int64_t j = first; j < k; j++) ends[j] = places[ends[j]];
        }
        row_ends[i + 1] = (int32_t)k;
    }
    row_ends[degree] = (int32_t)k;
    for (int64_t i = 0; i < degree; i++) marks[neighbors[i] >> 6] = 0;
    e->edges = k;
    return 1;
}

/* Small: one word a vertex. */
static double count_small(const ego *e, int64_t degree, int64_t size, const int32_t *names, int64_t apart,
                          int64_t *histogram, int64_t stride) {
    uint64_t rows[64];
    memset(rows, 0, (size_t)size * sizeof *rows);
    for (int64_t i = 0; i < degree; i++) {
        const int64_t a = names == NULL ? i : names[i];
        for (int32_t p = e->row_ends[i]; p < e->row_ends[i + 1]; p++) {
            const int32_t b = names == NULL ? e->ends[p] : names[e->ends[p]];
            rows[a] |= UINT64_C(1) << b;
            rows[b] |= UINT64_C(1) << a;
        }
    }
    int highest = 0;
    for (int64_t u = 0; u < size - 1; u++) {
        const uint64_t row = rows[u];
        uint64_t met = 0;
        for (uint64_t left = row; left != 0; left &= left - 1) met |= rows[lowest(left)];
        met &= ~row & (~UINT64_C(0) << u << 1);
        for (; met != 0; met &= met - 1) {
            const int v = lowest(met);
            const int shared = ones(row & rows[v]);
            histogram[shared + (v & 3) * stride]++;
            highest = shared > highest ? shared : highest;
        }
    }
    return settle(apart, highest, histogram, stride);
}

/* Rows: both ends of every edge, ascending. `above` holds where the part of a row beyond the current vertex begins;
 * `bytes` the same row as a byte a vertex, or -1 where it is too sparse for that to pay. */
typedef struct {
    int64_t size;
    int64_t padded; /* size, rounded up to whole blocks */
    const int32_t *starts;
    int32_t *above;
    const int32_t *cells;
    const int64_t *byte_row;
    const uint8_t *byte_rows;
    uint8_t *narrow;  /* a counter a vertex, zeros */
    uint32_t *wide;   /* the same for vertices of more neighbours than a byte counts, zeros */
    const uint8_t **dense;
    int32_t *touched;
    int64_t *histogram;
    int64_t stride;
} inner;

enum { MOST_IN_A_BYTE = 255, BLOCK = 4 * VECTOR_BYTES };

/* Add up byte rows, block by block, from `first` on; at most MOST_IN_A_BYTE of them beside what is counted. */
INLINE void add_byte_rows(uint8_t *counts, int64_t first, int64_t padded, const uint8_t **rows, int64_t count) {
    for (int64_t at = first; at < padded; at += BLOCK) {
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

/* Put the counts from `first` on into the histogram, and clear them: the small ones, which are most, many at a time. */
INLINE void sweep(uint8_t *counts, int64_t first, int64_t padded, int64_t *histogram, int64_t stride) {
    enum { SMALL = 4 };
    const vector zero = {0};
    int64_t found[SMALL] = {0};
    for (int64_t at = first; at < padded; at += VECTOR_BYTES) {
        const vector c = load(counts + at);
        if (is_zero(c)) continue;
        store(counts + at, zero);
        for (int value = 1; value <= SMALL; value++) found[value - 1] += count_equal(c, (uint8_t)value);
        for (lanes left = lanes_above(c, SMALL); left != 0; left &= left - 1) {
            const int lane = lowest(left);
            histogram[((const uint8_t *)&c)[lane] + (lane & 3) * stride]++;
        }
    }
    for (int value = 1; value <= SMALL; value++) histogram[value] += found[value - 1];
}

/* (Stores of bytes may be stores to anything, as far as a compiler knows: what is read again is held aside.) */
INLINE void count_few(const inner *in, int32_t begin, int32_t end) {
    const int32_t * cells = in->cells, * starts = in->starts, * above = in->above;
    uint32_t *counts = in->wide;
    int32_t *touched = in->touched;
    int64_t met = 0;
    for (int32_t p = begin; p < end; p++) counts[cells[p]] = UINT32_C(1) << 31; /* adjacent pairs do not count */
    for (int32_t p = begin; p < end; p++) {
        const int32_t w = cells[p];
        for (int32_t q = above[w], stop = starts[w + 1]; q < stop; q++) {
            const int32_t v = cells[q];
            const uint32_t reached = counts[v];
            touched[met] = v;
            met += reached == 0;
            counts[v] = reached + 1;
        }
    }
    for (int64_t i = 0; i < met; i++) {
        in->histogram[counts[touched[i]] + (i & 3) * in->stride]++;
        counts[touched[i]] = 0;
    }
    for (int32_t p = begin; p < end; p++) counts[cells[p]] = 0;
}

INLINE void count_narrow(const inner *in, int64_t u, int32_t begin, int32_t end) {
    const int32_t * cells = in->cells, * starts = in->starts, * above = in->above;
    uint8_t *counts = in->narrow;
    const int64_t first = (u + 1) & ~(int64_t)(BLOCK - 1);
    int64_t dense = 0;
    for (int32_t p = begin; p < end; p++) {
        const int32_t w = cells[p];
        if (in->byte_row[w] >= 0)
            in->dense[dense++] = in->byte_rows + in->byte_row[w];
        else
            for (int32_t q = above[w], stop = starts[w + 1]; q < stop; q++) counts[cells[q]]++;
    }
    add_byte_rows(counts, first, in->padded, in->dense, dense);
    for (int32_t p = begin; p < end; p++) counts[cells[p]] = 0;
    memset(counts + first, 0, (size_t)(u + 1 - first));
    sweep(counts, (u + 1) & ~(int64_t)(VECTOR_BYTES - 1), in->padded, in->histogram, in->stride);
}

static void count_wide(const inner *in, int64_t u, int32_t begin, int32_t end) {
    const int32_t * cells = in->cells, * starts = in->starts, * above = in->above;
    uint32_t *counts = in->wide;
    const int64_t first = (u + 1) & ~(int64_t)(BLOCK - 1);
    int64_t dense = 0;
    for (int32_t p = begin; p <= end; p++) {
        if (dense == MOST_IN_A_BYTE || p == end) {
            add_byte_rows(in->narrow, first, in->padded, in->dense, dense);
            for (int64_t v = first; v < in->padded; v++) counts[v] += in->narrow[v];
            memset(in->narrow + first, 0, (size_t)(in->padded - first));
            dense = 0;
        }
        if (p == end) break;
        const int32_t w = cells[p];
        if (in->byte_row[w] >= 0)
            in->dense[dense++] = in->byte_rows + in->byte_row[w];
        else
            for (int32_t q = above[w], stop = starts[w + 1]; q < stop; q++) counts[cells[q]]++;
    }
    for (int32_t p = begin; p < end; p++) counts[cells[p]] = 0;
    for (int64_t v = u + 1; v < in->size; v++) in->histogram[counts[v] + (v & 3) * in->stride]++;
    memset(counts + first, 0, (size_t)(in->padded - first) * sizeof *counts);
}

static void count_rows(const inner *in) {
    for (int64_t u = 0; u < in->size; u++) {
        const int32_t begin = in->starts[u], end = in->starts[u + 1];
        int64_t paths = 0;
        for (int32_t p = begin; p < end; p++) {
            const int32_t w = in->cells[p];
            paths += in->starts[w + 1] - ++in->above[w]; /* past u itself, which the row of w holds */
        }
        if (paths == 0) continue;
        if (FEW_PATHS * paths < in->size - u)
            count_few(in, begin, end);
        else if (end - begin <= MOST_IN_A_BYTE)
            count_narrow(in, u, begin, end);
        else
            count_wide(in, u, begin, end);
    }
}

/* Give the densest rows a byte a vertex, as many as fit; return the bytes used. */
static int64_t place_byte_rows(int64_t size, int64_t padded, const int32_t *starts, int64_t *byte_row) {
    int64_t least = size / BYTE_ROW_SHARE + 1, used;
    do {
        used = 0;
        for (int64_t w = 0; w < size; w++) {
            const int dense = starts[w + 1] - starts[w] >= least;
            byte_row[w] = dense ? used : -1;
            used += dense ? padded : 0;
        }
        least += least / 4 + 1;
    } while (used > BYTE_ROWS_MEMORY);
    return used;
}

static void rows_of_both_ends(const ego *e, int64_t degree, int64_t size, const int32_t *names,
                             const int32_t *inner_degrees, int32_t *starts, int32_t *cursors, int32_t *cells) {
    int32_t reached = 0;
    for (int64_t i = 0; i < degree; i++) {
        if (inner_degrees[i] == 0) continue;
        starts[names[i]] = cursors[names[i]] = reached;
        reached += inner_degrees[i];
    }
    starts[size] = reached;
    for (int64_t i = 0; i < degree; i++)
        for (int32_t p = e->row_ends[i]; p < e->row_ends[i + 1]; p++)
            cells[cursors[names[e->ends[p]]]++] = names[i]; /* lower ends first, ascending */
    for (int64_t i = 0; i < degree; i++)
        for (int32_t p = e->row_ends[i]; p < e->row_ends[i + 1]; p++)
            cells[cursors[names[i]]++] = names[e->ends[p]];
    memcpy(cursors, starts, (size_t)size * sizeof *starts);
}

/* Write the ego-betweenness of nodes[i] to values[i].
 *
 * indptr, indices: rows of all neighbours. spans (n, 2), forward: start and length of each forward row, and the
 * rows; or NULL both, for a few nodes of a graph as it is. largest: no less than the largest degree asked for. */
KERNEL(ebc)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, const uint32_t *spans,
            const int32_t *forward, int64_t largest, int64_t count, const int64_t *nodes, double *values) {
    ego e = {.indptr = indptr, .indices = indices, .spans = spans, .forward = forward, .memory = memory};
    e.marks = ROOM(memory, MARKS, (n >> 6) + 1, uint64_t);
    e.places = ROOM(memory, PLACES, n, int32_t);
    e.row_ends = ROOM(memory, ROW_ENDS, largest + 1, int32_t);
    e.capacity = 1 << 14;
    e.ends = ROOM(memory, ENDS, e.capacity, int32_t);
    int32_t *inner_degrees = ROOM(memory, INNER_DEGREES, largest, int32_t);
    int32_t *names = ROOM(memory, NAMES, largest, int32_t);
    int32_t *starts = ROOM(memory, STARTS, largest + 1, int32_t);
    int32_t *cursors = ROOM(memory, CURSORS, largest, int32_t);
    int32_t *touched = ROOM(memory, TOUCHED, largest, int32_t);
    int64_t *byte_row = ROOM(memory, BYTE_ROW_STARTS, largest, int64_t);
    const uint8_t **dense = ROOM(memory, DENSE, MOST_IN_A_BYTE, const uint8_t *);
    int64_t *histogram = ROOM(memory, HISTOGRAM, COPIES * (largest + 65), int64_t);
    if (e.marks == NULL || e.places == NULL || e.row_ends == NULL || e.ends == NULL || inner_degrees == NULL ||
        names == NULL || starts == NULL || cursors == NULL || touched == NULL || histogram == NULL ||
        byte_row == NULL || dense == NULL)
        return NO_MEMORY;
    inner in = {.starts = starts, .above = cursors, .byte_row = byte_row, .dense = dense, .touched = touched,
                .histogram = histogram};

    for (int64_t position = 0; position < count; position++) {
        const int64_t c = nodes[position];
        const int32_t *neighbors = indices + indptr[c];
        const int64_t degree = indptr[c + 1] - indptr[c];
        if (degree > largest) return REFUSED;
        if (spans != NULL) {
            if (position + 2 < count) fetch_ahead(&e, nodes[position + 2], 0);
            if (position + 1 < count) fetch_ahead(&e, nodes[position + 1], 1);
        }
        if (degree < 2) {
            values[position] = 0.0;
            continue;
        }
        if (!list_edges(&e, neighbors, degree)) return NO_MEMORY;
        const int64_t apart = degree * (degree - 1) / 2 - e.edges;
        if (e.edges < 2 || apart == 0) {
            values[position] = (double)apart;
            continue;
        }
        if (degree <= 64) {
            values[position] = count_small(&e, degree, degree, NULL, apart, histogram, 65);
            continue;
        }
        for (int64_t i = 0; i < degree; i++) inner_degrees[i] = e.row_ends[i + 1] - e.row_ends[i];
        for (int64_t p = 0; p < e.edges; p++) inner_degrees[e.ends[p]]++;
        int64_t size = 0, wedges = 0;
        for (int64_t i = 0; i < degree; i++) {
            names[i] = (int32_t)size;
            size += inner_degrees[i] > 0;
            wedges += (int64_t)inner_degrees[i] * (inner_degrees[i] - 1) / 2;
        }
        if (wedges == 0) {
            values[position] = (double)apart;
            continue;
        }
        if (size <= 64) {
            values[position] = count_small(&e, degree, size, names, apart, histogram, 65);
            continue;
        }
        in.size = size;
        in.stride = size + 2;
        in.padded = (size + BLOCK - 1) & ~(int64_t)(BLOCK - 1);
        int32_t *cells = ROOM(memory, CELLS, 2 * e.edges, int32_t);
        in.narrow = ROOM(memory, NARROW_COUNTS, in.padded, uint8_t);
        in.wide = ROOM(memory, WIDE_COUNTS, in.padded, uint32_t);
        if (cells == NULL || in.narrow == NULL || in.wide == NULL) return NO_MEMORY;
        rows_of_both_ends(&e, degree, size, names, inner_degrees, starts, cursors, cells);
        const int64_t used = place_byte_rows(size, in.padded, starts, byte_row);
        uint8_t *byte_rows = ROOM(memory, BYTE_ROWS, used, uint8_t);
        if (byte_rows == NULL) return NO_MEMORY;
        for (int64_t w = 0; w < size; w++)
            if (byte_row[w] >= 0)
                for (int32_t p = starts[w]; p < starts[w + 1]; p++) byte_rows[byte_row[w] + cells[p]] = 1;
        in.cells = cells;
        in.byte_rows = byte_rows;
        count_rows(&in);
        memset(byte_rows, 0, (size_t)used);
        values[position] = settle(apart, size, histogram, in.stride);
    }
    return OK;
}

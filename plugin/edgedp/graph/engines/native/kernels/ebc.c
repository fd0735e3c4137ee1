/* Ego-betweenness, one ego network after the other.
 *
 * For a node c the edges among its neighbours are found by marking N(c) in a bit map and scanning the forward row
 * of each neighbour. Then the non-adjacent pairs of neighbours are counted by how many neighbours they share inside
 * N(c), in one of two ways:
 *
 *   small:  up to 64 vertices, one word of bits a vertex, AND and popcount;
 *   rows:   for a vertex u the rows of its neighbours are added up, counts[v] = |N(u) & N(v)|, in bytes where they
 *           can hold it. Rows that are dense are added a vector at a time, as bytes or, in
 *           the ego network of a hub, as bits (vectors.h); sparse ones entry by entry.
 *
 * The counts go into an integer histogram, and that alone into floating point, in ascending order, of a hub its whole
 * parts as integers: a value does not depend on the order of the work, on the way, or on the level.
 *
 * Everett and Borgatti (2005), Ego network betweenness, Social Networks 27(1): the measure. */
#include "kernels.h"
#include "vectors.h"

/* Measured. */
enum {
    BITS_BEYOND = 1024,            /* vertices: so many, and dense rows are kept as bits and not as bytes */
    DENSE_SHARE = VECTOR_BYTES,    /* a row that holds this part of the vertices is added as bytes, */
    DENSE_LEAST = 24,              /* as bits if it holds half as many and so many beside */
    DENSE_MEMORY = 1 << 20,        /* bytes for the dense rows of one ego network: they stay in the caches */
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

/* Up to this degree the error of floats that are added stays below an eighth of a step of the grid of scores. */
enum { FLOATS_UP_TO = 1 << 15 };

/* The sum of 1 / (1 + c) over the pairs apart; the histogram is cleared, its count 0 is not kept.
 *
 * One float is added for every different count, and its error grows with their number. So beyond FLOATS_UP_TO whole
 * parts are added as integers, and of each count a rest below 1 as a float (docs/privacy.md, "Grid"). */
INLINE double settle(int64_t apart, int64_t highest, int64_t *histogram, int64_t stride, int exactly) {
    int64_t whole = apart;
    double rest = 0.0;
    for (int64_t c = 0; c <= highest; c++) {
        int64_t pairs = 0;
        for (int copy = 0; copy < COPIES; copy++) {
            pairs += histogram[copy * stride + c];
            histogram[copy * stride + c] = 0;
        }
        if (c == 0 || pairs == 0) continue;
        const int64_t quotient = exactly ? pairs / (c + 1) : 0;
        rest += (double)(pairs - quotient * (c + 1)) / (double)(c + 1);
        whole += quotient - pairs;
    }
    return (double)whole + rest;
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
    return settle(apart, highest, histogram, stride, 0);
}

/* Rows: both ends of every edge, ascending. `above` holds where the part of a row beyond the current vertex begins;
 * `dense_row` where the same row is as a byte or a bit a vertex, or -1 where it is too sparse for that to pay. */
typedef struct {
    int64_t size;
    int64_t block;  /* what dense rows are added up by: BIT_BLOCK, or BYTE_BLOCK */
    int64_t padded; /* size, rounded up to whole blocks */
    const int32_t *starts;
    int32_t *above;
    const int32_t *cells;
    const int64_t *dense_row;
    const uint8_t *dense_rows;
    uint8_t *narrow;  /* a counter a vertex, zeros */
    uint32_t *wide;   /* the same for vertices of more neighbours than a byte counts, zeros */
    const uint8_t **dense;
    int32_t *touched;
    int64_t *histogram;
    int64_t stride;
} inner;

INLINE void add_rows(const inner *in, uint8_t *counts, int64_t first, int64_t count) {
    if (in->block == BIT_BLOCK)
        add_bit_rows(counts, first, in->padded, in->dense, count);
    else
        add_byte_rows(counts, first, in->padded, in->dense, count);
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
    const int64_t first = (u + 1) & ~(in->block - 1);
    int64_t dense = 0;
    for (int32_t p = begin; p < end; p++) {
        const int32_t w = cells[p];
        if (in->dense_row[w] >= 0)
            in->dense[dense++] = in->dense_rows + in->dense_row[w];
        else
            for (int32_t q = above[w], stop = starts[w + 1]; q < stop; q++) counts[cells[q]]++;
    }
    add_rows(in, counts, first, dense);
    for (int32_t p = begin; p < end; p++) counts[cells[p]] = 0;
    clear_below(counts, first, u + 1);
    sweep(counts, (u + 1) & ~(int64_t)(VECTOR_BYTES - 1), in->padded, in->histogram, in->stride);
}

static void count_wide(const inner *in, int64_t u, int32_t begin, int32_t end) {
    const int32_t * cells = in->cells, * starts = in->starts, * above = in->above;
    uint32_t *counts = in->wide;
    const int64_t first = (u + 1) & ~(in->block - 1);
    int64_t dense = 0;
    for (int32_t p = begin; p <= end; p++) {
        if (dense == MOST_IN_A_BYTE || p == end) {
            add_rows(in, in->narrow, first, dense);
            for (int64_t v = first; v < in->padded; v++) counts[v] += in->narrow[v];
            memset(in->narrow + first, 0, (size_t)(in->padded - first));
            dense = 0;
        }
        if (p == end) break;
        const int32_t w = cells[p];
        if (in->dense_row[w] >= 0)
            in->dense[dense++] = in->dense_rows + in->dense_row[w];
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

/* Choose the densest rows, as many as fit; return the bytes that they take. */
static int64_t place_dense_rows(const inner *in, int64_t *dense_row) {
    const int bits = in->block == BIT_BLOCK;
    const int64_t length = bits ? in->padded / 8 : in->padded;
    int64_t least = bits ? in->size / (2 * DENSE_SHARE) + DENSE_LEAST : in->size / DENSE_SHARE + 1, used;
    do {
        used = 0;
        for (int64_t w = 0; w < in->size; w++) {
            const int dense = in->starts[w + 1] - in->starts[w] >= least;
            dense_row[w] = dense ? used : -1;
            used += dense ? length : 0;
        }
        least += least / 4 + 1;
    } while (used > DENSE_MEMORY);
    return used;
}

static void fill_dense_rows(const inner *in, uint8_t *dense_rows) {
    for (int64_t w = 0; w < in->size; w++) {
        if (in->dense_row[w] < 0) continue;
        uint8_t *row = dense_rows + in->dense_row[w];
        if (in->block == BIT_BLOCK)
            for (int32_t p = in->starts[w]; p < in->starts[w + 1]; p++) set_bit(row, in->cells[p]);
        else
            for (int32_t p = in->starts[w]; p < in->starts[w + 1]; p++) row[in->cells[p]] = 1;
    }
}

/* Name the vertices by ascending inner degree: the many rows of a hub are then added up for the few vertices behind it.
 * starts (size + 1) out. */
static void name_by_degree(int64_t degree, int64_t size, const int32_t *inner_degrees, int32_t *names,
                           int32_t *starts) {
    memset(starts, 0, (size_t)(size + 1) * sizeof *starts);
    for (int64_t i = 0; i < degree; i++)
        if (inner_degrees[i] > 0) starts[inner_degrees[i] + 1]++;
    for (int64_t d = 0; d < size; d++) starts[d + 1] += starts[d];
    for (int64_t i = 0; i < degree; i++)
        if (inner_degrees[i] > 0) names[i] = starts[inner_degrees[i]]++;
    for (int64_t i = 0; i < degree; i++)
        if (inner_degrees[i] > 0) starts[names[i]] = inner_degrees[i];
    int32_t reached = 0;
    for (int64_t a = 0; a <= size; a++) {
        const int32_t own = a < size ? starts[a] : 0;
        starts[a] = reached;
        reached += own;
    }
}

/* Write both ends of every edge, the rows ascending, vertices by degree: cells (2 edges), with as much room behind for
 * rows as they come. cursors (size) is starts at the end. */
static void rows_by_degree(const ego *e, int64_t degree, int64_t size, int32_t *names, const int32_t *inner_degrees,
                           int32_t *starts, int32_t *cursors, int32_t *cells) {
    int32_t *mixed = cells + 2 * e->edges;
    name_by_degree(degree, size, inner_degrees, names, starts);
    memcpy(cursors, starts, (size_t)size * sizeof *starts);
    for (int64_t i = 0; i < degree; i++)
        for (int32_t p = e->row_ends[i]; p < e->row_ends[i + 1]; p++) {
            const int32_t a = names[i], b = names[e->ends[p]];
            mixed[cursors[a]++] = b;
            mixed[cursors[b]++] = a;
        }
    memcpy(cursors, starts, (size_t)size * sizeof *starts);
    for (int32_t a = 0; a < size; a++)
        for (int32_t p = starts[a]; p < starts[a + 1]; p++) cells[cursors[mixed[p]]++] = a;
    memcpy(cursors, starts, (size_t)size * sizeof *starts);
}

/* The same with the names that the vertices have, which ascend already. */
static void rows_as_they_are(const ego *e, int64_t degree, int64_t size, const int32_t *names,
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
    int64_t *dense_row = ROOM(memory, DENSE_ROW_STARTS, largest, int64_t);
    const uint8_t **dense = ROOM(memory, DENSE, MOST_IN_A_BYTE, const uint8_t *);
    int64_t *histogram = ROOM(memory, HISTOGRAM, COPIES * (largest + 65), int64_t);
    if (e.marks == NULL || e.places == NULL || e.row_ends == NULL || e.ends == NULL || inner_degrees == NULL ||
        names == NULL || starts == NULL || cursors == NULL || touched == NULL || histogram == NULL ||
        dense_row == NULL || dense == NULL)
        return NO_MEMORY;
    inner in = {.starts = starts, .above = cursors, .dense_row = dense_row, .dense = dense, .touched = touched,
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
        in.block = size > BITS_BEYOND ? BIT_BLOCK : BYTE_BLOCK;
        in.padded = (size + in.block - 1) & ~(in.block - 1);
        int32_t *cells = ROOM(memory, CELLS, 4 * e.edges, int32_t);
        in.narrow = ROOM(memory, NARROW_COUNTS, in.padded, uint8_t);
        in.wide = ROOM(memory, WIDE_COUNTS, in.padded, uint32_t);
        if (cells == NULL || in.narrow == NULL || in.wide == NULL) return NO_MEMORY;
        if (size > BITS_BEYOND)
            rows_by_degree(&e, degree, size, names, inner_degrees, starts, cursors, cells);
        else
            rows_as_they_are(&e, degree, size, names, inner_degrees, starts, cursors, cells);
        in.cells = cells;
        const int64_t used = place_dense_rows(&in, dense_row);
        uint8_t *dense_rows = ROOM(memory, DENSE_ROWS, used, uint8_t);
        if (dense_rows == NULL) return NO_MEMORY;
        fill_dense_rows(&in, dense_rows);
        in.dense_rows = dense_rows;
        count_rows(&in);
        memset(dense_rows, 0, (size_t)used);
        values[position] = settle(apart, size, histogram, in.stride, degree > FLOATS_UP_TO);
    }
    return OK;
}

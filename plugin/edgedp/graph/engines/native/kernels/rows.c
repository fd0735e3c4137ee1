/* Rows of neighbours: made from edges, checked, put under new labels. */
#include "kernels.h"

/* Places of memory are asked for so many entries before they are needed, and what they say half as many before. */
enum { ASKED_AHEAD = 32, READ_AHEAD = 16 };

INLINE int32_t higher(const int32_t *pair) { return pair[0] > pair[1] ? pair[0] : pair[1]; }
INLINE int32_t lower(const int32_t *pair) { return pair[0] < pair[1] ? pair[0] : pair[1]; }

/* Build the rows of a simple undirected graph from pairs, by two transposes.
 *
 * Every pair is put into the bucket of its higher end; visiting the buckets in order appends to the row of each
 * lower end its higher neighbours, ascending, where parallel pairs meet and merge; visiting those rows in order
 * gives each row its lower neighbours, ascending.
 *
 * n; count pairs (count, 2) of positions in 0 .. n - 1; indptr (n + 1) out; bucket (count) and upper (count)
 * memory; *edges out. `fill_rows` then writes indices (2 * edges), which the caller makes room for. */
KERNEL(upper_rows)(scratch *memory, int64_t n, int64_t count, const int32_t *pairs, int64_t *indptr,
                   int32_t *bucket, int32_t *upper, int64_t *edges) {
    int64_t *start = ROOM(memory, OFFSETS, 2 * (n + 2), int64_t);
    if (start == NULL) return NO_MEMORY;
    int64_t *place = start + n + 2;
    memset(start, 0, (size_t)(2 * (n + 2)) * sizeof *start);
    for (int64_t i = 0; i < count; i++) {
        const int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        if (UNLIKELY((uint32_t)a >= (uint64_t)n || (uint32_t)b >= (uint64_t)n)) return REFUSED;
        if (a == b) continue;
        start[(a > b ? a : b) + 1]++;
        place[(a < b ? a : b) + 1]++;
    }
    for (int64_t v = 0; v < n; v++) {
        start[v + 1] += start[v];
        place[v + 1] += place[v];
    }
    memcpy(indptr, place, (size_t)(n + 1) * sizeof *place); /* where the row of each lower end begins, for now */
    for (int64_t i = 0; i < count; i++) {
        const int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        if (i + ASKED_AHEAD < count) { /* all ends are in range: the first loop saw them */
            PREFETCH(&start[higher(pairs + 2 * (i + ASKED_AHEAD))]);
            PREFETCH(&bucket[start[higher(pairs + 2 * (i + READ_AHEAD))]]);
        }
        if (a != b) bucket[start[higher(pairs + 2 * i)]++] = lower(pairs + 2 * i);
    }
    int64_t first = 0, found = 0;
    for (int64_t high = 0; high < n; high++) {
        for (int64_t p = first; p < start[high]; p++) {
            const int32_t low = bucket[p];
            if (p + ASKED_AHEAD < start[n - 1]) { /* where the last bucket ends */
                PREFETCH(&place[bucket[p + ASKED_AHEAD]]);
                PREFETCH(&indptr[bucket[p + ASKED_AHEAD]]);
                PREFETCH(&upper[place[bucket[p + READ_AHEAD]]]);
            }
            const int64_t end = place[low];
            if (end > indptr[low] && upper[end - 1] == high) continue;
            upper[end] = (int32_t)high;
            place[low] = end + 1;
            found++;
        }
        first = start[high];
    }
    *edges = found;
    return OK;
}

/* Finish what `upper_rows` began, with the same scratch. */
KERNEL(fill_rows)(scratch *memory, int64_t n, int64_t *indptr, const int32_t *upper, int32_t *indices) {
    int64_t *length = ROOM(memory, OFFSETS, 2 * (n + 2), int64_t);
    if (length == NULL) return NO_MEMORY;
    const int64_t *stop = length + n + 2; /* where each upper row ends, left there by upper_rows */
    memset(length, 0, (size_t)(n + 1) * sizeof *length);
    for (int64_t low = 0; low < n; low++) {
        length[low] += stop[low] - indptr[low];
        for (int64_t p = indptr[low]; p < stop[low]; p++) length[upper[p]]++;
    }
    int64_t reached = 0;
    for (int64_t v = 0; v < n; v++) {
        const int64_t own = length[v];
        length[v] = reached; /* from here on: where the next neighbour of v goes */
        reached += own;
    }
    for (int64_t low = 0; low < n; low++) {
        const int64_t from = indptr[low], count = stop[low] - from;
        for (int64_t p = from; p < stop[low]; p++) {
            if (p + ASKED_AHEAD < stop[low]) {
                PREFETCH(&length[upper[p + ASKED_AHEAD]]);
                PREFETCH(&indices[length[upper[p + READ_AHEAD]]]);
            }
            indices[length[upper[p]]++] = (int32_t)low;
        }
        memcpy(indices + length[low], upper + from, (size_t)count * sizeof *indices);
        length[low] += count; /* no lower neighbour comes after: v itself is the next higher low */
    }
    indptr[0] = 0;
    for (int64_t v = 0; v < n; v++) indptr[v + 1] = length[v];
    return OK;
}

/* Refuse rows that are not those of a simple undirected graph: neighbours in range, strictly ascending, not the
 * node itself, and every edge in both of its rows. Nodes are visited in order, so the next unmatched entry in the
 * row of each neighbour must be the node visited. */
KERNEL(check_rows)(scratch *memory, int64_t n, int64_t length, const int64_t *indptr, const int32_t *indices) {
    int64_t *next = ROOM(memory, OFFSETS, n, int64_t);
    if (next == NULL) return NO_MEMORY;
    if (indptr[0] != 0 || indptr[n] != length) return REFUSED;
    for (int64_t v = 0; v < n; v++) {
        if (indptr[v] > indptr[v + 1] || indptr[v + 1] > length) return REFUSED;
        next[v] = indptr[v];
    }
    for (int64_t v = 0; v < n; v++) {
        int64_t before = -1;
        for (int64_t p = indptr[v]; p < indptr[v + 1]; p++) {
            const int32_t w = indices[p];
            if (w <= before || w >= n || w == v) return REFUSED;
            before = w;
            if (next[w] == indptr[w + 1] || indices[next[w]] != v) return REFUSED;
            next[w]++;
        }
    }
    return OK;
}

/* Write the positions in order of ascending degree class, in their own order within a class: order (n). */
KERNEL(order_by_degree)(scratch *memory, int64_t n, const int64_t *indptr, int32_t *order) {
    (void)memory;
    int64_t start[130] = {0};
    for (int64_t v = 0; v < n; v++) start[degree_class(indptr[v + 1] - indptr[v]) + 1]++;
    for (int c = 0; c < 129; c++) start[c + 1] += start[c];
    for (int64_t v = 0; v < n; v++) order[start[degree_class(indptr[v + 1] - indptr[v])]++] = (int32_t)v;
    return OK;
}

/* Put rows under new labels: order (n) holds the position of each label, a permutation.
 *
 * The labels are visited in order and append themselves to the rows of their neighbours, so every row is written
 * in order; when a label is visited itself, its row holds exactly its lower neighbours.
 * new_indptr (n + 1), new_indices (2m), spans (n, 2) start and length of each forward row, forward (m) out. */
KERNEL(relabel)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, const int32_t *order,
                int64_t *new_indptr, int32_t *new_indices, uint32_t *spans, int32_t *forward) {
    int32_t *labels = ROOM(memory, LABELS, n, int32_t);
    int64_t *end = ROOM(memory, OFFSETS, n, int64_t);
    if (labels == NULL || end == NULL) return NO_MEMORY;
    memset(labels, -1, (size_t)n * sizeof *labels);
    new_indptr[0] = 0;
    for (int64_t label = 0; label < n; label++) {
        const int32_t v = order[label];
        if (UNLIKELY(v < 0 || v >= n || labels[v] >= 0)) return REFUSED;
        labels[v] = (int32_t)label;
        end[label] = new_indptr[label];
        new_indptr[label + 1] = new_indptr[label] + indptr[v + 1] - indptr[v];
    }
    uint32_t reached = 0;
    for (int64_t label = 0; label < n; label++) {
        const int32_t v = order[label];
        spans[2 * label] = reached;
        spans[2 * label + 1] = (uint32_t)(new_indptr[label + 1] - end[label]);
        reached += spans[2 * label + 1];
        ask_for_members(n, label, indptr, indices, order, labels, end);
        for (int64_t p = indptr[v]; p < indptr[v + 1]; p++) {
            const int32_t other = labels[indices[p]];
            new_indices[end[other]++] = (int32_t)label;
        }
    }
    for (int64_t label = 0; label < n; label++) {
        const int64_t count = spans[2 * label + 1];
        memcpy(forward + spans[2 * label], new_indices + new_indptr[label + 1] - count,
               (size_t)count * sizeof *forward);
    }
    return OK;
}

/* Write the three smallest ranks among each node's neighbours, ascending, n where there are fewer: (n, 3). */
KERNEL(three_smallest)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices,
                       const int32_t *rank, int32_t *smallest) {
    (void)memory;
    for (int64_t v = 0; v < n; v++) {
        int32_t first = (int32_t)n, second = (int32_t)n, third = (int32_t)n;
        for (int64_t p = indptr[v]; p < indptr[v + 1]; p++) {
            const int32_t r = rank[indices[p]];
            if (r < third) {
                third = r;
                if (r < second) {
                    third = second;
                    second = r;
                    if (r < first) {
                        second = first;
                        first = r;
                    }
                }
            }
        }
        smallest[3 * v] = first;
        smallest[3 * v + 1] = second;
        smallest[3 * v + 2] = third;
    }
    return OK;
}

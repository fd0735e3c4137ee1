/* Triangles: of all nodes by listing each triangle once, of some by looking into each ego network. */
#include "kernels.h"

/* Write, for each node, its neighbours of a higher class, or of its own class and a higher position.
 * spans (n, 2), forward (m) out. */
KERNEL(orient)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, uint32_t *spans,
               int32_t *forward) {
    uint8_t *class = ROOM(memory, CLASSES, n, uint8_t);
    int64_t longest = 0;
    if (class == NULL) return NO_MEMORY;
    for (int64_t v = 0; v < n; v++) {
        const int64_t degree = indptr[v + 1] - indptr[v];
        class[v] = (uint8_t)degree_class(degree);
        longest = degree > longest ? degree : longest;
    }
    int32_t *row = ROOM(memory, TOUCHED, longest, int32_t);
    if (row == NULL) return NO_MEMORY;
    uint32_t reached = 0;
    for (int64_t v = 0; v < n; v++) {
        const int own = class[v];
        int64_t kept = 0;
        int64_t p = indptr[v];
        for (; p < indptr[v + 1] && indices[p] < v; p++) {
            row[kept] = indices[p];
            kept += class[indices[p]] > own;
        }
        for (; p < indptr[v + 1]; p++) {
            row[kept] = indices[p];
            kept += class[indices[p]] >= own;
        }
        spans[2 * v] = reached;
        spans[2 * v + 1] = (uint32_t)kept;
        memcpy(forward + reached, row, (size_t)kept * sizeof *row);
        reached += (uint32_t)kept;
    }
    return OK;
}

/* Rows are scattered over memory: they are asked for while the nodes before are worked on. */
enum { AHEAD = 32 };

INLINE void fetch_spans(const uint32_t *spans, const int32_t *forward, int64_t a) {
    const int32_t *row = forward + spans[2 * a];
    const int64_t length = spans[2 * a + 1] < AHEAD ? spans[2 * a + 1] : AHEAD;
    for (int64_t i = 0; i < length; i++) PREFETCH(&spans[2 * (int64_t)row[i]]);
}

INLINE void fetch_rows(const uint32_t *spans, const int32_t *forward, int64_t a) {
    const int32_t *row = forward + spans[2 * a];
    const int64_t length = spans[2 * a + 1] < AHEAD ? spans[2 * a + 1] : AHEAD;
    for (int64_t i = 0; i < length; i++) PREFETCH(forward + spans[2 * (int64_t)row[i]]);
}

/* Add the triangles whose lowest node is in first .. last - 1 to the counts of their three nodes: found (n). */
KERNEL(list_triangles)(scratch *memory, int64_t n, const uint32_t *spans, const int32_t *forward, int64_t first,
                       int64_t last, int64_t *found) {
    uint64_t *marks = ROOM(memory, MARKS, (n >> 6) + 1, uint64_t);
    if (marks == NULL) return NO_MEMORY;
    int64_t longest = 0;
    for (int64_t v = 0; v < n; v++) longest = spans[2 * v + 1] > longest ? spans[2 * v + 1] : longest;
    int32_t *met = ROOM(memory, TOUCHED, longest, int32_t);
    if (met == NULL) return NO_MEMORY;
    for (int64_t a = first; a < last; a++) {
        const int32_t *row = forward + spans[2 * a];
        const int64_t length = spans[2 * a + 1];
        if (a + 2 < last) fetch_spans(spans, forward, a + 2);
        if (a + 1 < last) fetch_rows(spans, forward, a + 1);
        if (length < 2) continue;
        for (int64_t i = 0; i < length; i++) marks[row[i] >> 6] |= UINT64_C(1) << (row[i] & 63);
        int64_t in_all = 0;
        for (int64_t i = 0; i < length; i++) {
            const int64_t b = row[i];
            const int64_t closed = keep_marked(forward + spans[2 * b], spans[2 * b + 1], marks, met, 0);
            for (int64_t j = 0; j < closed; j++) found[met[j]]++;
            found[b] += closed;
            in_all += closed;
        }
        found[a] += in_all;
        for (int64_t i = 0; i < length; i++) marks[row[i] >> 6] = 0;
    }
    return OK;
}

/* Add the triangles whose lowest node is in first .. last - 1 to the counts of their three edges: on_edge (m), as the
 * forward rows have them. */
KERNEL(list_edge_triangles)(scratch *memory, int64_t n, const uint32_t *spans, const int32_t *forward, int64_t first,
                            int64_t last, int64_t *on_edge) {
    uint64_t *marks = ROOM(memory, MARKS, (n >> 6) + 1, uint64_t);
    int32_t *places = ROOM(memory, PLACES, n, int32_t);
    if (marks == NULL || places == NULL) return NO_MEMORY;
    for (int64_t a = first; a < last; a++) {
        const int32_t *row = forward + spans[2 * a];
        const int64_t length = spans[2 * a + 1];
        int64_t *own = on_edge + spans[2 * a];
        if (a + 2 < last) fetch_spans(spans, forward, a + 2);
        if (a + 1 < last) fetch_rows(spans, forward, a + 1);
        if (length < 2) continue;
        for (int64_t i = 0; i < length; i++) {
            marks[row[i] >> 6] |= UINT64_C(1) << (row[i] & 63);
            places[row[i]] = (int32_t)i;
        }
        for (int64_t i = 0; i < length; i++) {
            const int64_t b = row[i];
            const int32_t *others = forward + spans[2 * b];
            int64_t *theirs = on_edge + spans[2 * b];
            int64_t closed = 0;
            for (int64_t j = 0; j < (int64_t)spans[2 * b + 1]; j++) {
                const int64_t c = others[j];
                if (!(marks[c >> 6] >> (c & 63) & 1)) continue;
                theirs[j]++;
                own[places[c]]++;
                closed++;
            }
            own[i] += closed;
        }
        for (int64_t i = 0; i < length; i++) marks[row[i] >> 6] = 0;
    }
    return OK;
}

/* Write what the forward rows have to both arcs of every edge: on_arc (2m) out. */
KERNEL(to_both_arcs)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, const uint32_t *spans,
                     const int32_t *forward, const int64_t *on_edge, int64_t *on_arc) {
    (void)memory;
    for (int64_t a = 0; a < n; a++) {
        int64_t p = indptr[a];
        for (int64_t i = 0; i < (int64_t)spans[2 * a + 1]; i++) {
            const int64_t b = forward[spans[2 * a] + i];
            while (p < indptr[a + 1] && indices[p] != b) p++; /* both ascend */
            const int64_t back = indptr[b] + below(indices + indptr[b], indptr[b + 1] - indptr[b], (int32_t)a);
            if (p == indptr[a + 1] || back == indptr[b + 1]) return REFUSED;
            on_arc[p] = on_arc[back] = on_edge[spans[2 * a] + i];
        }
    }
    return OK;
}

/* Write the number of edges among the neighbours of nodes[i] to found[i]. */
KERNEL(edges_inside)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, int64_t count,
                     const int64_t *nodes, int64_t *found) {
    uint64_t *marks = ROOM(memory, MARKS, (n >> 6) + 1, uint64_t);
    if (marks == NULL) return NO_MEMORY;
    for (int64_t position = 0; position < count; position++) {
        const int64_t begin = indptr[nodes[position]], end = indptr[nodes[position] + 1];
        for (int64_t p = begin; p < end; p++) marks[indices[p] >> 6] |= UINT64_C(1) << (indices[p] & 63);
        int64_t inside = 0;
        for (int64_t p = begin; p < end; p++) {
            const int32_t u = indices[p];
            const int32_t *row = indices + indptr[u];
            const int64_t length = indptr[u + 1] - indptr[u];
            for (int64_t j = below(row, length, u); j < length; j++)
                inside += (int64_t)(marks[row[j] >> 6] >> (row[j] & 63) & 1);
        }
        for (int64_t p = begin; p < end; p++) marks[indices[p] >> 6] = 0;
        found[position] = inside;
    }
    return OK;
}

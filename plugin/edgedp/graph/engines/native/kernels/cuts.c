/* Cuts of neighbour lists, and what pairs of nodes hand to those whose cut holds both.
 *
 * cut(x) holds the first of the eligible neighbours of x in a public order: by a hash of the two ids, equal hashes by
 * position. Where u and w stand in cut(x), x is a connector of the pair. All paths u - x - w are walked once, from the
 * higher label, w < u: rows `in` hold the connectors of u, rows `out` the cut of x. Counters, and the longest row of a
 * source where that is a hub's, are treated as paths.h says.
 *
 * Sums are integers: a result depends neither on the order of the work nor on the labels. Whoever calls makes sure that
 * no sum leaves 62 bits. Time is the number of paths, at most the sum of C(|cut|, 2); memory is a few words a node.
 */
#include "paths.h"

/* From this many times as many entries on, a row is searched for the neighbours of the source and not walked. */
#define SEARCHED 16

typedef struct {
    uint64_t key;
    int64_t member;
} candidate;

/* A bijection of 64 bits: the finalizer of SplitMix64. */
INLINE uint64_t stirred(uint64_t word) {
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

INLINE int comes_before(candidate a, candidate b) {
    return a.key < b.key || (a.key == b.key && a.member < b.member);
}

/* Restore a heap whose root, the last of all, was replaced. */
static void sift_down(candidate *heap, int64_t root, int64_t size) {
    const candidate moved = heap[root];
    for (int64_t child = 2 * root + 1; child < size; child = 2 * root + 1) {
        if (child + 1 < size && comes_before(heap[child], heap[child + 1])) child++;
        if (!comes_before(moved, heap[child])) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = moved;
}

INLINE int eligible(const int64_t *ranks, int64_t x, int64_t y) { return ranks == NULL || ranks[y] > ranks[x]; }

INLINE int64_t count_eligible(const int64_t *ranks, int64_t x, const int32_t *row, int64_t length) {
    if (ranks == NULL) return length;
    int64_t found = 0;
    for (int64_t i = 0; i < length; i++) found += ranks[row[i]] > ranks[x];
    return found;
}

/* Write how many neighbours each node's cut will hold: sizes (n). caps (n), 0 or more; ranks (n), or NULL: all
 * neighbours are eligible, otherwise those of higher rank. */
KERNEL(cut_sizes)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, const int64_t *caps,
                  const int64_t *ranks, int64_t *sizes) {
    (void)memory;
    for (int64_t x = 0; x < n; x++) {
        const int64_t found = count_eligible(ranks, x, indices + indptr[x], indptr[x + 1] - indptr[x]);
        sizes[x] = found < caps[x] ? found : caps[x];
    }
    return OK;
}

/* Write the cuts, ascending, into rows whose lengths `cut_sizes` told: cut_indptr (n + 1), cut_indices.
 *
 * row_words, words (n): the key of y in the order of x is the stirred sum of row_words[x] and words[y]. */
KERNEL(cut_rows)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, const int64_t *ranks,
                 const uint64_t *row_words, const uint64_t *words, const int64_t *cut_indptr, int32_t *cut_indices) {
    for (int64_t x = 0; x < n; x++) {
        const int64_t size = cut_indptr[x + 1] - cut_indptr[x];
        int32_t *cut = cut_indices + cut_indptr[x];
        int64_t seen = 0, written = 0;
        if (size == 0) continue;
        if (size == count_eligible(ranks, x, indices + indptr[x], indptr[x + 1] - indptr[x])) {
            for (int64_t p = indptr[x]; p < indptr[x + 1]; p++)
                if (eligible(ranks, x, indices[p])) cut[written++] = indices[p];
            continue;
        }
        candidate *heap = ROOM(memory, CANDIDATES, size, candidate);
        if (heap == NULL) return NO_MEMORY;
        for (int64_t p = indptr[x]; p < indptr[x + 1]; p++) {
            if (!eligible(ranks, x, indices[p])) continue;
            const candidate found = {stirred(row_words[x] + words[indices[p]]), indices[p]};
            if (seen < size) {
                heap[seen++] = found;
                if (seen == size)
                    for (int64_t i = size / 2 - 1; i >= 0; i--) sift_down(heap, i, size);
            } else if (comes_before(found, heap[0])) {
                heap[0] = found;
                sift_down(heap, 0, size);
            }
        }
        if (seen < size) return REFUSED;
        const candidate last = heap[0]; /* whoever does not come after it is in */
        for (int64_t p = indptr[x]; p < indptr[x + 1]; p++) {
            if (!eligible(ranks, x, indices[p])) continue;
            const candidate found = {stirred(row_words[x] + words[indices[p]]), indices[p]};
            if (!comes_before(last, found)) cut[written++] = indices[p];
        }
    }
    return OK;
}

/* Places of memory are asked for so many entries before they are needed, and what they say half as many before. */
enum { ASKED_AHEAD = 32, READ_AHEAD = 16 };

/* Put cuts under new labels, and transpose them: order (n) holds the position of each label, a permutation.
 *
 * met (n), by position: 0 for members that are left out. in_indptr, out_indptr (n + 1), in_indices, out_indices (with
 * room for all of cut_indices) out; all rows ascend. before (as many) out: for each entry x in the row `in` of u, how
 * many members of the row `out` of x are lower than u. */
KERNEL(relabel_cuts)(scratch *memory, int64_t n, const int64_t *cut_indptr, const int32_t *cut_indices,
                     const int32_t *order, const uint8_t *met, int64_t *in_indptr, int32_t *in_indices,
                     int64_t *out_indptr, int32_t *out_indices, int32_t *before) {
    int32_t *labels = ROOM(memory, LABELS, n, int32_t);
    int64_t *end = ROOM(memory, OFFSETS, n, int64_t);
    if (labels == NULL || end == NULL) return NO_MEMORY;
    const int64_t entries = cut_indptr[n];
    memset(labels, -1, (size_t)n * sizeof *labels);
    for (int64_t label = 0; label < n; label++) {
        const int32_t x = order[label];
        if (UNLIKELY(x < 0 || x >= n || labels[x] >= 0)) return REFUSED;
        labels[x] = (int32_t)label;
    }
    memset(in_indptr, 0, (size_t)(n + 1) * sizeof *in_indptr);
    for (int64_t p = 0; p < entries; p++) in_indptr[labels[cut_indices[p]] + 1] += met[cut_indices[p]] != 0;
    for (int64_t label = 0; label < n; label++) {
        in_indptr[label + 1] += in_indptr[label];
        end[label] = in_indptr[label];
    }
    out_indptr[0] = 0;
    for (int64_t label = 0; label < n; label++) {
        const int32_t x = order[label];
        int64_t kept = 0;
        ask_for_members(n, label, cut_indptr, cut_indices, order, labels, end);
        for (int64_t p = cut_indptr[x]; p < cut_indptr[x + 1]; p++) {
            if (!met[cut_indices[p]]) continue;
            in_indices[end[labels[cut_indices[p]]]++] = (int32_t)label;
            kept++;
        }
        out_indptr[label + 1] = out_indptr[label] + kept;
    }
    for (int64_t label = 0; label < n; label++) end[label] = out_indptr[label];
    for (int64_t u = 0; u < n; u++)
        for (int64_t p = in_indptr[u]; p < in_indptr[u + 1]; p++) {
            const int32_t x = in_indices[p];
            if (p + ASKED_AHEAD < in_indptr[n]) {
                PREFETCH(&end[in_indices[p + ASKED_AHEAD]]);
                PREFETCH(&out_indices[end[in_indices[p + READ_AHEAD]]]);
            }
            before[p] = (int32_t)(end[x] - out_indptr[x]);
            out_indices[end[x]++] = (int32_t)u;
        }
    return OK;
}

/* The first entry of an ascending row that is not smaller than `value`, or the row's end. */
INLINE const int32_t *reach(const int32_t *row, const int32_t *stop, int32_t value) {
    return row + below(row, stop - row, value);
}

/* How many of the `asked` values an ascending row holds; the values ascend, too. */
INLINE int64_t members(const int32_t *row, int64_t length, const int32_t *values, int64_t asked) {
    const int32_t *stop = row + length;
    int64_t found = 0;
    for (int64_t i = 0; i < asked && (row = reach(row, stop, values[i])) < stop; i++) found += *row == values[i];
    return found;
}

INLINE int any_wanted(const uint8_t *wanted, const int32_t *nodes, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (wanted[nodes[i]]) return 1;
    return 0;
}

/* Give every wanted connector of a non-adjacent pair {u, w}, w < u, u in first .. last - 1, its share of the pair.
 *
 * indptr, indices: all neighbours, by label. in, out: from `relabel_cuts`. wanted (n): which nodes' sums are asked for.
 * shares (most + 1), `most` the most connectors of any node: share of each of c connectors, shares[0] = 0. hub_row (n):
 * where a node's cut is in hub_rows (hubs, n), or -1; 1 for a member. sums (n): added to. */
KERNEL(cut_shares)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, const int64_t *in_indptr,
                   const int32_t *in_indices, const int64_t *out_indptr, const int32_t *out_indices,
                   const int32_t *before, int64_t first, int64_t last, const uint8_t *wanted, int64_t most,
                   const int64_t *shares, const int32_t *hub_row, const uint8_t *hub_rows, int64_t *sums) {
    int32_t *counts = ROOM(memory, COUNTS, n, int32_t);
    uint16_t *codes = ROOM(memory, CODES, n, uint16_t);
    int64_t *stops = ROOM(memory, STOPS, most + 1, int64_t);
    int64_t *shares_by_code, *gains_by_code;
    if (counts == NULL || codes == NULL || stops == NULL) return NO_MEMORY;
    if (!by_code(memory, shares, most, &shares_by_code, &gains_by_code)) return NO_MEMORY;
    int32_t base = 0;
    for (int64_t u = first; u < last; u++) {
        const int32_t *connectors = in_indices + in_indptr[u];
        const int32_t *lengths = before + in_indptr[u];
        const int64_t count = in_indptr[u + 1] - in_indptr[u];
        int64_t longest = 0, total = 0, top = 0;
        if (!any_wanted(wanted, connectors, count)) continue;
        for (int64_t i = 0; i < count; i++) {
            const int64_t length = lengths[i];
            stops[i] = out_indptr[connectors[i]] + length;
            total += length;
            if (length > longest) {
                longest = length;
                top = i;
            }
        }
        if (total == 0) continue;
        const int32_t hub = connectors[top];
        const int64_t adjacent = indptr[u] + below(indices + indptr[u], indptr[u + 1] - indptr[u], (int32_t)u);
        if (count == 1) { /* every pair has this connector alone */
            const int64_t met = members(out_indices + out_indptr[hub], longest, indices + indptr[u], adjacent - indptr[u]);
            sums[hub] += (longest - met) * shares[1];
            continue;
        }
        if (hub_row[hub] >= 0 && pays_to_copy(longest, total, u, count)) {
            const walk others = {connectors, count, top, out_indptr, stops, out_indices};
            const int64_t gained = walk_beside_hub(hub_rows + (int64_t)hub_row[hub] * n, u, &others, indices + indptr[u],
                                                   adjacent - indptr[u], codes, shares_by_code, gains_by_code);
            if (wanted[hub]) sums[hub] += longest * shares[1] + gained;
            for (int64_t i = 0; i < count; i++) {
                if (i == top || !wanted[connectors[i]]) continue;
                int64_t received = 0;
                for (int64_t p = out_indptr[connectors[i]]; p < stops[i]; p++)
                    received += shares_by_code[codes[out_indices[p]]];
                sums[connectors[i]] += received;
            }
            continue;
        }
        if (base > LAST_BASE - count) {
            memset(counts, 0, (size_t)n * sizeof *counts);
            base = 0;
        }
        begin_with_row(out_indices + out_indptr[hub], longest, base, counts);
        for (int64_t i = 0; i < count; i++) {
            if (i + 2 < count) ask_for_row(out_indices + out_indptr[connectors[i + 2]]);
            if (i != top) count_row(out_indices + out_indptr[connectors[i]], lengths[i], base, counts);
        }
        for (int64_t p = indptr[u]; p < adjacent; p++) counts[indices[p]] = base; /* adjacent pairs have no share */
        for (int64_t i = 0; i < count; i++) {
            if (!wanted[connectors[i]]) continue;
            sums[connectors[i]] +=
                shares_of_row(out_indices + out_indptr[connectors[i]], lengths[i], base, counts, shares, most);
        }
        base += (int32_t)count;
    }
    memset(counts, 0, (size_t)n * sizeof *counts);
    return OK;
}

/* Give every connector x of an adjacent pair {u, w}, w < u, u in first .. last - 1, floor(2^bits W_x lam / (lam + S)),
 * S being the sum of W over the pair's connectors.
 *
 * As for `cut_shares`; weights (n): W by label, at least 1; level: lam, at least 1; 2^bits W lam is below 2^63. */
KERNEL(cut_closed_shares)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices,
                          const int64_t *in_indptr, const int32_t *in_indices, const int64_t *out_indptr,
                          const int32_t *out_indices, const int32_t *before, int64_t first, int64_t last,
                          int64_t most, int64_t bits, const int64_t *weights, int64_t level, int64_t *sums) {
    uint8_t *closed = ROOM(memory, CLOSED, n, uint8_t);
    uint64_t *totals = ROOM(memory, TOTALS, n, uint64_t);
    int64_t *stops = ROOM(memory, STOPS, most + 1, int64_t);
    if (closed == NULL || totals == NULL || stops == NULL) return NO_MEMORY;
    memset(totals, 0, (size_t)n * sizeof *totals);
    for (int64_t u = first; u < last; u++) {
        const int32_t *connectors = in_indices + in_indptr[u];
        const int64_t count = in_indptr[u + 1] - in_indptr[u];
        const int64_t adjacent = indptr[u] + below(indices + indptr[u], indptr[u + 1] - indptr[u], (int32_t)u);
        if (count == 0 || adjacent == indptr[u]) continue;
        for (int64_t p = indptr[u]; p < adjacent; p++) {
            closed[indices[p]] = 1;
            totals[indices[p]] = 0;
        }
        const int32_t *neighbors = indices + indptr[u];
        const int64_t lower = adjacent - indptr[u];
        for (int64_t i = 0; i < count; i++) {
            const int64_t start = out_indptr[connectors[i]];
            stops[i] = start + before[in_indptr[u] + i];
            const uint64_t weight = (uint64_t)weights[connectors[i]];
            if (stops[i] - start > SEARCHED * lower) {
                const int32_t *row = out_indices + start, *stop = out_indices + stops[i];
                for (int64_t j = 0; j < lower && (row = reach(row, stop, neighbors[j])) < stop; j++)
                    if (*row == neighbors[j]) totals[*row] += weight;
            } else {
                for (int64_t p = start; p < stops[i]; p++) totals[out_indices[p]] += weight;
            }
        }
        for (int64_t i = 0; i < count; i++) {
            const uint64_t scaled = ((uint64_t)weights[connectors[i]] << bits) * (uint64_t)level;
            const int64_t start = out_indptr[connectors[i]];
            uint64_t received = 0;
            if (stops[i] - start > SEARCHED * lower) {
                const int32_t *row = out_indices + start, *stop = out_indices + stops[i];
                for (int64_t j = 0; j < lower && (row = reach(row, stop, neighbors[j])) < stop; j++)
                    if (*row == neighbors[j]) received += scaled / ((uint64_t)level + totals[*row]);
            } else {
                for (int64_t p = start; p < stops[i]; p++) {
                    const int32_t w = out_indices[p];
                    if (closed[w]) received += scaled / ((uint64_t)level + totals[w]);
                }
            }
            sums[connectors[i]] += (int64_t)received;
        }
        for (int64_t p = indptr[u]; p < adjacent; p++) closed[indices[p]] = 0;
    }
    return OK;
}

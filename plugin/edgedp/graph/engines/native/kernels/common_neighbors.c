/* Common neighbours of pairs of nodes in the whole graph, counted from one node of each pair.
 *
 * A source u reaches w over as many paths u - x - w as the two share neighbours. All paths are walked once from
 * their higher label, w < u, so every pair is counted whole, in one counter of w (paths.h).
 *
 * Sums are integers, so a value does not depend on the order of the work. Time is the number of paths of length
 * two, sum of C(d, 2); memory is two counters a node, and the rows of the hubs.
 *
 * Borgatti and Everett (2006), A graph-theoretic perspective on centrality; Brandes (2008), On variants of
 * shortest-path betweenness centrality: bounded-distance betweenness.
 */
#include "paths.h"

INLINE void credit(int64_t x, uint64_t received, int64_t *high, int64_t *low) {
    high[x] += (int64_t)(received >> 32);
    low[x] += (int64_t)(received & 0xffffffffu);
}

/* Give each wanted common neighbour of a non-adjacent pair {u, w}, w < u, its share of the pair.
 *
 * sources (count): the labels u; every neighbour of a wanted node must be among the sources of all calls.
 * wanted (n): which nodes' sums are asked for. shares (most + 1), `most` the largest degree: share of each of c
 * common neighbours, shares[0] = 0; the largest degree times the largest share is below 2^63.
 * hub_row (n): where a node's row is in hub_rows (hubs, n), or -1; 1 for a neighbour. A row more or less changes
 * the time and not the result. high, low (n): added to; the sums are high * 2^32 + low. */
KERNEL(hand_out_shares)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, int64_t count,
                        const int64_t *sources, const uint8_t *wanted, int64_t most, const int64_t *shares,
                        const int32_t *hub_row, const uint8_t *hub_rows, int64_t *high, int64_t *low) {
    int32_t *counts = ROOM(memory, COUNTS, n, int32_t);
    uint16_t *codes = ROOM(memory, CODES, n, uint16_t);
    int64_t *stops = ROOM(memory, STOPS, most + 1, int64_t);
    int64_t *shares_by_code, *gains_by_code;
    if (counts == NULL || codes == NULL || stops == NULL) return NO_MEMORY;
    if (!by_code(memory, shares, most, &shares_by_code, &gains_by_code)) return NO_MEMORY;
    int32_t base = 0;
    for (int64_t s = 0; s < count; s++) {
        const int64_t u = sources[s];
        const int32_t *centres = indices + indptr[u];
        const int64_t degree = indptr[u + 1] - indptr[u];
        if (degree == 0) continue;
        int64_t longest = -1, total = 0, top = 0;
        for (int64_t i = 0; i < degree; i++) {
            const int64_t start = indptr[centres[i]];
            const int64_t length = below(indices + start, indptr[centres[i] + 1] - start, (int32_t)u);
            stops[i] = start + length;
            total += length;
            if (length > longest) {
                longest = length;
                top = i;
            }
        }
        const int32_t hub = centres[top];
        if (degree == 1) {
            if (wanted[hub]) credit(hub, (uint64_t)longest * (uint64_t)shares[1], high, low);
            continue;
        }
        if (hub_row[hub] >= 0 && pays_to_copy(longest, total, u, degree)) {
            const walk others = {centres, degree, top, indptr, stops, indices};
            const int64_t gained = walk_beside_hub(hub_rows + (int64_t)hub_row[hub] * n, u, &others, centres,
                                                   below(centres, degree, (int32_t)u), codes, shares_by_code,
                                                   gains_by_code);
            if (wanted[hub]) credit(hub, (uint64_t)(longest * shares[1] + gained), high, low);
            for (int64_t i = 0; i < degree; i++) {
                if (i == top || !wanted[centres[i]]) continue;
                int64_t received = 0;
                for (int64_t p = indptr[centres[i]]; p < stops[i]; p++)
                    received += shares_by_code[codes[indices[p]]];
                credit(centres[i], (uint64_t)received, high, low);
            }
            continue;
        }
        if (base > LAST_BASE - degree) {
            memset(counts, 0, (size_t)n * sizeof *counts);
            base = 0;
        }
        begin_with_row(indices + indptr[hub], longest, base, counts);
        for (int64_t i = 0; i < degree; i++) {
            const int64_t start = indptr[centres[i]];
            if (i + 2 < degree) ask_for_row(indices + indptr[centres[i + 2]]);
            if (i != top) count_row(indices + start, stops[i] - start, base, counts);
        }
        for (int64_t i = 0; i < degree; i++) counts[centres[i]] = base; /* adjacent pairs have no share */
        for (int64_t i = 0; i < degree; i++) {
            if (!wanted[centres[i]]) continue;
            const int64_t start = indptr[centres[i]];
            const int64_t received = shares_of_row(indices + start, stops[i] - start, base, counts, shares, most);
            credit(centres[i], (uint64_t)received, high, low);
        }
        base += (int32_t)degree;
    }
    memset(counts, 0, (size_t)n * sizeof *counts);
    return OK;
}

/* Raise most[u] to the most neighbours that the source u shares with another node.
 *
 * once: look at pairs w < u only and credit both ends, for calls that cover all nodes as sources. */
KERNEL(most_common_neighbors)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices,
                              int64_t count, const int64_t *sources, int64_t once, int64_t *most) {
    int32_t *counts = ROOM(memory, COUNTS, n, int32_t);
    if (counts == NULL) return NO_MEMORY;
    int32_t base = 0;
    for (int64_t s = 0; s < count; s++) {
        const int64_t u = sources[s];
        const int64_t begin = indptr[u], degree = indptr[u + 1] - begin;
        if (base > LAST_BASE - degree) {
            memset(counts, 0, (size_t)n * sizeof *counts);
            base = 0;
        }
        int64_t own = most[u];
        for (int64_t i = begin; i < begin + degree; i++) {
            const int64_t start = indptr[indices[i]];
            int64_t length = indptr[indices[i] + 1] - start;
            if (once) length = below(indices + start, length, (int32_t)u);
            for (int64_t p = start; p < start + length; p++) {
                const int32_t w = indices[p];
                const int32_t reached = (counts[w] > base ? counts[w] : base) + 1;
                const int64_t shared = reached - base;
                counts[w] = reached;
                if (shared > own && w != u) own = shared;
                if (once && shared > most[w]) most[w] = shared;
            }
        }
        most[u] = own;
        base += (int32_t)degree;
    }
    memset(counts, 0, (size_t)n * sizeof *counts);
    return OK;
}

enum { ROWS_AHEAD = 8 }; /* rows are scattered over memory: they are asked for so many before they are needed */

/* Write, for each of some nodes, the most neighbours that it shares with another of them: most (count).
 *
 * chosen (count): nodes, all different. lists: a row for each node, into which the chosen neighbours met so far are
 * written by their place in `chosen`; starts (n + 1): where each row begins, with room for all of them. A pair is
 * counted from its later node, in counters of the chosen alone: they stay in the nearest cache. */
KERNEL(most_common_among)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, int64_t count,
                          const int64_t *chosen, const int64_t *starts, int32_t *lists, int64_t *most) {
    int32_t *counts = ROOM(memory, COUNTS, count, int32_t);
    int64_t *ends = ROOM(memory, OFFSETS, n, int64_t);
    if (counts == NULL || ends == NULL) return NO_MEMORY;
    memcpy(ends, starts, (size_t)n * sizeof *ends);
    memset(most, 0, (size_t)count * sizeof *most);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t p = indptr[chosen[i]], stop = indptr[chosen[i] + 1]; p < stop; p++) {
            const int64_t w = indices[p];
            if (p + 2 * ROWS_AHEAD < stop) {
                PREFETCH(&starts[indices[p + 2 * ROWS_AHEAD]]);
                PREFETCH(&ends[indices[p + 2 * ROWS_AHEAD]]);
                const int32_t *row = lists + starts[indices[p + ROWS_AHEAD]];
                PREFETCH(row);
                PREFETCH(row + 16);
                PREFETCH(lists + ends[indices[p + ROWS_AHEAD]]);
            }
            if (UNLIKELY(ends[w] == starts[w + 1])) {
                memset(counts, 0, (size_t)count * sizeof *counts);
                return REFUSED;
            }
            for (int64_t q = starts[w]; q < ends[w]; q++) counts[lists[q]]++;
            lists[ends[w]++] = (int32_t)i;
        }
        int64_t own = 0;
        for (int64_t j = 0; j < i; j++) {
            const int64_t shared = counts[j];
            counts[j] = 0;
            own = shared > own ? shared : own;
            most[j] = shared > most[j] ? shared : most[j];
        }
        most[i] = own;
    }
    return OK;
}

/* Common neighbours of pairs of nodes in the whole graph, counted from one node of each pair.
 *
 * A source u reaches w over as many paths u - x - w as the two share neighbours. All paths are walked once from
 * their higher label, w < u, so every pair is counted whole, in one counter of w. Counters are not cleared
 * between sources: what is at most `base` is a zero, and `base` rises by more than any count.
 *
 * Where the longest row of a source is that of a hub, that row is not walked at all: it is copied, as bytes,
 * into the lowest bits of the counters, the other rows add 2 each, and the hub's sum is one share a cell of its
 * row, corrected whenever another row meets such a cell. On graphs with hubs most paths go through the longest
 * row (email-Enron 47 %, musae-github 63 %).
 *
 * Sums are integers, so a value does not depend on the order of the work. Time is the number of paths of length
 * two, sum of C(d, 2); memory is two counters a node, and the rows of the hubs.
 *
 * Borgatti and Everett (2006), A graph-theoretic perspective on centrality; Brandes (2008), On variants of
 * shortest-path betweenness centrality: bounded-distance betweenness.
 */
#include "kernels.h"

/* From this density on copying a row beats walking it; measured, flat between 1/32 and 1/64. */
#define HUB_ROW_DENSITY (1.0 / 64)
/* From this part of all paths on not walking a row makes up for what the others then cost more. */
#define HUB_ROW_PART (1.0 / 5)
#define MOST_CODED ((1 << 15) - 1) /* of a code 2 * count + bit in 16 bits */
#define LAST_BASE (1 << 30)

INLINE void credit(int64_t x, uint64_t received, int64_t *high, int64_t *low) {
    high[x] += (int64_t)(received >> 32);
    low[x] += (int64_t)(received & 0xffffffffu);
}

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

/* Count the other rows into the codes, and return by how much the hub then differs from a share a cell. */
static int64_t walk_beside_hub(int64_t u, const int32_t *centres, int64_t count, int64_t top,
                               const int64_t *indptr, const int64_t *stops, const int32_t *indices,
                               uint16_t *codes, const int64_t *shares_by_code, const int64_t *gains_by_code) {
    int64_t gained = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i == top) continue;
        for (int64_t p = indptr[centres[i]]; p < stops[i]; p++) {
            const uint16_t code = codes[indices[p]];
            gained += gains_by_code[code];
            codes[indices[p]] = (uint16_t)(code + 2);
        }
    }
    for (int64_t i = 0; i < count && centres[i] < u; i++) { /* adjacent pairs have no share */
        if (codes[centres[i]] & 1) gained -= shares_by_code[codes[centres[i]]];
        codes[centres[i]] = 0;
    }
    return gained;
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
        if (hub_row[hub] >= 0 && (double)longest > HUB_ROW_DENSITY * (double)u &&
            (double)longest > HUB_ROW_PART * (double)total && degree <= MOST_CODED) {
            const uint8_t *row = hub_rows + (int64_t)hub_row[hub] * n;
            for (int64_t cell = 0; cell < u; cell++) codes[cell] = row[cell];
            const int64_t gained = walk_beside_hub(u, centres, degree, top, indptr, stops, indices, codes,
                                                   shares_by_code, gains_by_code);
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
        for (int64_t i = 0; i < degree; i++) {
            for (int64_t p = indptr[centres[i]]; p < stops[i]; p++) {
                const int32_t w = indices[p];
                counts[w] = (counts[w] > base ? counts[w] : base) + 1;
            }
        }
        for (int64_t i = 0; i < degree; i++) counts[centres[i]] = base; /* adjacent pairs have no share */
        for (int64_t i = 0; i < degree; i++) {
            if (!wanted[centres[i]]) continue;
            int64_t received = 0;
            for (int64_t p = indptr[centres[i]]; p < stops[i]; p++) received += shares[counts[indices[p]] - base];
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

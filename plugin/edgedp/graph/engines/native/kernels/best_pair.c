/* The pair of nodes that shares most: the most common neighbours, or the largest move of the two-triangles.
 *
 * Nodes are taken in falling order of a bound that no pair of theirs exceeds, and each is compared with those before
 * it, until a bound does not exceed the best pair found. A common neighbour of few of them is counted by listing: each
 * node keeps those before that it is a neighbour of. A common neighbour of many (a dense core) is a column of bits,
 * and a pair is AND and popcount over its two rows: in a clique of n nodes n^3 / 128 steps in the place of n^3.
 *
 * Everything is integers, so the result does not depend on the order of the work or the level. */
#include "kernels.h"

typedef struct {
    const int64_t *on_edge; /* (2m) triangles on the edge of each arc, or NULL: pairs are worth what they share */
    const int64_t *tops;    /* (2m) sums of the largest of them in each row: of one, of two, ... */
    int64_t largest;        /* of on_edge */
} worth;

/* What a pair is worth at most that shares `c` neighbours, given the start of either row; grows with c. */
INLINE int64_t at_most(const worth *by, int64_t c, int64_t i, int64_t j) {
    if (by->on_edge == NULL || c == 0) return c;
    return c * (c - 1) / 2 + by->tops[i + c - 1] + by->tops[j + c - 1];
}

/* Raise best (1) by the pairs of chosen nodes.
 *
 * chosen (count): different nodes. bounds (count): falling; no pair of a node is worth more. starts (n + 1), lists: room
 * for the chosen neighbours of every node that has no column. column (n): the column of a node, or -1.
 * bits (count, words): zeros, room for a row of columns for each chosen node. */
KERNEL(best_pair)(scratch *memory, int64_t n, const int64_t *indptr, const int32_t *indices, int64_t count,
                  const int64_t *chosen, const int64_t *bounds, const int64_t *starts, int32_t *lists,
                  const int32_t *column, int64_t words, uint64_t *bits, const int64_t *on_edge, const int64_t *tops,
                  int64_t largest, int64_t *best) {
    const worth by = {on_edge, tops, largest};
    int32_t *counts = ROOM(memory, COUNTS, count, int32_t);
    int64_t *ends = ROOM(memory, OFFSETS, n, int64_t);
    int32_t *touched = ROOM(memory, TOUCHED, count, int32_t);
    int32_t *places = ROOM(memory, PLACES, n, int32_t);
    uint64_t *marks = ROOM(memory, MARKS, (n >> 6) + 1, uint64_t);
    int64_t *in_columns = ROOM(memory, STOPS, count, int64_t);
    if (counts == NULL || ends == NULL || touched == NULL || places == NULL || marks == NULL || in_columns == NULL)
        return NO_MEMORY;
    memcpy(ends, starts, (size_t)n * sizeof *ends);
    int64_t most = *best;
    for (int64_t i = 0; i < count && bounds[i] > most; i++) {
        const int64_t begin = indptr[chosen[i]], end = indptr[chosen[i] + 1];
        uint64_t *row = bits + i * words;
        int64_t reached = 0, own = 0;
        int full = 0;
        for (int64_t p = begin; p < end; p++) {
            const int64_t x = indices[p];
            if (column[x] >= 0) {
                row[column[x] >> 6] |= UINT64_C(1) << (column[x] & 63);
                own++;
                continue;
            }
            if (UNLIKELY(ends[x] == starts[x + 1])) {
                full = 1;
                break;
            }
            for (int64_t q = starts[x]; q < ends[x]; q++) {
                touched[reached] = lists[q];
                reached += counts[lists[q]]++ == 0;
            }
            lists[ends[x]++] = (int32_t)i;
        }
        if (UNLIKELY(full)) {
            memset(counts, 0, (size_t)count * sizeof *counts);
            return REFUSED;
        }
        in_columns[i] = own;
        if (on_edge != NULL)
            for (int64_t p = begin; p < end; p++) {
                marks[indices[p] >> 6] |= UINT64_C(1) << (indices[p] & 63);
                places[indices[p]] = (int32_t)(p - begin);
            }
        /* Whether the columns alone can make a pair better than the best: else only those met in lists can be. */
        const int64_t alone = on_edge == NULL || own == 0
                                  ? own
                                  : own * (own - 1) / 2 + tops[begin + own - 1] + own * by.largest;
        const int all = alone > most;
        const int64_t compared = all ? i : reached;
        for (int64_t s = 0; s < compared; s++) {
            const int64_t j = all ? s : touched[s];
            const int64_t start = indptr[chosen[j]];
            int64_t shared = counts[j];
            const int64_t rest = own < in_columns[j] ? own : in_columns[j];
            if (at_most(&by, shared + rest, begin, start) <= most) continue;
            const uint64_t *other = bits + j * words;
            if (rest > 0)
                for (int64_t w = 0; w < words; w++) shared += ones(row[w] & other[w]);
            if (on_edge == NULL) {
                most = shared > most ? shared : most;
                continue;
            }
            const int64_t adjacent = (int64_t)(marks[chosen[j] >> 6] >> (chosen[j] & 63) & 1);
            if (at_most(&by, shared, begin, start) - 2 * shared * adjacent <= most) continue;
            int64_t moved = shared * (shared - 1) / 2 - 2 * shared * adjacent;
            for (int64_t p = start, stop = indptr[chosen[j] + 1]; p < stop; p++) {
                const int64_t k = indices[p];
                if (marks[k >> 6] >> (k & 63) & 1) moved += on_edge[p] + on_edge[begin + places[k]];
            }
            most = moved > most ? moved : most;
        }
        for (int64_t s = 0; s < reached; s++) counts[touched[s]] = 0;
        if (on_edge != NULL)
            for (int64_t p = begin; p < end; p++) marks[indices[p] >> 6] = 0;
    }
    *best = most;
    return OK;
}

/* Dominance counts: for each threshold vector, how many points lie strictly above it in every coordinate.
 *
 * Comparisons only, no arithmetic on the values: counts are exact for any input without NaN. A point's level in
 * a coordinate is the number of thresholds below it there; it is above the threshold of rank a exactly if its
 * level exceeds a, also among equal thresholds. */
#include "kernels.h"

/* The number of entries strictly smaller than `value`. */
INLINE int64_t level_of(const double *ascending, int64_t length, double value) {
    int64_t low = 0;
    while (length > 0) {
        const int64_t half = length / 2;
        const int64_t right = ascending[low + half] < value;
        low += right * (half + 1);
        length = right ? length - half - 1 : half;
    }
    return low;
}

/* Two coordinates: thresholds by the first from the top, points above them into a Fenwick tree over the second.
 *
 * first, second (points); first_ascending, second_ascending (queries) the thresholds' coordinates, sorted;
 * first_order (queries): the threshold of each rank; second_rank (queries): the rank of each threshold, in the
 * order of first_order's values. counts (queries) out. */
KERNEL(count_by_sweep)(scratch *memory, int64_t points, const double *first, const double *second, int64_t queries,
                       const double *first_ascending, const double *second_ascending, const int64_t *first_order,
                       const int64_t *second_rank, int64_t *counts) {
    int32_t *levels = ROOM(memory, LEVELS, 3 * points, int32_t);
    int64_t *start = ROOM(memory, FIRST_POINTS, 2 * (queries + 2), int64_t);
    int64_t *tree = ROOM(memory, TREE, queries + 1, int64_t);
    if (levels == NULL || start == NULL || tree == NULL) return NO_MEMORY;
    int32_t *second_level = levels + points, *grouped = levels + 2 * points;
    int64_t *place = start + queries + 2;
    memset(start, 0, (size_t)(queries + 2) * sizeof *start);
    memset(tree, 0, (size_t)(queries + 1) * sizeof *tree);
    int64_t kept = 0;
    for (int64_t i = 0; i < points; i++) {
        if (!(first[i] > first_ascending[0] && second[i] > second_ascending[0])) continue;
        const int64_t level = level_of(first_ascending, queries, first[i]);
        levels[kept] = (int32_t)level;
        second_level[kept] = (int32_t)level_of(second_ascending, queries, second[i]);
        start[level + 1]++;
        kept++;
    }
    for (int64_t level = 0; level <= queries; level++) start[level + 1] += start[level];
    memcpy(place, start, (size_t)(queries + 2) * sizeof *start);
    for (int64_t i = 0; i < kept; i++) grouped[place[levels[i]]++] = second_level[i];
    for (int64_t rank = queries - 1; rank >= 0; rank--) {
        for (int64_t i = start[rank + 1]; i < start[rank + 2]; i++)
            for (int64_t node = grouped[i]; node <= queries; node += node & -node) tree[node]++;
        const int64_t query = first_order[rank];
        int64_t not_above = 0;
        for (int64_t node = second_rank[query]; node > 0; node -= node & -node) not_above += tree[node];
        counts[query] = kept - start[rank + 1] - not_above;
    }
    return OK;
}

/* Any number of coordinates: per threshold and block of 64 * words points, the AND of one bit set a coordinate.
 *
 * points (coordinates, count); ascending, order (coordinates, queries): the thresholds' coordinates, sorted, and
 * whose they are. counts (queries) out. */
KERNEL(count_by_bits)(scratch *memory, int64_t coordinates, int64_t count, const double *points, int64_t queries,
                      const double *ascending, const int64_t *order, int64_t words, int64_t *counts) {
    uint64_t *above = ROOM(memory, ABOVE, (queries + 1) * words, uint64_t);
    int64_t *head = ROOM(memory, FIRST_POINTS, queries + 1, int64_t);
    int32_t *next = ROOM(memory, LEVELS, 64 * words, int32_t);
    if (above == NULL || head == NULL || next == NULL) return NO_MEMORY;
    uint64_t *current = above + queries * words;
    memset(counts, 0, (size_t)queries * sizeof *counts);
    for (int64_t begin = 0; begin < count; begin += 64 * words) {
        const int64_t size = count - begin < 64 * words ? count - begin : 64 * words;
        memset(above, 0xff, (size_t)(queries * words) * sizeof *above);
        for (int64_t coordinate = 0; coordinate < coordinates; coordinate++) {
            const double *value = points + coordinate * count + begin;
            const double *sorted = ascending + coordinate * queries;
            memset(current, 0, (size_t)words * sizeof *current);
            memset(head, 0xff, (size_t)(queries + 1) * sizeof *head);
            for (int64_t i = 0; i < size; i++) {
                const int64_t level = level_of(sorted, queries, value[i]);
                next[i] = (int32_t)head[level];
                head[level] = i;
            }
            for (int64_t rank = queries - 1; rank >= 0; rank--) {
                for (int64_t i = head[rank + 1]; i >= 0; i = next[i])
                    current[i >> 6] |= UINT64_C(1) << (i & 63);
                uint64_t *row = above + order[coordinate * queries + rank] * words;
                for (int64_t word = 0; word < words; word++) row[word] &= current[word];
            }
        }
        for (int64_t query = 0; query < queries; query++) {
            int64_t total = 0;
            for (int64_t word = 0; word < words; word++) total += ones(above[query * words + word]);
            counts[query] += total;
        }
    }
    return OK;
}

/* Widen the boxes of a utility by one step: lower -= factor * by, upper += factor * by, each product rounded once. */
KERNEL(widen)(scratch *memory, int64_t count, const double *by, double factor, double *lower, double *upper) {
    (void)memory;
    for (int64_t i = 0; i < count; i++) {
        const double width = by[i] * factor;
        lower[i] -= width;
        upper[i] += width;
    }
    return OK;
}

/* Copy the chosen columns of two tables of boxes: (coordinates, count) to (coordinates, chosen). */
KERNEL(gather_boxes)(scratch *memory, int64_t coordinates, int64_t count, const double *lower, const double *upper,
                     int64_t chosen, const int64_t *which, double *low, double *high) {
    (void)memory;
    for (int64_t coordinate = 0; coordinate < coordinates; coordinate++)
        for (int64_t i = 0; i < chosen; i++) {
            low[coordinate * chosen + i] = lower[coordinate * count + which[i]];
            high[coordinate * chosen + i] = upper[coordinate * count + which[i]];
        }
    return OK;
}

package org.edgedp.neo4j;

import java.util.Arrays;
import org.eclipse.collections.impl.map.mutable.primitive.LongIntHashMap;

/** The row of each node by what Neo4j's store calls it: an array, or a map where these numbers are sparse. */
interface RowsById {
    /** What is not a node of the graph. */
    int OUTSIDE = -1;

    /** So many numbers for each node are still an array: it takes no more than a map would. */
    int SPARSE = 8;

    /** Numbers that are an array in any case. */
    int FEW = 1 << 16;

    int row(long internalId);

    /** Return the rows of nodes in their order. */
    static RowsById of(long[] internalIds) {
        long largest = Arrays.stream(internalIds).max().orElse(-1);
        return largest < FEW + (long) SPARSE * internalIds.length && largest < Integer.MAX_VALUE - FEW
                ? array(internalIds, (int) largest)
                : map(internalIds);
    }

    private static RowsById array(long[] internalIds, int largest) {
        int[] rows = new int[largest + 1];
        Arrays.fill(rows, OUTSIDE);
        for (int row = 0; row < internalIds.length; row++) {
            rows[(int) internalIds[row]] = row;
        }
        return id -> id < rows.length ? rows[(int) id] : OUTSIDE;
    }

    private static RowsById map(long[] internalIds) {
        LongIntHashMap rows = new LongIntHashMap(internalIds.length);
        for (int row = 0; row < internalIds.length; row++) {
            rows.put(internalIds[row], row);
        }
        return id -> rows.getIfAbsent(id, OUTSIDE);
    }
}

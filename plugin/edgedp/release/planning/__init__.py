"""Planning a release from public facts alone: before there is a store, and without a graph.

What noise is drawn, what was measured on graphs that are like or unlike yours, how many releases a budget affords, and
what edge privacy means for somebody who has several edges. No private edge is anywhere near.
"""

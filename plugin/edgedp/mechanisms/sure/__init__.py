"""How sure a list is: what noisy vectors that were released leave open of the true top k.

Everything here is post-processing: pure functions of noisy vectors, the scales of their noise, k and public constants,
with draws of a fixed, public seed. A wrong model costs calibration, never privacy.

`degrees`: what noisy degrees leave open of degrees. `values`: of the values that are ranked. `lists`: of a list.
"""

FEWEST = 50
"""How many nodes a graph has at least whose lists say how sure they are: what is likely is learned from all of them."""

"""Joint releases that rest on no degree bound: noisy degrees first, and what they say is worth buying next.

One edge moves all degrees by 2 in sum, whatever they are. What is bought with the rest of epsilon follows from these
noisy degrees and from public facts alone, and its sensitivity holds for any two graphs that differ by one edge: every
node connects through a public cut of its neighbours (`edgedp.graph.engines.cuts`), and the noise follows the cut.

`choice`: what is bought second. `vectors`: exact integers, what one edge moves them by, and their noise.
`fit`: scores from noisy values. `top_k`, `several`: the releases. `estimates`: edges and wedges from the same
degrees. The proofs are in docs/privacy.md, "Lists".
"""

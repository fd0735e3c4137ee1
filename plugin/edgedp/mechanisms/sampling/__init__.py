"""Exact sampling: noise that is a real number, decisions that are certain, at the speed of arrays.

======================================  ========================================================
`words`                                 64-bit words of the operating system or of a generator
`late`                                  words of many values, drawn when they can matter
`noise`                                 Gumbel and exponential noise, given lazily by words
`refine`                                decisions that one word leaves open
`ranking`                               the first places by noisy score, from few evaluated scores
`select`                                top-k by the exponential mechanism or permute-and-flip
`geometric`                             two-sided geometric noise on integers
`uniform`                               uniform integers of any size
======================================  ========================================================

A sampler that adds floating-point noise releases a law that is close to the one that was proved, but not it:
the set of reachable sums differs between neighbouring inputs (Mironov 2012). Here nothing is rounded. Floats
only *exclude*, by bounds with a stated margin; what they leave open is decided by exact rationals. So a
release has exactly the law of its integer scores and rational unit of noise, given uniform words.

What is assumed: the words are uniform and independent; integer and ``decimal`` arithmetic is correct; numpy's
logarithms have a relative error below ``2**-40`` (`noise` says where that enters).

What time still tells. The *answer* has the exact law; the *duration* of a release is not covered by any
promise of privacy and depends on private data through

- the number of scores that `evaluate` is asked for, and the time that each takes (the largest part: the score
  of a hub costs more than that of a leaf);
- in a joint release, whether its ranking looks at all nodes of a second vector or at the first alone, which the
  released values say, and the time that each look takes;
- among many candidates, the number of those whose words are drawn (`ranking`, "Few words");
- how many candidates' bounds meet, hence the calls into ``decimal`` (rare, microseconds each);
- sorting and partitioning, whose time depends on the order of what they sort, and numpy's logarithms, whose
  time may depend on their argument;
- the number of rejected words in two-sided geometric noise, which depends on noise alone.

Whoever must hide durations returns releases at fixed times.
"""

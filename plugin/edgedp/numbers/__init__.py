"""Releases of numbers: what may be asked, how it is drawn, what is shown.

============================  =====================================================================
`edgedp.numbers.counting`     one number: canonical options, law, draw
`edgedp.numbers.distributing` the distribution of the degrees
`edgedp.numbers.summarizing`  several numbers for one debit
`edgedp.numbers.answers`      what of it is shown
`edgedp.numbers.in_memory`    the same on a graph that the caller holds
============================  =====================================================================

Every kind is a frozen class of canonical options (``CountOptions`` and so on) that validates from public facts alone,
prices itself (``cost``, in nano-epsilon), and has a ``draw(projection, words)`` that returns what is shown.
"""
